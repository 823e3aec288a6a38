"""A reproduction as text, as a drawing and as one page: every figure, nothing from elsewhere, nothing unescaped."""

from __future__ import annotations

import re

import pandas as pd

from policy_sim.show.reproduction_text import counted, deviation_figure, reproduction_page, reproduction_table, written

ROWS = pd.DataFrame(
    [
        ("p", "a", "Table 1", "one", "37.58", "percent", 37.5805, 0.0000133, "agrees", "to the printed digits"),
        ("p", "b", "Table 1", "two", "2", "people", 1.0, -0.5, "the paper contradicts itself", "72 & 2 <cannot> hold"),
        ("p", "c", "Table 2", "three", "0.36", "share", None, None, "not computed", "Needs 50 lists."),
        ("p", "d", "Table 2", "four", "0.99", "share", None, None, "not computed", "Needs 50 lists."),
        ("p", "e", "Text", "five", "0", "usd", 0.0, None, "agrees", "to the printed digits"),
    ],
    columns=["paper", "id", "where", "what", "printed", "unit", "ours", "deviation", "verdict", "reason"],
)
ROWS = ROWS.assign(tolerance=0.0, secondary=False, basis=["independent", None, None, None, "same figure"])
ROWS = ROWS.astype({"ours": "Float64", "deviation": "Float64", "basis": "string"})  # as a reproduction gives them


def test_the_table_groups_by_place_and_gives_reasons_and_ours_has_the_unit_of_the_printed_figure():
    text = reproduction_table(ROWS)
    assert text.index("Table 1") < text.index("  one") < text.index("  two") < text.index("Table 2")
    assert text.count("37.58%") == 1
    for words in (
        "37.581%",
        "+0.00%",
        "-50.00%",
        "5 figures: 2 agrees, 1 the paper contradicts itself, 2 not computed",
        "of those that agree or are within tolerance: 1 independent, 1 same figure",
        "Table 2, 2 figures: Needs 50 lists.",
    ):
        assert words in text
    assert "to the printed digits" not in text
    assert [written(0.0062222, "percent"), written(None, "percent"), written(2e-7)] == ["0.0062222%", "", "2e-07"]


def test_the_deviations_leave_out_what_has_none():
    figure = deviation_figure(ROWS, "made")
    drawn = {dots.get_label(): len(dots.get_offsets()) for dots in figure.axes[0].collections}
    assert drawn == {"agrees (1)": 1, "the paper contradicts itself (1)": 1}
    assert counted(ROWS)["not computed"] == 2


def page(rows):
    tolerances = [("fit", 0.05, "why <so>"), ("exact", 0.0, "y")]
    return reproduction_page(rows, "A & B", tolerances, {'A "drawing"': b"png"}, ["a & b"])


def test_the_page_has_every_figure_escapes_what_it_is_given_and_takes_nothing_from_elsewhere():
    text = page(ROWS)
    for words in (
        "72 &amp; 2 &lt;cannot&gt; hold",
        "A &amp; B",
        "5% of the figure: why &lt;so&gt;",
        "none: y",
        'src="data:image/png;base64,cG5n"',
        'alt="A &quot;drawing&quot;"',
        "a &amp; b",
        "<td>same figure</td>",
        "Here: 1 independent, 1 same figure.",
        "5 printed figures",
    ):
        assert words in text
    assert not re.search(r'(src|href)="(?!data:)', text)
    assert text.count("<tr>") == len(ROWS) + 1
    for verdict, number in ROWS["verdict"].value_counts().items():
        assert text.count(f'">{verdict}</td>') == number
    assert "0 printed figures" in page(ROWS.head(0))


def test_what_ours_lacks_is_empty_and_never_a_number_that_is_none():
    for word in ("nan", "NaN", "&lt;NA&gt;", "None"):
        assert word not in page(ROWS)
