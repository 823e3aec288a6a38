"""mu-Argus, the negative binomial model and the decision rule on cases done by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from policy_sim.estimators import (
    Argus,
    Bootstrap,
    DecisionRule,
    NegativeBinomial,
    Pitman,
    SlideNegativeBinomial,
    Zayatz,
)
from policy_sim.estimators.negative_binomial import gamma_moments, negative_binomial
from policy_sim.formulas.histogram import SizeHistogram

SAMPLE = {1: 865, 2: 295, 3: 165, 4: 120, 10: 60, 40: 20}


def test_argus_of_uniques_only_is_its_closed_form():
    fitted = Argus().estimate({1: 30}, population_size=100)
    assert fitted.marketer_risk == pytest.approx(0.3 * math.log(1 / 0.3) / 0.7)
    assert fitted.uniques is None


def test_gamma_moments_give_the_sample_back():
    sample, cells = SizeHistogram.of(SAMPLE), 4000.0
    shape, scale = gamma_moments(sample, cells)
    mean = shape * scale * sample.records
    assert mean == pytest.approx(sample.records / cells)
    second = sum(k * k * s for k, s in SAMPLE.items()) / cells
    assert mean + (scale * sample.records) ** 2 * shape == pytest.approx(second - mean**2)


def test_negative_binomial_uniques_by_their_law():
    sample, people, cells = SizeHistogram.of(SAMPLE), 20_000, 4000.0
    answer = negative_binomial(sample, people, cells)
    shape, scale = answer.parameters["shape"], answer.parameters["scale"]
    alone = stats.nbinom.pmf(1, shape, 1 / (1 + people * scale))
    assert answer.uniques == pytest.approx(cells * alone, rel=1e-9)


def test_negative_binomial_without_spread_says_so():
    fitted = NegativeBinomial().estimate({1: 50}, population_size=100)
    assert fitted.marketer_risk is None
    assert "no gamma law" in fitted.status


@pytest.mark.parametrize(("people", "chosen"), [(55_000, "pitman"), (8_000, None)])
def test_rule_follows_the_actual_fraction(people, chosen):
    rule = DecisionRule().estimate(SAMPLE, population_size=people)
    slide = SlideNegativeBinomial().estimate(SAMPLE, population_size=people)
    zayatz = Zayatz().estimate(SAMPLE, population_size=people)
    if chosen is None:
        assert rule.uniques == min(slide.uniques, zayatz.uniques)
    else:
        assert rule.uniques == Pitman().estimate(SAMPLE, population_size=people).uniques
        assert rule.parameters["chosen"] == chosen


def test_a_hair_above_a_tenth_is_not_a_tenth():
    # 2,863 of 28,629 is 0.1000035
    sample = {1: 863, 2: 1000}
    assert DecisionRule().estimate(sample, population_size=28_630).parameters["chosen"] == "pitman"
    assert DecisionRule().estimate(sample, population_size=28_629).parameters["chosen"] != "pitman"


def test_rule_falls_back_on_zayatz_only_when_asked():
    silent = DecisionRule().estimate({1: 10}, population_size=1000)
    assert silent.uniques is None
    assert "no maximum" in silent.status
    spoken = DecisionRule(fallback="zayatz").estimate({1: 10}, population_size=1000)
    assert spoken.uniques == Zayatz().estimate({1: 10}, population_size=1000).uniques
    assert "outside the paper's rule" in spoken.notes[0]


def test_above_a_tenth_without_a_slide_solution_zayatz_stands_alone():
    rule = DecisionRule().estimate({1: 10, 3: 5}, population_size=50)
    assert rule.parameters["chosen"] == "zayatz"


@pytest.mark.slow
def test_bootstrap_spread_is_of_the_size_of_the_sampling_spread():
    """Draw samples of one population; their spread of estimates is what the interval must show.

    The bootstrap counts the chance of the population too, so it may be wider; half to twice is asked.
    """
    rng = np.random.default_rng(3)
    population = rng.geometric(0.2, 2000) * (1 + 4 * (rng.random(2000) < 0.1))
    people, n = int(population.sum()), 3000
    drawn = [rng.multivariate_hypergeometric(population, n, method="marginals") for _ in range(60)]
    fitted = [Zayatz().estimate(SizeHistogram.from_classes(d), people, bootstrap=Bootstrap()) for d in drawn]
    spread = np.quantile([f.uniqueness for f in fitted], [0.025, 0.975])
    low, high = fitted[0].interval
    assert 0.5 < (high - low) / (spread[1] - spread[0]) < 2
