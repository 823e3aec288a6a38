"""Finding records: headers, separators, mappings, and one clear line for what is wrong."""

from __future__ import annotations

import gzip
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa

from policy_sim import RecordFile
from policy_sim.records.census_values import ColumnMapping, FieldColumn
from policy_sim.records.engines.databases import batches, database_reason, database_url
from policy_sim.records.engines.sources import (
    kind_of,
    looks_like_a_record,
    meant_files,
    open_records,
    read_csv_header,
    without_folders,
)
from policy_sim.records.formats import read_coded
from policy_sim.words.errors import InputError, SchemaError, SourceError, UnknownNameError

SECRET = "Schmidt"


def _write(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def test_a_mapping_names_the_columns_and_its_separator_wins(tmp_path):
    mapping = ColumnMapping({"age": FieldColumn("AGE,YRS")}, separator=";")
    records = open_records(_write(tmp_path / "f.csv", "AGE,YRS;b\n"), ["age", "b"], mapping)
    assert records.columns == ("AGE,YRS", "b")


@pytest.mark.parametrize(
    ("text", "fields", "message"),
    [
        ("a,b,a\n", ["a"], "'a' appears twice"),
        ("a,b\n", ["a", "a"], "twice"),
        (f'"age,sex\n{SECRET},1\n', ["age"], "first line is not closed"),
    ],
)
def test_headers_that_cannot_be_used(tmp_path, text, fields, message):
    with pytest.raises(InputError, match=message) as caught:
        open_records(_write(tmp_path / "f.csv", text), fields)
    assert "\n" not in str(caught.value)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("column", ["birth_date", "BIRTH_DATE", "dob"])
def test_an_age_that_a_birth_date_gives_is_answered_with_the_field_to_ask_for(tmp_path, column):
    path = tmp_path / "f.csv"
    path.write_text(f"{column},sex\n1950-02-03,F\n")
    mapping = ColumnMapping({"birth_date": FieldColumn("dob")}) if column == "dob" else None
    with pytest.raises(UnknownNameError, match=rf"{column}. .*: use fields=.birth_date,sex"):
        open_records(str(path), ("age", "sex"), mapping)
    with pytest.raises(UnknownNameError, match=r"'shoe' is not known\. Known: ") as other:
        open_records(str(path), ("shoe", "sex"), mapping)
    assert "dates of birth" not in str(other.value)


def test_a_field_that_the_mapping_lacks_is_answered_with_the_others(tmp_path):
    path = tmp_path / "f.csv"
    path.write_text("dob,sex,zip\n1950-02-03,F,43004\n")
    mapping = ColumnMapping({"birth_date": FieldColumn("dob"), "zip5": FieldColumn("zip")})
    for asked in (("age", "sex", "race", "zip5"), ("race", "sex", "age", "zip5")):  # one command mends both
        order = "birth_date,sex,zip5" if asked[0] == "age" else "sex,birth_date,zip5"
        with pytest.raises(UnknownNameError, match=rf'fields="{order}"\.$'):
            open_records(str(path), asked, mapping)


def test_what_is_no_file_of_records(tmp_path):
    with pytest.raises(SourceError, match="no such file"):
        open_records(str(tmp_path / "none.csv"), ["a"])
    with pytest.raises(InputError, match="not a file of records"):
        open_records(str(tmp_path / "report.doc"), ["a"])
    (tmp_path / "broken.csv.gz").write_bytes(b"not gzip")
    with pytest.raises(SourceError, match="cannot be read"):
        open_records(str(tmp_path / "broken.csv.gz"), ["a"])


def test_a_database_needs_its_table_and_never_shows_its_password(tmp_path):
    with pytest.raises(InputError, match='add table="NAME"') as caught:
        open_records("postgresql+psycopg://me:secret@host/db", ["a"])
    assert "secret" not in str(caught.value)
    records = open_records("postgresql+psycopg://me:secret@host/db", ["a"], table="visits")
    assert records.kind == "sql"
    assert "secret" not in records.name + records.short_name
    with pytest.raises(InputError, match="only a database has a table name"):
        open_records(_write(tmp_path / "f.csv", "a\n"), ["a"], table="x")


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
    with pytest.raises(SourceError, match=r"no \.csv, \.csv\.gz, \.parquet file"):
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
    missing = database_reason(ImportError("no module", name="psycopg"))
    assert "pip install 'policy-sim[postgres]'" in missing
    assert "no such table" in database_reason(sa.exc.NoSuchTableError("Schmidt"))
    assert "URL" in database_reason(sa.exc.ArgumentError("Schmidt"))
    other = database_reason(sa.exc.OperationalError("SELECT Schmidt", {}, Exception("Schmidt")))
    assert "OperationalError" in other
    assert "Schmidt" not in other


# Columns by their place, the headers of every file, and first lines that name nothing.


def _rows(engine, location, fields):
    """The records in their order, each as the texts of its key fields."""
    grouped = engine.group(open_records(location, fields), rows=True)
    values = [["", *grouped.values_of(field)] for field in fields]
    found = {}
    for codes in grouped.classes().codes:
        for row in grouped.rows(codes.reshape(1, -1)):
            found[row] = tuple(texts[code] for texts, code in zip(values, codes, strict=True))
    return [found[row] for row in sorted(found)]


PEOPLE = [("30", "M"), ("31", "F"), ("30", "M")]


@pytest.mark.parametrize(
    "text",
    [
        " age , sex\n30,M\n31,F\n30,M\n",  # blanks around the names
        "note\tage\tsex\r\né\t30\tM\r\nü\t31\tF\r\nß\t30\tM\r\n".encode("utf-16"),  # Excel, Unicode text
        "note;age;sex\né;30;M\nü;31;F\nß;30;M\n".encode("cp1252"),  # Excel, CSV
        ",age,sex\n0,30,M\n1,31,F\n2,30,M\n",  # pandas, with its index
        '"","age","sex"\n"1","30","M"\n"2","31","F"\n"3","30","M"\n',  # R
        "\ufeffage;sex;weight\r\n30;M;70,5\r\n31;F;60,5\r\n30;M;81,0\r\n",  # Excel in Europe
        '\ufeff"age","sex"\r\n30,M\r\n31,F\r\n30,M\r\n',
        "age,sex,\n30,M,\n31,F,\n30,M,\n",  # a comma after the last column
        "age,sex,,\n30,M,,\n31,F,,\n30,M,,\n",
        "age,sex,Sex,SEX\n30,M,1,x\n31,F,2,y\n30,M,3,z\n",  # twins
        "age,sex\r30,M\r31,F\r30,M\r",  # lines as of the old Macintosh
        '"age","first\nname",sex\n30,"a\nb",M\n31,x,F\n30,y,M',
        "age\tsex\n30\tM\n31\tF\n30\tM\n",
        "age|sex\n30|M\n\n31|F\n30|M\n\n",
        '"a,x";age;sex\n1;30;M\n2;31;F\n3;30;M\n',
    ],
)
def test_the_commonest_exports_hold_the_same_records(engine, tmp_path, text):
    file = _write(tmp_path / "f.csv", text)
    assert _rows(engine, file, ["age", "sex"]) == PEOPLE
    table = read_coded(tmp_path / "f.csv")
    assert [*zip(table["age"].texts(), table["sex"].texts(), strict=True)] == PEOPLE


def test_twins_are_two_columns(engine, tmp_path):
    file = _write(tmp_path / "f.csv", "sex,Sex\nM,1\nF,1\n")
    assert _rows(engine, file, ["Sex", "sex"]) == [("1", "M"), ("1", "F")]
    pq.write_table(pa.table({"sex": ["M", "F"], "Sex": ["1", "1"]}), tmp_path / "f.parquet")
    assert _rows(engine, str(tmp_path / "f.parquet"), ["Sex", "sex"]) == [("1", "M"), ("1", "F")]
    with pytest.raises(InputError, match="column 'SEX' may be 'sex' and 'Sex'"):
        open_records(file, ["SEX"])


def test_a_folder_is_read_by_the_names_of_each_file(engine, tmp_path):
    _write(tmp_path / "v" / "a.csv", "age,sex\n30,M\n")
    _write(tmp_path / "v" / "b.csv", "sex,age\nF,31\n")
    _write(tmp_path / "v" / "c.csv", '\ufeff"sex";"age";\nM;30;\n')
    assert _rows(engine, str(tmp_path / "v"), ["age", "sex"]) == PEOPLE
    assert _rows(engine, str(tmp_path / "v" / "*.csv"), ["age", "sex"]) == PEOPLE
    records = open_records(str(tmp_path / "v"), ["age", "sex"])
    assert [file.path.name for file in records.files] == ["a.csv", "b.csv", "c.csv"]


def test_parquet_in_a_folder_too(engine, tmp_path):
    (tmp_path / "v").mkdir()
    pq.write_table(pa.table({"age": [30], "sex": ["M"]}), tmp_path / "v" / "a.parquet")
    pq.write_table(pa.table({"sex": ["F", "M"], "age": [31, 30]}), tmp_path / "v" / "b.parquet")
    assert _rows(engine, str(tmp_path / "v"), ["age", "sex"]) == PEOPLE
    pq.write_table(pa.table({"age": ["40"], "sex": ["M"]}), tmp_path / "v" / "c.parquet")
    with pytest.raises(SchemaError, match=r"c\.parquet: column 'age' .*string.* int64 in a\.parquet"):
        open_records(str(tmp_path / "v"), ["age"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("zip,name\n01001,x\n", r"b\.csv: .* a\.csv: it lacks 'age', 'sex' .* 2"),
        ("age,sex,zip\n1,M,01001\n", r"b\.csv: .* it has 1 of other names"),
        ("age\n1\n", r"b\.csv: .* it lacks 'sex'"),
        (f"44,{SECRET}\n45,x\n", r"b\.csv: its first line looks like a record"),
    ],
)
def test_a_file_of_other_columns_is_named(tmp_path, text, message):
    _write(tmp_path / "v" / "a.csv", "age,sex\n30,M\n")
    _write(tmp_path / "v" / "b.csv", text)
    with pytest.raises(SchemaError, match=message) as caught:
        open_records(str(tmp_path / "v"), ["age", "sex"])
    assert SECRET not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [f"{SECRET},34", f"{SECRET},2020-01-31", f"{SECRET},1/31/20", f"{SECRET},90+", f"{SECRET},{SECRET}", f"{SECRET},M"],
)
def test_a_file_without_a_header_shows_no_value(tmp_path, line):
    file = _write(tmp_path / "f.csv", f"{line}\nMiller,M\n")
    with pytest.raises(InputError, match="the first line looks like a record") as caught:
        open_records(file, ["name"])
    assert SECRET not in str(caught.value)
    assert not isinstance(caught.value, UnknownNameError)


