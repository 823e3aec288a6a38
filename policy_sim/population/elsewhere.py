"""People whose cells lie outside memory, and what a study asks of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from policy_sim.errors import InputError
from policy_sim.fields import Granularities
from policy_sim.groups import Groups
from policy_sim.policies.conditions import Conditions
from policy_sim.population.cells import Population, Provenance

__all__ = ["AnyPopulation", "PeopleElsewhere", "in_memory"]


class PeopleElsewhere(Protocol):
    """Counted people who answer sums and groups, and keep their cells where they are.

    Every method means what its namesake does for a :class:`~policy_sim.population.cells.Population`.
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

    def people_by_state(self) -> dict[str, int]:
        """People of each state."""

    def counties_by_state(self) -> dict[str, int]:
        """Number of counties with people in each state."""

    def of_age(self, least_age: int) -> PeopleElsewhere:
        """Return those of ``least_age`` years and over (:func:`policy_sim.population.adults.people_of_age`)."""

    def merge(
        self, key: Granularities, states: Sequence[str] | None, *, days_per_year: float, conditions: Conditions
    ) -> Groups:
        """Return the groups of a linkage key (:func:`policy_sim.population.merge.merge`)."""


AnyPopulation: TypeAlias = Population | PeopleElsewhere


def in_memory(population: AnyPopulation) -> Population:
    """Return a population whose cells are at hand.

    Raises
    ------
    InputError : its cells lie elsewhere.
    """
    if isinstance(population, Population):
        return population
    raise InputError(
        f"population {population.name} is merged by an engine, which answers compare, trust, cost and curve: leave "
        f"--engine out to read its cells into memory."
    )
