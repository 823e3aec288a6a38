"""The study: states × policies × attackers, each a risk profile.

Every (policy, attacker, state) has a linkage key; states that share a key are merged and measured
together, and no key is merged twice. Merge, count distinct (people, bins) pairs, apply the formulas.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.attackers.attacker import Attacker
from policy_sim.attackers.listed import listed_people
from policy_sim.cases import Case, cases_of, ends_of, measure_cases
from policy_sim.errors import InputError, UnknownNameError
from policy_sim.frames import profile_frame
from policy_sim.groups import Groups, g_distinct, g_distinct_sweep, total_risk
from policy_sim.policies.policy import Policy
from policy_sim.population.cells import Provenance
from policy_sim.population.elsewhere import AnyPopulation
from policy_sim.population.merge import DAYS_PER_YEAR
from policy_sim.profile import Bounds, Cost, Curve, Measure, RiskProfile, TrustDifferential
from policy_sim.uncertainty import variances

__all__ = ["DEFAULT_G", "TOTAL_RISK", "Case", "Comparison", "compare", "costs", "curves"]

DEFAULT_G = (1, 3, 5, 10)  # the group sizes of Benitez & Malin 2010, Results
TOTAL_RISK = Measure("total-risk")

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Comparison:
    """The profiles of a study, in the order states, policies, attackers."""

    population: Provenance
    g: tuple[int, ...]
    profiles: tuple[RiskProfile, ...]

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Total risk, then g-distinct for each g."""
        return TOTAL_RISK, *(Measure("g-distinct", g) for g in self.g)

    def __iter__(self) -> Iterator[RiskProfile]:
        return iter(self.profiles)

    def to_frame(self) -> pd.DataFrame:
        """Return tidy rows, one a state, policy, attacker and measure (:func:`profile_frame`)."""
        return profile_frame(self.profiles, self.measures)

    def profile(self, state: str, policy: str, attacker: str) -> RiskProfile:
        """Return one profile.

        Raises
        ------
        UnknownNameError : the study has no such profile.
        """
        for profile in self.profiles:
            if (profile.state, profile.policy, profile.attacker) == (state, policy, attacker):
                return profile
        known = {f"{p.state} {p.policy} {p.attacker}" for p in self.profiles}
        raise UnknownNameError("profile", f"{state} {policy} {attacker}", known)

    def trust(self, numerator: str, denominator: str) -> tuple[TrustDifferential, ...]:
        """Trust differentials of one policy over another, by state, attacker and measure."""
        below = {(p.state, p.attacker): p for p in self.profiles if p.policy == denominator}
        above = [p for p in self.profiles if p.policy == numerator]
        for name, found in ((numerator, above), (denominator, below)):
            if not found:
                raise UnknownNameError("policy of this study", name, {p.policy for p in self.profiles})
        return tuple(
            TrustDifferential(profile, below[profile.state, profile.attacker], measure)
            for profile in above
            for measure in self.measures
        )


def compare(
    population: AnyPopulation,
    policies: Sequence[Policy],
    attackers: Sequence[Attacker],
    *,
    states: Sequence[str] | None = None,
    g: Sequence[int] = DEFAULT_G,
    days_per_year: float = DAYS_PER_YEAR,
    spread: bool = False,
) -> Comparison:
    """Measure every state under every policy and attacker.

    Parameters
    ----------
    population : Whose census.
    policies, attackers : What is released, and who links.
    states : Postal codes; every state of the population by default.
    g : Group sizes, each >= 1.
    days_per_year : Equally likely birthdays in a year.
    spread : Give every figure its variance too (:func:`~policy_sim.uncertainty.variances`).

    Returns
    -------
    One profile for each state, policy and attacker.

    Raises
    ------
    InputError : g below 1; a name given twice.
    UnknownNameError : a state without people in this population.
    """
    if not g or min(g) < 1:
        raise InputError(f"g = {list(g)} must be whole numbers of 1 or more.")
    measures = (TOTAL_RISK, *(Measure("g-distinct", size) for size in g))

    def figures(groups: Groups, listed: FloatArray) -> FloatArray:
        found = [total_risk(groups, listed), g_distinct(groups, g, listed)]
        return np.column_stack([*found, variances(groups, g, listed)] if spread else found)

    cases = cases_of(population, policies, attackers, states)
    measured = measure_cases(population, cases, figures, days_per_year)
    inhabitants = population.people_by_state()
    profiles = []
    for case in cases:
        found = ends_of(case, measured)
        pairs = [Bounds(float(low), float(high)) for low, high in zip(*found, strict=True)] if found else []
        many = len(measures) if pairs else 0
        profiles.append(
            RiskProfile(
                **case.facts,
                population=population.name,
                inhabitants=inhabitants[case.state],
                values=dict(zip(measures, pairs[:many], strict=False)),
                variances=dict(zip(measures, pairs[many:], strict=False)),
            )
        )
    return Comparison(population.provenance, tuple(g), tuple(profiles))


def costs(comparison: Comparison, population: AnyPopulation, attacker: Attacker) -> tuple[Cost, ...]:
    """Price each state's list for the analysed population: its people and its counties.

    Parameters
    ----------
    comparison : Profiles of the attacker, under any policies.
    population : The people of whom the lists hold everyone (as Benitez & Malin), or those whom the
        attacker's coverage says.
    attacker : Who holds the lists.
    """
    counties, listed = population.counties_by_state(), listed_people(population, attacker.coverage)
    found = []
    for profile in comparison.profiles:
        if profile.attacker == attacker.name:
            asked = attacker.voter_list(profile.state)
            amount = asked.amount(records=listed.get(profile.state), counties=counties.get(profile.state))
            found.append(Cost(profile, amount.usd, amount.status, amount.reason))
    return tuple(found)


def curves(
    population: AnyPopulation,
    policies: Sequence[Policy],
    attackers: Sequence[Attacker],
    *,
    states: Sequence[str] | None = None,
    g_max: int = 20_000,
    days_per_year: float = DAYS_PER_YEAR,
) -> tuple[Curve, ...]:
    """Sweep g = 1, 2, ..., ``g_max`` for every state, policy and attacker, as :func:`compare` does."""
    if g_max < 1:
        raise InputError(f"g-max = {g_max} must be a whole number of 1 or more.")
    cases = cases_of(population, policies, attackers, states)
    measured = measure_cases(
        population, cases, lambda groups, listed: g_distinct_sweep(groups, g_max, listed), days_per_year
    )
    inhabitants = population.people_by_state()
    found = []
    for case in cases:
        ends = ends_of(case, measured)
        low, high = (end / inhabitants[case.state] for end in ends) if ends else (None, None)
        found.append(Curve(population=population.name, **case.facts, low=low, high=high))
    return tuple(found)
