"""Studies with one assumption changed: the form of the rules, the list, the file; for several states at once."""

from __future__ import annotations

import pytest

from policy_sim import Study


@pytest.fixture(scope="module")
def study() -> Study:
    return Study("us-2020", 2026)


@pytest.fixture(scope="module")
def swings(study):
    return study.sensitivity(["DE", "WY"], g=1)


def of(swings, state: str, policy: str, attacker: str) -> dict:
    total = [s for s in swings if str(s.measure) == "total-risk"]
    return {s.assumption: s for s in total if (s.state, s.policy, s.attacker) == (state, policy, attacker)}


@pytest.mark.slow
@pytest.mark.parametrize("state", ["DE", "WY"])
def test_each_change_is_the_comparison_made_so(study, swings, state):
    found = of(swings, state, "limited-dataset", "voter")
    asked = {"policies": "limited-dataset", "attackers": "voter", "states": state, "g": 1}
    made = {
        "rules-paper": study.compare(**asked, rules="paper"),
        "in-file": study.compare(**asked, in_file=0.01),
        "listed-voter-everyone": Study("us-2020", 2026, coverage="everyone").compare(**asked),
        "listed-voter-adults": Study("us-2020", 2026, coverage="adults").compare(**asked),
        "listed-voter-survey": Study("us-2020", 2026, coverage="survey").compare(**asked),
    }
    base = study.compare(**asked)[0].share("total-risk").low
    for name, comparison in made.items():
        assert found[name].base == pytest.approx(base, rel=1e-12)
        assert found[name].low == pytest.approx(comparison[0].share("total-risk").low, rel=1e-9), name
    assert "listed-voter-registered" not in found
    if state == "WY":
        assert "listed-voter-registered-no-stale" not in found, "it reported no inactive records"
    else:
        assert found["listed-voter-registered-no-stale"].low > base
        assert {"listed-voter-registered-ages-nj", "listed-voter-registered-ages-pa"} <= set(found)


@pytest.mark.slow
def test_the_list_changes_nothing_for_an_attacker_who_knows_everyone(swings):
    found = of(swings, "DE", "safe-harbor", "general")
    assert {"rules-paper", "in-file", "chance"} <= set(found)
    assert not any(name.startswith("listed-") for name in found)


@pytest.mark.slow
def test_from_the_paper_form_the_other_is_the_regulation(study):
    found = study.sensitivity("DE", "limited-dataset", "general", 1, rules="paper")
    (swing,) = (s for s in found if s.assumption == "rules-regulation" and str(s.measure) == "total-risk")
    written = study.compare("limited-dataset", "general", "DE", 1)[0].share("total-risk").low
    assert swing.low == pytest.approx(written, rel=1e-12)
    assert swing.low > swing.base


def test_in_a_file_what_was_measured_of_everyone_is_left_out(study):
    found = {s.assumption for s in study.sensitivity("DE", "limited-dataset", "general", 1, rules="paper", in_file=500)}
    assert "in-file" in found  # everyone, in place of the file
    assert not found & {"birthdays", "birth-years", "fit", "noise"}
