"""Variances and uneven birthdays of whole studies: by hand, against throws, and as intervals that cover."""

from __future__ import annotations

import numpy as np
import pytest

from policy_sim.formulas.groups import Groups, g_distinct, total_risk, total_risk_variance
from policy_sim.formulas.placed_groups import CountyPartGroups, PlacedGroups
from policy_sim.model.compare import variances
from policy_sim.model.measure import Bounds, Measure
from policy_sim.model.profile import Cost, RiskProfile, TrustDifferential
from policy_sim.model.sensitivity import with_uneven_birthdays
from policy_sim.people.names import LEAP_DAY, load_birthdays

TOTAL = Measure("total-risk")


def test_variances_add_up_over_groups():
    both = Groups.of([3, 40], [2, 365])
    apart = [Groups.of([n], [b]) for n, b in ((3, 2), (40, 365))]
    table = variances(both, [1, 3])
    np.testing.assert_allclose(table, sum(variances(one, [1, 3]) for one in apart), rtol=1e-12)
    assert table.shape == (1, 3)
    assert table[0, 0] == pytest.approx(total_risk_variance(both)[0], rel=1e-12)


def test_groups_of_less_than_two_bins_are_taken_with_two():
    odd = variances(Groups.of([5, 9], [1.5, 365]), [1])
    np.testing.assert_allclose(odd, variances(Groups.of([5, 9], [2, 365]), [1]), rtol=1e-12)


def test_even_shares_change_nothing():
    groups = Groups.of([1, 30, 30, 5000, 7], [365, 365, 1825, 365, 1], unit=[0, 0, 1, 1, 1])
    ours = with_uneven_birthdays(groups, np.full(365, 1 / 365), [1, 5])
    even = np.column_stack([total_risk(groups), g_distinct(groups, [1, 5])])
    np.testing.assert_allclose(ours, even, rtol=1e-10)


@pytest.mark.slow
def test_uneven_birthdays_against_people_thrown_one_by_one():
    """Seeded; 4,000 rounds of 300 people in one year of age and 90 in five: four standard errors are allowed."""
    rng, rounds, shares = np.random.default_rng(12), 4000, load_birthdays().shares
    groups = Groups.of([300, 90], [365, 1825])
    seen = np.zeros((rounds, 3))
    for turn in range(rounds):
        day = np.concatenate(
            [rng.choice(366, 300, p=shares), 366 + 366 * rng.integers(0, 5, 90) + rng.choice(366, 90, p=shares)]
        )
        sizes = np.bincount(np.unique(day, return_counts=True)[1], minlength=4)
        seen[turn] = sizes[1:].sum(), sizes[1], (sizes[1:4] * (1, 2, 3)).sum()
    error = seen.std(axis=0) / np.sqrt(rounds)
    ours = with_uneven_birthdays(groups, shares, [1, 3])[0]
    assert (np.abs(ours - seen.mean(axis=0)) < 4 * error).all()


def test_months_and_released_parts_are_weighted():
    shares = np.array([0.2] + [0.8 / 11] * 11)
    half = with_uneven_birthdays(Groups.of([10], [12], released=[5]), shares, [2], per_year=12)
    whole = with_uneven_birthdays(Groups.of([10], [12]), shares, [2], per_year=12)
    np.testing.assert_allclose(half, whole / 2, rtol=1e-12)
    assert whole[0, 0] < total_risk(Groups.of([10], [12]))[0]


def profile(policy: str, people: float, variance: float, **more) -> RiskProfile:
    values, spread = {TOTAL: Bounds.exactly(people)}, {TOTAL: Bounds.exactly(variance)}
    return RiskProfile("OH", policy, "voter", "p", "l", "k", "ok", "", 1000, values, spread, **more)


def test_intervals_by_hand():
    one = profile("a", 400, 100)
    assert one.interval(TOTAL) == Bounds(pytest.approx(400 - 19.6, abs=0.001), pytest.approx(419.6, abs=0.001))
    assert one.interval(TOTAL, 0.5).high == pytest.approx(406.745, abs=0.001)
    assert profile("a", 1, 100).interval(TOTAL).low == 0
    ratio = TrustDifferential(one, profile("b", 100, 25), TOTAL).interval()
    factor = np.exp(1.959964 * np.sqrt(100 / 400**2 + 25 / 100**2))
    assert (ratio.low, ratio.high) == (pytest.approx(4 / factor), pytest.approx(4 * factor))
    cost = Cost(one, 800.0, "ok").interval()
    assert (cost.low, cost.high) == (pytest.approx(800 / 419.6, rel=1e-5), pytest.approx(800 / 380.4, rel=1e-5))


def test_no_interval_where_the_denominator_may_be_nobody():
    assert TrustDifferential(profile("a", 400, 1), profile("b", 1, 1), TOTAL).interval() is None
    assert Cost(profile("a", 1, 1), 800.0, "ok").interval() is None
    without = RiskProfile("OH", "a", "voter", "p", "", "k", "ok", "", 1000, {TOTAL: Bounds.exactly(4)})
    assert without.interval(TOTAL) is None
    assert TrustDifferential(without, without, TOTAL).interval() is None


def test_both_ends_of_an_unknown_list_lie_inside():
    two = RiskProfile(
        *("OH", "a", "voter", "p", "", "k", "interval", "", 1000),
        {TOTAL: Bounds(100, 400)},
        {TOTAL: Bounds(1, 4)},
    )
    span = two.interval(TOTAL)
    assert (span.low, span.high) == (pytest.approx(100 - 1.96, abs=0.001), pytest.approx(400 + 3.92, abs=0.001))


