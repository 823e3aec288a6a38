"""The tables of a check, and the mapping that it writes: a mapping that every command can read."""

import tomllib
from types import SimpleNamespace

import numpy as np

from policy_sim.population.cells import RACES
from policy_sim.records.check_tables import column_frame, finding_frame, mapping_text
from policy_sim.records.column_findings import column_findings
from policy_sim.records.column_kinds import ColumnValues, column_kind


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
