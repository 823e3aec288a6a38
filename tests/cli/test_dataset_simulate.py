"""``policy-sim dataset simulate``: how far each estimator is off on samples of a file."""

import pytest
from small_people import one_line, rows, run


@pytest.fixture
def words(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("age,sex\n" + "".join(f"{20 + row % 37},{'MF'[row % 2]}\n" for row in range(150)))
    return ("dataset", "simulate", path, "--fields", "age,sex", "--no-log-linear", "--workers", 1, "--runs", 3)


def test_one_row_per_measure_fraction_and_estimator(words):
    found = rows(*words, "--fractions", "0.1, .5")
    assert {row["fraction"] for row in found} == {0.1, 0.5}
    keys = [(row["measure"], row["fraction"], row["model"]) for row in found]
    assert len(set(keys)) == len(keys)


def test_the_same_seed_draws_the_same_samples(words):
    assert rows(*words, "--fractions", "0.3", "--seed", 4) == rows(*words, "--fractions", "0.3", "--seed", 4)


def test_files_are_tables_figures_and_trees(words, tmp_path):
    run(*words, "--fractions", "0.3,0.5", "--out", tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"summary.csv", "trust.csv", "errors.parquet", "manifest.json"} <= names
    assert {"tree-uniqueness.txt", "tree-marketer-risk.txt"} <= names


@pytest.mark.parametrize("fractions", ["a,b", "0", "1.5", "0.1,0.1", ",", "nan"])
def test_fractions_that_are_none_are_one_line(words, fractions):
    one_line(*words, "--fractions", fractions)
