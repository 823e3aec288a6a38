"""Conditions of a policy: what they may say, and when they change anything."""

from __future__ import annotations

import pickle

import pandas as pd
import pytest

from policy_sim.policies.files import list_policies, load_policy
from policy_sim.policies.policy import (
    NO_CONDITIONS,
    Conditions,
    Policy,
    PolicyByState,
    Rule,
    SmallPlaces,
    for_states,
    lattice_for,
    policy_columns,
    policy_frame,
    policy_from_text,
    rule_frame,
    same_in_every_state,
)
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.fields import Field, Granularities

TRACTS = SmallPlaces("tract", 1_000)


@pytest.mark.parametrize(
    ("make", "error", "line"),
    [
        (lambda: SmallPlaces("state", 20_000), UnknownNameError, "place of a condition"),
        (lambda: SmallPlaces("zip3", -1), InputError, "most = -1 people must be 0 or more"),
        (lambda: Conditions(top_age=0), InputError, "top_age = 0 years must be 1 or more"),
    ],
)
def test_what_makes_no_sense_is_refused(make, error, line):
    with pytest.raises(error, match=line):
        make()


def test_a_condition_on_what_the_key_lacks_changes_nothing():
    conditions = Conditions(top_age=90, small_places=TRACTS)
    assert conditions.on(Granularities(gender="value")) == NO_CONDITIONS
    assert conditions.on(Granularities(birth="year")) == Conditions(top_age=90)


def test_a_list_that_does_not_show_a_place_cannot_lose_it():
    key = Granularities(geography="county")
    assert Conditions(small_places=TRACTS).on(key) == Conditions(small_places=TRACTS)
    assert Conditions(small_places=TRACTS).on(key, listed=True) == NO_CONDITIONS


def test_conditions_in_one_line():
    assert str(Conditions(top_age=90, small_places=SmallPlaces("zip3", 20_000))) == "age<90+zip3>20000"
    assert str(NO_CONDITIONS) == ""


# A policy that differs by state: which state has which, and where it is refused.


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


# As rows: a column for each field, and no 0 where there is no condition.


PLAIN = Policy("plain", "A title", Granularities(birth="year"), "a paper, p. 1")
STRICT = Policy(
    "strict",
    "Another",
    Granularities(birth="date", geography="zip3"),
    "a law",
    Conditions(90, SmallPlaces("zip3", 20_000)),
    (Rule("Ages are years.", "(1)"), Rule("Places are large.", "(2)")),
)


def test_a_condition_that_is_not_there_is_missing_and_not_zero():
    frame = policy_frame([PLAIN, STRICT])
    assert frame["top_age"].tolist() == [pd.NA, 90]
    assert frame["place_above"].tolist() == [pd.NA, 20_000]
    assert policy_columns(STRICT)["geography"] == "zip3"


def test_columns_say_what_every_shipped_policy_releases():
    policies = [load_policy(name) for name in list_policies()]
    frame = policy_frame(policies).set_index("policy")
    for policy in policies:
        shown = {name.value: frame.loc[policy.name, name.value] for name in Field}
        assert Granularities(**shown) == policy.releases


def test_one_row_a_rule_or_the_policy_itself():
    assert rule_frame(STRICT)[["says", "citation"]].to_numpy().tolist() == [
        ["Ages are years.", "(1)"],
        ["Places are large.", "(2)"],
    ]
    assert rule_frame(PLAIN)[["says", "citation"]].to_numpy().tolist() == [["A title", "a paper, p. 1"]]


def test_policies_by_state_go_to_another_process():
    again = pickle.loads(pickle.dumps(BOTH))
    assert again == BOTH
    assert again.in_state("ME") == BOTH.in_state("ME")


# A policy in one line: every point of the lattice is read back as it was named.


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
