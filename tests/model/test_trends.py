"""What changed risk and profit: effects add up, and a change of one thing has one effect."""

from dataclasses import replace

import pytest

from policy_sim import Study
from policy_sim.attackers.adversary import WAN_2015
from policy_sim.model.trends import Moment, change_frame, shares_of_change, trend_frame
from policy_sim.study.question import Question
from policy_sim.voter_lists.files import load_list_changes

STATES = ["OH", "VA", "WI", "MI"]


def test_effects_by_hand():
    """a alone 1, b alone 3, both 10: a adds 1 or 7, b adds 3 or 9."""
    values = {frozenset(): 0.0, frozenset("a"): 1.0, frozenset("b"): 3.0, frozenset("ab"): 10.0}
    assert shares_of_change(values.__getitem__, ("a", "b")) == {"a": 4.0, "b": 6.0}


def moment(population, lists):
    study = Study(population, lists)
    return Moment(f"{population} {lists}", study._cases(Question.of("limited-dataset", "voter", rules="paper")))


def within(moments, *states):
    return [replace(moment, cases=replace(moment.cases, states=states)) for moment in moments]


@pytest.fixture(scope="module")
def moments():
    return [moment("us-2000", "2008"), moment("us-2020", "2026")]


@pytest.mark.slow
def test_the_parts_add_up_to_the_change(moments):
    rows = change_frame(within(moments, *STATES), WAN_2015)
    risk = rows.dropna(subset=["risk_change"])
    assert len(risk) >= 3
    for row in risk.itertuples():
        parts = row.risk_people + row.risk_law + row.risk_source
        assert parts == pytest.approx(row.risk_after - row.risk_before, abs=1e-15)
    money = rows.dropna(subset=["profit_change_usd"])
    for row in money.itertuples():
        parts = row.profit_people_usd + row.profit_law_usd + row.profit_source_usd + row.profit_price_usd
        assert parts == pytest.approx(row.profit_after_usd - row.profit_before_usd, rel=1e-9, abs=1e-6)


def test_the_same_lists_leave_only_the_people(moments):
    first, second = within(moments, "OH")
    later = Moment("us-2020 2008", replace(second.cases, attackers=first.cases.attackers))
    row = change_frame([first, later], WAN_2015).iloc[0]
    assert row["risk_law"] == row["risk_source"] == 0
    assert row["profit_law_usd"] == 0
    assert row["profit_price_usd"] == 0
    assert row["risk_people"] != 0


def test_a_price_that_is_not_known_has_no_profit(moments):
    rows = trend_frame(within(moments, *STATES), WAN_2015)
    unknown = rows[rows["price_status"].isin(["unknown", "not_sold"])]
    assert len(unknown)
    assert unknown["profit_usd"].isna().all()
    changed = change_frame(within(moments, "MI"), WAN_2015).iloc[0]
    assert changed[["profit_change_usd", "profit_price_usd"]].isna().all()
    assert changed["reason"]


@pytest.mark.slow
def test_a_trend_agrees_with_the_attack(moments):
    rows = trend_frame(within(moments, "OH"), WAN_2015).set_index("moment")
    attack = Study("us-2020", "2026").attack("OH", "limited-dataset", rules="paper").to_frame().iloc[0]
    assert rows.loc["us-2020 2026", "total_risk"] == attack["matched_if_all"]
    assert rows.loc["us-2020 2026", "profit_usd"] == attack["profit_usd"]


@pytest.mark.slow
def test_a_better_source_is_no_change_of_law():
    """West Virginia's entry of 2008 is deduced from a paper; Ohio's list showed the year and then the date."""
    steps = within([moment("us-2000", "2008"), moment("us-2020", "2020")], "WV", "OH")
    told = change_frame(steps, WAN_2015, recorded=load_list_changes()).set_index("state")
    untold = change_frame(steps, WAN_2015).set_index("state")
    assert told.loc["WV", "risk_law"] == 0
    assert told.loc["WV", "risk_source"] == pytest.approx(untold.loc["WV", "risk_law"], rel=1e-12)
    assert told.loc["WV", "risk_source"] > 0.4
    changed = ["gender: withheld to included", "birth: withheld to date", "zip: unknown to included"]
    assert told.loc["WV", "changed_source"].split("; ") == changed
    assert told.loc["OH", "changed_law"] == "birth: year to date"
    assert told.loc["OH", "risk_law"] > 0.1
    assert (told["risk_change"] == untold["risk_change"]).all()


def test_parts_of_two_kinds_add_up_in_one_state(moments):
    """Illinois from 2008 to 2026: only unknown values became known; Alabama likewise, with no known change of law."""
    rows = change_frame(within(moments, "IL", "AL"), WAN_2015)
    assert (rows["risk_law"] == 0).all()
    assert rows["changed_law"].isna().all()
    assert (rows["risk_source"] != 0).all()
