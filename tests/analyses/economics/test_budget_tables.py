"""A purchase as rows."""

from policy_sim.analyses.economics.budget import Offer, Purchase
from policy_sim.analyses.economics.budget_tables import budget_frame
from policy_sim.analyses.economics.offers import LeftOut, Market

OFFERS = (Offer("OH", "OH", 0.0, 10.0, 20.0, "", "2025", "fees"), Offer("TX", "TX", 5.0, 0.0, 0.0))


def test_bought_lists_come_first_and_those_left_out_last():
    rows = budget_frame(Market(OFFERS, (LeftOut("HI", "HI", "not sold"),)), Purchase(OFFERS[:1]))
    assert rows["list"].tolist() == ["OH", "TX", "HI"]
    assert rows["bought"].tolist() == [True, False, False]
    assert rows["precision"].iloc[0] == 0.5
    assert rows["usd_per_correct_claim"].iloc[0] == 0
    assert rows.loc[1, ["precision", "usd_per_correct_claim"]].isna().all()
    assert rows.loc[2, ["price_usd", "claims"]].isna().all()
    assert rows["reason"].iloc[2] == "not sold"
