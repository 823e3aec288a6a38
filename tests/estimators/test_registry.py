"""The list of estimators, and what it takes to add one."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from small_people import run

from policy_sim.estimators import (
    ESTIMATORS,
    Argus,
    DecisionRule,
    Pitman,
    SlideNegativeBinomial,
    Zayatz,
    estimate_all,
    estimator_names,
    model_spread,
)
from policy_sim.estimators.base import Answer, Estimate, SizeEstimator
from policy_sim.estimators.registry import known_estimators
from policy_sim.words.errors import InputError, UnknownNameError


def test_names_and_classes_agree():
    assert list(ESTIMATORS) == list(estimator_names())
    assert [name for name, model in ESTIMATORS.items() if model.needs_classes] == ["poisson_log_linear"]


def test_names_are_checked():
    assert known_estimators(["zayatz", "argus", "zayatz"]) == ("zayatz", "argus")
    with pytest.raises(UnknownNameError, match="Did you mean 'zayatz'"):
        known_estimators(["zayats"])
    with pytest.raises(InputError, match="list of names"):
        known_estimators("zayatz")
    with pytest.raises(InputError, match="at least one"):
        known_estimators([])


@dataclass(frozen=True)
class AllUniques(SizeEstimator):
    """Uniques of the sample, over its fraction: every one is a unique of the population."""

    name = "all_uniques"
    measures = ("uniqueness",)

    def _solve(self, sample, people):
        return Answer(uniques=sample.uniques * people / sample.records)


def test_an_estimator_is_its_class_and_its_place_in_the_registry(tmp_path, monkeypatch):
    for place in ("policy_sim.estimators.registry", "policy_sim.estimators"):
        monkeypatch.setattr(f"{place}.ESTIMATORS", {AllUniques.name: AllUniques, **ESTIMATORS})
    path = tmp_path / "visits.csv"
    path.write_text("age,sex\n30,F\n30,F\n41,M\n")
    done = run("dataset", "estimate", path, "--fields", "age,sex", "--population-size", "30", "--format", "csv")
    assert done.stdout.splitlines()[2].startswith("all_uniques,10.0,")


SIZES = {1: 60, 2: 20, 3: 9, 8: 2}


def test_each_row_is_what_the_model_alone_gives_in_the_order_asked_for():
    rows = estimate_all(SIZES, 900, models=["zayatz", "argus"])
    assert rows == [Zayatz().estimate(SIZES, 900), Argus().estimate(SIZES, 900)]
    [without] = estimate_all(SIZES, 900, models=["poisson_log_linear"])
    assert without.uniqueness is None
    assert "not only class sizes" in without.status


def test_spread_leaves_out_models_without_a_figure():
    rows = [Estimate("a", "ok", uniqueness=0.3), Estimate("b", "no"), Estimate("c", "ok", uniqueness=0.0)]
    assert model_spread(rows, "uniqueness") == (0.0, 0.3)
    assert model_spread(rows, "marketer_risk") is None


SAMPLE = {1: 865, 2: 295, 3: 165, 4: 120, 10: 60, 40: 20}  # 3,830 records


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
        if people < 38_300:
            assert fitted.uniques == min(
                models[name].estimate(SAMPLE, people).uniques for name in ("slide_negative_binomial", "zayatz")
            )
    assert len(chosen) > 1


def test_options_reach_the_models():
    rule = DecisionRule(form="large_n").estimate(SAMPLE, 90_000)
    assert rule.uniques == Pitman("large_n").estimate(SAMPLE, 90_000).uniques
    assert rule.uniques != DecisionRule().estimate(SAMPLE, 90_000).uniques


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
