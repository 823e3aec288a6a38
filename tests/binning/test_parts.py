"""Places made of parts of several counties, by counting every case and against one county alone."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from policy_sim.binning import claimed_records, occupied_bins, people_g_distinct
from policy_sim.binning.parts import claimed_in_places, distinct_in_part, g_distinct_in_places, occupied_in_places

CASES = [
    ([2, 1], 1, [0.5, 0.3]),
    ([2, 2], 2, [0.5, 1.0]),
    ([3], 2, [0.4]),
    ([1, 1, 1], 1, [1.0, 0.2, 0.7]),
    ([2, 1], 1, [1.0, 0.5]),
]


def _counted(people: list[int], bins: int, shares: list[float], coverage: float) -> tuple[float, Counter, float]:
    """Occupied bins, people in bins of each size and claims, over where all live, their bins and the list."""
    lives = [p for n, p in zip(people, shares, strict=True) for _ in range(n)]
    outcomes = [
        [
            (1 - p, None, False),
            *((p / bins * coverage, value, True) for value in range(bins)),
            *((p / bins * (1 - coverage), value, False) for value in range(bins)),
        ]
        for p in lives
    ]
    occupied, by_size, claims = 0.0, Counter(), 0.0
    for outcome in product(*outcomes):
        chance = float(np.prod([part[0] for part in outcome]))
        listed = Counter(value for _, value, is_listed in outcome if is_listed)
        occupied += chance * len(listed)
        for size in listed.values():
            by_size[size] += chance * size
        claims += chance * sum(listed[value] == 1 for _, value, _ in outcome if value is not None)
    return occupied, by_size, claims


@pytest.mark.parametrize("coverage", [1.0, 0.65, 0.0])
@pytest.mark.parametrize(("people", "bins", "shares"), CASES)
def test_every_outcome_counted(people, bins, shares, coverage):
    occupied, by_size, claims = _counted(people, bins, shares, coverage)
    place, width = np.zeros(len(people), dtype=np.int64), np.full(len(people), float(bins))
    piece = (place, np.array(people, float), width, np.array(shares), 1)
    assert occupied_in_places(*piece, coverage).item() == pytest.approx(occupied, abs=1e-12)
    sizes = g_distinct_in_places(*piece, 3, coverage)[0]
    assert sizes.tolist() == pytest.approx([by_size[size] for size in (1, 2, 3)], abs=1e-12)
    assert claimed_in_places(*piece, coverage).item() == pytest.approx(claims, abs=1e-12)


def test_a_place_in_one_county_is_that_county_with_the_share_as_coverage():
    n, b, p = np.array([150.0, 3, 40]), np.array([365.0, 1, 12]), np.array([0.25, 0.5, 0.01])
    place = np.arange(3)
    np.testing.assert_allclose(occupied_in_places(place, n, b, p, 3), occupied_bins(n, b, p), rtol=1e-12)
    sizes = g_distinct_in_places(place, n, b, p, 3, 5)
    np.testing.assert_allclose(np.cumsum(sizes, axis=1)[:, 4], people_g_distinct(n, b, 5, p), rtol=1e-12)
    claims = claimed_in_places(place, n, b, p, 3, 0.6)
    np.testing.assert_allclose(claims, claimed_records(n, b, 0.6, p), rtol=1e-12)


def test_the_ratio_of_neighbors_gives_the_tail():
    n, b = np.array([1.0, 1, 2, 7, 150, 4000]), np.array([1.0, 365, 1, 12, 365, 365])
    x, sizes = np.array([1.0, 0.3, 1.0, 0.5, 0.25, 0.02]), np.array([1, 3, 10])
    found = distinct_in_part(n, b, x, sizes)
    np.testing.assert_allclose(found, people_g_distinct(n, b, sizes[:, None], x), rtol=1e-11)


def test_places_without_people_hold_nobody():
    nobody = (np.array([0, 2]), np.zeros(2), np.ones(2), np.array([0.5, 1.0]), 3)
    assert occupied_in_places(*nobody).tolist() == [0, 0, 0]
    assert g_distinct_in_places(*nobody, 2).sum() == 0


def test_a_large_bin_of_two_counties_is_the_sum_of_two_binomials():
    n, p, g = np.array([2000.0, 1500.0]), np.array([0.5, 0.4]), 1620
    one = np.convolve(*(binom.pmf(np.arange(g + 1), size, share) for size, share in zip(n, p, strict=True)))[: g + 1]
    sizes = g_distinct_in_places(np.zeros(2, dtype=np.int64), n, np.ones(2), p, 1, g)[0]
    np.testing.assert_allclose(sizes, one[1:] * np.arange(1, g + 1), rtol=1e-9, atol=1e-12)
    assert 0.5 < sizes.sum() / (n @ p) < 0.9