@pytest.mark.parametrize("line", ["age,sex,", "2010,age", "id,first name,zip5"])
def test_a_header_is_a_header(tmp_path, line):
    """A column called by a number is one where a key field is found; empty names say nothing."""
    file = _write(tmp_path / "f.csv", f"{line}\n1,2,3\n4,5,6\n")
    if "2010" in line:
        assert open_records(file, ["age"]).header == ("2010", "age")
    else:
        assert not looks_like_a_record(read_csv_header(tmp_path / "f.csv"))


def test_the_damaged_file_of_a_folder_is_named(engine, tmp_path):
    _write(tmp_path / "v" / "a.csv", "a,b\n1,2\n")
    _write(tmp_path / "v" / "b.csv", f"a,b\n1,2\n{SECRET}\n")
    with pytest.raises(SchemaError, match=r"b\.csv: line 3 has 1 columns") as caught:
        engine.group(open_records(str(tmp_path / "v"), ["a"]))
    assert SECRET not in str(caught.value)


TITLED = 'Mercy discharges,,,\nRun 2026-01-04,,,\n,,,\nname,dob,sex,zip\n"Smith, Al",1950-02-03,M,43215\n'
BARE = 'Mercy discharges\nRun 2026-01-04\n\nname,dob,sex,zip\n"Smith, Al",1950-02-03,M,43215\n'


