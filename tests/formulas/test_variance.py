from __future__ import annotations

from functools import partial

import mpmath as mp
import numpy as np
import pytest
from pinned import pinned

from policy_sim.formulas.variance import (
    variance_of_correct_links,
    variance_of_guesses,
    variance_of_occupied_bins,
    variance_of_people_g_distinct,
    variance_of_unique_people,
)
from policy_sim.words.errors import InputError

BOTH = [variance_of_occupied_bins, variance_of_unique_people]


@pytest.mark.parametrize(("people", "bins"), [(0, 3), (1, 1), (3, 1), (2, 2), (3, 2), (4, 3), (5, 4), (2, 6), (6, 3)])
def test_matches_every_throw_counted(people, bins, throws):
    counted = throws(people, bins)
    occupied = np.var([len(t) for t in counted])
    np.testing.assert_allclose(variance_of_occupied_bins(people, bins), occupied, rtol=1e-13, atol=1e-15)
    unique = np.var([t.count(1) for t in counted])
    np.testing.assert_allclose(variance_of_unique_people(people, bins), unique, rtol=1e-13, atol=1e-15)
    for g in (1, 2, 3, 10):
        within = np.var([sum(i for i in t if i <= g) for t in counted])
        np.testing.assert_allclose(variance_of_people_g_distinct(people, bins, g), within, rtol=1e-12, atol=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize(("people", "bins", "g"), [(300, 365, 3), (900, 365, 5), (5, 3, 2), (40, 2, 25), (30, 1, 20)])
@pytest.mark.parametrize("coverage", [1.0, 0.6])
def test_matches_people_thrown_and_linked(people, bins, g, coverage):
    """Seeded; 10,000 throws estimate a variance to about sqrt(2/10,000) = 1.4 %, four times that is allowed.

    Every record is in the release; the attacker picks among the listed of its bin, or has nobody to pick.
    """
    rng, rounds = np.random.default_rng(20), pinned(10_000, 40_000)
    listed = rng.random((rounds, people)) < coverage
    bin_of = rng.integers(0, bins, (rounds, people)) + bins * np.arange(rounds)[:, None]
    sizes = np.bincount(bin_of[listed], minlength=rounds * bins)
    right = listed & (rng.random((rounds, people)) * np.maximum(sizes[bin_of], 1) < 1)
    sizes = sizes.reshape(rounds, bins)
    for variance, seen in (
        (variance_of_occupied_bins(people, bins, coverage), (sizes > 0).sum(axis=1)),
        (variance_of_unique_people(people, bins, coverage), (sizes == 1).sum(axis=1)),
        (variance_of_people_g_distinct(people, bins, g, coverage), np.where(sizes <= g, sizes, 0).sum(axis=1)),
        (variance_of_correct_links(people, bins, coverage), right.sum(axis=1)),
    ):
        ours = float(variance)
        # a variance near 0 is made by a few throws: those are counted, not estimated
        assert abs(ours - seen.var()) <= 4 * (np.sqrt(2 / rounds) * ours + np.sqrt(ours / rounds)) + 1e-12


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


@pytest.mark.parametrize("variance", BOTH)
def test_nobody_one_person_and_one_bin_do_not_scatter(variance):
    np.testing.assert_array_equal(variance([0, 1, 0, 1, 9], [365, 365, 1, 1, 1]), 0.0)


@pytest.mark.parametrize("variance", BOTH)
def test_one_person_is_listed_or_not(variance):
    np.testing.assert_allclose(variance(1, [1, 2, 365], 0.25), 0.1875, rtol=1e-15)


@pytest.mark.parametrize("variance", [*BOTH, variance_of_correct_links, partial(variance_of_people_g_distinct, g=2)])
def test_bins_between_one_and_two_are_refused(variance):
    with pytest.raises(InputError, match=r"^bins = 1.5 has no variance: "):
        variance([3, 4], [2, 1.5])


@pytest.mark.slow
@pytest.mark.parametrize("people", [2, 3, 33, 200, 3000])
@pytest.mark.parametrize("bins", [1.0, 1.5, 2.0, 12.0, 365.25, 1e7])
@pytest.mark.parametrize("coverage", [1.0, 0.75, 0.001])
def test_guesses_keep_twelve_digits(people, bins, coverage, exact):
    law = exact(people, bins, coverage)
    sizes = range(2, people + 1)
    if people == 3000:
        middle, reach = people * float(law.p), 40 * np.sqrt(people * float(law.p)) + 60
        sizes = range(max(2, int(middle - reach)), min(people, int(middle + reach)) + 1)
    reference = mp.mpf(bins) * mp.fsum(law.mass(size) * (1 - 1 / mp.mpf(size)) for size in sizes)
    assert abs(float(variance_of_guesses(people, bins, coverage)) - reference) <= 1e-12 * reference


@pytest.mark.parametrize("coverage", [1.0, 0.6, 0.01])
def test_is_the_variance_of_unique_people_for_one(coverage):
    people = np.array([1, 2, 3, 40, 365, 2000, 40_000])
    for bins in (1.0, 2.0, 12.0, 365.0, 1825.0):
        ours = variance_of_people_g_distinct(people, bins, 1, coverage)
        np.testing.assert_allclose(ours, variance_of_unique_people(people, bins, coverage), rtol=1e-9, atol=1e-9)
