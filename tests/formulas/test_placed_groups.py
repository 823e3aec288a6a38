"""Figures by ZIP code parted among the people: by hand, by conservation, and beside draws."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from placed_people import placed

from policy_sim.formulas.county_part_groups import CountyPartGroups
from policy_sim.formulas.group_variance import independent_occupied_variance, squared_bin_sizes
from policy_sim.formulas.groups import Groups, claims, g_distinct, g_distinct_sweep, total_risk
from policy_sim.formulas.parted_groups import PartedGroups
from policy_sim.formulas.placed_groups import PlacedGroups
from policy_sim.people.merge import MergeKey
from policy_sim.people.merging import merge, merge_parted
from policy_sim.people.places import split_people
from policy_sim.people.store import load_shipped
from policy_sim.people.zips import PeopleByZip, ZipShares, in_zip_areas, zip_parts
from policy_sim.policies.policy import Conditions, SmallPlaces
from policy_sim.words.fields import Granularities

DRAWS = 20
SMALL = Conditions(90, SmallPlaces("zip3", 20_000))
KEYS = [
    (Granularities(gender="value", race="value", birth="year", geography="zip3"), SMALL),
    (Granularities(birth="year", geography="zip3"), SMALL),
    (Granularities(gender="value", race="value", birth="date", geography="county_zip5"), Conditions()),
    (Granularities(birth="date", geography="zip5"), Conditions()),
]


def _two_counties(parts):
    """One man of a county surely in the place, one woman of another in it half of the time: the key shows no sex."""
    groups = placed(PlacedGroups, np.ones((2, 1)), [1, 0.5, 0.5], county=[0, 1, 1], place=[7, 7, 8])
    return PartedGroups(groups, np.eye(2), np.zeros(2, dtype=np.int64), parts, 2)


@pytest.mark.parametrize("part", [np.array([[0, 1]]), np.array([[0], [1]])])
def test_two_people_who_may_meet(part):
    """Half of the time they share a group, and each is matched half of the time; else each is alone."""
    parted = _two_counties(part)
    np.testing.assert_allclose(total_risk(parted), [0.75, 0.75])
    np.testing.assert_allclose(g_distinct(parted, [2, 1]), [[1.0, 0.5], [1.0, 0.5]], atol=1e-12)
    np.testing.assert_allclose(claims(parted), [0.5, 0.5], atol=1e-12)


def test_claims_of_a_list_of_some():
    """A listed person alone is claimed, and one who is not listed if the other is there and listed."""
    parted = _two_counties(np.array([[0, 1]]))
    rightly, wrongly = 0.4 * (0.5 + 0.5 * 0.6), 0.5 * 0.6 * 0.4
    np.testing.assert_allclose(claims(parted, 0.4), [rightly + wrongly] * 2, rtol=1e-9)


@pytest.fixture(scope="module")
def delaware():
    return load_shipped("us-2010").in_states(["DE"])


@pytest.fixture(scope="module")
def people(delaware):
    return PeopleByZip(delaware, ZipShares.of(delaware, zip_parts("us-2010")))


def _parted(people, key, conditions, by, everyone):
    split = split_people(everyone, by)
    return merge_parted(people, MergeKey(key, ("DE",), conditions=conditions), split)


@pytest.mark.slow
@pytest.mark.parametrize(("key", "conditions"), KEYS, ids=str)
def test_the_mean_of_draws_is_what_each_part_bears(people, delaware, key, conditions):
    """20 draws of Delaware, total risk and 5-distinct by race and by county: within four standard errors.

    80 figures in all: four standard errors of 20 draws are passed by luck about once in fifteen such tests; seeded.
    """
    drawn = [in_zip_areas(delaware, zip_parts("us-2010"), seed) for seed in range(DRAWS)]
    for by in ("race", "county"):
        parted = _parted(people, key, conditions, by, delaware)
        expected = np.append(total_risk(parted), g_distinct(parted, [5]).ravel())
        counted = []
        for one in drawn:
            groups = merge(one, key, ["DE"], conditions=conditions, by=split_people(one, by))
            assert isinstance(groups, Groups)
            counted.append(np.append(total_risk(groups), g_distinct(groups, [5]).ravel()))
        mean, error = np.mean(counted, axis=0), np.std(counted, axis=0, ddof=1) / np.sqrt(DRAWS)
        rare = np.where(expected < 1, np.sqrt(expected / DRAWS), 0.0)  # which 20 draws may all lack
        assert (np.abs(mean - expected) <= 4 * np.maximum(error, rare) + 1e-6 * np.maximum(expected, 1)).all()


# Groups placed by chance, by hand: two places, and every way that people can be in them.


def _two_people():
    """Two people of one county with one value, in two places of a half each."""
    return placed(CountyPartGroups, 2, [0.5, 0.5])


def test_two_people_in_two_halves():
    """Apart with chance 1/2: two groups and two people alone; together otherwise: one group and nobody alone."""
    groups = _two_people()
    np.testing.assert_allclose(total_risk(groups), [1.5])
    np.testing.assert_allclose(g_distinct(groups, [1, 2]), [[1.0, 2.0]])
    np.testing.assert_allclose(claims(groups), [1.0])


def _placed_groups_two_counties():
    """One person of each of two counties, in a shared place with chances 1/2 and 1/4; the second unit is empty."""
    where = {"county": [0, 0, 1, 1], "place": [7, 3, 7, 5], "units": 2}
    return placed(PlacedGroups, [[1], [1]], [0.5, 0.5, 0.25, 0.75], **where)


def test_pieces_of_two_counties_meet_in_one_place():
    """Apart but with chance 1/8: the sum of both over places 3, 5 and 7."""
    groups = _placed_groups_two_counties()
    np.testing.assert_allclose(total_risk(groups), [2 - 0.125, 0])
    np.testing.assert_allclose(g_distinct(groups, [2, 1]), [[2.0, 2 - 2 * 0.125], [0, 0]])


def test_a_list_of_half_the_people():
    """One who is alone is claimed if listed, with chance 1/2; two together, with chance 1/8, both if just one is."""
    groups = _placed_groups_two_counties()
    np.testing.assert_allclose(total_risk(groups, 0.5), [1 - 0.125 * 0.25, 0])
    np.testing.assert_allclose(claims(groups, [0.5, 1.0]), [0.875 * 1 + 0.125 * 2 * 0.5, 0])


def test_units_that_share_the_name_of_a_place_do_not_meet():
    """The same two counties in two states: nobody meets anybody, and each is alone with the list of its state."""
    apart = placed(PlacedGroups, [[1], [1]], [1, 1], unit=[1, 0], county=[0, 1], place=[7, 7], units=2)
    np.testing.assert_allclose(total_risk(apart, [0.25, 0.5]), [0.25, 0.5])


@pytest.mark.parametrize("kind", [CountyPartGroups, PlacedGroups])
def test_cells_that_hide_other_numbers_of_bins_are_added_up(kind):
    """Two people with one value and two with two values, in one place: 1 and 1.5 occupied bins."""
    groups = placed(kind, [2, 0, 2], [1], bins=[1, 7, 2])
    np.testing.assert_allclose(total_risk(groups), [2.5])
    np.testing.assert_allclose(g_distinct(groups, [1, 2]), [[1.0, 4.0]])


# Second moments of the people in a bin, beside every way counted.


def _groups(kind, people, bins=2.0):
    return placed(kind, people, [0.25, 0.75], bins=bins)


def _counted(people, coverage):
    """The chance of every way that people fall into two parts of two bins or are not listed, and who is in each bin."""
    chance = np.array([0.125, 0.125, 0.375, 0.375, 0.0]) * coverage + np.array([0, 0, 0, 0, 1 - coverage])
    for where in product(range(5), repeat=people):
        yield float(np.prod(chance[list(where)])), np.bincount(where, minlength=5)[:4]


@pytest.mark.parametrize("coverage", [1.0, 0.3])
@pytest.mark.parametrize("people", [1, 2, 4])
@pytest.mark.parametrize("kind", [CountyPartGroups, PlacedGroups])
def test_every_way_counted(kind, people, coverage):
    groups = _groups(kind, people)
    expected = sum(chance * (size**2).sum() for chance, size in _counted(people, coverage))
    np.testing.assert_allclose(squared_bin_sizes(groups, coverage), [expected])
    filled = np.array([sum(chance * (size > 0) for chance, size in _counted(people, coverage))])
    np.testing.assert_allclose(independent_occupied_variance(groups, coverage), [(filled * (1 - filled)).sum()])


def test_counties_that_meet_in_a_place():
    """Mean 1.5 + 0.5 people in one bin, and a variance of 3/4 + 1/4: a mean square of 4 + 1."""
    groups = placed(PlacedGroups, [[3], [1]], [0.5, 0.5], county=[0, 1], place=[0, 0])
    np.testing.assert_allclose(squared_bin_sizes(groups), [5.0])
    assert total_risk(groups)[0] == pytest.approx(1 - 0.5**4)


# Every g at once, beside single values of g and beside draws.


SWEEP_KEYS = [
    Granularities(gender="value", race="value", birth="year", geography="zip3"),
    Granularities(birth="year", geography="zip5"),
    Granularities(gender="value", race="value", birth="date", geography="county_zip5"),
    Granularities(gender="value", birth="five_years", geography="county_zip5"),
]


@pytest.mark.parametrize("key", SWEEP_KEYS, ids=str)
def test_nobody_is_lost(people, key):
    """Beyond the largest group the curve is everyone, or everyone listed."""
    groups = merge(people, key, ["DE"])
    np.testing.assert_allclose(g_distinct_sweep(groups, 20_000)[0, -1], 897_934, rtol=1e-12)
    np.testing.assert_allclose(g_distinct_sweep(groups, 20_000, 0.65)[0, -1], 0.65 * 897_934, rtol=1e-12)


def test_a_short_sweep_is_the_beginning_of_a_long_one(people):
    groups = merge(people, SWEEP_KEYS[0], ["DE"], conditions=SMALL)
    np.testing.assert_allclose(g_distinct_sweep(groups, 7), g_distinct_sweep(groups, 100)[:, :7], rtol=1e-9)
    np.testing.assert_array_equal(g_distinct_sweep(groups, 7), g_distinct_sweep(groups, 7))
