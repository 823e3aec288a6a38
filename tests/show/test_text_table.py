from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from said import numbers

from policy_sim.model.compare import Curve, trust_curve_frame, with_trust
from policy_sim.show.numbers import plain
from policy_sim.show.text_table import (
    Column,
    cost_table,
    curve_table,
    interval_table,
    layout,
    match_sentences,
    pair_table,
    source_columns,
    source_lines,
    table_width,
    text_table,
    trust_table,
)


def test_cells_are_aligned_and_missing_figures_are_words(profiles):
    rows = profiles[profiles["state"].isin(["WA", "CA"]) & (profiles["measure"] == "total-risk")]
    lines = text_table(rows).splitlines()
    columns = ["state", "policy", "attacker", "measure", "people", "share", "population", "linkage", "key"]
    assert lines[0].split() == columns
    not_sold = next(line for line in lines if line.startswith("CA") and "Limited data set" in line and "VOTER" in line)
    assert not_sold.count("not sold") == 2
    assert next(line for line in lines if line.startswith("WA") and "VOTER" in line).count("–") == 2


def test_no_line_is_wider_than_the_table_and_upper_ends_have_no_column_of_their_own(profiles, trust, cost):
    for frame in (profiles, trust, cost):
        assert max(map(len, text_table(frame).splitlines())) <= 100
    head = text_table(profiles[profiles["measure"] == "total-risk"]).splitlines()[0]
    assert "reason" not in head, "it is empty"
    assert "people_high" not in head


