"""What is known of July 1, 2022: margins that agree with each other."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from benchmarks.populations import like_estimates
from policy_sim.building.official_tables import AgePatterns, read_decennial
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
