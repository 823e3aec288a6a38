"""Maps of a comparison: whose rows are drawn, and the sentence above them."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest

from policy_sim.show.maps.state_map import cost_map, known_values, total_risk_map, trust_map, values_of

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def words(figure):
    return " ".join(text.get_text() for text in figure.findobj(match=lambda artist: hasattr(artist, "get_text")))


def rows(**columns):
    many = max(len(value) for value in columns.values() if isinstance(value, list))
    return pd.DataFrame({name: value if isinstance(value, list) else [value] * many for name, value in columns.items()})


def test_the_lower_end_comes_first_whichever_it_was():
    frame = rows(state=["OH", "WY"], share=[0.4, 0.2], share_high=[0.1, 0.2], status=["interval", "ok"])
    values = values_of(frame, "share")
    assert values[["value", "value_high"]].to_numpy().tolist() == [[0.1, 0.4], [0.2, 0.2]]
    assert known_values(values).tolist() == [0.2]


def test_a_column_without_another_end_is_both():
    values = values_of(rows(state=["OH"], usd=[3.0], status="ok"), "usd")
    assert values[["value", "value_high"]].to_numpy().tolist() == [[3.0, 3.0]]


def test_only_rows_of_the_policy_the_attacker_and_total_risk_are_drawn():
    frame = rows(
        state=["OH", "WY", "TX", "CA"],
        measure=["total-risk", "total-risk", "g-distinct", "total-risk"],
        policy=["safe-harbor", "safe-harbor", "safe-harbor", "limited-dataset"],
        attacker="general",
        share=[0.125, 0.25, 0.5, 0.75],
        status="ok",
    )
    drawn = words(total_risk_map(frame, "safe-harbor", "general"))
    assert "12.5%" in drawn
    assert "25%" in drawn
    assert "75%" not in drawn
    assert "50%" not in drawn


def test_where_no_state_has_a_figure_the_title_says_so():
    facts = {"measure": "total-risk", "policy": "safe-harbor", "attacker": "voter", "status": "unknown"}
    frame = rows(state=["OH"], share=[None], **facts)
    assert "No state has a figure" in words(total_risk_map(frame, "safe-harbor", "voter"))


def test_a_ratio_names_what_is_above_and_below():
    frame = rows(
        state=["OH", "WY"], measure="total-risk", attacker="general", ratio=[2.0, 8.0], status="ok",
        numerator_policy="limited-dataset", denominator_policy="safe-harbor",
    )  # fmt: skip
    drawn = words(trust_map(frame, "general"))
    assert "times as many people" in drawn
    assert "2" in drawn


def test_free_lists_are_counted_and_no_price():
    columns = {"policy": "safe-harbor", "attacker": "voter"}
    frame = rows(state=["OH", "WY"], usd_per_reidentification=[0.0, 125.0], status=["free", "ok"], **columns)
    assert "1 list is free" in words(cost_map(frame, "safe-harbor"))
    free = rows(state=["OH", "WY"], usd_per_reidentification=[0.0, 0.0], status="free", **columns)
    assert "costs nothing in 2 states" in words(cost_map(free, "safe-harbor"))
