"""The cases of a study: each state under each policy by each attacker, and each key merged once.

Every case has a linkage key; cases that share a key are merged and measured together, state by state
(docs/architecture.md: merge first, then bin).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias, cast

import numpy as np

from policy_sim.arrays import FloatArray
from policy_sim.attackers.attacker import Attacker
from policy_sim.attackers.coverage import Coverage, listed_shares
from policy_sim.attackers.in_file import InFile, shares_in_file
from policy_sim.attackers.linkage import Linkage
from policy_sim.errors import InputError
from policy_sim.granularity import Field, Granularities
from policy_sim.groups import AnyGroups, Chances
from policy_sim.policies.policy import Conditions, Policy
from policy_sim.population.merge import merge
from policy_sim.population.partition import Split, split_people
from policy_sim.population.places import small_place_names
from policy_sim.population.population import AnyPopulation, Population, in_memory
from policy_sim.population.zip_shares import ZIP_PLACES, PeopleByZip
from policy_sim.states import unknown_state

__all__ = ["Case", "Figures", "Key", "Measured", "cases_of", "ends_of", "measure_cases"]

# What is merged: the view that both sides share, the policy's conditions as far as it feels them, and
# who is on the attacker's lists.
Key: TypeAlias = tuple[Granularities, Conditions, Coverage | None]
# Groups and the chances of being listed and in the file, to one row of figures a unit.
Figures: TypeAlias = Callable[[AnyGroups, Chances], FloatArray]
Measured: TypeAlias = Mapping[tuple[Key, str], FloatArray]


@dataclass(frozen=True)
class Case:
    """One question of a study: this state, under this policy, by this attacker, on this key."""

    state: str
    policy: Policy
    attacker: Attacker
    linkage: Linkage

    @property
    def keys(self) -> tuple[Key, ...]:
        """The keys with unknown fields withheld and released, or none without a list.

        Where it is not known how many of the people are listed, the first has the fewest and the last the most.
        """
        ends = zip((self.linkage.low, self.linkage.high), (self._coverages[0], self._coverages[-1]), strict=True)
        return tuple(self._key(view, coverage) for view, coverage in ends if view is not None)

    @property
    def combinations(self) -> tuple[Key, ...]:
        """The keys of every combination of unknown fields and coverage; none where nothing is unknown.

        Where it is not known how many of the people are listed, shares between the two ends are tried as well.
        """
        coverages = tuple(dict.fromkeys(self._coverages))
        views = self.linkage.combinations
        if len(coverages) > 1 and self.linkage.low is not None:
            views = views or (self.linkage.low,)
        return tuple(self._key(view, coverage) for coverage in coverages for view in views)

    @property
    def listed_unknown(self) -> bool:
        """Whether it is not known how many of the people are listed."""
        return self.linkage.low is not None and self._coverages[0] != self._coverages[-1]

    @property
    def end_names(self) -> tuple[str, str]:
        """What is assumed for each of the two keys, such as ``withheld``; empty where nothing is unknown."""
        fields = ("withheld", "released") if self.linkage.low != self.linkage.high else ("", "")
        people = ("fewest people", "most people") if self.listed_unknown else ("", "")
        low, high = (", ".join(filter(None, words)) for words in zip(fields, people, strict=True))
        return low, high

    @cached_property
    def _coverages(self) -> tuple[Coverage | None, ...]:
        """Whom the resource holds, from the least to the greatest share of the people."""
        coverage = self.attacker.resource.coverage_in(self.state)
        if coverage is None:
            return (None, None)
        least, most = coverage.ends
        return (least, *reversed(coverage.between), most)

    def _key(self, view: Granularities, coverage: Coverage | None) -> Key:
        return view, self.policy.conditions.on(view, listed=self.attacker.holds_file), coverage

    def label(self) -> str:
        """Write the linkage key, with the policy's conditions that it feels."""
        conditions = str(self.keys[-1][1]) if self.keys else ""
        return self.linkage.label() + (f" ({conditions})" if conditions else "")

    @property
    def facts(self) -> dict[str, Any]:
        """What every result says of the question it answers, besides the population."""
        why, left_out = self.linkage.reason, self.policy.left_out
        return {
            "state": self.state,
            "policy": self.policy.name,
            "attacker": self.attacker.name,
            "lists": self.attacker.vintage_in(self.state),
            "linkage_key": self.label(),
            "status": self.linkage.status,
            "reason": f"{why.rstrip('.')}; {left_out}".removeprefix("; ") if left_out else why,
        }


def cases_of(
    population: AnyPopulation,
    policies: Sequence[Policy],
    attackers: Sequence[Attacker],
    states: Sequence[str] | None,
) -> tuple[Case, ...]:
    """Return every question, in the order states, policies, attackers.

    Raises
    ------
    InputError : a name given twice.
    UnknownNameError : a state without people in this population.
    """
    _once("policy", [policy.name for policy in policies])
    _once("attacker", [attacker.name for attacker in attackers])
    states_counted = population.states
    for state in states or ():
        if state not in states_counted:
            raise unknown_state(f"state in population {population.name}:", state, states_counted)
    return tuple(
        _case(state, policy, attacker)
        for state in states or states_counted
        for policy in policies
        for attacker in attackers
    )


