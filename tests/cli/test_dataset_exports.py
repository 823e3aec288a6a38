"""One file as pandas, R, Excel and a database export it: after one mapping the figures are the same."""

import csv
import json
import sqlite3

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli

MAPPING = """
missing = ["NA"]
[fields.age]
top = 90
[fields.sex]
codes = { "1" = "M", "2" = "F" }
[fields.county]
[fields.birth_date]
"""
NAMES = ("age", "sex", "county", "birth_date")


def _rows(*arguments):
    result = CliRunner().invoke(cli, ["dataset", *map(str, arguments), "--format", "json"])
    assert result.exit_code == 0, result.output
    return pd.DataFrame(json.loads(result.stdout))


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
    path.write_text(MAPPING)
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
