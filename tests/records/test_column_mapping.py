from __future__ import annotations

from policy_sim.records.column_mapping import ColumnMapping, FieldColumn

LOWER, OTHER = FieldColumn("SEX", {"1": "M"}), FieldColumn("Sex of person")


def test_a_field_without_an_entry_is_in_the_column_of_its_own_name():
    assert ColumnMapping().entry("age") is None
    assert ColumnMapping().column("age") == FieldColumn("age")


def test_case_does_not_matter_unless_the_very_name_is_there():
    mapping = ColumnMapping({"sex": LOWER})
    assert mapping.column("SEX") is LOWER
    both = ColumnMapping({"sex": LOWER, "SEX": OTHER})
    assert both.column("SEX") is OTHER
    assert both.column("sex") is LOWER


def test_only_what_is_empty_is_missing_by_default():
    assert ColumnMapping().missing == ("",)
    assert FieldColumn("age").codes == {}
