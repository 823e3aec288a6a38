from __future__ import annotations

import math
from itertools import combinations

import pytest

from policy_sim.estimators.pitman_likelihood import best_theta, greatest_likelihood, log_likelihood
from policy_sim.groups.size_histogram import SizeHistogram


def partitions(records):
    """Every way to put records into classes, each as the sizes of its classes."""
    if not records:
        yield ()
        return
    for with_first in range(records):
        for _ in combinations(range(records - 1), with_first):
            for rest in partitions(records - 1 - with_first):
                yield (with_first + 1, *rest)


@pytest.mark.parametrize(("theta", "alpha"), [(2.0, 0.0), (2.0, 0.4), (-0.3, 0.6), (30.0, 0.02)])
def test_the_chances_of_all_partitions_add_up_to_one(theta, alpha):
    """The formula leaves no constant out when it counts every partition of named records once."""
    chances = [
        math.exp(log_likelihood(SizeHistogram.from_classes(list(sizes)), theta, alpha)) for sizes in partitions(7)
    ]
    assert len(chances) == 877  # Bell's number of 7
    assert sum(chances) == pytest.approx(1, rel=1e-10)


def test_best_theta_of_ewens_expects_the_classes_seen():
    sample = SizeHistogram.of({1: 12, 2: 6, 5: 3, 9: 1})
    theta = best_theta(sample, 0.0)
    assert sum(theta / (theta + i) for i in range(sample.records)) == pytest.approx(sample.number, rel=1e-9)


@pytest.mark.parametrize("sizes", [{1: 1, 2: 1}, {1: 500, 2: 1}, {1: 1, 400: 2}, {3: 40}])
def test_the_maximum_lies_inside_the_model(sizes):
    sample = SizeHistogram.of(sizes)
    best = greatest_likelihood(sample)
    assert 0 <= best.alpha < 1
    assert best.theta > -best.alpha
    level = log_likelihood(sample, best.theta, best.alpha)
    for theta, alpha in ((0.5, 0.5), (1.0, 0.0), (50.0, 0.1), (1e4, 0.9)):
        assert log_likelihood(sample, theta, alpha) <= level + 1e-9
