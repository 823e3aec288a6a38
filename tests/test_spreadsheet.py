"""A text that a spreadsheet would run is marked, and comes back as it was."""

import csv
import io
from itertools import product

import pandas as pd
import pytest

from policy_sim.spreadsheet import original_text, safe_text, with_safe_texts

RUNS = ("=1+1", "+cmd", "-cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", "\r=1", "=", "--1", "-1-1", "+1;2", "-é")
PLAIN = ("", "Ohio", "-5", "+5", "-.5", "-1.5e-3", "+1%", "-", "2008-09-01", "a=b", "'quoted'", "¹", " =1", "—")


@pytest.mark.parametrize("text", RUNS)
def test_a_formula_is_marked(text):
    assert safe_text(text) == "'" + text
    assert original_text("'" + text) == text


@pytest.mark.parametrize("text", PLAIN)
def test_the_rest_stays(text):
    assert safe_text(text) == text
    assert original_text(text) == text


def test_every_short_text_comes_back():
    for letters in product("'=-1 ", repeat=4):
        text = "".join(letters)
        assert original_text(safe_text(text)) == text


def test_a_table_keeps_its_numbers_and_what_is_missing():
    frame = pd.DataFrame(
        {
            "=name": ["=1", None, "x"],
            "n": [-1, 2, 3],
            "share": pd.array([-0.5, None, 1], dtype="Float64"),
            "text": pd.array(["+a", None, "-2"], dtype="string"),
            "kind": pd.Categorical(["@a", "b", None]),
        }
    )
    before = frame.copy()
    rows = list(csv.reader(io.StringIO(with_safe_texts(frame).to_csv(index=False))))
    assert rows == [
        ["'=name", "n", "share", "text", "kind"],
        ["'=1", "-1", "-0.5", "'+a", "'@a"],
        ["", "2", "", "", "b"],
        ["x", "3", "1.0", "-2", ""],
    ]
    pd.testing.assert_frame_equal(frame, before)


def test_two_columns_of_one_name_are_both_made_safe():
    frame = pd.DataFrame([["=1", "=2"]], columns=["a", "a"])
    assert with_safe_texts(frame).to_csv(index=False) == "a,a\n'=1,'=2\n"
