"""Questions about what lists hold and cost, on people counted by hand."""

import pytest
from small_people import BY_COUNTY, BY_YEAR, small

from policy_sim import Study


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
