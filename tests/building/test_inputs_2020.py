"""Steps from older tables to the patterns of a fit: nobody is lost, and what is alike stays alike."""

from datetime import date

import numpy as np
import pytest

from policy_sim.building.inputs_2020 import both_origins, by_common_area, cohort_patterns, state_classes
from policy_sim.building.state_tables import AgePatterns


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


@pytest.mark.parametrize("years", [0.25, 9.25])
def test_nobody_of_a_pattern_is_negative(years):
    assert (cohort_patterns(patterns(), years) >= 0).all()
