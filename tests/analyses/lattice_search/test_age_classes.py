"""The best classes of ages: against every way to show 12 ages, by hand, and where none does."""

from __future__ import annotations

from itertools import combinations, pairwise, product

import numpy as np
import pytest

from policy_sim.analyses.lattice_search.age_classes import best_classes, choices_of, every_front
from policy_sim.binning import occupied_bins, people_g_distinct

AGES = 12
YEARS = np.array([1] * (AGES - 2) + [5, 5])
BINS = {"class": 0, "year": 1, "quarter": 4, "month": 12}


def _people(seed, ages=AGES):
    rng = np.random.default_rng(seed)
    return rng.poisson(rng.gamma(0.5, 6, (9, ages)))


def _cuts(ages):
    for size in range(ages):
        for cuts in combinations(range(1, ages), size):
            yield (0, *cuts, ages)


def _measured(people, way, years, g):
    """Risk and information of one way, straight from the people."""
    risk = information = 0.0
    for first, end, shown in way:
        n = people[:, first:end].sum(axis=1)
        n, b = n[n > 0], max(BINS[shown] * years[first], 1)
        risk += (occupied_bins(n, b) if g is None else people_g_distinct(n, b, g)).sum()
        information += (n * np.log2(b / n)).sum()
    return risk, information


def _every_way(ages, years, within):
    for cuts in _cuts(ages):
        runs = list(pairwise(cuts))
        ways = [["class", *(["year"] if years[a] > 1 else []), *within] if b - a == 1 else ["class"] for a, b in runs]
        for shown in product(*ways):
            yield [(a, b, how) for (a, b), how in zip(runs, shown, strict=True)]


@pytest.mark.parametrize("g", [None, 3])
@pytest.mark.parametrize("seed", range(3))
def test_brute_force_over_twelve_ages(seed, g):
    """All 2,048 ways to cut 12 ages, with two ages of five years shown as a class or by year."""
    people = _people(seed)
    ways = [_measured(people, way, YEARS, g) for way in _every_way(AGES, YEARS, ())]
    choices = choices_of(people, YEARS, g=g, within=())
    for most in np.quantile([risk for risk, _ in ways], [0, 0.02, 0.3, 0.7, 1]):
        truth = max(bits for risk, bits in ways if risk <= most + 1e-9)
        found = best_classes(choices, most + 1e-9)
        assert found.information == pytest.approx(truth, rel=1e-12)
        again = [(one.first, one.end, one.granularity) for one in found.classes]
        assert _measured(people, again, YEARS, g) == pytest.approx((found.risk, found.information), rel=1e-12)
    assert best_classes(choices, min(risk for risk, _ in ways) - 1e-6) is None


def test_brute_force_with_quarters_and_months():
    """Six ages, each by itself shown by quarter or month too: 1,024 ways and more, and the whole front."""
    people, years, within = _people(5, 6), np.ones(6, dtype=int), ("quarter", "month")
    ways = [_measured(people, way, years, None) for way in _every_way(6, years, within)]
    assert len(ways) > 1000
    choices = choices_of(people, years, within=within)
    for most in np.quantile([risk for risk, _ in ways], [0.01, 0.1, 0.5, 0.9]):
        truth = max(bits for risk, bits in ways if risk <= most)
        assert best_classes(choices, most).information == pytest.approx(truth, rel=1e-12)
    front = every_front(choices)
    assert all(not any(r < risk - 1e-9 and i > bits + 1e-9 for r, i in ways) for risk, bits in front)
    for risk, bits in ways:
        assert any(r <= risk + 1e-9 and i >= bits - 1e-9 for r, i in front)


def test_only_allowed_classes_are_used():
    """Cuts at 4 and 8 must stand: brute force over the ways that have both."""
    people, years = _people(7), np.ones(AGES, dtype=int)
    allowed = np.array([[first // 4 == (end - 1) // 4 for end in range(AGES + 1)] for first in range(AGES)])
    ways = [
        _measured(people, way, years, None) for way in _every_way(AGES, years, ()) if {4, 8} <= {a for a, *_ in way}
    ]
    most = np.median([risk for risk, _ in ways])
    found = best_classes(choices_of(people, years, within=(), allowed=allowed), most)
    assert found.information == pytest.approx(max(bits for risk, bits in ways if risk <= most), rel=1e-12)
    assert {4, 8} <= {one.first for one in found.classes}


def test_information_of_other_groups_than_those_at_risk():
    """With everyone's age alone told, classes of equally many people tell most, whoever is at risk."""
    people = np.array([[9, 1, 1, 9], [0, 4, 4, 0]])
    choices = choices_of(people, np.ones(4, dtype=int), within=(), information_of=people.sum(axis=0)[None])
    found = best_classes(choices, 4)
    assert [(one.first, one.end) for one in found.classes] == [(0, 1), (1, 3), (3, 4)]
    assert found.information == pytest.approx(-2 * 9 * np.log2(9) - 10 * np.log2(10))


def test_nothing_that_tells_more_than_is_known():
    choices = choices_of(np.array([[2, 2, 2]]), np.ones(3, dtype=int), within=())
    best = best_classes(choices, 3)
    assert (best.risk, best.information) == (3, -6.0)
    assert best_classes(choices, 3, least=-6.0) is None
    assert best_classes(choices, 3, least=-6.1).information == -6.0


def test_no_class_may_be_used():
    choices = choices_of(np.array([[2, 2]]), np.ones(2, dtype=int), allowed=np.zeros((2, 3), dtype=bool))
    assert best_classes(choices, 10) is None
