"""The scatter of correct links: every throw and every guess counted, 60 digits, and links drawn."""

from __future__ import annotations

from itertools import product

import mpmath as mp
import numpy as np
import pytest

from policy_sim.binning import (
    occupied_bins,
    people_g_distinct,
    variance_of_correct_links,
    variance_of_guesses,
    variance_of_occupied_bins,
)
from policy_sim.errors import InputError


def links_by_enumeration(people: int, bins: int) -> tuple[float, float]:
    """Mean and variance of the correct links, over every throw and every choice of a person in one's bin."""
    first = second = 0.0
    for throw in product(range(bins), repeat=people):
        equals = [[other for other in range(people) if throw[other] == throw[one]] for one in range(people)]
        counts = [sum(guess == one for one, guess in enumerate(guesses)) for guesses in product(*equals)]
        first += np.mean(counts) / bins**people
        second += np.mean(np.square(counts)) / bins**people
    return first, second - first**2


@pytest.mark.parametrize(("people", "bins"), [(0, 3), (1, 1), (3, 1), (2, 2), (3, 2), (4, 3), (5, 2), (2, 6), (4, 4)])
def test_matches_every_throw_and_every_guess(people, bins):
    mean, variance = links_by_enumeration(people, bins)
    assert float(occupied_bins(people, bins)) == pytest.approx(mean, rel=1e-12)
    assert float(variance_of_correct_links(people, bins)) == pytest.approx(variance, rel=1e-11, abs=1e-13)


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


@pytest.mark.parametrize("coverage", [1.0, 0.6])
@pytest.mark.parametrize(("people", "bins"), [(300, 365), (5, 3), (40, 2), (30, 1)])
def test_matches_links_drawn(people, bins, coverage):
    """Seeded; 20,000 throws estimate a variance to about 1 %: four times that is allowed.

    Every record is in the release; the attacker picks among the listed of its bin, or has nobody to pick.
    """
    rng, rounds = np.random.default_rng(22), 20_000
    listed = rng.random((rounds, people)) < coverage
    bin_of = rng.integers(0, bins, (rounds, people)) + bins * np.arange(rounds)[:, None]
    sizes = np.bincount(bin_of[listed], minlength=rounds * bins)
    right = listed & (rng.random((rounds, people)) * np.maximum(sizes[bin_of], 1) < 1)
    seen = right.sum(axis=1).var()
    np.testing.assert_allclose(variance_of_correct_links(people, bins, coverage), seen, rtol=4 * np.sqrt(2 / rounds))


def test_guesses_scatter_at_least_half_and_at_most_all_that_is_not_unique():
    people, bins = np.arange(1, 900)[:, None], np.array([1.0, 2.0, 12.0, 365.0])[None, :]
    shared = occupied_bins(people, bins) - people_g_distinct(people, bins, 1)  # bins of two or more
    luck = variance_of_guesses(people, bins)
    assert (luck >= shared / 2 - 1e-9).all()
    assert (luck <= shared + 1e-9).all()


def test_luck_is_all_where_the_key_hides_nothing():
    """A state's people of one year of age: one correct link is expected, and one more or fewer is usual."""
    assert float(variance_of_occupied_bins(5000, 1)) == 0
    assert float(variance_of_correct_links(5000, 1)) == pytest.approx(1 - 1 / 5000)


def test_two_bins_at_a_time_have_no_meaning_between_one_and_two():
    with pytest.raises(InputError, match=r"bins = 1.5 has no variance"):
        variance_of_correct_links(3, 1.5)
