"""Commands on the files, tables and database of the voter lists."""

from __future__ import annotations

import json
import resource
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from pinned import pinned
from small_people import rows, run

from policy_sim.cli.lists_files import checked_files, every_list, state_lists
from policy_sim.files.paths import voter_policies_dir
from policy_sim.words.states import STATES

# ``policy-sim lists check | export | import``: voter lists as files.


@pytest.fixture(scope="module")
def built_once(tmp_path_factory):
    path = tmp_path_factory.mktemp("built") / "lists.sqlite"
    run("dev", "lists", "build", "--database", f"sqlite:///{path}")
    return path


@pytest.fixture(autouse=True)
def _own_database(built_once, tmp_path_factory, monkeypatch):
    own = shutil.copy(built_once, tmp_path_factory.mktemp("own"))
    monkeypatch.setenv("POLICY_SIM_DATABASE", f"sqlite:///{own}")


def exported(*words):
    return json.loads(run("dev", "lists", "export", "--format", "json", *words).stdout)


@pytest.mark.slow
def test_what_is_exported_can_be_imported_and_is_the_same(tmp_path):
    before = exported()
    path = tmp_path / "lists.json"
    run("dev", "lists", "export", "--format", "json", "--lists", "2008", "--out", path)
    done = run("dev", "lists", "import", path)
    assert "lists imported for" in done.output
    assert exported() == before


@pytest.mark.slow
def test_a_damaged_file_changes_nothing(tmp_path):
    before = exported()
    for name, text in (("x.toml", "state = "), ("x.json", "{"), ("x.csv", "nothing\n1\n"), ("x.txt", "")):
        path = tmp_path / name
        path.write_text(text)
        run("dev", "lists", "import", path, code=2)
    assert exported() == before


# The lists that options choose: by year, by day, by state.


def test_every_list_is_of_a_real_state_and_those_of_one_state_are_among_them():
    every = every_list(None)
    assert {listed.state for listed in every} <= set(STATES)
    ohio = state_lists(None, "Ohio")
    assert {(each.state, each.vintage) for each in ohio} == {
        (each.state, each.vintage) for each in every if each.state == "OH"
    }
    assert len(ohio) > 1


# ``policy-sim dev lists sql`` and ``lists build``: one read-only query, and the database made again.


def test_a_query_counts_the_lists_that_were_built():
    (row,) = rows("dev", "lists", "sql", "SELECT count(*) AS lists FROM voter_list")
    assert f"{row['lists']} lists are in" in run("dev", "lists", "build").output


# Which files a command on voter lists reads, and how it writes one.


def test_nothing_named_is_the_whole_shipped_folder():
    assert checked_files(()) == {voter_policies_dir(): []}


def test_states_files_and_folders_go_together(tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text("")
    found = checked_files(("Ohio", "wy", str(mine), str(tmp_path / ".")))
    assert found[voter_policies_dir()] == [voter_policies_dir() / "oh.toml", voter_policies_dir() / "wy.toml"]
    assert found[Path(str(tmp_path / "."))] == []  # a folder stands for every file in it


# What 'lists' writes is whole, or one line says that it is not.


FULL = Path("/dev/full")


def _refused(*arguments, limit=None):
    """Run with files of at most ``limit`` bytes: what a disk does that fills up half way."""

    def bound():
        if limit:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    program = ("-c", "from policy_sim.cli.main import main; main()", "dev", "lists", *map(str, arguments))
    done = subprocess.run([sys.executable, *program], capture_output=True, text=True, check=False, preexec_fn=bound)
    assert done.returncode not in (0, 1), done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert done.stderr.startswith("Error: ")


@pytest.mark.slow
@pytest.mark.skipif(not FULL.is_char_device(), reason="no /dev/full here")
@pytest.mark.parametrize("form", pinned(["csv", "xlsx"], ["csv", "json", "xlsx"]))
def test_a_file_that_does_not_fit_leaves_nothing_and_a_device_is_written_to_not_replaced(form, tmp_path):
    _refused("export", "--format", form, "--out", tmp_path / "lists", limit=20_000)
    assert not list(tmp_path.iterdir())
    _refused("export", "--format", form, "--out", FULL)
    assert stat.S_ISCHR(FULL.stat().st_mode)


@pytest.mark.slow
def test_a_formula_in_an_answer_is_marked_in_csv():
    query = "SELECT '=1+1' AS \"=name\", -5 AS n, '-5' AS word, '@x' AS at"
    assert run("dev", "lists", "sql", query, "--format", "csv").stdout.splitlines() == [
        "'=name,n,word,at",
        "'=1+1,-5,-5,'@x",
    ]


# lists publish, and the sources as BibTeX, as a user runs them.


@pytest.mark.slow
def test_publish_writes_the_files_that_it_names(tmp_path):
    place = tmp_path / "voter-lists"
    said = run("dev", "lists", "publish", str(place)).stdout
    assert all(path.name in said for path in place.iterdir())
    assert (place / "datapackage.json").is_file()


@pytest.mark.slow
def test_sources_of_one_state_and_of_all(tmp_path, monkeypatch):
    monkeypatch.setenv("POLICY_SIM_HOME", str(tmp_path))
    one, every = (run("lists", "sources", *state, "--format", "bibtex").stdout for state in (("OH",), ()))
    assert 0 < one.count("@misc{") < every.count("@misc{")
    assert all(entry in every for entry in one.split("\n\n"))
