"""The game as a map."""

import pandas as pd

from policy_sim.render.game_figure import game_map


def test_the_title_says_which_game():
    rows = pd.DataFrame(
        [("OH", "with", "safe-harbor", 0.4), ("TX", "with", None, None), ("OH", "without", "county", 0.6)],
        columns=["state", "penalty", "policy", "utility"],
    )
    texts = [text.get_text() for text in game_map(rows, penalty="with").texts]
    assert any("with a penalty" in text for text in texts)
