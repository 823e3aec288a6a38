"""A population too large for memory, merged by a linkage key where it lies.

The engine adds up the cells and returns only how many groups there are of each kind: a census of
three hundred million block cells comes down to some thousand rows. What follows is the same as for a
population in memory (:mod:`policy_sim.population.merge`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from policy_sim.errors import SchemaError, UnknownNameError
from policy_sim.fields import Field, Granularities
from policy_sim.groups import DistinctGroups, Groups
from policy_sim.population.cells import COLUMNS
from policy_sim.population.merge import DAYS_PER_YEAR
from policy_sim.sources.engine import Engine
from policy_sim.sources.expressions import long

if TYPE_CHECKING:
    import ibis.expr.types as ir

__all__ = ["CountedGroups", "MergedCounts", "groups_from_engine", "merge_in_engine"]

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

_SPANS = {"decade": 10, "five_years": 5, "year": 1}
_COLUMN = {Field.GENDER: "sex", Field.RACE: "race"}


@dataclass(frozen=True, eq=False)
class MergedCounts:
    """How many groups there are of each kind; aligned arrays of whole numbers.

    Parameters
    ----------
    states : Postal codes, in the order of ``unit``.
    unit : State of the groups, by place in ``states``.
    hidden : Years of age that the key tells apart inside the group but the census does not show; 0
        where it tells none apart.
    people : Persons of the group.
    own : Those of them who live in the state; all, unless the key lacks the state.
    number : Groups of this kind.
    """

    states: tuple[str, ...]
    unit: IntArray
    hidden: IntArray
    people: IntArray
    own: IntArray
    number: IntArray

    @property
    def people_by_state(self) -> dict[str, int]:
        """Inhabitants of each state."""
        sums = np.zeros(len(self.states), dtype=np.int64)
        np.add.at(sums, self.unit, self.own * self.number)
        return dict(zip(self.states, sums.tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class CountedGroups(Groups):
    """Groups of which only the kinds are held, each with the number of groups of that kind."""

    number: IntArray

    def __len__(self) -> int:
        return int(self.number.sum())

    def distinct(self) -> DistinctGroups:
        """Return the kinds with their weights."""
        share = self.released / np.maximum(self.people, 1)
        kinds = np.stack([self.unit.astype(np.float64), self.people.astype(np.float64), self.bins], axis=1)
        rows, kind = np.unique(kinds, axis=0, return_inverse=True)
        weight, squared = np.zeros(len(rows)), np.zeros(len(rows))
        np.add.at(weight, kind, self.number * share)
        np.add.at(squared, kind, self.number * share**2)
        unit, people = rows[:, 0].astype(np.int64), rows[:, 1].astype(np.int64)
        return DistinctGroups(unit, people, rows[:, 2], weight, squared, self.units)


def groups_from_engine(
    engine: Engine,
    path: str,
    key: Granularities,
    states: Sequence[str] | None = None,
    *,
    days_per_year: float = DAYS_PER_YEAR,
) -> Groups:
    """Return the groups of a linkage key, as :func:`policy_sim.population.merge.merge` does in memory.

    Parameters
    ----------
    engine : Where the cells are added up.
    path : Parquet file, folder or pattern with the columns of a population.
    key : The linkage key.
    states : Which states (postal codes), as units 0, 1, ...; all, sorted, by default.
    days_per_year : Bins in a year of age for a full date of birth.

    Raises
    ------
    SchemaError : the file lacks a column, or has impossible cells.
    UnknownNameError : a state without people.
    SourceError : the file cannot be read, or the engine failed.
    """
    counts = merge_in_engine(engine, path, key, states)
    bins = _bins(counts.hidden, key[Field.BIRTH], days_per_year)
    units = len(counts.states)
    return CountedGroups(counts.unit, counts.people, bins, counts.own, units, counts.number)


def merge_in_engine(engine: Engine, path: str, key: Granularities, states: Sequence[str] | None = None) -> MergedCounts:
    """Add up the cells by the key inside the engine; see :func:`groups_from_engine`."""
    with engine.plainly(path):
        engine.progress("reading the population")
        cells = engine.parquet(path)
        names = _checked_columns(engine, cells, path, key)
        inhabited = cells.group_by("state").aggregate(people=cells.people.max())
        found = engine.fetch(inhabited).to_pydict()
        known = sorted(str(state) for state, most in zip(found["state"], found["people"], strict=True) if most)
        for state in states or ():
            if state not in known:
                raise UnknownNameError(f"state in population {path}:", state, known)
        wanted = tuple(states or known)
        engine.progress("merging the cells by the linkage key")
        merged = engine.fetch(_counted(cells, names, key, wanted))
    place = {state: unit for unit, state in enumerate(wanted)}
    unit = np.array([place[str(state)] for state in merged["state"].to_pylist()], dtype=np.int64)
    hidden, people, own, number = (
        merged[name].to_numpy().astype(np.int64) for name in ("hidden", "people", "own", "number")
    )
    order = np.lexsort([own, people, hidden, unit])
    return MergedCounts(wanted, unit[order], hidden[order], people[order], own[order], number[order])


def _checked_columns(engine: Engine, cells: ir.Table, path: str, key: Granularities) -> list[str]:
    """Return the columns that the key needs beside state and age."""
    names = [
        _COLUMN.get(field, granularity)
        for field, granularity in key.items()
        if field is not Field.BIRTH and granularity not in ("none", "nation", "state")
    ]
    missing = [name for name in (*COLUMNS, *names) if name not in cells.columns]
    if missing:
        raise SchemaError(path, [f"columns {', '.join(missing)} are missing; the linkage key {key} needs them."])
    empty = cells.people.isnull() | (cells.people < 0) | (cells.age < 0) | (cells.age_width < 1)
    for name in (*COLUMNS, *names):
        empty = empty | cells[name].isnull()
    wrong = engine.whole(cells.filter(empty).count())
    if wrong:
        raise SchemaError(
            path, [f"{wrong:,} cells lack a value in {', '.join((*COLUMNS, *names))} or count negatively."]
        )
    return names


def _counted(cells: ir.Table, names: Sequence[str], key: Granularities, states: Sequence[str]) -> ir.Table:
    """How many groups there are of each state, hidden years, people and own people."""
    lower, hidden = _age_class(cells, key[Field.BIRTH])
    parts = ["lower", "hidden", *names]
    shown = cells.select("state", *names, lower=lower, hidden=hidden, people=cells.people.cast("int64"))
    ours = shown.filter(shown.state.isin(list(states)))
    own = ours.group_by("state", *parts).aggregate(own=ours.people.sum().cast("int64")).filter(lambda t: t.own > 0)
    if key[Field.GEOGRAPHY] == "nation":
        everyone = shown.group_by(parts).aggregate(people=shown.people.sum().cast("int64"))
        groups = own.join(everyone, parts)
    else:
        groups = own.mutate(people=own.own)
    return groups.group_by("state", "hidden", "people", "own").aggregate(number=groups.count())


def _age_class(cells: ir.Table, granularity: str) -> tuple[ir.IntegerValue, ir.IntegerValue]:
    """Each cell's visible age class, and the years hidden in it (MODEL.md section 1)."""
    import ibis

    age, width = cells.age.cast("int64"), cells.age_width.cast("int64")
    if granularity == "none":
        return long(0), long(0)
    if granularity not in _SPANS:
        return age, width
    span = _SPANS[granularity]
    wide = width > long(span)
    lower = ibis.ifelse(wide, age, age - age % long(span))
    return lower, ibis.ifelse(wide, width, long(0))


def _bins(hidden: IntArray, granularity: str, days_per_year: float) -> FloatArray:
    if granularity in _SPANS:
        return np.where(hidden > 0, hidden / _SPANS[granularity], 1.0)
    if granularity == "none":
        return np.ones(len(hidden))
    return hidden.astype(np.float64) * (12.0 if granularity == "month" else days_per_year)
