from __future__ import annotations

import pytest

from policy_sim.errors import InputError, UnknownNameError
from policy_sim.estimators import DecisionRule, Pitman, SlideNegativeBinomial, Zayatz

SAMPLE = {1: 865, 2: 295, 3: 165, 4: 120, 10: 60, 40: 20}  # 3,830 records


@pytest.mark.parametrize("wrong", [{"form": "rough"}, {"classes": "sh9"}, {"fallback": "pitman"}])
def test_an_option_that_does_not_exist_is_refused(wrong):
    with pytest.raises((InputError, UnknownNameError), match=next(iter(wrong.values()))):
        DecisionRule(**wrong)


def test_the_rule_says_nothing_of_marketer_risk():
    fitted = DecisionRule().estimate(SAMPLE, 100_000)
    assert fitted.marketer_risk is None
    assert Pitman().estimate(SAMPLE, 100_000).marketer_risk is not None


def test_at_every_fraction_the_answer_is_that_of_the_chosen_model():
    models = {one.name: one() for one in (Pitman, SlideNegativeBinomial, Zayatz)}
    chosen = set()
    for people in (3_831, 6_000, 10_000, 38_299, 38_300, 90_000):
        fitted = DecisionRule().estimate(SAMPLE, people)
        name = fitted.parameters["chosen"]
        chosen.add(name)
        assert (name == "pitman") == (people >= 38_300)  # a tenth is still Pitman's
        assert fitted.uniques == models[name].estimate(SAMPLE, people).uniques
    assert len(chosen) > 1


def test_options_reach_the_models():
    rule = DecisionRule(form="large_n").estimate(SAMPLE, 90_000)
    assert rule.uniques == Pitman("large_n").estimate(SAMPLE, 90_000).uniques
    assert rule.uniques != DecisionRule().estimate(SAMPLE, 90_000).uniques
