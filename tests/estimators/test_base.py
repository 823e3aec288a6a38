"""What every estimator owes its caller, whatever its model."""

from __future__ import annotations

import numpy as np
import pytest

from policy_sim.errors import InputError, UnknownNameError
from policy_sim.estimators import (
    SIZE_ESTIMATORS,
    Argus,
    DecisionRule,
    NegativeBinomial,
    Pitman,
    SlideNegativeBinomial,
    Zayatz,
)
from policy_sim.sizes import SizeHistogram

ALL = list(SIZE_ESTIMATORS.values())
SAMPLE = {1: 60, 2: 20, 3: 9, 4: 5, 5: 3, 8: 2, 13: 1}


@pytest.mark.parametrize("model", ALL)
def test_the_whole_population_is_counted(model):
    fitted = model().fit(SAMPLE, population_size=SizeHistogram.of(SAMPLE).records)
    assert fitted.status_ == "ok"
    assert fitted.uniques_ == 60
    assert fitted.lambda1_ == 1
    if model is not DecisionRule:
        assert fitted.marketer_risk_ == pytest.approx(100 / fitted.population_size_)
    assert "counted" in fitted.notes_[0]


@pytest.mark.parametrize("model", ALL)
@pytest.mark.parametrize(
    "sample", [{}, {1: 1}, {1: 50}, {50: 1}, {2: 25}, {1: 3, 40000: 2}, {1: 1, 2: 1}, {1: 2, 3: 1}, SAMPLE]
)
@pytest.mark.parametrize("factor", [1, 1.01, 3, 1000])
def test_never_a_number_that_is_not_one(model, sample, factor):
    """Numbers are finite and in range, or None with a reason; warnings are errors here."""
    people = max(1, round(SizeHistogram.of(sample).records * factor))
    fitted = model().fit(sample, population_size=people)
    shares = [fitted.uniqueness_, fitted.lambda1_, fitted.lambda2_, fitted.marketer_risk_]
    for share in shares:
        assert share is None or 0 <= share <= 1
    assert isinstance(fitted.status_, str)
    assert (fitted.status_ == "ok") == (fitted.uniques_ is not None)
    if fitted.uniques_ is not None:
        assert 0 <= fitted.uniques_ <= people
        assert np.isfinite(fitted.uniques_)


@pytest.mark.parametrize("model", ALL)
def test_refuses_a_population_below_the_sample(model):
    with pytest.raises(InputError, match="smaller than the sample of 191 records"):
        model().fit(SAMPLE, population_size=190)
    with pytest.raises(InputError, match="whole number"):
        model().fit(SAMPLE, population_size=1000.5)


@pytest.mark.parametrize("model", ALL)
def test_same_input_same_answer(model):
    answers = {repr(model().fit(SAMPLE, population_size=2000).estimate(intervals=True)) for _ in range(2)}
    assert len(answers) == 1


def test_options_are_read_and_set_as_in_scikit_learn():
    model = Pitman(form="large_n")
    assert model.get_params() == {"form": "large_n", "replicates": 200, "level": 0.95, "seed": 0}
    assert repr(model) == "Pitman(form='large_n')"
    assert repr(model.set_params(form="exact", seed=3)) == "Pitman(seed=3)"
    assert repr(SlideNegativeBinomial("uj1")) == "SlideNegativeBinomial(classes='uj1')"
    with pytest.raises(UnknownNameError, match="Did you mean 'form'"):
        model.set_params(fork="exact")


def test_scikit_learn_can_clone_it():
    from sklearn.base import clone

    assert repr(clone(DecisionRule(fallback="zayatz"))) == "DecisionRule(fallback='zayatz')"


def test_options_are_checked():
    with pytest.raises(UnknownNameError, match="exact"):
        Pitman(form="extact")
    with pytest.raises(UnknownNameError, match="sh3"):
        NegativeBinomial("sh33").fit(SAMPLE, population_size=2000)
    with pytest.raises(InputError, match="fallback"):
        DecisionRule(fallback="argus")
    with pytest.raises(InputError, match="replicates"):
        _ = Zayatz(replicates=2).fit(SAMPLE, population_size=2000).interval_
    with pytest.raises(InputError, match="level"):
        _ = Zayatz(level=95).fit(SAMPLE, population_size=2000).interval_


def test_not_fitted_has_no_answer():
    with pytest.raises(AttributeError):
        _ = Zayatz().uniques_


def test_lambdas_follow_from_the_uniques():
    # n/N of the population's uniques are in the sample
    fitted = Zayatz().fit(SAMPLE, population_size=700)
    assert fitted.lambda2_ == fitted.uniqueness_ == fitted.uniques_ / 700
    assert fitted.lambda1_ == pytest.approx(fitted.parameters_["unique_given_sample_unique"])


def test_no_lambda1_without_sample_uniques():
    fitted = Pitman().fit({2: 10, 3: 5}, population_size=100)
    assert (fitted.uniques_, fitted.lambda1_, fitted.status_) == (0, None, "ok")


@pytest.mark.parametrize("model", [Pitman, SlideNegativeBinomial, Zayatz, Argus])
def test_interval_holds_its_estimate_and_narrows_with_a_lower_level(model):
    wide = model().fit(SAMPLE, population_size=700)
    narrow = model(level=0.5).fit(SAMPLE, population_size=700)
    assert wide.interval_[0] < wide.uniqueness_ < wide.interval_[1]
    assert wide.interval_[0] < narrow.interval_[0] < narrow.interval_[1] < wide.interval_[1]


def test_no_interval_without_an_answer():
    fitted = Pitman().fit({1: 10}, population_size=100)
    assert (fitted.uniques_, fitted.interval_) == (None, None)
    assert "no maximum" in fitted.status_


def test_refitting_forgets_the_last_interval():
    model = Argus().fit(SAMPLE, population_size=700)
    before = model.interval_
    assert model.fit(SAMPLE, population_size=7000).interval_ != before
