"""Classes of buyers and uses, and a rule that no source states."""

from __future__ import annotations

from policy_sim.voter_lists.buyers import BUYERS, NO_RULE, USES, Allowed


def test_each_class_is_there_once_and_the_widest_comes_first():
    assert (BUYERS[0], USES[0]) == ("public", "any")
    assert len(set(BUYERS)) == len(BUYERS)
    assert len(set(USES)) == len(USES)


def test_a_rule_that_nobody_states_is_not_a_rule_that_allows_nobody():
    assert NO_RULE.names is None
    assert Allowed(()) != NO_RULE
