from __future__ import annotations

from policy_sim.granularity import GRANULARITIES, Field
from policy_sim.voter_lists.recorded_fields import LIST_FIELDS, RECORDED_FIELDS, RecordedField

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
