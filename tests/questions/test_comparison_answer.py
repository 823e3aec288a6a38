"""Policies of a comparison by the name of either form of the rules."""

from __future__ import annotations

import pytest

from policy_sim import Study
from policy_sim.errors import UnknownNameError


@pytest.mark.parametrize(("rules", "held"), [("regulation", "-regulation"), ("paper", "")])
def test_a_policy_is_found_by_the_name_of_either_form(rules, held):
    answer = Study("us-2020", 2026).compare(attackers="general", states="DE", g=1, rules=rules)
    for name in ("safe-harbor", "safe-harbor-regulation"):
        assert answer.profile("DE", name, "general").policy == f"safe-harbor{held}"
    both = [answer.trust("limited-dataset", "safe-harbor"), answer.trust("limited-dataset-regulation", "safe-harbor")]
    assert both[0][0].ratio == both[1][0].ratio


def test_another_policy_is_not_found():
    answer = Study("us-2020", 2026).compare("safe-harbor", "general", "DE", 1)
    for name in ("county", "nothing"):
        with pytest.raises(UnknownNameError):
            answer.profile("DE", name, "general")
