"""Exactly so many right matches: every way to match counted, the printed sums, and moments."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from math import factorial

import numpy as np
import pytest

from policy_sim.formulas import exact_matches
from policy_sim.formulas.exact_matches import exactly, matches_interval, matches_variance


@pytest.mark.parametrize(("records", "people"), [(0, 1), (1, 1), (2, 2), (2, 5), (3, 4), (5, 5), (4, 7)])
def test_against_every_way_to_match(records, people):
    ways = [sum(at == record for record, at in enumerate(way)) for way in permutations(range(people), records)]
    counted = Counter(ways)
    expected = [counted[right] / len(ways) for right in range(records + 1)]
    np.testing.assert_allclose(exactly(records, people), expected, atol=1e-14)


@pytest.mark.parametrize("people", [1, 2, 6, 30])
def test_the_formula_that_the_paper_prints_where_everyone_is_in_the_file(people):
    """Dankar and El Emam (2010), section 2.3; its expectation is 1."""
    for right in range(people + 1):
        printed = sum((-1) ** v / (factorial(right) * factorial(v)) for v in range(people - right + 1))
        assert exactly(people, people)[right] == pytest.approx(printed, abs=1e-12)
    assert exactly(people, people) @ np.arange(people + 1) == pytest.approx(1)


@pytest.mark.parametrize(("records", "people"), [(7, 7), (3, 90), (100, 130), (150, 151)])
def test_mean_and_variance(records, people):
    chance, right = exactly(records, people), np.arange(records + 1)
    assert chance.sum() == pytest.approx(1, abs=1e-9)
    assert chance @ right == pytest.approx(records / people)
    variance = chance @ right**2 - (records / people) ** 2
    assert matches_variance(np.array([records]), np.array([people]))[0] == pytest.approx(variance)


def test_the_interval_holds_what_is_drawn(monkeypatch):
    """Classes of 1 in 2, 3 in 3 and 2 in 8: 4,000 matchings; the exact ends and the normal ones are near."""
    rng = np.random.default_rng(6)
    records, people, classes = np.array([1, 3, 2]), np.array([2, 3, 8]), np.array([40, 30, 20])
    drawn = np.zeros(4000)
    for some, of, times in zip(records, people, classes, strict=True):
        order = rng.permuted(np.tile(np.arange(of), (4000 * times, 1)), axis=1)[:, :some]
        drawn += (order == np.arange(some)).sum(axis=1).reshape(4000, times).sum(axis=1)
    low, high = matches_interval(records, people, classes)
    inside = ((drawn >= low) & (drawn <= high)).mean()
    assert inside >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / 4000)
    assert inside < 0.99
    monkeypatch.setattr(exact_matches, "MOST_EXACT", 0)
    assert np.abs(np.subtract(matches_interval(records, people, classes), (low, high))).max() <= 1


def test_more_records_than_people_are_as_many_as_the_people():
    assert matches_interval(np.array([3]), np.array([1]), np.array([2])) == (2, 2)
