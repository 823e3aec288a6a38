"""lists publish, and the sources as BibTeX, as a user runs them."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli


def run(*arguments: str, code: int = 0):
    done = CliRunner().invoke(cli, ["lists", *arguments])
    assert done.exit_code == code, done.output
    assert "Traceback" not in done.output
    return done


@pytest.mark.slow
def test_publish_writes_the_files_that_it_names(tmp_path):
    place = tmp_path / "voter-lists"
    said = run("publish", str(place)).stdout
    assert all(path.name in said for path in place.iterdir())
    assert (place / "datapackage.json").is_file()


@pytest.mark.slow
def test_publish_leaves_a_folder_of_something_else_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine", encoding="utf-8")
    assert "thesis.txt" in run("publish", str(tmp_path), code=2).output
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.slow
def test_sources_of_one_state_and_of_all(tmp_path, monkeypatch):
    monkeypatch.setenv("POLICY_SIM_HOME", str(tmp_path))
    one, every = (run("sources", *state, "--format", "bibtex").stdout for state in (("OH",), ()))
    assert 0 < one.count("@misc{") < every.count("@misc{")
    assert all(entry in every for entry in one.split("\n\n"))
    assert "EAC" in run("sources", "--format", "csv").stdout or "Election Assistance" in run("sources").stdout
