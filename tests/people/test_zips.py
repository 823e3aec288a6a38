"""People of counties placed in ZIP code areas: by hand and by conservation."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_people import people_of, population_of

from benchmarks.vintages import MOST, YEARS, gaps
from policy_sim.formulas.groups import g_distinct, total_risk
from policy_sim.people.by_name import load_population
from policy_sim.people.merge import MergeKey
from policy_sim.people.merging import merge, merge_by_zip
from policy_sim.people.population import sums_by
from policy_sim.people.regions import people_by_region, planning_regions
from policy_sim.people.store import load_shipped, population_facts, provenance_of
from policy_sim.people.zip_populations import load_zip_population, zip_provenance
from policy_sim.people.zips import (
    ZIP_POPULATIONS,
    PeopleByZip,
    ZipShares,
    by_region,
    counties_without_parts,
    deal_out,
    in_regions,
    in_zip_areas,
    parts_of,
    share_out,
    small_zip3,
    with_zip_codes,
    zip_parts,
)
from policy_sim.policies.policy import NO_CONDITIONS, Conditions, SmallPlaces
from policy_sim.study.study import Study
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities

PEOPLE = population_of(
    [
        ("OH", "39001", "M", 30, 1, "white", 400),
        ("OH", "39001", "F", 30, 1, "white", 600),
        ("OH", "39003", "F", 31, 1, "asian", 1),
        ("WV", "54001", "F", 31, 1, "black", 7),
    ],
    date="2010-04-01",
)
PARTS = pd.DataFrame(
    [("39001", "44101", 750), ("39001", "44102", 245), ("39003", "44101", 1), ("54001", "25001", 7), ("01001", "1", 5)],
    columns=["county", "zip5", "people"],
)


def test_every_cell_and_every_part_keeps_its_people():
    made = in_zip_areas(PEOPLE, PARTS).cells
    by_cell = made.groupby(["county", "sex", "age", "race"], observed=True)["people"].sum()
    assert sorted(by_cell) == [1, 7, 400, 600]
    by_part = made.groupby(["county", "zip5"], observed=True)["people"].sum()
    # 1,000 people live in the county, 995 in its two areas: the other 5 are shared out as 750 to 245.
    assert by_part.to_dict() == {
        ("39001", "44101"): 754,
        ("39001", "44102"): 246,
        ("39003", "44101"): 1,
        ("54001", "25001"): 7,
    }
    assert (made["people"] > 0).all()


def test_areas_have_the_make_up_of_their_county_but_for_chance():
    made = in_zip_areas(PEOPLE, PARTS).cells
    men = made[(made["zip5"] == "44102") & (made["sex"] == "M")]["people"].sum()
    # Hypergeometric: 246 drawn of 1,000 of whom 400 are men: mean 98.4, standard deviation 6.7; five of them.
    assert abs(men - 98.4) < 33.5


def test_a_state_is_placed_alike_alone_and_with_others():
    alone = in_zip_areas(PEOPLE.in_states(["OH"]), PARTS).cells
    together = in_zip_areas(PEOPLE, PARTS).in_states(["OH"]).cells
    pd.testing.assert_frame_equal(alone.astype(str), together.astype(str))


def test_a_county_without_a_part_says_so():
    for place in (in_zip_areas, ZipShares.of):
        with pytest.raises(InputError, match=r"county 54001 of .* no part of a ZIP code"):
            place(PEOPLE, PARTS[PARTS["county"] != "54001"])
    with pytest.raises(InputError, match="has no county"):
        in_zip_areas(people_of(PEOPLE.cells.drop(columns="county")), PARTS)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=8), st.lists(st.integers(1, 50), min_size=1, max_size=8))
def test_dealing_out_loses_nobody(people, weights):
    cells = np.array(people)
    room = share_out(int(cells.sum()), np.array(weights))
    assert room.sum() == cells.sum()
    cell, place, count = deal_out(cells, room, np.random.default_rng(0))
    np.testing.assert_array_equal(np.bincount(cell, weights=count, minlength=len(cells)), cells)
    np.testing.assert_array_equal(np.bincount(place, weights=count, minlength=len(room)), room)


@given(st.integers(0, 10_000), st.lists(st.integers(1, 1000), min_size=1, max_size=20))
def test_shares_are_within_one_of_exact(whole, weights):
    shares = share_out(whole, np.array(weights))
    exact = whole * np.array(weights) / sum(weights)
    assert shares.sum() == whole
    assert (np.abs(shares - exact) < 1 + 1e-9).all()


def test_exactly_twenty_thousand_is_small_and_one_more_is_not():
    zips = ["03601", "03602", "10001", "10002", "99901"]
    assert small_zip3(zips, [12_000, 8_000, 20_000, 1, 0]) == {"036": 20_000, "999": 0}


# People by ZIP code without drawing them, by hand and by conservation.


def placed():
    return PeopleByZip(PEOPLE, ZipShares.of(PEOPLE, PARTS))


@pytest.mark.parametrize("geography", ["zip3", "zip5", "county_zip5"])
@pytest.mark.parametrize("birth", ["year", "date"])
def test_nobody_is_lost(geography, birth):
    """With g above everybody, g-distinct counts each person once."""
    key = Granularities(gender="value", birth=birth, geography=geography)
    groups = merge(placed(), key)
    np.testing.assert_allclose(g_distinct(groups, [2000])[:, 0], [1001, 7], rtol=1e-9)


def test_by_year_and_county_part_by_hand():
    """The one person of 39003 is alone; of 600 women and 400 men nobody is, and an empty part has no value to hit.

    Occupied groups: 1 in 39003, and in 39001 both sexes in both parts, but for chances below 1e-50; 1 in 54001.
    """
    key = Granularities(gender="value", birth="year", geography="county_zip5")
    groups = merge(placed(), key, ["WV", "OH"])
    np.testing.assert_allclose(total_risk(groups), [1, 5], rtol=1e-12)


def test_other_keys_are_the_county_population_s_own():
    key = Granularities(gender="value", birth="year", geography="county")
    people = placed()
    assert total_risk(merge(people, key)).tolist() == total_risk(merge(PEOPLE, key)).tolist() == [3, 1]
    assert (people.states, people.people_by_state()) == (("OH", "WV"), {"OH": 1001, "WV": 7})


def test_people_of_a_state_stand_with_the_parts_of_their_counties_alone_and_older_people_live_in_the_same_shares():
    key = Granularities(gender="value", birth="year", geography="zip3")
    people = placed()
    older = people.of_age(31)
    assert older.people_by_state() == {"OH": 1, "WV": 7}
    assert older.zips is people.zips
    assert people.of_age(31) is older
    alone = people.in_states(["WV"])
    assert people.in_states(["WV"]) is alone
    assert list(alone.county_population.cells["county"].cat.categories) == ["54001"]
    assert (alone.zips.zip5.tolist(), alone.zips.county.tolist(), alone.zips.residents.tolist()) == (
        ["25001"],
        [0],
        [7],
    )
    together, by_itself = (merge(part, key, ["WV"]) for part in (people, alone))
    assert total_risk(together).tolist() == total_risk(by_itself).tolist()


def test_groups_of_one_state_are_merged_once_for_each_key_condition_and_state():
    people = placed()
    key = Granularities(gender="value", birth="year", geography="county_zip5")

    def merged(state="OH", days=365.0, key=key, conditions=NO_CONDITIONS):
        return merge_by_zip(people, MergeKey(key, (state,), days, conditions))

    first = merged()
    others = [
        merged("WV"),
        merged(days=366.0),
        merged(key=key.replace(birth="none")),
        merged(conditions=Conditions(90)),
    ]
    assert merged() is first
    assert len({id(groups) for groups in (first, *others)}) == 5
    for age in range(1, 60):  # many more keys than are kept
        merged(conditions=Conditions(age))
    np.testing.assert_array_equal(total_risk(merged()), total_risk(first))


def test_small_places_share_one_code():
    zips = ZipShares.of(PEOPLE, PARTS)
    every = zips.places("zip5", SmallPlaces("zip3", 0, frozenset({"441"})))
    assert every[1].tolist().count(0) == 2, "39001 and 39003 each show 000 once"
    np.testing.assert_allclose(np.bincount(every[0], weights=every[2]), 1)


def test_a_rule_on_small_places_by_another_place_is_refused():
    with pytest.raises(InputError, match=r"^a rule on small places by county "):
        ZipShares.of(PEOPLE, PARTS).places("zip5", SmallPlaces("county", 0))


@pytest.mark.parametrize(("name", "nowhere"), [("us-2010", 5_607), ("us-2020", 8_530)])
def test_everyone_lives_in_a_part_but_those_that_the_note_names(name, nowhere):
    parts, facts = zip_parts(name), population_facts()[name]
    assert parts["people"].min() > 0
    assert not parts.duplicated(["county", "zip5"]).any()
    assert facts["people"] - parts["people"].sum() == nowhere
    note = zip_provenance(f"{name}-zip", provenance_of(name, facts))
    assert any(text.startswith(f"{nowhere:,} people") for text in note.notes)
    assert (note.counted, note.modeled) == (0, 1)


def test_dealing_out_moves_nobody_to_another_county():
    base = load_shipped("us-2010").in_states(["DE", "WY"])
    dealt = load_zip_population("us-2010-zip", base)
    keys = ["county", "sex", "age", "race"]
    before, after = (one.cells.groupby(keys, observed=True)["people"].sum().to_dict() for one in (base, dealt))
    assert after == before
    placed = dealt.cells[["county", "zip5"]].astype(str).drop_duplicates()
    assert len(placed.merge(zip_parts(), on=["county", "zip5"])) == len(placed)
    assert dealt.people == base.people
    assert dealt.provenance.modeled == 1.0
    assert "modeled" in dealt.provenance.describe()
    assert with_zip_codes(dealt) is dealt


def test_a_population_without_parts_says_which_have_them():
    with pytest.raises(InputError, match=", ".join(ZIP_POPULATIONS)):
        zip_parts("us-2000")


def connecticut() -> pd.DataFrame:
    """Parts of 2020 in the old counties of Connecticut, with the region of each area's town."""
    return by_region(zip_parts("us-2020"))


