"""Borders, as any map shows them."""

from policy_sim.briefing.neighbors import neighbors


def test_some_borders():
    assert neighbors("OH") == ("IN", "KY", "MI", "PA", "WV")
    assert neighbors("ME") == ("NH",)
    assert neighbors("AK") == ()
    assert neighbors("XX") == ()


def test_a_border_has_two_sides():
    for state in ("TN", "MO", "CO", "NY", "DC"):
        assert all(state in neighbors(other) for other in neighbors(state))
