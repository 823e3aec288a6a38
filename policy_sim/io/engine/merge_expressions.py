"""Cells merged by a linkage key inside an engine: the expressions, and the whole numbers that come out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.errors import InputError
from policy_sim.granularity import Field, Granularities
from policy_sim.groups import DistinctGroups, Groups
from policy_sim.io.engine.engine import Engine
from policy_sim.policies.policy import Conditions, SmallPlaces
from policy_sim.population.visible_ages import age_classes

if TYPE_CHECKING:
    import ibis.expr.types as ir

__all__ = ["CountedGroups", "MergedCounts", "age_classes_of", "counted_groups", "visible"]


_COLUMN = {Field.GENDER: "sex", Field.RACE: "race"}


@dataclass(frozen=True, eq=False)
class MergedCounts:
    """How many groups there are of each kind; aligned arrays of whole numbers.

    Parameters
    ----------
    states : Postal codes, in the order of ``unit``.
    unit : State of the groups, by place in ``states``.
    age_class : What the key shows of age, by place in ``bins``.
    people : Persons of the group.
    own : Those of them who live in the state; all, unless the key lacks the state.
    number : Groups of this kind.
    bins : Bins hidden in each class of age, >= 1.
    """

    states: tuple[str, ...]
    unit: IntArray
    age_class: IntArray
    people: IntArray
    own: IntArray
    number: IntArray
    bins: FloatArray

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

    @cached_property
    def _distinct(self) -> DistinctGroups:
        share = self.released / np.maximum(self.people, 1)
        kinds = np.stack([self.unit.astype(np.float64), self.people.astype(np.float64), self.bins], axis=1)
        rows, kind = np.unique(kinds, axis=0, return_inverse=True)
        weight, squared = np.zeros(len(rows)), np.zeros(len(rows))
        np.add.at(weight, kind, self.number * share)
        np.add.at(squared, kind, self.number * share**2)
        unit, people = rows[:, 0].astype(np.int64), rows[:, 1].astype(np.int64)
        return DistinctGroups(unit, people, rows[:, 2], weight, squared, self.units)


def age_classes_of(
    engine: Engine, cells: ir.Table, key: Granularities, days_per_year: float, conditions: Conditions
) -> tuple[ir.Table, FloatArray]:
    """Return a table of the class of each kind of age, and the bins hidden in each class.

    Kinds of age are a hundred or so, however many cells: the rule is applied to them in memory
    (:func:`policy_sim.population.merge.age_classes`) and handed back to the engine.
    """
    kinds = engine.fetch(cells.select("age", "age_width").distinct().order_by(["age", "age_width"]))
    age, width = (kinds[name].to_numpy().astype(np.int64) for name in ("age", "age_width"))
    seen = age_classes(age, width, key[Field.BIRTH], days_per_year, conditions.top_age)
    classes, place = np.unique(np.column_stack(seen), axis=0, return_inverse=True)
    held = engine.hold({"of_age": age, "of_width": width, "age_class": place.reshape(-1).astype(np.int64)})
    return held, classes[:, 1].astype(np.float64)


def visible(engine: Engine, cells: ir.Table, name: str, key: Granularities, conditions: Conditions) -> ir.Table:
    """Return the cells with what the key shows of place, sex and race as ``part0``, ``part1``, ...

    Raises
    ------
    InputError : the file lacks a column that the key needs.
    """
    parts: list[ir.Value] = []
    if key[Field.GEOGRAPHY] not in ("nation", "state"):
        place = _place(cells, name, key[Field.GEOGRAPHY])
        small = conditions.small_places
        parts.append(place if small is None else _hidden(engine, cells, name, place, small))
    for field, column in _COLUMN.items():
        if key[field] == "none":
            continue
        if column not in cells.columns:
            raise InputError(
                f"population {name} has no {column}, but the linkage key {key} needs it. Choose a policy without it "
                f"or a population with it."
            )
        broad = key[field] == "broad"
        parts.append(cells[column].isin(["white", "black"]).ifelse(cells[column], "") if broad else cells[column])
    return cells.select("state", "age", "age_width", "people", **{f"part{at}": part for at, part in enumerate(parts)})


def _place(cells: ir.Table, name: str, place: str) -> ir.StringValue:
    if place in cells.columns:
        return cells[place]
    if place == "zip3" and "zip5" in cells.columns:
        return cells.zip5.substr(0, 3)
    area = place.removeprefix("county_")
    if area != place and "county" in cells.columns and {area, "zip5"} & set(cells.columns):
        return cells.county + "/" + _place(cells, name, area)
    raise InputError(
        f"population {name} has no {place.replace('county_', 'county with ')}, but a policy by {place} needs "
        f"it. Choose a policy without it or a population with it."
    )


def _hidden(engine: Engine, cells: ir.Table, name: str, place: ir.StringValue, small: SmallPlaces) -> ir.StringValue:
    """Return the place of each cell, all small places as one."""
    judged = _place(cells, name, small.place)
    names = small.listed
    if names is None:
        sums = cells.select(place=judged, people=cells.people).group_by("place").aggregate(sum=lambda t: t.people.sum())
        names = frozenset(engine.fetch(sums.filter(sums["sum"] <= small.most).select("place"))["place"].to_pylist())
    return judged.isin(sorted(names)).ifelse("", place) if names else place


def counted_groups(cells: ir.Table, ages: ir.Table, key: Granularities, states: Sequence[str]) -> ir.Table:
    """Return how many groups there are of each state, class of age, people and own people."""
    parts = ["age_class", *(name for name in cells.columns if name.startswith("part"))]
    classed = cells.join(ages, [cells.age == ages.of_age, cells.age_width == ages.of_width])
    ours = classed.filter(classed.state.isin(list(states)))
    own = ours.group_by("state", *parts).aggregate(own=ours.people.sum().cast("int64")).filter(lambda t: t.own > 0)
    if key[Field.GEOGRAPHY] == "nation":
        everyone = classed.group_by(parts).aggregate(people=classed.people.sum().cast("int64"))
        groups = own.join(everyone, parts)
    else:
        groups = own.mutate(people=own.own)
    return groups.group_by("state", "age_class", "people", "own").aggregate(number=groups.count())
