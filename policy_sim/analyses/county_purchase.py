"""Lists bought county by county: what each gives, what it costs, and the cheapest set of counties.

Where no statewide list exists (Arizona in 2008), an attacker buys from counties. A county's list tells
the county; its other fields are those that the state's file knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from policy_sim.analyses.breakdown import Part, break_down
from policy_sim.attackers.attacker import covered, voter
from policy_sim.attackers.coverage import VOTING_AGE, Coverage
from policy_sim.errors import InputError, NotEstimableError
from policy_sim.policies.policy import Policy
from policy_sim.population.merge import DAYS_PER_YEAR, people_of_age
from policy_sim.population.population import Population, in_memory
from policy_sim.population.zip_shares import PeopleByZip
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["cheapest_counties", "county_costs", "of_a_county", "records_by_county"]

_COLUMNS = (
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

    Parameters
    ----------
    population : Needs counties.
    policy : What is released.
    listed : The state's list; its status does not matter, its fields are those of the counties' lists.
    county_price : What one county asks; by default what the list says a county costs.
    days_per_year : As in :func:`policy_sim.analyses.comparison.compare`.
    coverage : Whom the lists hold, in every county the same share of its adults; None: everyone. A county's price
        follows the records that its list holds.

    Returns
    -------
    One row per county, the cheapest re-identifications first, then those without a price by their
    number. ``_high`` has the unknown fields of the list released. The counties add up to the state.

    Raises
    ------
    UnknownNameError : a state without people in the population.
    InputError : a population without counties; a state for which the coverage has no figure.
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
    parts = break_down(population, [policy], [holder], "county", states=states, g=(1,), days_per_year=days_per_year)
    price = county_price or _priceof_a_county(listed.price)
    rows = [_row(part, price, records.get(part.value, 0.0)) for part in parts if part.measure.name == "total-risk"]
    table = pd.DataFrame(rows, columns=_COLUMNS.split())
    return table.sort_values(
        ["usd_per_reidentification", "total_risk"], ascending=[True, False], na_position="last", kind="stable"
    ).reset_index(drop=True)


def of_a_county(listed: VoterList) -> VoterList:
    """Return the list as counties sell it: to be had, and each for one county."""
    county = ListField("included", "county", evidence=listed.fields["geography"].evidence)
    return replace(listed, status="available", fields={**listed.fields, "geography": county})


def _priceof_a_county(price: Price) -> Price:
    """Return the part of a price that is asked for each county; unknown where there is none."""
    if price.usd_per_county:
        return price
    return Price("unknown", note="no source gives the price of a county's list")


def records_by_county(population: Population, state: str, coverage: Coverage | None) -> dict[str, float]:
    """Return how many people the list of each county holds."""
    people = in_memory(population if coverage is None else people_of_age(population, VOTING_AGE))
    cells = people.cells[people.cells["state"] == state]
    by_county = cells.groupby("county", observed=True)["people"].sum()
    share = 1.0 if coverage is None else coverage.share(state, float(by_county.sum()))
    return {str(county): share * people for county, people in by_county.items()}


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

    Parameters
    ----------
    table : From :func:`county_costs`.
    goal : Expected re-identifications, above 0.
    released : Count the unknown fields of the lists as released, not as withheld.

    Returns
    -------
    Rows of the table, in its order. Exact: a binary program, not the best ratio first.

    Raises
    ------
    InputError : ``goal`` is not above 0.
    NotEstimableError : no county has a price, or those that have one together give less.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

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
    options: Mapping[str, float] = {"mip_rel_gap": 0.0}
    solution = milp(
        priced["price_usd"].to_numpy(np.float64),
        integrality=np.ones(len(priced)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(risk[None, :], lb=goal),
        options=options,
    )
    if solution.x is None:
        raise NotEstimableError(f"the search found no cheapest set of counties: {solution.message}")
    chosen = np.flatnonzero(np.round(solution.x))
    return priced.iloc[chosen.tolist()]
