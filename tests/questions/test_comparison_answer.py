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


def test_a_range_has_no_rank_and_does_not_stand_by_its_lower_end():
    """Of Alabama's and Illinois's lists one field is not known, and Hawaii's counties sell their own."""
    answer = Study("us-2020", 2026).compare("limited-dataset", "voter", ["AL", "HI", "IL", "OH", "WY"], 1)
    ranking = answer.ranking()
    kinds = [str(status) for status in ranking["status"]]
    first = [place for place, kind in enumerate(kinds) if kind == "ok"]
    ranges = [place for place, kind in enumerate(kinds) if kind == "interval"]
    none = [place for place in range(5) if place not in first + ranges]
    assert first + ranges + none == list(range(5))
    assert ranges
    assert ranking["rank"].tolist()[: len(first)] == list(range(1, len(first) + 1))
    assert ranking["rank"].iloc[len(first) :].isna().all()
    shares = ranking["share"].iloc[first].tolist()
    assert shares == sorted(shares, reverse=True)
    middle = ((ranking["share"] + ranking["share_high"]) / 2).iloc[ranges].tolist()
    assert middle == sorted(middle, reverse=True)
