"""Policies of a comparison by their names."""

from __future__ import annotations

import pytest

from policy_sim import Study
from policy_sim.errors import UnknownNameError


def test_under_the_paper_s_rules_the_form_of_the_paper_is_found_by_either_name():
    answer = Study("us-2020", 2026).compare(attackers="general", states="DE", g=1, rules="paper")
    for name in ("safe-harbor", "safe-harbor-paper"):
        assert answer.profile("DE", name, "general").policy == "safe-harbor-paper"
    both = [answer.trust("limited-dataset", "safe-harbor"), answer.trust("limited-dataset-paper", "safe-harbor-paper")]
    assert both[0][0].ratio == both[1][0].ratio


def test_the_name_that_was_compared_is_the_name_in_the_table():
    frame = Study("us-2020", 2026).compare("safe-harbor", "general", "DE", 1).to_frame()
    assert len(frame[frame["policy"] == "safe-harbor"]) == len(frame)


def test_another_policy_is_not_found():
    answer = Study("us-2020", 2026).compare("safe-harbor", "general", "DE", 1)
    for name in ("county", "nothing", "safe-harbor-paper"):
        with pytest.raises(UnknownNameError):
            answer.profile("DE", name, "general")
