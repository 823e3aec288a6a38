from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from said import numbers

from policy_sim.show.curves import (
    curve_figure,
    draw_changes,
    listed_figure,
    listed_map,
    trend_figure,
    trend_table,
    trust_curve_figure,
)

MOST = 20_000


@pytest.fixture(scope="module")
def curves():
    g = np.arange(1, MOST + 1)
    parts = []
    for policy, attacker, middle, status in (
        ("safe-harbor", "general", 2e4, "ok"),
        ("safe-harbor", "voter", 2e6, "ok"),
        ("limited-dataset", "general", 5, "ok"),
        ("limited-dataset", "voter", 3500, "interval"),
    ):
        share = 1 - np.exp(-((g / middle) ** 1.2))
        high = np.minimum(1, 2 * share) if status == "interval" else share
        parts.append(pd.DataFrame({"policy": policy, "attacker": attacker, "g": g, "share": share, "share_high": high}))
        parts[-1]["status"] = status
    frame = pd.concat(parts, ignore_index=True).assign(state="OH")
    return frame.astype({"g": "Int64", "share": "Float64", "share_high": "Float64"})


@pytest.fixture(scope="module")
def ratios(curves):
    wide = curves.pivot_table(index="g", columns=["policy", "attacker"], values="share")
    parts = [
        pd.DataFrame({"g": wide.index, "ratio": wide["limited-dataset", a] / wide["safe-harbor", a]}).assign(attacker=a)
        for a in ("general", "voter")
    ]
    frame = pd.concat(parts, ignore_index=True)
    names = {"numerator_policy": "limited-dataset", "denominator_policy": "safe-harbor", "measure": "g-distinct"}
    return frame.assign(state="OH", status="ok", **names)


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


@pytest.mark.slow
def test_left_panel_is_g_1_to_5_and_right_panel_all_g_thinned(curves):
    """Thinning keeps both ends and every small g."""
    left, right = curve_figure(curves).axes
    assert left.get_xlim() == (1, 5)
    assert right.get_xlim() == (1, MOST)
    assert right.get_xscale() == "log"
    assert all(list(line.get_xdata()) == [1, 2, 3, 4, 5] for line in left.lines)
    assert {text.get_text() for text in left.texts} >= {"0.0048%", "63.2%"}, "lines too low to be told apart"
    g = right.lines[0].get_xdata()
    assert list(g[:100]) == list(range(1, 101))
    assert g[-1] == MOST
    assert len(g) < 600
    whole = curves[(curves["policy"] == "safe-harbor") & (curves["attacker"] == "general")]
    shares = whole["share"].to_numpy(dtype=float)[g.astype(int) - 1]
    np.testing.assert_array_equal(right.lines[0].get_ydata(), shares)


def test_up_to_g_5_there_is_one_panel_and_nothing_is_cut(curves, ratios, footer, assert_nothing_is_cut):
    few = curve_figure(curves[curves["g"].isna() | (curves["g"] <= 5)])
    assert len(few.axes) == 1
    for figure in (few, curve_figure(curves, footer), trust_curve_figure(ratios, footer)):
        assert_nothing_is_cut(figure)


def test_values_at_the_end_of_lines_stay_apart(curves, footer):
    low = curves.assign(share=curves["share"].where(curves["policy"] == "limited-dataset", curves["share"] * 1e-3))
    figure = curve_figure(low, footer)
    draw = FigureCanvasAgg(figure).get_renderer()
    boxes = [text.get_window_extent(draw) for text in figure.axes[0].texts]
    assert len(boxes) == 4
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))


def test_an_interval_is_a_band_and_the_legend_says_why(curves):
    figure = curve_figure(curves)
    assert [c.get_label() for c in figure.axes[1].collections] == ["interval"]
    assert legend(figure)[-1].startswith("band: ")


def test_a_profile_without_a_list_is_named_in_the_legend(curves):
    rest = curves[curves["attacker"] == "general"]
    without = rest.groupby("policy").head(1).assign(attacker="voter", g=pd.NA, share=pd.NA, status="not_sold")
    figure = curve_figure(pd.concat([rest, without.astype({"g": "Int64", "share": "Float64"})]))
    assert "Limited data set × VOTER: not sold" in legend(figure)


def test_trust_is_drawn_on_logarithmic_axes(ratios):
    figure = trust_curve_figure(ratios)
    axes = figure.axes[0]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert legend(figure) == ["GENERAL", "VOTER"]


