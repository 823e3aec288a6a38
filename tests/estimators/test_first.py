"""The estimate that is read first: a range that holds its figure, and what the range promises."""

import math
from dataclasses import replace

import numpy as np
import pytest
from pinned import pinned

from policy_sim.estimators import ClassTable, Estimate, estimate_all, first_estimate
from policy_sim.estimators.first import (
    CALIBRATIONS,
    Calibration,
    Features,
    _at_end,
    _row,
    center_terms,
    features_of,
    spread_terms,
)
from policy_sim.formulas.histogram import SizeHistogram

SIZES = {1: 60, 2: 20, 3: 9, 5: 4}


def independent(records=800, seed=1):
    rng = np.random.default_rng(seed)
    return ClassTable.from_records(rng.integers(0, [9, 8, 7], (records, 3)), ("a", "b", "c"))


def skewed(people=20_000, seed=3):
    """A population of three dependent fields, one of them with a long tail."""
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 80, people)
    place = np.minimum(rng.geometric(0.2, people), 30)
    trade = (age // 20 + rng.geometric(0.4, people)) % 12
    return ClassTable.from_records(np.column_stack([age, place, trade]), ("age", "place", "trade"))


def sample_of(table, fraction, seed):
    drawn = np.random.default_rng(seed).multivariate_hypergeometric(
        table.size, round(fraction * table.sizes.records), method="marginals"
    )
    seen = drawn > 0
    return ClassTable(table.codes[seen], drawn[seen], table.fields)


def first_of(table, people):
    return first_estimate(table, people, estimate_all(table, people))


@pytest.mark.slow
@pytest.mark.parametrize("fraction", pinned([0.1], [0.02, 0.1, 0.4]))
def test_the_range_holds_its_figure_and_most_often_the_truth_of_a_hard_population(fraction):
    """No constant was made from it, and no log-linear model of pairs fits it: three of four samples must be held."""
    whole = skewed()
    people = whole.sizes.records
    held = 0
    for seed in range(1, 5):
        first = first_of(sample_of(whole, fraction, seed), people)
        assert first.range_of == "tested range"
        assert first.interval[0] <= first.uniqueness <= first.interval[1]
        assert first.marketer_interval[0] <= first.marketer_risk <= first.marketer_interval[1]
        held += first.interval[0] <= whole.sizes.uniques / people <= first.interval[1]
    assert held >= 3


@pytest.mark.slow
def test_the_figure_is_the_log_linear_models_inside_the_range_and_the_middle_elsewhere():
    table, people = sample_of(skewed(), 0.1, seed=5), 20_000
    estimates = {row.model: row for row in estimate_all(table, people)}
    first = first_estimate(table, people, list(estimates.values()))
    assert first.uniqueness == estimates["poisson_log_linear"].uniqueness
    assert "poisson log linear" in first.notes[-1]
    low, middle, high = CALIBRATIONS["uniqueness"].range_of(features_of(table.sizes, people, estimates)["uniqueness"])
    assert low < middle < high
    assert first.interval == pytest.approx((low / people, high / people))
    far = replace(estimates["poisson_log_linear"], uniqueness=0.9)
    moved = first_estimate(table, people, list((estimates | {far.model: far}).values()))
    assert moved.uniqueness == pytest.approx(middle / people)
    assert "the middle of the range" in moved.notes[-1]


def test_without_the_log_linear_model_only_the_range_of_the_models():
    rows = estimate_all(SIZES, 1500)
    first = first_estimate(SIZES, 1500, rows)
    figures = [row.uniqueness for row in rows if row.uniqueness is not None]
    assert (first.range_of, first.interval) == ("range of the models", (min(figures), max(figures)))
    assert first.uniqueness == next(row.uniqueness for row in rows if row.model == "pitman")
    assert "a model that the tested range needs" in first.notes[0]


def test_a_figure_at_the_end_of_its_range_says_on_which_side_the_truth_may_lie():
    assert [_at_end(figure, (0.1, 0.3)) for figure in (0.1, 0.2, 0.3, None)] == ["low end", "", "high end", ""]
    assert _at_end(0.1, (0.1, 0.1)) == ""
    best = Estimate("pitman", "ok", uniqueness=0.1, marketer_risk=0.2)
    first = _row(best, "range of the models", "why", {"uniqueness": (0.1, 0.1, 0.3)}, 1000)
    assert any("the low end of its range" in note for note in first.notes)


@pytest.mark.slow
def test_a_fraction_that_no_simulation_had_promises_nothing():
    whole = skewed()
    for fraction, promises in ((0.01, True), (0.00995, False), (0.7, True), (0.7005, False)):
        first = first_of(sample_of(whole, fraction, seed=2), 20_000)
        assert any("1% to 70%" in note for note in first.notes) is not promises
        assert first.range_of != "tested range" or promises


@pytest.mark.parametrize(
    ("high", "low", "people", "told"),
    [
        (0.5, 0.05, 100_000, "range of the models"),
        (0.5, 0.0499, 100_000, "cannot tell"),
        (4e-6, 1e-9, 1_000_000, "range of the models"),  # below half a person the low end is nobody
    ],
)
def test_ends_more_than_tenfold_apart_cannot_tell(high, low, people, told):
    rows = [Estimate("pitman", "ok", uniqueness=high), Estimate("zayatz", "ok", uniqueness=low)]
    first = first_estimate(SIZES, people, [*rows, Estimate("slide_negative_binomial", "no root")])
    assert first.range_of == told
    assert (first.notes[0] == "the ends are more than tenfold apart") == (told == "cannot tell")


def test_a_sample_without_uniques_may_have_missed_some():
    """0.9 ** 28.43 = 0.05: of 28.43 unique people, one sample in twenty of a tenth of the people holds none."""
    first = first_of(ClassTable.from_records([[at % 50] for at in range(300)], ("a",)), 3000)
    assert first.uniqueness == 0
    assert first.interval == pytest.approx((0, math.log(0.05) / math.log(0.9) / 3000))


def test_a_file_of_unique_records_tells_nothing():
    alone = ClassTable.from_records([[at, at % 2] for at in range(500)], ("dob", "sex"))
    chosen = first_of(alone, 11_799_448)
    assert chosen.uniqueness is None
    assert "no two records agree" in chosen.status
    assert first_of(ClassTable.from_records([[0, 0]], ("a", "b")), 50).uniqueness is None
    assert first_estimate({}, 50, estimate_all({}, 50)).status.startswith("no model ")


def test_everybody_in_the_sample_is_counted():
    first = first_of(independent(), 800)
    assert first.range_of == "counted"
    assert first.interval == (first.uniqueness, first.uniqueness)
    assert first.uniqueness == independent().sizes.uniques / 800


def test_features_by_hand():
    """n = 147, N = 1470: 60 alone, 20 in pairs, 9 in threes; models stand over 600.5 people, risks over 93 / 147."""
    sizes = SizeHistogram.of(SIZES)
    people = sizes.records * 10
    estimates = {row.model: row for row in estimate_all(sizes, people)}
    beside = {
        "expected_classes": {1: 60.0, 2: 25.0, 3: 4.25},
        "no_interactions": (120.0, 0.3),
        "all_interactions": (80.0, 0.1),
    }
    log_linear = Estimate(
        "poisson_log_linear", "ok", uniques=100.0, uniqueness=0.1, marketer_risk=0.2, parameters=beside
    )
    assert features_of(sizes, people, estimates) is None
    features = features_of(sizes, people, estimates | {"poisson_log_linear": log_linear})
    uniques, risk = features["uniqueness"], features["marketer_risk"]
    assert uniques.values[0] == pytest.approx(math.log(100.5 / 600.5))
    assert uniques.figure_of(uniques.values[0]) == pytest.approx(100)
    assert uniques.figure_of(-99.0) == 0
    assert risk.values[0] == pytest.approx(math.log(0.2 / (sizes.number / sizes.records)))
    own = [20.5 / 60.5, 60.5 / sizes.records, sizes.number / sizes.records, 61, 1, 25.5 / 20.5, 4.75 / 9.5]
    outer = [120.5 / 600.5, 80.5 / 600.5]
    assert uniques.values[-10:].tolist() == pytest.approx([math.log(number) for number in (*own, *outer, 0.1)])
    classes = sizes.number / sizes.records
    assert risk.values[-3:-1].tolist() == pytest.approx([math.log(0.3 / classes), math.log(0.1 / classes)])


def test_a_calibration_by_hand():
    """One feature besides the fraction, of e^-3: center 1 + 2 x, spread e, and ends one and two spreads away."""
    values = np.array([3.0, -3.0])
    assert center_terms(values).tolist() == [1, 3, -3, -9, 9]
    assert spread_terms(values).tolist() == [1, 3, -3, -9, 9, 6]
    made = Calibration((1, 2, 0, 0, 0), (0, 0, 0, 0, 0, 1 / 6), -1.0, 2.0, (2.5, -3.5), (3.0, 0.0))
    features = Features(values, scale=10.0, offset=0.0)
    assert made.range_of(features) == pytest.approx(tuple(10 * math.exp(at) for at in (7 - math.e, 7, 7 + 2 * math.e)))
    assert made.covers(features)
    assert not made.covers(Features(np.array([3.1, -3.0]), 10.0, 0.0))
    assert not made.covers(Features(np.array([3.0, -3.6]), 10.0, 0.0))


def test_above_a_tenth_of_the_population_the_range_is_wider():
    """At 0.4 the spread is twice that at 0.1 and below, the square root of four."""
    made = Calibration((0, 1, 0, 0, 0), (0, 0, 0, 0, 0, 0), -1.0, 1.0, (0, -9), (9, 0))
    for fraction, factor in ((0.02, 1), (0.1, 1), (0.4, 2)):
        features = Features(np.array([2.0, math.log(fraction)]), scale=1.0, offset=0.0)
        assert made.range_of(features) == pytest.approx([math.exp(2 - factor), math.exp(2), math.exp(2 + factor)])
