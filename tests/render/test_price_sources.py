"""Prices with their dates and sources."""

import pandas as pd

from policy_sim.render.price_sources import source_columns, source_lines

LONG = "A report with a title that is much longer than any column of a table could hold beside the figures"
ROWS = pd.DataFrame({"price_date": ["2026-07", "2025", None], "price_source": [LONG, "fees", None]})


def test_each_row_has_the_date_and_the_number_of_its_source():
    dates, marks = source_columns(pd.concat([ROWS, ROWS.iloc[[0]]]))
    assert dates.cells == ("2026-07", "2025", "", "2026-07")
    assert marks.cells == ("[1]", "[2]", "", "[1]")


def test_a_source_is_named_whole_and_once():
    assert source_lines(pd.concat([ROWS, ROWS])) == [f"[1] {LONG}", "[2] fees"]
