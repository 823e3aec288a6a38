"""Finding records: headers, separators, mappings, and one clear line for what is wrong."""

import gzip

import pytest

from policy_sim.errors import InputError, SchemaError, SourceError, UnknownNameError
from policy_sim.io.column_mapping_files import load_mapping
from policy_sim.io.engine.record_sources import open_records
from policy_sim.records.column_mapping import ColumnMapping, FieldColumn


def _file(tmp_path, text, name="file.csv"):
    path = tmp_path / name
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return str(path)


@pytest.mark.parametrize(
    ("header", "separator"),
    [("a,b", ","), ("a;b", ";"), ("a\tb", "\t"), ("a|b", "|"), ('"a,x";"b,y"', ";"), ("a", ","), ("\ufeffa,b", ",")],
)
@pytest.mark.parametrize("name", ["file.csv", "file.csv.gz"])
def test_the_separator_is_read_off_the_header(tmp_path, header, separator, name):
    records = open_records(_file(tmp_path, header + "\r\n", name), ["a"], _columns_of(header, separator))
    assert records.separator == separator
    assert records.header[0].startswith("a")


def _columns_of(header, separator):
    first = header.removeprefix("\ufeff").split(separator)[0].strip('"')
    return ColumnMapping({"a": FieldColumn(first)})


def test_a_mapping_names_the_columns_and_its_separator_wins(tmp_path):
    mapping = ColumnMapping({"age": FieldColumn("AGE,YRS")}, separator=";")
    records = open_records(_file(tmp_path, "AGE,YRS;b\n"), ["age", "b"], mapping)
    assert records.columns == ("AGE,YRS", "b")


@pytest.mark.parametrize(
    ("text", "fields", "error", "message"),
    [
        ("", ["a"], InputError, "the file is empty"),
        ("\n", ["a"], InputError, "the file is empty"),
        ("a,b,a\n", ["a"], InputError, "'a' appears twice"),
        ("a,b\n", ["c"], UnknownNameError, "Known: a, b"),
        ("a,b\n", [], InputError, "name at least one key field"),
        ("a,b\n", ["a", "a"], InputError, "twice"),
        (b"\xff\xfe\n", ["a"], SourceError, "begins as UTF-16, but is damaged"),
    ],
)
def test_headers_that_cannot_be_used(tmp_path, text, fields, error, message):
    with pytest.raises(error, match=message) as caught:
        open_records(_file(tmp_path, text), fields)
    assert "\n" not in str(caught.value)


def test_what_is_no_file_of_records(tmp_path):
    with pytest.raises(SourceError, match="no such file"):
        open_records(str(tmp_path / "none.csv"), ["a"])
    with pytest.raises(InputError, match="not a file of records"):
        open_records(str(tmp_path / "report.doc"), ["a"])
    with pytest.raises(SourceError, match="cannot be read"):
        open_records(_file(tmp_path, "a,b\n").replace("file.csv", "") + "broken.csv.gz", ["a"]) if _broken(
            tmp_path
        ) else None


def _broken(tmp_path):
    (tmp_path / "broken.csv.gz").write_bytes(b"not gzip")
    return True


def test_a_database_needs_its_table_and_never_shows_its_password():
    with pytest.raises(InputError, match="name the table too") as caught:
        open_records("postgresql+psycopg://me:secret@host/db", ["a"])
    assert "secret" not in str(caught.value)
    records = open_records("postgresql+psycopg://me:secret@host/db", ["a"], table="visits")
    assert records.kind == "sql"
    assert "secret" not in records.name + records.short_name


def test_a_table_of_a_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="only a database has a table name"):
        open_records(_file(tmp_path, "a\n"), ["a"], table="x")


def test_a_mapping_from_toml(tmp_path):
    path = tmp_path / "m.toml"
    path.write_text(
        'separator = ";"\nmissing = ["?"]\nreference_date = 2020-04-01\n'
        '[fields.sex]\ncolumn = "SEX"\ncodes = {"1" = "M"}\n[fields.age]\nwidth = 5\ntop = 90\n'
    )
    mapping = load_mapping(path)
    assert mapping.missing == ("", "?")
    assert mapping.column("sex") == FieldColumn("SEX", {"1": "M"})
    assert mapping.column("age") == FieldColumn("age", width=5, top=90)
    assert mapping.column("race") == FieldColumn("race")
    assert (mapping.separator, mapping.reference_date.isoformat()) == (";", "2020-04-01")


def test_every_problem_of_a_mapping_is_told_at_once(tmp_path):
    path = tmp_path / "m.toml"
    path.write_text(
        'color = 1\nmissing = "?"\nseparator = "ab"\nreference_date = "2020"\n'
        "[fields.age]\nwidth = 7\ntop = true\nshade = 1\n[fields.sex]\ncodes = {a = 1}\n"
    )
    with pytest.raises(SchemaError) as caught:
        load_mapping(path)
    assert len(caught.value.problems) == 8


@pytest.mark.parametrize("text", ["fields = 3", "[fields]\nage = 'AGE'", "a = = b"])
def test_what_is_no_mapping(tmp_path, text):
    path = tmp_path / "m.toml"
    path.write_text(text)
    with pytest.raises(SchemaError):
        load_mapping(path)