@pytest.mark.parametrize("text", [TITLED, BARE, TITLED.replace(",", ";").replace("Smith;", "Smith,")])
@pytest.mark.parametrize(("encoding", "packed"), [("utf-8", False), ("utf-16", False), ("utf-8", True)])
def test_titles_above_the_names_are_left_out_as_of_a_sheet(tmp_path, text, encoding, packed):
    """A title may have line ends in quotes, or be one of two cells."""
    text = text.replace("Run 2026-01-04", '"Run\n2026-01-04"')
    path = tmp_path / ("x.csv.gz" if packed else "x.csv")
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode(encoding))
    file = read_csv_header(path)
    assert file.header == ("name", "dob", "sex", "zip")
    notes = RecordFile.check(path).notes
    assert any("1 record" in note for note in notes)
    assert any("row 4" in note for note in notes)
    assert read_coded(path).names == ("name", "dob", "sex", "zip")


@pytest.mark.parametrize("first", ["a,,b,,,,c", "a,b,,,,,,,"])
def test_names_that_most_columns_lack_are_refused_and_not_left_out(tmp_path, first):
    width = first.count(",") + 1
    _write(tmp_path / "x.csv", f"{first}\n{','.join('tuvwxyzpq'[:width])}\n")
    with pytest.raises(InputError, match=r"row 1 names \d of \d columns"):
        read_csv_header(tmp_path / "x.csv")


