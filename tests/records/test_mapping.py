"""A mapping is read whole or refused, with one line for each problem."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest

from policy_sim.records.census_values import ColumnMapping, FieldColumn, Reading
from policy_sim.records.classes import Classes
from policy_sim.records.mapping import (
    MOST_PROBLEMS,
    field_meanings,
    load_field_weights,
    load_mapping,
    looks_missing,
    mapped_fields,
    mapped_groups,
    read_hierarchy,
)
from policy_sim.words.errors import SchemaError, SourceError
from policy_sim.words.fields import Field


def _problems(tmp_path, text):
    path = tmp_path / "m.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SchemaError) as error:
        load_mapping(path)
    assert all(line.startswith(str(path)) for line in str(error.value).splitlines())
    return error.value.problems


def test_a_mapping_as_documented(tmp_path):
    path = tmp_path / "m.toml"
    path.write_text(
        'missing = ["?"]\nseparator = ";"\nreference_date = 2020-04-01\n'
        '[fields.sex]\ncolumn = "SEX"\ncodes = { "1" = "M" }\n[fields.age]\nwidth = 5\ntop = 90\n'
    )
    mapping = load_mapping(path)
    assert (mapping.missing, mapping.separator) == (("", "?"), ";")
    assert mapping.reference_date == dt.date(2020, 4, 1)
    assert (mapping.column("sex").column, mapping.column("sex").codes) == ("SEX", {"1": "M"})
    assert (mapping.column("age").column, mapping.column("age").width, mapping.column("age").top) == ("age", 5, 90)


WRONG = {
    "separator must be one character": ["separator = 5", "separator = []", "separator = 2020-01-01", "[separator]"],
    "missing must be a list of texts": ["missing = 3", "[missing]", "missing = [[]]"],
    "reference_date must be a date without quotes": [
        'reference_date = "2020-04-01"',
        "reference_date = 2020-04-01T00:00:00",
    ],
    "fields must be tables": ["fields = 4", "fields.age = 4", "[[fields]]"],
    "fields.age.column must be a text": [
        "[fields.age]\ncolumn = 3",
        "[fields.age]\ncolumn = ['AGE']",
        "[fields.age.column]",
    ],
    "fields.age.format must be a text": ["[fields.age]\nformat = 2020-01-01"],
    "fields.age.codes must give texts": [f"[fields.age]\ncodes = {wrong}" for wrong in ("'M'", "[1]", "{ '1' = 2 }")],
    "fields.age.width must be a whole number": [f"[fields.age]\nwidth = {wrong}" for wrong in ("'5'", "[]", "true")],
    "fields.age.width must be 1, 2, 3, 4, 5, 10, 15 or 20 years": ["[fields.age]\nwidth = 7"],
    "fields.age.top must be an age": ["[fields.age]\ntop = -1"],
    "fields.age.top must be a whole number": ["[fields.age]\ntop = 1e3"],
    "fields.age.color is not known": ["[fields.age]\ncolor = 1"],
    "color is not a key of a mapping": ["color = 1"],
}


@pytest.mark.parametrize(("text", "said"), [(text, said) for said, texts in WRONG.items() for text in texts])
def test_what_is_wrong_is_one_line(tmp_path, text, said):
    (problem,) = _problems(tmp_path, text)
    assert said in problem
    assert "\n" not in problem
    assert len(problem) < 300


def test_every_problem_is_told_at_once_and_many_are_counted(tmp_path):
    text = (
        'color = 1\nmissing = "?"\nseparator = "ab"\nreference_date = "2020"\n'
        "[fields.age]\nwidth = 7\ntop = true\nshade = 1\n[fields.sex]\ncodes = {a = 1}\n"
    )
    assert len(_problems(tmp_path, text)) == 8
    text = "\n".join(f"[fields.f{i}]\nkey{i} = 1" for i in range(50))
    problems = _problems(tmp_path, text)
    assert len(problems) == MOST_PROBLEMS + 1
    assert problems[-1] == "and 30 more problems."


# Classes in the words of a mapping.


ROWS = [("1", "a"), ("M", "a"), ("male", "b"), ("2", "a"), ("2", "a"), (None, "b"), ("9", "b")]
CLASSES = Classes.of_rows(ROWS, ("sex", "ward"))
VALUES = ["1", "2", "9", "M", "male"]
MAPPING = ColumnMapping({"sex": FieldColumn("sex", {"1": "M", "2": "F", "9": ""})})


def test_values_that_a_census_knows_are_read_and_others_stay():
    assert field_meanings("sex", VALUES, MAPPING).meanings == ("M", "F", None, "M", "M")
    assert field_meanings("ward", ["a", ""], ColumnMapping()).meanings == ("a", None)
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
    meanings = [{"sex": Reading("sex", (text,))} for text in ("M", "F")]
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


# Hierarchies from CSV.


@pytest.mark.parametrize("separator", [";", ",", "\t"])
def test_values_and_labels(tmp_path, separator):
    path = tmp_path / "h.csv"
    path.write_text(f"\ufeffa{separator}ab{separator}*\nb{separator}ab{separator}*\n\n", encoding="utf-8")
    assert read_hierarchy(path) == (("a", "ab", "*"), ("b", "ab", "*"))


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(SourceError, match="No such file"):
        read_hierarchy(tmp_path / "none.csv")
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SourceError, match="UnicodeDecodeError"):
        read_hierarchy(tmp_path / "bytes.csv")


def test_arx_files(shared):
    rows = read_hierarchy(shared / "microdata" / "adult_arx_hierarchies" / "adult_hierarchy_age.csv")
    assert (len(rows), rows[0]) == (100, ("1", "0-4", "0-9", "0-19", "*"))


# Weights from a file, and what a file says that is none.


def _file(tmp_path, text):
    path = tmp_path / "weights.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_of_weights(tmp_path):
    found = load_field_weights(_file(tmp_path, "sex = 1\nrace = 2.5  # what the study is about\n"))
    assert dict(found.worth) == dict.fromkeys(Field, 1) | {Field.RACE: 2.5}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("income = 1", "income is not a field. Use one of sex, race, ethnicity, birth, geography"),
        (f"{'i' * 999} = 1", "iii... is not a field"),
        ("race = 'much'", "race = 'much' is not a number"),
        ("race = true", "is not a number"),
        (f"race = {'9' * 400}", "is not a number"),
        ("race = inf", "is not a number"),
        ("race = -1", "weight of race is -1.0"),
        ("sex = 1\ngender = 2", "gender appears twice"),
        ("sex = 0\nrace = 0\nethnicity = 0\nbirth = 0\ngeography = 0", "every field has weight 0"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, text, says):
    with pytest.raises(SchemaError) as caught:
        load_field_weights(_file(tmp_path, text))
    assert says in str(caught.value)
