"""Release checks: which share of the cells, and of the people, a rule on small cells would withhold.

A policy shows a table: one cell for each value of what it releases. The checks count the cells that a
rule does not let out, were everyone of a state in the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from policy_sim.formulas.bins import bins_up_to, people_g_distinct
from policy_sim.formulas.groups import Groups
from policy_sim.formulas.histogram import number_combinations
from policy_sim.model.measure import Shown, with_place
from policy_sim.people.merge import DAYS_PER_YEAR
from policy_sim.people.merging import merge
from policy_sim.people.places import judged_on_everyone, visible_places
from policy_sim.people.population import Population, check_states
from policy_sim.policies.policy import Policy
from policy_sim.rules.files import list_rules
from policy_sim.rules.rule import MOST_POINTS, DisclosureRule, score, scored_variables
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.fields import YEARS_IN_A_CLASS, Field, Granularities


@dataclass(frozen=True)
class ReleaseCheck:
    """A rule on cells, with its source: no cell of fewer than ``least`` people is shown; empty ones may be."""

    name: str
    title: str
    citation: str
    least: int = 11

    def parts(self, population: Population, policy: Policy) -> Iterator[tuple[Population, IntArray]]:  # noqa: ARG002
        """Yield parts of the population with the sizes of cell (1 and more) that the rule withholds in them.

        Sizes are given as ascending pairs: from, to. The same are withheld everywhere.
        """
        yield population, np.array([[1, self.least - 1]])


_SCORED = 20_000  # people of the largest cell that is scored: its numerator and its denominator
# How a table of nothing but events, time and place is named among the variables, by the largest cell so named.
_ALONE = {2: "none", 4: "none, counts of 3 or more", 0: "none, counts of 5 or more"}


@dataclass(frozen=True)
class Scoring(ReleaseCheck):
    """Points for what a table tells; a small cell, or one of a small population, is shown up to a total.

    Every person is an event, so that the people of a cell are its numerator and its denominator.
    """

    most_points: int = MOST_POINTS

    def points(self, granularities: Granularities) -> int:
        """Points that the policy has in every cell: age, sex, race, time and how many of them."""
        birth, race = granularities[Field.BIRTH], granularities[Field.RACE]
        facts_shown: dict[str, int | str] = {"time": "1 year"}
        if granularities[Field.GENDER] == "value":
            facts_shown["sex-orientation-gender"] = "sex"
        if race != "none" or granularities[Field.ETHNICITY] != "none":
            few = race in ("none", "five_races") or race.startswith("broad")
            # races count as they are, whether ethnicity is told with them or not
            facts_shown["race-or-race-ethnicity"] = "five groups or fewer" if few else "all groups"
        if birth != "none":
            facts_shown["age-range"] = YEARS_IN_A_CLASS.get(birth, 1)
        kinds = ((Field.GENDER,), (Field.RACE, Field.ETHNICITY), (Field.BIRTH,))
        if number := sum(any(granularities[field] != "none" for field in kind) for kind in kinds):
            facts_shown["variable-interactions"] = f"{number} more"
        return score(facts_shown)

    def parts(self, population: Population, policy: Policy) -> Iterator[tuple[Population, IntArray]]:
        """Yield the people of places with equal points, and the sizes withheld there."""
        people, steps = _people_of_place(population, policy), scored_variables()["residence-geography"].steps
        for largest, points in steps:
            below = [limit for limit, _ in steps if limit and (not largest or limit < largest)]
            inside = (people > max(below, default=0)) & ((people <= largest) if largest else True)
            if inside.any():
                yield population.of_cells(inside), self._withheld(policy.releases, points)

    def _withheld(self, granularities: Granularities, place_points: int) -> IntArray:
        variables, base = scored_variables(), self.points(granularities) + place_points
        sized = [variables["events"]]
        if all(name == "none" for field, name in granularities.items() if field is not Field.GEOGRAPHY):
            named = variables["variable-interactions"]
            sized.append(replace(named, steps=tuple((most, named.points(text)) for most, text in _ALONE.items())))
        limits = {limit for variable in sized for limit, _ in variable.steps if 0 < limit < _SCORED}
        ranges, low = [], 1
        for high in sorted({*limits, _SCORED}):
            if base + sum(variable.points(high) for variable in sized) > self.most_points:
                ranges.append((low, high))
            low = high + 1
        return np.array(ranges, dtype=np.int64).reshape(-1, 2)


def _people_of_place(population: Population, policy: Policy) -> IntArray:
    """Return for each cell the people of the place that the policy shows of it."""
    cells, place = population.cells, policy.releases[Field.GEOGRAPHY]
    if place == "nation":
        return np.full(len(cells), population.people, dtype=np.int64)
    state = cells["state"].cat.codes.to_numpy().astype(np.int64)
    seen = np.zeros(len(cells), dtype=np.int64)
    if place != "state":
        seen = visible_places(population, place, policy.conditions.small_places)
    code = number_combinations([state, seen])
    sums: IntArray = np.bincount(code, weights=cells["people"]).astype(np.int64)[code]
    return sums


@dataclass(frozen=True, repr=False)
class Checked(Shown):
    """What a check finds in one state: cells that hold anyone, people, and those withheld; expected numbers."""

    state: str
    check: str
    cells: float
    cells_withheld: float
    people: int
    people_withheld: float

    def to_frame(self) -> pd.DataFrame:
        """Return one row: the fields, and whether the table passes."""
        return checked_frame([self])

    @property
    def passes(self) -> bool:
        """Whether every cell may be shown: less than half a cell is expected to be withheld."""
        return self.cells_withheld < 0.5


def checked_frame(checks: Iterable[Checked]) -> pd.DataFrame:
    """Return one row per state and check: expected cells and people, and how many of each a check would withhold."""
    rows = pd.DataFrame(
        [
            {
                "state": check.state,
                "check": check.check,
                "passes": check.passes,
                "cells": check.cells,
                "cells_withheld": check.cells_withheld,
                "cells_withheld_share": check.cells_withheld / check.cells,
                "people": check.people,
                "people_withheld": check.people_withheld,
                "people_withheld_share": check.people_withheld / check.people,
            }
            for check in checks
        ]
    )
    return with_place(rows)


def check_release(
    population: Population,
    policy: Policy,
    check: ReleaseCheck,
    states: Sequence[str] | None = None,
    *,
    days_per_year: float = DAYS_PER_YEAR,
) -> tuple[Checked, ...]:
    """Count the cells and people that a check would withhold, were everyone in the table.

    ``states``: postal codes; all by default. ``days_per_year``: equally likely birthdays in a year: how people fall
    into cells by date is expected, not known.
    """
    if policy.releases[Field.GEOGRAPHY] == "nation":
        raise InputError(f"policy {policy.name} does not show the state, but this check needs it.")
    check_states(population, states or ())
    state_names = tuple(states) if states is not None else population.states
    # A part of the population has the small places of all.
    policy = replace(policy, conditions=judged_on_everyone(policy.conditions, population))
    totals = np.zeros((len(state_names), 4))
    for part, sizes in check.parts(population, policy):
        present = [state for state in state_names if state in part.states]
        if not present:
            continue
        groups = merge(part, policy.releases, present, days_per_year=days_per_year, conditions=policy.conditions)
        assert isinstance(groups, Groups)  # no list asks race in another way
        totals[[state_names.index(state) for state in present]] += _counted(groups, sizes)
    return tuple(
        Checked(state, check.name, float(row[0]), float(row[1]), round(row[2]), float(row[3]))
        for state, row in zip(state_names, totals, strict=True)
    )


def _counted(groups: Groups, sizes: IntArray) -> FloatArray:
    """Cells, cells withheld, people and people withheld of each unit; shape (units, 4)."""
    kinds = groups.distinct
    n, b = kinds.people, kinds.bins
    largest = np.maximum(n, 1)
    figures = np.zeros((len(n), 4))
    figures[:, 0], figures[:, 2] = bins_up_to(n, b, largest), n
    for low, high in sizes.tolist():
        figures[:, 1] += bins_up_to(n, b, high) - (bins_up_to(n, b, low - 1) if low > 1 else 0.0)
        figures[:, 3] += people_g_distinct(n, b, high) - (people_g_distinct(n, b, low - 1) if low > 1 else 0.0)
    return np.stack(
        [np.bincount(kinds.unit, weights=kinds.weight * column, minlength=kinds.units) for column in figures.T], axis=1
    )


# The rules of the register that a policy can be checked against, by the names under which results show them.


def list_release_checks() -> dict[str, DisclosureRule]:
    """Return the rules that check a policy, by name."""
    called = {rule.called: rule for rule in list_rules().values() if rule.called}
    return dict(sorted(called.items()))


def load_release_check(name: str) -> ReleaseCheck:
    """Return a check by name."""
    rules = list_release_checks()
    if name not in rules:
        raise UnknownNameError("release check", name, rules)
    rule = rules[name]
    citation = "; ".join(f"{source.title} ({source.date})" for source in rule.documents)
    if rule.largest is not None:
        return ReleaseCheck(name, rule.document, citation, rule.largest + 1)
    return Scoring(name, rule.document, citation)
