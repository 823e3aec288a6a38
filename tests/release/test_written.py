"""What may leave is in send/, what stays in keep/; values are as they were read, and rows in a drawn order."""

import csv
import json
import os
import shutil
from dataclasses import replace

import pytest
from small_people import invoke

from policy_sim.records.formats import CodedColumn, CodedTable
from policy_sim.release import Release
from policy_sim.release.treatments import Variable
from policy_sim.release.written import ReleaseFolder, county_notes, sorted_by, spelled_table
from policy_sim.words.errors import SourceError

ROWS = 60


def rows_of(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def cell(at):
    """One of 120 spellings of M and F, as a program that hides a number in them would write them."""
    return "FM"[at % 2] + "\u200b" * (at % 10) + " ." * (at % 6)


@pytest.fixture
def project(tmp_path):
    lines = [f"{at:05},{cell(at)},{20 + at // 2},０３６０{at % 10}" for at in range(ROWS)]
    (tmp_path / "patients.csv").write_text("\n".join(["chart,sex,age,zip", *lines]) + "\n", encoding="utf-8")
    made = Release.new(tmp_path / "patients.csv", tmp_path / "p.toml", policy="safe-harbor")
    made.accept_guesses(by="A. Officer")
    return made


def test_send_has_what_may_leave_and_names_nothing_else(project, tmp_path):
    project.run(tmp_path / "out")
    folder = ReleaseFolder.find(tmp_path / "out")
    assert sorted(path.name for path in folder.send.iterdir()) == ["dictionary.csv", "release.csv"]
    for path in folder.send.iterdir():
        text = path.read_text(encoding="utf-8")
        assert "chart" not in text
        assert "patients" not in text
    head, *rows = rows_of(folder.send / "dictionary.csv")
    assert rows[0][head.index("values")] == "F | M"
    assert [row[0] for row in rows] == rows_of(folder.send / "release.csv")[0]


def test_a_county_in_two_spellings_is_named_and_codes_make_it_one():
    county = Variable("home", "key", "seen", "county")
    table = CodedTable({"home": CodedColumn.of(["Lake", "Greene", "GREENE CO.", "Greene", "Adams County"])})
    (note,) = county_notes(table, [county])
    assert note.startswith("home: 1 value differs from another")
    assert "they count as two" in note
    same = replace(county, codes=(("GREENE CO.", "Greene"),))
    assert county_notes(spelled_table(table, [same]), [same]) == ()
    assert county_notes(table, [replace(county, treatment="drop")]) == ()


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_what_is_kept_is_for_the_user_alone(project, tmp_path):
    project.run(tmp_path / "out")
    keep = tmp_path / "out" / "keep"
    assert keep.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in keep.iterdir()} == {0o600}
    project.report(tmp_path / "out")
    assert {path.stat().st_mode & 0o777 for path in keep.iterdir()} == {0o600}


def test_a_cell_carries_nothing_but_its_value(project, tmp_path):
    project.run(tmp_path / "out")
    head, *rows = rows_of(tmp_path / "out" / "send" / "release.csv")
    columns = dict(zip(head, zip(*rows, strict=True), strict=True))
    assert set(columns["sex"]) == {"F", "M"}
    assert set(columns["zip"]) == {"000"}  # 036 is a small area, also in fullwidth digits
    assert (tmp_path / "out" / "send" / "release.csv").read_bytes().isascii()


def test_rows_are_in_a_drawn_order_that_a_seed_repeats(project, tmp_path):
    ages = [[row[1] for row in _released(project, tmp_path / name)] for name in ("one", "two")]
    assert ages[0] != ages[1]
    assert sorted(ages[0]) == sorted(ages[1]) == sorted(str(20 + at // 2) for at in range(ROWS))
    assert ages[0] != sorted(ages[0])
    project.set("settings", seed=5)
    assert _released(project, tmp_path / "three") == _released(project, tmp_path / "four")


def test_the_drawn_seed_is_in_the_kept_project_alone(project, tmp_path):
    project.run(tmp_path / "out")
    keep = tmp_path / "out" / "keep"
    seed = next(line for line in (keep / "project.toml").read_text().splitlines() if line.startswith("seed = "))
    number = seed.removeprefix("seed = ").encode()
    for path in (tmp_path / "out").rglob("*"):
        if path.is_file() and path.name != "project.toml":
            assert number not in path.read_bytes()
    assert number not in project.path.read_bytes()
    again = Release(shutil.copy(keep / "project.toml", tmp_path / "again.toml"))
    assert _released(again, tmp_path / "again") == rows_of(tmp_path / "out" / "send" / "release.csv")[1:]


def _released(project, out):
    project.run(out)
    return rows_of(out / "send" / "release.csv")[1:]


def test_keep_order_says_what_the_order_shows(project, tmp_path):
    done = invoke("release", "run", project.path, "--out", tmp_path / "out", "--keep-order")
    assert done.exit_code == 0, done.stderr
    assert [row[1] for row in rows_of(tmp_path / "out" / "send" / "release.csv")[1:]] == sorted(
        str(20 + at // 2) for at in range(ROWS)
    )
    assert "It is sorted by chart, age" in done.stdout


def test_sorted_columns():
    columns = {"up": "2 10 10 30", "down": "d c c a", "no": "1 3 2 4", "two": "1 1 2 2"}
    table = CodedTable({name: CodedColumn.of(texts.split()) for name, texts in columns.items()})
    assert sorted_by(table) == ("up", "down")


def test_a_folder_of_the_version_before_is_read_and_said_to_be(project, tmp_path):
    project.run(tmp_path / "new")
    flat = tmp_path / "flat"
    flat.mkdir()
    for path in (tmp_path / "new").rglob("*.*"):
        shutil.copy(path, flat / path.name)
    (flat / "dictionary.csv").unlink()
    done = invoke("release", "recheck", project.path, "--out", flat)
    assert done.exit_code == 0, done.stderr
    assert "written by the version before" in " ".join(done.output.split())
    new = invoke("release", "recheck", project.path, "--out", tmp_path / "new" / "send", "--format", "json")
    old = invoke("release", "recheck", project.path, "--out", flat, "--format", "json")
    assert json.loads(new.stdout) == json.loads(old.stdout)
    again = invoke("release", "run", flat, "--out", tmp_path / "again", "--file", tmp_path / "patients.csv")
    assert again.exit_code == 0, again.stderr
    assert rows_of(tmp_path / "again" / "send" / "release.csv") == rows_of(flat / "release.csv")
    assert ReleaseFolder.find(tmp_path / "again").files[-1] == "send/release.csv"


def test_withheld_files_are_gone(project, tmp_path):
    project.run(tmp_path / "out")
    folder = ReleaseFolder.find(tmp_path / "out")
    folder.withhold()
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["keep"]
    with pytest.raises(SourceError, match=r"no release\.json"):
        ReleaseFolder.find(tmp_path)
