"""Areas of states: every ZIP code area in one, connected, with enough people, by the county rule."""

from __future__ import annotations

import pandas as pd
import pytest

from policy_sim.areas.areas import Areas
from policy_sim.areas.county_rule import units_of
from policy_sim.areas.overlap import overlaps
from policy_sim.areas.risk import people_by_area, risk_by_race, risk_frame
from policy_sim.areas.zip_areas import ZipAreas
from policy_sim.attackers import GENERAL
from policy_sim.people.zips import zip_parts
from policy_sim.study.study import Study
from policy_sim.words.errors import InputError


@pytest.fixture(scope="module")
def rhode_island() -> Areas:
    return Areas.make("RI")


@pytest.fixture(scope="module")
def hawaii() -> Areas:
    return Areas.make("HI")


@pytest.fixture(scope="module")
def people():
    return Study("us-2020")._counted_by_zip


def test_two_states_reach_the_most_that_there_can_be(rhode_island, hawaii):
    assert (len(rhode_island), rhode_island.by_state["RI"].proved) == (37, True)
    assert (len(hawaii), hawaii.by_state["HI"].proved) == (38, True)


@pytest.mark.parametrize("lines", ["county", "none"])
@pytest.mark.parametrize("state", ["RI", "DE", "VT", "AK"])
def test_each_zip_code_is_in_one_connected_area_with_enough_people(state, lines):
    made, zips = Areas.make(state, lines=lines), ZipAreas.of(state)
    assert made.zips["zip5"].tolist() == zips.zip5.tolist()
    assert made.people.min() >= 20_000
    assert made.people.sum() == zips.people.sum()
    place = {code: at for at, code in enumerate(zips.zip5.tolist())}
    near = {at: set() for at in place.values()}
    units = units_of(zips, 20_000, lines)
    for one, other in (*zips.touching, *units.links):
        near[one].add(other)
        near[other].add(one)
    for held in units.zips:  # a county that is not cut may have islands
        for at in held:
            near[at].update(held)
    for _, own in made.zips.groupby("area"):
        left = {place[code] for code in own["zip5"]}
        front = [left.pop()]
        while front:
            found = near[front.pop()] & left
            left -= found
            front += found
        assert not left


def test_people_are_those_of_the_census(rhode_island):
    """A ZIP code on a state line is in the state of most of its people, with all of them."""
    parts = zip_parts("us-2020")
    parts = parts.assign(state=parts["county"].astype(str).str[:2], zip5=parts["zip5"].astype(str))
    by_state = parts.pivot_table("people", "zip5", "state", "sum", fill_value=0)
    own = by_state[by_state.idxmax(axis=1) == "44"]
    assert rhode_island.zips["people"].sum() == own.to_numpy().sum()


def test_areas_by_the_fewest_people_hold_in_three_years():
    made = Areas.make("RI", counts="fewest")
    assert len(made) <= 37
    parts = {year: zip_parts(f"us-{year}") for year in ("2010", "2020")}
    for table in parts.values():
        people = table["people"].groupby(table["zip5"].astype(str).map(made.of_zip())).sum()
        assert people.reindex(made.people.index).min() >= 20_000
    assert "2010" in made.vintage
    with pytest.raises(InputError, match="2020 or fewest"):
        Areas.make("RI", counts="2010")


def test_a_county_under_twice_the_least_is_not_cut():
    made = Areas.make("VT")
    by_county = made.zips.groupby("county").agg(people=("people", "sum"), areas=("area", "nunique"))
    assert (by_county.loc[by_county["people"] < 40_000, "areas"] == 1).all()
    several = [set(held) for _, held in made.zips.groupby("area")["county"] if len(set(held)) > 1]
    assert several
    for counties in several:
        assert by_county.loc[sorted(counties), "people"].min() < 20_000


def test_water_never_joins_kauai_to_oahu(hawaii):
    counties = hawaii.zips.groupby("area")["county"].agg(set)
    assert not any({"15003", "15007"} <= held for held in counties)
    assert hawaii.by_state["HI"].by_water


def test_districts_are_kept():
    zips = ZipAreas.of("RI")
    district = {code: "north" if y > 2.35e6 else "south" for code, y in zip(zips.zip5.tolist(), zips.y, strict=True)}
    made = Areas.make("RI", 20_000, lines="none", keep=district)
    assert made.zips.groupby("area")["zip5"].agg(lambda codes: len({district[code] for code in codes})).max() == 1


