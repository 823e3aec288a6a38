"""What a project would release, before anything is written, is what a run then writes."""

from __future__ import annotations

import csv

import pytest

from policy_sim import Release
from policy_sim.records.column_pictures import column_pictures, frequent_values
from policy_sim.records.formats import CodedColumn, CodedTable
from policy_sim.release.files import read_text
from policy_sim.release.preview import choices, preview

ROWS = [(20 + row % 3, "FM"[row % 2], f"A{row:03}") for row in range(36)] + [(71, "F", "A900")]


@pytest.fixture
def release(tmp_path) -> Release:
    lines = ["age,sex,mrn", *(",".join(map(str, row)) for row in ROWS), ""]
    (tmp_path / "visits.csv").write_text("\n".join(lines))
    made = Release.new(tmp_path / "visits.csv", tmp_path / "release.toml")
    made.accept_guesses(by="A. Officer")
    made.classify(["age", "sex"], "key", "neighbors know it", by="A. Officer")
    made.set("target", aim="risk", threshold="k=5")
    return made


def test_rows_at_risk_count_people_and_name_each_person_once(tmp_path):
    """Two rows of one person alike are one person alone, not two alike."""
    people = [("a", 71, "M"), ("a", 71, "M"), ("b", 30, "F"), ("c", 30, "F"), ("b", 30, "F"), ("c", 30, "F")]
    crowd = [(f"p{number}", 30, "F") for number in range(20)]
    lines = ["pid,age,sex", *(",".join(map(str, row)) for row in people + crowd), ""]
    (tmp_path / "claims.csv").write_text("\n".join(lines))
    made = Release.new(tmp_path / "claims.csv", tmp_path / "release.toml")
    made.set("file", person="pid")
    made.accept_guesses(by="A. Officer")
    made.classify(["age", "sex"], "key", "neighbors know it", by="A. Officer")
    made.set("target", aim="risk", threshold="k=5")
    assert preview(made.project, rows=3)["riskiest"] == [[1, 1], [3, 22], [4, 22]]


def test_a_preview_is_what_a_run_writes(release, tmp_path):
    before = sorted(path.name for path in tmp_path.iterdir())
    seen = preview(release.project, rows=40)
    assert sorted(path.name for path in tmp_path.iterdir()) == before  # nothing was written
    assert seen["columns"] == ["age", "sex"]
    assert [row["number"] for row in seen["rows"]] == list(range(1, 38))
    assert [tuple(row["before"]) for row in seen["rows"]] == [(str(age), sex) for age, sex, _ in ROWS]
    assert seen["riskiest"][0] == [37, 1]  # the only one of 71
    done = release.run(tmp_path / "released", keep_order=True)
    with (tmp_path / "released" / "send" / "release.csv").open() as file:
        written = [tuple(row) for row in csv.reader(file)][1:]
    assert [tuple(row["after"]) for row in seen["rows"] if row["after"]] == written
    assert (seen["before"], seen["after"]) == (done["before"], done["after"])
    assert seen["variables"] == done["variables"]
    assert seen["search"]["suppressed"] == done["search"]["suppressed"] == sum(not row["after"] for row in seen["rows"])


def test_choices_compare_rules_and_classes_whatever_the_aim_is(release):
    release.set("target", aim="policy", policy="safe-harbor")
    rows = choices(release.project, read_text(release.path), ["safe-harbor", "k=5"])
    assert [(row["threshold"], row["recoding"]) for row in rows] == [
        ("safe-harbor", "policy"),
        ("k=5", "one-level"),
        ("k=5", "local"),
    ]
    assert rows[0]["loss"] == 0  # Safe Harbor shows ages under 90, and sex
    assert release.project.target.policy == "safe-harbor"


def test_an_aim_that_a_project_cannot_have_says_why_beside_the_others(release):
    release.pseudonym("mrn", reason="joins two files", by="A. Officer")
    release.set("target", known="1")
    rows = choices(release.project, read_text(release.path), ["safe-harbor", "k=5"])
    assert rows[0]["loss"] is None
    assert "pseudonym" in str(rows[0]["status"])
    assert [row["loss"] is None for row in rows[1:]] == [False, False]


def test_a_picture_counts_rows_and_shows_no_value():
    table = CodedTable(
        {
            "age": CodedColumn.of([*(str(age) for age in range(24)), "", "nan"]),
            "sex": CodedColumn.of(["F"] * 20 + ["M"] * 5 + [""]),
        }
    )
    pictures = column_pictures(table)
    age, sex = pictures["age"], pictures["sex"]
    assert (age.filled, age.missing, age.distinct, age.in_order) == (25, 1, 25, True)
    assert age.bars == (2,) * 12  # two ages of each of twelve classes
    assert (sex.bars, sex.in_order) == ((20, 5), False)
    assert frequent_values(table["sex"]) == [("F", 20), ("M", 5)]
