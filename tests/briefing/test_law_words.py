"""A bill in words: no item is named as it is typed."""

import pytest

from policy_sim.briefing.law_words import law_words
from policy_sim.granularity import GRANULARITIES, Field
from policy_sim.voter_lists.amendments import CHANGEABLE
from policy_sim.voter_lists.buyers import BUYERS, USES


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"birth": "withheld"}, "the list shows no birth date or year"),
        ({"birth": "decade"}, "the list shows births by decade"),
        ({"geography": "zip5"}, "the list shows the ZIP code"),
        ({"race": "unknown"}, "the list may or may not show race"),
        ({"price": "0"}, "the list is free"),
        ({"price": "unknown"}, "the price of the list is unknown"),
        ({"buyers": "public"}, "anyone may have the list"),
        ({"buyers": "nobody"}, "nobody may have the list"),
        ({"uses": "political"}, "the list is for political uses only"),
        (
            {"buyers": "party,candidate", "uses": "political"},
            "only parties and candidates may have the list, for political uses only",
        ),
        ({"status": "county_only", "price": "5"}, "only counties or towns sell their lists; it costs $5"),
    ],
)
def test_words(changes, words):
    assert law_words(changes) == words


@pytest.mark.parametrize("item", CHANGEABLE)
def test_every_item_has_words(item):
    values = ["included", "withheld", "unknown"]
    values = list(GRANULARITIES[Field(item)]) if item in {field.value for field in Field} else values
    values = {"price": ["3"], "buyers": list(BUYERS), "uses": list(USES), "status": ["available", "not_sold"]}.get(
        item, values
    )
    for value in values:
        words = law_words({item: value})
        assert "=" not in words
        assert "_" not in words
        assert "gender" not in words
