"""A policy that differs by state: which state has which, and where it is refused."""

from __future__ import annotations

import pytest

from policy_sim.errors import InputError
from policy_sim.granularity import Granularities
from policy_sim.policies.policy import Policy
from policy_sim.policies.policy_by_state import PolicyByState, for_states, same_in_every_state


def policy(text):
    return Policy(text, text, Granularities.parse(text), "test")


COUNTY, ZIP = policy("gender+birth=month+geography=county"), policy("race+birth=year+geography=zip5")
BOTH = PolicyByState.of("own", "own", "test", {"NC": (COUNTY, COUNTY), "AZ": (ZIP, ZIP), "ME": (ZIP, COUNTY)}, "none")


def test_what_it_releases_is_enough_for_every_state():
    assert str(BOTH.releases) == "gender+race+birth=month+geography=county_zip5"


def test_every_state_has_its_own_under_the_common_name():
    low, high = BOTH.in_state("NC")
    assert low == high
    assert (low.name, low.releases) == ("own", COUNTY.releases)
    assert [end.releases for end in BOTH.in_state("ME")] == [ZIP.releases, COUNTY.releases]
    assert BOTH.in_state("OH") is None
    assert COUNTY.in_state("OH") == (COUNTY, COUNTY)


def test_in_one_state_it_is_that_states_policy():
    assert for_states(BOTH, ("NC",)).releases == COUNTY.releases
    assert for_states(BOTH, ("ME",)) is BOTH  # two ends are not one policy
    assert for_states(BOTH, ("OH",)) is BOTH
    assert for_states(BOTH, ("NC", "AZ")) is BOTH
    assert for_states(COUNTY, None) is COUNTY


def test_a_change_reaches_every_state():
    coarse = policy("birth=year+geography=state")
    changed = BOTH.mapped(lambda _: coarse)
    assert changed.releases == coarse.releases
    assert changed.in_state("AZ")[0].releases == coarse.releases


def test_a_question_about_one_policy_refuses_it():
    assert same_in_every_state(COUNTY) is COUNTY
    with pytest.raises(InputError, match="differs by state"):
        same_in_every_state(BOTH)


def test_no_state_is_no_policy():
    with pytest.raises(InputError, match="no state"):
        PolicyByState.of("own", "own", "test", {}, "none")
