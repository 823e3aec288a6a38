"""``policy-sim lists check | export | import``: voter lists as files."""

import json

import pytest
from small_people import one_line, run

from policy_sim.files.paths import voter_policies_dir


@pytest.fixture(autouse=True)
def _own_database(tmp_path, monkeypatch):
    monkeypatch.setenv("POLICY_SIM_DATABASE", f"sqlite:///{tmp_path / 'lists.sqlite'}")
    run("lists", "build")


def exported(*words):
    return json.loads(run("lists", "export", "--format", "json", *words).stdout)


@pytest.mark.slow
def test_what_is_exported_can_be_imported_and_is_the_same(tmp_path):
    before = exported()
    path = tmp_path / "lists.json"
    run("lists", "export", "--format", "json", "--lists", "2008", "--out", path)
    done = run("lists", "import", path)
    assert "lists imported for" in done.output
    assert exported() == before


def test_an_import_of_a_state_replaces_its_lists(tmp_path):
    text = (voter_policies_dir() / "wy.toml").read_text(encoding="utf-8")
    path = tmp_path / "wy.toml"
    path.write_text(text, encoding="utf-8")
    assert "for WY" in run("lists", "import", path).output


@pytest.mark.slow
def test_a_damaged_file_changes_nothing(tmp_path):
    before = exported()
    for name, text in (("x.toml", "state = "), ("x.json", "{"), ("x.csv", "nothing\n1\n"), ("x.txt", "")):
        path = tmp_path / name
        path.write_text(text)
        run("lists", "import", path, code=2)
    assert exported() == before


def test_a_check_finds_what_is_wrong_and_counts_it(tmp_path):
    path = tmp_path / "oh.toml"
    path.write_text('state = "OH"\nsurprise = 1\n')
    done = run("lists", "check", path, "--next", 0, code=2)
    assert "surprise" in done.stdout
    assert "malformed" in done.stdout.splitlines()[-1]


def test_old_sources_are_findings_and_strict_makes_them_a_status():
    words = ("lists", "check", "OH", "--next", 0, "--today", "2099-01-01", "--months", 1)
    assert "finding" in run(*words).stdout.splitlines()[-1]
    run(*words, "--strict", code=1)


@pytest.mark.slow
def test_what_cannot_be_exported_is_one_line(tmp_path):
    assert "xlsx" in one_line("lists", "export", "--format", "xlsx")
    assert "scenario" in one_line("lists", "export", "--lists", "federal-demand-2025")
    one_line("lists", "export", "--lists", "1850")
    one_line("lists", "export", "--out", tmp_path / "absent" / "lists.csv")
