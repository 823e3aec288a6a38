from __future__ import annotations

import pytest

from policy_sim.show.change_figure import change_figure
from policy_sim.show.distribution import distribution_figure, place_figure
from policy_sim.show.maps.figure import total_risk_map
from policy_sim.show.panels import MARGIN, new_page, rank_figure


def texts(page):
    page.figure.canvas.draw()
    return {text.get_text(): text.get_window_extent() for text in page.figure.texts if text.get_text()}


def test_axes_stand_where_their_inches_say():
    with new_page(10, 5, "a title", foot_inside=True) as page:
        axes = page.axes(5, 1, 7.5, 2)
        assert axes.get_position().bounds == pytest.approx((0.5, 0.2, 0.25, 0.2))
        box = page.inside(1, 0, 2, 0).get_position()
    assert (box.x0 * 10, box.x1 * 10) == pytest.approx((MARGIN + 1, 10 - MARGIN - 2))
    assert (box.y0 * 5, box.y1 * 5) == pytest.approx((page.bottom, page.top))


@pytest.mark.parametrize("width", [6, 11])
def test_head_and_foot_stay_on_the_page_and_out_of_the_space_between(width):
    footer = ("a short note", "a note that goes on and on, " * 12)
    subtitle = "and what it is about " * 9
    with new_page(width, 6, "A long title of many words " * 4, subtitle, footer, foot_inside=True) as page:
        dpi = page.figure.dpi
        assert 0 < page.bottom < page.top < 6
        for text, box in texts(page).items():
            assert box.x0 >= MARGIN * dpi - 2, text
            assert box.x1 <= width * dpi, text
            assert box.y1 <= page.bottom * dpi + 2 or box.y0 >= page.top * dpi - 2, text
            assert 0 <= box.y0 < box.y1 <= 6 * dpi, text


def test_more_notes_make_a_higher_page_and_all_their_words_are_there():
    heights = []
    for notes in ((), ("one",), ("one", "two")):
        with new_page(8, 6, "title", footer=notes) as page:
            heights.append(page.height - page.bottom)
            assert page.figure.get_size_inches().tolist() == pytest.approx([8, page.height])
    assert heights == pytest.approx([6, 6, 6])
    with new_page(6, 6, "title", footer=("all of these words are written somewhere " * 5,)) as page:
        words = " ".join(text for text in texts(page) if text != "title").split()
    assert words == ("all of these words are written somewhere " * 5).split()


FIGURES = {
    "change": lambda rows, foot: change_figure(rows, "limited-dataset", "general", "total-risk", footer=foot),
    "distribution": distribution_figure,
    "place": lambda rows, foot: place_figure(rows, "OH", foot),
    "ranks": rank_figure,
    "map": lambda rows, foot: total_risk_map(rows, "limited-dataset", "voter", foot),
}


@pytest.mark.slow
@pytest.mark.parametrize("draw", FIGURES.values(), ids=FIGURES)
def test_a_long_foot_leaves_a_drawing_its_height_and_nothing_is_cut(draw, profiles, footer, assert_nothing_is_cut):
    few, many = (draw(profiles, footer * number) for number in (1, 8))
    heights = [figure.axes[0].get_position().height * figure.get_figheight() for figure in (few, many)]
    assert heights[0] == pytest.approx(heights[1])
    assert_nothing_is_cut(few)
    assert set(footer[:2]) <= {text.get_text() for text in few.texts}
