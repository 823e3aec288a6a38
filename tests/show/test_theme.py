from __future__ import annotations

import io
import xml.etree.ElementTree as ET

import matplotlib as mpl
import numpy as np
import pytest
from colors import contrast
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from policy_sim.show import theme
from policy_sim.show.artists import HaloText
from policy_sim.show.theme import as_url, with_titles
from policy_sim.words.status import Status


@pytest.mark.parametrize("palette", [theme.RISK, theme.TRUST, theme.COST])
def test_ink_reads_on_every_color_of_every_palette(palette):
    """WCAG 2.2 asks large text for 3 to 1."""
    for place in range(5, 81):
        color = mpl.colormaps[palette](place / 100)
        assert contrast(theme.ink_on(color), color) >= 3
    assert (theme.ink_on("#000000"), theme.ink_on("#ffffff")) == (theme.PAPER, theme.INK)


def test_no_two_statuses_look_alike_without_color():
    looks = [(style.face, style.hatch) for style in theme.STATUSES.values()]
    hatches = [style.hatch for style in theme.STATUSES.values() if style.hatch]
    assert len(set(looks)) == len(looks)
    assert len(set(hatches)) == len(hatches)


def test_every_status_without_a_figure_has_a_look():
    without = {status.value for status in Status if not status.has_figure} - {"available"}
    assert without <= set(theme.STATUSES)


def test_style_ends_with_the_drawing():
    before = mpl.rcParams["svg.hashsalt"]
    with theme.styled():
        assert mpl.rcParams["svg.hashsalt"] == "policy_sim"
    assert mpl.rcParams["svg.hashsalt"] == before


def test_lines_of_seven_policies_differ_and_names_are_for_people():
    assert len({theme.line_color(place) for place in range(7)}) == 7
    assert len({theme.line_style(place) for place in range(4)}) == 4
    assert theme.policy_title("mine") == "mine"
    assert theme.policy_title("safe-harbor") == "Safe Harbor"


def drawn(halo):
    """The pixels of a black word on a black page, and the figure."""
    figure = Figure(figsize=(2, 1), dpi=100, facecolor="black")
    figure.add_artist(HaloText(0.2, 0.4, "OH", halo=halo, color="black", size=30, figure=figure))
    return pixels(figure), figure


def pixels(figure):
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()


def test_a_word_of_the_pages_own_color_is_seen_by_its_halo_each_time_alike_and_stays_text_in_an_svg():
    assert drawn("black")[0].max() == 0
    page, figure = drawn("white")
    assert page.max() == 255
    assert (page == 0).mean() > 0.5  # an outline, not a box
    np.testing.assert_array_equal(pixels(figure), page)
    with theme.styled():
        _, figure = drawn("white")
        out = io.StringIO()
        figure.savefig(out, format="svg")
    assert ">OH</text>" in out.getvalue()


SVG = "http://www.w3.org/2000/svg"
ROOT = f'<svg xmlns="{SVG}" xmlns:xlink="http://www.w3.org/1999/xlink">{{}}</svg>'


@pytest.mark.parametrize("title", ["Franklin, Ohio: 1%", 'a "b" <c> & d', "Doña Ana: 2–3%", "x" * 300, "100% a/b?c#d"])
def test_a_title_comes_back_from_the_finished_file(title):
    link = f'<a xlink:href="{as_url(title)}" target="_blank"><path d="M0 0"/></a>'
    tree = ET.fromstring(with_titles(ROOT.format(link)))
    assert tree.find(f".//{{{SVG}}}title").text == title
    assert tree.find(f".//{{{SVG}}}path") is not None
    assert tree.find(f".//{{{SVG}}}a") is None


def test_an_area_without_words_has_no_title_each_area_its_own_and_a_real_link_stays():
    links = "".join(f'<a xlink:href="{as_url(word)}"><path/></a>' for word in ("one", "", "two"))
    tree = ET.fromstring(with_titles(ROOT.format(links)))
    assert [title.text for title in tree.iter(f"{{{SVG}}}title")] == ["one", "two"]
    assert len(list(tree.iter(f"{{{SVG}}}path"))) == 3
    real = '<a xlink:href="https://example.org"><path/></a>'
    assert with_titles(real) == real
