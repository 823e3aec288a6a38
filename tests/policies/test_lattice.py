"""A policy in one line: every point of the lattice is read back as it was named."""

import pytest

from policy_sim.policies.lattice import lattice_for, policy_from_text
from policy_sim.words.errors import InputError, UnknownNameError

LATTICE = lattice_for(("sex", "race"), ("county", "zip3", "zip5", "county_zip5"))


def test_every_point_of_the_lattice_is_read_back():
    points = [policy for _, policy in LATTICE.points()]
    assert len(points) == 2 * 3 * 45 * 9
    assert all(policy_from_text(policy.name) == policy for policy in points)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("birth=month+birth=year", "appears twice"),
        ("geography=state (age<90)", "does not release"),
        ("geography=state (county>20000)", "does not release"),
        ("birth=year+geography=zip5 (county>20000)", "does not release"),
        ("birth=year (age<90+age<80)", "appears twice"),
        ("birth=year (ages<90)", "is not a condition"),
        ("birth=year (age<0)", "must be 1 or more"),
        ("birth=year age<90", "not fields with granularities"),
        ("gender=none", "releases nothing"),
        ("", "not fields with granularities"),
    ],
)
def test_what_is_wrong_is_said(text, says):
    with pytest.raises(InputError, match=says):
        policy_from_text(text)


@pytest.mark.parametrize("text", ["birth=week", "age=year", "birth=year+geography=county (town>9)"])
def test_unknown_names_are_said(text):
    with pytest.raises(UnknownNameError):
        policy_from_text(text)
