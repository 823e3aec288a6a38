"""What a rate is made of: to the last digit, rounded or cut off, with the chance by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from policy_sim.formulas.shown_ratios import CHANGE, OF_BOTH, OF_PLACE, SHARE, UNKNOWN, Rates

PARTS = np.array([6.0, 5, 31, 47, 12, 29])
WHOLES = np.array([11.0, 11, 73, 88, 97, 61])


def ratios(rate, counts, step=0.1, named=False, bases=()):
    values = np.vstack([rate, *counts])
    steps = np.ones_like(values)
    steps[0] = step
    return Rates(values, steps, [0], list(range(1, len(values))), [0] if named else [], list(bases)).all()


def digits_of(rate, step=0.1):
    return sum(math.log10(1 + size) for size in set(np.rint(np.abs(rate[rate != 0]) / step)))


@pytest.mark.parametrize("scale", [100.0, 1.0, 1e3, 1e4, 1e5, 1e6])
@pytest.mark.parametrize("kind", [SHARE, OF_BOTH, CHANGE])
def test_the_ways_to_make_a_rate_of_two_counts(kind, scale):
    shares = {SHARE: PARTS / WHOLES, OF_BOTH: PARTS / (PARTS + WHOLES), CHANGE: PARTS / WHOLES - 1}
    step = scale / 1000
    rate = np.round(shares[kind] * 1000) * step
    (ratio,) = ratios(rate, [PARTS, WHOLES], step, named=True)
    assert (ratio.kind, ratio.part, ratio.whole, ratio.scale, ratio.cut) == (kind, 1, 2, scale, False)
    assert ratio.confirmed == 6
    ways = 6 * 2 * (3 * 2)
    assert ratio.chance == pytest.approx(ways * 2 * 10 ** -digits_of(rate, step), rel=1e-9, abs=0)


def test_rounding_reaches_half_a_unit_on_both_sides():
    """6/11 = 54.545 is shown as 54.5, and 5/11 = 45.4545 as 45.5: each nearly half a unit away."""
    rate = np.round(100 * PARTS / WHOLES, 1)
    assert rate[:2].tolist() == [54.5, 45.5]
    assert [ratio.kind for ratio in ratios(rate, [PARTS, WHOLES])] == [SHARE]
    for at, off in ((0, -0.1), (1, 0.1)):
        wrong = rate.copy()
        wrong[at] += off
        assert ratios(wrong, [PARTS, WHOLES]) == []


def test_rates_that_are_cut_off():
    rate = np.floor(1000 * PARTS / WHOLES) / 10
    (ratio,) = ratios(rate, [PARTS, WHOLES])
    assert (ratio.kind, ratio.cut) == (SHARE, True)
    rate[2] -= 0.1
    assert ratios(rate, [PARTS, WHOLES]) == []


def test_a_rate_of_zero_and_of_one():
    """A rate of zero has no digits; of 200 one is 0.5."""
    parts = np.array([0.0, 2, 47, 31, 12, 29])
    wholes = np.array([50.0, 200, 88, 73, 97, 61])
    rate = np.round(100 * parts / wholes, 1)
    assert rate[:2].tolist() == [0.0, 1.0]
    (ratio,) = ratios(rate, [parts, wholes], named=True)
    assert ratio.chance == pytest.approx(6 * 2 * 6 * 2 * 10 ** -digits_of(rate), rel=1e-9, abs=0)


def test_a_hidden_count_confirms_nothing_and_contradicts_nothing():
    parts = PARTS.copy()
    parts[0] = np.nan
    rate = np.round(100 * PARTS / WHOLES, 1)
    (ratio,) = ratios(rate, [parts, WHOLES], named=True)
    assert (ratio.kind, ratio.confirmed) == (SHARE, 5)
    assert ratios(rate, [np.full(6, np.nan), WHOLES]) == []


def test_shares_of_one_place_and_of_a_number_that_is_not_shown():
    parts = np.array([1.0, 3, 250, 0, 77, 331])
    rate = np.round(100 * parts / 331, 1)
    assert [(ratio.kind, ratio.whole) for ratio in ratios(rate, [parts], bases=[0, 5])] == [(OF_PLACE, 5)]
    rate = np.round(100 * parts / 662, 1)  # 0.2, of which the upper end is below 1
    (ratio,) = ratios(rate, [parts], bases=[0, 5])
    assert ratio.kind == UNKNOWN
    low, high = (
        max(part / (shown + 0.05) for part, shown in zip(parts, rate, strict=True) if part),
        min(part / (shown - 0.05) for part, shown in zip(parts, rate, strict=True) if part),
    )
    assert ratio.between == (pytest.approx(low), pytest.approx(high))
    digits = sum(math.log10(1 + size) for size in sorted(set(np.rint(rate[rate > 0] * 10)))[:-1])
    assert ratio.chance == pytest.approx(4 * 2 * 10**-digits, rel=1e-9, abs=0)


@pytest.mark.parametrize(("at", "part", "shown"), [(3, 0, 0.2), (3, 0, -0.4), (1, 3, 0.0), (1, 3, 0.6), (1, 3, -0.4)])
def test_one_denominator_must_fit_every_rate(at, part, shown):
    """Nothing of something, something of nothing, and two counts whose rates differ too much."""
    parts = np.array([1.0, 3, 250, 9, 77, 331])
    rate = np.round(100 * parts / 662, 1)
    assert len(ratios(rate, [parts])) == 1
    parts[at], rate[at] = part, shown
    assert ratios(rate, [parts]) == []


def test_at_most_three_explanations_and_the_likeliest_first():
    rate = np.round(100 * PARTS / WHOLES, 1)
    counts = [PARTS, *[WHOLES] * 5]
    assert [(ratio.kind, ratio.whole) for ratio in ratios(rate, counts)] == [(SHARE, at) for at in (2, 3, 4)]


def test_few_digits_are_chance():
    """Two rates of one digit agree with many pairs of counts; a name that says rate makes the limit wider."""
    rate, parts, wholes = np.array([3.0, 7]), np.array([3.0, 14]), np.array([100.0, 200])
    assert ratios(rate, [parts, wholes], 1.0) == []
