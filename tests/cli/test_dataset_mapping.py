"""One file of records as every program exports it, and what its codes mean."""

from __future__ import annotations

import csv
import json
import sqlite3

import numpy as np
import pandas as pd
import pytest
from small_people import one_line, rows, run

# One mapping holds for every command: a dirty file and its clean twin have the same figures.


SECRET = "Schmidt"
MAPPING = """
missing = ["?"]
[fields.sex]
column = "SEX"
codes = { "1" = "M", "2" = "F", "9" = "?" }
[fields.age]
column = "AGE"
top = 90
[fields.county]
column = "FIPS"
[fields.ward]
column = "WARD"
codes = { "a" = "1", "A" = "1" }
"""
FIELDS = "age,sex,county,ward"


def _rows(*arguments):
    return pd.DataFrame(rows("dataset", *arguments))


@pytest.fixture(scope="module")
def twins(tmp_path_factory):
    """The same 120 records, clean and as several programs and people would write them."""
    folder = tmp_path_factory.mktemp("twins")
    rng = np.random.default_rng(5)
    n = 120
    clean = pd.DataFrame(
        {
            "age": rng.choice([30, 31, 90], n),
            "sex": rng.choice(["M", "F", ""], n),
            "county": rng.choice(["09001", "09003", "50009"], n),
            "ward": rng.choice(["1", "2"], n),
        }
    )
    ways = {
        "age": {30: ["30", "30.0", " 30"], 31: ["31", "31,0"], 90: ["90+", "93", "90", "104"]},
        "sex": {"M": ["M", "male", "1", "m"], "F": ["F", "female", "2"], "": ["", "?", "9"]},
        "county": {"09001": ["09001", "9001", "9001.0"], "09003": ["9003", "09003"], "50009": ["50009"]},
        "ward": {"1": ["1", "a", "A"], "2": ["2"]},
    }
    dirty = pd.DataFrame(
        {name.upper(): [str(rng.choice(ways[name][value])) for value in clean[name]] for name in clean}
    ).rename(columns={"COUNTY": "FIPS"})
    clean.to_csv(folder / "clean.csv", index=False)
    dirty.to_csv(folder / "dirty.csv", index=False)
    (folder / "m.toml").write_text(MAPPING)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("profile", ()),
        ("profile", ("--missing", "wildcard")),
        ("profile", ("--missing", "exclude")),
        ("estimate", ("--population-size", "5000")),
        ("estimate", ("--population-size", "5000", "--no-log-linear", "--missing", "exclude")),
        ("simulate", ("--runs", "3", "--fractions", ".5", "--workers", "1")),
    ],
)
def test_a_mapped_file_has_the_figures_of_its_clean_twin(twins, command, options):
    mapped = _rows(command, twins / "dirty.csv", "--fields", FIELDS, "--mapping", twins / "m.toml", *options)
    clean = _rows(command, twins / "clean.csv", "--fields", FIELDS, *options)
    pd.testing.assert_frame_equal(mapped, clean)


@pytest.mark.slow
def test_a_mapped_score_is_that_of_the_clean_twin(twins):
    options = ("--fields", "age,sex,county", "--population", "us-2010", "--lists", "2008")
    topped = twins / "top.toml"
    topped.write_text("[fields.age]\ntop = 90\n")
    asked = ("score", twins / "dirty.csv", "--mapping", twins / "m.toml", *options, "--format", "json")
    mapped = run("dataset", *asked)
    clean = _rows("score", twins / "clean.csv", "--mapping", topped, *options)
    pd.testing.assert_frame_equal(pd.DataFrame(json.loads(mapped.stdout)), clean)
    assert "county: codes that had lost leading zeros, which were put back: 3" in mapped.stderr


@pytest.mark.slow
def test_two_files_are_compared_in_the_words_of_their_mappings(twins):
    plain = twins / "plain.toml"
    plain.write_text("[fields.age]\ntop = 90\n")
    options = ("--fields", FIELDS, "--missing", "exclude")
    pair = _rows(
        "score", twins / "dirty.csv", "--mapping", twins / "m.toml", *options, "--against", twins / "clean.csv",
        "--against-mapping", plain,
    )  # fmt: skip
    same = _rows("score", twins / "clean.csv", *options, "--against", twins / "clean.csv")
    pd.testing.assert_frame_equal(pair, same)
    # without a mapping of its own the second file has that of the first
    alike = _rows(
        "score", twins / "dirty.csv", "--mapping", twins / "m.toml", *options, "--against", twins / "dirty.csv"
    )
    pd.testing.assert_frame_equal(alike, same)


