"""Conditions of a policy: what they may say, and when they change anything."""

from __future__ import annotations

import pytest

from policy_sim.errors import InputError, UnknownNameError
from policy_sim.granularity import Granularities
from policy_sim.policies.policy import NO_CONDITIONS, Conditions, SmallPlaces

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