def _case(state: str, policy: Policy, attacker: Attacker) -> Case:
    """Return the case of a state: its own policy where policies differ by state, with two ends where one is unknown."""
    ends = policy.in_state(state)
    if ends is None:
        return Case(state, policy, attacker, Linkage(None, None, "unknown", getattr(policy, "why_not", "")))
    low, high = ends
    linkage = attacker.linkage(high.releases, state)
    if low == high or linkage.low is None:
        return Case(state, high, attacker, linkage)
    least = attacker.linkage(low.releases, state)
    assert least.low is not None  # the attacker has a list, whatever is released
    assert linkage.high is not None
    keys = [view for end in (least, linkage) for view in end.combinations or (end.low,) if view is not None]
    unknown = ", ".join(name.value for name in low.releases if low.releases[name] != high.releases[name])
    reason = "; ".join(filter(None, [f"it is unknown how the release shows {unknown}", linkage.reason]))
    return Case(state, high, attacker, Linkage.between(least.low, linkage.high, reason, tuple(keys)))


def measure_cases(
    population: AnyPopulation,
    cases: Iterable[Case],
    measure: Figures,
    days_per_year: float,
    by: str = "",
    *,
    combinations: bool = False,
    between: bool = False,
    in_file: InFile | None = None,
) -> Measured:
    """Merge each key that any case needs once, for the states that need it, and measure the groups.

    Merging starts from those people who may be on the attacker's list: nobody under voting age is on a voter list
    whose coverage is given.

    Parameters
    ----------
    measure : From groups and chances to figures; shape (units, ...). Two keys are measured at once, each in a
        thread of its own, unless an engine merges the people.
    by : Parts of the people (:func:`~policy_sim.population.partition.split_people`); none by default.
    combinations : Measure every combination of unknown fields too, not only the two ends.
    between : Where it is not known how many of the people are listed, measure shares between the two ends too.
    in_file : Whom the attacker knows to be in the file; None: everyone is released.

    Returns
    -------
    For each key and state one row of figures, or with ``by`` one row per part, shape (parts, ...).
    """
    states_by_key: dict[Key, dict[str, None]] = {}
    for case in cases:
        for key in case.keys + (case.combinations if combinations or (between and case.listed_unknown) else ()):
            states_by_key.setdefault(key, {})[case.state] = None
    parts = split_people(_counted(population), by) if by else None
    inhabitants = population.people_by_state() if in_file else {}

    def rows(key: Key) -> dict[tuple[Key, str], FloatArray]:
        states = states_by_key[key]
        view, conditions, coverage = key
        people, split = population, parts
        if coverage is not None:
            conditions = _judged_on_everyone(conditions, population)
            ages = coverage.ages_in(population)
            people = population.of_age(*ages)
            split = parts and _of_ages(parts, _counted(population), *ages)
        groups = _merged(people, view, tuple(states), split, days_per_year, conditions)
        chances = Chances(
            listed_shares(people, coverage, states, population), shares_in_file(in_file, inhabitants, states)
        )
        table = _table(groups, measure, chances, split)
        return {(key, state): row for state, row in zip(states, table, strict=True)}

    if not isinstance(population, Population | PeopleByZip):  # an engine takes every processor by itself
        return {at: row for key in states_by_key for at, row in rows(key).items()}
    with ThreadPoolExecutor(max_workers=2) as pool:  # two keys at once need little memory here
        return {at: row for by_state in pool.map(rows, states_by_key) for at, row in by_state.items()}


def _counted(population: AnyPopulation) -> Population:
    """Return the population by county, whose cells are available."""
    return population.county_population if isinstance(population, PeopleByZip) else in_memory(population)


def _merged(
    people: AnyPopulation,
    view: Granularities,
    states: Sequence[str],
    split: Split | None,
    days_per_year: float,
    conditions: Conditions,
) -> AnyGroups:
    """Merge by a key; with parts of the people, each unit once per part."""
    if split is not None and isinstance(people, PeopleByZip):
        if view[Field.GEOGRAPHY] in ZIP_PLACES:
            parted = people.merge_parted(view, states, split, days_per_year=days_per_year, conditions=conditions)
            return cast(AnyGroups, parted)  # whoever asks for parts measures them
        people = people.county_population
    return merge(people, view, states, days_per_year=days_per_year, conditions=conditions, by=split)


def _judged_on_everyone(conditions: Conditions, population: AnyPopulation) -> Conditions:
    """Name the small places by everyone who lives there: a policy hides them whoever holds a list."""
    small = conditions.small_places
    if small is None or not isinstance(population, Population):
        return conditions
    return replace(conditions, small_places=replace(small, listed=small_place_names(population, small)))


def _of_ages(split: Split, population: Population, least_age: int, most_age: int | None) -> Split:
    """The same parts, made of everyone, for the cells that ``of_age`` keeps."""
    age = population.cells["age"].to_numpy()
    return replace(
        split, codes=split.codes[(age >= least_age) & (age <= (age.max() if most_age is None else most_age))]
    )


def _table(groups: AnyGroups, measure: Figures, chances: Chances, split: Split | None) -> FloatArray:
    """Measure, and fold the parts of each state into one row of the result."""
    if split is None:
        return measure(groups, chances)
    many = len(split.names)
    table = measure(groups, chances.repeated(many))
    return table.reshape(-1, many, *table.shape[1:])


def ends_of(case: Case, measured: Measured) -> tuple[FloatArray, FloatArray] | None:
    """Return the figures of a case with unknown fields withheld and released, or None without a list.

    Where it is not known how many of the people are listed, the least and the greatest figure of all the shares that
    were measured.
    """
    if not case.keys:
        return None
    low, high = (measured[key, case.state] for key in case.keys)
    if not case.listed_unknown:
        return low, high
    # More people listed may leave fewer alone with their values: the ends of the share need not be those of the figure.
    inner = [measured[key, case.state] for key in case.combinations if (key, case.state) in measured]
    return np.minimum.reduce([low, high, *inner]), np.maximum.reduce([low, high, *inner])


def _once(kind: str, names: Sequence[str]) -> None:
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError(f"{kind} {twice[0]!r} is named twice. Name each once.")