@pytest.mark.slow
def test_what_the_mapping_does_not_explain_is_counted(tmp_path):
    file = tmp_path / "f.csv"
    file.write_text(f"sex,age\n1,30\nM,30\n{SECRET},30\nNA,31\n")
    mapping = tmp_path / "m.toml"
    mapping.write_text('[fields.sex]\ncodes = { "1" = "M" }\n')
    output = run("dataset", "profile", file, "--fields", "sex,age", "--mapping", mapping).output
    assert "sex: values that are not understood and stay as they are written: 2" in output
    assert "sex: 'NA' in 1 records looks like a missing value: if it is one, name it as a missing code." in output
    assert SECRET not in output
    assert "looks like" not in run("dataset", "profile", file, "--fields", "sex,age", "--missing-code", "NA").output
    few = run(
        "dataset", "profile", file, "--fields", "sex,age", "--mapping", mapping, "--max-classes", "2", code=2
    ).output
    assert "Raise the limit on classes" in few


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("age,sex\n", "f.csv: there is no record."),
        ("age,sex\n30,1\n31,2\n31,2\n", "none of the 3 records has a cell in the population. sex: 2 values were not"),
        (f"age,sex\n30,{SECRET}\nold,M\n", "age: 1 value was not understood; explain them in the mapping; sex: 1"),
        ("age,sex\n,M\n", "1: age is missing."),
    ],
)
@pytest.mark.parametrize("form", ["table", "json"])
def test_no_record_with_a_cell_says_what_did_not_match(tmp_path, content, said, form):
    file = tmp_path / "f.csv"
    file.write_text(content)
    asked = ("score", file, "--fields", "age,sex", "--state", "VT", "--population", "us-2010", "--format", form)
    line = one_line("dataset", *asked)
    assert said in line
    assert SECRET not in line


@pytest.mark.slow
def test_names_of_fields_and_columns_in_any_case(tmp_path):
    file = tmp_path / "f.csv"
    file.write_text("AGE,Sex\n30,M\n30,F\n")
    asked = ("--state", "VT", "--population", "us-2010")
    assert len(_rows("score", file, "--fields", "AGE,Sex", *asked)) == 2
    assert len(_rows("score", file, "--fields", "age,sex", *asked)) == 2


def test_a_birth_after_the_census_is_named(tmp_path):
    file = tmp_path / "f.csv"
    file.write_text("birth_date\n1980-05-01\n2015-05-01\n")
    output = run("dataset", "score", file, "--fields", "birth_date", "--state", "VT", "--population", "us-2010").output
    assert "1: birth_date is after 2010-04-01, the day on which ages are taken" in output


def test_a_file_of_very_many_columns_is_refused(tmp_path):
    file = tmp_path / "wide.csv"
    file.write_text(",".join(f"c{i}" for i in range(10_001)) + "\n")
    output = run("dataset", "profile", file, "--fields", "c1", code=2).output
    assert "wide.csv has 10,001 columns, more than the limit of 10,000" in output


@pytest.mark.slow
def test_a_profile_may_leave_the_combinations_out(tmp_path):
    file = tmp_path / "f.csv"
    file.write_text("a,b\n1,2\n1,3\n")
    assert (
        "no combinations and scores: left out" in run("dataset", "profile", file, "--fields", "a,b", "--no-suda").output
    )
    few = run("dataset", "profile", file, "--fields", "a,b", "--max-combinations", "2").output
    assert "no combinations and scores: 3 combinations of 2 fields are more than 2" in few


# One file as pandas, R, Excel and a database export it: after one mapping the figures are the same.


EXPORTS_MAPPING = """
missing = ["NA"]
[fields.age]
top = 90
[fields.sex]
codes = { "1" = "M", "2" = "F" }
[fields.county]
[fields.birth_date]
"""
NAMES = ("age", "sex", "county", "birth_date")


