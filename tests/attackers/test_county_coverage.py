from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_people import population_of

from policy_sim.attackers.county_coverage import ASSUMED, county_coverage, load_coverage, scaled
from policy_sim.attackers.county_records import AGES
from policy_sim.attackers.coverage import load_registered_voters, survey_of_people
from policy_sim.people.by_name import load_population
from policy_sim.voter_lists.registration import load_registration
from policy_sim.words.errors import InputError


@pytest.fixture(scope="module")
def of_2020():
    return load_population("us-2020")


@pytest.fixture(scope="module")
def coverage(of_2020):
    return county_coverage(of_2020, 2024)


WITHOUT_COUNTY = ["state", "age", "age_width", "people"]


def made_up(rows, day="2020-04-01"):
    return population_of(rows, ["state", "county", "age", "age_width", "people"], day, "made-up")


def test_every_adult_and_every_record_has_its_place(of_2020, coverage):
    assert coverage.adults.sum() == of_2020.of_age(18).people
    listed, stale = coverage.listed_by_age, coverage.stale_by_age
    np.testing.assert_allclose(listed.sum(axis=1), coverage.listed, rtol=1e-12)
    np.testing.assert_allclose(stale.sum(axis=1), coverage.stale, rtol=1e-12, atol=1e-9)
    assert (listed <= coverage.adults * (1 + 1e-12)).all()
    assert 0 <= coverage.chance.min() <= coverage.chance.max() <= 1
    assert (coverage.stale >= 0).all()


def test_the_reported_records_of_2024_are_accounted_for(coverage):
    """County by county: what was reported is used as it is, but for what a flag and a note name."""
    reported = load_registration().reported(2024)
    known = {str(row.fips): row for row in reported.itertuples() if pd.notna(row.registered)}
    used = dict(zip(coverage.county, zip(coverage.reported, coverage.flag, coverage.note, strict=True), strict=True))
    records = dict(zip(coverage.county, (coverage.listed + coverage.stale).tolist(), strict=True))
    alaska = {code for code in used if code[:2] == "02"}
    assert set(known) - {"02"} <= set(used)
    assert sum(records[code] for code in alaska) == 611_078
    for code, row in known.items():
        if code == "02":
            continue
        assert used[code][0][0] == row.registered
        if records[code] != row.registered:
            assert used[code][1]
            assert used[code][2]
    assert sum(int(row.registered) for row in known.values()) == 232_361_684
    changed = {code for code in known if code != "02" and records[code] != known[code].registered}
    assert changed == {"17007", "17021", "17107", "17137", "28063", "28065", "17099"}
    added = set(used) - set(known) - alaska
    assert {code[:2] for code in added} == {"15", "38"}, "Kalawao, and North Dakota without registration"
    assert sum(records.values()) == 611_078 + sum(records[code] for code in set(used) - alaska)


def test_north_dakota_has_the_rate_of_the_survey(coverage):
    places = coverage.rows_of(["ND"])
    says = load_registered_voters()["cps-2024"].by_state["ND"]
    assert coverage.listed[places].sum() == pytest.approx(says, abs=len(places))
    assert not coverage.stale[places].any()
    assert {coverage.flag[place] for place in places} <= {"survey", "survey+capped"}
    assert any("ND has no voter registration" in note for note in coverage.notes())
    assert survey_of_people(2012).by_state["ND"] == load_registered_voters()["cps-2008"].by_state["ND"]


def test_alaska_is_the_one_number_of_the_state(coverage):
    places = coverage.rows_of(["AK"])
    records = (coverage.listed + coverage.stale)[places]
    rates = records / coverage.adults[places].sum(axis=1)
    assert records.sum() == 611_078
    assert np.ptp(rates) < 2e-3, "the same rate in every borough, up to a record"
    assert all("state" in coverage.flag[place].split("+") for place in places)


def test_a_county_with_more_active_records_than_adults_is_capped(coverage):
    loving = coverage.county.index("48301")
    assert coverage.flag[loving] == "high+capped"
    assert coverage.listed[loving] == coverage.adults[loving].sum()
    assert (coverage.chance[loving] == 1).all()
    assert coverage.note[loving].endswith("adults: capped")


