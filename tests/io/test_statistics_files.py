"""Files of Stata, SPSS and SAS, written by pyreadstat and read as an analyst sees them."""

import datetime as dt

import pandas as pd
import pyreadstat
import pytest

from policy_sim import RecordFile
from policy_sim.errors import SourceError
from policy_sim.io.coded_files import read_coded
from policy_sim.release import Release

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
