"""What a buyer may see: every combination of the unknown fields, each once."""

from __future__ import annotations

import itertools

import pytest

from policy_sim.voter_lists.list_field import (
    AVAILABILITIES,
    BUYERS,
    LIST_FIELDS,
    NO_RULE,
    RECORDED_FIELDS,
    USES,
    Allowed,
    ListField,
    RecordedField,
    views_of,
)
from policy_sim.words.fields import GRANULARITIES, Field

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


MODELED = {name: field for name, field in RECORDED_FIELDS.items() if field.name in {each.value for each in Field}}


def test_every_field_has_its_own_name_as_key():
    assert tuple(field.name for field in RECORDED_FIELDS.values()) == LIST_FIELDS == tuple(RECORDED_FIELDS)


def test_every_field_of_the_model_is_recorded_and_linked_in_its_own_granularities():
    assert set(MODELED) == {field.value for field in Field}
    for name, field in MODELED.items():
        known = list(GRANULARITIES[Field(name)])
        assert field.finest in known[1:]
        places = [known.index(word) for word in field.linked_as]
        assert places == sorted(set(places)), "coarsest first"
        assert field.linked_as[-1] == field.finest


def test_only_a_graded_field_says_how_finely_it_is_shown():
    birth = RECORDED_FIELDS["birth"]
    assert birth.granularities == tuple(GRANULARITIES[Field.BIRTH])[1:]
    assert "none" not in birth.granularities
    assert RECORDED_FIELDS["gender"].granularities == ()


def test_a_field_is_recorded_without_a_part_in_the_model_by_default():
    assert (RecordedField("phone").linked_as, RecordedField("phone").finest) == ((), "")


# Classes of buyers and uses, and a rule that no source states.


def test_each_class_is_there_once_and_the_widest_comes_first():
    assert (BUYERS[0], USES[0]) == ("public", "any")
    assert len(set(BUYERS)) == len(BUYERS)
    assert len(set(USES)) == len(USES)


def test_a_rule_that_nobody_states_is_not_a_rule_that_allows_nobody():
    assert NO_RULE.names is None
    assert Allowed(()) != NO_RULE
