from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from policy_sim.binning.binomial import Trials, mass, mode, tail, walk


def trials(count, bins, coverage=1.0):
    return Trials(*(np.atleast_1d(np.asarray(x, dtype=float)) for x in (count, bins, coverage)))


CASES = [(1, 2, 1), (7, 3, 1), (40, 9, 2.5), (500, 365.25, 1), (20_000, 365.25, 1), (900, 1.25, 1)]


@pytest.mark.parametrize(("count", "bins", "coverage"), CASES)
def test_mass_is_the_binomial_law(count, bins, coverage):
    sizes = np.arange(min(count, 300) + 1, dtype=float)
    many = trials(*(np.full(len(sizes), float(x)) for x in (count, bins, coverage)))
    # scipy rounds the chance to one number: a loss of 1e-16 times the count
    expected = stats.binom.pmf(sizes, count, coverage / bins)
    np.testing.assert_allclose(mass(many, sizes, np.full(len(sizes), 3.0)), 3 * expected, rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize(("count", "bins", "coverage"), CASES)
def test_tail_is_the_smaller_of_two_sums(count, bins, coverage):
    for size in (0, 1, count // 3, count // 2, count - 1):
        below, value = tail(trials(count, bins, coverage), np.array([float(size)]), np.ones(1))
        law = stats.binom(count, coverage / bins)
        assert bool(below[0]) == (size < count * coverage / bins)
        assert value[0] == pytest.approx(law.cdf(size) if below[0] else law.sf(size), rel=1e-8, abs=1e-290)


def test_no_size_is_likelier_than_the_mode():
    for count, bins, coverage in CASES[:4]:
        at = mode(trials(count, bins, coverage))[0]
        chances = stats.binom.pmf(np.arange(count + 1), count, coverage / bins)
        assert chances[int(at)] == pytest.approx(chances.max(), rel=1e-12)


def test_a_sure_and_an_impossible_success():
    sizes = np.array([4.0, 3.0, 0.0, 1.0])
    sure = trials([4, 4, 4, 4], [5, 5, 5, 5], [5, 5, 0, 0])
    assert mass(sure, sizes, np.full(4, 2.0)).tolist() == [2.0, 0.0, 2.0, 0.0]


@pytest.mark.parametrize("step", [1, -1])
def test_a_walk_meets_every_mass_on_its_way(step):
    one, start = trials(60, 4), np.array([15.0])
    first = mass(one, start, np.ones(1))
    for _, sizes, values in walk(one, start, first, step, np.array([1e-12])):
        np.testing.assert_allclose(values[0], stats.binom.pmf(sizes[0], 60, 0.25), rtol=1e-12, atol=1e-300)
