"""The attack curve as a figure."""

from __future__ import annotations

import pandas as pd
import pytest
from matplotlib.figure import Figure

from policy_sim.show.money import attack_figure, draw_attack, game_map

CURVES = pd.DataFrame(
    [
        ("OH", "safe-harbor", "voter", None, 1.0, 1.0, 1.0, 296.0, False),
        ("OH", "safe-harbor", "voter", None, 10.0, 5.0, 0.5, 1460.0, True),
        ("OH", "safe-harbor", "voter", None, 1000.0, 6.0, 0.006, -2200.0, False),
    ],
    columns=["state", "policy", "attacker", "unknown_fields", "attacked", "matched", "precision", "profit_usd", "best"],
)


def test_three_panels_with_the_best_stop_in_the_title():
    figure = attack_figure(CURVES, "A match brings $300", ["population: made"])
    assert [axes.get_ylabel() for axes in figure.axes] == ["correct matches", "share of attempts correct", "profit, $"]
    title = " ".join(text.get_text() for text in figure.texts)
    assert "takes 10 records of Ohio, names 5 correctly, and gains $1,460" in title


def test_nothing_worth_an_attempt_is_said():
    rows = CURVES.assign(best=False)
    texts = [text.get_text() for text in attack_figure(rows, "").texts]
    assert "No record is worth an attempt" in texts


def test_a_line_and_a_dot_on_your_axes():
    axes = draw_attack(CURVES, "precision", Figure().subplots())
    line, dot = axes.lines
    assert line.get_label() == "Ohio, Safe Harbor, VOTER"
    assert list(dot.get_xdata()) == [10.0]


# The game as a map.


@pytest.mark.slow
def test_the_title_says_which_game():
    rows = pd.DataFrame(
        [("OH", "with", "safe-harbor", 0.4), ("TX", "with", None, None), ("OH", "without", "county", 0.6)],
        columns=["state", "penalty", "policy", "utility"],
    )
    texts = [text.get_text() for text in game_map(rows, penalty="with").texts]
    assert any("with a penalty" in text for text in texts)
