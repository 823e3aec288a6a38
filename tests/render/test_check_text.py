"""A check as a reader sees it."""

import pandas as pd

from policy_sim.render.check_text import check_text
from policy_sim.render.text_table import WIDTH

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


def test_one_and_many():
    findings = pd.DataFrame(
        [("sex", "spellings", 2, 1200, "give codes"), ("sex", "marks", 1, 1, "name them")],
        columns=["column", "problem", "values", "records", "remedy"],
    )
    text = check_text(COLUMNS, findings)
    assert "sex: 1,200 records (2 values): spellings.\n    Give codes." in text
    assert "sex: 1 record (1 value): marks.\n    Name them." in text


def test_nothing_to_mend_is_said():
    assert check_text(COLUMNS, pd.DataFrame(columns=["column"])).endswith(
        "No values to correct before you measure the risk."
    )


def test_the_first_line_says_whether_the_file_is_safe_harbor():
    lines = check_text(pd.concat([COLUMNS, NAMED]), pd.DataFrame(columns=["column"])).splitlines()
    assert lines[0].startswith("This file is not Safe Harbor as it is (45 CFR 164.514(b)(2)): 3 of 4 columns")
    assert lines[1:3] == ["  mrn, ssn: remove.", "  dob: show the year only."]


def test_nothing_is_wider_than_the_page():
    many = pd.concat([COLUMNS.assign(column=f"column {at}", safe_harbor="remove") for at in range(40)])
    findings = pd.DataFrame(
        [("sex", "x", 2, 3, "measure " * 30)], columns=["column", "problem", "values", "records", "remedy"]
    )
    lines = check_text(many, findings).splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert lines[-1].startswith("    measure")
    assert lines[2].startswith("    ")


def test_one_column_shows_too_much():
    lines = check_text(NAMED.head(1), pd.DataFrame(columns=["column"])).splitlines()
    assert lines[0].endswith("1 of 1 columns shows too much.")


def test_nothing_asked_is_no_permission():
    lines = check_text(COLUMNS, pd.DataFrame(columns=["column"])).splitlines()
    assert "every column is of a kind that the rule lets stand" in lines[0]
    assert "Release it only if you do not know" in lines[1]
