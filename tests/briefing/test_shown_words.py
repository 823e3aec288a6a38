"""A policy of one line as a person who signs reads it."""

import pytest

from policy_sim.briefing.sentences import policy_words
from policy_sim.briefing.shown_words import shown_words
from policy_sim.granularity import GRANULARITIES, Field
from policy_sim.policies.lattice import policy_from_text


@pytest.mark.parametrize("granularity", [name for name in GRANULARITIES[Field.BIRTH] if name != "none"])
@pytest.mark.parametrize("place", [name for name in GRANULARITIES[Field.GEOGRAPHY] if name != "nation"])
def test_every_line_is_words(granularity, place):
    """No identifier of ours reaches a page to sign."""
    name = policy_from_text(f"sex+race=broad+birth={granularity}+geography={place}").name
    words = policy_words(name)
    assert words.startswith("a policy that shows sex, race in broad classes")
    assert not any(sign in words for sign in "_=+")
    assert "gender" not in words


def test_conditions_follow_what_they_limit():
    name = policy_from_text("race+birth=year+geography=county (age<90+county>20000)").name
    assert shown_words(name) == (
        "race",
        "year of birth",
        "ages of 90 and over as one class",
        "county",
        "no county of 20,000 people or fewer",
    )


def test_other_names_stay():
    assert policy_words("ours") == "the policy ours"
    assert policy_words("five-year-age") == "the policy five-year-age"