def _records():
    """Sixty people of Connecticut; None is a missing value."""
    rng = np.random.default_rng(11)
    born = [f"{rng.integers(1915, 2009)}-{rng.integers(1, 13):02}-{rng.integers(1, 29):02}" for _ in range(30)]
    records = []
    for _ in range(60):
        date = str(rng.choice(born))
        age = 2010 - int(date[:4]) - (date[5:] > "04-01")
        sex = None if rng.random() < 0.1 else str(rng.choice(["M", "F"]))
        records.append((None if rng.random() < 0.1 else age, sex, str(rng.choice(["09001", "09003"])), date))
    return records


def _clean(folder, records):
    """Write every value as the census has it, with one class for 90 and over."""
    rows = [("" if age is None else min(age, 90), sex or "", *rest) for age, sex, *rest in records]
    return _write(folder / "clean.csv", NAMES, rows)


def _pandas(folder, records):
    """An index without a name, ages as decimals because some are missing, counties as numbers."""
    table = pd.DataFrame(records, columns=NAMES).astype({"age": "float64", "county": "int64"})
    table.to_csv(folder / "pandas.csv")
    return folder / "pandas.csv"


def _r(folder, records):
    """Quoted row numbers and texts, NA, American dates, and a column whose name differs in case alone."""
    rows = [
        (at, "NA" if age is None else "90+" if age >= 90 else age, sex or "NA", county, f"{m}/{d}/{y}", "x")
        for at, (age, sex, county, date) in enumerate(records, 1)
        for y, m, d in [date.split("-")]
    ]
    return _write(folder / "r.csv", ("", *NAMES, "Sex"), rows, quoting=csv.QUOTE_NONNUMERIC)


def _excel(folder, records):
    """A byte order mark, semicolons, decimal commas, German dates, lost zeros, codes, and empty columns at the end."""
    rows = [
        (
            "" if age is None else f"{age},0",
            {"M": "1", "F": "2"}.get(sex, ""),
            county.lstrip("0"),
            f"{d}.{m}.{y}",
            "",
            "",
        )
        for age, sex, county, date in records
        for y, m, d in [date.split("-")]
    ]
    return _write(folder / "excel.csv", (*NAMES, "", ""), rows, encoding="utf-8-sig", delimiter=";")


def _database(folder, records):
    """Numbers are numbers, missing values are null."""
    path = folder / "clinic.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE visits (id INTEGER, age INTEGER, sex TEXT, county INTEGER, birth_date TEXT)")
        rows = [(at, age, sex, int(county), f"{date} 00:00:00") for at, (age, sex, county, date) in enumerate(records)]
        connection.executemany("INSERT INTO visits VALUES (?, ?, ?, ?, ?)", rows)
    connection.close()
    return f"sqlite:///{path}"


def _write(path, header, rows, encoding="utf-8", **style):
    with path.open("w", newline="", encoding=encoding) as stream:
        csv.writer(stream, **style).writerows([header, *rows])
    return path


@pytest.fixture(scope="module")
def mapping(tmp_path_factory):
    path = tmp_path_factory.mktemp("mapping") / "m.toml"
    path.write_text(EXPORTS_MAPPING)
    return path


@pytest.fixture(scope="module")
def expected(tmp_path_factory, mapping):
    clean = _clean(tmp_path_factory.mktemp("clean"), _records())
    return _profile(clean, mapping), _score(clean, mapping)


def _profile(file, mapping, *options):
    return _rows("profile", file, "--fields", ",".join(NAMES), "--mapping", mapping, *options)


def _score(file, mapping, *options):
    asked = ("--fields", "birth_date,sex,county", "--population", "us-2010", "--lists", "2008", "--state", "CT")
    return _rows("score", file, *asked, "--mapping", mapping, *options)


@pytest.mark.slow
@pytest.mark.parametrize("export", [_pandas, _r, _excel, _database])
def test_every_export_has_the_same_profile_and_score(export, expected, mapping, tmp_path):
    file = export(tmp_path, _records())
    options = ("--table", "visits") if export is _database else ()
    pd.testing.assert_frame_equal(_profile(file, mapping, *options), expected[0])
    pd.testing.assert_frame_equal(_score(file, mapping, *options), expected[1])
    assert expected[1]["records"].min() > 40