def test_connecticut_is_as_the_population_has_it():
    by_region = load_population("us-2022").in_states(["CT"])
    regions, moved = county_coverage(by_region, 2024), county_coverage(by_region, 2020)
    assert (len(regions.county), regions.county[0]) == (9, "09110")
    assert not any("moved" in flag for flag in regions.flag), "counted by planning region in 2024"
    assert all("moved" in flag for flag in moved.flag)
    by_county = county_coverage(load_population("us-2020").in_states(["CT"]), 2020)
    assert (moved.listed + moved.stale).sum() == (by_county.listed + by_county.stale).sum()
    assert (regions.listed + regions.stale).sum() == 2_520_650


@pytest.mark.parametrize(
    ("population", "state", "year", "county"),
    [("us-2010", "SD", 2024, "46113"), ("us-2020", "SD", 2010, "46102"), ("us-2000", "VA", 2010, "51560")],
)
def test_records_follow_counties_that_changed(population, state, year, county):
    people = load_population(population).in_states([state])
    coverage = county_coverage(people, year)
    reported = load_registration().reported(year)
    of_state = reported[reported["state"] == state]["registered"].sum()
    assert sum(numbers[0] for numbers in coverage.reported) == of_state
    assert "moved" in coverage.flag[coverage.county.index(county)]


def test_ages_in_classes_are_spread_over_single_years():
    people = made_up(
        [("DE", "10001", 0, 18, 9), ("DE", "10001", 18, 2, 5), ("DE", "10001", 100, 5, 7), ("DE", "10001", 110, 1, 3)]
    )
    coverage = county_coverage(people, 2024)
    by_age = dict(zip(AGES.tolist(), coverage.adults[0].tolist(), strict=True))
    assert [by_age[age] for age in (18, 19, 100, 101, 102, 104, 110, 111, 112, 113)] == [3, 2, 2, 2, 1, 1, 1, 1, 1, 0]
    assert sum(by_age.values()) == 15


def test_a_county_that_nobody_counted_has_the_rate_of_its_state(of_2020, coverage):
    kalawao = coverage.county.index("15005")
    assert (coverage.flag[kalawao], coverage.note[kalawao]) == ("none", "no number: the state's rate")
    counted = load_registration().usable(2024).query("state == 'HI' and records.notna()")
    rate = counted["records"].sum() / counted["adults"].sum()
    assert (coverage.listed + coverage.stale)[kalawao] == round(rate * coverage.adults[kalawao].sum())


def test_a_part_of_a_countys_people_has_the_rate_of_the_county():
    coverage = county_coverage(made_up([("DE", "10001", 20, 1, 1000)]), 2024)
    kent = load_registration().usable(2024).loc["10001"]
    assert (coverage.listed + coverage.stale).tolist() == [round(kent.records / kent.adults * 1000)]
    assert coverage.flag[0].endswith("part")
    assert coverage.note[0].endswith("records at the county's rate")


def test_what_cannot_be_answered():
    with pytest.raises(InputError, match=r"year = 2023: .* 2010"):
        county_coverage(made_up([("DE", "10001", 20, 1, 9)]), 2023)
    with pytest.raises(InputError, match=r"counted in PR: leave it out"):
        county_coverage(made_up([("PR", "72001", 20, 1, 9)]), 2024)
    with pytest.raises(InputError, match="population made-up has no county"):
        county_coverage(population_of([("DE", 20, 1, 9)], WITHOUT_COUNTY, name="made-up"), 2024)


