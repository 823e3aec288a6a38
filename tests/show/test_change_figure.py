"""How a figure changed, differs among the people, and moves with an assumption: tables, bars and maps."""

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
    sensitivity_table,
    tornado_figure,
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


def _labels(axes):
    return [label.get_text() for label in axes.get_yticklabels()]


def test_a_row_a_state_the_largest_on_top_a_color_a_population():
    profiles = _profiles(DE=(0.3, 0.4), OH=(0.2, 0.1), TX=(0.5, 0.6))
    axes = change_figure(profiles, "limited-dataset", "voter", "total-risk").axes[0]
    assert _labels(axes) == ["OH", "DE", "TX"]
    before, after = axes.collections[1:]
    assert before.get_offsets()[:, 0].tolist() == [0.2, 0.3, 0.5]
    assert after.get_offsets()[:, 0].tolist() == [0.1, 0.4, 0.6]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["us-2000", "us-2010"]
    assert axes.get_xlim()[0] == 0


def test_a_state_without_a_figure_is_named_and_not_drawn():
    profiles = _profiles(DE=(0.3, 0.4), VA=(0.2, None))
    figure = change_figure(profiles, "limited-dataset", "voter", "total-risk", footer=["whose census"])
    assert _labels(figure.axes[0]) == ["DE"]
    texts = [text.get_text() for text in figure.texts]
    assert any("not drawn" in text and "VA" in text for text in texts)
    assert "whose census" in texts


def test_one_population_or_nobody_with_a_list_has_no_change():
    profiles = _profiles(DE=(0.3, 0.4))
    assert [name for name, _ in change_figures(profiles)] == ["change-limited-dataset-voter"]
    assert list(change_figures(profiles[profiles["population"] == "us-2000"])) == []
    assert list(change_figures(_profiles(DE=(None, None)))) == []


@pytest.mark.parametrize(
    ("difference", "status", "shown"),
    [(0.0123, "ok", "+1.23"), (-0.0123, "ok", "−1.23"), (0.0, "ok", "0"), (0.0123, "interval", "+1.23+")],
)
def test_differences_are_points_with_their_sign(difference, status, shown):
    facts = {"policy": "safe-harbor", "attacker": "voter", "measure": "total-risk", "before": "us-2000"}
    numbers = {"share_before": [0.5, pd.NA], "difference": [difference, pd.NA]}
    changes = pd.DataFrame({"state": ["DE", "VA"], "status": [status, "not_sold"], **numbers})
    lines = change_table(
        changes.astype(dict.fromkeys(numbers, "Float64")).assign(after="us-2010", **facts)
    ).splitlines()
    assert [line.split() for line in lines[-2:]] == [["DE", "50%", shown], ["VA", "–", "–"]]
    assert max(map(len, lines)) <= 100


PARTS = (
    {"members": 60, "member_share": 0.6, "people": 6.0, "of_total": 0.75},
    {"members": 40, "member_share": 0.4, "people": 2.0, "of_total": 0.25},
)


def rows(by: str = "sex", names: tuple[str, str] = ("M", "F")) -> pd.DataFrame:
    cases = product(("safe-harbor", "limited-dataset"), zip(names, PARTS, strict=True))
    table = pd.DataFrame([{"value": name, "policy": policy, **part} for policy, (name, part) in cases])
    facts = {"state": "OH", "by": by, "attacker": "general", "measure": "total-risk", "status": "ok"}
    return table.assign(share=table["people"] / table["members"], **facts)


def test_the_table_has_people_risk_and_its_part_of_all_or_why_there_is_none():
    text = breakdown_table(rows())
    men = next(line for line in text.splitlines() if line.startswith("Male"))
    assert men.split() == ["Male", "60", "60", "10", "75", "10", "75"]
    assert "Safe Harbor" in text
    assert "in each group in proportion" in " ".join(text.split())
    none = rows()
    none.loc[none["policy"] == "safe-harbor", ["people", "share", "of_total"]] = None
    none.loc[none["policy"] == "safe-harbor", "status"] = "county_only"
    assert breakdown_table(none).count("by county") == 4


def test_bars_name_every_part_and_write_its_own_risk():
    ((name, figure),) = breakdown_figures(rows(), ["population: made"])
    assert name == "by-sex"
    first, second = figure.axes
    assert _labels(first) == ["Male", "Female"]
    assert [bar.get_width() for bar in first.patches] == pytest.approx([0.6, 0.4, 0.75, 0.25])
    assert {text.get_text() for text in second.texts} == {"10%", "5%"}
    assert "Ohio" in " ".join(text.get_text() for text in figure.texts)


def test_counties_are_a_map_a_policy():
    counties = rows("county", ("39001", "39003"))
    drawn = {f"map-county-{policy}-general" for policy in ("safe-harbor", "limited-dataset")}
    assert set(dict(breakdown_figures(counties))) == drawn
    assert "39001 Adams" in breakdown_table(counties)


# What one assumption at a time does.


SWINGS = pd.DataFrame(
    [
        ("OH", "safe-harbor", "voter", "total-risk", 1, "the list holds adults", 0.2, -0.3, -0.3),
        ("OH", "safe-harbor", "voter", "total-risk", 2, "error, either way", 0.2, -0.02, 0.02),
        ("OH", "safe-harbor", "voter", "total-risk", 3, "fields not known", 0.2, 0.0, 0.0004),
        ("OH", "safe-harbor", "voter", "g-distinct", 1, "of another measure", 0.2, 9.0, 9.0),
    ],
    columns=["state", "policy", "attacker", "measure", "rank", "title", "share", "change_low", "change_high"],
).assign(
    share_low=lambda rows: rows["share"] * (1 + rows["change_low"]),
    share_high=lambda rows: rows["share"] * (1 + rows["change_high"]),
)


def test_assumptions_are_ranked_with_both_ends_and_bars_reach_from_end_to_end():
    text = sensitivity_table(SWINGS)
    assert "total risk, Safe Harbor × VOTER: 20%" in text
    lines = text.splitlines()
    assert lines[-3].split()[:3] == ["1", "14%", "-30.0%"]
    assert lines[-2].split()[1:3] == ["19.6–20.4%", "±2.00%"]
    assert "+0.000% to +0.040%" in lines[-1]
    assert "another measure" not in text
    axes = tornado_figure(SWINGS, ["population: made"]).axes[0]
    spans = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in axes.patches]
    assert [span for pair in spans for span in pair] == pytest.approx([-0.3, 0, -0.02, 0.02, 0, 0.0004])
    assert _labels(axes)[0] == "the list holds adults"
    bottom, top = axes.get_ylim()
    assert bottom > top