def test_without_race_the_risk_is_places_by_sexes_by_ages_over_people(rhode_island, people):
    """Every group of sex and five-year ages is occupied: 2 sexes times 19 ages in each area."""
    frame = risk_frame([rhode_island], people.in_states(["RI"]), [GENERAL], fields=["sex, five-year ages"])
    row = frame[frame["place"] == "areas of 20,000"].iloc[0]
    assert row["places"] == 37
    assert row["people"] == pytest.approx(37 * 2 * 19, rel=0.03)
    assert (
        frame["share"].is_monotonic_increasing or frame.set_index("place")["share"]["ZIP codes"] == frame["share"].max()
    )


def test_the_risk_by_race_adds_up(rhode_island, people):
    fields = "sex, race, five-year ages"
    by_race = risk_by_race([rhode_island], people.in_states(["RI"]), GENERAL, [fields], every_place=True)
    whole = risk_frame([rhode_island], people.in_states(["RI"]), [GENERAL], fields=[fields]).set_index("place")[
        "people"
    ]
    sums = (by_race["people"] * by_race["share"]).groupby(by_race["place"]).sum()
    assert set(sums.index) == set(whole.index)
    for place in sums.index:
        assert sums[place] == pytest.approx(whole[place], rel=1e-9)


def test_places_are_compared_at_the_same_fields():
    frame = Study("us-2020").compare_places("RI", [20_000, 100_000])
    limited = frame[frame["place"] == "limited data set"].set_index("attacker")
    frame = frame[frame["place"] != "limited data set"]
    assert len({tuple(held) for _, held in frame.groupby(["attacker", "fields"])["place"]}) == 1
    general = frame[frame["attacker"] == "general"].set_index(["place", "fields"])["people"]
    harbor = ("three-digit ZIP codes", "sex, year of birth")
    assert general["areas of 100,000", "sex, ten-year ages"] < general[harbor]
    assert limited.loc["general", "people"] > frame["people"].max()
    assert set(limited["fields"]) == {"sex, race, date of birth"}
    with_file = Study("us-2020").compare_places("RI", [100_000], in_file=0.01)
    assert (with_file["share"] >= 0).all()
    assert with_file["people"].max() < frame["people"].max()


def test_overlaps_are_people_of_both_places():
    """By hand: of ZIP code areas and counties, those of two areas of Delaware."""
    parts = zip_parts("us-2020")
    parts = parts.assign(county=parts["county"].astype(str), zip5=parts["zip5"].astype(str))
    codes = parts.loc[parts["county"].isin(["10001", "10003"]), "zip5"].unique().tolist()
    area_of = {code: "north" if number % 2 else "south" for number, code in enumerate(sorted(codes))}
    rows = overlaps(area_of, {"other": dict.fromkeys(codes[:1], "alone")})
    for kind, column in (("county", parts["county"]), ("zip3", parts["zip5"].str[:3])):
        counted = parts.assign(area=parts["zip5"].map(area_of), other=column).dropna(subset=["area"])
        by_hand = counted.groupby(["area", "other"])["people"].sum()
        found = rows[rows["next_to"] == kind].set_index(["area", "other"])["people"]
        assert found.to_dict() == {pair: many for pair, many in by_hand.items() if many > 0}
    alone = rows[rows["next_to"] == "other"]
    assert alone["people"].tolist() == [int(parts.loc[parts["zip5"] == codes[0], "people"].sum())]
    assert rows["people"].is_monotonic_increasing


def test_people_keep_their_county_and_are_spread_by_the_areas_of_their_zip_codes(rhode_island, people):
    by_area = people_by_area(people, rhode_island).zips
    assert by_area.share.sum() == pytest.approx(people.zips.share.sum())
    assert set(rhode_island.people.index) <= set(by_area.zip5.tolist())


def test_shapes_cover_the_counties_once(rhode_island):
    frame = rhode_island.to_geo_frame()
    assert len(frame) == 37
    assert frame.geometry.area.sum() == pytest.approx(frame.geometry.union_all().area, rel=1e-3)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        ({"states": "Atlantis"}, "Atlantis"),
        ({"states": "PR"}, "50 states and DC"),
        ({"states": "WY", "least": 600_000}, "WY: 576,722 people .* cannot make an area of 600,000"),
        ({"states": "RI", "least": 10}, "from 1,000"),
        ({"states": "RI", "lines": "town"}, "county or none"),
        ({"states": "RI", "keep": {"02802": "north"}}, "RI: .* ZIP code areas have no district, such as 02804"),
    ],
)
def test_what_cannot_be_made_is_said(ask, said):
    with pytest.raises(InputError, match=said):
        Areas.make(**ask)


def test_a_table_of_areas_has_a_row_each(rhode_island):
    frame = rhode_island.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert frame["people"].sum() == rhode_island.zips["people"].sum()
    assert frame["zip_codes"].sum() == len(rhode_island.zips)
