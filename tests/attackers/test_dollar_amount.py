"""A dollar amount in one line."""

from policy_sim.attackers.dollar_amount import DollarAmount


def test_one_end_two_ends_and_none():
    facts = ("x", "gains", "what", "record")
    tail = (None, "2015", "Someone", "", "quoted", "")
    assert DollarAmount(*facts, 300, 300, *tail).cite() == "x: $300 per record (2015; Someone; quoted)"
    assert DollarAmount(*facts, 0.12, 0.32, *tail).cite() == "x: $0.12 to $0.32 per record (2015; Someone; quoted)"
    assert DollarAmount(*facts, None, None, *tail).cite() == "x: amount unknown (2015; Someone; quoted)"
