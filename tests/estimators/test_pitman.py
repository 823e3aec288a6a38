from __future__ import annotations

import math
from collections import Counter

import mpmath
import numpy as np
import pytest
from scipy import stats

from policy_sim.estimators import FiniteClasses, Pitman
from policy_sim.estimators.number_of_classes import fit_finite_classes
from policy_sim.estimators.pitman import (
    best_theta,
    expected_classes,
    expected_uniques,
    greatest_likelihood,
    log_likelihood,
    score_and_curvature,
)
from policy_sim.formulas.histogram import SizeHistogram

SAMPLE = SizeHistogram.of({1: 60, 2: 20, 3: 9, 4: 5, 5: 3, 8: 2, 13: 1})


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
    fitted = Pitman().estimate({1: 5, 2: 8, 3: 9, 4: 8, 5: 7}, population_size=1000)
    theta = fitted.parameters["theta"]
    assert fitted.parameters["alpha"] == 0
    assert "Ewens" in fitted.notes[0]
    assert sum(theta / (theta + i) for i in range(115)) == pytest.approx(37)
    assert fitted.uniques == pytest.approx(1000 * theta / (theta + 999))


def test_boundary_is_likely_too_high_where_the_data_ask_for_a_negative_alpha():
    """1,000 classes with equal rates: the finite-class model holds, and alpha = 0 cannot describe it."""
    rng = np.random.default_rng(1)
    population = rng.multinomial(5_000, np.full(1_000, 1 / 1_000))
    truth = int((population == 1).sum())
    drawn = rng.multivariate_hypergeometric(population, 2_000, method="marginals")
    sizes = SizeHistogram.from_classes(drawn)
    pitman = Pitman().estimate(sizes, population_size=5_000)
    finite = FiniteClasses().estimate(sizes, population_size=5_000)
    assert pitman.parameters["alpha"] == 0
    assert "likely too high" in pitman.notes[0]
    assert f"{finite.uniques:,.0f} uniques" in pitman.notes[0]
    assert pitman.uniques > 3 * truth
    # 34 uniques are expected among the 5,000; the estimate is well inside their chance
    assert finite.uniques == pytest.approx(5_000 * (1 - 1 / 1_000) ** 4_999, rel=0.5)
    assert greatest_likelihood(sizes).score < -1.645
    neutral = Pitman().estimate({1: 5, 2: 3, 3: 2, 4: 2, 6: 1}, population_size=3000)
    (note,) = neutral.notes
    assert "boundary alpha = 0" in note
    assert "too high" not in note


def test_finite_classes_by_summing_over_the_law():
    """Uniques and classes of a Dirichlet multinomial population, from the beta-binomial law of one class."""
    fitted = FiniteClasses().estimate({1: 5, 2: 8, 3: 9, 4: 8, 5: 7}, population_size=400)
    m, kappa, n, u = fitted.parameters["classes"], fitted.parameters["kappa"], 115, 37
    alone = stats.betabinom.pmf(1, 400, kappa, (m - 1) * kappa)
    assert fitted.uniques == pytest.approx(m * alone, rel=1e-8)
    unseen = stats.betabinom.pmf(0, 400, kappa, (m - 1) * kappa) / stats.betabinom.pmf(0, n, kappa, (m - 1) * kappa)
    assert fitted.marketer_risk == pytest.approx((u + (m - u) * (1 - unseen)) / 400, rel=1e-8)


def test_no_point_of_a_grid_of_finite_classes_is_likelier():
    sample = SizeHistogram.of({1: 5, 2: 8, 3: 9, 4: 8, 5: 7})
    best = fit_finite_classes(sample)

    def level(classes, kappa):  # the printed product of rising factorials
        theta = classes * kappa
        ways = sum(math.log(classes - i) for i in range(sample.number))
        within = sum(s * sum(math.log(kappa + i) for i in range(k)) for k, s in sample.to_dict().items())
        return ways + within - sum(math.log(theta + i) for i in range(sample.records))

    assert level(best.classes, best.kappa) == pytest.approx(best.log_likelihood, rel=1e-9)
    for classes in np.linspace(37.01, 80, 40):
        for kappa in np.geomspace(0.05, 300, 40):
            assert level(classes, kappa) <= best.log_likelihood + 1e-6


@pytest.mark.parametrize(("theta", "alpha"), [(2.0, 0.0), (2.0, 0.4), (-0.3, 0.6), (30.0, 0.02)])
def test_the_chances_of_every_class_for_one_more_record_add_up_to_that_of_the_sample(theta, alpha):
    """The formula leaves no constant out: it is 1 for one record, and no way to add a record gains or loses chance."""
    before = SAMPLE.to_dict()
    joined = [Counter(before) + Counter({size + 1: 1}) - Counter({size: 1}) for size in before]
    after = [*joined, Counter(before) + Counter({1: 1})]
    level = log_likelihood(SAMPLE, theta, alpha)
    gains = [math.exp(log_likelihood(SizeHistogram.of(sizes), theta, alpha) - level) for sizes in after]
    assert sum(gain * ways for gain, ways in zip(gains, [*before.values(), 1], strict=True)) == pytest.approx(1)
    assert log_likelihood(SizeHistogram.of({1: 1}), theta, alpha) == pytest.approx(0)


@pytest.mark.parametrize("sizes", [{1: 1, 2: 1}, {1: 500, 2: 1}, {1: 1, 400: 2}, {3: 40}])
def test_the_maximum_lies_inside_the_model(sizes):
    sample = SizeHistogram.of(sizes)
    best = greatest_likelihood(sample)
    assert 0 <= best.alpha < 1
    assert best.theta > -best.alpha
    level = log_likelihood(sample, best.theta, best.alpha)
    for theta, alpha in ((0.5, 0.5), (1.0, 0.0), (50.0, 0.1), (1e4, 0.9)):
        assert log_likelihood(sample, theta, alpha) <= level + 1e-9
