"""How many people of a population a voter list holds."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from policy_sim.attackers.coverage import VOTING_AGE, Coverage
from policy_sim.population.adults import people_of_age
from policy_sim.population.elsewhere import AnyPopulation

__all__ = ["listed_people", "listed_shares"]


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
