"""What every estimator owes its caller, whatever its model."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from scipy import stats

from policy_sim.estimators import (
    ESTIMATORS,
    Argus,
    Bootstrap,
    ClassTable,
    DecisionRule,
    NegativeBinomial,
    Pitman,
    PoissonLogLinear,
    SlideNegativeBinomial,
    Zayatz,
    estimator_names,
)
from policy_sim.estimators.base import (
    Answer,
    class_bootstrap,
    constant_rate_inverse,
    gamma_rate_inverse,
    percentile_interval,
    poisson_inverse,
    poisson_inverse_slopes,
)
from policy_sim.formulas.histogram import SizeHistogram
from policy_sim.words.errors import InputError, UnknownNameError

ALL = [ESTIMATORS[name] for name in estimator_names(classes=False)]
SAMPLE = {1: 60, 2: 20, 3: 9, 4: 5, 5: 3, 8: 2, 13: 1}


@pytest.mark.parametrize("model", ALL)
def test_the_whole_population_is_counted(model):
    fitted = model().estimate(SAMPLE, population_size=SizeHistogram.of(SAMPLE).records)
    assert fitted.status == "ok"
    assert fitted.uniques == 60  # counted, also where the model does not estimate it
    assert fitted.lambda1 == 1
    if model is not DecisionRule:
        assert fitted.marketer_risk == pytest.approx(100 / SizeHistogram.of(SAMPLE).records)
    assert "counted" in fitted.notes[0]


@pytest.mark.parametrize("model", ALL)
@pytest.mark.parametrize(
    "sample", [{}, {1: 1}, {1: 50}, {50: 1}, {2: 25}, {1: 3, 40000: 2}, {1: 1, 2: 1}, {1: 2, 3: 1}, SAMPLE]
)
@pytest.mark.parametrize("factor", [1, 1.01, 3, 1000])
def test_never_a_number_that_is_not_one(model, sample, factor):
    """Numbers are finite and in range, or None with a reason; warnings are errors here."""
    people = max(1, round(SizeHistogram.of(sample).records * factor))
    fitted = model().estimate(sample, population_size=people)
    shares = [fitted.uniqueness, fitted.lambda1, fitted.lambda2, fitted.marketer_risk]
    for share in shares:
        assert share is None or 0 <= share <= 1
    assert isinstance(fitted.status, str)
    assert (fitted.status == "ok") == (fitted.uniques is not None or fitted.marketer_risk is not None)
    if fitted.uniques is not None:
        assert 0 <= fitted.uniques <= people
        assert np.isfinite(fitted.uniques)


@pytest.mark.parametrize("model", ALL)
def test_refuses_a_population_below_the_sample(model):
    with pytest.raises(InputError, match="smaller than the sample of 191 records"):
        model().estimate(SAMPLE, population_size=190)
    with pytest.raises(InputError, match="whole number"):
        model().estimate(SAMPLE, population_size=1000.5)


@pytest.mark.parametrize("model", ALL)
def test_same_input_same_answer(model):
    answers = {repr(model().estimate(SAMPLE, population_size=2000, bootstrap=Bootstrap())) for _ in range(2)}
    assert len(answers) == 1


@pytest.mark.parametrize(
    ("made", "options", "said"),
    [
        (Pitman, {"form": "extact"}, "Did you mean 'exact'"),
        (NegativeBinomial, {"classes": "sh33"}, "sh3"),
        (DecisionRule, {"form": "rough"}, "rough"),
        (DecisionRule, {"classes": "sh9"}, "sh9"),
        (DecisionRule, {"fallback": "argus"}, "fallback"),
        (Bootstrap, {"replicates": 19}, "replicates"),
        (Bootstrap, {"level": 0.0}, "level"),
        (Bootstrap, {"level": 1.0}, "level"),
        (Bootstrap, {"seed": -1}, "seed"),
        (PoissonLogLinear, {"critical": -0.1}, "critical must be 0 or more"),
        (PoissonLogLinear, {"statistic": "printed"}, "bias statistic"),
    ],
)
def test_options_are_checked(made, options, said):
    with pytest.raises((InputError, UnknownNameError), match=said):
        made(**options)


def test_lambdas_follow_from_the_uniques():
    # n/N of the population's uniques are in the sample
    fitted = Zayatz().estimate(SAMPLE, population_size=700)
    assert fitted.lambda2 == fitted.uniqueness == fitted.uniques / 700
    assert fitted.lambda1 == pytest.approx(fitted.parameters["unique_given_sample_unique"])


def test_no_lambda1_without_sample_uniques():
    fitted = Pitman().estimate({2: 10, 3: 5}, population_size=100)
    assert (fitted.uniques, fitted.lambda1, fitted.status) == (0, None, "ok")


@pytest.mark.parametrize("model", [Pitman, SlideNegativeBinomial, Zayatz])
def test_interval_holds_its_estimate_and_narrows_with_a_lower_level(model):
    wide = model().estimate(SAMPLE, population_size=700, bootstrap=Bootstrap())
    narrow = model().estimate(SAMPLE, population_size=700, bootstrap=Bootstrap(level=0.5))
    without = model().estimate(SAMPLE, population_size=700)
    assert (without.interval, without.uniqueness) == (None, wide.uniqueness)
    assert wide.interval[0] < wide.uniqueness < wide.interval[1]
    assert wide.interval[0] < narrow.interval[0] < narrow.interval[1] < wide.interval[1]


def test_no_interval_without_an_answer():
    fitted = Pitman().estimate({1: 10}, population_size=100, bootstrap=Bootstrap())
    assert (fitted.uniques, fitted.interval) == (None, None)
    assert "no maximum" in fitted.status


def test_argus_does_not_estimate_uniques():
    fitted = Argus().estimate(SAMPLE, population_size=700, bootstrap=Bootstrap())
    assert (fitted.uniques, fitted.uniqueness, fitted.lambda1, fitted.interval) == (None, None, None, None)
    assert fitted.marketer_risk > 0
    assert Argus.measures == ("marketer_risk",)


def test_steps_are_told():
    steps = []
    Zayatz().estimate(SAMPLE, 700, bootstrap=Bootstrap(replicates=20), tell=steps.append)
    assert steps[0] == "interval of zayatz: replicate 1 of 20"
    assert steps[-1] == "interval of zayatz: replicate 20 of 20"


def test_interval_holds_the_middle_of_the_values_and_a_tenth_may_fail():
    assert percentile_interval([float(x) for x in range(101)], 0.9) == pytest.approx((5.0, 95.0))
    assert percentile_interval([3.0] * 20, 0.5) == (3.0, 3.0)
    assert percentile_interval([None] * 10 + [1.0] * 90, 0.9) == (1.0, 1.0)
    assert percentile_interval([None] * 11 + [1.0] * 89, 0.9) is None


def test_every_draw_has_as_many_classes_as_the_sample_and_its_fraction():
    sample, drawn = SizeHistogram.of({1: 30, 2: 10, 9: 2}), []

    def answer(again, people):
        drawn.append((again.number, again.records, people))
        return Answer(uniques=float(people), marketer_risk=None)

    uniqueness, marketer = class_bootstrap(answer, sample, 680, Bootstrap(replicates=25))
    assert {number for number, _, _ in drawn} == {42}
    assert all(people == 10 * records for _, records, people in drawn)  # 68 records of 680 people
    assert len({records for _, records, _ in drawn}) > 1
    assert uniqueness == (1.0, 1.0)
    assert marketer is None


@pytest.mark.slow
def test_bootstrap_spread_is_of_the_size_of_the_sampling_spread():
    """Draw samples of one population; their spread of estimates is what the interval must show.

    The bootstrap counts the chance of the population too, so it may be wider; half to twice is asked.
    """
    rng = np.random.default_rng(3)
    population = rng.geometric(0.2, 2000) * (1 + 4 * (rng.random(2000) < 0.1))
    people, n = int(population.sum()), 3000
    drawn = [rng.multivariate_hypergeometric(population, n, method="marginals") for _ in range(60)]
    samples = [SizeHistogram.from_classes(d) for d in drawn]
    spread = np.quantile([Zayatz().estimate(each, people).uniqueness for each in samples], [0.025, 0.975])
    low, high = Zayatz().estimate(samples[0], people, bootstrap=Bootstrap()).interval
    assert 0.5 < (high - low) / (spread[1] - spread[0]) < 2


# Classes with what they hold: counted by hand, and refused where shapes do not fit.


def test_records_gathered_by_hand():
    table = ClassTable.from_records([[1, 0], [0, 2], [1, 0], [1, 1]])
    assert sorted(zip(map(tuple, table.codes.tolist()), table.size.tolist(), strict=True)) == [
        ((0, 2), 1),
        ((1, 0), 2),
        ((1, 1), 1),
    ]
    assert (table.fields, table.cells) == (("field 1", "field 2"), 6)
    np.testing.assert_array_equal(table.dense(), [[0, 0, 1], [2, 1, 0]])


def test_empty_classes_stay_in_the_table_and_out_of_the_sizes():
    table = ClassTable.from_records([[0], [1], [1]]).with_sizes(np.array([0, 3]))
    assert table.sizes.to_dict() == {3: 1}
    assert (len(table.size), table.cells) == (2, 1)


@pytest.mark.parametrize("codes", [[1, 2], [[0.5]], [[]], np.zeros((2, 0), dtype=int)])
def test_codes_of_another_kind(codes):
    with pytest.raises(InputError, match="whole numbers"):
        ClassTable.from_records(codes)


def test_shapes_and_signs():
    with pytest.raises(InputError, match="need"):
        ClassTable(np.zeros((2, 1), dtype=int), np.ones(3, dtype=int), ("a",))
    with pytest.raises(InputError, match="negative"):
        ClassTable(np.array([[-1]]), np.array([1]), ("a",))
    with pytest.raises(InputError, match="at least one field"):
        ClassTable(np.zeros((1, 0), dtype=int), np.array([1]), ())


# Expected 1/F against 40-digit arithmetic and against the sums that define it.


SIZES = np.array([1, 2, 3, 7, 20, 39, 40, 41, 150, 3000])


@pytest.mark.parametrize("shape", [0, 0.05, 1.0, 1.7, 7.0000000000001, 250.0])
@pytest.mark.parametrize("p", [1e-6, 1e-3, 0.1, 0.5, 0.500001, 0.95, 0.9999, 1.0])
def test_gamma_rate_against_many_digits(shape, p):
    """Without a shape it is the constant rate; where all are sampled, it is 1 over the class."""
    with mpmath.workdps(40):
        left = 1 - mpmath.mpf(p)
        chances = [mpmath.hyp2f1(1 - mpmath.mpf(shape), 1, int(f) + 1, left) for f in SIZES]
        exact = [float(mpmath.mpf(p) / int(f) * chance) for f, chance in zip(SIZES, chances, strict=True)]
    np.testing.assert_allclose(gamma_rate_inverse(SIZES, p, shape), exact, rtol=1e-9)
    if not shape:
        np.testing.assert_allclose(constant_rate_inverse(SIZES, p), exact, rtol=1e-11)


@pytest.mark.parametrize(("f", "p", "shape"), [(1, 0.3, 0), (2, 0.3, 0), (5, 0.05, 0), (12, 0.7, 0), (3, 0.2, 1.4)])
def test_gamma_rate_by_its_sum(f, p, shape):
    """F - f is the number of failures before f + shape successes."""
    more = np.arange(6000)
    by_sum = np.sum(stats.nbinom.pmf(more, f + shape, p) / (f + more))
    assert gamma_rate_inverse(np.array([f]), p, shape)[0] == pytest.approx(by_sum, rel=1e-9)


def test_poisson_by_its_sum():
    more = np.arange(2000)
    for f, mean in ((1, 0.0), (1, 2.5), (4, 30.0), (60, 400.0)):
        by_sum = np.sum(stats.poisson.pmf(more, mean) / (f + more))
        assert poisson_inverse(np.array([f]), np.array([mean]))[0] == pytest.approx(by_sum, rel=1e-9)


@pytest.mark.parametrize("size", [1, 2, 9, 80])
def test_poisson_slopes_against_differences(size):
    mean, step = np.array([0.5, 3.0, 40.0]), 1e-3
    first, second = poisson_inverse_slopes(size, mean)

    def value(at):
        return poisson_inverse(np.full(3, size), at)

    # central differences are off by the order of step**2, about 1e-6 of the value
    np.testing.assert_allclose(first, (value(mean + step) - value(mean - step)) / (2 * step), rtol=1e-5)
    rise = value(mean + step) - 2 * value(mean) + value(mean - step)
    np.testing.assert_allclose(second, rise / step**2, rtol=1e-3)