@given(
    st.lists(st.lists(st.integers(0, 10**6), min_size=4, max_size=4), min_size=1, max_size=5),
    st.lists(st.floats(0, 1), min_size=5, max_size=5),
)
def test_scaling_keeps_the_listed_and_the_order(adults, shares):
    people = np.array(adults)
    listed = np.array([round(share * sum(row)) for share, row in zip(shares, adults, strict=False)])
    rate = np.array([0.25, 0.8, 0.75, 1.0])
    chance = scaled(people, rate, listed)
    np.testing.assert_allclose((people * chance).sum(axis=1), listed, rtol=1e-9, atol=1e-6)
    assert ((chance >= 0) & (chance <= 1)).all()
    for row, held in zip(chance, people, strict=True):
        inside = (row < 1) & (held > 0)
        if inside.sum() > 1:
            assert np.ptp(row[inside] / rate[inside]) <= 1e-9 * max(row.max(), 1e-9)


def test_what_else_may_be_assumed_changes_that_alone(of_2020, coverage):
    registered = load_coverage("registered", "2026")
    others = {other.name: other for other in registered.others}
    assert len({registered, *others.values()}) == len(others) + 1 == len(ASSUMED) + 2
    ohio = of_2020.in_states(["OH"])
    base, earlier = registered.of(ohio), others["registered-2022"].of(ohio)
    assert (base.year, earlier.year) == (2024, 2022)
    no_stale, residents, nj, pa, alike = (others[f"registered-{name}"].of(ohio) for name in ASSUMED)
    assert not no_stale.stale.any()
    np.testing.assert_array_equal(no_stale.chance, base.chance)
    np.testing.assert_array_equal(residents.listed, np.minimum(base.listed + base.stale, base.adults.sum(axis=1)))
    for ages in (nj, pa, alike):
        np.testing.assert_array_equal(ages.listed, base.listed)
        np.testing.assert_array_equal(ages.stale, base.stale)
    young = [each.listed_by_age[:, :2].sum() for each in (pa, base, nj, alike)]
    assert young == sorted(young), "fewest of 18 and 19 by the list of Pennsylvania"
    assert registered.of(ohio) is base, "worked out once for each population and assumption"


def test_the_notes_say_what_was_taken(coverage):
    notes = "\n".join(coverage.notes())
    assert "November 2024 (US Election Assistance Commission)" in notes
    assert "adults: us-2020, 2020-04-01" in notes
    assert "records of 2024 over adults of 2020" in notes
    assert "New Jersey (June 19, 2024) and Pennsylvania" in notes
    assert "ID, MN, NH, OR, WI, WY reported" in notes


# Who is registered, as an attacker's coverage.


def test_the_records_of_a_state_are_those_of_residents_and_of_people_who_left(of_2020, coverage):
    registered = load_coverage("registered", "2026")
    assert registered.year == 2024
    assert registered.records(of_2020) == coverage.by_state(stale=True)
    adults = of_2020.of_age(18)
    shares = registered.shares(of_2020, ["DE", "WY"])
    listed, people = coverage.by_state(), adults.people_by_state()
    assert shares.tolist() == pytest.approx([listed[state] / people[state] for state in ("DE", "WY")])
    assert registered.listing(of_2020).county == coverage.county


def test_the_listing_says_what_the_coverage_does(coverage):
    listing = coverage.listing
    assert not listing.chance[:, :18].any()
    np.testing.assert_allclose((listing.chance[:, AGES] * coverage.adults).sum(axis=1), coverage.listed, rtol=1e-12)
    np.testing.assert_allclose(listing.stale * coverage.listed, coverage.stale, rtol=1e-12)


def test_people_without_counties_have_the_rate_of_the_survey():
    states = population_of([("DE", 10, 1, 9), ("DE", 40, 1, 2_000_000)], WITHOUT_COUNTY, "2020-04-01")
    registered, survey = load_coverage("registered", "2026"), load_coverage("survey", "2026")
    assert registered.listing(states) is None
    assert registered.records(states) == survey.records(states)
    assert registered.shares(states, ["DE"]).tolist() == survey.shares(states, ["DE"]).tolist()


@pytest.mark.parametrize(("vintage", "year"), [("2008", 2010), ("2015-06-01", 2016), ("2019", 2020), ("2026", 2024)])
def test_the_records_are_those_of_the_nearest_election(vintage, year):
    assert load_coverage("registered", vintage).year == year
