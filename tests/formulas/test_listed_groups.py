"""Groups that know who of their people is on a list."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import poisson

from policy_sim.formulas.groups import g_distinct
from policy_sim.formulas.listed_groups import ListedGroups
from policy_sim.formulas.mixed_lists import MixedGroups


def _one_group(people: float, chance: float, bins: float, stale: float) -> ListedGroups:
    n, c, mu = (np.array([value], dtype=np.float64) for value in (people, chance, stale))
    return ListedGroups(np.zeros(1, dtype=np.int64), n, np.array([bins]), n * c, n * c**2, mu, n, n * c, 1)


@pytest.mark.parametrize("people", [1, 12, 30, 31])
def test_of_many_who_are_surely_on_the_list_stale_records_alone_are_left_to_chance(people):
    sizes = [1, 5, 31, 32]
    found = g_distinct(_one_group(people, 1.0, 1.0, 2.0), sizes)[0]
    expected = [people * poisson.cdf(size - people, 2.0) for size in sizes]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_small_groups_are_counted_alike_beside_large_ones():
    group = _one_group(20, 0.8, 4.0, 10.0)
    together = g_distinct(group, [1, 40, 20])[0]
    assert together[[0, 2]] == pytest.approx(g_distinct(group, [1, 20])[0], rel=1e-14)
    exact = MixedGroups.of(20, 0.8, 4, expected_stale=10.0)
    assert together[0] == pytest.approx(exact.correct_claims().item(), rel=1e-12)
