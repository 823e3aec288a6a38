from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from colors import contrast, lightness
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_rgb

from policy_sim.show import theme
from policy_sim.show.maps.fills import (
    LEGEND_HEIGHT,
    MISSING,
    Classes,
    Fill,
    class_counts,
    draw_legend,
    fills_of,
    given_classes,
    log_classes,
    quantile_classes,
    status_counts,
)
from policy_sim.show.numbers import percent
from policy_sim.show.panels import new_page
from policy_sim.show.theme import COST, FREE, RISK, STATUSES, TRUST
from policy_sim.words.errors import InputError

CLASSES = Classes((0.0, 0.1, 0.5, 1.0), ("#ffffcc", "#fd8d3c", "#800026"))
ROWS = {
    "OH": (0.05, 0.05, "ok"),
    "TX": (0.1, None, "ok"),
    "WA": (0.2, 0.3, "interval"),
    "OR": (0.05, 0.3, "interval"),
    "MN": (0.6, 0.6, "at_least"),
    "NC": (0.0, 0.0, "free"),
    "CA": (None, None, "not_sold"),
    "NV": (None, None, "some new word"),
}
VALUES = pd.DataFrame([(code, *row) for code, row in ROWS.items()], columns=["state", "value", "value_high", "status"])
FILLS = fills_of(VALUES, CLASSES, percent, restricted=("OH", "CA"))


@pytest.mark.parametrize(
    ("code", "kind", "face", "text"),
    [
        ("OH", "value", "#ffffcc", "5%*"),
        ("TX", "value", "#fd8d3c", "10%"),  # on a limit: the class above
        ("WA", "interval", "#fd8d3c", "20–30%"),
        ("OR", "range", theme.STATUSES["range"].face, "5–30%"),
        ("MN", "at_least", "#800026", "≥ 60%"),
        ("NC", "free", theme.FREE, "free"),
        ("CA", "not_sold", theme.STATUSES["not_sold"].face, "not sold"),
        ("NV", "unknown", theme.STATUSES["unknown"].face, "some new word"),
    ],
)
def test_each_area_by_its_value_or_by_why_it_has_none(code, kind, face, text):
    assert (FILLS[code].kind, FILLS[code].face, FILLS[code].text) == (kind, face, text)


def test_no_area_without_a_figure_has_the_color_of_one_or_the_mark_of_a_list_for_some():
    assert not {fill.face for fill in FILLS.values() if not fill.has_figure} & {*CLASSES.colors, theme.FREE}
    assert not MISSING.has_figure
    assert "restricted" in FILLS["OH"].marks
    assert not FILLS["CA"].restricted


def test_every_area_is_counted_in_one_class_or_by_one_entry():
    statuses = status_counts(FILLS)
    overlaid = {"interval", "at_least", "restricted"} & set(statuses)
    assert len(overlaid) == 3  # these also lie in a class, or over a figure
    assert class_counts(FILLS, CLASSES) == [1, 2, 1]
    assert sum(class_counts(FILLS, CLASSES)) + sum(statuses.values()) == len(FILLS) + len(overlaid)


def legend(counts, kinds=("unknown", "not_sold", "not_sold")):
    """A legend of so many areas in each class, and of one area without a figure for each kind."""
    faces = [color for color, count in zip(CLASSES.colors, counts, strict=True) for _ in range(count)]
    fills = [Fill("value", face, "") for face in faces] + [Fill(kind, STATUSES[kind].face, "") for kind in kinds]
    with new_page(11, 7, "a title", footer=("a note",)) as page:
        draw_legend(page, "share of people", CLASSES, percent, dict(enumerate(fills)), "states")
    (axes,) = [axes for axes in page.figure.axes if axes.get_label() == "legend"]
    return page, axes, [text.get_text() for text in axes.texts]


def test_every_class_has_its_count_and_every_limit_its_number():
    _, axes, texts = legend([7, 30, 14])
    assert texts[:4] == ["share of people", "7", "30", "14"]
    assert texts[4:8] == ["0%", "10%", "50%", "100%"]
    assert texts[-2:] == ["list not sold (2)", "unknown (1)"]
    assert len(axes.patches) == 3 + 2
    _, axes, texts = legend([0, 0, 0])  # without any figure there is no strip
    assert texts == ["list not sold (2)", "unknown (1)"]
    assert len(axes.patches) == 2


