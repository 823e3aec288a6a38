from __future__ import annotations

import pytest

from policy_sim.show.panels import MARGIN, foot_height, new_page


def texts(page):
    page.figure.canvas.draw()
    return {text.get_text(): text.get_window_extent() for text in page.figure.texts if text.get_text()}


def test_a_box_in_inches_covers_its_share_of_the_page():
    page = new_page(10, 5, "a title")
    assert page.box(0, 0, 10, 5) == (0, 0, 1, 1)
    assert page.box(5, 1, 7.5, 2) == pytest.approx((0.5, 0.2, 0.25, 0.2))


@pytest.mark.parametrize("width", [6, 11])
def test_head_and_foot_stay_on_the_page_and_out_of_the_space_between(width):
    footer = ("a short note", "a note that goes on and on, " * 12)
    page = new_page(width, 6, "A long title of many words " * 4, "and what it is about " * 9, footer)
    dpi = page.figure.dpi
    assert 0 < page.bottom < page.top < 6
    for text, box in texts(page).items():
        assert box.x0 >= MARGIN * dpi - 2, text
        assert box.x1 <= width * dpi, text
        assert box.y1 <= page.bottom * dpi + 2 or box.y0 >= page.top * dpi - 2, text
        assert 0 <= box.y0 < box.y1 <= 6 * dpi, text


def test_more_notes_make_a_higher_foot_and_all_their_words_are_there():
    assert foot_height(8, ()) <= foot_height(8, ("one",)) < foot_height(8, ("one", "two"))
    page = new_page(6, 6, "title", footer=("all of these words are written somewhere " * 5,))
    words = " ".join(text for text in texts(page) if text != "title").split()
    assert words == ("all of these words are written somewhere " * 5).split()