def test_every_area_of_connecticut_has_one_town_and_every_region_its_towns():
    areas = [area for region in planning_regions() for area in region.areas]
    assert sorted(areas) == sorted(connecticut()["zip5"].unique())
    # The number of towns in each region, Election Administration and Voting Survey 2024.
    towns = {region.code: len(region.towns) for region in planning_regions()}
    assert list(towns.values()) == [38, 6, 17, 19, 16, 21, 15, 19, 18]
    assert sum(towns.values()) == 169


def test_people_by_old_county_and_region_are_those_counted_by_town():
    placed = connecticut().groupby(["county", "region"])["people"].sum()
    counted = pd.Series(people_by_region()).rename_axis(["county", "region"])
    off = (placed.reindex(counted.index) / counted - 1).abs()
    assert off.drop(("09013", "09150")).max() < 0.03, "all but the town of Union, which has no area"
    wrong = placed.sub(counted, fill_value=0).abs().sum() / 2
    assert (wrong, placed.sum()) == (2_603, counted.sum())
    fitted = in_regions(zip_parts("us-2020"), ["09110"])
    fitted = fitted[fitted["county"].str.startswith("09")].groupby("county")["people"].sum()
    assert fitted.to_dict() == counted.groupby(level=1).sum().to_dict()


@pytest.mark.parametrize("name", ["us-2010", "us-2020", "us-2022"])
def test_no_county_of_a_shipped_population_is_in_no_area(name):
    people = load_population(name)
    parts, counties = parts_of(people), people.cells["county"].cat.categories
    assert counties_without_parts(name, counties) == []
    assert set(parts["county"]) == set(counties)
    by_county = sums_by(people.cells["county"], people.cells["people"].to_numpy()).astype(int)
    held, whole = parts.groupby("county")["people"], dict(zip(counties, by_county.tolist(), strict=True))
    dealt = {county: share_out(whole[county], held.get_group(county).to_numpy()).sum() for county in counties}
    assert dealt == whole
    zips = ZipShares.of(people, parts)
    np.testing.assert_allclose(np.bincount(zips.county, weights=zips.share), 1, rtol=1e-12)


