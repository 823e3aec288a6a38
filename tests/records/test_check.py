"""The tables of a check, and the mapping that it writes: a mapping that every command can read."""

from __future__ import annotations

import tomllib
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from said import numbers

from policy_sim import RecordFile
from policy_sim.people.population import RACES
from policy_sim.records.check import (
    column_findings,
    column_frame,
    finding_frame,
    mapping_text,
    not_recognized,
    safe_harbor_ask,
)
from policy_sim.records.column_kinds import ColumnKind, ColumnValues, column_kind
from policy_sim.records.identifiers import names_in


def checked(name, texts, records):
    held = ColumnValues(name, texts, np.array(records, dtype=np.int64), 2)
    kind = column_kind(held)
    return SimpleNamespace(held=held, kind=kind, findings=column_findings(held, kind))


def test_counts_by_hand():
    columns = [checked("DOB", ["1980-04-01", "soon"], [3, 1]), checked("x", ["a", "b"], [2, 2])]
    frame = column_frame(columns)
    assert frame[["column", "kind", "records", "missing", "values"]].values.tolist() == [
        ["DOB", "key field", 4, 2, 2],
        ["x", "code", 4, 2, 2],
    ]
    assert finding_frame(columns)[["values", "records"]].values.tolist() == [[1, 1]]
    assert finding_frame([]).empty


def test_the_mapping_is_toml_whatever_the_columns_are_called():
    columns = [
        checked('DO"B\n= 1', ["1980-04-01"], [4]),
        checked("sex", ["M", "F"], [1, 1]),
        checked("Sex 2", ["M", "F"], [1, 1]),
    ]
    text = mapping_text([*columns, checked("a\nb = 3", ["a", "b"], [2, 2])])
    read = tomllib.loads(text)
    assert read["fields"]["sex"] == {"column": "sex"}
    assert "Sex 2" in text  # in a comment: one column per field
    assert set(read) == {"missing", "fields"}


def test_the_mapping_names_words_for_a_missing_value_and_the_races():
    text = mapping_text([checked("race", ["W", "Unknown", "NULL"], [5, 1, 1])])
    suggested = next(line for line in text.splitlines() if "If these do" in line).split("missing = ")[1]
    assert tomllib.loads(f"missing = {suggested}")["missing"] == ["", "NULL", "Unknown"]
    codes = next(line for line in text.splitlines() if line.startswith("# codes"))
    assert set(tomllib.loads(codes.removeprefix("# "))["codes"].values()) == set(RACES)


# What Safe Harbor asks of a column, read off the regulation's own list.


def ask(name, texts):
    values = ColumnValues(name, texts, np.arange(len(texts), 0, -1), 0)
    return safe_harbor_ask(values, column_kind(values))


@pytest.mark.parametrize(
    ("name", "texts", "word"),
    [
        ("MRN", ["1", "2"], "remove"),
        ("Med Rec #", ["H1", "H2"], "remove"),
        ("Patient Name", ["Doe", "Roe"], "remove"),
        ("County FIPS", ["39049", "39035"], "smaller than the state"),
        ("city", ["Lima", "Kent"], "smaller than the state"),
        ("DOB", ["1980-05-06", "1931-01-02"], "the year only, and births"),
        ("DOB", ["1980", "1931"], "births of people over 89"),
        ("Admit Date", ["03/04/2023", "12/25/2023"], "the year only"),
        ("ZIP", ["43215", "6880"], "three digits, and 000"),
        ("ZIP", ["432", "068"], "write 000"),
        ("zip3", ["432", "068"], "write 000"),
        ("age", ["34", "91"], "90 or older"),
        ("age", ["34", "95+"], "90 or older"),
        ("age", ["80-84", "85-94"], "90 or older"),
    ],
)
def test_what_is_asked(name, texts, word):
    assert word in ask(name, texts)


NOT_ASKED = {"sex": [["F", "M"]], "race": [["white", "black"]], "state": [["OH", "IN"]], "Dx": [["E11.9", "I10"]]}
NOT_ASKED |= {"age": [["34", "89"], ["34", "90+", "Unknown"], ["80-84", "85+"]], "Discharge Date": [["2023", "2022"]]}


@pytest.mark.parametrize(("name", "texts"), [(name, texts) for name, each in NOT_ASKED.items() for texts in each])
def test_where_nothing_is_asked(name, texts):
    assert ask(name, texts) == ""


def test_a_column_too_full_to_be_looked_at_is_asked_all():
    many = ColumnValues("age", None, np.ones(3, dtype=np.int64), 0)
    assert "90 or older" in safe_harbor_ask(many, ColumnKind("key field", "its name", "age"))


@pytest.mark.parametrize(
    ("name", "texts"),
    [("x1", ["7", "9"]), ("payer", ["Medicare", "Self"]), ("flag", ["no", "yes", "NA-code"]), ("site", ["A"])],
)
def test_a_column_that_is_not_recognized_gets_no_clean_verdict(name, texts):
    assert ask(name, texts) == not_recognized()


@pytest.mark.parametrize(("name", "texts"), [("sex", ["Roe", "Doe"]), ("state", ["OH 43210", "12 Main St"])])
def test_a_known_name_with_values_of_something_else_is_looked_at(name, texts):
    assert ask(name, texts).startswith("look at its values") or "remove" in ask(name, texts)


def test_months_and_days_of_the_week_are_parts_of_dates():
    assert "remove: a part of a date" in ask("mon", ["March", "April"])


# What to mend in a column, counted by hand.


def findings(texts, records, kind, field="", name="c"):
    held = ColumnValues(name, texts, np.array(records, dtype=np.int64), 0)
    return {one.problem: (one.values, one.records) for one in column_findings(held, ColumnKind(kind, "", field))}


