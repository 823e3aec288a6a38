"""Figures of a run, against the file before and after."""

from __future__ import annotations

import csv
import json
from collections import Counter

import pytest

from policy_sim.release.maker import read_figures
from policy_sim.words.errors import SourceError


@pytest.mark.slow
def test_figures_are_those_of_the_files(release, tmp_path):
    figures = release.run(tmp_path / "out")
    with (tmp_path / "visits.csv").open(newline="") as file:
        before = list(csv.DictReader(file))
    with (tmp_path / "out" / "release.csv").open(newline="") as file:
        after = list(csv.DictReader(file))
    assert figures["input"]["rows"] == len(before)
    assert figures["search"]["suppressed"] == len(before) - len(after)
    lost = figures["utility"]["missingness"]
    assert lost["records_lost"] == pytest.approx((len(before) - len(after)) / len(before))
    illness = next(row for row in figures["sensitive"] if row["field"] == "diagnosis")
    keys = [tuple(row[name] for name in ("birth_date", "sex", "race", "county")) for row in after]
    values = {key: set() for key in keys}
    for key, row in zip(keys, after, strict=True):
        values[key].add(row["diagnosis"])
    assert illness["distinct"] == min(map(len, values.values()))
    stays = next(row for row in figures["utility"]["distances"] if row["field"] == "days")
    assert stays["mean_after"] == pytest.approx(sum(int(row["days"]) for row in after) / len(after))
    alone = next(note for note in figures["notes"] if "several rows" in note)
    rows_of = {}
    for key, row in zip(keys, after, strict=True):
        rows_of.setdefault(row["mrn"], []).append(key)
    shapes = Counter(tuple(sorted(each)) for each in rows_of.values())
    assert f"{sum(number == 1 for number in shapes.values()):,} people would be unique" in alone


@pytest.mark.slow
def test_answers_carry_who_when_why_and_the_source(release, tmp_path):
    import datetime as dt

    release.answer("invasion", "low", by="B. Officer", evidence="board", on=dt.date(2026, 11, 3))
    figures = release.run(tmp_path / "out")
    invasion = next(row for row in figures["answers"] if row["question"] == "invasion")
    assert (invasion["by"], invasion["on"], invasion["evidence"]) == ("B. Officer", "2026-11-03", "board")
    assert "IPC 2016" in invasion["citation"]
    assert json.loads((tmp_path / "out" / "release.json").read_text()) == figures
    assert "[results]" not in figures["project"]


def test_folders_without_figures(tmp_path):
    with pytest.raises(SourceError, match=r"no release\.json"):
        read_figures(tmp_path)
    (tmp_path / "release.json").write_text("[1]")
    with pytest.raises(SourceError):
        read_figures(tmp_path)
