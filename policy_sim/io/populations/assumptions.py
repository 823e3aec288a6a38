"""What the shipped facts say of the model's assumptions, for changing one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from policy_sim.analyses.sensitivity import Assumptions, MeasuredError
from policy_sim.attackers import ADULTS, Attacker, covered
from policy_sim.errors import PolicySimError
from policy_sim.io.birthdays import load_birthdays
from policy_sim.io.population_store.census_noise import noise_effects
from policy_sim.io.populations.by_name import load_population
from policy_sim.io.populations.model_error import largest_errors
from policy_sim.io.registered_voters import load_coverage
from policy_sim.population.population import Population

__all__ = ["load_assumptions"]

_CENSUS_DAY = (4, 1)
_CENSUSES = ("us-2000", "us-2010", "us-2020")
_NOISY = "2020"


def load_assumptions(population: Population, attackers: Sequence[Attacker]) -> Assumptions:
    """Return how each assumption can be changed for a population and the attackers who hold lists."""
    birthdays = load_birthdays()
    return Assumptions(
        day_shares=birthdays.shares,
        month_shares=birthdays.monthly,
        early=birthdays.until(*_CENSUS_DAY),
        populations={name: load_population(name) for name in _CENSUSES if name != population.name},
        listed={attacker.name: tuple(_fewer(attacker)) for attacker in attackers if attacker.holds_voter_lists},
        errors=tuple(_errors(population)),
    )


def _fewer(attacker: Attacker) -> Iterator[Attacker]:
    """The attacker whose lists hold adults alone, and registered voters where their number is known."""
    if attacker.coverage is not None:
        return
    yield covered(attacker, ADULTS)
    try:
        registered = load_coverage("registered", attacker.voter_lists.newest_vintage)
    except PolicySimError:
        return  # no figures of that year
    if registered is not None:
        yield covered(attacker, registered)


def _errors(population: Population) -> Iterator[MeasuredError]:
    for error in largest_errors(population.name):
        ends = (-abs(error.relative), abs(error.relative))
        title = f"error of the modeled population, either way ({error.measured})"
        counted = population.provenance.counted_ages
        yield MeasuredError("fit", title, error.releases, error.measure, *ends, counted)
    if population.provenance.date.startswith(_NOISY):
        for effect in noise_effects():
            relative = effect.noised / effect.counted - 1
            ends = (-abs(relative), abs(relative))
            title = "noise of the census of 2020, either way (Kentucky, demonstration data of July 2020)"
            yield MeasuredError("noise", title, effect.releases, effect.measure, *ends)
