from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from policy_sim.binning import occupied_bins, occupied_uneven_bins, people_g_distinct, people_g_distinct_uneven
from policy_sim.errors import InputError


@pytest.mark.parametrize("people", [1, 2, 3, 5])
@pytest.mark.parametrize("shares", [(1.0,), (0.75, 0.25), (0.5, 0.3, 0.2)])
def test_matches_every_throw_counted(people, shares):
    occupied, within = 0.0, dict.fromkeys((1, 2, 3), 0.0)
    for throw in product(range(len(shares)), repeat=people):
        chance = float(np.prod([shares[d] for d in throw]))
        sizes = np.bincount(throw, minlength=len(shares))
        occupied += chance * np.count_nonzero(sizes)
        for g in within:
            within[g] += chance * sizes[sizes <= g].sum()
    assert occupied_uneven_bins(people, shares).item() == pytest.approx(occupied, rel=1e-13)
    for g, expected in within.items():
        assert people_g_distinct_uneven(people, shares, g).item() == pytest.approx(expected, rel=1e-13, abs=1e-15)


def test_equal_shares_are_equally_likely_bins():
    people, shares = np.array([0, 1, 30, 200, 5000, 10**6]), np.full(365, 1 / 365)
    np.testing.assert_allclose(occupied_uneven_bins(people, shares), occupied_bins(people, 365), rtol=1e-12)
    for g in (1, 5):
        ours, even = people_g_distinct_uneven(people, shares, g), people_g_distinct(people, 365, g)
        np.testing.assert_allclose(ours, even, rtol=1e-10, atol=1e-300)


def test_unevenness_only_ever_lowers_the_total_risk():
    rng = np.random.default_rng(5)
    shares = rng.dirichlet(np.full(50, 3.0))
    people = np.array([2, 10, 50, 300])
    assert (occupied_uneven_bins(people, shares) < occupied_bins(people, 50)).all()


@pytest.mark.parametrize(("shares", "words"), [([0.5, 0.4], "add up to 0.9"), ([1.0, 0.0], "above 0"), ([], "above 0")])
def test_shares_that_are_none_are_refused(shares, words):
    with pytest.raises(InputError, match=words):
        occupied_uneven_bins(3, shares)
