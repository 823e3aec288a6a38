from __future__ import annotations

import pandas as pd
import pytest

from policy_sim.render import theme
from policy_sim.render.maps.fills import MISSING, class_counts, fills_of, legend_entries
from policy_sim.render.maps.map_classes import Classes
from policy_sim.render.numbers import percent

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


def test_no_area_without_a_figure_has_the_color_of_one():
    assert not {fill.face for fill in FILLS.values() if not fill.has_figure} & {*CLASSES.colors, theme.FREE}
    assert not MISSING.has_figure


def test_a_list_for_some_is_marked_only_where_there_is_a_figure():
    assert "restricted" in FILLS["OH"].marks
    assert not FILLS["CA"].restricted


def test_every_area_is_counted_in_one_class_or_by_one_entry():
    entries = {entry.label: entry.count for entry in legend_entries(FILLS)}
    overlaid = sum(theme.STATUSES[kind].label in entries for kind in ("interval", "at_least", "restricted"))
    assert overlaid == 3  # these also lie in a class, or over a figure
    assert class_counts(FILLS, CLASSES) == [1, 2, 1]
    assert sum(class_counts(FILLS, CLASSES)) + sum(entries.values()) == len(FILLS) + overlaid
