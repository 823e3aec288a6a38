"""The model against the plain way of writing the same formulas, and its growth with the cells.

Plain: pandas sums the cells by the linkage key, scipy.stats gives the binomial of every group and
every g, pandas sums by state. Ours: :func:`policy_sim.people.merge.merge` and
:mod:`policy_sim.formulas`. Both start from the same cells in memory and must give the same people.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pandas as pd
from scipy.stats import binom

from benchmarks.cells import COUNTIES, nation
from policy_sim.formulas.groups import Groups, g_distinct, g_distinct_sweep, total_risk
from policy_sim.people.merging import merge
from policy_sim.people.population import Population
from policy_sim.words.fields import Field, Granularities

LIMITED = Granularities(gender="value", race="value", birth="date", geography="county")
SAFE_HARBOR = Granularities(gender="value", race="value", birth="year", geography="state")
VOTER = Granularities(birth="year", geography="county")
# Two policies and two attackers.
KEYS = (LIMITED, SAFE_HARBOR, LIMITED.meet(VOTER), SAFE_HARBOR.meet(VOTER))
COMPARED = (1, 3, 5, 10)
SWEPT = range(1, 101)  # as far as one can wait for the plain way
G_MAX = 20_000  # as Benitez and Malin's figure 3

Result = TypeVar("Result")


@dataclass(frozen=True)
class Timing:
    """One workload, in seconds; ``ratio`` is the plain way's time over ours."""

    workload: str
    ours: float
    plain: float | None = None
    ratio: float | None = None
    note: str = ""


def timed(work: Callable[[], Result], repeats: int = 1) -> tuple[float, Result]:
    """Return the shortest of the repeats, in seconds, and the last result."""
    shortest = float("inf")
    for _ in range(repeats):
        begin = time.perf_counter()
        result = work()
        shortest = min(shortest, time.perf_counter() - begin)
    return shortest, result


def plain_merge(population: Population, key: Granularities) -> pd.DataFrame:
    """Cells summed by the key, with n and b."""
    columns = ["state", "age", "age_width"]
    columns += ["county"] * (key[Field.GEOGRAPHY] == "county")
    columns += ["sex"] * (key[Field.GENDER] == "value") + ["race"] * (key[Field.RACE] == "value")
    frame = population.cells.groupby(columns, observed=True)["people"].sum().reset_index(name="n")
    frame["b"] = frame["age_width"] * (365 if key[Field.BIRTH] == "date" else 1)
    return frame


def plain_measures(frame: pd.DataFrame, sizes: Sequence[int]) -> pd.DataFrame:
    """Total risk and g-distinct by state, the formulas written down as they are read."""
    n, b, state = frame["n"], frame["b"], frame["state"]
    found = {"risk": (b * (1 - (1 - 1 / b) ** n)).groupby(state, observed=True).sum()}
    for g in sizes:
        found[f"g = {g}"] = (n * binom.cdf(g - 1, n - 1, 1 / b)).groupby(state, observed=True).sum()
    return pd.DataFrame(found)


def our_measures(groups: Groups, sizes: Sequence[int]) -> np.ndarray:
    """The same table from groups; every g from 1 on is one sweep."""
    table = g_distinct_sweep(groups, sizes[-1]) if len(sizes) > 10 else g_distinct(groups, sizes)
    return np.column_stack([total_risk(groups), table])


def fresh(groups: Groups) -> Groups:
    """The same groups, with nothing computed yet."""
    return Groups(groups.unit, groups.people, groups.bins, groups.released, groups.units)


def against_plain(population: Population) -> Iterator[Timing]:
    """Time both ways on two policies and two attackers."""
    merging, groups = timed(lambda: [merge(population, key) for key in KEYS], 2)
    plain_merging, frames = timed(lambda: [plain_merge(population, key) for key in KEYS])
    for name, sizes, repeats in (
        (f"total risk and g = {', '.join(map(str, COMPARED))}", COMPARED, 3),
        (f"total risk and g = 1 ... {SWEPT[-1]}", SWEPT, 3),
    ):
        ours, tables = timed(lambda sizes=sizes: [our_measures(fresh(g), sizes) for g in groups], repeats)
        plain, references = timed(lambda sizes=sizes: [plain_measures(f, sizes) for f in frames])
        for table, reference in zip(tables, references, strict=True):
            np.testing.assert_allclose(table, reference, rtol=1e-8)
        yield Timing(name, ours, plain, plain / ours)
        total, plain_total = merging + ours, plain_merging + plain
        yield Timing(f"  with merging the cells: {name}", total, plain_total, plain_total / total)
    ours, _ = timed(lambda: [our_measures(fresh(g), range(1, G_MAX + 1)) for g in groups], 3)
    waited = plain * G_MAX / len(SWEPT)
    note = f"plain: {len(SWEPT)} values of g, times {G_MAX // len(SWEPT)}"
    yield Timing(f"total risk and g = 1 ... {G_MAX}", ours, waited, waited / ours, note)


def growth() -> Iterator[Timing]:
    """Time merging and the whole sweep on 1, 10 and 100 times the cells."""
    for times in (1, 10, 100):
        population = nation(COUNTIES * times // 100)
        merging, groups = timed(lambda population=population: [merge(population, key) for key in KEYS], 3)
        sweep, _ = timed(lambda groups=groups: [our_measures(fresh(g), range(1, G_MAX + 1)) for g in groups], 3)
        cells = f"{len(population.cells):,} cells"
        yield Timing(f"merging, {times}x", merging, note=cells)
        yield Timing(f"g = 1 ... {G_MAX}, {times}x", sweep, note=cells)


def run() -> Iterator[Timing]:
    """Yield every timing as it is known."""
    yield from growth()
    yield from against_plain(nation())
