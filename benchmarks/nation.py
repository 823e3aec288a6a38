"""One case of the national comparison in plain numpy: the unit in which the cost of a comparison is given.

::

    python -m benchmarks.nation             # CPU seconds and peak memory of commands, as multiples
    python -m benchmarks.nation baseline    # the case alone: its figures, read from data/

The case: everyone at the granularity of the limited data set (date of birth, sex, Hispanic or race, ZIP code area in a
county), us-2010, 51 states: total risk and g-distinct for 1, 3, 5, 10. No code of the package runs in it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

DATA = Path(__file__).resolve().parents[1] / "data"
G = (1, 3, 5, 10)
DAYS = 365.0

OWN_POLICY = "sex+race_ethnicity+birth=month+geography=county (age<90+county>20000)"
COMMANDS = {
    "compare": ["compare"],
    "the paper's form": ["compare", "--hipaa", "paper"],
    "us-2010": ["compare", "--population", "us-2010"],
    "us-2022": ["compare", "--population", "us-2022"],
    "us-2010-zcta": ["compare", "--population", "us-2010-zcta"],
    "a file of 11,000": ["compare", "--in-file", "11000"],
    "an own policy": ["compare", "--policy", OWN_POLICY],
    "Ohio": ["compare", "OH"],
    "Ohio's brief": ["brief", "OH"],
    "Ohio's curve": ["model", "curve", "OH", "--g-max", "20000"],
}


class Cells(NamedTuple):
    """Cells that are not empty, sorted by county: the county, the years of age inside, and the people."""

    county: np.ndarray
    width: np.ndarray
    people: np.ndarray


def read_cells() -> tuple[list[str], Cells]:
    """Return the counties, and people by county, sex, age and race, Hispanics of all races in one."""
    import pyarrow.parquet as pq

    table = pq.ParquetFile(DATA / "populations/us-2010.parquet").read()
    hispanic = pq.ParquetFile(DATA / "populations/us-2010-hispanic.parquet").read()["hispanic"].to_numpy()
    column = {name: table[name].combine_chunks() for name in ("county", "sex")}
    names = column["county"].dictionary.to_pylist()
    county, sex = (of.indices.to_numpy().astype(np.int64) for of in column.values())
    age, width, people = (table[name].to_numpy().astype(np.int64) for name in ("age", "age_width", "people"))
    ages = int(age.max()) + 1
    place = (county * 2 + sex) * ages + age
    together = np.bincount(place, weights=hispanic, minlength=len(names) * 2 * ages).astype(np.int64)
    widths = np.zeros(len(together), dtype=np.int64)
    widths[place] = width
    held = np.flatnonzero(together)
    cells = Cells(
        np.concatenate([county, held // (2 * ages)]),
        np.concatenate([width, widths[held]]),
        np.concatenate([people - hispanic, together[held]]),
    )
    order = np.argsort(cells.county, kind="stable")
    order = order[cells.people[order] > 0]
    return names, Cells(*(of[order] for of in cells))


def read_shares(names: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the county of each of its parts and its share of the county's people, sorted by county."""
    import pyarrow.parquet as pq

    table = pq.ParquetFile(DATA / "zip/zcta_county_2010.parquet").read()
    number = {name: place for place, name in enumerate(names)}
    people = table["people"].to_numpy().astype(float)
    held = people > 0
    county = np.array([number[name] for name in table["county"].to_pylist()])[held]
    order = np.argsort(county, kind="stable")
    county, people = county[order], people[held][order]
    return county, people / np.bincount(county, weights=people)[county]


def figures_of_county(people: np.ndarray, bins: float, share: np.ndarray) -> np.ndarray:
    """Return total risk and g-distinct of cells that hide as many bins, in every part of their county."""
    n, times = np.unique(people, return_counts=True)
    x = np.minimum(share / bins, 1 - 1e-13)
    alone = np.exp(np.multiply.outer(n - 1.0, np.log1p(-x)))  # nobody else is in a person's bin
    ways = np.empty((max(G) + 1, len(n)))
    ways[-1] = times
    ways[0] = times * n
    for others in range(1, max(G)):
        ways[others] = ways[others - 1] * np.maximum(n - others, 0) / others
    sums = ways @ alone
    odds = np.power.outer(x / (1 - x), np.arange(max(G))).T
    upto = np.cumsum((sums[:-1] * odds) @ share)
    total = bins * (times.sum() * len(share) - ((1 - x) * sums[-1]).sum())
    return np.array([total, *(upto[g - 1] for g in G)])


def baseline() -> np.ndarray:
    """Return the figures of the nation: total risk, and g-distinct for each g."""
    names, cells = read_cells()
    county, share = read_shares(names)
    ends = [np.searchsorted(of, np.arange(len(names) + 1)) for of in (cells.county, county)]
    figures = np.zeros(1 + len(G))
    for first, last, low, high in zip(*(part for of in ends for part in (of[:-1], of[1:])), strict=True):
        width, people = cells.width[first:last], cells.people[first:last]
        for years in np.unique(width):
            figures += figures_of_county(people[width == years], DAYS * years, share[low:high])
    return figures


class Cost(NamedTuple):
    """CPU seconds of a process with its children, and the most memory of one of them, in megabytes."""

    seconds: float
    megabytes: float


def cost_of(arguments: list[str], folder: str) -> Cost:
    """Run a command of this Python in a folder and return what it cost."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL, cwd=folder, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(arguments)}: ended with {status}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def main() -> None:
    """Print the baseline, or every command as a multiple of it."""
    if sys.argv[1:] == ["baseline"]:
        total, *distinct = baseline().tolist()
        print(f"total risk {total:,.0f}", *(f"{g}-distinct {count:,.0f}" for g, count in zip(G, distinct, strict=True)))
        return
    with tempfile.TemporaryDirectory() as folder:
        plain = cost_of(["-m", "benchmarks.nation", "baseline"], folder)
        imports = cost_of(["-c", "import pandas, pyarrow"], folder)
        print(f"baseline: {plain.seconds:.2f} s, {plain.megabytes:.0f} MB; imports: {imports.seconds:.2f} s")
        for name, arguments in COMMANDS.items():
            cost = cost_of(["-m", "policy_sim", *arguments], folder)
            multiples = f"{cost.seconds / plain.seconds:.2f} x baseline, {cost.seconds / imports.seconds:.1f} x imports"
            print(f"{name}: {cost.seconds:.2f} s, {cost.megabytes:.0f} MB; {multiples}", flush=True)


if __name__ == "__main__":
    main()
