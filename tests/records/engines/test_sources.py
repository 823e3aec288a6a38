"""Finding records: headers, separators, mappings, and one clear line for what is wrong."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
import sqlalchemy as sa

from policy_sim.records.census_values import ColumnMapping, FieldColumn
from policy_sim.records.engines.sources import (
    batches,
    database_reason,
    database_url,
    kind_of,
    meant_files,
    open_records,
    without_folders,
)
from policy_sim.words.errors import InputError, SourceError


def _file(tmp_path, text):
    path = tmp_path / "file.csv"
    path.write_text(text)
    return str(path)


def test_a_mapping_names_the_columns_and_its_separator_wins(tmp_path):
    mapping = ColumnMapping({"age": FieldColumn("AGE,YRS")}, separator=";")
    records = open_records(_file(tmp_path, "AGE,YRS;b\n"), ["age", "b"], mapping)
    assert records.columns == ("AGE,YRS", "b")


@pytest.mark.parametrize(
    ("text", "fields", "message"),
    [
        ("a,b,a\n", ["a"], "'a' appears twice"),
        ("a,b\n", ["a", "a"], "twice"),
        ('"age,sex\nSchmidt,1\n', ["age"], "a quote in the first line is not closed"),
    ],
)
def test_headers_that_cannot_be_used(tmp_path, text, fields, message):
    with pytest.raises(InputError, match=message) as caught:
        open_records(_file(tmp_path, text), fields)
    assert "\n" not in str(caught.value)
    assert "Schmidt" not in str(caught.value)


def test_what_is_no_file_of_records(tmp_path):
    with pytest.raises(SourceError, match="no such file"):
        open_records(str(tmp_path / "none.csv"), ["a"])
    with pytest.raises(InputError, match="not a file of records"):
        open_records(str(tmp_path / "report.doc"), ["a"])
    (tmp_path / "broken.csv.gz").write_bytes(b"not gzip")
    with pytest.raises(SourceError, match="cannot be read"):
        open_records(str(tmp_path / "broken.csv.gz"), ["a"])


def test_a_database_needs_its_table_and_never_shows_its_password(tmp_path):
    with pytest.raises(InputError, match="name the table too") as caught:
        open_records("postgresql+psycopg://me:secret@host/db", ["a"])
    assert "secret" not in str(caught.value)
    records = open_records("postgresql+psycopg://me:secret@host/db", ["a"], table="visits")
    assert records.kind == "sql"
    assert "secret" not in records.name + records.short_name
    with pytest.raises(InputError, match="only a database has a table name"):
        open_records(_file(tmp_path, "a\n"), ["a"], table="x")


# Which files a location means.


def _touch(folder, *names):
    for name in names:
        (folder / name).write_text("a\n1\n")


def _names(location):
    kind, files = meant_files(str(location))
    return kind, [path.name for path in files]


def test_a_folder_is_its_csv_files_or_its_parquet_files(tmp_path):
    _touch(tmp_path, "v.csv", "v.csv.bak", ".v.csv", ".v.csv.swp", "v.csv~", "w.csv.gz", "notes.txt")
    (tmp_path / "more").mkdir()
    assert _names(tmp_path) == ("csv", ["v.csv", "w.csv.gz"])
    _touch(tmp_path, "x.parquet")
    with pytest.raises(InputError, match="has both CSV and Parquet files"):
        meant_files(str(tmp_path))
    with pytest.raises(SourceError, match=r"the folder has no \.csv, \.csv\.gz, \.parquet file"):
        meant_files(str(tmp_path / "more"))


def test_a_name_that_exists_is_a_name_and_another_is_a_pattern(engine, tmp_path):
    _touch(tmp_path, "visits1.csv", "visits[1].csv")
    (tmp_path / "visits[1].csv").write_text("a\n2\n2\n")
    assert _names(tmp_path / "visits[1].csv") == ("csv", ["visits[1].csv"])
    assert _names(tmp_path / "visits*.csv") == ("csv", ["visits1.csv", "visits[1].csv"])
    grouped = engine.group(open_records(str(tmp_path / "visits[1].csv"), ["a"]))
    assert (grouped.values_of("a"), grouped.sizes().number) == (["2"], 2)
    (tmp_path / "visits[1].csv").unlink()
    assert _names(tmp_path / "visits[1].csv") == ("csv", ["visits1.csv"])


def test_a_pattern_takes_no_other_file(tmp_path):
    _touch(tmp_path, "v.csv", "v.csv.bak")
    with pytest.raises(InputError, match=r"v\.csv\.bak: not a file of records"):
        meant_files(str(tmp_path / "v*"))
    with pytest.raises(SourceError, match="no such file"):
        meant_files(str(tmp_path / "z*.csv"))


@pytest.mark.parametrize(
    ("name", "kind"),
    [("V.CSV", "csv"), ("v.tsv.gz", "csv"), ("v.Parquet", "parquet"), ("v.csv.bak", None), ("v.parquet.gz", None)],
)
def test_the_ending_tells_the_kind(name, kind):
    assert kind_of(name) == kind


def test_names_below_the_folder_that_files_share():
    files = (Path("d/x/part.csv"), Path("d/y/part.csv"))
    assert without_folders(files) == {"x/part.csv": files[0], "y/part.csv": files[1]}
    assert without_folders(files[:1]) == {"part.csv": files[0]}
    assert without_folders(()) == {}


# Rows of a database as text, and what its errors mean.


def test_every_value_is_text_and_what_is_no_number_is_missing():
    rows = [(1, "a"), (None, ""), (float("nan"), "01"), (Decimal("NaN"), "x"), (Decimal("sNaN"), "y"), (1.5, None)]

    class Found:
        def partitions(self, size):
            return [rows[:4], rows[4:]]

    steps = []
    schema = pa.schema([("f0", pa.string()), ("f1", pa.string())])
    read = pa.Table.from_batches(batches(Found(), schema, steps.append))
    assert read["f0"].to_pylist() == ["1", None, None, None, None, "1.5"]
    assert read["f1"].to_pylist() == ["a", "", "01", "x", "y", None]
    assert [step.split()[1] for step in steps] == ["4", "6"]


@pytest.mark.parametrize("name", ["postgres", "postgresql"])
def test_postgresql_gets_the_driver_that_is_installed(name):
    assert database_url(f"{name}://me@host/clinic").drivername == "postgresql+psycopg"
    assert database_url("postgresql+other://me@host/clinic").drivername == "postgresql+other"
    assert database_url("sqlite:///x.db").drivername == "sqlite"


def test_each_failure_has_its_words_and_none_quotes_the_query():
    assert "needs the package psycopg: install it" in database_reason(ImportError("no module", name="psycopg"))
    assert "no such table" in database_reason(sa.exc.NoSuchTableError("Schmidt"))
    assert "URL" in database_reason(sa.exc.ArgumentError("Schmidt"))
    other = database_reason(sa.exc.OperationalError("SELECT Schmidt", {}, Exception("Schmidt")))
    assert "OperationalError" in other
    assert "Schmidt" not in other
