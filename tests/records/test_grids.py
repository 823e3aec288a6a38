"""One table in each kind of file is the same rows of texts, and what cannot be read is one line."""

from __future__ import annotations

import gzip

import pandas as pd
import pytest
from openpyxl import Workbook

from policy_sim.records.grids import read_grid
from policy_sim.records.workbooks import sheets_with_values
from policy_sim.tables.files import read_counts
from policy_sim.words.errors import InputError, PolicySimError, SourceError

ROWS = [["county", "cases", "rate"], ["Ållen", "12", "0.5"], ["Lucas", "7", "1.25"]]


def _text(sign=","):
    return "".join(sign.join(row) + "\r\n" for row in ROWS)


def _frame():
    return pd.DataFrame({"county": ["Ållen", "Lucas"], "cases": [12.0, 7.0], "rate": [0.5, 1.25]})


def _write(path, kind):
    if kind in ("csv", "tsv", "semicolon", "utf16", "cp1252"):
        coding = {"utf16": "utf-16", "cp1252": "cp1252"}.get(kind, "utf-8-sig")
        path.write_bytes(_text({"tsv": "\t", "semicolon": ";"}.get(kind, ",")).encode(coding))
    elif kind == "gz":
        path.write_bytes(gzip.compress(_text().encode()))
    elif kind == "xlsx":
        _frame().to_excel(path, index=False)
    elif kind == "parquet":
        _frame().to_parquet(path)
    else:
        pyreadstat = pytest.importorskip("pyreadstat", reason="pyreadstat is not installed")
        {"dta": pyreadstat.write_dta, "sav": pyreadstat.write_sav}[kind](_frame(), str(path))


KINDS = {
    "csv": "t.csv",
    "tsv": "t.tsv",
    "semicolon": "t.csv",
    "utf16": "t.txt",
    "cp1252": "t.csv",
    "gz": "t.csv.gz",
    "xlsx": "t.xlsx",
    "parquet": "t.parquet",
    "dta": "t.dta",
    "sav": "t.sav",
}


@pytest.mark.parametrize(("kind", "name"), KINDS.items(), ids=KINDS)
def test_a_table_is_the_same_rows_in_each_kind_of_file(tmp_path, kind, name):
    _write(tmp_path / name, kind)
    assert read_grid(tmp_path / name) == ROWS


@pytest.mark.parametrize("kind", ["csv", "xlsx", "parquet", "dta"])
def test_counts_are_the_same_in_each_kind_of_file(tmp_path, kind):
    frame = pd.DataFrame({"county": ["A", "B", "Total"], "cases": ["12", "<11", "20"]})
    path = tmp_path / f"t.{kind}"
    if kind == "dta":
        pytest.importorskip("pyreadstat", reason="pyreadstat is not installed").write_dta(frame, str(path))
    else:
        {"csv": frame.to_csv, "xlsx": frame.to_excel, "parquet": frame.to_parquet}[kind](path, index=False)
    cells = read_counts(path).cells
    assert sorted((of.status, of.value, of.greatest) for of in cells.values()) == [
        ("primary", None, 10),
        ("published", 12, None),
        ("published", 20, None),
    ]


@pytest.mark.parametrize("name", ["t.csv", "t.xlsx", "t.parquet", "t.csv.gz", "t.dta"])
def test_a_damaged_file_is_one_line(tmp_path, name):
    (tmp_path / name).write_bytes(b'PAR1"\x00\xff\xfe' * 9)
    with pytest.raises(PolicySimError) as caught:
        read_counts(tmp_path / name)
    assert isinstance(caught.value, SourceError | InputError)
    assert "\n" not in str(caught.value)


def test_only_a_workbook_has_sheets(tmp_path):
    _write(tmp_path / "t.parquet", "parquet")
    with pytest.raises(InputError, match="only a workbook has sheets"):
        read_grid(tmp_path / "t.parquet", "Sheet1")


def test_the_sheets_that_have_a_value_are_named_in_their_order(tmp_path):
    book = Workbook()
    book.active.title = "Notes"
    book.create_sheet("Visits").append(["age", "sex"])
    book.create_sheet("Codes").append(["1"])
    book.save(tmp_path / "visits.xlsx")
    assert sheets_with_values(tmp_path / "visits.xlsx") == ("Visits", "Codes")
    assert sheets_with_values(tmp_path / "visits.csv") == ()
