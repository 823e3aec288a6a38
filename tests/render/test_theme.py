from __future__ import annotations

import matplotlib as mpl
import pytest
from matplotlib.colors import to_rgb

from policy_sim.render import theme
from policy_sim.status import Status


def luminance(color):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("palette", [theme.RISK, theme.TRUST, theme.COST])
def test_ink_reads_on_every_color_of_every_palette(palette):
    """WCAG 2.2 asks large text for 3 to 1."""
    for place in range(5, 81):
        color = mpl.colormaps[palette](place / 100)
        assert contrast(theme.ink_on(color), color) >= 3


def test_ink_on_black_and_white():
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
