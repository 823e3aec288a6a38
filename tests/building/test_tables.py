"""The official tables, and what a fit takes of them."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import pytest

from benchmarks.populations import like_estimates
from policy_sim.building.official_tables import (
    AREAS,
    AgePatterns,
    read_area_shares,
    read_decennial,
    read_open_shares,
    read_shares_85_over,
    read_table,
    to_array,
)
from policy_sim.building.recipes import RECIPES
from policy_sim.building.tables import (
    JOINT_TABLES,
    _to_regions,
    both_origins,
    by_common_area,
    cohort_patterns,
    joint_of_year,
    read_ages,
    read_counted,
    read_margins,
    regions_of_old_counties,
    state_classes,
)
from policy_sim.words.errors import SourceError


def test_rows_fall_into_their_places_and_add_up():
    table = pd.DataFrame({"sex": ["F", "M", "F"], "age": [1, 0, 1], "population": [2, 3, 5]})
    assert to_array(table, {"sex": ("M", "F"), "age": [0, 1]}, "made").tolist() == [[3, 0], [0, 7]]


def test_a_label_that_is_not_known_is_named():
    table = pd.DataFrame({"sex": ["M", "X"], "population": [1, 1]})
    with pytest.raises(SourceError, match="made: sex 'X'"):
        to_array(table, {"sex": ("M", "F")}, "made")


def test_a_damaged_file_is_one_line(tmp_path):
    (tmp_path / "x.parquet").write_bytes(b"not parquet")
    with pytest.raises(SourceError, match=r"x\.parquet: cannot be read"):
        read_table(tmp_path, "x.parquet")


def test_codes_stay_text(tmp_path):
    pd.DataFrame({"state_fips": ["01"], "county_fips": ["01001"], "n": [1]}).to_csv(tmp_path / "x.csv", index=False)
    assert read_table(tmp_path, "x.csv")["county_fips"].tolist() == ["01001"]


@pytest.mark.slow
def test_the_tables_of_a_state_agree_on_its_people(shared):
    tables = read_decennial(shared / "census", 2010)["10"]
    assert len(tables.counties) == 3
    assert (tables.race_origin.sum(axis=(1, 2)) == tables.everyone.sum(axis=(1, 2))).all()


AIAN = 2


@pytest.mark.slow
def test_shares_of_every_state_sex_and_race_add_up_to_one(shared):
    for own_areas in (False, True):
        for year in (2000, 2010):
            shares = read_open_shares(shared / "census", year, own_areas=own_areas)
            assert len(shares) == 51
            for of_state in shares.values():
                assert of_state.shape == (2, 7, 18)
                assert (of_state >= 0).all()
                np.testing.assert_allclose(of_state.sum(axis=2), 1)


def test_areas_are_the_counties_that_their_shares_come_from(shared):
    """Shares times the people of 85 and over that table P12 counts in the area are whole people."""
    census = read_table(shared / "census", "county_2000_sf1_p12_p12a_b_h_i.parquet")
    census = census[(census["table"] == "P12") & (census["age"] == 85)]
    shares = read_table(shared / "census", "shares_of_85_over_2000_pct12.csv.gz").set_index(["sex", "ages"])
    for state, areas in AREAS.items():
        named = [state + code for codes in areas.values() if codes is not None for code in codes]
        of_state = census[census["county_fips"].str[:2] == state]
        for area, codes in areas.items():
            here = of_state["county_fips"].isin([state + code for code in codes or ()])
            part = of_state[here] if codes is not None else of_state[~of_state["county_fips"].isin(named)]
            for code, sex in (("M", "Male"), ("F", "Female")):
                people = part.loc[part["sex"] == code, "population"].sum() * shares.loc[sex, area]
                assert people.sum() == pytest.approx(round(people.sum()), abs=1e-6)
                np.testing.assert_allclose(people, people.round(), atol=1e-6)


def test_a_state_made_of_areas_is_their_sum(shared):
    # California, men of 85-89: 23,964 + 13,299 + 5,864 + 52,436 of 134,182 (Census 2000, PCT12 and P12).
    california = read_area_shares(shared / "census")["06"]
    assert california[0, 0] == pytest.approx((23_964 + 13_299 + 5_864 + 52_436) / 134_182)


def test_alaska_natives_have_the_ages_that_were_counted(shared):
    # 109 of 158 men of 85 and over were 85 to 89, and nobody was 105 or over.
    alaska = read_open_shares(shared / "census", 2000, own_areas=True)["02"][0, AIAN]
    assert alaska[:5].sum() == pytest.approx(109 / 158)
    assert alaska[16:].sum() == 0


def test_a_race_keeps_the_tail_it_has_in_texas(shared):
    """All races together keep the state's shares in direction: a state older than Texas is older in every race."""
    shares, states = read_open_shares(shared / "census", 2000), read_shares_85_over(shared / "census")
    new_york, utah = shares["36"][1], shares["49"][1]
    assert states["36"][1, 3] > states["49"][1, 3]
    assert (new_york[:, 15] > utah[:, 15]).all()


