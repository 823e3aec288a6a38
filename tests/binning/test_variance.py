from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from policy_sim.binning import occupied_bins, people_g_distinct, variance_of_occupied_bins, variance_of_unique_people
from policy_sim.errors import InputError

BOTH = [variance_of_occupied_bins, variance_of_unique_people]


@pytest.mark.parametrize(("people", "bins"), [(1, 1), (3, 1), (2, 2), (3, 2), (4, 3), (5, 4), (2, 6), (6, 3)])
def test_matches_every_throw_counted(people, bins, throws):
    counted = throws(people, bins)
    occupied = np.var([len(t) for t in counted])
    unique = np.var([t.count(1) for t in counted])
    np.testing.assert_allclose(variance_of_occupied_bins(people, bins), occupied, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(variance_of_unique_people(people, bins), unique, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("people", [2, 3, 33, 200, 12345, 10**6, 10**9])
@pytest.mark.parametrize("bins", [1.0, 2.0, 2.5, 2.6, 3.0, 12.0, 365.0, 365.25, 1825.0, 1e7])
@pytest.mark.parametrize("coverage", [1.0, 0.999999, 0.75, 1 / 3, 0.001])
def test_keeps_twelve_digits(people, bins, coverage, exact):
    law = exact(people, bins, coverage)
    pair = 1 - 2 * law.p
    square = law.q**people * bins
    printed = bins * (mp.mpf(bins) - 1) * pair**people + square - square**2
    mean = people * mp.mpf(coverage) * law.q ** (people - 1)
    second = people * (people - 1) * mp.mpf(coverage) ** 2 * (1 - 1 / mp.mpf(bins)) * pair ** (people - 2)
    for ours, reference in (
        (variance_of_occupied_bins(people, bins, coverage), printed),
        (variance_of_unique_people(people, bins, coverage), second + mean - mean**2),
    ):
        if reference > 1e-300:
            assert abs(float(ours) - reference) <= 1e-12 * reference
        else:
            assert 0 <= ours < 1e-299


@pytest.mark.parametrize("coverage", [1.0, 0.6])
@pytest.mark.parametrize(("people", "bins"), [(300, 365), (5, 3), (40, 2), (30, 1)])
def test_matches_simulated_throws(people, bins, coverage):
    """Seeded; 40,000 throws estimate a variance to about sqrt(2/40,000) = 0.7 %, four times that is allowed."""
    rng, rounds = np.random.default_rng(20), 40_000
    listed = rng.random((rounds, people)) < coverage
    bin_of = rng.integers(0, bins, (rounds, people)) + bins * np.arange(rounds)[:, None]
    sizes = np.bincount(bin_of[listed], minlength=rounds * bins).reshape(rounds, bins)
    unique, occupied = (sizes == 1).sum(axis=1), (sizes > 0).sum(axis=1)
    slack = 4 * np.sqrt(2 / rounds)
    for ours, seen in (
        (variance_of_occupied_bins(people, bins, coverage), occupied),
        (variance_of_unique_people(people, bins, coverage), unique),
    ):
        # a variance near 0 is made by a few throws: those are counted, not estimated
        assert abs(float(ours) - seen.var()) <= slack * float(ours) + 4 * np.sqrt(float(ours) / rounds) + 1e-12
    for mean, seen, variance in (
        (occupied_bins(people, bins, coverage), occupied, variance_of_occupied_bins),
        (people_g_distinct(people, bins, 1, coverage), unique, variance_of_unique_people),
    ):
        error = np.sqrt(float(variance(people, bins, coverage)) / rounds)
        assert abs(float(mean) - seen.mean()) <= 4 * error + 1e-12


@pytest.mark.parametrize("variance", BOTH)
def test_nobody_one_person_and_one_bin_do_not_scatter(variance):
    np.testing.assert_array_equal(variance([0, 1, 0, 1, 9], [365, 365, 1, 1, 1]), 0.0)


@pytest.mark.parametrize("variance", BOTH)
def test_one_person_is_listed_or_not(variance):
    np.testing.assert_allclose(variance(1, [1, 2, 365], 0.25), 0.1875, rtol=1e-15)


@pytest.mark.parametrize("variance", BOTH)
def test_never_negative_and_never_more_than_the_range_allows(variance):
    people, bins = np.arange(400)[:, None], np.array([1, 2, 2.25, 3, 12, 365.25, 1e5, 1e7])[None, :]
    result = variance(people, bins)
    assert (result >= 0).all()
    assert (result <= people.astype(float) ** 2 / 4).all()


@pytest.mark.parametrize("variance", BOTH)
def test_bins_between_one_and_two_are_refused(variance):
    with pytest.raises(InputError, match=r"^bins = 1.5 has no variance: give 1, or 2 and more\.$"):
        variance([3, 4], [2, 1.5])
