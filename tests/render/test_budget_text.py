"""A purchase as text."""

from policy_sim.analyses.economics.budget import Offer, Purchase
from policy_sim.analyses.economics.budget_tables import budget_frame
from policy_sim.analyses.economics.offers import LeftOut, Market
from policy_sim.render.budget_text import budget_table

OFFERS = (Offer("OH", "OH", 2.0, 1234.0, 2468.0, "", "2025", "fees"), Offer("TX", "TX", 5.0, 1.0, 1.0))


def test_the_sum_and_what_is_left_out():
    text = budget_table(budget_frame(Market(OFFERS, (LeftOut("HI", "HI", "not sold"),)), Purchase(OFFERS[:1])), 120)
    assert "together: 1 list for $2, 1,234 right claims, 50% of all claims" in text
    assert "left out: 1\n  HI: not sold" in text
    assert "fees" in text
    assert "available, not bought: TX" in text


def test_nothing_bought():
    text = budget_table(budget_frame(Market(OFFERS, ()), Purchase(())))
    assert text.startswith("(no list is bought)\ntogether: 0 lists for $0, 0 right claims")
    nobody = (Offer("AZ 04001", "AZ", 50.0, 0.0, 0.0, "04001"),)
    text = budget_table(budget_frame(Market(nobody, ()), Purchase(())))
    assert "available, but no claim would be correct: AZ 04001" in text
