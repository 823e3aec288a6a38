from __future__ import annotations

from itertools import product

import pandas as pd
import pytest

from policy_sim.show.change_figure import (
    breakdown_figures,
    breakdown_table,
    change_figure,
    change_figures,
    change_table,
)


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
    facts = {"policy": "safe-harbor", "attacker": "voter", "measure": "total-risk", "before": "us-2000"}
    numbers = {"share_before": [0.5, pd.NA], "difference": [difference, pd.NA]}
    changes = pd.DataFrame({"state": ["DE", "VA"], "status": [status, "not_sold"], **numbers})
    changes = changes.astype(dict.fromkeys(numbers, "Float64")).assign(after="us-2010", **facts)
    table = change_table(changes)
    assert table.splitlines()[-2].split() == ["DE", "50%", shown]
    assert table.splitlines()[-1].split() == ["VA", "–", "–"]
    assert max(map(len, table.splitlines())) <= 100


PARTS = (
    {"members": 60, "member_share": 0.6, "people": 6.0, "of_total": 0.75},
    {"members": 40, "member_share": 0.4, "people": 2.0, "of_total": 0.25},
)


def rows(by: str = "sex", names: tuple[str, str] = ("M", "F")) -> pd.DataFrame:
    cases = product(("safe-harbor", "limited-dataset"), zip(names, PARTS, strict=True))
    table = pd.DataFrame([{"value": name, "policy": policy, **part} for policy, (name, part) in cases])
    facts = {"state": "OH", "by": by, "attacker": "general", "measure": "total-risk", "status": "ok"}
    return table.assign(share=table["people"] / table["members"], **facts)


def test_the_table_has_people_risk_and_its_part_of_all():
    text = breakdown_table(rows())
    men = next(line for line in text.splitlines() if line.startswith("Male"))
    assert men.split() == ["Male", "60", "60", "10", "75", "10", "75"]
    assert "Safe Harbor" in text
    assert "in each group in proportion" in text


def test_a_part_without_a_list_says_so():
    none = rows()
    none.loc[none["policy"] == "safe-harbor", ["people", "share", "of_total"]] = None
    none.loc[none["policy"] == "safe-harbor", "status"] = "county_only"
    assert breakdown_table(none).count("by county") == 4


def test_bars_name_every_part_and_write_its_own_risk():
    ((name, figure),) = breakdown_figures(rows(), ["population: made"])
    assert name == "by-sex"
    first, second = figure.axes
    assert [label.get_text() for label in first.get_yticklabels()] == ["Male", "Female"]
    assert [bar.get_width() for bar in first.patches] == pytest.approx([0.6, 0.4, 0.75, 0.25])
    assert {text.get_text() for text in second.texts} == {"10%", "5%"}
    assert "Ohio" in " ".join(text.get_text() for text in figure.texts)


def test_counties_are_a_map_a_policy():
    drawn = dict(breakdown_figures(rows("county", ("39001", "39003"))))
    assert set(drawn) == {"map-county-safe-harbor-general", "map-county-limited-dataset-general"}
    text = breakdown_table(rows("county", ("39001", "39003")))
    assert "39001 Adams" in text
