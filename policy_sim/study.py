"""The study: states × policies × attackers, each a risk profile.

Every (policy, attacker, state) has a linkage key; states that share a key are merged and measured
together, and no key is merged twice. Merge, count distinct (people, bins) pairs, apply the formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.attackers.attacker import Attacker
from policy_sim.attackers.coverage import VOTING_AGE, Coverage
from policy_sim.attackers.linkage import Linkage
from policy_sim.attackers.listed import listed_people, listed_shares
from policy_sim.errors import InputError, UnknownNameError
from policy_sim.fields import Granularities
from policy_sim.frames import profile_frame
from policy_sim.groups import Groups, g_distinct, g_distinct_sweep, total_risk
from policy_sim.policies.conditions import Conditions
from policy_sim.policies.policy import Policy
from policy_sim.population.adults import people_of_age
from policy_sim.population.cells import Population, Provenance, counties_by_state
from policy_sim.population.merge import DAYS_PER_YEAR, merge
from policy_sim.profile import Bounds, Cost, Curve, Measure, RiskProfile, TrustDifferential

__all__ = ["DEFAULT_G", "TOTAL_RISK", "Case", "Comparison", "compare", "costs", "curves"]

DEFAULT_G = (1, 3, 5, 10)  # the group sizes of Benitez & Malin 2010, Results
TOTAL_RISK = Measure("total-risk")

FloatArray = NDArray[np.float64]
# What is merged: the view that both sides share, the policy's conditions as far as it feels them, and
# whom the attacker's lists hold.
_Key = tuple[Granularities, Conditions, Coverage | None]
_Figures = Callable[[Groups, FloatArray], FloatArray]
_Measured = Mapping[tuple[_Key, str], FloatArray]


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


@dataclass(frozen=True)
class Case:
    """One question of a study: this state, under this policy, by this attacker, on this key."""

    state: str
    policy: Policy
    attacker: Attacker
    linkage: Linkage

    @property
    def keys(self) -> tuple[_Key, ...]:
        """The keys with unknown fields withheld and released, or none without a list."""
        ends = (self.linkage.low, self.linkage.high)
        coverage = self.attacker.coverage
        return tuple((end, self.policy.conditions.on(end), coverage) for end in ends if end is not None)

    def label(self) -> str:
        """Write the linkage key, with the policy's conditions that it feels."""
        conditions = str(self.keys[-1][1]) if self.keys else ""
        return self.linkage.label() + (f" ({conditions})" if conditions else "")


def compare(
    population: Population,
    policies: Sequence[Policy],
    attackers: Sequence[Attacker],
    *,
    states: Sequence[str] | None = None,
    g: Sequence[int] = DEFAULT_G,
    days_per_year: float = DAYS_PER_YEAR,
) -> Comparison:
    """Measure every state under every policy and attacker.

    Parameters
    ----------
    population : Whose census.
    policies, attackers : What is released, and who links.
    states : Postal codes; every state of the population by default.
    g : Group sizes, each >= 1.
    days_per_year : Equally likely birthdays in a year.

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
        return np.column_stack([total_risk(groups, listed), g_distinct(groups, g, listed)])

    cases = _cases(population, policies, attackers, states)
    measured = _measure(population, cases, figures, days_per_year)
    inhabitants = population.people_by_state()
    return Comparison(
        population.provenance,
        tuple(g),
        tuple(
            RiskProfile(
                **_facts(population, case),
                inhabitants=inhabitants[case.state],
                values=_bounds(measures, *ends) if (ends := _ends(case, measured)) else {},
            )
            for case in cases
        ),
    )


def costs(comparison: Comparison, population: Population, attacker: Attacker) -> tuple[Cost, ...]:
    """Price each state's list for the analysed population: its people and its counties.

    Parameters
    ----------
    comparison : Profiles of the attacker, under any policies.
    population : The people of whom the lists hold everyone (as Benitez & Malin), or those whom the
        attacker's coverage says.
    attacker : Who holds the lists.
    """
    counties, listed = counties_by_state(population), listed_people(population, attacker.coverage)
    found = []
    for profile in comparison.profiles:
        if profile.attacker == attacker.name:
            price = attacker.voter_list(profile.state).price
            amount = price.usd(records=listed.get(profile.state), counties=counties.get(profile.state))
            found.append(Cost(profile, amount.usd, amount.status, amount.reason))
    return tuple(found)


def curves(
    population: Population,
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
    cases = _cases(population, policies, attackers, states)
    measured = _measure(
        population, cases, lambda groups, listed: g_distinct_sweep(groups, g_max, listed), days_per_year
    )
    inhabitants = population.people_by_state()
    found = []
    for case in cases:
        ends = _ends(case, measured)
        low, high = (end / inhabitants[case.state] for end in ends) if ends else (None, None)
        found.append(Curve(**_facts(population, case), low=low, high=high))
    return tuple(found)


def _cases(
    population: Population,
    policies: Sequence[Policy],
    attackers: Sequence[Attacker],
    states: Sequence[str] | None,
) -> tuple[Case, ...]:
    _once("policy", [policy.name for policy in policies])
    _once("attacker", [attacker.name for attacker in attackers])
    known = population.states
    for state in states or ():
        if state not in known:
            raise UnknownNameError(f"state in population {population.name}:", state, known)
    return tuple(
        Case(state, policy, attacker, attacker.linkage(policy.releases, state))
        for state in states or known
        for policy in policies
        for attacker in attackers
    )


def _measure(
    population: Population,
    cases: Iterable[Case],
    measure: _Figures,
    days_per_year: float,
) -> _Measured:
    """Merge each key that any case needs once, for the states that need it, and measure the groups.

    Nobody under voting age is on a list whose coverage is given: merging starts from the adults then.
    """
    wanted: dict[_Key, dict[str, None]] = {}
    for case in cases:
        for key in case.keys:
            wanted.setdefault(key, {})[case.state] = None
    measured: dict[tuple[_Key, str], FloatArray] = {}
    adults = people_of_age(population, VOTING_AGE) if any(key[2] for key in wanted) else population
    for key, states in wanted.items():
        view, conditions, coverage = key
        people = population if coverage is None else adults
        groups = merge(people, view, tuple(states), days_per_year=days_per_year, conditions=conditions)
        table = measure(groups, listed_shares(people, coverage, states))
        measured.update({(key, state): row for state, row in zip(states, table, strict=True)})
    return measured


def _facts(population: Population, case: Case) -> dict[str, str]:
    """What a profile and a curve say of the question they answer."""
    return {
        "state": case.state,
        "policy": case.policy.name,
        "attacker": case.attacker.name,
        "population": population.name,
        "lists": case.attacker.vintage,
        "linkage_key": case.label(),
        "status": case.linkage.status,
        "reason": case.linkage.reason,
    }


def _ends(case: Case, measured: _Measured) -> tuple[FloatArray, FloatArray] | None:
    if not case.keys:
        return None
    low, high = case.keys
    return measured[low, case.state], measured[high, case.state]


def _bounds(measures: Sequence[Measure], low: FloatArray, high: FloatArray) -> dict[Measure, Bounds]:
    return {m: Bounds(float(a), float(b)) for m, a, b in zip(measures, low, high, strict=True)}


def _once(kind: str, names: Sequence[str]) -> None:
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError(f"{kind} {twice[0]!r} is given twice: name each once.")
