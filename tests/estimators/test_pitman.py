from __future__ import annotations

import math
from collections import Counter

import mpmath
import numpy as np
import pytest

from policy_sim.estimators import Pitman
from policy_sim.estimators.pitman import expected_classes, expected_uniques
from policy_sim.estimators.pitman_likelihood import (
    best_theta,
    greatest_likelihood,
    log_likelihood,
    score_and_curvature,
)
from policy_sim.sizes import SizeHistogram

SAMPLE = SizeHistogram.of({1: 60, 2: 20, 3: 9, 4: 5, 5: 3, 8: 2, 13: 1})


def seat(theta, alpha, people, rng):
    """Class sizes of the sequential scheme: join class j with F_j - alpha, open one with theta + alpha u."""
    sizes: list[int] = []
    for i in range(people):
        if rng.random() * (theta + i) < theta + alpha * len(sizes):
            sizes.append(1)
        else:
            weights = np.array(sizes) - alpha
            sizes[int(rng.choice(len(sizes), p=weights / weights.sum()))] += 1
    return sizes


def test_expected_uniques_and_classes_by_following_every_person():
    # E K and E S1 obey one-step recursions; run them exactly
    theta, alpha, people = 3.7, 0.35, 400
    classes = uniques = 0.0
    for i in range(people):
        opened = (theta + alpha * classes) / (theta + i)
        joined = uniques * (1 - alpha) / (theta + i)
        classes, uniques = classes + opened, uniques + opened - joined
    assert expected_uniques(theta, alpha, people) == pytest.approx(uniques, rel=1e-12)
    nobody_seen = SizeHistogram.of({1: 1})
    assert expected_classes(theta, alpha, nobody_seen, people) == pytest.approx(classes, rel=1e-12)


def test_expected_uniques_by_simulation():
    theta, alpha, people, draws = 5.0, 0.4, 60, 400
    rng = np.random.default_rng(7)
    uniques = [Counter(seat(theta, alpha, people, rng))[1] for _ in range(draws)]
    # four standard errors of the mean
    assert np.mean(uniques) == pytest.approx(
        expected_uniques(theta, alpha, people), abs=4 * np.std(uniques) / math.sqrt(draws)
    )


def test_expected_classes_given_a_sample_at_the_border_and_at_the_end():
    assert expected_classes(3.0, 0.4, SAMPLE, SAMPLE.records) == pytest.approx(SAMPLE.number)
    near, at = (expected_classes(3.0, a, SAMPLE, 5000) for a in (1e-9, 0.0))
    assert near == pytest.approx(at, rel=1e-7)
    below, above = (expected_classes(3.0, a, SAMPLE, 5000) for a in (0.01 - 1e-12, 0.01 + 1e-12))
    assert below == pytest.approx(above, rel=1e-8)


@pytest.mark.parametrize("people", [1000, 10**7, 3 * 10**8])
def test_expected_uniques_against_many_digits(people):
    theta, alpha = 2500.0, 0.31
    with mpmath.workdps(40):
        t, a = mpmath.mpf(theta), mpmath.mpf(alpha)
        exact = float(people * mpmath.gammaprod([t + 1, t + a + people - 1], [t + a, t + people]))
    assert expected_uniques(theta, alpha, people) == pytest.approx(exact, rel=1e-10)


def test_likelihood_by_its_printed_sums():
    theta, alpha = 7.0, 0.3
    by_sum = sum(math.log(theta + i * alpha) for i in range(1, SAMPLE.number))
    by_sum -= sum(math.log(theta + i) for i in range(1, SAMPLE.records))
    by_sum += sum(s * math.log(i - alpha) for k, s in SAMPLE.to_dict().items() for i in range(1, k))
    assert log_likelihood(SAMPLE, theta, alpha) == pytest.approx(by_sum, rel=1e-12)


@pytest.mark.parametrize(("theta", "alpha"), [(7.0, 0.3), (7.0, 0.009), (0.2, 0.7), (-0.1, 0.4), (900.0, 0.02)])
def test_derivatives_against_differences(theta, alpha):
    score, curvature = score_and_curvature(SAMPLE, theta, alpha)
    step_t, step_a = 1e-5 * abs(theta), 1e-6

    def differ(dt, da):
        ahead = log_likelihood(SAMPLE, theta + dt, alpha + da)
        return (ahead - log_likelihood(SAMPLE, theta - dt, alpha - da)) / 2

    slopes = differ(step_t, 0) / step_t, differ(0, step_a) / step_a
    # rounding of a likelihood of some hundreds over the step
    assert score == pytest.approx(slopes, rel=1e-4, abs=1e-5)
    up, down = (score_and_curvature(SAMPLE, theta, alpha + s * step_a)[0] for s in (1, -1))
    assert curvature[1:] == pytest.approx([(u - d) / (2 * step_a) for u, d in zip(up, down, strict=True)], rel=1e-4)


def test_closed_and_added_up_sums_meet():
    below, above = (score_and_curvature(SAMPLE, 50.0, a) for a in (0.01 - 1e-12, 0.01 + 1e-12))
    assert below[0] == pytest.approx(above[0], rel=1e-7)
    assert below[1] == pytest.approx(above[1], rel=1e-5)


def test_no_point_of_a_fine_grid_is_likelier():
    best = greatest_likelihood(SAMPLE)
    level = log_likelihood(SAMPLE, best.theta, best.alpha)
    for alpha in np.linspace(0, 0.99, 100):
        assert log_likelihood(SAMPLE, best_theta(SAMPLE, float(alpha)), float(alpha)) <= level + 1e-9
    assert score_and_curvature(SAMPLE, best.theta, best.alpha)[0] == pytest.approx((0, 0), abs=1e-8)


def test_border_is_ewens_and_is_said():
    # far fewer uniques than the rest suggests: the likelihood falls with alpha
    fitted = Pitman().fit({1: 5, 2: 8, 3: 9, 4: 8, 5: 7}, population_size=1000)
    theta = fitted.parameters_["theta"]
    assert fitted.parameters_["alpha"] == 0
    assert "Ewens" in fitted.notes_[0]
    assert sum(theta / (theta + i) for i in range(fitted.sizes_.records)) == pytest.approx(37)
    assert fitted.uniques_ == pytest.approx(1000 * theta / (theta + 999))


def test_ten_million_people():
    fitted = Pitman().fit({1: 50_000, 2: 20_000, 5: 10_000, 100_000: 3}, population_size=10**7)
    assert fitted.status_ == "ok"
    assert 0 < fitted.uniqueness_ < 1
