"""A check as a reader sees it."""

import pandas as pd

from policy_sim.render.check_text import check_text

COLUMNS = pd.DataFrame(
    {
        "column": ["sex"],
        "kind": ["key field"],
        "field": ["sex"],
        "records": [1200],
        "missing": [0],
        "values": [3],
        "reason": ["its name"],
    }
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
    assert check_text(COLUMNS, pd.DataFrame(columns=["column"])).endswith("No problems found.")
