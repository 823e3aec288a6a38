import pandas as pd

from policy_sim.render.ranks import rank_figure


def rows(shares, status=None):
    """Shares of each state at g = 1, 3."""
    found = [
        (state, "safe-harbor", "general", "g-distinct", g, share, (status or {}).get(state, "ok"))
        for state, both in shares.items()
        for g, share in zip((1, 3), both, strict=True)
    ]
    return pd.DataFrame(found, columns=["state", "policy", "attacker", "measure", "g", "share", "status"])


def labels(figure):
    return [text.get_text() for text in figure.axes[0].texts[1:]]


def test_ranks_are_by_share_the_largest_first():
    shown = labels(rank_figure(rows({"OH": (0.3, 0.4), "TX": (0.1, 0.9), "CA": (0.2, 0.5)}), outermost=1))
    assert set(shown) == {"OH 1", "TX 3", "TX 1", "OH 3"}


def test_the_state_that_moves_most_is_marked():
    shares = {"A1": (0.9, 0.9), "A2": (0.8, 0.8), "B": (0.7, 0.2), "C": (0.6, 0.6), "D": (0.5, 0.5), "E": (0.1, 0.1)}
    figure = rank_figure(rows(shares), outermost=1)
    dashed = [line for line in figure.axes[0].lines if line.get_linestyle() == "--"]
    assert [list(line.get_ydata()) for line in dashed] == [[3, 5]]
    assert {"B 3", "B 5"} <= set(labels(figure))


def test_equal_shares_share_the_better_rank():
    shown = labels(rank_figure(rows({"OH": (0.3, 0.3), "TX": (0.3, 0.3), "CA": (0.1, 0.1)}), outermost=3))
    assert {"OH 1", "TX 1", "CA 3"} == set(shown)


def test_states_known_only_as_an_interval_are_not_ranked():
    figure = rank_figure(rows({"OH": (0.3, 0.4), "TX": (0.5, 0.9)}, {"TX": "interval"}), outermost=1)
    assert set(labels(figure)) == {"OH 1"}
    assert "1 with a range only, not ranked" in figure.axes[0].texts[0].get_text()


def test_nothing_is_cut(profiles, footer, assert_nothing_is_cut):
    assert_nothing_is_cut(rank_figure(profiles, footer))
