"""What a buyer may see: every combination of the unknown fields, each once."""

from __future__ import annotations

import itertools

import pytest

from policy_sim.granularity import Field
from policy_sim.voter_lists.list_field import AVAILABILITIES, ListField, views_of
from policy_sim.voter_lists.recorded_fields import LIST_FIELDS

FINEST = {"gender": "value", "race": "value", "birth": "date", "geography": "county", "zip": "value"}


def _fields(**availabilities):
    words = dict.fromkeys(LIST_FIELDS, "withheld") | availabilities
    return {name: ListField(word, FINEST.get(name, "") if word == "included" else "") for name, word in words.items()}


@pytest.mark.parametrize("words", list(itertools.product(AVAILABILITIES, repeat=2)))
def test_there_is_a_view_for_each_way_in_which_unknown_fields_may_be_held(words):
    sex, birth = words
    views = views_of(_fields(gender=sex, birth=birth))
    assert len(views) == (2 if sex == "unknown" else 1) * (3 if birth == "unknown" else 1)
    assert all(views[0].is_coarser_or_equal(view) and view.is_coarser_or_equal(views[-1]) for view in views)


def test_a_file_of_the_nation_does_not_tell_the_state():
    (view,) = views_of(_fields(birth="included"), "nation")
    assert (view[Field.BIRTH], view[Field.GEOGRAPHY]) == ("date", "nation")
    (view,) = views_of(_fields(zip="included"), "nation")
    assert view[Field.GEOGRAPHY] == "zip5"


def test_other_recorded_fields_are_not_linked_on():
    fields = _fields()
    (alone,) = views_of(fields)
    assert views_of(fields | {"party": ListField("unknown")}) == (alone,)
