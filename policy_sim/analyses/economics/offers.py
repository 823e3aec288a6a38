"""What a buyer can buy: the lists of states and counties at known prices, and what is left out and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial

from policy_sim.analyses.cases import Case, cases_of, ends_of, measure_cases
from policy_sim.analyses.economics.budget import Offer
from policy_sim.analyses.economics.county_offers import county_offers
from policy_sim.arrays import FloatArray
from policy_sim.attackers.attacker import Attacker
from policy_sim.attackers.coverage import listed_people
from policy_sim.attackers.in_file import InFile
from policy_sim.groups import AnyGroups, Chances
from policy_sim.policies.policy import Policy
from policy_sim.population.merge import DAYS_PER_YEAR
from policy_sim.population.population import AnyPopulation
from policy_sim.status import Status
from policy_sim.voter_lists.price import Amount, Price

__all__ = ["LeftOut", "Market", "market"]


@dataclass(frozen=True)
class LeftOut:
    """A list that is not among the offers, and why."""

    name: str
    state: str
    reason: str


@dataclass(frozen=True)
class Market:
    """The lists that a buyer can have at known prices, and those left out."""

    offers: tuple[Offer, ...]
    left_out: tuple[LeftOut, ...]


def market(
    population: AnyPopulation,
    policy: Policy,
    attackers: Sequence[Attacker],
    *,
    states: Sequence[str] | None = None,
    in_file: InFile | None = None,
    any_buyer: bool = False,
    released: bool = False,
    county_price: Price | None = None,
    days_per_year: float = DAYS_PER_YEAR,
) -> Market:
    """Return what can be bought to attack a release under one policy.

    Only what can be bought is measured: what is left out costs no time.

    Parameters
    ----------
    population, policy, states, in_file, days_per_year : As in :func:`policy_sim.analyses.comparison.compare`.
    attackers : Who holds what: each state's voter list, or another resource. Of each state one of them is bought.
    any_buyer : Also offer lists that are not for the public.
    released : Count unknown fields of a list as released, not as withheld.
    county_price : What one county asks where only counties sell and no source gives a price.

    Returns
    -------
    A list is left out, with the reason, where nobody or not this buyer can have it, and where no source gives its
    price or only a lower bound. A price that lies between two amounts counts with the higher.
    """
    counted, counties = cache(partial(listed_people, population)), population.counties_by_state()
    offers: list[Offer] = []
    left_out: list[LeftOut] = []
    cases_priced: list[tuple[Case, Amount]] = []
    for case in sorted(
        cases_of(population, [policy], attackers, states), key=lambda case: attackers.index(case.attacker)
    ):
        _, price = case.attacker.resource.amounts_for(case.state, counted, counties.get(case.state))
        reason = _barred(case, any_buyer)
        if not reason and case.linkage.status == "county_only":
            comparison = county_offers(
                population, policy, case, county_price, in_file, released=released, days_per_year=days_per_year
            )
            if not isinstance(comparison, str):
                offers += comparison
                continue
            reason = f"{case.linkage.reason.rstrip('.')}; {comparison}"
        reason = reason or _why_not(case, price)
        if reason:
            left_out.append(LeftOut(_name(case), case.state, reason))
        else:
            cases_priced.append((case, price))
    measured = measure_cases(population, [case for case, _ in cases_priced], _claims, days_per_year, in_file=in_file)
    for case, price in cases_priced:
        ends = ends_of(case, measured)
        assert ends is not None  # there is a list
        offers.append(_offer(case, price, ends[1 if released else 0]))
    return Market(tuple(offers), tuple(left_out))


def _claims(groups: AnyGroups, chances: Chances) -> FloatArray:
    """Records claimed, and those claimed rightly; shape (units, 2)."""
    return chances.claims(groups)


def _name(case: Case) -> str:
    return case.state if case.attacker.holds_state_list_alone else f"{case.state} {case.attacker.name}"


def _barred(case: Case, any_buyer: bool) -> str:
    only_for = case.attacker.resource.restricted_to(case.state)
    return f"only for {', '.join(only_for)}" if only_for and not any_buyer else ""


def _why_not(case: Case, price: Amount) -> str:
    """Return why a list is no offer: nobody has it, or its price is not known; empty where it is one."""
    if case.linkage.low is None:
        return case.linkage.reason or Status(case.linkage.status).meaning
    if price.status == "at_least":
        return f"only known to cost at least ${price.usd:,.2f}"
    if price.usd is None:
        return f"price {price.status.replace('_', ' ')}: {price.reason}"
    return ""


def _offer(case: Case, price: Amount, figures: FloatArray) -> Offer:
    claims, correct = figures.tolist()
    evidence = case.attacker.resource.price_evidence(case.state)
    assert price.usd is not None
    return Offer(_name(case), case.state, price.usd, correct, claims, "", *evidence)
