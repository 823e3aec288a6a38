"""``policy-sim synth``: a file of made-up people, the same for the same seed."""

import csv

import pandas as pd
import pytest
from small_people import cells, one_line, run, written


@pytest.fixture
def made(tmp_path):
    return ("synth", "OH", "--population", written(tmp_path), "--census-day", "2020-04-01")


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_everyone_of_the_state_is_made_once(made, tmp_path):
    run(*made, "--out", tmp_path / "people.csv")
    people = pd.DataFrame(read(tmp_path / "people.csv"))
    ohio = cells()[cells()["state"] == "OH"]
    assert len(people) == ohio["people"].sum() == 96
    for column in ("sex", "race", "county"):
        assert people[column].value_counts().to_dict() == ohio.groupby(column)["people"].sum().to_dict()


def test_the_same_seed_makes_the_same_people(made, tmp_path):
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        run(*made, "--people", 20, "--seed", seed, "--out", tmp_path / f"{name}.csv")
    first, again, other = ((tmp_path / f"{name}.csv").read_bytes() for name in "abc")
    assert first == again
    assert first != other


def test_parquet_holds_the_same_rows(made, tmp_path):
    for ending in ("csv", "parquet"):
        run(*made, "--people", 7, "--out", tmp_path / f"people.{ending}")
    stored = pd.read_parquet(tmp_path / "people.parquet").astype(str)
    assert stored.to_dict("records") == pd.DataFrame(read(tmp_path / "people.csv")).to_dict("records")


def test_what_cannot_be_written_is_one_line_and_leaves_nothing(made, tmp_path):
    assert "one of .csv, .parquet" in one_line(*made, "--out", tmp_path / "people.xlsx")
    assert "97" in one_line(*made, "--people", 97, "--out", tmp_path / "people.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["made.csv"]
