"""Trends as bars and as a table."""

import pandas as pd
from matplotlib.figure import Figure

from policy_sim.render.trend_figure import draw_changes, trend_figure, trend_table

PARTS = ["risk_people", "risk_law", "profit_people_usd", "profit_law_usd", "profit_price_usd"]
CHANGES = pd.DataFrame(
    [
        ("then", "now", "OH", 0.01, -0.02, 5.0, -10.0, 1.0),
        ("then", "now", "TX", -0.001, 0.5, 100.0, 2000.0, 0.0),
        ("then", "now", "WI", None, None, None, None, None),
    ],
    columns=["before", "after", "state", *PARTS],
).astype(dict.fromkeys(PARTS, "Float64"))
ROWS = pd.DataFrame(
    [
        ("then", "OH", 0.2, 25.0, "ok", "2008", 100.0),
        ("now", "OH", 0.3, None, "unknown", None, None),
    ],
    columns=["moment", "state", "share", "price_usd", "price_status", "price_date", "profit_usd"],
)


def test_bars_are_stacked_the_largest_on_top():
    axes = draw_changes(CHANGES, ["risk_people", "risk_law"], Figure().subplots())
    assert [label.get_text() for label in axes.get_yticklabels()] == ["OH", "TX"]
    widths = [bar.get_width() for bar in axes.patches]
    assert widths == [0.01, -0.001, -0.02, 0.5]


def test_the_title_counts_the_states_that_law_moved():
    texts = [text.get_text() for text in trend_figure(CHANGES).texts]
    assert any("changed the risk in 2 states" in text for text in texts)


def test_the_table_has_a_word_where_there_is_no_price():
    text = trend_table(ROWS, CHANGES, 200)
    assert "unknown" in text
    assert "+1 points" in text
    assert "−$10" in text