@pytest.mark.parametrize("number", [1, 6, 9])
def test_swatches_do_not_overlap_and_stay_on_the_page(number):
    page, axes, _ = legend([1, 1, 1], list(STATUSES)[-number:])
    boxes = [patch.get_bbox() for patch in axes.patches[3:]]
    assert len(boxes) == number
    for i, box in enumerate(boxes):
        assert 0 <= box.x0 < box.x1 <= page.width
        assert 0 <= box.y0 < box.y1 <= LEGEND_HEIGHT
        assert not any(box.x0 < o.x1 and o.x0 < box.x1 and box.y0 < o.y1 and o.y0 < box.y1 for o in boxes[:i])


NEARLY = 1 + 1e-8  # limits have two digits: a value nine digits from one is written as it
MAP_CLASSES_VALUES = st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=60)


@given(MAP_CLASSES_VALUES)
def test_classes_cover_every_value_and_logarithmic_ones_are_six_at_most(values):
    for classes in (quantile_classes(values, RISK), log_classes(values, TRUST)):
        assert classes.limits[0] <= min(values) * NEARLY
        assert classes.limits[-1] * NEARLY >= max(values)
    assert len(log_classes(values, TRUST).colors) <= 6


def test_quantile_classes_hold_about_as_many_each_of_skewed_values():
    values = np.exp(np.linspace(-12, 0, 50))
    counts = np.bincount(quantile_classes(values, RISK).index(values), minlength=5)
    assert counts.min() >= 8
    assert counts.max() <= 12


def test_classes_by_hand():
    on_limits = given_classes([0, 1, 10, 100], RISK).index([0, 1, 9.99, 10, 100])
    assert on_limits.tolist() == [0, 1, 1, 2, 2], "a value on a limit belongs to the class above, the last to the last"
    assert len(quantile_classes([0.5, 0.5, 0.5], RISK).colors) == 1
    assert log_classes([3, 40, 20_000], TRUST).limits == (1, 10, 100, 1_000, 10_000, 100_000)
    assert len(quantile_classes([], RISK).colors) == len(log_classes([np.nan], RISK).colors) == 1
    with pytest.raises(InputError, match="must ascend"):
        Classes((0, 2, 1), ("#000000", "#ffffff"))


@pytest.mark.parametrize("palette", [RISK, TRUST, COST])
def test_palettes_can_be_read_without_color_and_no_status_looks_like_a_class(palette):
    """CIE lightness runs one way, in steps of more than twice the 2.3 that is just noticeable.

    Darker and redder is more, and of prices less: what costs little is the danger; green means nothing. A face without
    a figure is gray or pale blue: red is never its largest part; in a class it is.
    """
    colors = given_classes(range(7), palette).colors
    steps = np.diff([lightness(color) for color in colors]) * (-1 if palette == COST else 1)
    assert (steps < -4.6).all()
    for color in colors:
        red, green, blue = to_rgb(color)
        assert red > blue
        assert palette == COST or red == max(red, green, blue)
        assert np.ptp((red, green, blue)) > 0.04
    assert all(to_rgb(style.face)[2] >= to_rgb(style.face)[0] for style in STATUSES.values() if style.face)


def test_a_free_list_stands_out_by_lightness_alone():
    """WCAG 2.2, 1.4.11: parts of a graphic that readers must distinguish contrast by 3 to 1."""
    for count in (2, 3, 4, 5, 6, 7):
        for color in given_classes(range(count), COST).colors:
            assert contrast(FREE, color) >= 3, color


@pytest.mark.parametrize(
    ("low", "high", "most"), [(0.0000083, 0.000012, 2), (0.0205, 0.021, 1), (0.3, 0.305, 1), (0.3, 0.5, 5)]
)
def test_shares_that_hardly_differ_make_no_five_classes(low, high, most):
    """Ohio's counties differ from 0.00083 to 0.0012% under Safe Harbor: nothing that five colors should show."""
    assert len(quantile_classes(np.linspace(low, high, 88), RISK).colors) == most


def test_what_is_written_alike_is_one_class_from_0_on():
    shares = quantile_classes([1e-9, 2e-8, 3e-6, 0.001, 0.02, 0.3, 0.5], RISK, least=1e-5)
    assert shares.limits[0] == 0
    assert shares.limits[1] >= 1e-5
    prices = log_classes([1e-6, 5e-5, 0.02, 3, 800], COST, least=0.001)
    assert prices.limits[:2] == (0, 0.01) or prices.limits[:2] == (0, 0.001)
    assert len(prices.colors) <= 6


def test_few_values_make_no_empty_classes_and_an_interval_is_in_no_class_where_nothing_is_known():
    counts = np.bincount(quantile_classes([0.001, 0.193, 0.199], RISK).index([0.001, 0.193, 0.199]))
    assert counts.min() >= 1
    nothing = quantile_classes([], RISK)
    assert not nothing.one_class(0.0, 0.9)
    assert given_classes([0, 0.5, 1], RISK).one_class(0.5, 0.9)