# Counts of 2020 and estimates of 2022, and tables that are counted whole.


def test_counties_that_did_not_change_are_put_in_their_new_places():
    table = np.array([[1.0], [2.0]])
    moved = _to_regions(table, ["10001", "10003"], ["10003", "10001"], "10")
    assert moved.tolist() == [[2.0], [1.0]]


@pytest.mark.parametrize(
    ("read", "file"),
    [
        (lambda folder: read_margins(folder, 2022), "county_2021_2022_pep"),
        (read_counted, "pl94"),
        (lambda folder: read_decennial(folder, 2000), "county_2000_sf1"),
        (lambda folder: like_estimates(folder, 0), "sf1_race_origin"),
        (JOINT_TABLES[0].counted, "texas"),
    ],
)
def test_a_folder_without_a_table_is_named(read, file, tmp_path):
    with pytest.raises(SourceError, match=f"{file}.*Name the folder"):
        read(tmp_path)


def test_the_tables_of_a_census_are_found_by_state(shared):
    assert set(joint_of_year(shared / "census", 2000)) == {"48"}
    assert set(joint_of_year(shared / "census", 2010)) == {"21", "48"}
    assert joint_of_year(shared / "census", 2020) == {}


def test_every_source_names_its_table_and_who_carried_it():
    for table in JOINT_TABLES:
        source = RECIPES[f"us-{table.year}"].tables[table.file]
        assert "Summary File 1" in source
        assert "commit" in source
        assert ("NHGIS" in source) == (table.name == "Kentucky")


# What is known of 2020, read from the official tables.


def test_the_regions_of_connecticut_hold_each_old_county_whole():
    shares = regions_of_old_counties()
    assert len(shares) == 8
    for county, regions in shares.items():
        assert county.startswith("09")
        assert sum(regions.values()) == pytest.approx(1)
        assert all(0 < share <= 1 for share in regions.values())
    assert len({region for regions in shares.values() for region in regions}) == 9


@pytest.mark.slow
def test_everyone_of_the_census_is_counted_in_one_half_and_has_an_age(shared):
    counties, counted = read_counted(shared / "census")
    assert counted.shape == (len(counties), 2, 2, 7)
    assert (counted >= 0).all()
    ages = read_ages(shared / "census", counties)
    assert ages.shape == (len(counties), 2, 86)
    in_connecticut = np.array([county.startswith("09") for county in counties])
    assert ages[~in_connecticut].sum() == pytest.approx(counted[~in_connecticut].sum(), rel=1e-4)
    np.testing.assert_allclose(ages[in_connecticut].sum(axis=(1, 2)), 1)  # shares of ages: regions are no counties


# Steps from older tables to the patterns of a fit: nobody is lost, and what is alike stays alike.


def patterns(scale=1.0):
    rng = np.random.default_rng(1)
    nation = rng.uniform(1, 2, (2, 7, 2, 86))
    return AgePatterns(
        years=scale * nation.sum(axis=(0, 1)),
        classes=rng.uniform(1, 2, (8, 2, 3)),
        class_starts=np.array([0, 18, 65]),
        nation=nation,
        open_shares=np.full((2, 7, 18), 1 / 18),
    )


def test_areas_that_did_not_change_keep_their_figures():
    table, counties = np.array([[1.0, 2.0], [3.0, 4.0]]), ["10001", "10003"]
    days = date(2010, 4, 1), date(2020, 4, 1)
    np.testing.assert_array_equal(by_common_area(table, counties, counties, *days), table)
    np.testing.assert_array_equal(by_common_area(table, counties, counties[::-1], *days), table[::-1])


def test_a_county_that_was_renamed_keeps_its_people():
    """Shannon County, South Dakota (46113), is Oglala Lakota County (46102) since 2015."""
    moved = by_common_area(np.array([[7.0]]), ["46113"], ["46102"], date(2010, 4, 1), date(2020, 4, 1))
    assert moved.tolist() == [[7.0]]


def test_a_state_that_runs_as_the_nation_keeps_the_cohorts_of_each_group():
    made = cohort_patterns(patterns(), 0.0)
    expected = np.concatenate([patterns().nation[:1].sum(axis=1), patterns().nation[1]])
    np.testing.assert_allclose(made, expected)
    np.testing.assert_allclose(cohort_patterns(patterns(3.0), 0.0), 3 * expected)  # three times the people


def test_classes_of_each_group_add_up_to_one_and_the_other_race_runs_as_two_or_more():
    share = state_classes(patterns())
    np.testing.assert_allclose(share.sum(axis=(1, 2)), 1)
    np.testing.assert_array_equal(share[6], share[7])


def test_hispanics_of_every_race_run_as_all_of_them():
    groups = np.arange(8 * 2 * 86, dtype=float).reshape(1, 8, 2, 86)
    both = both_origins(groups)
    assert both.shape == (1, 2, 7, 2, 86)
    for race in range(7):
        np.testing.assert_array_equal(both[0, 0, race], groups[0, 0])
        np.testing.assert_array_equal(both[0, 1, race], groups[0, 1 + race])
