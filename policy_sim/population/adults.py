"""The people of an age: those whom a voter list can hold."""

from __future__ import annotations

from policy_sim.population.cells import Population
from policy_sim.population.elsewhere import AnyPopulation

__all__ = ["people_of_age"]


def people_of_age(population: AnyPopulation, least_age: int) -> AnyPopulation:
    """Return the part of a population that is ``least_age`` years old or older.

    A cell counts by its lower age: one that reaches over the limit from below stays out.
    """
    if not isinstance(population, Population):
        return population.of_age(least_age)
    kept = population.cells["age"].to_numpy() >= least_age
    return Population(population.cells[kept].reset_index(drop=True), population.provenance)
