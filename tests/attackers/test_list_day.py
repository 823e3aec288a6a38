"""Lists on their day: cohorts by hand, against people whose lives are drawn, and every record accounted for."""

from __future__ import annotations

import datetime as dt
import re

import numpy as np
import pandas as pd
import pytest
from drawn_lives import deaths, years_to_death
from small_people import population_of

from policy_sim import InputError, Study
from policy_sim.attackers.county_coverage import county_coverage, load_coverage
from policy_sim.attackers.coverage import ADULTS
from policy_sim.attackers.list_day import ListDayCoverage, election_day, on_list_day, people_by_age
from policy_sim.people.by_name import load_population
from policy_sim.people.survival import aged

YEARS, KEPT = 4.6, 2.0


@pytest.fixture(scope="module")
def of_2020():
    return load_population("us-2020").in_states(["DE", "OH", "VT"])


@pytest.fixture(scope="module")
def own(of_2020):
    return county_coverage(of_2020, 2024)


@pytest.fixture(scope="module")
def people(of_2020, own):
    return people_by_age(of_2020, own.county)


def test_a_year_of_survival_by_hand():
    # half a year at 70 and half at 71, for somebody in the middle of the year of age
    here, there = deaths()[70:72]
    later = aged(1.0, 0.5)
    middle = later.alive[70, [23, 24]].mean()
    assert middle == pytest.approx(np.sqrt((1 - here) * (1 - there)), rel=1e-6)
    assert later.age[70].tolist() == [71] * 48
    assert aged(0.5, 0.0).age[70].tolist() == [70] * 24 + [71] * 24


