"""Questions about what lists hold and cost, on people counted by hand."""

from __future__ import annotations

import pytest
from small_people import BY_COUNTY, BY_YEAR, small

from policy_sim import Study
from policy_sim.words.errors import InputError


@pytest.fixture(scope="module")
def study():
    return Study(small(), 2026, coverage="everyone")


def total_risk(answer):
    (row,) = [row for row in answer.to_frame().to_dict("records") if row["measure"] == "total-risk"]
    return row["before"], row["after"], row["change"]


def test_each_year_that_the_list_no_longer_tells_is_a_group_less(study):
    assert total_risk(study.what_if("OH", {"birth": "withheld"}, BY_YEAR, 1)) == (4, 1, -3)
    assert total_risk(study.what_if("ohio", {"birth": "withheld"}, BY_COUNTY, 1)) == (8, 2, -6)


def test_a_change_that_is_there_already_changes_nothing(study):
    before, after, change = total_risk(study.what_if("OH", {"birth": "year"}, BY_YEAR, 1))
    assert (before, change) == (after, 0)


def test_an_adversary_is_applied_again_after_the_change():
    held_back = Study(small(), 2026, coverage="everyone", adversary="marketer")
    rows = held_back.what_if("WY", {"buyers": "public", "uses": "any"}, BY_YEAR, 1).to_frame()
    row = rows[rows["measure"] == "total-risk"].iloc[0]
    assert row["status_before"] != "ok"
    assert row["status_after"] == "ok"


def test_the_answer_says_what_was_asked(study):
    answer = study.what_if("OH", {"birth": "withheld"}, BY_YEAR, 1)
    assert answer.provenance.manifest()["options"]["changes"] == {"birth": "withheld"}
    assert repr(answer).startswith("What if in OH")


# What a state itself releases: its policy, its terms and its risk.


@pytest.fixture(scope="module")
def of_2010():
    return Study("us-2010")


@pytest.mark.slow
def test_the_own_release_is_the_newest_and_names_its_terms(of_2010):
    policy, profile = of_2010.own_release("North Carolina", 5)
    assert (policy.name, profile.state) == ("release:newest", "NC")
    assert "HCUP data use agreement" in policy.remarks[0]
    same = of_2010.compare_release("NC:2020", "safe-harbor", "general", "NC", 5).profile(
        "NC", "release:NC:2020", "general"
    )
    assert profile.people("5-distinct") == same.people("5-distinct")


def test_a_state_without_a_release_has_no_figure_and_a_reason(of_2010):
    _, profile = of_2010.own_release("OH")
    assert profile.status == "unknown"
    assert not profile.figures
    assert "no release" in profile.reason


def test_a_place_that_the_people_do_not_have_is_said():
    with pytest.raises(InputError, match="zip5"):
        Study("us-2000").own_release("NC")


def test_compare_release_takes_one_choice_with_or_without_its_prefix(of_2010):
    for choice in ("NC:2016", "release:NC:2016"):
        found = of_2010.compare_release(choice, "safe-harbor", "general", "DE", 1, rules="paper")
        assert [profile.policy for profile in found] == ["safe-harbor-paper", "release:NC:2016"]
