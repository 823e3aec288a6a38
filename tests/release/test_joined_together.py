"""Columns that join the rows of a person only together, rows that name nobody, and two spellings of one number."""

from __future__ import annotations

import csv
import json
from collections import Counter
from itertools import combinations

import numpy as np

from policy_sim import Release
from policy_sim.release.attack.joined import joined_by
from policy_sim.release.written import PEOPLE

KEYS = {"sex": "sex", "age": "age"}
WORD = {"by": "A. Officer"}


def visits(people=60, most=3):
    """People of thirty families, a woman and a man in each, with one to three visits that nobody else has."""
    rng = np.random.default_rng(4)
    for who in range(people):
        for visit in range(1 + who % most):
            yield {
                "mrn": f"{412 + who}-{7003 + 61 * who}",
                "sex": "MF"[who % 2],
                "age": 30 + (who // 2 + 3 * (who % 2)) % 10,
                "family": f"{who // 2 * 37 % 97 + 3}",
                "score": (who * 100 + visit + int(rng.integers(0, 7))) % 23,
            }


def release(folder, rows, *, role_of_family="other", **target):
    rows = list(rows)
    with (folder / "visits.csv").open("w", newline="") as file:
        out = csv.DictWriter(file, list(rows[0]))
        out.writeheader()
        out.writerows(rows)
    made = Release.new(folder / "visits.csv", folder / "visits.toml")
    if "mrn" in rows[0]:
        made.classify("mrn", "direct", "a number", **WORD)
        made.set("file", person="mrn")
    for name, kind in KEYS.items():
        made.classify(name, "key", "seen", kind=kind, **WORD)
    made.classify("family", role_of_family, "the study", **WORD)
    made.classify("score", "other", "a test", **WORD)
    made.set("target", aim="risk", threshold="k=3", sizes="file", **target)
    made.set("settings", limit=0.5)
    return made


def alone(folder):
    """Count the people whose rows nobody else has, from the released file and the list of whose they are."""
    with (folder / "send" / "release.csv").open(newline="") as file:
        rows = [(row["sex"], row["age"]) for row in csv.DictReader(file)]
    whose = (folder / "keep" / PEOPLE).read_text().split()[1:]
    assert len(whose) == len(rows)
    every = {who: tuple(sorted(r for r, w in zip(rows, whose, strict=True) if w == who)) for who in whose}
    return sum(number < 3 for number in Counter(every.values()).values())


def test_columns_that_join_people_only_together_count_all_rows(tmp_path):
    made = release(tmp_path, visits())
    result = made.run(tmp_path / "out")
    assert result["people"]["known"] == "all"
    assert result["people"]["why"].startswith("sex and family together join the rows of 40 of the 40")
    assert alone(tmp_path / "out") == 0
    assert str(made.recheck(tmp_path / "out").verdict) == str(result.verdict)


def test_the_project_may_say_otherwise_and_the_verdict_names_the_columns(tmp_path):
    made = release(tmp_path, visits(), known="1")
    result = made.run(tmp_path / "out")
    assert "counted by one row of a person, but sex and family together join the rows of 40 of the 40" in str(
        result.verdict
    )
    assert alone(tmp_path / "out") > 0
    assert str(made.recheck(tmp_path / "out").verdict) == str(result.verdict)


def test_a_file_whose_rows_nobody_joins_is_checked_again_by_people(tmp_path):
    made = release(tmp_path, visits(), role_of_family="direct")
    result = made.run(tmp_path / "out")
    assert (result["people"]["known"], str(result.verdict)[:3]) == ("1", "MET")
    assert "the rows of one person" not in [what for what, _ in result.verdict.report.not_tried]
    assert str(made.recheck(tmp_path / "out").verdict) == str(result.verdict)
    list_of_people = tmp_path / "out" / "keep" / PEOPLE
    rows = len(list_of_people.read_text().split())
    list_of_people.write_text("\n".join(["person", *map(str, range(1, rows)), ""]))  # each row is a person
    changed = "NOT TESTED: keep/people.csv is not the list of people that the run wrote: put that one back, or make the"
    assert str(made.recheck(tmp_path / "out").verdict).startswith(changed)
    list_of_people.unlink()
    assert str(made.recheck(tmp_path / "out").verdict).startswith("NOT TESTED: keep/people.csv is missing: put that")


def test_a_folder_to_send_has_what_the_run_wrote_and_nothing_else(tmp_path):
    made = release(tmp_path, visits(), role_of_family="direct")
    made.run(tmp_path / "out")
    (tmp_path / "out" / "send" / "notes.txt").write_text("a name")
    dictionary = tmp_path / "out" / "send" / "dictionary.csv"
    dictionary.write_text(dictionary.read_text() + "sex,a name\n")
    verdict = str(made.recheck(tmp_path / "out").verdict)
    assert verdict.startswith(
        "NOT MET: send/ has notes.txt, which the run did not write. Take it out; send/dictionary.csv"
    )
    figures = tmp_path / "out" / "keep" / "release.json"
    figures.write_text(json.dumps(json.loads(figures.read_text()) | {"dictionary": None}))
    assert "release.json has no checksum of send/dictionary.csv" in str(made.recheck(tmp_path / "out").verdict)
    (tmp_path / "out" / "send" / "release.csv").rename(tmp_path / "out" / "send" / "new.csv")
    assert str(made.recheck(tmp_path / "out").verdict).startswith("NOT TESTED: send/release.csv is missing. Give it")


def test_a_file_that_names_nobody_counts_rows_and_says_so(tmp_path):
    rows = [{name: value for name, value in row.items() if name != "mrn"} for row in visits()]
    result = release(tmp_path, rows, role_of_family="direct").run(tmp_path / "out")
    assert "several rows of one person" in [what for what, _ in result.verdict.report.not_tried]


def test_classes_are_large_enough_without_rows_that_name_nobody(tmp_path):
    rows = [row | {"mrn": row["mrn"] if at % 5 < 2 else ""} for at, row in enumerate(visits())]
    result = release(tmp_path, rows, role_of_family="direct").run(tmp_path / "out")
    assert "mrn is empty in 72 rows, which may belong to people who are already counted: without that" in str(
        result.verdict
    )
    assert str(result.verdict).startswith("NOT MET")
    assert not (tmp_path / "out" / "send").exists()


def test_rows_that_name_nobody_make_no_class_where_everybody_has_one_row(tmp_path):
    """Five rows without a number may be one person's; nobody who has a number has their values."""
    rows = [{"mrn": f"4{at:05}", "sex": "MF"[at % 2], "age": 40 + at % 4, "family": "", "score": 1} for at in range(80)]
    rows += [{"mrn": "", "sex": "F", "age": 95, "family": "", "score": 1}] * 5
    verdict = str(release(tmp_path, rows, role_of_family="direct").run(tmp_path / "out").verdict)
    assert verdict.startswith("NOT MET: mrn is empty in 5 rows, which may belong to people who are already counted")
    assert "has 0 of at least 3 people" in verdict


def test_two_spellings_of_a_number_are_one_person(tmp_path):
    rows = [row | {"mrn": row["mrn"].replace("-", "") if at % 2 else row["mrn"]} for at, row in enumerate(visits())]
    result = release(tmp_path, rows, role_of_family="direct").run(tmp_path / "out")
    assert result["people"]["drawn"] == 60
    assert any("mrn: 40 values differ from another only in" in note for note in result["notes"])


def test_what_a_comparison_with_the_original_found_is_in_a_later_verdict(tmp_path):
    """A sign that follows from the month of a hidden day: the released file alone does not show it."""
    rows = [
        row | {"seen": f"2025-{1 + at * 7 % 12:02d}-{1 + at % 28:02d}", "sign": "ab"[at * 7 % 12 < 6]}
        for at, row in enumerate(visits())
    ]
    made = release(tmp_path, rows, role_of_family="direct")
    made.classify("sign", "other", "a sign", **WORD)
    result = made.run(tmp_path / "out")
    assert "against the program's guess: sign (key: follows from" in str(result.verdict)
    assert str(made.recheck(tmp_path / "out").verdict) == str(result.verdict)


def test_the_sets_found_join_as_many_people_as_any(tmp_path):
    """By brute force over all sets of columns of 150 files, some with errors in every column."""
    rng, missed = np.random.default_rng(5), 0
    for _ in range(150):
        people = int(rng.integers(5, 30))
        whose = rng.integers(0, people, 2 * people)
        columns = {}
        for name in "abcd"[: rng.integers(1, 5)]:
            values = int(rng.choice([2, 3, 5, 20]))
            wrong = rng.random(len(whose)) < rng.choice([0, 0.1, 0.5])
            own = rng.integers(0, values, people)[whose]
            columns[name] = np.where(wrong, rng.integers(0, values, len(whose)), own)
        several = [who for who in range(people) if (whose == who).sum() > 1]
        counted = {
            names: _joined(columns, names, whose, several)
            for size in range(1, len(columns) + 1)
            for names in combinations(columns, size)
        }
        found = joined_by(columns, whose)
        assert found.several == len(several)
        assert not found.columns or found.people == counted[found.columns]
        most = max(counted.values())
        missed += most > 0.1 * len(several) and found.people < most
    assert missed <= 3


def _joined(columns, names, whose, several):
    rows = list(zip(*(columns[name].tolist() for name in names), strict=True))
    people_of = {row: {w for r, w in zip(rows, whose.tolist(), strict=True) if r == row} for row in set(rows)}
    own = {who: {r for r, w in zip(rows, whose.tolist(), strict=True) if w == who} for who in several}
    return sum(len(mine) == 1 and people_of[next(iter(mine))] == {who} for who, mine in own.items())
