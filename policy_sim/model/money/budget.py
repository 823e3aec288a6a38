"""Which lists to buy for a budget, or for a number of names: exactly, by integer programming."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from policy_sim.attackers.attacker import Attacker, covered, voter
from policy_sim.attackers.county_coverage import RegisteredCoverage
from policy_sim.attackers.coverage import VOTING_AGE
from policy_sim.formulas.groups import AnyGroups, Chances
from policy_sim.model.breakdown import Part, break_down
from policy_sim.model.cases import Case, Cases, ends_of
from policy_sim.model.compare import prices_of
from policy_sim.model.measure import FEW_CLAIMS, tidy_rows
from policy_sim.people.places import split_people
from policy_sim.people.population import in_memory
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.price import Amount, Price
from policy_sim.voter_lists.voter_list import VoterList
from policy_sim.words.arrays import FloatArray
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError, NotEstimableError
from policy_sim.words.status import Status

if TYPE_CHECKING:
    from scipy.optimize import LinearConstraint

_ASSUME_A_PRICE = "no source gives the price of a county's list; assume a price"


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


def least_set(objective: FloatArray, constraints: Sequence[LinearConstraint]) -> list[int]:
    """Return the places of a set with the least sum of the objective; exact."""
    from scipy.optimize import Bounds, milp

    solution = milp(
        objective,
        integrality=np.ones(len(objective)),
        bounds=Bounds(0, 1),
        constraints=constraints,
        options={"mip_rel_gap": 0.0},
    )
    if solution.x is None:
        raise NotEstimableError(f"no set of lists was found: {solution.message}")
    chosen: list[int] = np.flatnonzero(np.round(solution.x)).tolist()
    return chosen


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
    """Return one offer per county of a state, or why there is none."""
    attacker, state = case.attacker, case.state
    if not attacker.holds_state_list_alone:
        return "county lists are measured only by themselves, not combined with other files"
    lists = CountyLists.of(cases, attacker, state, county_price)
    if lists.price is NO_PRICE:
        return _ASSUME_A_PRICE
    if attacker.coverage is not None and not attacker.coverage.knows(state):
        return f"the number of {attacker.coverage.title} in {state} is unknown"
    measured = lists.cases.measure(_claims, "county")
    (counties,) = lists.cases
    ends = ends_of(counties, measured)
    assert ends is not None  # the list was made available above
    names = split_people(lists.cases.counted, "county").names
    figures = dict(zip(names, ends[1 if released else 0].tolist(), strict=True))
    evidence = ("", "assumed") if county_price else attacker.resource.price_evidence(state)
    offers = []
    for county in lists.records:
        asks = lists.price_of(county)
        if asks.usd is not None and asks.status != "at_least":
            claims, correct = figures[county]
            offers.append(Offer(f"{state} {county}", state, asks.usd, correct, claims, county, *evidence))
    return offers or _ASSUME_A_PRICE


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


# Lists bought county by county: what each gives, what it costs, and the cheapest set of counties.
#
# Where no statewide list exists (Arizona in 2008), an attacker buys from counties. A county's list tells
# the county; its other fields are those that the state's file knows. Each holds the same share of its adults as the
# state's lists together.


NO_PRICE = Price("unknown", note="no source gives the price of a county's list")


@dataclass(frozen=True)
class CountyLists:
    """The lists of one state's counties, as each sells its own.

    ``cases``: a question about the one state by who holds these lists. ``price``: what one county asks.
    """

    cases: Cases
    price: Price

    @classmethod
    def of(cls, cases: Cases, attacker: Attacker, state: str, county_price: Price | None) -> CountyLists:
        """Return the lists for an attacker with the state's voter list.

        ``county_price``: what one county asks where no source says; else what the list says that a county costs.
        """
        listed = attacker.voter_list(state)
        holder = covered(voter({state: of_a_county(listed)}, listed.vintage), attacker.coverage)
        price = county_price or (listed.price if listed.price.usd_per_county else NO_PRICE)
        return cls(replace(cases, attackers=[holder], states=[state]), price)

    @cached_property
    def records(self) -> dict[str, float]:
        """How many records the list of each county has."""
        population, coverage, (state,) = self.cases.counted, self.cases.attacker.coverage, self.cases.states or ()
        by_county = coverage.of(population) if isinstance(coverage, RegisteredCoverage) else None
        if by_county is not None:
            records = (by_county.listed + by_county.stale).tolist()
            places = zip(by_county.county, by_county.state, records, strict=True)
            return {county: float(number) for county, home, number in places if home == state}
        people = in_memory(population if coverage is None else population.of_age(VOTING_AGE))
        cells = people.cells[people.cells["state"] == state]
        counted = cells.groupby("county", observed=True)["people"].sum()
        share = 1.0 if coverage is None else float(coverage.shares(population, [state])[0])
        return {str(county): share * number for county, number in counted.items()}

    def price_of(self, county: str) -> Amount:
        """Return what the list of a county costs."""
        return self.price.usd(records=self.records.get(county, 0.0), counties=1)


def of_a_county(listed: VoterList) -> VoterList:
    """Return the list as counties sell it: to be had, and each for one county."""
    county = ListField("included", "county", evidence=listed.fields["geography"].evidence)
    return replace(listed, status="available", fields={**listed.fields, "geography": county})


def county_costs(cases: Cases, county_price: Price | None = None) -> pd.DataFrame:
    """Return the total risk, price and cost of each county's list in one state, of one policy by one attacker.

    ``county_price``: what one county asks; by default what the list says a county costs. A county's price follows the
    records that its list holds. Returns one row per county, the cheapest re-identifications first, then those without a
    price by their number. ``_high`` has the unknown fields of the list released. The counties add up to the state.
    """
    (state,), coverage = cases.states or (), cases.attacker.coverage
    if coverage is not None and not coverage.knows(state):
        raise InputError(
            f"the number of {coverage.title} in {state} is unknown. Assume that everyone, or all adults, are on the "
            f"list."
        )
    lists = CountyLists.of(cases, cases.attacker, state, county_price)
    rows = [_row(part, lists.price_of(part.value)) for part in break_down(lists.cases, "county", only_total=True)]
    return (
        pd.DataFrame(rows)
        .sort_values(
            ["usd_per_reidentification", "total_risk"], ascending=[True, False], na_position="last", kind="stable"
        )
        .reset_index(drop=True)
    )


def unpriced_notes(table: pd.DataFrame) -> list[str]:
    """Say how the counties without a price are sorted, and how many there are; nothing where all have one."""
    unpriced = table[table["usd_per_reidentification"].isna()]
    if unpriced.empty:
        return []
    ranges = (unpriced["total_risk_high"] > unpriced["total_risk"]).any()
    number = f"none of the {len(table)} counties" if len(unpriced) == len(table) else f"{len(unpriced)} of {len(table)}"
    has = "has a known price" if len(unpriced) == len(table) else "counties have no known price"
    low = ", a range by its low end" if ranges else ""
    give = ask("county_price", option="--usd-per-county")
    return [f"{number} {has}: they are sorted by total risk{low}, and not by cost. Give a price with {give}"]


def _row(part: Part, amount: Amount) -> dict[str, Any]:
    risk = part.people
    assert risk is not None  # the list was made available above
    low, high = (None if amount.usd is None or not end else amount.usd / end for end in (risk.low, risk.high))
    return {
        "state": part.state,
        "county": part.value,
        "people": part.members,
        "total_risk": risk.low,
        "price_usd": amount.usd,
        "usd_per_reidentification": low,
        "total_risk_high": risk.high,
        "usd_per_reidentification_high": high,
        "status": amount.status if amount.status != "ok" else part.status,
        "reason": " ".join(text for text in (part.reason, amount.reason) if text),
        "linkage_key": part.linkage_key,
    }


def cheapest_counties(table: pd.DataFrame, goal: float, *, released: bool = False) -> pd.DataFrame:
    """Return the counties that together give this many re-identifications for the least money.

    Returns rows of the table, in its order. Exact: a binary program, not the best ratio first.
    """
    from scipy.optimize import LinearConstraint

    if not 0 < goal < np.inf:
        raise InputError(f"wanted = {goal:g} re-identifications must be a number above 0.")
    priced: pd.DataFrame = table[table["price_usd"].notna()]
    if priced.empty:
        raise NotEstimableError("no county has a known price. Assume a price per county.")
    risk = priced["total_risk_high" if released else "total_risk"].to_numpy(np.float64)
    if risk.sum() < goal:
        raise NotEstimableError(
            f"{goal:,.0f} re-identifications are more than the {risk.sum():,.0f} of the {len(priced)} counties with a "
            f"price, with unknown fields {'released' if released else 'withheld'}."
        )
    price = priced["price_usd"].to_numpy(np.float64)
    return priced.iloc[least_set(price, [LinearConstraint(risk[None, :], lb=goal)])]
