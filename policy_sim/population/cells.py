"""A population: people counted by place, sex, age and race, with where the figures come from."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd

from policy_sim.errors import SchemaError, UnknownNameError

__all__ = ["COLUMNS", "RACES", "SEXES", "Population", "Provenance", "check_cells", "counties_by_state"]

SEXES = ("M", "F")
# The seven races of census tables PCT12A to PCT12G, in that order.
RACES = ("white", "black", "aian", "asian", "nhpi", "other", "multiple")

# Required columns, then optional ones. Text columns are categorical in memory.
COLUMNS = ("state", "age", "age_width", "people")
OPTIONAL_COLUMNS = ("county", "tract", "zip3", "zip5", "sex", "race")


@dataclass(frozen=True)
class Provenance:
    """Where a population comes from; every output carries it.

    Shares are of people, 0 to 1, and add up to 1: *counted* in a cell by a census, *estimated* by a
    statistical office, *modelled* by a fit of ours.
    """

    name: str
    title: str
    publisher: str
    date: str
    how: str
    counted: float
    estimated: float
    modelled: float
    sources: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    sha256: str = ""

    @property
    def day(self) -> dt.date | None:
        """The day on which people were counted, if ``date`` is a whole date."""
        try:
            return dt.date.fromisoformat(self.date)
        except ValueError:
            return None

    def describe(self) -> str:
        """Say in one line which population this is and how sure it is."""
        parts = [
            f"{share:.1%} {word}"
            for share, word in (
                (self.counted, "counted"),
                (self.estimated, "estimated"),
                (self.modelled, "modelled"),
            )
            if share
        ]
        return f"{self.name}: {self.title}; {', '.join(parts)}"


@dataclass(frozen=True, eq=False)
class Population:
    """People by cell.

    ``cells`` has one row a non-empty cell, with the columns ``state`` (postal code), ``age`` (lower
    bound, years), ``age_width`` (years the class holds; 1 for single years and for 110 and over) and
    ``people`` (whole, > 0), and where known ``county`` (five-digit FIPS code), ``sex`` (M, F),
    ``race`` (:data:`RACES`) and finer places. Text columns are categorical.
    """

    cells: pd.DataFrame = field(repr=False)
    provenance: Provenance

    @property
    def name(self) -> str:
        """The name by which the population is called, such as ``us-2020``."""
        return self.provenance.name

    @property
    def states(self) -> tuple[str, ...]:
        """The states that have people here, sorted."""
        column = self.cells["state"].cat
        present = set(column.codes[self.cells["people"].to_numpy() > 0].tolist())
        return tuple(sorted(column.categories[code] for code in present))

    @property
    def people(self) -> int:
        """Everyone."""
        return int(self.cells["people"].sum())

    def people_by_state(self) -> dict[str, int]:
        """People of each state."""
        sums = self.cells.groupby("state", observed=True)["people"].sum()
        return {str(state): int(people) for state, people in sums.items()}

    def in_states(self, states: Sequence[str]) -> Population:
        """Return the part that lives in the named states (postal codes)."""
        known = self.states
        for state in states:
            if state not in known:
                raise UnknownNameError(f"state in population {self.name}:", state, known)
        if set(states) == set(known):
            return self
        kept = self.cells[self.cells["state"].isin(list(states))].reset_index(drop=True)
        return Population(kept, self.provenance)


def counties_by_state(population: Population) -> dict[str, int]:
    """Number of counties with people in each state; empty where the population has no counties."""
    if "county" not in population.cells:
        return {}
    pairs = population.cells[["state", "county"]].drop_duplicates()
    return {str(state): int(number) for state, number in pairs["state"].value_counts().items() if number}


def check_cells(cells: pd.DataFrame, where: str) -> pd.DataFrame:
    """Return the cells with text columns categorical, or say everything that is wrong with them.

    Raises
    ------
    SchemaError : missing or unknown columns, negative or fractional people, duplicate cells, ages
        or widths out of range; all problems at once.
    """
    problems: list[str] = []
    missing = [name for name in COLUMNS if name not in cells.columns]
    if missing:
        problems.append(
            f"columns {', '.join(missing)} are missing; a population needs {', '.join(COLUMNS)} "
            f"and may have {', '.join(OPTIONAL_COLUMNS)}."
        )
        raise SchemaError(where, problems)
    extra = [str(name) for name in cells.columns if name not in COLUMNS + OPTIONAL_COLUMNS]
    if extra:
        problems.append(f"columns {', '.join(extra)} are not known; drop or rename them.")
    cells = cells[[name for name in cells.columns if name in COLUMNS + OPTIONAL_COLUMNS]].copy()
    for name in ("people", "age", "age_width"):
        numbers = pd.to_numeric(cells[name], errors="coerce")
        wrong = numbers.isna() | (numbers % 1 != 0) | (numbers < (1 if name == "age_width" else 0))
        if wrong.any():
            least = 1 if name == "age_width" else 0
            problems.append(
                f"{int(wrong.sum())} rows have {name} that is not a whole number of {least} or more, "
                f"the first in row {int(wrong.to_numpy().argmax()) + 1}."
            )
        else:
            cells[name] = numbers.astype("int64")
    keys = [name for name in cells.columns if name != "people"]
    for name in keys:
        if name not in ("age", "age_width"):
            if cells[name].isna().any():
                problems.append(f"{int(cells[name].isna().sum())} rows have no {name}.")
            cells[name] = cells[name].astype("category")
    if "sex" in cells and (strange := set(cells["sex"].cat.categories) - set(SEXES)):
        problems.append(f"sex {sorted(strange)[0]!r} is not one of {', '.join(SEXES)}.")
    twice = cells.duplicated(subset=keys)
    if twice.any():
        problems.append(
            f"{int(twice.sum())} cells stand twice, the first in row {int(twice.to_numpy().argmax()) + 1}; add them up."
        )
    if not problems and not cells["people"].sum():
        problems.append("nobody is counted: all people are 0.")
    if problems:
        raise SchemaError(where, problems)
    return cells[cells["people"] > 0].reset_index(drop=True)
