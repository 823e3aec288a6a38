from __future__ import annotations

import csv

import numpy as np
import pandas as pd
import pytest

from policy_sim.voter_lists.registration import REPORTED, load_age_shape, load_registration
from policy_sim.words.errors import InputError


@pytest.fixture(scope="module")
def counts():
    return load_registration()


def sums(rows):
    return tuple(int(rows[name].sum()) for name in ("registered", "active", "inactive"))


def test_the_records_of_2024_add_up(counts):
    assert sums(counts.reported(2024))[:2] == (232_361_684, 209_026_966)
    assert sums(counts.reported(2010))[0] == 186_280_767
    assert [sums(counts.reported(year))[0] for year in (2016, 2018, 2020, 2022)] == [
        210_540_224,
        210_853_134,
        224_856_415,
        225_754_711,
    ]


def test_connecticut_by_planning_region_has_the_records_of_its_counties(counts):
    rows = counts.rows[(counts.rows["year"] == 2024) & (counts.rows["state"] == "CT")]
    regions = rows["unit"] == "planning region"
    assert (regions.sum(), (~regions).sum()) == (9, 8)
    assert sums(rows[regions]) == sums(rows[~regions])


def test_every_row_is_what_was_collected(counts, shared):
    with (shared / "voter_policies" / "registered_by_county.csv").open(encoding="utf-8", newline="") as file:
        collected = {(int(row["year"]), row["fips"]): row for row in csv.DictReader(file)}
    ours = {
        (int(row.year), str(row.fips)): row
        for row in counts.rows[counts.rows["unit"] != "planning region"].itertuples()
    }
    added = set(ours) - set(collected)
    assert added == {(year, "02") for year in (2016, 2018, 2020, 2022)}, "Alaska has no row where it has no number"
    for key, row in collected.items():
        for name in ("registered", "active", "inactive"):
            mine = getattr(ours[key], name)
            assert ("" if pd.isna(mine) else str(mine)) == row[name]
        assert (ours[key].flag, ours[key].how, ours[key].source) == (row["flag"], row["how"], row["source"])
        if row["per_adult"]:
            assert abs(int(ours[key].registered) / ours[key].adults - float(row["per_adult"])) < 6e-4


def test_each_election_has_every_flag_and_source_explained(counts):
    assert set(counts.rows["flag"].unique()) - {""} == set(counts.flags)
    assert set(counts.rows["source"].unique()) | {"adults"} == set(counts.sources)
    assert counts.years == (2010, 2016, 2018, 2020, 2022, 2024)


def test_what_cannot_be_right_is_replaced_and_said(counts):
    usable = counts.usable(2024)
    assert set(usable.index[usable["flag"] == "outlier"]) == {"17007", "17021", "17107", "17137", "28063", "28065"}
    boone = usable.loc["17007"]
    others = [
        int(row.registered) / row.adults
        for row in counts.rows[counts.rows["fips"] == "17007"].itertuples()
        if row.year != 2024
    ]
    assert boone.records == round(float(np.median(others)) * boone.adults) == 33_357
    assert boone.note.startswith("reported 48,465 records (1.21 per adult)")
    assert boone[[*REPORTED]].tolist() == [48_465, 34_153, 14_312], "what was reported stays"
    assert usable.loc["39049", "note"] == ""


def test_active_records_that_were_not_reported_whole_take_the_share_of_the_state(counts):
    usable = counts.usable(2024)
    crawford = usable.loc["39137"]
    whole = [
        (row.registered, row.active)
        for row in counts.reported(2024).itertuples()
        if row.state == "OH" and row.flag != "parts" and pd.notna(row.active) and row.fips != "39127"
    ]
    registered, active = (sum(map(int, column)) for column in zip(*whole, strict=True))
    assert crawford.records == 24_016
    assert crawford.active == round(active / registered * 24_016)
    west = counts.usable(2010).loc["54039"]
    assert pd.isna(west.active_reported)
    assert 0.8 < west.active / west.records < 1, "West Virginia reported none: the counties' own shares of later years"


def test_a_total_without_inactive_records_is_lengthened(counts):
    one = counts.usable(2024).loc["17099"]
    assert one[[*REPORTED]].tolist() == [74_812, 74_752, 7_796]
    assert (one.records, one.active) == (74_752 + 7_796, 74_752)


def test_no_election_counted_north_dakota(counts):
    for year in counts.years:
        usable = counts.usable(year)
        assert set(usable.index[usable["records"].isna()].str[:2]) == {"15", "38"}, "and Kalawao in Hawaii"


def test_alaska_between_its_two_numbers(counts):
    alaska = counts.usable(2020).loc["02"]
    rates = [560_146 / counts.usable(2010).loc["02", "adults"], 611_078 / alaska.adults]
    assert alaska.records == round(float(np.median(rates)) * alaska.adults)
    assert alaska.note.startswith("no number: the median rate")


def test_the_nearest_election(counts):
    assert [counts.nearest(year) for year in (2000, 2012, 2013, 2017, 2021, 2030)] == [
        2010,
        2010,
        2016,
        2018,
        2022,
        2024,
    ]
    with pytest.raises(InputError, match=r"year = 2012: .* 2010, 2016"):
        counts.usable(2012)


def test_the_shape_by_age_is_that_of_the_lists_together():
    shape = load_age_shape()
    assert shape.names == ("18-19", "20-24", "25-29", "30-34", "35-44", "45-54", "55-64", "65-74", "75-84", "85+")
    assert shape.rate[0] == pytest.approx((89_998 + 54_852) / (219_896 + 359_748))
    assert shape.rate[-1] == 1, "more records than residents"
    assert shape.class_of(np.array([18, 19, 20, 84, 85, 119])).tolist() == [0, 0, 1, 8, 9, 9]


def test_the_lists_slope_as_the_survey_does_and_more():
    """Listing of 18-24 over that of 65 and over is 0.62 on both lists together, and 0.74 in the survey."""
    shape, survey = load_age_shape(), load_age_shape("survey_by_age")
    young, old = 89_998 + 442_625 + 54_852 + 523_668, 872_459 + 501_537 + 202_203 + 1_323_051 + 737_048 + 289_804
    people = 219_896 + 552_361 + 359_748 + 804_446, 949_539 + 512_100 + 186_705 + 1_507_366 + 795_815 + 292_493
    assert young / people[0] / (old / people[1]) == pytest.approx(0.620, abs=5e-4)
    assert survey.rate[0] / survey.rate[-1] == pytest.approx(0.736, abs=5e-4)
    assert (np.diff(survey.rate) > 0).all()
    assert (np.diff(shape.rate)[4:] > 0).all(), "from 35 on every class is listed more than the one before"
    for by_list in shape.by_list.values():
        assert by_list[0] < by_list[1] < by_list[2]


def test_the_shape_by_age_is_what_was_collected(shared):
    with (shared / "voter_policies" / "registered_by_age_lists.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["sex"] == "all"]
    for name, rates in load_age_shape().by_list.items():
        collected = [int(row["listed"]) / int(row["people_2023"]) for row in rows if row["state"] == name]
        np.testing.assert_allclose(rates, collected)
