"""Texts that are not UTF-8 and Excel files are read as they are meant; nothing of a record is in a message."""

from __future__ import annotations

import datetime as dt
import gzip
import stat

import pandas as pd
import pyreadstat
import pytest

from policy_sim import RecordFile
from policy_sim.records.formats import read_coded
from policy_sim.records.plain_copies import plain_copy
from policy_sim.release import Release
from policy_sim.words.errors import InputError, SourceError, UnknownNameError

SECRET = "Müller"
TEXT = f"name,note\r\n{SECRET},“90 € – paid”\r\nAnn,\r\n"


def copied(path):
    made = plain_copy(path)
    return made.path.read_bytes().decode(), made.read_as


@pytest.mark.parametrize(
    ("content", "called"),
    [
        (TEXT.encode("utf-16"), "UTF-16 text"),
        (b"\xfe\xff" + TEXT.encode("utf-16-be"), "UTF-16 text"),
        (TEXT.encode("utf-32"), "UTF-32 text"),
        (TEXT.encode("cp1252"), "Windows-1252 text"),
    ],
)
def test_each_encoding_gives_the_same_text(tmp_path, content, called):
    path = tmp_path / "in.csv"
    path.write_bytes(content)
    assert copied(path) == (TEXT, called)
    with gzip.open(tmp_path / "in.csv.gz", "wb") as file:
        file.write(content)
    assert copied(tmp_path / "in.csv.gz") == (TEXT, called)


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", TEXT.encode(), b"\xef\xbb\xbf" + TEXT.encode(), b"a\n\x00\n"])
def test_utf_8_is_read_as_it_stands(tmp_path, content):
    (tmp_path / "in.csv").write_bytes(content)
    assert plain_copy(tmp_path / "in.csv") is None


def test_a_sign_across_two_parts_and_bytes_that_no_code_page_knows(tmp_path, monkeypatch):
    monkeypatch.setattr("policy_sim.records.plain_copies._CHUNK", 3)
    (tmp_path / "utf.csv").write_bytes(TEXT.encode())
    assert plain_copy(tmp_path / "utf.csv") is None
    (tmp_path / "odd.csv").write_bytes(b"a\n\x81\n\x82\n")
    assert copied(tmp_path / "odd.csv")[0] == "a\n\x81\n‚\n"


def test_damaged_utf_8_is_told_by_its_line(tmp_path):
    path = tmp_path / "in.csv"
    path.write_bytes(f"name\n{SECRET}é\n".encode() + b"\xe9\n")
    with pytest.raises(SourceError, match="line 3 is not UTF-8") as caught:
        plain_copy(path)
    assert SECRET not in str(caught.value)
    path.write_bytes(TEXT.encode("utf-16")[:-1])
    with pytest.raises(SourceError, match="begins as UTF-16, but is damaged"):
        plain_copy(path)
    with pytest.raises(SourceError, match="No such file"):
        plain_copy(tmp_path / "no.csv")


def test_only_the_user_reads_a_copy_and_it_is_made_once(tmp_path):
    path = tmp_path / "in.csv"
    path.write_bytes(TEXT.encode("utf-16"))
    first, again = plain_copy(path), plain_copy(path)
    assert first is again
    assert stat.S_IMODE(first.path.parent.parent.parent.stat().st_mode) == 0o700
    path.write_bytes((TEXT + "Bob,\r\n").encode("utf-16"))
    assert plain_copy(path).path != first.path


def book(path, *sheets):
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, rows in sheets:
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    made.save(path)
    return path


def test_cells_are_texts(tmp_path):
    rows = [["MRN", "Born", "Zip", "Dose", "Seen", None], [17, dt.date(1980, 4, 1), 2139.0, 0.5, True, None]]
    rows += [[], ["0018", None, "02139", 1e3, dt.datetime(2026, 1, 2, 3, 4), None]]
    text, called = copied(book(tmp_path / "in.xlsx", ("Visits", rows), ("Sheet2", [])))
    assert text == "MRN,Born,Zip,Dose,Seen\n17,1980-04-01,2139,0.5,True\n0018,,02139,1000,2026-01-02 03:04:00\n"
    assert called == "the Excel sheet 'Visits'"


