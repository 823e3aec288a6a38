"""How much of the people a voter list holds: everyone, adults, or those who are registered.

Benitez & Malin 2010 link everyone. A list holds people of 18 and over who registered; MODEL.md
section 7 takes them as listed at random with the probability ``c``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from policy_sim.population.merge import people_of_age
from policy_sim.population.population import AnyPopulation

__all__ = ["ADULTS", "COVERAGES", "VOTING_AGE", "Coverage", "listed_people", "listed_shares"]

VOTING_AGE = 18
COVERAGES = ("everyone", "adults", "registered")


@dataclass(frozen=True)
class Coverage:
    """Who is on the lists, besides the rule that nobody under 18 is.

    Parameters
    ----------
    name : ``adults`` or ``registered``.
    title : What it is, with source and year.
    registered : Registered voters by state; none where every adult is listed.
    """

    name: str
    title: str
    registered: Mapping[str, int] | None = field(default=None, repr=False, compare=False)

    def knows(self, state: str) -> bool:
        """Whether the number of people on the state's list is known."""
        return self.registered is None or state in self.registered

    def share(self, state: str, adults: float) -> float:
        """Return the share (0..1) of a state's adults who are listed; never more than all of them."""
        if self.registered is None or not adults:
            return 1.0
        return min(1.0, self.registered[state] / adults)


ADULTS = Coverage("adults", f"everyone of {VOTING_AGE} and over")


def listed_people(population: AnyPopulation, coverage: Coverage | None = None) -> dict[str, float]:
    """Return how many people each state's list holds: everyone, or those whom the coverage says.

    A state for which the coverage has no figure is left out.
    """
    if coverage is None:
        return {state: float(people) for state, people in population.people_by_state().items()}
    adults = people_of_age(population, VOTING_AGE).people_by_state()
    return {state: people * coverage.share(state, people) for state, people in adults.items() if coverage.knows(state)}


def listed_shares(adults: AnyPopulation, coverage: Coverage | None, states: Iterable[str]) -> NDArray[np.float64]:
    """Return the share (0..1) of the adults whom each state's list holds; 1 without a coverage."""
    wanted = list(states)
    if coverage is None:
        return np.ones(len(wanted))
    people = adults.people_by_state()
    return np.array([coverage.share(state, people.get(state, 0)) for state in wanted])
