"""Rows that are blank in every cell are no people, in any kind of file, and every message counts them as rows."""

from __future__ import annotations

import csv
import gzip
import io

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from policy_sim import RecordFile
from policy_sim.records.blank_rows import own_numbers
from policy_sim.records.formats import header_of, read_coded
from policy_sim.words.errors import SchemaError, SourceError

ROWS = [["30", "F", "a"], ["", "", ""], ["30", "F", "b"], [" ", "  ", "\u00a0"], ["", "M", ""], ["", "", ""]]
BLANK = (2, 4, 6)


def _text(rows, separator=",", end="\n"):
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator=end).writerows([["age", "sex", "note"], *rows])
    return out.getvalue()


def _workbook(path, rows, top=0):
    book = openpyxl.Workbook()
    for at, row in enumerate([["age", "sex", "note"], *rows], 1 + top):
        for column, text in enumerate(row, 1):
            book.active.cell(at, column, text or None)
    if top:
        book.active.cell(1, 1, "Run on:")
    book.save(path)


def _file(folder, name, rows=ROWS):
    path = folder / name
    if name.endswith(".xlsx"):
        _workbook(path, rows[:-1])  # a last empty row is none in a sheet
        _workbook(path, [*rows[:-1], [" ", "", ""]])
    elif name.endswith(".parquet"):
        columns = [[text or None for text in column] for column in zip(*rows, strict=True)]
        pq.write_table(pa.table(dict(zip(("age", "sex", "note"), columns, strict=True))), path)
    elif name.endswith(".gz"):
        path.write_bytes(gzip.compress(_text(rows).encode()))
    elif name == "utf16.csv":
        path.write_bytes(_text(rows).encode("utf-16"))
    else:
        path.write_bytes(_text(rows, ";" if "semi" in name else ",", "\r\n" if "windows" in name else "\n").encode())
    return path


KINDS = ("v.csv", "windows.csv", "semi.csv", "utf16.csv", "v.csv.gz", "v.xlsx", "v.parquet")


@pytest.mark.parametrize("name", KINDS)
def test_blank_rows_of_any_kind_of_file_are_left_out_and_counted(tmp_path, name):
    path = _file(tmp_path, name)
    assert header_of(path).blank == BLANK
    assert read_coded(path)["age"].texts().tolist() == ["30", "30", ""]
    asked = RecordFile(path, "age,sex").profile(list_records=True)
    assert asked.answer.risk.records == 3
    assert asked.answer.risk.uniques == 1
    assert [note for note in asked.notes if "3 rows" in note and "blank" in note] != []
    assert sum("blank in every cell" in note for note in asked.notes) == 1
    assert asked.tables["records"]["row"].tolist() == [1, 3, 5]


def test_a_file_without_blank_rows_is_read_as_it_is(tmp_path):
    rows = [["30", "F", ","], ['"', ";", "-"], ["", "M", ""], ["1\n,,\n", "F", "x"]]
    path = _file(tmp_path, "v.csv", rows)
    assert header_of(path).copy is None
    assert read_coded(path).rows == 4
    assert not [note for note in RecordFile(path, "age").profile().notes if "blank" in note]
    stored = _file(tmp_path, "v.parquet", rows)
    assert header_of(stored).copy is None


def test_a_value_with_lines_of_its_own_is_no_blank_row_and_is_numbered_as_one(tmp_path):
    path = _file(tmp_path, "v.csv", [["1\n,,\n", "F", "x"], ["", "", ""], ["2", "F", ""]])
    assert header_of(path).blank == (2,)
    assert read_coded(path)["age"].texts().tolist() == ["1\n,,\n", "2"]
    assert RecordFile(path, "age").profile(list_records=True).tables["records"]["row"].tolist() == [1, 3]


def test_messages_count_the_lines_of_the_file(tmp_path):
    path = tmp_path / "v.csv"
    path.write_text("age,sex\n1,F\n,\n,\n2,M,3\n")
    with pytest.raises(SourceError, match=r"line 5 has 3 columns"):
        read_coded(path)
    with pytest.raises(SchemaError, match=r"line 5 has 3 columns"):
        RecordFile(path, "age").profile()


def test_a_row_without_a_place_is_named_by_its_number_in_the_file(tmp_path):
    path = tmp_path / "v.csv"
    path.write_text("age,county\n,\n30,10003\n,\n30,nowhere\n")
    scored = RecordFile(path, "age,county").score("DE", "general")
    assert scored.tables["outside"]["row"].tolist() == [4]
    assert sum("2 rows are blank" in note for note in scored.notes) == 1


def test_files_of_a_folder_are_numbered_one_after_the_other(tmp_path):
    (tmp_path / "a.csv").write_text("age,sex\n1,F\n,\n2,F\n")
    (tmp_path / "b.csv").write_text("age,sex\n,\n3,F\n,\n")
    (tmp_path / "c.csv").write_text("age,sex\n4,F\n")
    asked = RecordFile(tmp_path, "age,sex").profile(list_records=True)
    assert asked.tables["records"]["row"].tolist() == [1, 3, 5, 7]
    assert sum("3 rows" in note for note in asked.notes) == 1


def test_a_blank_row_of_a_single_column_is_a_missing_value(tmp_path):
    path = tmp_path / "v.csv"
    path.write_text('age\n1\n""\n2\n')
    assert header_of(path).blank == ()
    assert RecordFile(path, "age").profile().answer.risk.records == read_coded(path).rows == 3


def test_names_below_rows_that_are_blank(tmp_path):
    path = tmp_path / "v.csv"
    path.write_text(",\n ,\nage,sex\n1,F\n,\n2,M\n")
    assert header_of(path).header == ("age", "sex")
    assert read_coded(path)["age"].texts().tolist() == ["1", "2"]
    _workbook(tmp_path / "v.xlsx", ROWS, top=2)
    assert header_of(tmp_path / "v.xlsx").blank == BLANK[:2]


def test_blank_rows_at_the_ends_of_what_is_read_at_a_time(tmp_path, monkeypatch):
    """Wherever a part of the file ends, the same rows are found."""
    rows = [["", ""] if at % 3 == 1 else [str(at), "x"] for at in range(12)]
    text = "a,b\n" + "".join(f"{','.join(row)}\n" for row in rows)
    expected = tuple(at + 1 for at, row in enumerate(rows) if not any(row))
    for size in (1, 2, 3, 7, 1000):
        monkeypatch.setattr("policy_sim.records.blank_rows._CHUNK", size)
        path = tmp_path / f"v{size}.csv"
        path.write_text(text)
        assert header_of(path).blank == expected
        (tmp_path / f"w{size}.csv").write_text("a,b\n1,2\n,")
        assert header_of(tmp_path / f"w{size}.csv").blank == (2,)


def test_numbers_by_hand():
    rng = np.random.default_rng(5)
    for _ in range(20):
        is_blank = rng.random(30) < 0.3
        expected = (np.flatnonzero(~is_blank) + 1).tolist()
        assert own_numbers((np.flatnonzero(is_blank) + 1).tolist(), len(expected)).tolist() == expected


def test_a_table_of_numbers_with_null_rows(tmp_path):
    path = tmp_path / "v.parquet"
    pd.DataFrame({"age": [1.0, None, 3.0], "sex": pd.Categorical(["F", None, ""])}).to_parquet(path)
    assert header_of(path).blank == (2,)
    assert read_coded(path).rows == 2
