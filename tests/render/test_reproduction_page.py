"""A reproduction as one page: every figure, nothing from elsewhere, nothing unescaped."""

import re

import pytest

from policy_sim.render.reproduction_page import reproduction_page
from policy_sim.reproduction import reproduce


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


def test_texts_are_escaped_and_nothing_comes_from_elsewhere(rows):
    text = page(rows, figures={'A "drawing"': b"\x89PNG"})
    assert "Paper &lt;1&gt;" in text
    assert "a &amp; b" in text
    assert 'alt="A &quot;drawing&quot;"' in text
    assert not re.search(r'(src|href)="(?!data:)', text)


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
