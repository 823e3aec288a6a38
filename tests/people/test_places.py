"""A policy by county and ZIP code, for a population that counts one of the two."""

from __future__ import annotations

from collections import defaultdict
from datetime import date

import pandas as pd
import pytest
from official_tables import official
from small_people import people_of, population_of

from policy_sim.people.facts import county_history
from policy_sim.people.places import (
    AGE_BANDS,
    SPLITS,
    CountyChange,
    CountyHistory,
    Part,
    as_counted,
    as_counted_note,
    as_shown,
    census_day,
    shown_note,
    split_people,
    without_zip,
)
from policy_sim.people.population import Population
from policy_sim.policies.files import load_policy
from policy_sim.policies.policy import policy_from_text
from policy_sim.study.study import Study
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.fields import Field

AS_WRITTEN = "limited-dataset"


def population(*places: str) -> Population:
    """40 people of one ZIP code and 60 of another, 30 of these in a second county."""
    rows = [("CT", "09001", "06001", 40), ("CT", "09001", "06002", 30), ("CT", "09003", "06002", 30)]
    table = pd.DataFrame(rows, columns=["state", "county", "zip5", "people"])
    cells = table.groupby(["state", *places], as_index=False)["people"].sum().assign(sex="M", age=40, age_width=1)
    cells["race"] = "white"
    return people_of(cells, "2020-04-01")


def test_without_counties_the_zip_code_alone_is_released():
    people, policy = population("zip5"), load_policy(AS_WRITTEN)
    assert as_shown(policy, people).releases[Field.GEOGRAPHY] == "zip5"
    assert as_shown(policy, people).rules == policy.rules
    assert "no counties" in shown_note(policy, people)


@pytest.mark.parametrize(
    ("name", "places"),
    [
        *((name, ("zip5",)) for name in ("safe-harbor", "limited-dataset-paper", "zip5")),
        *((AS_WRITTEN, places) for places in (("county", "zip5"), ("county",))),
    ],
)
def test_no_other_policy_is_touched_and_none_with_counties_or_without_zip_codes(name, places):
    policy, people = load_policy(name), population(*places)
    assert as_shown(policy, people) is policy
    assert shown_note(policy, people) == ""


def test_a_study_measures_whole_zip_code_areas():
    """Areas of 40 and 60 people, each over 365 dates: occupied dates by hand."""
    (profile,) = Study(population("zip5")).compare([AS_WRITTEN], ["general"]).profiles
    by_hand = sum(365 * (1 - (1 - 1 / 365) ** people) for people in (40, 60))
    assert profile.linkage_key.endswith("geography=zip5")
    assert profile.people("total-risk").low == pytest.approx(by_hand, rel=1e-12)


def test_a_study_by_county_alone_is_measured_by_county_and_says_so():
    answer = Study(population("county")).compare([AS_WRITTEN], ["general"])
    assert answer[0].linkage_key.endswith("geography=county")
    assert any("measured by county, not by ZIP code" in note for note in answer.provenance.notes)


def test_a_policy_by_zip_code_of_ones_own_is_still_refused():
    with pytest.raises(InputError, match="has no zip5"):
        Study(population("county")).compare(["zip5"], ["general"])


@pytest.mark.parametrize(
    ("name", "places", "shown"),
    [
        ("safe-harbor", ("county",), "state"),
        (AS_WRITTEN, ("county",), "county"),
        (AS_WRITTEN, (), "state"),
        (AS_WRITTEN, ("county", "zip5"), "county_zip5"),
        (AS_WRITTEN, ("zip5",), "county_zip5"),
        ("safe-harbor", ("zip5",), "zip3"),
        ("limited-dataset-paper", ("county",), "county"),
    ],
)
def test_zip_codes_become_what_the_population_has(name, places, shown):
    policy, people = load_policy(name), population(*places)
    coarser = without_zip(policy, people)
    assert coarser.releases[Field.GEOGRAPHY] == shown
    assert ("by ZIP code" in as_counted_note(policy, people)) == (coarser is not policy)
    if coarser is not policy:
        assert coarser.conditions.small_places is None
        assert coarser.conditions.top_age == policy.conditions.top_age
        assert coarser.name == f"{name}-without-zip"
        assert coarser.left_out in as_counted_note(policy, people)