@pytest.mark.slow
@pytest.mark.parametrize("rows", [10, 3000])
def test_values_without_a_name_are_not_passed_over(tmp_path, rows):
    """Also where the first of them stands far below."""
    lines = [f"{at},F," for at in range(rows)] + ["7,M,Smith"]
    path = tmp_path / "x.csv"
    path.write_text("age,sex,\n" + "\n".join(lines) + "\n")
    for look in (lambda: RecordFile.check(path), lambda: read_coded(path)):
        with pytest.raises(InputError, match=r"column 3 .* has no name") as caught:
            look()
        assert "Smith" not in str(caught.value)
    notes = RecordFile(path, "age,sex").profile().notes
    assert any(note.startswith("warning: x.csv: ") and note.endswith("not read: column 3") for note in notes)


@pytest.mark.parametrize("start", [0, 1])
def test_an_index_may_have_no_name_and_is_named_in_the_notes(tmp_path, start):
    path = tmp_path / "x.csv"
    path.write_text(",age\n" + "".join(f"{at},{30 + at}\n" for at in range(start, start + 2000)))
    assert any(note.startswith("x.csv: column 1 has no name") for note in RecordFile.check(path).notes)
    assert read_coded(path).names == ("age",)


def test_old_row_numbers_that_r_writes_as_names_of_rows_are_left_out(tmp_path):
    path = tmp_path / "x.csv"
    numbers = [*range(85, 200), *range(4, 80, 3)]
    path.write_text('"",age\n' + "".join(f'"{at}",{30 + at % 40}\n' for at in numbers))
    assert any(note.startswith("x.csv: column 1 has no name") for note in RecordFile.check(path).notes)
    assert read_coded(path).names == ("age",)


def test_a_line_end_in_the_name_of_a_column(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text('"na\nme",sex\nAl,M\nBo,F\n')
    assert read_csv_header(path).header == ("na me", "sex")
    assert read_coded(path)["na me"].values == ("Al", "Bo")
    assert [column.held.distinct for column in RecordFile.check(path).answer] == [2, 2]


@pytest.mark.slow
def test_an_endless_first_line_and_too_many_columns(tmp_path):
    """The same limits for every reader; neither file is read further than its first million bytes."""
    endless, wide = tmp_path / "line.csv.gz", tmp_path / "wide.csv"
    with gzip.open(endless, "wb", compresslevel=1) as file:
        for _ in range(100):
            file.write(b"a" * 1_000_000)
    wide.write_text(",".join(f"c{at}" for at in range(100_000)) + "\n" + ",".join("1" * 100_000) + "\n")
    for path, said in ((endless, "the first line is longer than 1,000,000 bytes"), (wide, "has 100,000 columns")):
        for look in (RecordFile.check, read_coded, lambda path: RecordFile(path, "c0")):
            with pytest.raises(InputError, match=said):
                look(path)


def test_names_that_may_be_values_are_not_shown(tmp_path):
    path = _write(tmp_path / "x.csv", "age,1000,16,2004-02-14\n3,1001,17,2004-02-15\n")
    with pytest.raises(UnknownNameError, match="looks like a record") as caught:
        open_records(path, ["age", "sex"])
    assert "2004" not in str(caught.value)
    assert "1000" not in str(caught.value)


def test_a_column_is_found_in_any_case(tmp_path):
    path = _write(tmp_path / "x.csv", "AGE,Sex\n30,M\n31,F\n")
    assert RecordFile(path, "age,sex").profile().answer.risk.uniques == 2
