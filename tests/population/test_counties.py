from collections import defaultdict
from datetime import date

import pytest
from official_tables import official

from policy_sim.errors import InputError
from policy_sim.io.population_store.census_facts import county_history
from policy_sim.population.counties import CountyChange, CountyHistory, Part, census_day


@pytest.fixture(scope="module")
def totals():
    table = official("counties").set_index("county_fips")
    return {year: table[f"population-{year}"].dropna().astype(int) for year in (2000, 2010, 2020)}


@pytest.fixture(scope="module")
def history():
    return county_history()


@pytest.mark.parametrize(("year", "count"), [(2000, 3219), (2010, 3221), (2020, 3221)])
def test_counties_of_each_census(history, totals, year, count):
    counties = history.counties(census_day(year))
    assert len(counties) == count
    assert counties == set(totals[year].index)


def test_planning_regions_replace_the_counties_of_connecticut(history):
    now = {county for county in history.counties(date(2023, 1, 1)) if county[:2] == "09"}
    assert now == {f"091{tens}0" for tens in range(1, 10)}
    before = {county for county in history.counties(census_day(2020)) if county[:2] == "09"}
    assert before == {f"090{code:02d}" for code in range(1, 16, 2)}


@pytest.mark.parametrize(
    ("day", "gone", "come"),
    [
        (date(2001, 7, 1), {"51560"}, set()),
        (date(2001, 11, 15), set(), {"08014"}),
        (date(2013, 7, 1), {"51515"}, set()),
        (date(2015, 5, 1), {"46113"}, {"46102"}),
        (date(2015, 7, 1), {"02270"}, {"02158"}),
        (date(2019, 1, 2), {"02261"}, {"02063", "02066"}),
    ],
)
def test_codes_change_on_their_day(history, day, gone, come):
    eve = date.fromordinal(day.toordinal() - 1)
    assert history.counties(eve) - history.counties(day) == gone
    assert history.counties(day) - history.counties(eve) == come


def test_parts_add_up_to_the_census_before_the_change(history, totals):
    for change in history.changes:
        year = max(year for year in (2000, 2010, 2020) if census_day(year) < change.day)
        if any(part.people is None for part in change.parts):
            continue
        by_county = defaultdict(int)
        for part in change.parts:
            by_county[part.old] += part.people
        assert by_county == {county: totals[year][county] for county in by_county}, change.what


def test_planning_regions_have_their_published_people(history):
    # US Census Bureau, 2020 counts of the towns by planning region; they add up to Connecticut's 3,605,944.
    published = {
        "09110": 976_248,
        "09120": 325_778,
        "09130": 174_225,
        "09140": 450_376,
        "09150": 95_348,
        "09160": 112_503,
        "09170": 570_487,
        "09180": 280_430,
        "09190": 620_549,
    }
    change = next(change for change in history.changes if change.day.year == 2022)
    region = defaultdict(int)
    for part in change.parts:
        region[part.new] += part.people
    assert dict(region) == published


def test_common_areas_join_what_was_one(history):
    days = [census_day(2000), census_day(2010), census_day(2020), date(2023, 1, 1)]
    area = history.common_areas(days)
    assert area["51515"] == area["51019"] == "51019"
    assert area["46113"] == area["46102"]
    assert len({area[code] for code in ("08001", "08013", "08014", "08059", "08123")}) == 1
    assert len({area[code] for code in area if code[:2] == "09"}) == 1
    assert area["17031"] == "17031"
    for day in days:  # the same areas on each day: none is born or lost
        assert {area[county] for county in history.counties(day)} == set(area.values())


def test_common_areas_keep_everyone(history, totals):
    area = history.common_areas([census_day(2000), census_day(2020)])
    for year in (2000, 2020):
        summed = totals[year].groupby(totals[year].index.map(area)).sum()
        assert summed.sum() == totals[year].sum()


@pytest.mark.parametrize(("start", "end"), [(2000, 2010), (2010, 2020), (2020, 2023), (2023, 2020), (2020, 2000)])
def test_carrying_loses_nobody_it_does_not_name(history, start, end):
    counts = dict.fromkeys(history.counties(census_day(start)), 100.0)
    carried = history.carry(counts, census_day(start), census_day(end))
    assert set(carried.counts) <= history.counties(census_day(end))
    assert sum(carried.counts.values()) + carried.left_out == pytest.approx(sum(counts.values()), rel=1e-12)
    assert all(code[:2] in {"02", "51"} for code in carried.unmatched)


def test_carrying_renames_whole_and_splits_by_people(history):
    carried = history.carry({"46113": 50.0, "02261": 9636.0}, census_day(2010), census_day(2020))
    assert carried.counts == {"46102": 50.0, "02063": 6684.0, "02066": 2952.0}
    assert carried.estimated == ("02063", "02066")
    back = history.carry({"51019": 74_898.0}, census_day(2020), census_day(2010))
    assert back.counts["51515"] == pytest.approx(6_222.0)


def test_what_cannot_be_carried_is_named(history):
    carried = history.carry({"02280": 6684.0, "99999": 1.0}, census_day(2000), census_day(2010))
    assert carried.counts == {}
    assert "no source gives" in carried.unmatched["02280"]
    assert carried.unmatched["99999"] == "not a county on 2000-04-01"


def test_changes_out_of_order_are_refused():
    later = CountyChange(date(2010, 1, 1), "b", (Part("a", "b"),))
    earlier = CountyChange(date(2001, 1, 1), "a", (Part("a", "b"),))
    with pytest.raises(InputError, match="order of time"):
        CountyHistory(date(2010, 4, 1), frozenset({"a"}), (later, earlier))
