"""What a state itself releases: its policy, its terms and its risk."""

from __future__ import annotations

import pytest

from policy_sim.study.study import Study
from policy_sim.words.errors import InputError


@pytest.fixture(scope="module")
def study():
    return Study("us-2010")


@pytest.mark.slow
def test_the_own_release_is_the_newest_and_names_its_terms(study):
    policy, profile = study.own_release("North Carolina", 5)
    assert (policy.name, profile.state) == ("release:newest", "NC")
    assert "HCUP data use agreement" in policy.remarks[0]
    same = study.compare_release("NC:2020", "safe-harbor", "general", "NC", 5).profile(
        "NC", "release:NC:2020", "general"
    )
    assert profile.people("5-distinct") == same.people("5-distinct")


def test_a_state_without_a_release_has_no_figure_and_a_reason(study):
    _, profile = study.own_release("OH")
    assert profile.status == "unknown"
    assert not profile.values
    assert "no release" in profile.reason


def test_a_place_that_the_people_do_not_have_is_said():
    with pytest.raises(InputError, match="zip5"):
        Study("us-2000").own_release("NC")


def test_compare_release_takes_one_choice_with_or_without_its_prefix(study):
    for choice in ("NC:2016", "release:NC:2016"):
        found = study.compare_release(choice, "safe-harbor", "general", "DE", 1, rules="paper")
        assert [profile.policy for profile in found] == ["safe-harbor-paper", "release:NC:2016"]