def test_a_key_by_zip_code_of_a_county_without_parts_is_refused():
    cells = PEOPLE.cells.assign(county=PEOPLE.cells["county"].cat.rename_categories({"54001": "72001"}))
    with pytest.raises(InputError, match=r"county 72001 .* ZIP codes are unknown"):
        Study(people_of(cells, name="us-2020")).compare("limited-dataset", "general", "OH", g=1)


@pytest.mark.slow
def test_limited_data_set_of_2022_is_within_3_points_of_2020():
    """Five states here; all of them, and VOTER, in ``python -m benchmarks.vintages``."""
    states = ["CT", "DC", "HI", "RI", "VT"]
    assert max(gaps("regulation", "general", states).values()) < MOST
    by_county = gaps("paper", "general", states)
    assert by_county.pop("CT") == pytest.approx(0.048, abs=5e-4), "by nine regions in 2022, by eight counties in 2020"
    assert max(by_county.values()) < MOST
    shares = [
        Study(name).compare("limited-dataset", "general", "CT", g=1).profiles[0].share("total-risk") for name in YEARS
    ]
    assert [share.low for share in shares] == pytest.approx([0.917, 0.919], abs=5e-4)


HISPANIC = PEOPLE.cells["people"].to_numpy() // 3
BY_ETHNICITY = people_of(PEOPLE.cells, hispanic=lambda: HISPANIC)


def test_hispanics_of_a_county_cell_are_dealt_out_to_its_zip_codes_and_nobody_is_lost():
    made = in_zip_areas(BY_ETHNICITY, PARTS)
    pd.testing.assert_frame_equal(made.cells, in_zip_areas(PEOPLE, PARTS).cells)
    dealt = made.hispanic()
    assert ((dealt >= 0) & (dealt <= made.cells["people"])).all()
    keys = [name for name in PEOPLE.cells if name != "people"]
    sums = made.cells.assign(people=dealt).groupby(keys, observed=True)["people"].sum()
    expected = PEOPLE.cells.assign(people=HISPANIC).groupby(keys, observed=True)["people"].sum()
    pd.testing.assert_series_equal(sums, expected)


def test_zip_codes_of_people_by_ethnicity_are_those_of_their_county():
    by_zip = PeopleByZip(BY_ETHNICITY, ZipShares.of(BY_ETHNICITY, PARTS)).with_ethnicity
    assert by_zip.county_population is BY_ETHNICITY.with_ethnicity
    assert "ethnicity" in by_zip.columns
    plain = placed()
    assert plain.with_ethnicity is plain
