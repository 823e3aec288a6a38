"""Frames as the commands hand them over, small and made up, with every status in them."""

from __future__ import annotations

import pandas as pd
import pytest

from policy_sim.words.states import STATES

CODES = tuple(code for code in STATES if code != "PR")
STATUS = {"AZ": "county_only", "CA": "not_sold", "RI": "not_sold", "TX": "unknown", "DC": "unknown", "WA": "interval"}
POLICIES = ("safe-harbor", "limited-dataset")
ATTACKERS = ("general", "voter")
SIZES = (1, 3, 5, 10)
NUMBERS = ("people", "share", "people_high", "share_high")
NOTES = ("population", "linkage_key", "status", "reason")
FOOTER = (
    "population: us-2020: made up for a test; 100.0% modeled",
    "voter lists: vintage 2026",
    "options: everyone is on the voter list; 365 equally likely birthdays a year; " + "and so on, " * 20,
)


def _share(place: int, policy: str, attacker: str, g: int | None) -> float:
    base = (0.0002 if policy == "safe-harbor" else 0.3) * (1 + place / 25) / (40 if attacker == "voter" else 1)
    return min(1.0, base * (1.0 if g is None else 0.3 * g ** (1 + 0.3 * (place % 7 - 3) / 10)))


def _profile_rows():
    for place, state in enumerate(CODES):
        for policy in POLICIES:
            for attacker in ATTACKERS:
                status = STATUS.get(state, "ok") if attacker == "voter" else "ok"
                for g in (None, *SIZES):
                    low = high = _share(place, policy, attacker, g)
                    if status == "interval":
                        low, high = low / 50, min(1.0, low * 2)
                    figures = (low * 1e6, low, high * 1e6, high)
                    if status not in ("ok", "interval"):
                        figures = (pd.NA,) * 4
                    measure = "total-risk" if g is None else "g-distinct"
                    yield state, policy, attacker, measure, g, *figures, "us-2020", "birth=year", status, ""


@pytest.fixture(scope="session")
def profiles() -> pd.DataFrame:
    names = ["state", "policy", "attacker", "measure", "g", *NUMBERS, *NOTES]
    frame = pd.DataFrame(list(_profile_rows()), columns=names, dtype=object)
    return frame.astype(
        {name: "string" for name in names if name != "g"} | dict.fromkeys(NUMBERS, "Float64") | {"g": "Int64"}
    )


@pytest.fixture(scope="session")
def trust(profiles) -> pd.DataFrame:
    keys = ["state", "attacker", "measure", "g"]
    above, below = (profiles[profiles["policy"] == policy] for policy in reversed(POLICIES))
    both = above.merge(below, on=keys, suffixes=("", "_below"))
    frame = both[keys].assign(numerator_policy=POLICIES[1], denominator_policy=POLICIES[0])
    frame["numerator"], frame["denominator"] = both["people"], both["people_below"]
    frame["ratio"] = both["people"] / both["people_below"]
    frame["status"], frame["reason"] = both["status"], ""
    frame["ratio_high"] = both["people_high"] / both["people_high_below"]
    return frame.assign(population="us-2020")


@pytest.fixture(scope="session")
def cost(profiles) -> pd.DataFrame:
    rows = profiles[(profiles["measure"] == "total-risk") & (profiles["attacker"] == "voter")]
    frame = rows[["state", "policy", "attacker", "status", "reason", "population"]].copy()
    price = pd.Series([0.0 if state in ("OH", "VT") else 500.0 for state in rows["state"]], index=rows.index)
    frame["total_risk"], frame["total_risk_high"] = rows["people"], rows["people_high"]
    frame["price_usd"] = price.astype("Float64").where(rows["people"].notna())
    frame["usd_per_reidentification"] = frame["price_usd"] / rows["people"]
    frame["usd_per_reidentification_high"] = frame["price_usd"] / rows["people_high"]
    frame.loc[(price == 0) & (frame["status"] == "ok"), "status"] = "free"
    return frame


@pytest.fixture
def wide(monkeypatch):
    """Tables in one block."""
    monkeypatch.setenv("COLUMNS", "300")


@pytest.fixture(scope="session")
def footer() -> tuple[str, ...]:
    return FOOTER


@pytest.fixture
def assert_nothing_is_cut():
    """Check that all that a figure draws, texts above all, lies inside it."""

    def check(figure):
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        from policy_sim.show import theme

        with theme.styled():
            renderer = FigureCanvasAgg(figure).get_renderer()
            figure.draw_without_rendering()
            box, (width, height) = figure.get_tightbbox(renderer), figure.get_size_inches()
        assert box.x0 >= 0, "something leaves the page on the left"
        assert box.x1 <= width, "something leaves the page on the right"
        assert box.y0 >= 0, "something leaves the page below"
        assert box.y1 <= height, "something leaves the page above"

    return check
