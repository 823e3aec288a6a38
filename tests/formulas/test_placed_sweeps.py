"""Every g at once of people placed by chance, beside single values of g and beside draws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from policy_sim.formulas.groups import g_distinct, g_distinct_sweep
from policy_sim.formulas.placed_groups import sweep_placed
from policy_sim.people.merge import merge
from policy_sim.people.store import load_shipped
from policy_sim.people.zips import PeopleByZip, ZipShares, in_zip_areas, zip_parts
from policy_sim.policies.policy import NO_CONDITIONS, Conditions, SmallPlaces
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities

DRAWS = 20
KEYS = [
    Granularities(gender="value", race="value", birth="year", geography="zip3"),
    Granularities(birth="year", geography="zip5"),
    Granularities(gender="value", race="value", birth="date", geography="county_zip5"),
    Granularities(gender="value", birth="five_years", geography="county_zip5"),
]


@pytest.fixture(scope="module")
def delaware():
    return load_shipped("us-2010").in_states(["DE"])


@pytest.fixture(scope="module")
def parts():
    return zip_parts("us-2010")


@pytest.fixture(scope="module")
def people(delaware, parts):
    return PeopleByZip(delaware, ZipShares.of(delaware, parts))


def _groups(people, key, conditions=NO_CONDITIONS):
    return people.merge(key, ["DE"], days_per_year=365.0, conditions=conditions)


@pytest.mark.slow
@pytest.mark.parametrize("coverage", [1.0, 0.3])
@pytest.mark.parametrize("key", KEYS, ids=str)
@pytest.mark.parametrize(("by_itself", "off"), [(True, 1e-9), (False, 5e-5)])
def test_the_sweep_is_every_single_g(people, key, coverage, by_itself, off):
    """Large bins are found by another way than those of single g: to 1e-9, where each person falls by itself.

    That an area holds as many people as were counted is one term in 1/M, taken in different forms by either way.
    """
    groups, g = _groups(people, key), [1, 2, 5, 32, 33, 40, 64, 100, 300]
    if by_itself:
        groups = replace(groups, residents=np.full_like(groups.residents, np.inf))
    swept = sweep_placed(groups, 400, coverage)
    np.testing.assert_allclose(swept[:, np.array(g) - 1], g_distinct(groups, g, coverage), rtol=off, atol=1e-6)
    assert (np.diff(swept, axis=1) >= 0).all()


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_nobody_is_lost(people, key):
    """Beyond the largest group the curve is everyone, or everyone listed."""
    groups = _groups(people, key)
    np.testing.assert_allclose(sweep_placed(groups, 20_000)[0, -1], 897_934, rtol=1e-12)
    np.testing.assert_allclose(sweep_placed(groups, 20_000, 0.65)[0, -1], 0.65 * 897_934, rtol=1e-12)


def test_a_short_sweep_is_the_beginning_of_a_long_one(people):
    groups = _groups(people, KEYS[0], Conditions(90, SmallPlaces("zip3", 20_000)))
    np.testing.assert_allclose(sweep_placed(groups, 7), sweep_placed(groups, 100)[:, :7], rtol=1e-9)
    np.testing.assert_array_equal(sweep_placed(groups, 7), g_distinct_sweep(groups, 7))


@pytest.mark.slow
@pytest.mark.parametrize("key", [KEYS[0], KEYS[3]], ids=str)
def test_the_mean_of_draws_is_the_sweep(delaware, parts, people, key):
    """20 draws of Delaware: within three and a half standard errors for g = 40, 100, 300 (6 comparisons in all)."""
    expected = sweep_placed(_groups(people, key), 300)[0]
    drawn = np.array(
        [g_distinct_sweep(merge(in_zip_areas(delaware, parts, seed), key, ["DE"]), 300)[0] for seed in range(DRAWS)]
    )
    mean, error = drawn.mean(axis=0), drawn.std(axis=0, ddof=1) / np.sqrt(DRAWS)
    for g in (40, 100, 300):
        assert abs(mean[g - 1] - expected[g - 1]) <= 3.5 * error[g - 1], (g, mean[g - 1], expected[g - 1])


def test_a_sweep_to_nothing_is_refused(people):
    with pytest.raises(InputError, match="g_max"):
        g_distinct_sweep(_groups(people, KEYS[0]), 0)
