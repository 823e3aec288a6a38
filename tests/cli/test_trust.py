"""``policy-sim trust``: one policy over another, on people counted by hand."""

import pytest
from small_people import BY_COUNTY, BY_YEAR, one_line, rows, written


@pytest.fixture
def people(tmp_path):
    return ("--population", written(tmp_path), "--attacker", "general")


def total_risk(*words):
    return {row["state"]: row for row in rows("trust", *words) if row["measure"] == "total-risk"}


def test_the_last_policy_is_divided_by_the_first(people):
    """Two counties have twice the groups of their state; one county has as many."""
    by_state = total_risk(*people, "--policy", BY_YEAR, "--policy", BY_COUNTY)
    assert by_state["OH"]["ratio"] == 2
    assert by_state["WY"]["ratio"] == 1


def test_numerator_and_denominator_can_be_named(people):
    by_state = total_risk(*people, "--numerator", BY_YEAR, "--denominator", BY_COUNTY)
    assert by_state["OH"]["ratio"] == 0.5


def test_a_ratio_over_nobody_is_undefined_and_never_a_number(people):
    found = rows("trust", *people, "--policy", BY_YEAR, "--policy", BY_COUNTY, "--g", "1")
    (row,) = [row for row in found if row["state"] == "OH" and row["g"] == 1]
    assert (row["ratio"], row["status"]) == (None, "undefined")
    assert "nobody at risk" in row["reason"]


def test_one_policy_twice_is_one_line(people):
    assert "name two" in one_line("trust", *people, "--policy", BY_YEAR)
