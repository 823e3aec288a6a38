"""What every estimator owes its caller, whatever its model."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from policy_sim.errors import InputError, UnknownNameError
from policy_sim.estimators import (
    ESTIMATORS,
    Argus,
    Bootstrap,
    DecisionRule,
    NegativeBinomial,
    Pitman,
    SlideNegativeBinomial,
    Zayatz,
    estimator_names,
)
from policy_sim.estimators.base import Answer
from policy_sim.estimators.bootstrap import class_bootstrap
from policy_sim.groups.size_histogram import SizeHistogram

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


def test_options_are_fields_of_a_frozen_dataclass():
    model = Pitman(form="large_n")
    assert repr(model) == "Pitman(form='large_n')"
    assert replace(model, form="exact") == Pitman()
    with pytest.raises(FrozenInstanceError):
        model.form = "exact"
    with pytest.raises(UnknownNameError, match="Did you mean 'exact'"):
        replace(model, form="exac")


@pytest.mark.parametrize("model", ESTIMATORS.values())
def test_every_estimator_is_frozen_and_hashable(model):
    assert model() == model()
    assert hash(model()) == hash(model())


def test_options_are_checked():
    with pytest.raises(UnknownNameError, match="exact"):
        Pitman(form="extact")
    with pytest.raises(UnknownNameError, match="sh3"):
        NegativeBinomial("sh33")
    with pytest.raises(InputError, match="fallback"):
        DecisionRule(fallback="argus")
    with pytest.raises(InputError, match="replicates"):
        Bootstrap(replicates=2)
    with pytest.raises(InputError, match="level"):
        Bootstrap(level=95)
    with pytest.raises(InputError, match="seed"):
        Bootstrap(seed=-1)


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


def test_bootstrap_keeps_the_sampling_fraction():
    """Each replicate's population is scaled to its records: a model that reports n/N never varies."""
    seen = []

    def fraction(sample, people):
        seen.append((sample.records, people))
        return Answer(uniques=0.0, marketer_risk=sample.records / people)

    sample, people = SizeHistogram.of(SAMPLE), 70_000
    _, marketer = class_bootstrap(fraction, sample, people, Bootstrap(replicates=50, level=0.9))
    assert len({records for records, _ in seen}) > 10  # the records drawn do vary
    # rounding to whole people moves n/N by less than one part in 1e4
    assert marketer == pytest.approx((sample.records / people,) * 2, rel=1e-4)