@pytest.mark.parametrize("width", [40, 60, 100])
def test_columns_that_do_not_fit_go_into_a_block_below_with_the_key(trust, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    blocks = text_table(trust[trust["g"] == 1].drop(columns=["measure", "g", "attacker"])).split("\n\n")
    assert all(block.splitlines()[-1].startswith("WY") for block in blocks)
    assert len({len(block.splitlines()) for block in blocks}) == 1


def test_cost_and_trust_have_words_for_heads(cost, trust):
    costs = cost_table(cost.assign(population="us-2020", attacker="voter"))
    for words in ("people matched", "$ per match", "Limited data set", "VOTER"):
        assert words in costs
    ratios = trust_table(trust)
    for words in ("people, Limited data set", "people, Safe Harbor", "trust differential", "total risk"):
        assert words in ratios
    figures = ["right_pairs", "wrong_pairs", "alone_first", "alone_second", "named"]
    pairs = pair_table(
        pd.DataFrame({"state": "OH", "figure": figures, "people": 9.0, "share_of_both": 0.25, "key": "sex+birth=year"})
    )
    for words in ("paired wrongly", "named from the second file alone", "of those in both files", "25%"):
        assert words in pairs
    assert "_" not in costs + ratios + pairs


def test_a_table_without_rows_or_with_unknown_columns_is_still_a_table():
    assert text_table(pd.DataFrame({"a": [], "people": []})).splitlines()[0] == "people"
    assert text_table(pd.DataFrame({"note": [None, None]})).splitlines()[0] == "note"
    assert text_table(pd.DataFrame({"note": []})) == "(no rows)"
    assert text_table(pd.DataFrame({"name": ["x"], "n": [3]})).splitlines() == ["name  n", "----  -", "x     3"]
    fits = pd.DataFrame({"note": ["x", "y"], "state": ["OH", "TX"], "share": [0.5, 0.25]})
    assert text_table(fits).splitlines()[0].split() == ["note", "state", "share"], "the order of its columns stays"


def test_neighbors_share_a_head():
    key = Column(("",), ("OH",), right=False)
    columns = [Column(("people", "a"), ("1,000",)), Column(("people", "b"), ("2,000",)), Column(("$", "c"), ("free",))]
    assert layout([key], columns).splitlines() == [
        "    people        $",
        "        a      b     c",
        "--  -----  -----  ----",
        "OH  1,000  2,000  free",
    ]


@pytest.mark.parametrize(
    ("columns", "width"), [("72", 72), ("250", 250), ("8", 40), ("wide", 100), ("0", 100), ("", 100)]
)
def test_a_table_is_as_wide_as_the_terminal_says_and_100_in_a_pipe(monkeypatch, columns, width):
    monkeypatch.setenv("COLUMNS", columns)
    assert table_width() == width


@pytest.mark.parametrize("columns", [80, 100])
def test_every_block_tells_the_rows_apart(profiles, monkeypatch, columns):
    """State, policy, attacker, measure and g stand in each block, though g is a number and the reason a text."""
    monkeypatch.setenv("COLUMNS", str(columns))
    rows = profiles[profiles["state"].isin(["OH", "TX"])].assign(mean=0.5, low_99=0.25)
    blocks = text_table(rows).split("\n\n")
    assert len(blocks) > 1
    for block in blocks:
        assert block.split()[:5] == ["state", "policy", "attacker", "measure", "g"]
    assert max(map(len, "\n".join(blocks).splitlines())) <= columns


def test_a_tiny_number_is_no_power_of_ten():
    """The powers of a float's own format, such as 2.2875e-20, are for no reader's eye."""
    text = text_table(pd.DataFrame({"state": ["OH", "TX", "WY"], "before": [2.2875e-20, -3.1e-7, 0.11262]}))
    assert [line.split()[-1] for line in text.splitlines()[2:]] == ["<0.000001", "−<0.000001", "0.11262"]


def test_control_characters_do_not_reach_the_terminal():
    text = text_table(pd.DataFrame({"policy": ["ours\x1b[2J\x07", "two\nlines"], "share": [0.5, 0.25]}))
    assert not [letter for letter in text if ord(letter) < 32 and letter != "\n"]
    assert len(text.splitlines()) == 4
    assert plain("caf\u00e9 \ud800") == "caf\u00e9 \ufffd"


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


def test_one_line_a_state_with_both_ends_or_the_reason_and_names_for_people():
    text = interval_table(rows(), 200)
    lines = [line.split() for line in text.splitlines()]
    by_state = {line[0]: line[1:] for line in lines if line and line[0] in ("OH", "TX")}
    assert by_state == {"OH": ["90–110", "5"], "TX": ["1,990–2,010", "not", "sold"]}
    assert "7,777" not in text, "other measures are left out"
    assert "Safe Harbor" in text
    assert "VOTER" in text
    later = [
        ("us-2022", state, "safe-harbor", who, "total-risk", 1.0, 2.0, "ok")
        for state in ("OH", "TX")
        for who in ("general", "voter")
    ]
    text = interval_table(rows(*later), 200)
    assert text.count("OH us-2020") == text.count("OH us-2022") == 1


# Curves for the eye.


def curve_table_rows(*, known: bool = True) -> pd.DataFrame:
    curves = []
    for policy, shares in (("safe-harbor", [0.0, 0.25, 0.5]), ("limited-dataset", [0.5, 0.75, 1.0])):
        for attacker in ("general", "voter"):
            listed = np.array(shares) if known or attacker == "general" else None
            facts = ("OH", policy, attacker, "us-2000", "2008", "", "unknown" if listed is None else "ok", "")
            curves.append(Curve(*facts, low=listed, high=listed, g=range(1, 4), records=1000))
    return with_trust(Curve.table(curves), trust_curve_frame(curves, "limited-dataset", "safe-harbor"))


def test_one_row_a_round_g_and_the_last_with_shares_and_ratios():
    lines = curve_table(curve_table_rows()).splitlines()
    assert [line.split()[0] for line in lines[3:6]] == ["1", "2", "3"]
    assert lines[3].split()[1:] == ["0%", "0%", "50%", "50%", "undefined", "undefined"]
    assert lines[4].split()[1:] == ["25%", "25%", "75%", "75%", "3", "3"]
    assert re.match("trust differential: .* Safe Harbor", lines[6])
    unknown = curve_table_rows(known=False)
    assert curve_table(unknown).splitlines()[4].split()[1:] == ["25%", "unknown", "75%", "unknown", "3"]
    assert "any" in curve_table(unknown[unknown["attacker"] == "voter"])


def test_the_denominator_has_no_ratio_and_no_row_is_lost():
    made = curve_table_rows()
    assert len(made) == 12
    below = made[made["policy"] == "safe-harbor"]
    assert below[["ratio", "ratio_status", "denominator_policy"]].isna().all().all()
    above = made[(made["policy"] == "limited-dataset") & (made["attacker"] == "voter")]
    assert list(above["ratio_status"]) == ["undefined", "ok", "ok"]
    assert above["ratio"].isna().tolist() == [True, False, False]


# Sentences on what a match is worth: each number is correct, and luck is distinguished from certainty.


def match_words_rows(attacker: str, claims: float | None, correct: float | None, in_file: float = 1.0) -> pd.DataFrame:
    precision = None if not claims else correct / claims
    figures = [
        ("total-risk", None, 421.0, 0.421),
        ("g-distinct", 1, correct, 0.059),
        ("claims", None, claims, None),
        ("correct-claims", None, correct, None),
        ("precision", None, None, precision),
    ]
    frame = pd.DataFrame(figures, columns=["measure", "g", "people", "share"])
    kinds = {"g": "Int64", "people": "Float64", "share": "Float64"}
    return frame.astype(kinds).assign(state="OH", policy="limited-dataset", attacker=attacker, in_file=in_file)


@pytest.mark.parametrize(
    ("attacker", "claims", "correct", "in_file", "words"),
    [
        (
            "general",
            59,
            59,
            1,
            r"421 \(42.1%\), .*; 59 of these matches are certain",
        ),
        (
            "general",
            1,
            1,
            1,
            r"421 \(42.1%\), .*; 1 of these matches is certain",
        ),
        ("voter", 80, 60, 1, "80 records match exactly one .* 75% .* correct"),
        ("voter", 0, 0, 1, "none of these matches is certain"),
        ("general", 59, 59, 0.01, r"421 of the 1,000 in the file \(42.1%\)"),
    ],
)
def test_what_an_attacker_is_certain_of_claims_and_finds_in_a_file(attacker, claims, correct, in_file, words):
    (line,) = match_sentences(match_words_rows(attacker, claims, correct, in_file))
    assert line.startswith(f"OH, Limited data set, {attacker.upper()}: would correctly name 421")
    assert re.search(words, line)


def test_where_the_list_is_not_known_both_ends_are_told():
    frame = match_words_rows("voter", 80, 60)
    high = {"total-risk": (500.0, 0.5), "claims": (100.0, None), "correct-claims": (70.0, None)}
    frame["people_high"] = [high.get(name, (None, None))[0] for name in frame["measure"]]
    frame["share_high"] = [high.get(name, (None, None))[1] for name in frame["measure"]]
    (line,) = match_sentences(frame)
    assert match_sentences(match_words_rows("voter", 0, 0).assign(people=pd.NA, share=pd.NA)) == [], "without a list"
    assert line.startswith("OH, Limited data set, VOTER: ")
    assert numbers(line) == ["421", "500", "42.1%", "50%", "60", "70"]
    frame.loc[frame["measure"].isin(["total-risk", "correct-claims"]), "people"] = 0.0
    (line,) = match_sentences(frame)
    assert "would correctly name at most 500 (50%)" in line
    assert numbers(line) == ["500", "50%", "70"]


# Prices with their dates and sources.


LONG = "A report with a title that is much longer than any column of a table could hold beside the figures"
ROWS = pd.DataFrame({"price_date": ["2026-07", "2025", None], "price_source": [LONG, "fees", None]})


def test_each_row_has_the_date_and_the_number_of_its_source_which_is_named_whole_and_once():
    dates, marks = source_columns(pd.concat([ROWS, ROWS.iloc[[0]]]))
    assert dates.cells == ("2026-07", "2025", "", "2026-07")
    assert marks.cells == ("[1]", "[2]", "", "[1]")
    assert source_lines(pd.concat([ROWS, ROWS])) == [f"[1] {LONG}", "[2] fees"]
