"""One file of records as every program exports it, and what its codes mean."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from small_people import rows, run

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
        ("profile", ("--missing", "wildcard")),
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
