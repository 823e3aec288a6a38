"""A change of a project file is checked first, written whole, and touches nothing else in the file."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from pathlib import Path

import pytest

from policy_sim.errors import InputError, SchemaError, UnknownNameError
from policy_sim.release.project_file import ProjectFile

TEXT = """# ours
title = "Visits"
edition = "ipc-2016"

[file]
location = "visits.csv"

[variables.age]    # looks like: a number
role = "undecided"
kind = "age"
reason = ""
# the end
"""
MORE = """
[variables.x1]
role = "undecided"
looks = "number"
reason = ""
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "p.toml").write_text(TEXT)
    return ProjectFile(tmp_path / "p.toml")


def test_a_change_is_in_the_file_and_in_the_project(file):
    assert file.answer("invasion", "low", by="A. Officer", on="2026-11-01").value("invasion") == "low"
    again = ProjectFile(file.path)
    assert again.project == file.project
    assert again.project.answers["invasion"].on == dt.date(2026, 11, 1)


def test_everything_else_stays_as_its_author_wrote_it(file):
    file.set("settings", limit=0.1)
    file.set("settings", seed=3)
    assert file.path.read_text().startswith(TEXT.rstrip())
    assert (file.project.settings.limit, file.project.settings.seed) == (0.1, 3)


def test_a_role_keeps_what_the_column_was_and_its_note(file):
    (age,) = file.classify("age", "key", "neighbors know it").variables
    assert (age.role, age.kind, age.reason) == ("key", "age", "neighbors know it")
    assert file.columns == ("age",)
    assert "# looks like: a number" in file.path.read_text()


def test_guesses_are_accepted_at_once_and_only_where_there_are_any(file):
    file.path.write_text(TEXT.replace('kind = "age"', 'kind = "age"\nguess = "key"\nlooks = "ages"') + MORE)
    opened = ProjectFile(file.path)
    assert opened.accept_guesses(by="A. Officer", on="2026-11-01") == ("age",)
    (age,) = ProjectFile(file.path).project.variables
    assert (age.role, age.accepted, age.reason) == ("key", True, "accepted guess: ages")
    assert opened.project.undecided == ("x1",)
    with pytest.raises(InputError, match="need the name of the person"):
        opened.accept_guesses(by="")
    (decided,) = opened.classify("age", "other", "seen by the board").variables
    assert not decided.accepted


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda file: file.answer("invasion", "enormous"), UnknownNameError),
        (lambda file: file.answer("nothing", "low"), UnknownNameError),
        (lambda file: file.classify("age", "key", ""), SchemaError),
        (lambda file: file.set("settings", nothing=1), SchemaError),
        (lambda file: file.set("settings", limit=object()), InputError),
        (lambda file: file.set("file", missing=["?", None]), InputError),
        (lambda file: file.answer("invasion", "low", on="some day"), InputError),
    ],
)
def test_a_wrong_change_is_not_written(file, change, error):
    before = file.project
    with pytest.raises(error):
        change(file)
    assert file.path.read_text() == TEXT
    assert file.project is before


def test_places_lists_and_tables_are_written_as_toml(file):
    file.set("file", location=Path("data") / "visits.csv", missing=["?"])
    assert (file.project.file.location, file.project.file.missing) == ("data/visits.csv", ("", "?"))
    (age,) = file.classify("age", "key", "known", codes={"1": "young", "2": None}).variables
    assert age.codes == (("1", "young"),)


_ANSWER = """
import sys
from policy_sim.release.project_file import ProjectFile
file = ProjectFile(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
file.answer(sys.argv[2], sys.argv[3], by="A. Officer")
"""
AT_ONCE = {"invasion": "low", "release-model": "public", "attacker-knows": "yes", "responsible": "A. Officer"}


def test_answers_given_at_once_are_all_kept(file):
    """Real processes that have all read the file before the first of them writes it."""
    for _ in range(5):
        runs = [
            subprocess.Popen(
                [sys.executable, "-c", _ANSWER, str(file.path), question, answer],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for question, answer in AT_ONCE.items()
        ]
        for run in runs:
            assert run.stdout.readline() == "ready\n"
        for run in runs:
            run.stdin.write("now\n")
            run.stdin.flush()
        for run in runs:
            run.communicate()
            assert run.returncode == 0
        answers = ProjectFile(file.path).project.answers
        assert {question: answers[question].value for question in AT_ONCE} == AT_ONCE
        file.path.write_text(TEXT)
    assert [path.name for path in file.path.parent.iterdir()] == ["p.toml"]


@pytest.mark.parametrize("name", ["../release.key", "/tmp/release.key", "keys/../../release.key"])
def test_a_key_file_outside_the_folder_of_the_project_is_refused(file, name):
    with pytest.raises(SchemaError, match="key_file leaves the folder of the project") as caught:
        file.set("settings", key_file=name)
    assert "\n" not in str(caught.value)
    assert file.path.read_text() == TEXT
