from __future__ import annotations

import pandas as pd
import pytest

from policy_sim.render.breakdown_figure import breakdown_figures, breakdown_table

PARTS = (("M", 60, 0.6, 6.0, 0.75), ("F", 40, 0.4, 2.0, 0.25))


def rows(by: str = "sex", names: tuple[str, str] = ("M", "F"), state: str = "OH") -> pd.DataFrame:
    table = pd.DataFrame(
        [
            (
                state,
                by,
                name,
                policy,
                "general",
                "total-risk",
                members,
                member_share,
                people,
                people / members,
                of_total,
            )
            for policy in ("safe-harbor", "limited-dataset")
            for name, (_, members, member_share, people, of_total) in zip(names, PARTS, strict=True)
        ],
        columns=[
            "state",
            "by",
            "value",
            "policy",
            "attacker",
            "measure",
            "members",
            "member_share",
            "people",
            "share",
            "of_total",
        ],
    )
    return table.assign(status="ok")


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
