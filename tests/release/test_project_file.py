"""A change of a project file is checked first, written whole, and touches nothing else in the file."""

from __future__ import annotations

import datetime as dt
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
    assert file.comment("age") == "looks like: a number"
    assert file.comment("sex") == ""


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