@pytest.mark.parametrize(("ratio", "status"), [(np.nan, "undefined"), (0.0, "ok")])
@pytest.mark.parametrize("most", [1, 3])
def test_where_no_ratio_is_above_0_the_figure_still_stands(ratios, ratio, status, most, assert_nothing_is_cut):
    figure = trust_curve_figure(ratios[ratios["g"] <= most].assign(ratio=ratio, status=status))
    assert_nothing_is_cut(figure)
    (axes,) = figure.axes
    assert (axes.get_yscale(), axes.get_xscale(), axes.get_xlim()) == ("linear", "log", (1, max(2, most)))


def test_values_of_g_without_a_ratio_are_counted(ratios):
    rows = ratios.copy()
    rows.loc[rows["g"] <= 3, ["ratio", "status"]] = [np.nan, "undefined"]
    words = " ".join(text.get_text() for text in trust_curve_figure(rows).texts)
    assert "6 values of g are left out" in words


# Trends as bars and as a table.


PARTS = [
    *("risk_people", "risk_law", "risk_source"),
    *("profit_people_usd", "profit_law_usd", "profit_source_usd", "profit_price_usd"),
]
CHANGES = (
    pd.DataFrame(
        [
            ("OH", 0.01, -0.02, 0.0, 5.0, -10.0, 0.0, 1.0, "birth: date to year", None),
            ("TX", -0.001, 0.5, -0.3, 100.0, 2000.0, 7.0, 0.0, "gender: x to y", "race: included to withheld"),
            ("WI", *[None] * 9),
        ],
        columns=["state", *PARTS, "changed_law", "changed_source"],
    )
    .astype(dict.fromkeys(PARTS, "Float64"))
    .assign(before="then", after="now")
)
ROWS = pd.DataFrame(
    [("then", "OH", 0.2, 25.0, "ok", "2008", "fees", 100.0), ("now", "OH", 0.3, None, "unknown", None, None, None)],
    columns=["moment", "state", "share", "price_usd", "price_status", "price_date", "price_source", "profit_usd"],
)


def test_bars_are_stacked_the_largest_on_top_and_the_title_counts_the_states_that_law_moved():
    axes = draw_changes(CHANGES, ["risk_people", "risk_law"], Figure().subplots())
    assert [label.get_text() for label in axes.get_yticklabels()] == ["OH", "TX"]
    assert [bar.get_width() for bar in axes.patches] == [0.01, -0.001, -0.02, 0.5]
    assert any("changed the risk in 2 states" in text.get_text() for text in trend_figure(CHANGES).texts)


@pytest.mark.usefixtures("wide")
def test_the_table_has_a_word_where_there_is_no_price_and_names_what_changed_and_sources():
    text = trend_table(ROWS, CHANGES)
    for words in (
        "unknown",
        "+1 points",
        "−$10",
        "by law: OH, then to now: birth: date to year",
        "TX, then to now: race: included to withheld",
        "2008 [1]",
        "[1] fees",
    ):
        assert words in text, words


# Who is on the lists, by age and by place.


AGES = pd.DataFrame(
    {"age": [18, 19, 20, 101], "people": [10, 10, 0, 5], "listed": [2, 5, 0, 5], "records": [3, 12, 0, 9]}
)


def test_the_curve_draws_shares_of_the_people_of_each_age():
    figure = listed_figure(AGES, "Ohio", ["a note"])
    (axes,) = figure.axes
    lines = {line.get_label(): line.get_xydata().tolist() for line in axes.lines}
    assert lines == {
        "all records": [[18, 0.3], [19, 1.2]],
        "listed residents": [[18, 0.2], [19, 0.5]],
    }, "nobody is of age 20, and people over 100 are few"
    texts = [text.get_text() for text in figure.texts]
    assert texts[0].startswith("In Ohio, 20% to 50% ")
    assert "a note" in texts


@pytest.mark.parametrize(("column", "codes"), [("county", ["39001", "39003"]), ("state", ["OH", "WY"])])
def test_the_map_is_of_counties_or_of_states(column, codes):
    figure = listed_map(pd.DataFrame({column: codes, "coverage": [0.6, 0.9]}))
    title = figure.texts[0].get_text()
    assert numbers(title) == ["60%", "90%"]
    assert f"each {column}" in title
