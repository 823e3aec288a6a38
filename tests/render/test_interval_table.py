from __future__ import annotations

import pandas as pd

from policy_sim.render.interval_table import interval_table


def rows(*more):
    columns = ["population", "state", "policy", "attacker", "measure", "people_from", "people_to", "status"]
    table = pd.DataFrame(
        [
            ("us-2020", "OH", "safe-harbor", "general", "total-risk", 90.0, 110.0, "ok"),
            ("us-2020", "TX", "safe-harbor", "general", "total-risk", 1990.2, 2010.4, "ok"),
            ("us-2020", "OH", "safe-harbor", "general", "1-distinct", 7777.0, 8888.0, "ok"),
            ("us-2020", "OH", "safe-harbor", "voter", "total-risk", 5.0, 5.0, "ok"),
            ("us-2020", "TX", "safe-harbor", "voter", "total-risk", pd.NA, pd.NA, "not_sold"),
            *more,
        ],
        columns=columns,
    )
    return table.astype({"people_from": "Float64", "people_to": "Float64"})


def lines(table):
    return [line.split() for line in interval_table(table, 200).splitlines()]


def test_one_line_a_state_with_both_ends_or_the_reason():
    by_state = {line[0]: line[1:] for line in lines(rows()) if line and line[0] in ("OH", "TX")}
    assert by_state == {"OH": ["90–110", "5"], "TX": ["1,990–2,010", "not", "sold"]}


def test_other_measures_are_left_out_and_heads_are_names_for_people():
    text = interval_table(rows(), 200)
    assert "7,777" not in text
    assert "Safe Harbor" in text
    assert "VOTER" in text


def test_several_populations_stand_beside_their_states():
    later = [
        ("us-2022", state, "safe-harbor", who, "total-risk", 1.0, 2.0, "ok")
        for state in ("OH", "TX")
        for who in ("general", "voter")
    ]
    text = interval_table(rows(*later), 200)
    assert text.count("OH us-2020") == text.count("OH us-2022") == 1