def test_sheets_that_are_no_table(tmp_path):
    head = ["age", "sex", "race", "zip"]
    few = [["age", None, "sex", None, None, None, "zip"], [1, "M", "x", "y", "z", "u", "v"]]
    with pytest.raises(InputError, match=r"row 1 names 3 of 7 .* row 2"):
        plain_copy(book(tmp_path / "few.xlsx", ("a", few)))
    with pytest.raises(InputError, match="sheets with values: 'a', 'b'"):
        plain_copy(book(tmp_path / "two.xlsx", ("a", [head, head]), ("b", [head])))
    with pytest.raises(InputError, match="sheets with values: none"):
        plain_copy(book(tmp_path / "none.xlsx", ("a", [])))
    with pytest.raises(InputError, match="row 2 has a value right of") as caught:
        plain_copy(book(tmp_path / "wide.xlsx", ("a", [head, [1, "M", "x", "y", SECRET]])))
    assert SECRET not in str(caught.value)
    (tmp_path / "bad.xlsx").write_bytes(b"not a workbook")
    with pytest.raises(SourceError, match="cannot be read as an Excel workbook"):
        plain_copy(tmp_path / "bad.xlsx")
    (tmp_path / "named.csv").write_bytes((tmp_path / "few.xlsx").read_bytes())
    with pytest.raises(InputError, match=r"name it \.xlsx"):
        plain_copy(tmp_path / "named.csv")


def test_titles_above_the_names_are_left_out(tmp_path):
    head = ["age", "sex", "race", "zip"]
    titled = [["Patients of 2025"], ["Run", "2026-01-04"], [], head, [1, "M", "x", "y"]]
    text, called = copied(book(tmp_path / "title.xlsx", ("a", titled)))
    assert text == "age,sex,race,zip\n1,M,x,y\n"
    assert "row 4" in called


def test_names_in_two_rows_of_merged_cells(tmp_path):
    from openpyxl import Workbook

    workbook = Workbook()
    sheet = workbook.active
    rows = [["id", "Mother", None, "Father"], [None, "age", "zip", "age"], [1, 20, 43604, 31], [2, 22, 43605, 33]]
    for row in rows:
        sheet.append(row)
    sheet.merge_cells("A1:A2")
    sheet.merge_cells("B1:C1")
    workbook.save(tmp_path / "heads.xlsx")
    text, called = copied(tmp_path / "heads.xlsx")
    assert text == "id,Mother age,zip,Father age\n1,20,43604,31\n2,22,43605,33\n"
    assert "row 2" in called


def test_one_sheet_of_a_workbook_by_its_name(tmp_path):
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as book:
        pd.DataFrame({"age": [30, 31], "sex": ["F", "M"]}).to_excel(book, sheet_name="Visits", index=False)
        pd.DataFrame({"code": ["F", "M"], "means": ["female", "male"]}).to_excel(book, sheet_name="Codes", index=False)
    with pytest.raises(InputError, match="sheets with values: 'Visits', 'Codes'"):
        plain_copy(path)
    for sheet in ("Visits", "visits"):
        assert RecordFile(path, "age,sex", sheet=sheet).profile().answer.risk.uniques == 2
    assert len(RecordFile.check(path, sheet="Codes").answer) == 2
    with pytest.raises(UnknownNameError, match=r"'Visit' is not known\. Did you mean 'Visits'\?"):
        plain_copy(path, "Visit")
    release = Release.new(path, tmp_path / "book.toml", sheet="Visits")
    assert release.project.file.sheet == "Visits"
    (tmp_path / "x.csv").write_text("age\n30\n")
    with pytest.raises(InputError, match="only a workbook has sheets"):
        RecordFile(tmp_path / "x.csv", "age", sheet="Visits")


# Files of Stata, SPSS and SAS, written by pyreadstat and read as an analyst sees them.


PEOPLE = pd.DataFrame(
    {
        "MRN": [1001.0, 1002, 1003, 1004],
        "SEX": [1.0, 2, 2, None],
        "AGE": [34.0, 35, 90, 36],
        "SCORE": [1.5, 2.25, 3.0, 0.1],
        "SEEN": [dt.date(2025, 3, 1), None, dt.date(2025, 12, 31), dt.date(2025, 1, 2)],
        "TOWN": ["Lima", "Troy ", "", "Lima"],
    }
)
LABELS = {"SEX": {1: "Male", 2: "Female"}, "AGE": {90: "90 and over"}}
SEEN = [["1001", "Male", "34", "1.5", "2025-03-01", "Lima"], ["1002", "Female", "35", "2.25", "", "Troy"]]
SEEN += [["1003", "Female", "90 and over", "3", "2025-12-31", ""], ["1004", "", "36", "0.1", "2025-01-02", "Lima"]]


