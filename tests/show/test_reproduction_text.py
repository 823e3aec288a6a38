from __future__ import annotations

import re

import pandas as pd
import pytest

from policy_sim.show.reproduction_text import counted, deviation_figure, reproduction_page, reproduction_table, written
from policy_sim.study.reproduction import reproduce

ROWS = pd.DataFrame(
    [
        ("p", "a", "Table 1", "one", "37.58", "percent", 37.5805, 0.0000133, "agrees", "to the printed digits"),
        ("p", "b", "Table 1", "two", "2", "people", 1.0, -0.5, "the paper contradicts itself", "72 & 2 <cannot> hold"),
        ("p", "c", "Table 2", "three", "0.36", "share", None, None, "not computed", "Needs 50 lists."),
        ("p", "d", "Table 2", "four", "0.99", "share", None, None, "not computed", "Needs 50 lists."),
        ("p", "e", "Text", "five", "0", "usd", 0.0, None, "agrees", "to the printed digits"),
    ],
    columns=["paper", "id", "where", "what", "printed", "unit", "ours", "deviation", "verdict", "reason"],
).assign(tolerance=0.0, secondary=False, basis=["independent", None, None, None, "same figure"])


def test_ours_has_the_unit_of_the_printed_figure():
    assert written(0.0062222, "percent") == "0.0062222%"
    assert written(None, "percent") == ""
    assert written(2e-7) == "2e-07"
    assert reproduction_table(ROWS).count("37.58%") == 1
    assert "37.581%" in reproduction_table(ROWS)


def test_the_table_groups_by_place_and_gives_reasons():
    text = reproduction_table(ROWS)
    assert text.index("Table 1") < text.index("  one") < text.index("  two") < text.index("Table 2")
    assert "37.58%" in text
    assert "+0.00%" in text
    assert "-50.00%" in text
    assert "5 figures: 2 agrees, 1 the paper contradicts itself, 2 not computed" in text
    assert "of those that agree or are within tolerance: 1 independent, 1 same figure" in text
    assert "Table 2, 2 figures: Needs 50 lists." in text
    assert "to the printed digits" not in text


def test_the_deviations_leave_out_what_has_none():
    figure = deviation_figure(ROWS, "made")
    drawn = {dots.get_label(): len(dots.get_offsets()) for dots in figure.axes[0].collections}
    assert drawn == {"agrees (1)": 1, "the paper contradicts itself (1)": 1}
    assert counted(ROWS)["not computed"] == 2


def test_the_page_escapes_what_it_is_given_and_takes_nothing_from_elsewhere():
    page = reproduction_page(ROWS, "A & B", [("exact", 0.0, "why <so>")], {'A "drawing"': b"png"}, ["a & b"])
    assert "72 &amp; 2 &lt;cannot&gt; hold" in page
    assert "A &amp; B" in page
    assert "why &lt;so&gt;" in page
    assert 'src="data:image/png;base64,cG5n"' in page
    assert 'alt="A &quot;drawing&quot;"' in page
    assert "a &amp; b" in page
    assert not re.search(r'(src|href)="(?!data:)', page)
    assert page.count("<tr>") == 6
    assert "<td>same figure</td>" in page
    assert "Here: 1 independent, 1 same figure." in page


# A reproduction as one page: every figure, nothing from elsewhere, nothing unescaped.


@pytest.fixture(scope="module")
def rows():
    return reproduce("dankar-2010").to_frame()


def page(rows, **changes):
    given = {"title": "Paper <1>", "tolerances": [("fit", 0.05, "the model")], "figures": {}, "notes": ["a & b"]}
    return reproduction_page(rows, **{**given, **changes})


def test_every_figure_has_a_row_and_its_verdict(rows):
    text = page(rows)
    assert text.count("<tr>") == len(rows) + 1
    assert f"{len(rows)} printed figures" in text
    for verdict, number in rows["verdict"].value_counts().items():
        assert text.count(f'">{verdict}</td>') == number


def test_a_tolerance_is_a_percentage_or_none(rows):
    text = page(rows, tolerances=[("fit", 0.05, "x"), ("exact", 0.0, "y")])
    assert "5% of the figure: x" in text
    assert "none: y" in text


def test_what_ours_lacks_is_empty_and_never_a_number_that_is_none(rows):
    for word in ("nan", "NaN", "&lt;NA&gt;", "None"):
        assert word not in page(rows)


def test_a_page_of_no_figures_is_a_page(rows):
    text = page(rows.head(0))
    assert "0 printed figures" in text
