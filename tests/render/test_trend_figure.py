"""Trends as bars and as a table."""

import pandas as pd
import pytest
from matplotlib.figure import Figure

from policy_sim.render.trend_figure import draw_changes, trend_figure, trend_table

PARTS = [
    *("risk_people", "risk_law", "risk_source"),
    *("profit_people_usd", "profit_law_usd", "profit_source_usd", "profit_price_usd"),
]
CHANGES = pd.DataFrame(
    [
        ("then", "now", "OH", 0.01, -0.02, 0.0, 5.0, -10.0, 0.0, 1.0, "birth: date to year", None),
        (
            "then",
            "now",
            "TX",
            -0.001,
            0.5,
            -0.3,
            100.0,
            2000.0,
            7.0,
            0.0,
            "gender: x to y",
            "race: included to withheld",
        ),
        ("then", "now", "WI", *[None] * 9),
    ],
    columns=["before", "after", "state", *PARTS, "changed_law", "changed_source"],
).astype(dict.fromkeys(PARTS, "Float64"))
ROWS = pd.DataFrame(
    [
        ("then", "OH", 0.2, 25.0, "ok", "2008", "fees", 100.0),
        ("now", "OH", 0.3, None, "unknown", None, None, None),
    ],
    columns=["moment", "state", "share", "price_usd", "price_status", "price_date", "price_source", "profit_usd"],
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


def test_the_table_names_what_changed_and_the_sources_of_prices():
    text = trend_table(ROWS, CHANGES, 200)
    assert "Changed by law: OH, then to now: birth: date to year" in text
    assert "Told otherwise by a later source: TX, then to now: race: included to withheld" in text
    assert "2008 [1]" in text
    assert "[1] fees" in text


def test_a_long_foot_leaves_the_drawing_its_height():
    few, many = (trend_figure(CHANGES, ["a note"] * number) for number in (1, 30))
    heights = [figure.axes[0].get_position().height * figure.get_size_inches()[1] for figure in (few, many)]
    assert heights[0] == pytest.approx(heights[1])
    assert heights[0] > 1.5  # inches
