"""What a buyer can buy: the lists of states and counties at known prices, and what is left out and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from policy_sim.analyses.breakdown import break_down
from policy_sim.analyses.comparison import compare, costs
from policy_sim.analyses.county_purchase import of_a_county
from policy_sim.analyses.economics.attack_plan import price_source
from policy_sim.analyses.economics.budget import Offer
from policy_sim.attackers.attacker import Attacker, voter
from policy_sim.attackers.in_file import InFile
from policy_sim.attackers.state_lists import StateVoterLists
from policy_sim.policies.policy import Policy
from policy_sim.population.merge import DAYS_PER_YEAR
from policy_sim.population.population import AnyPopulation, Population
from policy_sim.results import CLAIMS, CORRECT_CLAIMS, Bounds, Cost, Status
from policy_sim.voter_lists.price import Price

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

    Parameters
    ----------
    population, policy, states, in_file, days_per_year : As in :func:`policy_sim.analyses.comparison.compare`.
    attackers : Who holds what: each state's voter list, or another resource. Of each state one of them is bought.
    any_buyer : Also offer lists that are not for the public.
    released : Count unknown fields of a list as released, not as withheld.
    county_price : What one county asks where only counties sell and no source gives a price.

    Returns
    -------
    A list is left out, with the reason, where nobody or not this buyer can have it, where no source gives its
    price or only a lower bound, and where nothing is claimed with it.
    """
    found = compare(
        population, [policy], attackers, states=states, g=(1,), days_per_year=days_per_year, in_file=in_file
    )
    offers: list[Offer] = []
    left_out: list[LeftOut] = []
    for attacker in attackers:
        for cost in costs(found, population, attacker):
            profile = cost.profile
            name = profile.state if attacker.name.startswith("voter") else f"{profile.state} {attacker.name}"
            barred = not any_buyer and cost.restricted_to
            reason = f"only for {', '.join(cost.restricted_to)}" if barred else _why_not(cost)
            if profile.status == "county_only" and isinstance(population, Population):
                counties = _county_offers(
                    population, policy, attacker, profile.state, county_price, released, in_file, days_per_year
                )
                if counties and not barred:
                    offers += counties
                    continue
                reason = f"{reason}; no source gives the price of a county's list".lstrip("; ")
            if reason:
                left_out.append(LeftOut(name, profile.state, reason))
                continue
            offers.append(_offer(name, cost, attacker, released))
    return Market(tuple(offers), tuple(left_out))


def _why_not(cost: Cost) -> str:
    profile = cost.profile
    if profile.people(CORRECT_CLAIMS) is None:
        return profile.reason or profile.status.meaning
    if cost.price_status is Status.AT_LEAST:
        return f"only known to cost at least ${cost.price_usd:,.2f}"
    if cost.price_usd is None:
        return f"price {cost.price_status.replace('_', ' ')}: {cost.price_reason}"
    return ""


def _offer(name: str, cost: Cost, attacker: Attacker, released: bool) -> Offer:
    state, price = cost.profile.state, attacker.resource.price_in(cost.profile.state)
    correct, claims = (_end(cost.profile.people(measure), released) for measure in (CORRECT_CLAIMS, CLAIMS))
    assert cost.price_usd is not None
    seen = ("", "") if price is None else (price.date, price_source(attacker, state, price))
    return Offer(name, state, cost.price_usd, correct, claims, "", *seen)


def _end(bounds: Bounds | None, released: bool) -> float:
    assert bounds is not None
    return bounds.high if released else bounds.low


def _county_offers(
    population: Population,
    policy: Policy,
    attacker: Attacker,
    state: str,
    county_price: Price | None,
    released: bool,
    in_file: InFile | None,
    days_per_year: float,
) -> list[Offer]:
    """Return the counties' lists of a state; none where nobody says what one costs."""
    if not any(isinstance(resource, StateVoterLists) for resource in attacker.resources):
        return []
    listed = attacker.voter_list(state)
    price = county_price or (listed.price if listed.price.usd_per_county else None)
    if price is None:
        return []
    holder = voter({state: of_a_county(listed)}, listed.vintage)
    parts = break_down(
        population, [policy], [holder], "county", states=[state], g=(1,), days_per_year=days_per_year, in_file=in_file
    )
    offers = []
    for part in parts:
        amount = price.usd(records=part.members, counties=1)
        if part.measure.g == 1 and part.people is not None and amount.usd is not None:
            # everyone is on these lists: each claim is right
            correct = _end(part.people, released)
            source = "assumed" if county_price else price_source(attacker, state, price)
            date = "" if county_price else price.date
            offers.append(Offer(f"{state} {part.value}", state, amount.usd, correct, correct, part.value, date, source))
    return offers
