import pandas as pd
import pytest

from policy_sim.render.change_figure import change_figure, change_figures, change_table


def _profiles(**shares):
    """Total risk by state in two populations; None is a state without a list."""
    rows = [
        (state, "limited-dataset", "voter", "total-risk", pd.NA, share, name, "not_sold" if share is None else "ok")
        for state, pair in shares.items()
        for name, share in zip(("us-2000", "us-2010"), pair, strict=True)
    ]
    names = ["state", "policy", "attacker", "measure", "g", "share", "population", "status"]
    return pd.DataFrame(rows, columns=names).astype({"share": "Float64"})


def test_a_row_a_state_the_largest_on_top_a_color_a_population():
    profiles = _profiles(DE=(0.3, 0.4), OH=(0.2, 0.1), TX=(0.5, 0.6))
    figure = change_figure(profiles, "limited-dataset", "voter", "total-risk")
    axes = figure.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["OH", "DE", "TX"]
    before, after = axes.collections[1:]
    assert before.get_offsets()[:, 0].tolist() == [0.2, 0.3, 0.5]
    assert after.get_offsets()[:, 0].tolist() == [0.1, 0.4, 0.6]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["us-2000", "us-2010"]
    assert axes.get_xlim()[0] == 0


def test_a_state_without_a_figure_is_named_and_not_drawn():
    profiles = _profiles(DE=(0.3, 0.4), VA=(0.2, None))
    figure = change_figure(profiles, "limited-dataset", "voter", "total-risk", footer=["whose census"])
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["DE"]
    texts = [text.get_text() for text in figure.texts]
    assert any("not drawn" in text and "VA" in text for text in texts)
    assert "whose census" in texts


def test_one_population_has_no_change():
    profiles = _profiles(DE=(0.3, 0.4))
    assert list(change_figures(profiles[profiles["population"] == "us-2000"])) == []
    assert [name for name, _ in change_figures(profiles)] == ["change-limited-dataset-voter"]


def test_nothing_is_drawn_where_nobody_has_a_list():
    assert list(change_figures(_profiles(DE=(None, None)))) == []


@pytest.mark.parametrize(
    ("difference", "status", "shown"),
    [(0.0123, "ok", "+1.23"), (-0.0123, "ok", "−1.23"), (0.0, "ok", "0"), (0.0123, "interval", "+1.23+")],
)
def test_differences_are_points_with_their_sign(difference, status, shown):
    changes = pd.DataFrame(
        {
            "state": ["DE", "VA"],
            "policy": "safe-harbor",
            "attacker": "voter",
            "measure": "total-risk",
            "before": "us-2000",
            "after": "us-2010",
            "share_before": pd.array([0.5, pd.NA], "Float64"),
            "difference": pd.array([difference, pd.NA], "Float64"),
            "status": [status, "not_sold"],
        }
    )
    table = change_table(changes)
    assert table.splitlines()[-2].split() == ["DE", "50%", shown]
    assert table.splitlines()[-1].split() == ["VA", "–", "–"]
    assert max(map(len, table.splitlines())) <= 100


def test_two_states_under_a_long_foot_keep_a_row_each():
    footer = ["a line of the foot that says which people, lists and options made these figures, at length"] * 12
    figure = change_figure(
        _profiles(DE=(0.3, 0.4), OH=(0.2, 0.1)), "limited-dataset", "voter", "total-risk", None, footer
    )
    box = figure.axes[0].get_position()
    assert box.height * figure.get_size_inches()[1] >= 2 * 0.155
