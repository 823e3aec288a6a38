"""A population: people counted by place, sex, age and race, with where the figures come from."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np
import pandas as pd

from policy_sim.arguments import of_kind, several, whole_number
from policy_sim.errors import InputError
from policy_sim.granularity import Granularities
from policy_sim.groups import AnyGroups
from policy_sim.policies.policy import Conditions
from policy_sim.population.cells import COLUMNS
from policy_sim.states import unknown_state

__all__ = ["AnyPopulation", "PeopleElsewhere", "Population", "Provenance", "in_memory"]

# Of so many states, a note names the share counted in each.
_FEW_STATES = 4
_OLDEST = 1_000  # years


@dataclass(frozen=True)
class Provenance:
    """Where a population comes from; every output carries it.

    Shares are of people, 0 to 1, and add up to 1: *counted* in a cell by a census, *estimated* by a
    statistical office, *modeled* by a fit of ours. ``counted_by_state`` holds pairs of a state (postal code) and the
    share of its people who are counted, where that is known by state; ``counted_ages`` the states in which single
    years of age are counted with race too, so that nothing there is modeled.
    """

    name: str
    title: str
    publisher: str
    date: str
    how: str
    counted: float
    estimated: float
    modeled: float
    sources: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    sha256: str = ""
    counted_by_state: tuple[tuple[str, float], ...] = ()
    counted_ages: tuple[str, ...] = ()

    @property
    def day(self) -> dt.date | None:
        """The day on which people were counted, if ``date`` is a whole date."""
        try:
            return dt.date.fromisoformat(self.date)
        except ValueError:
            return None

    def describe(self, states: Sequence[str] = ()) -> str:
        """Say in one line which population this is and how sure it is, also in a few ``states`` (postal codes)."""
        parts = [
            f"{share:.1%} {word}"
            for share, word in (
                (self.counted, "counted"),
                (self.estimated, "estimated"),
                (self.modeled, "modeled"),
            )
            if share
        ]
        by_state = dict(self.counted_by_state)
        shares = [f"{by_state[state]:.1%} in {state}" for state in states if state in by_state]
        of_states = f" ({', '.join(shares)} counted)" if 0 < len(shares) <= _FEW_STATES else ""
        return f"{self.name}: {self.title}; {', '.join(parts) or 'counted or estimated is not stated'}{of_states}"


@dataclass(frozen=True, eq=False)
class Population:
    """People by cell.

    ``cells`` has one row per non-empty cell, with the columns ``state`` (postal code), ``age`` (lower
    bound, years), ``age_width`` (years the class holds; 1 for single years and for 110 and over) and
    ``people`` (whole, > 0), and where known ``county`` (five-digit FIPS code), ``sex`` (M, F),
    ``race`` (:data:`~policy_sim.population.cells.RACES`) and finer places. Text columns are categorical.

    Examples
    --------
    >>> from policy_sim import Study
    >>> people = Study("us-2010").people
    >>> people.name, people.people, "county" in people.columns
    ('us-2010', 308745538, True)
    """

    cells: pd.DataFrame = field(repr=False)
    provenance: Provenance

    def __post_init__(self) -> None:
        cells = of_kind("cells", self.cells, pd.DataFrame, "a table, as check_cells returns it")
        of_kind("provenance", self.provenance, Provenance, "a Provenance")
        if any(name not in cells for name in COLUMNS) or not isinstance(cells["state"].dtype, pd.CategoricalDtype):
            raise InputError("cells: give a table as check_cells returns it, so that every cell is checked.")

    @property
    def name(self) -> str:
        """The name by which the population is called, such as ``us-2020``."""
        return self.provenance.name

    @property
    def states(self) -> tuple[str, ...]:
        """The states that have people here, sorted."""
        return tuple(sorted(self._people_by_state))

    @property
    def columns(self) -> tuple[str, ...]:
        """What the cells distinguish."""
        return tuple(str(name) for name in self.cells.columns)

    @property
    def people(self) -> int:
        """Everyone."""
        return int(self.cells["people"].sum())

    def people_by_state(self) -> dict[str, int]:
        """People of each state.

        Returns
        -------
        People by postal code.

        Examples
        --------
        >>> from policy_sim import Study
        >>> Study("us-2010").people.people_by_state()["DE"]
        897934
        """
        return dict(self._people_by_state)

    @cached_property
    def _people_by_state(self) -> dict[str, int]:
        column = self.cells["state"].cat
        sums = np.bincount(column.codes, weights=self.cells["people"], minlength=len(column.categories))
        return {str(state): int(people) for state, people in zip(column.categories, sums, strict=True) if people}

    def counties_by_state(self) -> dict[str, int]:
        """Number of counties with people in each state; empty where the population has no counties.

        Returns
        -------
        Counties by postal code.

        Examples
        --------
        >>> from policy_sim import Study
        >>> Study("us-2010").people.counties_by_state()["DE"]
        3
        """
        if "county" not in self.cells:
            return {}
        state, county = self.cells["state"].cat, self.cells["county"].cat
        many = len(county.categories)
        pairs = np.bincount(state.codes.to_numpy().astype(np.int64) * many + county.codes.to_numpy(), minlength=many)
        numbers = np.bincount(np.flatnonzero(pairs) // many, minlength=len(state.categories))
        return {str(name): int(number) for name, number in zip(state.categories, numbers, strict=True) if number}

    def of_age(self, least_age: int, most_age: int | None = None) -> Population:
        """Return the part that is ``least_age`` years old or older, and at most ``most_age``; made once.

        A cell counts by its lower age: one that reaches over the lower limit from below stays out.

        Parameters
        ----------
        least_age, most_age : Years, 0 to 1,000; ``most_age`` is None where there is no upper limit.

        Returns
        -------
        The part of the population.

        Raises
        ------
        InputError : not a whole number of years.

        Examples
        --------
        >>> from policy_sim import Study
        >>> Study("us-2010").people.in_states(["DE"]).of_age(18).people
        692169
        """
        ages = (
            whole_number("least_age", least_age, 0, _OLDEST),
            None if most_age is None else whole_number("most_age", most_age, 0, _OLDEST),
        )
        if ages not in self._by_age:
            age = self.cells["age"].to_numpy()
            in_range = age >= least_age if most_age is None else (age >= least_age) & (age <= most_age)
            self._by_age[ages] = Population(self.cells[in_range].reset_index(drop=True), self.provenance)
        return self._by_age[ages]

    @cached_property
    def _by_age(self) -> dict[tuple[int, int | None], Population]:
        """The parts of some ages that were made."""
        return {}

    def in_states(self, states: Sequence[str]) -> Population:
        """Return the part that lives in the named states (postal codes); made once.

        Parameters
        ----------
        states : Postal codes; one or several.

        Returns
        -------
        A population; itself, where every state is named.

        Raises
        ------
        UnknownNameError : a state without people in this population.
        InputError : not postal codes.

        Examples
        --------
        >>> from policy_sim import Study
        >>> Study("us-2010").people.in_states(["DE"]).people
        897934
        """
        states = several("states", states, str, "['OH', 'TX']")
        check_states(self, states)
        names = frozenset(states)
        if names == set(self.states):
            return self
        if names not in self._in_states:
            cells = self.cells[self.cells["state"].isin(list(names))].reset_index(drop=True)
            self._in_states[names] = Population(cells, self.provenance)
        return self._in_states[names]

    @cached_property
    def _in_states(self) -> dict[frozenset[str], Population]:
        """The parts of some states that were made."""
        return {}


class PeopleElsewhere(Protocol):
    """Counted people who answer sums and groups, and keep their cells where they are.

    Every method means what its namesake does for a :class:`~policy_sim.population.population.Population`.
    """

    @property
    def name(self) -> str:
        """By which the population is called."""

    @property
    def provenance(self) -> Provenance:
        """Where it comes from."""

    @property
    def states(self) -> tuple[str, ...]:
        """The states that have people here, sorted."""

    @property
    def columns(self) -> tuple[str, ...]:
        """What the cells distinguish."""

    def people_by_state(self) -> dict[str, int]:
        """People of each state."""

    def counties_by_state(self) -> dict[str, int]:
        """Number of counties with people in each state."""

    def of_age(self, least_age: int, most_age: int | None = None) -> PeopleElsewhere:
        """Return those of ``least_age`` years up to ``most_age``, as ``people_of_age`` of ``population.merge`` does."""

    def merge(
        self, key: Granularities, states: Sequence[str] | None, *, days_per_year: float, conditions: Conditions
    ) -> AnyGroups:
        """Return the groups of a linkage key (:func:`policy_sim.population.merge.merge`)."""


AnyPopulation: TypeAlias = Population | PeopleElsewhere


def check_states(population: AnyPopulation, states: Sequence[str]) -> None:
    """Refuse states (postal codes) that a population lacks: the one door for every question.

    Raises
    ------
    UnknownNameError : a state without people in the population.
    """
    held = population.states
    for state in states:
        if state not in held:
            raise unknown_state(f"state in population {population.name}:", state, held)


def in_memory(population: AnyPopulation) -> Population:
    """Return a population whose cells are available.

    Raises
    ------
    InputError : its cells lie elsewhere.
    """
    if isinstance(population, Population):
        return population
    raise InputError(
        f"population {population.name} is merged by an engine, which answers compare, trust, cost and curve only: "
        f"use no engine, and its cells are read into memory."
    )
