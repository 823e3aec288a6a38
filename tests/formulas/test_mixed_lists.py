"""The exact sums that other tests compare with: every small case counted, and fifty digits."""

from __future__ import annotations

from itertools import product

import mpmath as mp
import numpy as np
import pytest
from exact_lists import MixedGroups


def figures(groups):
    return np.array([groups.claims(), groups.correct_claims(), groups.total_risk()])


@pytest.mark.parametrize(
    ("arguments", "claims", "correct", "total"),
    [
        (([100, 60], [0.85, 0.4], 365, 30), 87.8650, 74.6018, 90.7229),
        ((150, 0.65, 365, 40), 80.5415, 66.9894, 81.2979),
    ],
)
def test_the_figures_of_the_model(arguments, claims, correct, total):
    """MODEL.md section 15 prints them to five digits or six; these are its formulas to six."""
    group = MixedGroups.of(*arguments)
    np.testing.assert_allclose(figures(group)[:, 0], [claims, correct, total], rtol=5e-6)


def counted(people, listed, bins, stale, chance):
    """Every way in which people and records are on the list and fall into bins, with its chance."""
    persons = [(p, c) for p, (n, c) in enumerate(zip(people, listed, strict=True)) for _ in range(n)]
    records = [q for m, q in zip(stale, chance, strict=True) for _ in range(m)]
    hits = [c for _, c in persons] + records
    total = np.zeros(3)
    for on_list in product([True, False], repeat=len(hits)):
        likely = np.prod([c if on else 1 - c for c, on in zip(hits, on_list, strict=True)])
        if not likely:
            continue
        for bin_of in product(range(bins), repeat=len(hits)):
            entries = np.bincount([b for b, on in zip(bin_of, on_list, strict=True) if on], minlength=bins)
            many = entries[list(bin_of[: len(persons)])]
            own = np.array(on_list[: len(persons)])
            one = [(many == 1).sum(), ((many == 1) & own).sum(), (own / np.maximum(many, 1)).sum()]
            total += likely / bins ** len(hits) * np.array(one)
    return total


SMALL = [
    (people, listed, bins, stale, chance)
    for people, listed in [
        ((1,), (1.0,)),
        ((2,), (0.5,)),
        ((3,), (1.0,)),
        ((1, 1), (1.0, 0.0)),
        ((2, 1), (0.3, 1.0)),
        ((1, 0, 2), (0.9, 1.0, 0.2)),
    ]
    for bins in (1, 2, 3)
    for stale, chance in [((0,), (1.0,)), ((1,), (1.0,)), ((2,), (1.0,)), ((2,), (0.4,)), ((1, 1), (1.0, 0.25))]
]


@pytest.mark.parametrize("case", SMALL)
def test_every_small_case_counted(case):
    np.testing.assert_allclose(figures(MixedGroups.of(*case))[:, 0], counted(*case), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    "case",
    [
        ((3,), (0.9,), 1.0, (1,), (1.0,), 0.0),
        ((46,), (1.0,), 1.0, (1,), (1.0,), 0.0),
        ((60, 9), (1.0, 0.3), 1.0, (7,), (0.9,), 2.5),
        ((150, 20), (0.65, 1.0), 365.0, (40,), (1.0,), 0.25),
        ((10**6, 10**5), (0.8, 0.99), 1.0, (10**5,), (1.0,), 0.0),
        ((10**6, 10**5), (0.8, 0.99), 365.25, (10**7,), (0.01,), 1e4),
        ((10**5, 3), (1e-6, 1.0), 2.0, (10**6,), (0.5,), 0.0),
        ((5,), (0.5,), 1e7, (10**9,), (1.0,), 0.0),
    ],
)
def test_the_integral_is_right_to_twelve_digits(case):
    people, listed, bins, stale, chance, mean = case
    with mp.workdps(50):

        def rest(u, own):
            value = mp.exp(-mp.mpf(mean) * u / bins)
            for t, (n, c) in enumerate(zip((*people, *stale), (*listed, *chance), strict=True)):
                value *= (1 - mp.mpf(c) * u / bins) ** (n - (t == own))
            return value

        rate = sum(n * c for n, c in zip((*people, *stale), (*listed, *chance), strict=True)) / bins + mean / bins
        points = [0, *(end for end in (1 / rate, 10 / rate, 60 / rate, 200 / rate) if end < 1), 1]
        exact = sum(
            n * mp.mpf(c) * mp.quad(lambda u, s=s: rest(u, s), points)
            for s, (n, c) in enumerate(zip(people, listed, strict=True))
            if n
        )
    assert MixedGroups.of(*case).total_risk().item() == pytest.approx(float(exact), rel=1e-12)
