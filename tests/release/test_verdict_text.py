"""The sentences of an estimate: a range, no marketer risk, a sample that cannot tell, no answer."""

from types import SimpleNamespace

from policy_sim.release.verdict_text import profile_verdict, verdict_text


def first(**changed):
    given = {
        "status": "ok",
        "uniqueness": 0.012,
        "interval": (0.008, 0.03),
        "marketer_risk": 0.3,
        "marketer_interval": (0.25, 0.4),
        "range_of": "tested range",
        "notes": ("tested range", "the single figures are those of the model pitman"),
    }
    return SimpleNamespace(**(given | changed))


def test_the_first_line_is_a_range_and_the_last_says_what_it_promises():
    assert verdict_text(first(), 10_000, "not here").splitlines() == [
        "Estimated unique people: between 80 and 300 of 10,000 people (between 0.80% and 3%); closest single figure "
        "120 (1.20%).",
        "An attacker who matches every record at random within equal groups is right for this share: between 25% and "
        "40% (closest single figure 30%).",
        "Tested range; the single figures are those of the model pitman.",
    ]
    assert len(verdict_text(first(marketer_risk=None), 10_000).splitlines()) == 2


def test_a_sample_that_cannot_tell_says_so_first_and_what_else_answers():
    text = verdict_text(first(range_of="cannot tell", interval=(0.001, 0.03)), 10_000, "Ask the census.")
    assert text.splitlines()[0] == (
        "This sample cannot tell how many of 10,000 people are unique: between 10 and 300 (between 0.10% and 3%). "
        "Ask the census."
    )


def test_ends_that_read_alike_are_one_figure():
    counted = first(interval=(0.012, 0.012), marketer_interval=(0.3, 0.3), range_of="counted", notes=("counted",))
    assert verdict_text(counted, 10_000).splitlines() == [
        "Estimated unique people: 120 of 10,000 people (1.20%).",
        "An attacker who matches every record at random within equal groups is right for this share: 30%.",
        "Counted.",
    ]


def test_no_answer():
    nothing = first(status="no model has an answer", uniqueness=None, interval=None)
    assert verdict_text(nothing, 10) == "No estimate: no model has an answer."


def test_a_profile_says_who_is_certain_to_be_matched_and_what_to_leave_out():
    risk = SimpleNamespace(records=4, uniques=2, unique_share=0.5, average=0.75)
    lines = profile_verdict(risk, [("sex", 0.75), ("age", 0.5), ("x", None)]).splitlines()
    assert lines[0].startswith("2 of 4 records (50%) are alone with these values")
    assert lines[1].endswith("would be right for 75% of all records. Without age, it would be 50%.")
    nobody = SimpleNamespace(records=4, uniques=0, unique_share=0.0, average=0.5)
    lines = profile_verdict(nobody, [("sex", None)]).splitlines()
    assert lines[0] == "None of 4 records is alone with these values: no match is certain."
    assert lines[1].endswith("50% of all records.")
    empty = SimpleNamespace(records=0, uniques=0, unique_share=None, average=None)
    assert profile_verdict(empty, []).startswith("No verdict")