ALIKE = "spellings that differ only in case, blanks, accents or punctuation"
NUMBERS_FOR_MISSING = "numbers such as -9 or 999 that often mean a missing value"
# By column: its kind and field, its values and their records, and what is found in how many values and records.
FOUND = [
    ("code", "", "NORTH|North |Süd|Sud|West", [5, 1, 2, 3, 9], {ALIKE: (4, 11)}),
    ("code", "", "<=50K|>50K|A+|A", [1, 1, 1, 1], {}),  # signs that change the meaning are no spelling
    (
        "key field",
        "zip5",
        "6010|06011|6012.0",
        [3, 4, 5],
        {"codes with fewer than 5 digits: leading zeros are lost": (2, 8)},
    ),
    ("key field", "age", "34|-9|999", [10, 2, 3], {NUMBERS_FOR_MISSING: (2, 5)}),
    # many people of 99 may be nobody's age
    ("key field", "age", "40|90|98|99", [50, 3, 2, 30], {NUMBERS_FOR_MISSING: (1, 30)}),
    ("key field", "age", "40|90|98|99", [50, 3, 2, 9], {}),
    ("key field", "age", "40|99", [50, 4], {}),
    ("number", "", "40|99", [50, 30], {}),
    ("key field", "age", "20-24|90+|41", [2, 3, 4], {"age classes such as 20-24 or 90+": (1, 2)}),
    (
        *("key field", "county", "Allen| Lucas|39001|#1", [3, 2, 4, 1]),
        {"names of counties, which do not say the state": (2, 5), "values of county that are not understood": (1, 1)},
    ),
    ("date", "", "2020-01-05|2020-02-31|soon", [2, 3, 4], {"dates that are not understood": (2, 7)}),
    (
        *("date", "", "2020-01-05|01/02/2020|03/04/2020", [2, 3, 4]),
        {"dates in which the day and the month are ambiguous": (2, 7)},
    ),
    *((kind, "", "2020-01-05|2020-01-06", [2, 2], {}) for kind in ("code", "date", "number", "free text", "constant")),
]


@pytest.mark.parametrize(("kind", "field", "texts", "records", "seen"), FOUND)
def test_what_is_found_in_a_column(kind, field, texts, records, seen):
    assert findings(texts.split("|"), records, kind, field) == seen


def test_missing_marks_beside_numbers():
    seen = findings(["34", "NA", "-9", "999", "Unknown"], [10, 1, 2, 3, 4], "key field", "age")
    assert seen["texts that look like a missing value"] == (2, 5)
    assert seen[NUMBERS_FOR_MISSING] == (2, 5)


def test_several_records_of_one_person():
    ((problem, counts),) = findings(["1", "2", "3"], [4, 1, 2], "direct identifier", name="patient_id").items()
    assert numbers(problem) == ["4"]
    assert counts == (2, 6)
    assert findings(["1", "2", "3"], [4, 1, 2], "direct identifier", name="serial") == {}


def test_values_of_race_that_leave_the_field_open_are_named_and_unknown_is_no_finding():
    def found(*texts):
        return checked("race", texts, [20] * len(texts)).findings

    assert found("White", "Hispanic", "Declined", "Black") == ()
    (finding,) = found("White", "Black Hispanic", "Black")
    assert "name the field race_ethnicity" in finding.remedy


def test_a_mapping_to_edit_has_an_example_for_each_way_to_ask_race():
    def lines(name, *texts):
        return mapping_text([checked(name, texts, [20] * len(texts))])

    combined = lines("RACE", "White", "Hispanic", "Black")
    assert '[fields.race_ethnicity]\ncolumn = "RACE"' in combined
    assert '"3" = "hispanic", "4" = "asian or nhpi"' in combined
    assert '# codes = { "1" = "hispanic", "2" = "not_hispanic" }' in lines("ethnicity", "1", "2")


@pytest.mark.parametrize(
    ("values", "records", "named"),
    [
        ("Very good,Good,Fair,Poor", 50, False),
        ("Red,Yellow,Green,Black", 2, False),
        ("April,May,June,July", 9, False),
        ("North,South,East,West", 3, False),
        ("April,May,June", 1, True),  # each of one person: first names
        ("Green,White,Cook,Baker,Mason", 50, True),
        ("Smith,Good,Johnson,Young,Garcia,Long,Nguyen", 5, True),
    ],
)
def test_answers_that_are_names_too_name_nobody_where_they_repeat(values, records, named):
    texts = sorted(values.split(","))
    called = {hit.called for hit in names_in(texts, np.full(len(texts), records))}
    assert ("first or last names" in called) == named


# Columns of files as the engine reads them: twins and nameless columns are left alone.


def test_counts_of_a_csv_with_an_index_and_a_twin(tmp_path):
    path = tmp_path / "f.csv"
    path.write_text(",sex,x,x\n1,M,1,2\n2,,3,4\n3,M,5,6\n")
    result = RecordFile.check(path)
    (column,) = result.answer
    assert (column.held.name, column.held.filled, column.held.missing, column.held.distinct) == ("sex", 2, 1, 1)
    assert any("'x' appears twice" in note for note in result.notes)
    assert any("3 records" in note for note in result.notes)


def test_parquet_keeps_its_numbers(tmp_path):
    pq.write_table(pa.table({"age": [30, 31, None, 999]}), tmp_path / "f.parquet")
    (column,) = RecordFile.check(tmp_path / "f.parquet").answer
    assert (column.kind.field, column.held.missing) == ("age", 1)
    assert [finding.records for finding in column.findings] == [1]
