"""Verdicts by hand."""

from __future__ import annotations

import pytest

from policy_sim.analyses.reproduction.printed_figure import (
    Answer,
    Paper,
    PrintedFigure,
    Tolerance,
    Verdict,
    judged,
    reproduce,
)

FIVE = Tolerance("five", 0.05, "made")


def figure(printed: str, value: float, step: float, relation: str = "=", **more) -> PrintedFigure:
    facts = {"unit": "ratio", "tolerance": "five", "ask": {}} | more
    return PrintedFigure("id", "Table", "what", printed, value=value, step=step, relation=relation, **facts)


@pytest.mark.parametrize(
    ("ours", "verdict"),
    [
        (0.44, Verdict.AGREES),
        (0.4449, Verdict.AGREES),  # rounds to 0.44
        (0.4351, Verdict.AGREES),
        (0.446, Verdict.WITHIN),  # rounds to 0.45, 1.4 % off
        (0.419, Verdict.WITHIN),  # 4.8 % off
        (0.417, Verdict.DIFFERS),
        (0.47, Verdict.DIFFERS),
    ],
)
def test_digits_first_then_the_tolerance(ours, verdict):
    row = judged(figure("0.44", 0.44, 0.01), Answer(ours), FIVE)
    assert row.verdict is verdict
    assert row.deviation == pytest.approx(ours / 0.44 - 1)
    assert row.reason


def test_people_may_be_cut_off_and_shares_may_not():
    assert judged(figure("221", 221, 1, unit="people"), Answer(221.97), FIVE).verdict is Verdict.AGREES
    assert judged(figure("221", 221, 1, unit="people"), Answer(220.4), FIVE).verdict is Verdict.WITHIN
    none = Tolerance("exact", 0.0, "made")
    assert judged(figure("0.104", 0.104, 0.001), Answer(0.1045021), none).verdict is Verdict.DIFFERS
    cut = figure("0.104", 0.104, 0.001, cut_off=True, note="cut off")
    assert judged(cut, Answer(0.1045021), none).verdict is Verdict.AGREES


def test_bounds_must_hold():
    less, more = figure("<1", 1, 1, "<"), figure(">50", 50, 1, ">")
    assert judged(less, Answer(0.99), FIVE).verdict is Verdict.AGREES
    assert judged(less, Answer(1.04), FIVE).verdict is Verdict.WITHIN
    assert judged(less, Answer(1.06), FIVE).verdict is Verdict.DIFFERS
    assert judged(more, Answer(50.1), FIVE).verdict is Verdict.AGREES
    assert judged(more, Answer(47.4), FIVE).verdict is Verdict.DIFFERS


def test_about_takes_the_step_it_is_given():
    about = figure("≈90,000", 90_000, 10_000, "≈")
    assert judged(about, Answer(85_001), FIVE).verdict is Verdict.AGREES
    assert judged(about, Answer(45_000), FIVE).verdict is Verdict.DIFFERS


def test_units_are_turned_into_the_papers():
    row = judged(figure("18.7", 18.7, 0.1, unit="percent"), Answer(0.187295), FIVE)
    assert row.ours == pytest.approx(18.7295)
    assert row.verdict is Verdict.AGREES
    millions = judged(figure("3.1", 3.1, 0.1, unit="millions"), Answer(3_159_764), FIVE)
    assert millions.ours == pytest.approx(3.159764)


def test_an_erratum_is_the_papers_whatever_ours_says():
    wrong = figure("2", 2, 1, erratum="Both cannot hold.", read_as={"state": "TX"})
    row = judged(wrong, Answer(2.0), FIVE)
    assert row.verdict is Verdict.CONTRADICTS
    assert row.reason == "Both cannot hold. Read as TX, ours agrees."
    assert judged(wrong, Answer(None, "No list."), FIVE).verdict is Verdict.CONTRADICTS


def test_what_cannot_be_computed_has_a_reason_and_no_number():
    row = judged(figure("2", 2, 1, note="See there."), Answer(None, "No list."), FIVE)
    assert (row.ours, row.deviation, row.verdict) == (None, None, Verdict.MISSING)
    assert row.reason == "No list. See there."


def test_nothing_is_bent_and_the_reading_changes_the_question():
    asked = []

    def answer(ask):
        asked.append(dict(ask))
        return Answer(1.0)

    figures = (
        figure("1", 1, 1, ask={"kind": "x", "state": "MO"}, erratum="is TX", read_as={"state": "TX"}),
        figure("5", 5, 1, ask={"kind": "y"}),
    )
    rows = reproduce(Paper("p", "t", figures, {"five": FIVE}), answer)
    assert asked == [{"kind": "x", "state": "TX"}, {"kind": "y"}]
    assert [row.ours for row in rows] == [1.0, 1.0]
    assert [row.verdict for row in rows] == [Verdict.CONTRADICTS, Verdict.DIFFERS]
