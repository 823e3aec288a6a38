"""Which questions are asked, where a project stands, when it may run, and what it has to meet."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import numpy as np
import pytest

from policy_sim.release.files import parse_project
from policy_sim.release.project import (
    Answer,
    Assessment,
    FileSettings,
    PopulationSettings,
    Project,
    TargetSettings,
    acquaintance_chance,
    attacks_on,
    list_editions,
    load_edition,
)
from policy_sim.release.run import treatment_of
from policy_sim.release.targets import ReleaseRisk
from policy_sim.release.treatments import Variable
from policy_sim.words.errors import InputError, UnknownNameError

EDITION = load_edition("ipc-2016")
AGE = Variable("age", "key", "known", "age")


def given(**values):
    return {name.replace("_", "-"): Answer(value) for name, value in values.items()}


def project(undecided=(), edition=EDITION, **answers):
    return Project("Visits", edition, FileSettings("visits.csv"), (AGE,), undecided, given(**answers))


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
    sourced = {name: replace(answer, evidence="OCR, 2025") for name, answer in each.answers.items()}
    assert not {state.step.id: state.missing for state in replace(each, answers=sourced).states}["context-risk"]


def test_settings_that_are_none():
    with pytest.raises(UnknownNameError):
        TargetSettings("luck")
    with pytest.raises(InputError, match="names a policy"):
        TargetSettings("policy")
    with pytest.raises(InputError, match="threshold"):
        TargetSettings("risk")
    with pytest.raises(UnknownNameError):
        PopulationSettings("moon")


# Thresholds and verdicts by hand; three release models judge one file differently.


PUBLIC = attacks_on("public")
SEMI = attacks_on("semi-public", prevalence=0.0001, breach=0.1)


def non_public(controls="medium", motives="medium", breach=0.1):
    return attacks_on("non-public", controls=controls, motives=motives, breach=breach)


def file(*sizes, people=None):
    sizes = np.array(sizes)
    return ReleaseRisk(int(sizes.sum()), int(sizes.sum()), sizes, sizes if people is None else np.array(people))


@pytest.mark.parametrize(
    ("invasion", "text", "k"), [("low", "0.09", 11), ("medium", "0.075", 14), ("high", "0.05", 20)]
)
def test_public_data_are_judged_by_their_largest_risk(invasion, text, k):
    assessment = Assessment("public", invasion, PUBLIC)
    assert (assessment.threshold.text, assessment.target.least) == (text, k)
    assert assessment.verdict(file(k, 100))["passes"]
    assert not assessment.verdict(file(k - 1, 100))["passes"]


def test_a_third_means_three_and_a_record_above_the_cutoff_makes_its_risk_the_risk():
    """El Emam and Arbuckle 2013: Pr(attempt) 0.3 and threshold 0.1 leave 0.33 for the data; T1 of IPC 2016."""
    assessment = Assessment("non-public", "low", non_public())
    assert assessment.context == 0.3
    assert assessment.target.threshold.risk == pytest.approx(1 / 3)
    assert assessment.verdict(file(3, 3, 3))["passes"]
    verdict = assessment.verdict(file(2, 1000))
    assert (verdict["data_risk"], verdict["passes"]) == (0.5, False)
    assert Assessment("non-public", "low", non_public(), cutoff="0.5").verdict(file(2, 1000))["passes"]


def test_the_example_of_step_six():
    """IPC 2016: data 0.2 times context 0.5 is 0.1."""
    assessment = Assessment("non-public", "low", non_public("low", "medium"))
    verdict = assessment.verdict(file(5, 5))
    assert verdict["data_risk"] == pytest.approx(0.2)
    assert verdict["overall"] == pytest.approx(0.1)
    assert verdict["passes"]


def test_semi_public_compares_classes():
    """Context 0.6 and threshold 0.1: 0.6 / 0.1 = 6 records, and not 5.999... or 7."""
    assessment = Assessment("semi-public", "low", SEMI)
    assert assessment.target.least == 6
    assert assessment.verdict(file(6))["passes"]
    assert not assessment.verdict(file(5, 500))["passes"]


def test_one_file_three_verdicts():
    """Classes of 7: not enough for the public (11), enough for the semi-public (6) and the non-public (3)."""
    same = file(7, 7, 7, 400)
    models = (("public", PUBLIC), ("semi-public", SEMI), ("non-public", non_public()))
    verdicts = [Assessment(model, "low", attacks).verdict(same) for model, attacks in models]
    assert [verdict["passes"] for verdict in verdicts] == [False, True, True]
    assert len({verdict["overall"] for verdict in verdicts}) == 3
    tighter = file(4, 4, 400)
    assert not Assessment("semi-public", "low", SEMI).verdict(tighter)["passes"]
    assert Assessment("non-public", "low", non_public()).verdict(tighter)["passes"]


def test_an_attacker_who_does_not_know_who_is_in_it_searches_the_population():
    assessment = Assessment("public", "low", PUBLIC, sizes="population")
    assert assessment.verdict(file(1, 1, people=[11, 300]))["passes"]
    assert not assessment.verdict(file(1, 1, people=[10, 300]))["passes"]
    nothing = assessment.verdict(file())
    assert (nothing["passes"], nothing["data_risk"], nothing["why"]) == (False, None, "no record is left")


def test_a_context_without_an_attack_still_has_the_cutoff():
    attacks = non_public("high", "low", 0)
    quiet = [type(attack)(attack.name, attack.title, 0.0, "", "") for attack in attacks]
    assessment = Assessment("non-public", "low", quiet)
    assert assessment.target.threshold.risk == 1
    assert not assessment.verdict(file(2))["passes"]


# Attacks, against the tables and examples of the sources.


# IPC 2016, step 5, attack 1: controls, motives and capacity, probability.
TABLE = [
    ("high", "low", 0.05), ("high", "medium", 0.1), ("high", "high", 0.2),
    ("medium", "low", 0.2), ("medium", "medium", 0.3), ("medium", "high", 0.4),
    ("low", "low", 0.4), ("low", "medium", 0.5), ("low", "high", 0.6),
]  # fmt: skip


def test_the_nine_cells_and_those_of_public_and_semi_public_data():
    for controls, motives, probability in TABLE:
        assert attacks_on("non-public", controls=controls, motives=motives)[0].probability == probability
    assert attacks_on("semi-public", controls="high", motives="low")[0].probability == 0.6  # for any answers
    assert [(attack.name, attack.probability) for attack in attacks_on("public")] == [("T4", 1.0)]


def test_acquaintances():
    """150 friends and one person in a thousand: 1 - 0.999^150; half of them for one sex."""
    assert acquaintance_chance(0.001, 150) == pytest.approx(1 - 0.999**150)
    assert acquaintance_chance(0.001, 150, one_sex=True) == pytest.approx(1 - 0.999**75)
    assert acquaintance_chance(0, 150) == 0
    assert acquaintance_chance(1, 150) == 1
    assert acquaintance_chance(0.01, 190) > acquaintance_chance(0.01, 150)


def test_the_largest_of_three_counts():
    attacks = attacks_on("non-public", controls="high", motives="low", prevalence=0.001, breach=0.27)
    assert [attack.name for attack in attacks] == ["T1", "T2", "T3"]
    assert max(attack.probability for attack in attacks) == 0.27


def test_a_public_release_is_not_asked_about_its_recipient_and_a_semi_public_one_not_about_controls():
    asked = {question.id for question in EDITION.asked(given(release_model="public"))}
    assert asked.isdisjoint({"agreement", "controls", "motives", "prevalence", "breach", "cutoff"})
    assert {"invasion", "attacker-knows", "reassess"} <= asked
    asked = {question.id for question in EDITION.asked(given(release_model="semi-public"))}
    assert {"prevalence", "breach", "acquaintances", "one-sex"} <= asked
    assert asked.isdisjoint({"controls", "motives", "agreement"})


def test_open_questions_are_those_without_an_answer_and_without_a_usual_one():
    answers = given(release_model="non-public", agreement="DUA 1")
    assert [question.id for question in EDITION.open(answers, "release-model")] == ["attacker-knows"]
    assert "acquaintances" not in {question.id for question in EDITION.open(answers)}
    assert EDITION.value(answers, "acquaintances") == "150"
    assert EDITION.value(given(release_model="public"), "acquaintances") == ""
    assert EDITION.waits_for({}, "context-risk") == ("release-model",)


def test_answers_of_another_kind():
    wrong = {"prevalence": ["1.1", "-0.1", "nan", "few"], "breach": ["1.5"], "acquaintances": ["149", "191", "0"]}
    for question, values in {**wrong, "reassess": ["next year"], "agreement": ["  "]}.items():
        for value in values:
            with pytest.raises(InputError, match=question):
                EDITION.question(question).check(value)


def test_only_the_choices_are_chosen():
    for question in ("invasion", "controls", "motives"):
        with pytest.raises(UnknownNameError, match="Did you mean 'medium'"):
            EDITION.question(question).check("medum")
    with pytest.raises(UnknownNameError, match="release-model"):
        EDITION.question("release-model").check("secret")
    with pytest.raises(UnknownNameError, match="question 'shoe'"):
        EDITION.question("shoe")
    assert EDITION.question("reassess").check(" 2027-06-30 ") == "2027-06-30"


# The shipped editions: steps, questions and sources.


@pytest.mark.parametrize(("name", "steps"), [("ipc-2016", 9), ("ipc-2025", 12), ("ihe-2026-draft", 7)])
def test_editions_have_their_steps_and_every_question_a_source(name, steps):
    edition = load_edition(name)
    assert len(edition.steps) == steps
    ids = [step.id for step in edition.steps]
    assert len(set(ids)) == steps
    for step in edition.steps:
        assert step.does in ("answers", "variables", "measure", "run")
        assert step.citation
    for question in edition.questions:
        assert question.citation
        assert question.step in ids
        assert question.kind in ("choice", "text", "share", "number", "date")
        assert bool(question.choices) == (question.kind == "choice")
        for other, values in question.when.items():
            assert set(values) <= set(edition.question(other).choices)


def test_what_was_not_read_is_said():
    assert load_edition("ipc-2016").read == "whole"
    assert "secondary" in load_edition("ipc-2025").read
    assert set(list_editions()) == {"ipc-2016", "ipc-2025", "ihe-2026-draft"}
    with pytest.raises(UnknownNameError, match="ipc-2016"):
        load_edition("ipc-2019")


@pytest.mark.parametrize(
    ("edition", "model", "limit"),
    [("ipc-2016", "public", "0.09"), ("ipc-2016", "non-public", "0.1"), ("ipc-2025", "non-public", "0.09")],
)
def test_an_edition_may_have_its_own_thresholds(edition, model, limit):
    own = load_edition(edition).thresholds
    assert Assessment(model, "low", PUBLIC, thresholds=own).threshold.text == limit
    assert Assessment(model, "high", PUBLIC, thresholds=own).threshold.text == "0.05"


def test_guidelines_that_ask_for_uniform_classes_have_one_level_by_default(tmp_path):
    """Their own threshold asks for it; a target of one's own may be recoded locally, and so may who says so."""
    text = 'title = "x"\nedition = "{edition}"\n[file]\nlocation = "f.csv"\n[variables.sex]\nrole = "key"\n'
    text += 'reason = "seen"\n[settings]\n{settings}\n[target]\n{target}\n' + "".join(
        f'[answers.{name}]\nvalue = "{value}"\n'
        for name, value in {"release-model": "public", "attacker-knows": "yes", "invasion": "low"}.items()
    )
    risk = 'aim = "risk"\nthreshold = "k=3"'
    for edition, target, settings, recoding in (
        ("ipc-2016", 'aim = "threshold"', "", "one-level"),
        ("ipc-2025", 'aim = "threshold"', "", "one-level"),
        ("ipc-2016", 'aim = "threshold"', 'recoding = "local"', "local"),
        ("ipc-2016", risk, "", "local"),
    ):
        project = parse_project(text.format(edition=edition, target=target, settings=settings), "p.toml", tmp_path)
        assert treatment_of(project)[0].recoding == recoding
