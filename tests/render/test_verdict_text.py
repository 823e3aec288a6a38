"""The sentence of an estimate: singular figures, no marketer risk, no answer."""

from types import SimpleNamespace

from policy_sim.render.verdict_text import verdict_text


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
