"""Which lists to buy for a budget, or for a number of names: exactly, by integer programming."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from policy_sim.attackers.attacker import covered, voter
from policy_sim.formulas.groups import AnyGroups, Chances
from policy_sim.model.cases import Case, Cases, ends_of
from policy_sim.model.compare import prices_of
from policy_sim.model.measure import FEW_CLAIMS, tidy_rows
from policy_sim.model.what_if import least_set, of_a_county, records_by_county
from policy_sim.people.places import split_people
from policy_sim.voter_lists.price import Amount, Price
from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import InputError, NotEstimableError
from policy_sim.words.status import Status


@dataclass(frozen=True)
class Offer:
    """One list that can be bought.

    Of a state only one list is bought, or any number of its counties' lists: two lists of the same people would name
    some of them twice. ``county`` is empty for a list of the whole state.
    """

    name: str
    state: str
    price_usd: float
    correct_claims: float
    claims: float
    county: str = ""
    price_date: str = ""
    price_source: str = ""


@dataclass(frozen=True)
class Purchase:
    """Lists bought together."""

    offers: tuple[Offer, ...]

    @property
    def price_usd(self) -> float:
        """What they cost together."""
        return sum(offer.price_usd for offer in self.offers)

    @property
    def correct_claims(self) -> float:
        """Expected records claimed rightly."""
        return sum(offer.correct_claims for offer in self.offers)

    @property
    def precision(self) -> float | None:
        """Share (0..1) of the claims that are right; None without a claim."""
        claims = sum(offer.claims for offer in self.offers)
        return self.correct_claims / claims if claims else None


def best_purchase(offers: Sequence[Offer], usd: float) -> Purchase:
    """Return the lists with the most expected correct claims for at most so much money.

    ``usd``: the budget, US dollars, 0 or more. Returns lists in the order of the offers; free lists are always among
    them where they give anything and do not stand in the way of a better one. Exact: a binary program, not the best
    ratio first.

    With 10 dollars, the list of 6 with the best ratio leaves room for nothing else; two of 5 are better.

    >>> offers = [Offer("A", "OH", 6, 60, 60), Offer("B", "TX", 5, 45, 45), Offer("C", "NC", 5, 45, 50)]
    >>> [offer.name for offer in best_purchase(offers, 10).offers]
    ['B', 'C']
    """
    if not 0 <= usd < np.inf:
        raise InputError(f"a budget of {usd:g} US dollars must be a number of 0 or more.")
    useful = [offer for offer in offers if offer.correct_claims > 0 and offer.price_usd <= usd]
    value = np.array([offer.correct_claims for offer in useful])
    price = np.array([offer.price_usd for offer in useful])
    return _solved(useful, -value, (price, -np.inf, usd))


def cheapest_purchase(offers: Sequence[Offer], target: float) -> Purchase:
    """Return the cheapest lists that together give this many expected correct claims; among equals the fewest lists."""
    if not 0 < target < np.inf:
        raise InputError(f"a target of {target:g} correct claims must be a number above 0.")
    useful = [offer for offer in offers if offer.correct_claims > 0]
    value = np.array([offer.correct_claims for offer in useful])
    price = np.array([offer.price_usd for offer in useful])
    everything = _solved(useful, -value).correct_claims
    if everything < target:
        raise NotEstimableError(
            f"{target:,.0f} correct claims are more than the {everything:,.0f} from all lists that this buyer can get "
            f"at a known price."
        )
    enough = (value, target, np.inf)
    least = _solved(useful, price, enough).price_usd
    return _solved(useful, np.ones(len(useful)), enough, (price, -np.inf, least * (1 + 1e-9)))


def _solved(offers: Sequence[Offer], objective: FloatArray, *limits: tuple[FloatArray, float, float]) -> Purchase:
    """Minimize the objective over sets of offers with ``low <= row <= high`` for each limit, one list per state."""
    from scipy.optimize import LinearConstraint

    if not offers:
        return Purchase(())
    constraints = []
    for row, low, high in limits:
        scale = max(float(np.abs(row).max()), 1.0)
        constraints.append(LinearConstraint(row[None, :] / scale, lb=low / scale, ub=high / scale))
    apart = _exclusions(offers)
    if len(apart):
        constraints.append(LinearConstraint(apart, ub=1.0))
    size = max(float(np.abs(objective).max()), 1.0)
    return Purchase(tuple(offers[place] for place in least_set(objective / size, constraints)))


def _exclusions(offers: Sequence[Offer]) -> FloatArray:
    """Return one row per set of lists of which at most one is bought."""
    rows: list[list[bool]] = []
    for state in dict.fromkeys(offer.state for offer in offers):
        in_state = [offer.state == state for offer in offers]
        whole = [at and not offer.county for at, offer in zip(in_state, offers, strict=True)]
        counties = [offer.county for at, offer in zip(in_state, offers, strict=True) if at and offer.county]
        for place, offer in enumerate(offers):
            if any(whole) and in_state[place] and offer.county:
                rows.append([mine or at == place for at, mine in enumerate(whole)])
        if not counties and sum(whole) > 1:
            rows.append(whole)
        rows += [
            [at and offer.county == name for at, offer in zip(in_state, offers, strict=True)]
            for name in dict.fromkeys(counties)
            if counties.count(name) > 1
        ]
    return np.array(rows, dtype=np.float64).reshape(-1, len(offers))


def county_offers(cases: Cases, case: Case, county_price: Price | None, *, released: bool) -> list[Offer] | str:
    """Return one offer per county of a state, or why there is none.

    Each county's list holds the same share of its adults as the state's lists together: the attacker's coverage.

    ``county_price``: what one county asks where no source says; else what the state's list says that a county costs.
    """
    if not case.attacker.holds_state_list_alone:
        return "county lists are measured only by themselves, not combined with other files"
    listed, coverage = case.attacker.voter_list(case.state), case.attacker.coverage
    price = county_price or (listed.price if listed.price.usd_per_county else None)
    if price is None:
        return "no source gives the price of a county's list; assume a price"
    if coverage is not None and not coverage.knows(case.state):
        return f"the number of {coverage.title} in {case.state} is unknown"
    holder = covered(voter({case.state: of_a_county(listed)}, listed.vintage), coverage)
    by_county = replace(cases, attackers=[holder], states=[case.state])
    measured = by_county.measure(_claims, "county")
    (counties,) = by_county
    ends = ends_of(counties, measured)
    assert ends is not None  # the list was made available above
    counted = by_county.counted
    records = records_by_county(counted, case.state, coverage)
    figures = dict(zip(split_people(counted, "county").names, ends[1 if released else 0].tolist(), strict=True))
    date, source = ("", "assumed") if county_price else case.attacker.resource.price_evidence(case.state)
    offers = []
    for county, many in records.items():
        asks = price.usd(records=many, counties=1)
        if asks.usd is not None and asks.status != "at_least":
            claims, correct = figures[county]
            offers.append(Offer(f"{case.state} {county}", case.state, asks.usd, correct, claims, county, date, source))
    return offers or "no source gives the price of a county's list; assume a price"


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
    cases: Cases, *, any_buyer: bool = False, released: bool = False, county_price: Price | None = None
) -> Market:
    """Return what can be bought to attack a release under one policy; only that is measured.

    A list is left out, with the reason, where nobody or not this buyer can have it, and where no source gives its price
    or only a lower bound. A price that lies between two amounts counts with the higher. ``county_price``: what one
    county asks where only counties sell and no source gives a price.
    """
    price_in = {attacker.name: prices_of(cases.population, attacker) for attacker in cases.attackers}
    offers: list[Offer] = []
    left_out: list[LeftOut] = []
    cases_priced: list[tuple[Case, Amount]] = []
    for case in sorted(cases, key=lambda case: list(price_in).index(case.attacker.name)):
        _, price = price_in[case.attacker.name](case.state)
        only_for = () if any_buyer else case.attacker.resource.restricted_to(case.state)
        reason = f"only for {', '.join(only_for)}" if only_for else ""
        if not reason and case.linkage.status == "county_only":
            by_county = county_offers(cases, case, county_price, released=released)
            if not isinstance(by_county, str):
                offers += by_county
                continue
            reason = f"{case.linkage.reason.rstrip('.')}; {by_county}"
        reason = reason or _why_not(case, price)
        if reason:
            left_out.append(LeftOut(_name(case), case.state, reason))
        else:
            cases_priced.append((case, price))
    measured = cases.measure(_claims, among=[case for case, _ in cases_priced])
    for case, price in cases_priced:
        ends = ends_of(case, measured)
        assert ends is not None  # there is a list
        assert price.usd is not None
        claims, correct = ends[1 if released else 0].tolist()
        evidence = case.attacker.resource.price_evidence(case.state)
        offers.append(Offer(_name(case), case.state, price.usd, correct, claims, "", *evidence))
    return Market(tuple(offers), tuple(left_out))


def _claims(groups: AnyGroups, chances: Chances) -> FloatArray:
    """Records claimed, and those claimed rightly; shape (units, 2)."""
    return chances.claims(groups)


def _name(case: Case) -> str:
    return case.state if case.attacker.holds_state_list_alone else f"{case.state} {case.attacker.name}"


def _why_not(case: Case, price: Amount) -> str:
    """Return why a list is no offer: nobody has it, or its price is not known; empty where it is one."""
    if case.linkage.low is None:
        return case.linkage.reason or Status(case.linkage.status).meaning
    if price.status == "at_least":
        return f"only known to cost at least ${price.usd:,.2f}"
    if price.usd is None:
        return f"price {price.status.replace('_', ' ')}: {price.reason}"
    return ""


def budget_frame(offered: Market, bought: Purchase) -> pd.DataFrame:
    """Return one row per list: those bought, then the other offers, then those left out with their reason.

    A list that is left out has no price and no claims here. ``claim_status`` is ``few_claims`` where fewer than ten
    claims are expected: then there is no ``precision`` and no ``usd_per_correct_claim``.
    """
    rows: list[dict[str, Any]] = []
    for offer in sorted(offered.offers, key=lambda offer: offer not in bought.offers):
        few = offer.claims < FEW_CLAIMS or not offer.correct_claims
        names = ("state", "price_usd", "correct_claims", "claims")
        row = {name: getattr(offer, name) for name in names} | {"list": offer.name, "bought": offer in bought.offers}
        row |= {name: getattr(offer, name) or None for name in ("county", "price_date", "price_source")}
        row |= {"precision": None if few else offer.correct_claims / offer.claims}
        row |= {"usd_per_correct_claim": None if few else offer.price_usd / offer.correct_claims}
        rows.append(row | {"claim_status": Status.FEW_CLAIMS if few else Status.OK})
    rows += [
        {"list": left.name, "state": left.state, "bought": False, "reason": left.reason} for left in offered.left_out
    ]
    columns = (
        "list state county bought price_usd correct_claims claims precision usd_per_correct_claim claim_status "
        "price_date price_source reason"
    )
    return tidy_rows(rows, columns)
