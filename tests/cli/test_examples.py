"""`policy-sim example` writes files that README and the tutorials can begin with."""

from __future__ import annotations

import csv

import pytest
from small_people import run

from policy_sim.cli.examples import _FILES


@pytest.mark.parametrize("name", _FILES)
def test_each_file_is_written_once_and_never_replaced(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("example", name)
    content = (tmp_path / name).read_bytes()
    done = run("example", name, code=2)
    assert name in done.stderr
    assert (tmp_path / name).read_bytes() == content


def test_visits_have_one_row_per_person_and_claims_several(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, person, several in (("visits.csv", "mrn", False), ("claims.csv", "member_id", True)):
        run("example", name)
        with (tmp_path / name).open(encoding="utf-8", newline="") as file:
            people = [row[person] for row in csv.DictReader(file)]
        assert (len(set(people)) < len(people)) == several


def test_the_weekly_table_adds_up(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("example", "weekly.csv")
    with (tmp_path / "weekly.csv").open(encoding="utf-8", newline="") as file:
        *rows, total = [[int(cell) for cell in row[1:]] for row in list(csv.reader(file))[1:]]
    assert [sum(column) for column in zip(*rows, strict=True)] == total


def test_without_a_name_the_files_are_listed():
    assert all(name in run("example").stdout for name in _FILES)


def test_an_unknown_name_says_which_there_are():
    assert "claims.csv" in run("example", "patients.csv", code=2).stderr
