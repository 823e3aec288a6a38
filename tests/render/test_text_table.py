import pandas as pd
import pytest

from policy_sim.render.plain import plain
from policy_sim.render.text_table import Column, layout, table_width, text_table


def test_cells_are_aligned_and_missing_figures_are_words(profiles):
    rows = profiles[profiles["state"].isin(["WA", "CA"]) & (profiles["measure"] == "total-risk")]
    lines = text_table(rows).splitlines()
    assert lines[0].split() == [
        "state",
        "policy",
        "attacker",
        "measure",
        "people",
        "share",
        "population",
        "linkage_key",
    ]
    not_sold = next(line for line in lines if line.startswith("CA") and "limited-dataset" in line and "voter" in line)
    assert not_sold.count("not sold") == 2
    assert next(line for line in lines if line.startswith("WA") and "voter" in line).count("–") == 2


def test_no_line_is_wider_than_the_table(profiles, trust, cost, footer):
    for frame in (profiles, trust, cost):
        assert max(map(len, text_table(frame, footer=footer).splitlines())) <= 100


@pytest.mark.parametrize("width", [40, 60, 100])
def test_columns_that_do_not_fit_go_into_a_block_below_with_the_key(trust, width):
    blocks = text_table(trust[trust["g"] == 1].drop(columns=["measure", "g", "attacker"]), width=width).split("\n\n")
    assert all(block.splitlines()[-1].startswith("WY") for block in blocks)
    assert len({len(block.splitlines()) for block in blocks}) == 1


def test_empty_columns_and_the_upper_ends_have_no_column_of_their_own(profiles):
    head = text_table(profiles[profiles["measure"] == "total-risk"]).splitlines()[0]
    assert "reason" not in head
    assert "people_high" not in head


def test_a_table_without_rows_or_with_unknown_columns_is_still_a_table():
    assert text_table(pd.DataFrame({"a": [], "people": []})).splitlines()[0] == "people"
    assert text_table(pd.DataFrame({"name": ["x"], "n": [3]})).splitlines() == ["name  n", "----  -", "x     3"]


def test_neighbors_share_a_head():
    key = Column(("",), ("OH",), right=False)
    columns = [Column(("people", "a"), ("1,000",)), Column(("people", "b"), ("2,000",)), Column(("$", "c"), ("free",))]
    assert layout([key], columns).splitlines() == [
        "    people        $",
        "        a      b     c",
        "--  -----  -----  ----",
        "OH  1,000  2,000  free",
    ]


def test_long_lines_below_are_broken():
    text = text_table(pd.DataFrame({"n": [1]}), width=40, footer=["word " * 30])
    assert all(len(line) <= 40 for line in text.splitlines())


def test_rows_that_are_empty_throughout_are_still_rows():
    assert text_table(pd.DataFrame({"note": [None, None]})).splitlines()[0] == "note"
    assert text_table(pd.DataFrame({"note": []})) == "(no rows)"


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


def test_a_table_that_fits_keeps_the_order_of_its_columns():
    rows = pd.DataFrame({"note": ["x", "y"], "state": ["OH", "TX"], "share": [0.5, 0.25]})
    assert text_table(rows).splitlines()[0].split() == ["note", "state", "share"]


def test_a_tiny_number_is_no_power_of_ten():
    """The powers of a float's own format, such as 2.2875e-20, are for no reader's eye."""
    text = text_table(pd.DataFrame({"state": ["OH", "TX", "WY"], "before": [2.2875e-20, -3.1e-7, 0.11262]}))
    assert [line.split()[-1] for line in text.splitlines()[2:]] == ["<0.000001", "−<0.000001", "0.11262"]


def test_control_characters_do_not_reach_the_terminal():
    text = text_table(pd.DataFrame({"policy": ["ours\x1b[2J\x07", "two\nlines"], "share": [0.5, 0.25]}))
    assert not [letter for letter in text if ord(letter) < 32 and letter != "\n"]
    assert len(text.splitlines()) == 4
    assert plain("caf\u00e9 \ud800") == "caf\u00e9 \ufffd"
