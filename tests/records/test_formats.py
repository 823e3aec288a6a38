"""Columns as codes."""

from __future__ import annotations

import csv
import gzip

import numpy as np
import pandas as pd
import pytest

from policy_sim.records.formats import CodedColumn, CodedTable, header_of, read_coded, write_coded
from policy_sim.words.errors import InputError, SourceError, UnknownNameError


def test_codes_and_texts_are_one_another():
    column = CodedColumn.of(["b", "?", "a", None, "b"], missing=("", "?"))
    assert column.values == ("a", "b")
    assert column.codes.tolist() == [2, 0, 1, 0, 2]
    assert column.texts().tolist() == ["b", "", "a", "", "b"]
    assert column.missing == 2


def test_relabeled_values_merge_and_an_empty_label_is_missing():
    column = CodedColumn.of(["a", "b", "c", ""]).relabeled(["*", "x", "", "x"])
    assert column.texts().tolist() == ["x", "", "x", "*"]
    assert column.values == ("*", "x")


def test_blanked_rows_lose_their_value():
    blanked = CodedColumn.of(["a", "b"]).blanked(np.array([True, False]))
    assert blanked.texts().tolist() == ["", "b"]


def test_a_table_takes_rows_and_drops_columns():
    table = CodedTable({"a": CodedColumn.of(["1", "2", "3"]), "b": CodedColumn.of(["x", "y", "x"])})
    part = table.take(np.array([True, False, True])).without(["b"])
    assert (part.rows, part.names) == (2, ("a",))
    assert part["a"].texts().tolist() == ["1", "3"]
    with pytest.raises(UnknownNameError, match="column 'b'"):
        part["b"]


def test_columns_of_different_lengths_make_no_table():
    with pytest.raises(InputError, match="one length"):
        CodedTable({"a": CodedColumn.of(["1"]), "b": CodedColumn.of([])})
    with pytest.raises(InputError):
        CodedTable({})


# Files in, the same files out.


ROWS = [
    ["mrn", "note", "zip"],
    ["0017", 'says "no", twice', "02139"],
    ["18", "two\nlines", ""],
    ["0017", "=1+1", "?"],
    ["é", "", "NA"],
]


def texts(table):
    return [list(table.names), *map(list, zip(*(c.texts().tolist() for c in table.columns.values()), strict=True))]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_every_value_is_text_and_comes_back(tmp_path, separator):
    path = tmp_path / "in.csv"
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file, delimiter=separator).writerows(ROWS)
    table = read_coded(path)
    assert texts(table) == ROWS
    write_coded(table, tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
        assert [*csv.reader(file)] == ROWS
    assert texts(read_coded(tmp_path / "out.csv")) == ROWS


def test_declared_codes_are_missing_and_sorted_values_have_codes(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("a\nz\n?\nb\n", encoding="utf-8")
    column = read_coded(path, ["?"])["a"]
    assert (column.values, column.codes.tolist()) == (("b", "z"), [2, 0, 1])


def test_parquet_and_gzip(tmp_path):
    frame = pd.DataFrame({"age": [30, 41], "sex": ["F", None]})
    frame.to_parquet(tmp_path / "in.parquet", index=False)
    assert texts(read_coded(tmp_path / "in.parquet")) == [["age", "sex"], ["30", "F"], ["41", ""]]
    with gzip.open(tmp_path / "in.csv.gz", "wt", encoding="utf-8") as file:
        file.write("age,sex\n30,F\n41,\n")
    table = read_coded(tmp_path / "in.csv.gz")
    assert texts(table) == [["age", "sex"], ["30", "F"], ["41", ""]]
    write_coded(table, tmp_path / "out.parquet")
    assert pd.read_parquet(tmp_path / "out.parquet")["sex"].isna().tolist() == [False, True]
    assert texts(read_coded(tmp_path / "out.parquet")) == texts(table)


def test_many_rows_are_written_in_parts(tmp_path):
    values = np.arange(250_000) % 7
    table = CodedTable({"a": CodedColumn((values + 1).astype(np.int32), tuple("0123456"))})
    write_coded(table, tmp_path / "out.csv")
    back = read_coded(tmp_path / "out.csv")
    np.testing.assert_array_equal(back["a"].codes, table["a"].codes)


def test_what_is_no_file_of_records(tmp_path):
    with pytest.raises(SourceError, match=r"(?i)no such file"):
        read_coded(tmp_path / "none.csv")
    for text, why in (
        (",,\n1,2,3\n", "looks like a record"),
        (",,\n,,\n", "names no column"),
        ("a,a\n1,2\n", "named twice"),
        ("12,12\n1,2\n", "looks like a record"),
    ):
        (tmp_path / "x.csv").write_text(text)
        with pytest.raises(InputError, match=why):
            read_coded(tmp_path / "x.csv")
    (tmp_path / "x.csv").write_text("a,b\n")
    with pytest.raises(InputError, match="no record"):
        read_coded(tmp_path / "x.csv")


def test_messages_quote_no_record(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\nsecret,3,4,5\n")
    with pytest.raises(SourceError, match=r"line 3 has 4 columns, .* header has 2") as raised:
        read_coded(tmp_path / "x.csv")
    assert "secret" not in str(raised.value)
    assert raised.value.__cause__ is None


def test_the_header_alone(tmp_path):
    (tmp_path / "x.csv").write_text('"a;b",c\n1,2\n')
    assert header_of(tmp_path / "x.csv", ",").header == ("a;b", "c")
