"""A file that a command cannot read is refused in the same words everywhere, with what named it."""

from pathlib import Path

import pytest
from small_people import run

READERS = (
    ("FILE", "dataset check {}"),
    ("FILE", "cases check {} --state OH"),
    ("FILE", "release new {} project.toml"),
    ("PROJECT", "release step {}"),
    ("COUNTS", "table check {} --rule cms"),
    ("--mapping", "dataset profile records.csv --fields sex --mapping {}"),
    ("--file", "brief OH --file {}"),
    ("--against", "dataset score records.csv --fields sex --state OH --against {}"),
)


@pytest.mark.parametrize(("called", "words"), READERS)
def test_a_missing_or_empty_file_is_named_with_its_option(tmp_path, monkeypatch, called, words):
    monkeypatch.chdir(tmp_path)
    Path("records.csv").write_text("sex\nF\nM\n", encoding="utf-8")
    Path("empty.csv").touch()
    for name, why in (("none.csv", "no such file."), ("empty.csv", "the file is empty.")):
        outcome = run(*words.format(name).split(), code=2)
        assert f"Error: {called} {name}: {why}" in outcome.stderr
        assert len(outcome.stderr.splitlines()) == 1


def test_a_folder_is_not_a_file_and_a_file_is_not_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("file.csv").write_text("a\n1\n", encoding="utf-8")
    assert "COUNTS folder: is a folder" in run("table", "check", "folder", code=2).stderr
    assert "FOLDER file.csv: is a file" in run("table", "verify", "file.csv", code=2).stderr
