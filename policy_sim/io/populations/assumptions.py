"""What the shipped facts say of the model's assumptions, for changing one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from policy_sim.analyses.changed_assumptions import Assumptions, Form, MeasuredError
from policy_sim.attackers import Attacker, covered
from policy_sim.attackers.coverage import COVERAGES
from policy_sim.errors import PolicySimError
from policy_sim.io.birthdays import load_birthdays
from policy_sim.io.population_store.census_noise import noise_effects
from policy_sim.io.populations.by_name import load_population
from policy_sim.io.populations.model_error import largest_errors
from policy_sim.io.populations.zip_population import with_zip_codes
from policy_sim.io.registered_voters import load_coverage
from policy_sim.population.population import AnyPopulation

__all__ = ["load_assumptions"]

_CENSUS_DAY = (4, 1)
_CENSUSES = ("us-2000", "us-2010", "us-2020")
_NOISY = "2020"


def load_assumptions(population: AnyPopulation, attackers: Sequence[Attacker], form: Form | None = None) -> Assumptions:
    """Return how each assumption can be changed for a population and the attackers who hold lists.

    Parameters
    ----------
    population, attackers : Those of the study.
    form : The policies in the other form of the rules.
    """
    birthdays = load_birthdays()
    others = {name: with_zip_codes(load_population(name)) for name in _CENSUSES if name != population.name}
    return Assumptions(
        day_shares=birthdays.shares,
        month_shares=birthdays.monthly,
        early=birthdays.until(*_CENSUS_DAY),
        populations=others,
        listed={attacker.name: tuple(_listed(attacker)) for attacker in attackers if attacker.holds_voter_lists},
        errors=tuple(_errors(population)),
        form=form,
    )


def _listed(attacker: Attacker) -> Iterator[Attacker]:
    """The attacker whose lists hold everyone, adults alone, or the registered where their number is known."""
    own = attacker.coverage.name if attacker.coverage else "everyone"
    for name in COVERAGES:
        if name == own:
            continue
        try:
            coverage = load_coverage(name, attacker.voter_lists.newest_vintage)
        except PolicySimError:
            continue  # no figures of that year
        yield covered(attacker, coverage)


def _errors(population: AnyPopulation) -> Iterator[MeasuredError]:
    for error in largest_errors(population.name):
        ends = (-abs(error.relative), abs(error.relative))
        title = f"error of the modeled population, in both directions ({error.measured})"
        counted = population.provenance.counted_ages
        yield MeasuredError("fit", title, error.releases, error.measure, *ends, counted)
    if population.provenance.date.startswith(_NOISY):
        for effect in noise_effects():
            relative = effect.noised / effect.counted - 1
            ends = (-abs(relative), abs(relative))
            title = "noise of the census of 2020, in both directions (Kentucky, demonstration data of July 2020)"
            yield MeasuredError("noise", title, effect.releases, effect.measure, *ends)
