from __future__ import annotations

import io

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from policy_sim.render.halo import HaloText


def drawn(halo):
    """The pixels of a black word on a black page, and the figure."""
    figure = Figure(figsize=(2, 1), dpi=100, facecolor="black")
    figure.add_artist(HaloText(0.2, 0.4, "OH", halo=halo, color="black", size=30, figure=figure))
    return pixels(figure), figure


def pixels(figure):
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()


def test_a_word_of_the_pages_own_color_is_seen_by_its_halo():
    assert drawn("black")[0].max() == 0
    page, _ = drawn("white")
    assert page.max() == 255
    assert (page == 0).mean() > 0.5  # an outline, not a box


def test_drawing_twice_gives_the_same_picture():
    once, figure = drawn("white")
    np.testing.assert_array_equal(pixels(figure), once)


def test_the_word_stays_text_in_an_svg():
    from policy_sim.render.theme import styled

    with styled():
        _, figure = drawn("white")
        out = io.StringIO()
        figure.savefig(out, format="svg")
    assert ">OH</text>" in out.getvalue()
