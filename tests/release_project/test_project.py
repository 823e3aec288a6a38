"""Where a project stands, and when it may run."""

import datetime as dt
from dataclasses import replace

import pytest

from policy_sim.deidentify.treatments import Variable
from policy_sim.errors import InputError, UnknownNameError
from policy_sim.io.release_editions import load_edition
from policy_sim.release_project.project import FileSettings, PopulationSettings, Project, TargetSettings
from policy_sim.release_project.questionnaire import Answer

EDITION = load_edition("ipc-2016")
AGE = Variable("age", "key", "known", "age")


def project(undecided=(), edition=EDITION, **answers):
    given = {name.replace("_", "-"): Answer(value) for name, value in answers.items()}
    return Project("Visits", edition, FileSettings("visits.csv"), (AGE,), undecided, given)


def open_steps(each):
    return {state.step.id for state in each.states if not state.is_done}


def test_a_new_project_has_every_step_open():
    assert open_steps(project(undecided=("sex",))) == {step.id for step in EDITION.steps}


def test_steps_close_with_their_answers():
    answered = project(release_model="public", attacker_knows="yes", invasion="low")
    assert open_steps(answered) == {"de-identify", "utility", "documents"}
    answered.check_ready()
    assert answered.assessment.target.least == 11


def test_nothing_runs_before_columns_are_classified_and_risks_are_answered():
    with pytest.raises(InputError, match="missing: answer to release-model"):
        project(undecided=("sex",)).check_ready()
    with pytest.raises(InputError, match="answer to cutoff, controls"):
        _ = project(release_model="non-public", attacker_knows="yes", invasion="low", agreement="1").assessment


def test_a_policy_needs_roles_and_a_day_and_no_answers():
    each = replace(project(), target=TargetSettings("policy", "safe-harbor"))
    assert [name.split(":")[0] for name in each.missing_for_run] == ["day in the table file"]
    replace(each, file=FileSettings("visits.csv", day=dt.date(2026, 6, 30))).check_ready()


def test_answers_become_the_assessment():
    each = project(
        release_model="non-public", attacker_knows="no", invasion="high", agreement="1", cutoff="0.5",
        controls="high", motives="low", prevalence="0.01", one_sex="yes", breach="0.2",
    ).assessment  # fmt: skip
    assert (each.threshold.text, each.cutoff, each.sizes) == ("0.05", "0.5", "population")
    assert each.context == pytest.approx(1 - 0.99**75)


def test_the_twelve_steps_of_2025_know_an_internal_release():
    edition = load_edition("ipc-2025")
    each = project(
        edition=edition, release_model="non-public-internal", attacker_knows="yes", invasion="low", agreement="1",
        cutoff="0.33", controls="high", motives="low", prevalence="0", breach="0",
    )  # fmt: skip
    assert each.assessment.context == 0.05
    assert {"disclosure", "monitoring", "documents"} <= open_steps(each)


def test_rates_need_a_source():
    each = project(
        release_model="semi-public", attacker_knows="yes", invasion="low", prevalence="0.01", breach="0.2",
    )  # fmt: skip
    missing = {state.step.id: state.missing for state in each.states}
    assert missing["context-risk"] == ("evidence for prevalence", "evidence for breach")
    given = {name: replace(answer, evidence="OCR, 2025") for name, answer in each.answers.items()}
    assert not {state.step.id: state.missing for state in replace(each, answers=given).states}["context-risk"]


def test_settings_that_are_none():
    with pytest.raises(UnknownNameError):
        TargetSettings("luck")
    with pytest.raises(InputError, match="names a policy"):
        TargetSettings("policy")
    with pytest.raises(InputError, match="threshold"):
        TargetSettings("risk")
    with pytest.raises(UnknownNameError):
        PopulationSettings("moon")
