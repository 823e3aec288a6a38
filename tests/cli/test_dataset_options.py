"""Options that the commands on a file of records share: how the file is read, and what its manifest says."""

import hashlib
import json

import click
import pytest
from click.testing import CliRunner
from small_people import one_line, run

from policy_sim.cli.dataset_estimates import file_options


@pytest.fixture
def visits(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("age,sex\n30,F\n30,F\n41,M\n?,M\n")
    return path


def opened(*words, rules=("own", "exclude")):
    taken = {}

    @click.command()
    @file_options(rules)
    def command(file):
        taken["file"] = file

    done = CliRunner().invoke(command, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return taken["file"]


def test_options_become_the_file(visits):
    file = opened(visits, "--fields", "age,sex", "--missing", "exclude", "--missing-code", "?", "--max-classes", 9)
    assert file.records.fields == ("age", "sex")
    assert (file.missing, file.most_classes, file.memory) == ("exclude", 9, "2GB")
    assert file.records.mapping.missing[-1] == "?"


def test_a_rule_that_a_command_does_not_know_is_refused(visits):
    assert opened(visits, "--fields", "age", "--missing", "wildcard", rules=("own", "wildcard")).missing == "wildcard"
    run("dataset", "score", visits, "--fields", "age", "--missing", "wildcard", code=2)


def test_a_manifest_has_the_checksum_of_the_file_and_no_value_of_a_record(visits, tmp_path):
    run("dataset", "profile", visits, "--fields", "age,sex", "--no-suda", "--out", tmp_path / "out")
    text = (tmp_path / "out" / "manifest.json").read_text()
    manifest = json.loads(text)
    assert manifest["command"] == "dataset profile"
    assert manifest["inputs"] == {"visits.csv": hashlib.sha256(visits.read_bytes()).hexdigest()}
    assert "30" not in json.dumps(manifest["notes"])


@pytest.mark.parametrize(
    "words",
    [
        ("absent.csv", "--fields", "age"),
        ("visits.csv", "--fields", "height"),
        ("visits.csv", "--fields", " , "),
        ("visits.csv", "--fields", "age", "--engine", "abacus"),
        ("visits.csv", "--fields", "age", "--memory", "much"),
        ("visits.csv", "--fields", "age", "--mapping", "absent.toml"),
    ],
)
def test_what_cannot_be_read_is_one_line(words, visits, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one_line("dataset", "profile", *words)
