"""What if a state changed what its voter list holds, costs or allows: every measure before and after."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from policy_sim.attackers.attacker import Attacker, covered, voter
from policy_sim.attackers.county_coverage import RegisteredCoverage
from policy_sim.attackers.coverage import VOTING_AGE, Coverage
from policy_sim.model.breakdown import Part, break_down
from policy_sim.model.cases import Cases
from policy_sim.model.compare import Comparison, compare, costs
from policy_sim.model.measure import TOTAL_RISK, Bounds, kinds_of, tidy_rows
from policy_sim.people.merge import DAYS_PER_YEAR, people_of_age
from policy_sim.people.population import AnyPopulation, Population, in_memory
from policy_sim.people.zips import PeopleByZip
from policy_sim.policies.policy import Policy
from policy_sim.voter_lists.changes import change_list, marginal_changes
from policy_sim.voter_lists.facts import MAX_AGE_MONTHS, is_old, newest_date
from policy_sim.voter_lists.list_field import RECORDED_FIELDS, ListField
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.voter_list import VoterList
from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import InputError, NotEstimableError

if TYPE_CHECKING:
    from scipy.optimize import LinearConstraint

_BEFORE, _AFTER = "before", "after"
_COLUMNS = "state policy measure g before after change before_high after_high status_before status_after"
_EFFECTS = "state policy field becomes before after change share_change status_before status_after"


def what_if(
    cases: Cases, changes: Mapping[str, str], reach: Callable[[Attacker], Attacker] = lambda attacker: attacker
) -> pd.DataFrame:
    """Return every measure under the list as it is and under the list changed, in one state by one attacker.

    ``reach``: what the attacker can get of a list. Returns one row per policy and measure: expected people, or US
    dollars for ``price`` and ``usd-per-reidentification``. ``change`` is after less before, with unknown fields
    withheld; the ``_high`` columns have them released.
    """
    (state,) = cases.states or ()
    before = reach(replace(cases.attacker, name=_BEFORE))
    after = reach(cases.attacker.changed(_AFTER, state, changes))
    comparison = compare(replace(cases, attackers=[before, after]))
    rows = [row for policy in cases.policies for row in _measured(comparison, state, policy.name)]
    rows += _priced(comparison, cases.population, before, after)
    return _frame(rows, _COLUMNS)


def _measured(comparison: Comparison, state: str, policy: str) -> list[tuple[object, ...]]:
    old, new = (comparison.profile(state, policy, name) for name in (_BEFORE, _AFTER))
    return [
        (
            *(state, policy, measure.name, measure.g),
            *_change(old.people(measure), new.people(measure)),
            *(old.status, new.status),
        )
        for measure in comparison.measures
    ]


def _priced(
    comparison: Comparison, population: AnyPopulation, before: Attacker, after: Attacker
) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for old, new in zip(*(costs(comparison, population, attacker) for attacker in (before, after)), strict=True):
        head, tail = (old.profile.state, old.profile.policy), (old.status, new.status)
        prices = (None if cost.price_usd is None else Bounds.exactly(cost.price_usd) for cost in (old, new))
        rows.append((*head, "price", None, *_change(*prices), old.price_status, new.price_status))
        attacker = (old.usd_per_reidentification, new.usd_per_reidentification)
        rows.append((*head, "usd-per-reidentification", None, *_change(*attacker), *tail))
    return rows


def marginal_effects(cases: Cases) -> pd.DataFrame:
    """Return what each single change of a field would do to the total risk, largest effect first.

    Returns one row per state and change: a field withheld that is there, or released that is not. Expected people
    before and after, with unknown fields withheld; a state without a list has no rows.
    """
    policy, lists = cases.policy, cases.attacker.voter_lists
    state_names = cases.states or [name for name in cases.population.states if name in lists.lists]
    as_is = {state: lists.list_of(state) for state in state_names}
    by_state = {
        state: list(marginal_changes(listed)) for state, listed in as_is.items() if listed.status == "available"
    }
    kinds = sorted({change for changes in by_state.values() for change in changes})
    comparison = _compared(cases, as_is, kinds)
    rows = [
        _effect(comparison, state, policy.name, *change)
        for state, changes_made in by_state.items()
        for change in changes_made
    ]
    table = _frame(rows, _EFFECTS)
    return table.sort_values("change", key=abs, ascending=False, kind="stable").reset_index(drop=True)


def _compared(cases: Cases, as_is: Mapping[str, VoterList], kinds: Iterable[tuple[str, str]]) -> Comparison:
    """Compare the lists of some states as they are with those after every state has made each change."""
    attackers = [_named(cases.attacker, _BEFORE, as_is), *(_changed(cases.attacker, as_is, *kind) for kind in kinds)]
    return compare(replace(cases, attackers=attackers, states=list(as_is), g=(1,)))


def _changed(attacker: Attacker, as_is: Mapping[str, VoterList], item: str, value: str) -> Attacker:
    """The attacker after every state has made the same change."""
    lists = {state: change_list(listed, {item: value}) for state, listed in as_is.items()}
    return _named(attacker, f"{item}={value}", lists)


def _effect(comparison: Comparison, state: str, policy: str, item: str, value: str) -> tuple[object, ...]:
    old = comparison.profile(state, policy, _BEFORE)
    new = comparison.profile(state, policy, f"{item}={value}")
    a, b, change, *_ = _change(old.people(TOTAL_RISK), new.people(TOTAL_RISK))
    share = None if change is None else change / old.inhabitants
    return (state, policy, item, value, a, b, change, share, old.status, new.status)


def _change(old: Bounds | None, new: Bounds | None) -> tuple[float | None, ...]:
    low = [None if end is None else end.low for end in (old, new)]
    high = [None if end is None else end.high for end in (old, new)]
    difference = None if low[0] is None or low[1] is None else low[1] - low[0]
    return (*low, difference, *high)


def _frame(rows: Sequence[tuple[object, ...]], names: str) -> pd.DataFrame:
    text = ("state", "policy", "measure", "field", "becomes", "status_before", "status_after")
    return tidy_rows(rows, kinds_of(names.split(), text=text, whole=("g",)))


# What to look up next: unknown and old facts of voter lists, by the people whose risk hangs on them.


_TEXTS = ("state", "field", "recorded", "why", "date", "otherwise")


def look_up_next(cases: Cases, day: dt.date, months: int = MAX_AGE_MONTHS) -> pd.DataFrame:
    """Rank the fields of the lists that are unknown, old or contested, by what they are worth in people.

    A fact is worth the largest difference that it makes to the state's total risk if it were otherwise: for a known
    field the list with it withheld, or shown more or less finely, against the list as it is; for an unknown one the
    largest against the least of all it may be. Other unknown fields are withheld or released, whichever gives more.

    Returns one row per state and field, the most people first: ``state``, ``field``, what is ``recorded``, ``why`` to
    look it up (unknown, conflict or old), the ``date`` of its newest source, ``otherwise`` (what would make the
    difference) and ``people``. Prices, buyers and uses decide dollars and not people, and have no row.
    """
    policy, lists = cases.policy, cases.attacker.voter_lists
    state_names = [
        state for state in cases.states or cases.population.states if lists.list_of(state).status == "available"
    ]
    doubtful = {state: dict(_doubtful(lists.list_of(state), day, months)) for state in state_names}
    doubtful = {state: fields for state, fields in doubtful.items() if fields}
    names = sorted({field for fields in doubtful.values() for field in fields})
    rows: list[tuple[object, ...]] = []
    if doubtful:
        as_is = {state: lists.list_of(state) for state in doubtful}
        comparison = _compared(cases, as_is, ((name, value) for name in names for value in _values(name)))
        rows = [
            (
                state,
                name,
                *_recorded(lists.list_of(state), name, why),
                *_worth(comparison, state, policy.name, name, why),
            )
            for state, fields in doubtful.items()
            for name, why in fields.items()
        ]
    table = pd.DataFrame(rows, columns=[*_TEXTS, "people"], dtype=object)
    table = table.astype(dict.fromkeys(_TEXTS, "string") | {"people": "Float64"})
    return table.sort_values("people", ascending=False, kind="stable").reset_index(drop=True)


def _doubtful(listed: VoterList, day: dt.date, months: int) -> Iterator[tuple[str, str]]:
    """Yield the linked fields of a list that are unknown, contested or old."""
    contested = {conflict.about.removeprefix("fields.") for conflict in listed.conflicts if not conflict.resolved}
    for name, field in RECORDED_FIELDS.items():
        if not field.finest:
            continue
        if listed.fields[name].availability == "unknown":
            yield name, "unknown"
        elif name in contested:
            yield name, "conflict"
        elif is_old(_date(listed, name), day, months):
            yield name, "old"


def _date(listed: VoterList, name: str) -> str:
    return newest_date(listed.sources[key] for key in listed.fields[name].evidence.sources)


def _values(name: str) -> tuple[str, ...]:
    return ("withheld", *(RECORDED_FIELDS[name].linked_as))


def _named(attacker: Attacker, name: str, lists: Mapping[str, VoterList]) -> Attacker:
    return replace(attacker, name=name, resources=(replace(attacker.voter_lists, lists=lists),))


def _recorded(listed: VoterList, name: str, why: str) -> tuple[str, str, str]:
    field = listed.fields[name]
    return field.granularity if field.availability == "included" else field.availability, why, _date(listed, name)


def _worth(comparison: Comparison, state: str, policy: str, name: str, why: str) -> tuple[str, float]:
    """Return what would make the largest difference, and how many people that is."""
    risks = {}
    for value in (_BEFORE, *_values(name)):
        people = comparison.profile(state, policy, value if value == _BEFORE else f"{name}={value}").people(TOTAL_RISK)
        if people is not None:
            risks[value] = (people.low, people.high)
    if why == "unknown":
        risks.pop(_BEFORE, None)
        spans = [max(end) - min(end) for end in zip(*risks.values(), strict=True)]
        return "held or withheld", max(spans, default=0.0)
    base = risks.pop(_BEFORE)
    far = {value: max(abs(a - b) for a, b in zip(ends, base, strict=True)) for value, ends in risks.items()}
    value = max(far, key=lambda item: far[item])
    return value, far[value]


# Lists bought county by county: what each gives, what it costs, and the cheapest set of counties.
#
# Where no statewide list exists (Arizona in 2008), an attacker buys from counties. A county's list tells
# the county; its other fields are those that the state's file knows.


_COUNTY_PURCHASE_COLUMNS = (
    "state county people total_risk price_usd usd_per_reidentification total_risk_high "
    "usd_per_reidentification_high status reason linkage_key"
)


def county_costs(
    population: Population | PeopleByZip,
    policy: Policy,
    listed: VoterList,
    county_price: Price | None = None,
    *,
    days_per_year: float = DAYS_PER_YEAR,
    coverage: Coverage | None = None,
) -> pd.DataFrame:
    """Return the total risk, price and cost of each county's list of one state.

    ``county_price``: what one county asks; by default what the list says a county costs. ``coverage``: whom the lists
    hold, in every county the same share of its adults; None: everyone. A county's price follows the records that its
    list holds. Returns one row per county, the cheapest re-identifications first, then those without a price by their
    number. ``_high`` has the unknown fields of the list released. The counties add up to the state.
    """
    holder, states = voter({listed.state: of_a_county(listed)}, listed.vintage), [listed.state]
    if coverage is not None and not coverage.knows(listed.state):
        raise InputError(
            f"the number of {coverage.title} in {listed.state} is unknown. Assume that everyone, or all adults, are "
            f"on the list."
        )
    if coverage is not None:
        holder = covered(holder, coverage)
    counted = population.county_population if isinstance(population, PeopleByZip) else population
    records = records_by_county(counted, listed.state, coverage)
    parts = break_down(Cases(population, [policy], [holder], states, (1,), days_per_year), "county")
    price = county_price or _price_of_a_county(listed.price)
    rows = [_row(part, price, records.get(part.value, 0.0)) for part in parts if part.measure.name == "total-risk"]
    table = pd.DataFrame(rows, columns=_COUNTY_PURCHASE_COLUMNS.split())
    return table.sort_values(
        ["usd_per_reidentification", "total_risk"], ascending=[True, False], na_position="last", kind="stable"
    ).reset_index(drop=True)


def of_a_county(listed: VoterList) -> VoterList:
    """Return the list as counties sell it: to be had, and each for one county."""
    county = ListField("included", "county", evidence=listed.fields["geography"].evidence)
    return replace(listed, status="available", fields={**listed.fields, "geography": county})


def _price_of_a_county(price: Price) -> Price:
    """Return the part of a price that is asked for each county; unknown where there is none."""
    if price.usd_per_county:
        return price
    return Price("unknown", note="no source gives the price of a county's list")


def records_by_county(population: Population, state: str, coverage: Coverage | None) -> dict[str, float]:
    """Return how many records the list of each county has."""
    by_county = coverage.of(population) if isinstance(coverage, RegisteredCoverage) else None
    if by_county is not None:
        records = (by_county.listed + by_county.stale).tolist()
        places = zip(by_county.county, by_county.state, records, strict=True)
        return {county: float(number) for county, home, number in places if home == state}
    people = in_memory(population if coverage is None else people_of_age(population, VOTING_AGE))
    cells = people.cells[people.cells["state"] == state]
    counted = cells.groupby("county", observed=True)["people"].sum()
    share = 1.0 if coverage is None else float(coverage.shares(people, [state], population)[0])
    return {str(county): share * number for county, number in counted.items()}


def _row(part: Part, price: Price, records: float) -> tuple[object, ...]:
    amount = price.usd(records=records, counties=1)
    risk = part.people
    assert risk is not None  # the list was made available above
    usd_per_match = [None if amount.usd is None or not end else amount.usd / end for end in (risk.low, risk.high)]
    reason = " ".join(text for text in (part.reason, amount.reason) if text)
    status = amount.status if amount.status != "ok" else part.status
    return (
        *(part.state, part.value, part.members, risk.low, amount.usd),
        *(usd_per_match[0], risk.high, usd_per_match[1], status, reason, part.linkage_key),
    )


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
