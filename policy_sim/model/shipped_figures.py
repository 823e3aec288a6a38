"""Figures that ship with the program: of the national comparison, which takes longest to compute, and of a page.

``data/figures.csv`` holds what :meth:`~policy_sim.model.cases.Cases.measure` returned for the keys of the comparison
that nobody asked otherwise about, and their curves at round sizes; ``data/curves.parquet`` has the curve of every
state's page, which is drawn from thousandths of a person. A row is found by a digest of everything that its figures are
computed from: the code, the facts in ``data/``, the key, the group sizes. After any change of these nothing is found,
and everything is computed; ``python -m policy_sim.building.make_figures`` writes the files again.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from policy_sim.attackers.county_coverage import RegisteredCoverage
from policy_sim.attackers.coverage import Coverage
from policy_sim.files.paths import data_dir, package_dir
from policy_sim.files.toml import damaged_if_wrong
from policy_sim.files.writing import sha256_of
from policy_sim.people.population import AnyPopulation
from policy_sim.people.store import is_as_shipped
from policy_sim.policies.policy import Conditions
from policy_sim.words.arrays import FloatArray
from policy_sim.words.fields import Granularities

FILE, CURVES = "figures.csv", "curves.parquet"
SWEPT = 20_000  # the largest g of a curve in figures.csv, at round sizes
CURVE_MOST, PER_PERSON = 1_000, 1_000  # the largest g of a page's curve, and what it counts
# What a figure comes from.
_CODE = (
    "attackers/**",
    "formulas/**",
    "model/cases.py",
    "model/profile_figures.py",
    "people/**",
    "policies/**",
    "words/**",
)
# Files of data/ that no figure of a linkage key comes from, and cells, whose checksums the manifest has.
_NOT_FACTS = (
    "age_standards.toml",
    "boundaries",
    "disclosure_rules",
    "populations",
    "release",
    "thresholds.toml",
    "vocabularies",
    FILE,
    CURVES,
)


def shipped_rows(
    population: AnyPopulation,
    key: tuple[Granularities, Conditions, Coverage | None],
    figures: object,
    days_per_year: float,
) -> Mapping[str, FloatArray]:
    """Return the row of figures of each state whose people were measured by this key; empty where none ships.

    ``figures``: says by its ``repr`` what the columns are. Only a population exactly as it ships is looked up.
    """
    if not is_as_shipped(population) or (of_key := digest_of(population, key, figures, days_per_year)) is None:
        return {}
    return _read(data_dir() / FILE).get(of_key) or _curves(data_dir() / CURVES, of_key)


def digest_of(
    population: AnyPopulation,
    key: tuple[Granularities, Conditions, Coverage | None],
    figures: object,
    days_per_year: float,
) -> str | None:
    """Return what a row of the file is found by; None where people are listed in another way than the shipped ones."""
    view, conditions, coverage = key
    if coverage is not None and (type(coverage) is not RegisteredCoverage or not coverage.is_known):
        return None
    small = conditions.small_places
    facts = (
        _made_from(),
        (population.name, type(population).__name__),
        str(view),
        conditions.top_age,
        small and (small.place, small.most, small.listed and sorted(small.listed)),
        coverage and (coverage.year, coverage.assumed, coverage.least_share, coverage.least_age, coverage.most_age),
        figures,
        days_per_year,
    )
    return sha256_of(repr(facts).encode())[:32]


@cache
def _made_from() -> str:
    """Return the digest of the code and of the facts that every figure comes from."""
    code = (path for room in _CODE for path in package_dir().glob(room.replace("**", "**/*.py")))
    facts = (path for path in data_dir().rglob("*") if path.relative_to(data_dir()).parts[0] not in _NOT_FACTS)
    return sha256_of(*sorted(code), *sorted(path for path in facts if path.is_file()))


@cache
def _read(path: Path) -> dict[str, dict[str, FloatArray]]:
    if not path.is_file():
        return {}
    table = pd.read_csv(path, dtype={"digest": str, "linkage_key": str, "state": str})
    values = table.drop(columns=["digest", "linkage_key", "state"]).to_numpy(np.float64)
    rows: dict[str, dict[str, FloatArray]] = {}
    for digest, state, row in zip(table["digest"], table["state"], values, strict=True):
        rows.setdefault(digest, {})[state] = own = row[~np.isnan(row)]  # a profile and a curve differ in columns
        own.setflags(write=False)
    return rows


@cache
def _curves(path: Path, digest: str) -> dict[str, FloatArray]:
    """Return the curves of a key by state; a column is called by both."""
    if not path.is_file():
        return {}
    import pyarrow.parquet as pq

    with damaged_if_wrong(path):
        file = pq.ParquetFile(path)
        names = [name for name in file.schema_arrow.names if name.startswith(digest)]
        table = file.read(names)
        return {name.removeprefix(f"{digest} "): table.column(name).to_numpy() / PER_PERSON for name in names}
