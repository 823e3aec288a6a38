"""Variances of whole studies: by hand, against throws, and as intervals that cover."""

from __future__ import annotations

import numpy as np
import pytest
from placed_people import placed

from policy_sim.formulas.county_part_groups import CountyPartGroups
from policy_sim.formulas.group_variance import variances
from policy_sim.formulas.groups import Groups, total_risk, total_risk_variance
from policy_sim.formulas.placed_groups import PlacedGroups
from policy_sim.model.measure import Bounds, Measure
from policy_sim.model.profile import Figure, RiskProfile, TrustDifferential

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


def profile(policy: str, people: float, variance: float) -> RiskProfile:
    figures = {TOTAL: Figure(Bounds.exactly(people), Bounds.exactly(variance))}
    return RiskProfile("OH", policy, "voter", "p", "l", "k", "ok", "", 1000, figures)


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


def test_people_placed_by_chance_scatter_no_more_than_the_bound():
    """Drawn 3,000 times, seeded: 40 + 9 people of two counties in two places of 12 bins; guesses drawn too.

    A sample variance of 3,000 draws is off by less than 10 %.
    """
    rng, rounds, g = np.random.default_rng(5), 3000, (1, 3)
    groups = placed(PlacedGroups, [[40], [9]], [0.4, 0.6, 1], bins=12, county=[0, 0, 1], place=[0, 1, 1])
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
    facts = CountyPartGroups, [200, 30], [1.0]
    groups, counted = placed(*facts, bins=[365, 12]), Groups.of([200, 30], [365, 12])
    for coverage in (1.0, 0.4):
        assert (variances(groups, [1, 2, 5], coverage) >= variances(counted, [1, 2, 5], coverage)).all()
        listing = placed(*facts, bins=[365, 12], listed=np.full((1, 2), coverage))  # who is listed is not everyone
        assert (variances(listing, [1, 2, 5]) >= variances(counted, [1, 2, 5], coverage)).all()


@pytest.mark.parametrize("people", [12, 40, 400])
def test_the_bound_is_near_where_nearly_all_or_nearly_none_are_alone(people):
    """Drawn 4,000 times, seeded: people of one county over two parts of 365 bins, and guesses.

    Total risk and 1-distinct of 12 and 40 people (nearly all alone) and of 400: at most 2.5 times the variance seen.
    """
    rng, rounds = np.random.default_rng(8), 4000
    groups = placed(CountyPartGroups, people, [0.4, 0.6], bins=365)
    seen = np.zeros((rounds, 2))
    for turn in range(rounds):
        bin_of = rng.integers(0, 365, people) + 365 * (rng.random(people) < 0.6)
        size = np.bincount(bin_of)
        size = size[size > 0]
        seen[turn] = rng.binomial(size, 1 / size).sum(), (size == 1).sum()
    bound, variance = variances(groups, (1,))[0], seen.var(axis=0)
    assert (bound >= variance * 0.8).all()
    assert (bound <= variance * 2.5).all(), (bound, variance)
