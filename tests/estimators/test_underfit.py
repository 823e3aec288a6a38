from __future__ import annotations

import numpy as np
import pytest

from policy_sim.estimators.underfit import STATISTICS, underfit

MEAN = np.array([0.2, 0.9, 1.7, 3.0])
COUNTS = np.array([1.0, 0.0, 2.0, 5.0])


def expected(size, kind):
    """The expectation of the statistic over every table of Poisson counts with these means, cell by cell."""
    total = 0.0
    for mean in MEAN:
        f = np.arange(60)
        chance = np.exp(-mean) * np.cumprod(np.r_[1.0, mean / f[1:]])
        total += sum(
            p * underfit(np.array([float(k)]), np.array([mean]), size, 0.3, kind)[0]
            for k, p in zip(f, chance, strict=True)
        )
    return total


@pytest.mark.parametrize("kind", STATISTICS)
@pytest.mark.parametrize("size", [1, 2, 5])
def test_mean_is_zero_where_the_model_holds(size, kind):
    assert expected(size, kind) == pytest.approx(0, abs=1e-10)


@pytest.mark.parametrize("kind", STATISTICS)
def test_deviation_is_that_over_every_table(kind):
    mean, f = 1.4, np.arange(60)
    chance = np.exp(-mean) * np.cumprod(np.r_[1.0, mean / f[1:]])
    one = [underfit(np.array([float(k)]), np.array([mean]), 1, 0.3, kind) for k in f]
    second = sum(p * bias**2 for p, (bias, _) in zip(chance, one, strict=True))
    assert one[0][1] ** 2 == pytest.approx(second, rel=1e-9)


def test_cells_add_up_and_those_that_cannot_hold_the_size_add_nothing():
    whole = underfit(COUNTS, MEAN, 1, 0.3)
    parts = [underfit(COUNTS[[i]], MEAN[[i]], 1, 0.3) for i in range(4)]
    assert whole[0] == pytest.approx(sum(bias for bias, _ in parts))
    assert whole[1] ** 2 == pytest.approx(sum(deviation**2 for _, deviation in parts))
    assert underfit(np.append(COUNTS, 80.0), np.append(MEAN, 80.0), 1, 0.3) == pytest.approx(whole)


def test_records_more_clustered_than_the_fit_show_underfitting():
    flat = np.full(40, 0.5)
    clustered = np.zeros(40)
    clustered[:4] = 5.0
    bias, deviation = underfit(clustered, flat, 1, 0.1)
    assert bias / deviation > 1.645
