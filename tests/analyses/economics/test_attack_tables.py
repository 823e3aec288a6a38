"""Attacks as rows."""

import pytest

from policy_sim import Study
from policy_sim.analyses.economics.attack_tables import attack_curve_frame, attack_plan_frame


@pytest.fixture(scope="module")
def answer():
    return Study("us-2020", 2026).attack(["DE", "NH"], "limited-dataset", ["general", "voter"], in_file=0.01)


def test_one_row_per_attack_with_its_price_beside_it(answer):
    rows = attack_plan_frame(answer.plans).set_index(["state", "attacker"])
    row = rows.loc[("DE", "voter")]
    assert row["price_usd"] == 25
    assert row["price_date"]
    assert row["price_source"]
    assert row["profit_usd"] == pytest.approx(row["profit_before_price_usd"] - 25)
    assert row["precision"] == pytest.approx(row["matched"] / row["attacked"])
    assert row["usd_per_match_if_all"] == pytest.approx(25 / row["matched_if_all"])


def test_every_dollar_has_a_status_and_unknown_is_missing(answer):
    rows = attack_plan_frame(answer.plans)
    assert (rows["price_status"].str.len() > 0).all()
    unknown = rows["price_status"].isin(["unknown", "not_sold", "county_only"])
    assert rows.loc[unknown, ["price_usd", "profit_usd"]].isna().all(axis=None)


def test_the_curve_ends_with_all_records_and_holds_the_best_stop(answer):
    curves = attack_curve_frame(answer.plans, 50)
    for plan in answer.plans:
        if plan.levels is None:
            continue
        mine = curves[(curves["state"] == plan.case.state) & (curves["attacker"] == plan.case.attacker.name)]
        mine = mine[mine["unknown_fields"].fillna("") == plan.end]
        assert mine["attacked"].iloc[-1] == pytest.approx(plan.levels.attacked[-1])
        assert mine["matched"].iloc[-1] == pytest.approx(plan.levels.correct)
        assert mine["profit_usd"].max() == pytest.approx(plan.stop.profit_usd) or not plan.stop.attacked
        assert mine["best"].sum() == (1 if plan.stop.attacked else 0)
        assert mine["precision"].is_monotonic_decreasing or mine["precision"].diff().max() < 1e-9
