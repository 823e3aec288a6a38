"""The sentence of an estimate: singular figures, no marketer risk, no answer."""

from types import SimpleNamespace

from policy_sim.render.verdict_text import profile_verdict, verdict_text


def test_with_and_without_marketer_risk():
    one = SimpleNamespace(model="pitman", uniques=120.0, uniqueness=0.012, marketer_risk=0.3)
    text = verdict_text(one, "because", 10_000)
    assert text.splitlines() == [
        "Estimate: 120 of 10,000 people (1.20%) have values that nobody else has.",
        "An attacker who matches every record at random within equal groups is right for 30% of them.",
        "Reason for this model (pitman): because.",
    ]
    one.marketer_risk = None
    assert len(verdict_text(one, "because", 10_000).splitlines()) == 2


def test_no_answer():
    assert verdict_text(None, "no model has an answer", 10) == "No estimate: no model has an answer."


def test_a_profile_says_who_is_certain_to_be_matched_and_what_to_leave_out():
    risk = SimpleNamespace(records=4, uniques=2, unique_share=0.5, average=0.75)
    lines = profile_verdict(risk, [("sex", 0.75), ("age", 0.5), ("x", None)]).splitlines()
    assert lines[0].startswith("2 of 4 records (50%) are alone with these values")
    assert lines[1].endswith("it is right for 75% of all records. Without age, it would be 50%.")
    nobody = SimpleNamespace(records=4, uniques=0, unique_share=0.0, average=0.5)
    lines = profile_verdict(nobody, [("sex", None)]).splitlines()
    assert lines[0] == "No record of 4 is alone with these values: no match is certain."
    assert lines[1].endswith("50% of all records.")
    empty = SimpleNamespace(records=0, uniques=0, unique_share=None, average=None)
    assert profile_verdict(empty, []).startswith("No verdict")
