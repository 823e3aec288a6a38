"""Files' figures as text: a word where there is no figure, nothing wider than the page."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
from said import numbers

from policy_sim.show.record_text import (
    census_text,
    check_text,
    estimates_text,
    figures_text,
    profile_verdict,
    rows_text,
    summary_text,
    verdict_text,
)
from policy_sim.show.text_table import WIDTH


def _scores(**changes):
    row = {
        "attacker": "voter",
        "state": "OH",
        "linkage_key": "birth=year+geography=county",
        "records": 1000,
        "total_risk": 12.6,
        "total_risk_high": 20.0,
        "share": 0.0125,
        "share_high": 0.02,
        "largest_chance": 0.5,
        "largest_chance_high": 1.0,
        "price_usd": 100.0,
        "usd_per_reidentification": 8.0,
        "usd_per_reidentification_high": 5.0,
        "price_status": "ok",
        "status": "interval",
        "reason": "",
    }
    return pd.DataFrame([row | changes])


def test_figures_say_a_word_where_there_is_none():
    frame = pd.DataFrame(
        [("records", 1200.0, None, "ok"), ("risk", None, 0.1047, "ok"), ("classes", None, None, "undefined")],
        columns=["measure", "number", "share", "status"],
    ).astype({"number": "Float64", "share": "Float64"})
    lines = figures_text(frame).splitlines()[2:]
    assert [line.split()[1:] for line in lines] == [["1,200"], ["10.5%"], ["undefined"]]


def test_both_ends_of_an_interval_and_the_price_of_each_and_a_free_list_is_called_free():
    text = census_text(_scores(), pd.DataFrame())
    assert "13–20" in text
    assert "$5–8" in text
    assert max(map(len, text.splitlines())) <= WIDTH
    free = dict.fromkeys(("price_usd", "usd_per_reidentification", "usd_per_reidentification_high"), 0.0)
    text = census_text(_scores(**free, price_status="free"), pd.DataFrame())
    assert text.count("free") == 2
    assert "$" not in text


def test_no_list_and_no_price_needed_are_words():
    missing = dict.fromkeys(
        [n for n in _scores() if n.startswith(("total", "share", "largest", "usd", "price_u"))], pd.NA
    )
    assert "not sold" in census_text(_scores(**missing, status="not_sold", price_status="not_sold"), pd.DataFrame())
    assert "not needed" in census_text(_scores(price_usd=pd.NA, price_status="not_needed"), pd.DataFrame())
    told = census_text(_scores(status="unknown", reason="5 records too many"), pd.DataFrame())
    assert told.splitlines()[-1].endswith(": 5 records too many")
    assert "no record matches" in census_text(_scores().head(0), pd.DataFrame())


def test_long_tables_are_cut_and_say_so():
    frame = pd.DataFrame({"fields": [f"f{i}" for i in range(20)], "average_risk": [0.25] * 20})
    text = rows_text(frame, most=5)
    assert text.splitlines()[-1] == "... and 15 rows more"
    assert text.count("25%") == 5


def test_estimators_without_an_answer_say_why_below():
    frame = pd.DataFrame(
        {
            "model": ["pitman", "zayatz"],
            "population_uniques": [1000.0, None],
            "uniqueness": [0.1, None],
            "uniqueness_low": [0.08, None],
            "uniqueness_high": [0.12, None],
            "lambda1": [0.5, None],
            "marketer_risk": [None, None],
            "marketer_risk_low": [None, None],
            "marketer_risk_high": [None, None],
            "status": ["ok", "no sample uniques"],
            "notes": ["", ""],
        }
    )
    text = estimates_text(frame)
    assert "8–12%" in text
    assert "range" in text
    assert "zayatz: no sample uniques" in text


def test_the_closest_model_is_starred():
    summary = pd.DataFrame(
        {
            "measure": "uniqueness",
            "fraction": [0.1, 0.1],
            "model": ["pitman", "zayatz"],
            "median": [0.02, -0.5],
            "iqr": [0.1, 0.2],
            "failed": [0, 3],
        }
    )
    best = summary.head(1)
    lines = summary_text(summary, best, 0.5).splitlines()
    assert any("pitman" in line and "*2%" in line for line in lines)
    assert any("−50%" in line and "3 failed" in line for line in lines)
    assert lines[-1].startswith("* closest")


# A check as a reader sees it.


COLUMNS = pd.DataFrame(
    {
        "column": ["sex"],
        "kind": ["key field"],
        "field": ["sex"],
        "records": [1200],
        "missing": [0],
        "values": [3],
        "reason": ["its name"],
        "safe_harbor": pd.array([None], dtype="string"),
    }
)
NAMED = pd.concat(
    [
        COLUMNS.assign(column=name, safe_harbor=ask)
        for name, ask in (("mrn", "remove"), ("dob", "show the year only"), ("ssn", "remove"))
    ]
)


FINDINGS = ["column", "problem", "values", "records", "remedy"]


def checked(columns, *findings):
    return check_text(columns, pd.DataFrame(list(findings), columns=FINDINGS)).splitlines()


def test_what_to_correct_is_counted_and_nothing_is_wider_than_the_page():
    lines = checked(COLUMNS, ("sex", "spellings", 2, 1200, "give codes"), ("sex", "marks", 1, 1, "name them"))
    assert lines[-4:-2] == ["sex: 1,200 records (2 values): spellings.", "    Give codes."]
    assert lines[-2:] == ["sex: 1 record (1 value): marks.", "    Name them."]
    many = pd.concat([COLUMNS.assign(column=f"column {at}", safe_harbor="remove") for at in range(40)])
    lines = checked(many, ("sex", "x", 2, 3, "measure " * 30))
    assert max(map(len, lines)) <= WIDTH
    assert lines[-1].startswith("    measure")
    assert lines[3].startswith("    ")


def test_the_first_line_says_whether_the_file_is_safe_harbor():
    lines = checked(pd.concat([COLUMNS, NAMED]))
    assert "not meet Safe Harbor (45 CFR 164.514(b)(2))" in lines[0]
    assert numbers(lines[1]) == ["3", "4"]
    assert lines[2:4] == ["  mrn, ssn: remove.", "  dob: show the year only."]
    assert checked(NAMED.head(1))[1].startswith("1 of 1 columns needs")


def test_nothing_asked_is_no_permission():
    lines = checked(COLUMNS)
    assert "does not meet" not in lines[0]
    assert "Release it only if" in lines[1]
    assert "No values to correct" in lines[-1]


# What to read first: a range, a sample that cannot tell, who is certain to be matched.


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
    unique, right, promise = verdict_text(first(), 10_000, "not here").splitlines()
    assert numbers(unique) == ["80", "300", "10,000", "0.80%", "3%", "120", "1.20%"]
    assert numbers(right) == ["25%", "40%", "30%"]
    assert promise.startswith("Tested range; ")
    assert promise.endswith(" pitman.")
    assert len(verdict_text(first(marketer_risk=None), 10_000).splitlines()) == 2
    nothing = first(status="no model has an answer", uniqueness=None, interval=None)
    assert verdict_text(nothing, 10) == "No estimate: no model has an answer."


def test_a_sample_that_cannot_tell_says_so_first_and_what_else_answers():
    text = verdict_text(first(range_of="cannot tell", interval=(0.001, 0.03)), 10_000, "Ask the census.")
    line = text.splitlines()[0]
    assert line.startswith("This sample cannot tell")
    assert numbers(line) == ["10,000", "10", "300", "0.10%", "3%"]
    assert line.endswith(" Ask the census.")


def test_ends_that_read_alike_are_one_figure():
    counted = first(interval=(0.012, 0.012), marketer_interval=(0.3, 0.3), range_of="counted", notes=("counted",))
    unique, right, promise = verdict_text(counted, 10_000).splitlines()
    assert numbers(unique) == ["120", "10,000", "1.20%"]
    assert numbers(right) == ["30%"]
    assert promise == "Counted."


def test_a_profile_says_who_is_certain_to_be_matched_and_what_to_leave_out():
    risk = SimpleNamespace(records=4, uniques=2, unique_share=0.5, average=0.75)
    lines = profile_verdict(risk, [("sex", 0.75), ("age", 0.5), ("x", None)]).splitlines()
    assert numbers(lines[0])[:3] == ["2", "4", "50%"]
    assert numbers(lines[1])[-2:] == ["75%", "50%"]
    assert "Without age" in lines[1]
    nobody = SimpleNamespace(records=4, uniques=0, unique_share=0.0, average=0.5)
    lines = profile_verdict(nobody, [("sex", None)]).splitlines()
    assert lines[0].startswith("None of 4 records")
    assert numbers(lines[1])[-1] == "50%"
    empty = SimpleNamespace(records=0, uniques=0, unique_share=None, average=None)
    assert profile_verdict(empty, []).startswith("No verdict")
