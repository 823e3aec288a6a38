from __future__ import annotations

import pandas as pd

from policy_sim.results.shown import Results, Rows


def frame(rows):
    return pd.DataFrame({"state": [f"S{i}" for i in range(rows)], "note": ["<b>"] * rows, "none": [None] * rows})


def test_text_shows_the_first_rows_and_says_that_there_are_more():
    text = repr(Rows(frame(1_234), "Risks"))
    assert text.startswith("Risks: 1,234 rows (.to_frame() has every row)")
    assert "S5" in text
    assert "S6" not in text
    assert repr(Rows(frame(1))).splitlines()[0] == "Rows: 1 row"


def test_a_column_without_any_value_is_not_shown():
    assert "none" not in repr(Rows(frame(3)))
    assert "none" in Rows(frame(3)).to_frame()


def test_a_notebook_gets_no_markup_from_the_data():
    html = Rows(frame(21), "a < b")._repr_html_()
    assert "a &lt; b" in html
    assert "&lt;b&gt;" in html
    assert "The first 20 are shown" in html
    assert "S20" not in html


def test_a_slice_is_the_same_kind_and_an_item_is_not():
    class Numbers(Results[int]):
        __slots__ = ()

        def to_frame(self):
            return pd.DataFrame({"number": list(self)})

    some = Numbers([3, 1, 2])
    assert type(some[1:]) is Numbers
    assert some[1:] == (1, 2)
    assert some[0] == 3
    assert repr(some[:1]).startswith("Numbers: 1 row")