def links_drawn(key, rng) -> int:
    """Correct links of one attack: each person is picked among the equals with chance 1 by their number."""
    equals = np.bincount(key)[key]
    return int((rng.random(len(key)) * equals < 1).sum())


def test_a_ratio_of_the_same_people_is_covered_at_least_as_often_as_promised():
    """Seeded: both keys see the same people, whom the finer tells apart by date and the coarser by month.

    Links are drawn under each. 2,000 rounds: of 95 % promised, fewer than 93.5 % would be three standard
    errors below.
    """
    rng, rounds = np.random.default_rng(3), 2000
    groups = [int(n) for n in rng.integers(5, 60, 40)]
    by_day, by_month = Groups.of(groups, np.full(40, 360)), Groups.of(groups, np.full(40, 12))
    fine, coarse = (
        profile(name, float(total_risk(g)[0]), float(total_risk_variance(g)[0]))
        for name, g in (("fine", by_day), ("coarse", by_month))
    )
    span = TrustDifferential(fine, coarse, TOTAL).interval()
    place = np.repeat(np.arange(40), groups)
    inside = 0
    for _ in range(rounds):
        day = rng.integers(0, 360, len(place))
        ratio = links_drawn(place * 360 + day, rng) / links_drawn(place * 12 + day // 30, rng)
        inside += span.low <= ratio <= span.high
    assert inside / rounds > 0.935


def test_the_shipped_birthdays():
    days = load_birthdays()
    assert (len(days.rate), days.shares.sum(), days.monthly.sum()) == (366, pytest.approx(1), pytest.approx(1))
    assert LEAP_DAY == 59
    # the mean rate of the 365 other days is near 1, and a leap day is born on a quarter as often as its neighbors
    assert np.delete(days.rate, LEAP_DAY).mean() == pytest.approx(1, abs=0.001)
    assert days.shares[LEAP_DAY] == pytest.approx(days.shares[[58, 60]].mean() / 4, rel=0.1)
    assert int(days.rate.argmin()) == 359  # 25 December
    assert days.until(12, 31) == pytest.approx(1)
    assert days.until(4, 1) == pytest.approx(91.25 / 365.25, abs=0.01)


def test_people_placed_by_chance_scatter_no_more_than_the_bound():
    """Drawn 3,000 times, seeded: 40 + 9 people of two counties in two places of 12 bins; guesses drawn too.

    A sample variance of 3,000 draws is off by less than 10 %.
    """
    rng, rounds, g = np.random.default_rng(5), 3000, (1, 3)
    groups = PlacedGroups(
        people=np.array([[40.0], [9.0]]),
        bins=np.array([12.0]),
        unit=np.array([0, 0]),
        county=np.array([0, 0, 1]),
        place=np.array([0, 1, 1]),
        share=np.array([0.4, 0.6, 1.0]),
        residents=np.array([np.inf, np.inf]),
        units=1,
    )
    seen = np.zeros((rounds, 3))
    for turn in range(rounds):
        place = np.r_[rng.random(40) < 0.6, np.ones(9, dtype=bool)]
        size = np.bincount(place * 12 + rng.integers(0, 12, 49), minlength=24)
        right = sum(rng.binomial(each, 1 / each) for each in size if each)
        seen[turn] = right, (size == 1).sum(), size[size <= 3].sum()
    bound = variances(groups, g)[0]
    assert (seen.var(axis=0) <= 1.1 * bound).all()
    assert (bound <= 5 * seen.var(axis=0)).all()  # and it is not much more


def test_of_people_who_are_counted_the_bound_is_above_the_variance():
    people, bins = np.array([[200.0, 30.0]]), np.array([365.0, 12.0])
    one = np.zeros(1, dtype=np.int64)
    facts = people, bins, one, one, one, np.ones(1), np.array([np.inf]), 1
    placed = CountyPartGroups(*facts)
    counted = Groups.of(people[0].astype(int), bins)
    for coverage in (1.0, 0.4):
        assert (variances(placed, [1, 2, 5], coverage) >= variances(counted, [1, 2, 5], coverage)).all()
        listing = CountyPartGroups(*facts, listed=np.full_like(people, coverage))  # who is listed is not everyone
        assert (variances(listing, [1, 2, 5]) >= variances(counted, [1, 2, 5], coverage)).all()


@pytest.mark.parametrize("people", [12, 40, 400])
def test_the_bound_is_near_where_nearly_all_or_nearly_none_are_alone(people):
    """Drawn 4,000 times, seeded: people of one county over two parts of 365 bins, and guesses.

    Total risk and 1-distinct of 12 and 40 people (nearly all alone) and of 400: at most 2.5 times the variance seen.
    """
    rng, rounds = np.random.default_rng(8), 4000
    one = np.zeros(1, dtype=np.int64)
    groups = CountyPartGroups(
        np.array([[float(people)]]),
        np.array([365.0]),
        one,
        np.zeros(2, dtype=np.int64),
        np.arange(2),
        np.array([0.4, 0.6]),
        np.array([np.inf]),
        1,
    )
    seen = np.zeros((rounds, 2))
    for turn in range(rounds):
        bin_of = rng.integers(0, 365, people) + 365 * (rng.random(people) < 0.6)
        size = np.bincount(bin_of)
        size = size[size > 0]
        seen[turn] = rng.binomial(size, 1 / size).sum(), (size == 1).sum()
    bound, variance = variances(groups, (1,))[0], seen.var(axis=0)
    assert (bound >= variance * 0.8).all()
    assert (bound <= variance * 2.5).all(), (bound, variance)