def _written(folder, ending):
    path = folder / f"visits{ending}"
    if ending == ".dta":
        pyreadstat.write_dta(PEOPLE, str(path), variable_value_labels=LABELS)
    elif ending == ".xpt":
        pyreadstat.write_xport(PEOPLE, str(path))
    else:
        pyreadstat.write_sav(PEOPLE, str(path), variable_value_labels=LABELS, compress=ending == ".zsav")
    return path


def _rows(path):
    table = read_coded(path)
    return [list(row) for row in zip(*(table[name].texts() for name in table.names), strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".dta", ".sav", ".zsav", ".xpt"])
def test_values_are_those_that_the_program_shows(tmp_path, ending):
    path = _written(tmp_path, ending)
    codes = {"Male": "1", "Female": "2", "90 and over": "90"} if ending == ".xpt" else {}  # SAS keeps labels elsewhere
    assert _rows(path) == [[codes.get(text, text) for text in row] for row in SEEN]
    checked = RecordFile.check(path)
    assert [column.held.name for column in checked.answer] == list(PEOPLE.columns)
    assert any("read as a" in note for note in checked.notes)
    profile = RecordFile(path, "sex,age").profile()
    assert profile.answer.risk.uniques == 4
    release = Release.new(path, tmp_path / "visits.toml")
    assert set(release.columns) == set(PEOPLE.columns)


def test_codes_stay_where_labels_would_merge_them(tmp_path):
    frame = pd.DataFrame({"x": [1.0, 2, 3]})
    pyreadstat.write_sav(frame, str(tmp_path / "x.sav"), variable_value_labels={"x": {1: "yes", 2: "yes", 3: "no"}})
    assert _rows(tmp_path / "x.sav") == [["1"], ["2"], ["3"]]


def test_missing_codes_of_the_file_are_missing(tmp_path):
    frame = pd.DataFrame({"x": [1.0, 9, 3], "y": [1.0, 2, 3]})
    pyreadstat.write_sav(frame, str(tmp_path / "x.sav"), missing_ranges={"x": [9]})
    assert _rows(tmp_path / "x.sav") == [["1", "1"], ["", "2"], ["3", "3"]]
    tagged = pd.DataFrame({"x": [1, "a", 3], "y": [1.0, 2, 3]})
    pyreadstat.write_dta(tagged, str(tmp_path / "x.dta"), missing_user_values={"x": ["a"]})
    assert _rows(tmp_path / "x.dta") == [["1", "1"], ["", "2"], ["3", "3"]]


@pytest.mark.parametrize(
    ("form", "number", "text"),
    [
        ("%tm", 780, "2025-01"),
        ("%tm", -1, "1959-12"),
        ("%tq", 261, "2025Q2"),
        ("%th", 131, "2025H2"),
        ("%tw", 3389, "2025-W10"),
    ],
)
def test_periods_of_stata_are_written_out(tmp_path, form, number, text):
    frame = pd.DataFrame({"x": [float(number)], "y": [1.0]})
    pyreadstat.write_dta(frame, str(tmp_path / "x.dta"), variable_format={"x": form})
    assert _rows(tmp_path / "x.dta") == [[text, "1"]]


@pytest.mark.slow
def test_many_rows_are_read_in_parts(tmp_path):
    pyreadstat.write_sav(pd.DataFrame({"x": [float(at % 7) for at in range(120_001)]}), str(tmp_path / "x.sav"))
    table = read_coded(tmp_path / "x.sav")
    assert table.rows == 120_001
    assert table["x"].values == tuple("0123456")


@pytest.mark.parametrize("ending", [".dta", ".sav", ".sas7bdat", ".xpt"])
def test_a_damaged_file_is_one_line(tmp_path, ending):
    path = tmp_path / f"x{ending}"
    path.write_bytes(b"secret,1\n" * 40)
    with pytest.raises(SourceError, match=r"cannot be read as an? .* file") as raised:
        read_coded(path)
    assert "secret" not in str(raised.value)
    assert "\n" not in str(raised.value)