def test_a_shipped_policy_has_race_alone_where_the_population_has_no_ethnicity():
    """Its name stays, the reason of every row says it; one's own policy with ethnicity is refused."""
    people = population("county", "zip5")
    assert "ethnicity" not in people.columns
    answer = Study(people).compare(["safe-harbor", "safe-harbor-race-alone"], ["general"])
    first, second = answer.profiles
    assert (first.policy, first.linkage_key) == ("safe-harbor", second.linkage_key)
    assert first.figures == second.figures
    assert "race alone" in first.reason
    assert any("race alone: population" in note for note in answer.provenance.notes)
    assert as_counted(load_policy("zip5"), people).releases[Field.RACE] == "value"
    own = policy_from_text("sex+race_ethnicity+birth=year+geography=county")
    assert as_counted(own, people) is own


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
    published = [976_248, 325_778, 174_225, 450_376, 95_348, 112_503, 570_487, 280_430, 620_549]
    change = next(change for change in history.changes if change.day.year == 2022)
    region = defaultdict(int)
    for part in change.parts:
        region[part.new] += part.people
    assert dict(region) == {f"091{tens}0": people for tens, people in enumerate(published, 1)}


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


@pytest.mark.parametrize("forward", [True, False])
def test_shares_of_a_change_lose_nobody_and_are_unknown_in_two_states_at_most(history, forward):
    for change in history.changes:
        shares = change.shares(forward=forward)
        if shares is None:
            assert all(part.old[:2] in {"02", "51"} for part in change.parts)
            continue
        assert set(shares) == (change.old if forward else change.new)
        assert all(sum(to.values()) == pytest.approx(1, rel=1e-12) for to in shares.values())


def test_a_county_is_split_by_people(history):
    (split,) = [change for change in history.changes if "02261" in change.old]
    assert split.shares(forward=True) == {"02261": {"02063": 6684 / 9636, "02066": 2952 / 9636}}


def test_changes_out_of_order_are_refused():
    later = CountyChange(date(2010, 1, 1), "b", (Part("a", "b"),))
    earlier = CountyChange(date(2001, 1, 1), "a", (Part("a", "b"),))
    with pytest.raises(InputError, match="order of time"):
        CountyHistory(date(2010, 4, 1), frozenset({"a"}), (later, earlier))


# Parts of a population: every cell is in one part, and the parts are named in their order.


PEOPLE = population_of(
    [
        ("OH", "39001", "M", 17, 1, "white", "hispanic", 4_999),
        ("OH", "39003", "F", 18, 1, "asian", "not_hispanic", 5_000),
        ("WV", "54001", "F", 85, 5, "black", "not_hispanic", 7),
    ],
    ["state", "county", "sex", "age", "age_width", "race", "ethnicity", "people"],
)


@pytest.mark.parametrize("field", SPLITS)
def test_every_cell_is_in_a_part_that_has_a_name(field):
    split = split_people(PEOPLE, field)
    assert len(split.codes) == len(PEOPLE.cells)
    assert ((split.codes >= 0) & (split.codes < len(split.names))).all()
    assert len(set(split.names)) == len(split.names)


def test_an_age_belongs_to_the_band_that_it_begins_in_and_a_cell_to_its_county():
    assert [AGE_BANDS[code] for code in split_people(PEOPLE, "age").codes] == [0, 18, 85]
    assert len(set(split_people(PEOPLE, "county").codes.tolist())) == 3


def test_what_is_missing_or_not_known_is_one_line():
    without = people_of(PEOPLE.cells.drop(columns="race"))
    with pytest.raises(InputError, match=r"^population made has no race"):
        split_people(without, "race")
    with pytest.raises(UnknownNameError, match="breakdown"):
        split_people(PEOPLE, "income")
