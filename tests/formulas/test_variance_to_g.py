from __future__ import annotations

import numpy as np
import pytest

from policy_sim.formulas.variance import variance_of_people_g_distinct, variance_of_unique_people
from policy_sim.words.errors import InputError


@pytest.mark.parametrize(("people", "bins"), [(0, 3), (1, 1), (3, 1), (2, 2), (3, 2), (4, 3), (5, 4), (2, 6), (6, 3)])
@pytest.mark.parametrize("g", [1, 2, 3, 10])
def test_matches_every_throw_counted(people, bins, g, throws):
    counted = np.var([sum(i for i in t if i <= g) for t in throws(people, bins)])
    np.testing.assert_allclose(variance_of_people_g_distinct(people, bins, g), counted, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("coverage", [1.0, 0.6, 0.01])
def test_is_the_variance_of_unique_people_for_one(coverage):
    people = np.array([1, 2, 3, 40, 365, 2000, 40_000])
    for bins in (1.0, 2.0, 12.0, 365.0, 1825.0):
        ours = variance_of_people_g_distinct(people, bins, 1, coverage)
        np.testing.assert_allclose(ours, variance_of_unique_people(people, bins, coverage), rtol=1e-9, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("people", "bins", "g", "coverage"), [(300, 365, 3, 1.0), (900, 365, 5, 0.6), (30, 12, 2, 0.5), (7, 1, 5, 0.6)]
)
def test_matches_simulated_throws(people, bins, g, coverage):
    """Seeded; 40,000 throws estimate a variance to about sqrt(2/40,000) = 0.7 %, four times that is allowed."""
    rng, rounds = np.random.default_rng(21), 40_000
    listed = rng.random((rounds, people)) < coverage
    bin_of = rng.integers(0, bins, (rounds, people)) + bins * np.arange(rounds)[:, None]
    sizes = np.bincount(bin_of[listed], minlength=rounds * bins).reshape(rounds, bins)
    seen = np.where(sizes <= g, sizes, 0).sum(axis=1)
    ours = variance_of_people_g_distinct(people, bins, g, coverage)
    np.testing.assert_allclose(ours, seen.var(), rtol=4 * np.sqrt(2 / rounds))


def test_two_bins_at_a_time_have_no_meaning_between_one_and_two():
    with pytest.raises(InputError, match=r"bins = 1.5 has no variance"):
        variance_of_people_g_distinct(3, 1.5, 2)
