"""Cells merged by a linkage key: from a population to groups.

Merge first, then bin: cells that differ only in what the key lacks are added up before any formula
sees them (MODEL.md section 1; Benitez & Malin 2010, Process).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from policy_sim.errors import InputError
from policy_sim.fields import Field, Granularities
from policy_sim.groups import Groups
from policy_sim.population.cells import Population

__all__ = ["DAYS_PER_YEAR", "age_classes", "merge"]

DAYS_PER_YEAR = 365.0  # as Benitez & Malin; 365.25 counts the leap day

# Years that one value of a birth granularity spans; finer than a year, values in a year.
_YEARS = {"decade": 10, "five_years": 5, "year": 1}
_COLUMN = {Field.GENDER: "sex", Field.RACE: "race"}
# Above this many possible keys, sorting the keys beats one counter for each.
_DENSE = 40_000_000

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


def age_classes(
    age: IntArray, width: IntArray, granularity: str, days_per_year: float = DAYS_PER_YEAR
) -> tuple[IntArray, FloatArray]:
    """Return each cell's visible age class and the bins that hide inside it.

    Parameters
    ----------
    age, width : Lower bound of each cell's ages and the years it holds.
    granularity : How finely birth is seen.
    days_per_year : Equally likely birthdays in a year.

    Returns
    -------
    Lower bound of the visible class (years), and bins ``b`` >= 1: 365 a year of age for ``date``,
    12 for ``month``, 1 for ``year``. A cell wider than the granularity keeps its own class and is
    split into as many bins as it spans.
    """
    if granularity == "none":
        return np.zeros_like(age), np.ones(len(age))
    if granularity in _YEARS:
        span = _YEARS[granularity]
        wide = width > span
        return np.where(wide, age, age // span * span), np.where(wide, width / span, 1.0)
    return age, width * (12.0 if granularity == "month" else days_per_year)


def merge(
    population: Population,
    key: Granularities,
    states: Sequence[str] | None = None,
    *,
    days_per_year: float = DAYS_PER_YEAR,
) -> Groups:
    """Return the groups of people who share the part of the key that the census shows.

    Parameters
    ----------
    population : People by cell.
    key : The linkage key.
    states : Which states, as units 0, 1, ... of the result; all of the population's by default.
        A key without the state groups the people of the whole population, and each state's own
        people are the released part.
    days_per_year : Bins in a year of age for a full date of birth.

    Returns
    -------
    Groups with one unit a state, in the order of ``states``.

    Raises
    ------
    InputError : the population lacks a column that the key needs.
    """
    wanted = tuple(states) if states is not None else population.states
    national = key[Field.GEOGRAPHY] == "nation"
    unit = _units(population, wanted)
    kept = slice(None) if national or (unit >= 0).all() else np.flatnonzero(unit >= 0)
    unit = unit[kept]
    parts, bins = _visible(population, key, kept, days_per_year)
    people = population.cells["people"].to_numpy()[kept]
    if not national:
        n, row = _sum_by([unit, *parts], people)
        return Groups.of(n, bins[row], unit=unit[row], units=len(wanted))
    group = _combine(parts)
    sums = np.bincount(group, weights=people).astype(np.int64)
    own, row = _sum_by([unit + 1, group], people)
    inside = unit[row] >= 0
    own, row = own[inside], row[inside]
    return Groups.of(sums[group[row]], bins[row], released=own, unit=unit[row], units=len(wanted))


def _units(population: Population, states: Sequence[str]) -> IntArray:
    """For each cell the position of its state among ``states``, or -1."""
    column = population.cells["state"].cat
    position = {state: unit for unit, state in enumerate(states)}
    by_code = np.array([position.get(str(name), -1) for name in column.categories], dtype=np.int64)
    return by_code[column.codes.to_numpy()]


def _visible(
    population: Population, key: Granularities, kept: slice | IntArray, days_per_year: float
) -> tuple[list[IntArray], FloatArray]:
    """What the key and the census both show of each cell, as codes; and the bins hidden inside."""
    cells = population.cells
    age, width = (cells[name].to_numpy(np.int64)[kept] for name in ("age", "age_width"))
    lower, bins = age_classes(age, width, key[Field.BIRTH], days_per_year)
    # One lower bound may stand for classes of two widths, whose bins must not be mixed.
    parts = [lower, np.unique(bins, return_inverse=True)[1]]
    for field, granularity in key.items():
        name = _COLUMN.get(field, granularity)
        if field is Field.BIRTH or granularity in ("none", "nation", "state"):
            continue
        if name not in cells:
            raise InputError(
                f"population {population.name} has no {name}, which the linkage key {key} needs: choose a "
                f"policy without it or a population with it."
            )
        parts.append(cells[name].cat.codes.to_numpy()[kept].astype(np.int64))
    return parts, bins


def _combine(parts: Sequence[IntArray]) -> IntArray:
    """One number for each distinct combination of the codes, numbered from 0 without gaps if large."""
    code = np.zeros(len(parts[0]), dtype=np.int64)
    for part in parts:
        code = code * (int(part.max(initial=0)) + 1) + part
        if code.max(initial=0) > _DENSE:
            code = np.unique(code, return_inverse=True)[1]
    return code


def _sum_by(parts: Sequence[IntArray], people: IntArray) -> tuple[IntArray, IntArray]:
    """People of each combination of the codes, and one row that has it."""
    code = _combine(parts)
    # float64 adds whole people exactly up to 2**53
    sums = np.bincount(code, weights=people)
    row = np.zeros(len(sums), dtype=np.int64)
    row[code] = np.arange(len(code))
    held = np.flatnonzero(sums)
    return sums[held].astype(np.int64), row[held]
