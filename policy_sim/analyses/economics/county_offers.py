"""The lists of counties that a buyer can have where no statewide list exists, each at its own price."""

from __future__ import annotations

from policy_sim.analyses.cases import Case, cases_of, ends_of, measure_cases
from policy_sim.analyses.county_purchase import of_a_county, records_by_county
from policy_sim.analyses.economics.budget import Offer
from policy_sim.attackers.attacker import covered, voter
from policy_sim.attackers.in_file import InFile
from policy_sim.policies.policy import Policy
from policy_sim.population.partition import split_people
from policy_sim.population.population import AnyPopulation, in_memory
from policy_sim.population.zip_shares import PeopleByZip
from policy_sim.voter_lists.price import Price

__all__ = ["county_offers"]


def county_offers(
    population: AnyPopulation,
    policy: Policy,
    case: Case,
    county_price: Price | None,
    in_file: InFile | None,
    *,
    released: bool,
    days_per_year: float,
) -> list[Offer] | str:
    """Return one offer per county of a state, or why there is none.

    Each county's list holds the same share of its adults as the state's lists together: the attacker's coverage.

    Parameters
    ----------
    population, policy, in_file, days_per_year : As in :func:`policy_sim.analyses.comparison.compare`.
    case : The state whose counties sell, and who buys.
    county_price : What one county asks where no source says; else what the state's list says that a county costs.
    released : Count a list's unknown fields as released instead of withheld.
    """
    if not case.attacker.holds_state_list_alone:
        return "county lists are measured only by themselves, not combined with other files"
    counted = population.county_population if isinstance(population, PeopleByZip) else in_memory(population)
    listed, coverage = case.attacker.voter_list(case.state), case.attacker.coverage
    price = county_price or (listed.price if listed.price.usd_per_county else None)
    if price is None:
        return "no source gives the price of a county's list; assume a price"
    if coverage is not None and not coverage.knows(case.state):
        return f"the number of {coverage.title} in {case.state} is unknown"
    holder = covered(voter({case.state: of_a_county(listed)}, listed.vintage), coverage)
    (counties,) = cases_of(population, [policy], [holder], [case.state])
    measured = measure_cases(
        population, [counties], lambda groups, chances: chances.claims(groups), days_per_year, "county", in_file=in_file
    )
    ends = ends_of(counties, measured)
    assert ends is not None  # the list was made available above
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