def test_survival_is_a_chain_and_deaths_are_what_is_missing():
    two, five, seven = aged(2.0, 0.0), aged(5.0, 0.0), aged(7.0, 2.0)
    np.testing.assert_allclose(seven.alive[:110], (two.alive[:110] * five.alive[2:112]), rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(seven.died, five.alive - seven.alive, atol=1e-15)
    assert (aged(1.0, 3.0).died == 1 - aged(1.0, 0.0).alive).all()  # deaths before the census are left out
    assert (aged(0.0, 2.0).alive == 1).all()
    assert (aged(0.0, 2.0).died == 0).all()
    with pytest.raises(InputError, match="0 or more"):
        aged(-1.0, 0.0)


def test_on_the_day_of_the_census_nothing_moves(own, people):
    moved = on_list_day(own, people, 0.0, KEPT)
    np.testing.assert_allclose(moved.chance, own.chance, rtol=1e-9)
    np.testing.assert_allclose(moved.by_cohort[:, 18:], own.chance_by_age, rtol=1e-9)
    assert (moved.by_cohort[:, :18] == 0).all()
    np.testing.assert_allclose(moved.listed, own.listed, rtol=1e-12)
    np.testing.assert_allclose(moved.stale, own.stale, atol=1e-6)


@pytest.mark.parametrize("kept", [0.0, KEPT, 4.0, 20.0])
def test_each_county_has_the_records_that_it_had(own, people, kept):
    moved = on_list_day(own, people, YEARS, kept)
    np.testing.assert_allclose(moved.listed + moved.stale, own.listed + own.stale, rtol=1e-12)
    np.testing.assert_allclose((people * moved.by_cohort).sum(axis=1), moved.listed, rtol=1e-9)
    assert (moved.dead >= 0).all()
    assert (moved.stale >= 0).all()
    residents = (people @ aged(YEARS, 0.0).by_class(own.shape.starts)[0]).sum(axis=1)
    living = moved.listed - moved.dead
    np.testing.assert_allclose(living, np.minimum(np.minimum(own.active, own.records.records), residents), rtol=1e-9)
    assert (moved.dead.sum() == 0) == (kept == 0)


def test_without_records_of_people_who_left_there_are_none_of_the_dead(of_2020):
    coverage = ListDayCoverage.at(load_coverage("registered", "2026"))
    (none,) = [each for each in coverage.others if each.assumed == "no-stale"]
    counted = none.of(of_2020)
    assert counted.dead.sum() == counted.stale.sum() == 0
    (residents,) = [each for each in coverage.others if each.assumed == "all-residents"]
    everyone = residents.of(of_2020)
    assert everyone.listed.sum() - everyone.dead.sum() > counted.listed.sum()
    whole = sum(coverage.of(of_2020).by_state(stale=True).values())
    assert (everyone.listed + everyone.stale).sum() == pytest.approx(whole)


def test_against_people_whose_lives_are_drawn(of_2020, own, people):
    """Birthdays, deaths and registrations of a county, person by person; four and a half standard errors allowed."""
    rng, county = np.random.default_rng(7), own.county.index("50007")
    moved = on_list_day(own, people, YEARS, KEPT)
    persons = np.round(people[county]).astype(int)
    born = np.repeat(np.arange(120), persons)
    exact = born + rng.random(len(born))
    died = years_to_death(rng, exact)
    age = (exact + YEARS).astype(int)
    row = np.searchsorted(own.shape.starts, age, side="right") - 1
    lists = (row >= 0) & (rng.random(len(born)) < moved.chance[county, row])
    gone = moved.chance[county] @ aged(YEARS, KEPT).by_class(own.shape.starts)[1].T
    share = moved.dead[county] / (people[county] @ gone)
    stays = (died > YEARS) | ((died >= YEARS - KEPT) & (rng.random(len(born)) < share))
    counted = np.bincount(born[lists & stays], minlength=120)
    expected = persons * moved.by_cohort[county]
    spread = np.sqrt(np.maximum(expected * (1 - moved.by_cohort[county]), 1.0))
    assert (abs(counted - expected) < 4.5 * spread).all()
    assert abs(counted.sum() - expected.sum()) < 4.5 * np.sqrt(spread @ spread)


def test_the_day_ages_and_who_is_asked(of_2020):
    assert election_day(2010) == dt.date(2010, 11, 2)
    coverage = ListDayCoverage.at(load_coverage("registered", "2026"))
    assert coverage.day == dt.date(2024, 11, 5)
    assert coverage.years_in(of_2020) == pytest.approx(4.597, abs=1e-3)
    assert coverage.ages_in(of_2020) == (13, None)
    assert ListDayCoverage.at(ADULTS) is ADULTS
    before = ListDayCoverage.at(load_coverage("registered", "2026"), dt.date(2019, 1, 1))
    assert before.years_in(of_2020) == 0
    assert "population's day" in before.note_on(of_2020)
    child = [("DE", "10001", 14, 1, 50), ("DE", "10001", 40, 1, 1000)]
    small = population_of(child, ["state", "county", "age", "age_width", "people"], "2020-04-01", "made-up")
    counted = coverage.of(small)
    assert counted.by_cohort[0, 14] > 0  # 14 then, 18 at the election
    assert counted.by_cohort[0, 13] < counted.by_cohort[0, 14]  # some of 13 are 17 still


def test_the_range_has_the_figure_and_the_records_are_those_counted():
    rows = Study("us-2020").list_dates(["DE", "VT"]).to_frame().set_index("state")
    for name in ("alone", "dates"):
        assert (rows[f"{name}_low"] <= rows[name]).all()
        assert (rows[name] <= rows[f"{name}_high"]).all()
    assert rows["records"].tolist() == [788_441, 500_986]


def test_records_alone_by_a_binomial_a_cohort():
    """Wyoming has no records of people who left. Half a percent allowed: chances differ between counties."""
    (row,) = Study("us-2020").list_dates("WY", day="2020-04-01", years_kept=0).to_frame().to_dict("records")
    table = load_population("us-2020").in_states(["WY"])
    own = county_coverage(table, 2024)
    by_age = (people_by_age(table, own.county) * np.pad(own.chance_by_age, ((0, 0), (18, 0)))).sum(axis=0)
    people = people_by_age(table, own.county).sum(axis=0)
    alone = 0.0
    for age in np.flatnonzero(by_age):  # one binomial a cohort of one year; 100 to 109 are in bins of five
        if age < 100:
            chance = by_age[age] / people[age] / 365.25
            alone += 365.25 * people[age] * chance * (1 - chance) ** (people[age] - 1)
    whole = by_age[100:].sum()
    assert alone <= row["alone"] <= alone + whole + 0.005 * alone


@pytest.mark.parametrize(
    ("values", "message"),
    [({"day": "2019-01-01"}, "later day"), ({"years_kept": 21}, "0 to 20"), ({"states": "ZZ"}, "ZZ")],
)
def test_what_cannot_be_answered_is_refused_in_one_line(values, message):
    with pytest.raises(InputError, match=message) as said:
        Study("us-2020").list_dates(**{"states": "DE"} | values)
    assert "\n" not in str(said.value)


def test_the_table_of_the_page_is_what_is_computed(root):
    table = (root / "docs" / "lists-measured.md").read_text()
    study = Study("us-2020", 2026)
    for state in ("DE", "OH", "VT"):
        (line,) = [line for line in table.splitlines() if line.startswith(f"| {state} | ")]
        (row,) = study.list_dates(state).to_frame().to_dict("records")
        figures = [
            row["records"],
            *(row[f"{name}{end}"] for name in ("alone", "dates") for end in ("", "_low", "_high")),
        ]
        assert [int(text.replace(",", "")) for text in re.findall(r"[\d,]+", line)] == [round(each) for each in figures]


def test_three_years_later_old_people_are_those_that_the_bureau_estimates(shared):
    """The estimates of July 1, 2023, without Texas: the error of each class in percent, pinned as the page prints it.

    Their base of April 2020 is in us-2020, so only three years of aging and deaths are tested.
    """
    found = pd.read_parquet(shared / "census" / "county_2023_pep_v2023_sex_single_year.parquet")
    starts = np.array([18, 20, 25, 35, 45, 55, 65, 75, 85])
    found = found[(found["state_fips"] != "72") & (found["age"] >= starts[0])]
    there = np.bincount(np.searchsorted(starts, found["age"], side="right") - 1, found["population"])
    whole = load_population("us-2020")
    counties = tuple(whole.counties)
    people = people_by_age(whole, counties)[[code[:2] != "48" for code in counties]].sum(axis=0)
    moved, unmoved = (people @ aged(years, 0.0).by_class(starts)[0] / there - 1 for years in (3.25, 0.0))
    assert (100 * moved).round(1).tolist() == [-3.3, -1.3, -0.7, 0.0, 0.3, 0.3, 0.2, -0.3, -2.4]
    assert (100 * unmoved).round(1).tolist() == [-0.2, -0.6, 1.4, -2.8, 2.8, 3.7, -6.2, -13.8, -1.2]
