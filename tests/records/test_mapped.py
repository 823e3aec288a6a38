from __future__ import annotations

import numpy as np

from policy_sim.records.census_values import ColumnMapping, FieldColumn
from policy_sim.records.classes import Classes
from policy_sim.records.mapped import FieldMeanings, field_meanings, looks_missing, mapped_fields, mapped_groups

ROWS = [("1", "a"), ("M", "a"), ("male", "b"), ("2", "a"), ("2", "a"), (None, "b"), ("9", "b")]
CLASSES = Classes.of_rows(ROWS, ("sex", "ward"))
VALUES = ["1", "2", "9", "M", "male"]
MAPPING = ColumnMapping({"sex": FieldColumn("sex", {"1": "M", "2": "F", "9": ""})})


def test_values_that_a_census_knows_are_read_and_others_stay():
    assert field_meanings("sex", VALUES, MAPPING).texts == ("M", "F", None, "M", "M")
    assert field_meanings("ward", ["a", ""], ColumnMapping()).texts == ("a", None)
    assert mapped_fields(("sex", "ward"), MAPPING) == ("sex",)


def test_merging_keeps_every_record_and_is_what_the_rows_give_by_hand():
    merged, group = mapped_groups(CLASSES, {"sex": field_meanings("sex", VALUES, MAPPING)})
    plain = {"1": "M", "male": "M", "2": "F", "9": None}
    by_hand = Classes.of_rows([(plain.get(sex, sex), ward) for sex, ward in ROWS], ("sex", "ward"))
    assert merged.sizes.sum() == len(ROWS)
    assert sorted(merged.sizes.tolist()) == sorted(by_hand.sizes.tolist())
    assert merged.values == by_hand.values == (2, 2)
    np.testing.assert_array_equal(np.bincount(group, weights=CLASSES.sizes), merged.sizes)


def test_two_files_get_the_same_codes():
    one, two = (Classes.of_rows([(sex,)], ("sex",)) for sex in ("x", "y"))
    meanings = [{"sex": FieldMeanings((text,))} for text in ("M", "F")]
    first, _ = mapped_groups(one, meanings[0], meanings[1])
    second, _ = mapped_groups(two, meanings[1], meanings[0])
    assert (first.codes[0, 0], second.codes[0, 0]) == (2, 1)  # F, M in their order
    assert first.values == second.values == (2,)


def test_a_mark_is_named_unless_the_mapping_knows_it():
    classes = Classes.of_rows([("?",), ("?",), ("b",)], ("ward",))
    (hint,) = looks_missing(classes, {"ward": ["?", "b"]}, ColumnMapping())
    assert hint.startswith("ward: '?' in 2 records")
    known = ColumnMapping({"ward": FieldColumn("ward", {"?": ""})})
    assert looks_missing(classes, {"ward": ["?", "b"]}, known) == ()
