from __future__ import annotations

import pytest

from policy_sim.render.maps.legend import LEGEND_HEIGHT, LegendEntry, draw_legend
from policy_sim.render.maps.map_classes import Classes
from policy_sim.render.numbers import percent
from policy_sim.render.page import new_page

CLASSES = Classes((0.0, 0.1, 0.5, 1.0), ("#ffffcc", "#fd8d3c", "#800026"))


def legend(counts, number=2):
    page = new_page(11, 7, "a title", footer=("a note",))
    entries = [LegendEntry(f"entry {i}", "#eeeeee", "//", i + 1) for i in range(number)]
    draw_legend(page, "share of people", CLASSES, percent, entries, counts)
    (axes,) = [axes for axes in page.figure.axes if axes.get_label() == "legend"]
    return page, axes, [text.get_text() for text in axes.texts]


def test_every_class_has_its_count_and_every_limit_its_number():
    _, axes, texts = legend([7, 30, 14])
    assert texts[:4] == ["share of people", "7", "30", "14"]
    assert texts[4:8] == ["0%", "10%", "50%", "100%"]
    assert texts[-2:] == ["entry 0 (1)", "entry 1 (2)"]
    assert len(axes.patches) == 3 + 2


def test_without_any_figure_there_is_no_strip():
    _, axes, texts = legend([0, 0, 0])
    assert texts == ["entry 0 (1)", "entry 1 (2)"]
    assert len(axes.patches) == 2


@pytest.mark.parametrize("number", [1, 6, 9])
def test_swatches_do_not_overlap_and_stay_on_the_page(number):
    page, axes, _ = legend([1, 1, 1], number)
    boxes = [patch.get_bbox() for patch in axes.patches[3:]]
    assert len(boxes) == number
    for i, box in enumerate(boxes):
        assert 0 <= box.x0 < box.x1 <= page.width
        assert 0 <= box.y0 < box.y1 <= LEGEND_HEIGHT
        assert not any(box.x0 < o.x1 and o.x0 < box.x1 and box.y0 < o.y1 and o.y0 < box.y1 for o in boxes[:i])
