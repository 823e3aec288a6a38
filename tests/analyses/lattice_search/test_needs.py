"""What a study needs released, and which policies release it."""

from __future__ import annotations

import numpy as np
import pytest

from policy_sim.analyses.lattice_search.needs import Needs
from policy_sim.errors import InputError, UnknownNameError
from policy_sim.policies.lattice import policy_from_text


@pytest.mark.parametrize(
    ("needed", "policy", "met"),
    [
        (["sex", "race"], "gender+race+birth=year+geography=state", True),
        (["sex", "race"], "gender+race=broad+geography=state", False),
        (["race=broad"], "race+geography=county", True),
        (["gender"], "race+geography=county", False),
        (["birth=five_years"], "birth=decade+geography=state", False),
        (["birth=five_years"], "birth=month+geography=state (age<90)", True),
        (["birth=five_years"], "birth=month+geography=state (age<85)", False),
        (["sex"], "gender+birth=year+geography=state (age<80)", True),
        (["geography=county"], "geography=county_zip5", True),
        (["geography=county"], "geography=county (county>20000)", False),
        ([], "birth=year+geography=state", True),
    ],
)
def test_met_or_not(needed, policy, met):
    assert Needs.of(needed).met_by(policy_from_text(policy)) is met


def test_classes_may_not_reach_over_what_is_needed():
    lower, width = np.array([*range(100), 100, 105, 110]), np.array([1] * 100 + [5, 5, 1])
    allowed = Needs.of("birth=five_years").classes(lower, width)
    assert allowed[0, 5], "0 to 4 is a class of five years"
    assert not allowed[0, 6]
    assert not allowed[3, 7], "3 to 6 lies in two of them"
    assert allowed[90, 103], "90 and over may be one class"
    assert not allowed[89, 91]
    assert Needs.of(["sex"]).classes(lower, width).all()
    assert not Needs.of("birth=month").classes(lower, width).any(), "a class of years tells no month"


@pytest.mark.parametrize("word", ["birth", "geography"])
def test_a_field_of_several_granularities_needs_one(word):
    with pytest.raises(InputError, match=rf"^How finely do you need {word}\? Write {word}= and one of "):
        Needs.of([word])


def test_what_is_refused():
    with pytest.raises(InputError, match="gender is named twice"):
        Needs.of(["sex", "gender"])
    with pytest.raises(UnknownNameError):
        Needs.of(["income"])
    with pytest.raises(UnknownNameError):
        Needs.of(["race=full"])


def test_nothing_is_needed_by_default():
    assert not Needs.of([]).any
    assert Needs.of("sex").any
