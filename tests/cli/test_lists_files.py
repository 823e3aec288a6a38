"""Commands on the files, tables and database of the voter lists."""

from __future__ import annotations

import datetime as dt
import json
import os
import resource
import shutil
import stat
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from small_people import one_line, rows, run

from policy_sim.cli.lists_files import checked_files, chosen_lists, every_list, state_lists, written_beside
from policy_sim.files.paths import voter_policies_dir
from policy_sim.voter_lists.files import FICTIONAL, read_state_files
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.states import STATES

# ``policy-sim lists check | export | import``: voter lists as files.


@pytest.fixture(scope="module")
def built_once(tmp_path_factory):
    path = tmp_path_factory.mktemp("built") / "lists.sqlite"
    run("lists", "build", "--database", f"sqlite:///{path}")
    return path


@pytest.fixture(autouse=True)
def _own_database(built_once, tmp_path_factory, monkeypatch):
    own = shutil.copy(built_once, tmp_path_factory.mktemp("own"))
    monkeypatch.setenv("POLICY_SIM_DATABASE", f"sqlite:///{own}")


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


# The lists that options choose: by year, by day, by state.


def test_a_year_and_a_day_choose_the_lists_of_that_time():
    newest = chosen_lists(None, None, None, ("ohio",))["OH"]
    assert newest.vintage >= "2026"
    assert chosen_lists(None, "2008", None, ("OH",))["OH"].vintage == "2008"
    then = chosen_lists(None, None, dt.date(2012, 1, 1), ("OH",))["OH"]
    assert then.valid_from <= dt.date(2012, 1, 1)


@pytest.mark.slow
def test_no_state_is_every_state():
    assert len(chosen_lists(None, "2008", None)) >= 50
    assert list(chosen_lists(None, "2008", None, ("TX", "OH", "39"))) == ["TX", "OH"]


def test_every_list_is_of_a_real_state_and_those_of_one_state_are_among_them():
    every = every_list(None)
    assert {listed.state for listed in every} <= set(STATES)
    ohio = state_lists(None, "Ohio")
    assert {(each.state, each.vintage) for each in ohio} == {
        (each.state, each.vintage) for each in every if each.state == "OH"
    }
    assert len(ohio) > 1


def test_a_state_without_a_list_says_which_have_one():
    with pytest.raises(UnknownNameError, match="state with a voter list"):
        state_lists(None, "PR")


# ``policy-sim lists sql`` and ``lists build``: one read-only query, and the database made again.


def test_a_query_counts_the_lists_that_were_built():
    (row,) = rows("lists", "sql", "SELECT count(*) AS lists FROM voter_list")
    assert f"{row['lists']} lists are in" in run("lists", "build").output


def test_a_query_without_rows_has_its_columns():
    done = run("lists", "sql", "SELECT state FROM voter_list WHERE state = 'ZZ'", "--format", "csv")
    assert done.stdout.splitlines() == ["state"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "query", ["DELETE FROM voter_list", "DROP TABLE price", "SELEC 1", "SELECT 1; SELECT 2", "", "SELECT x FROM no"]
)
def test_what_is_no_question_is_one_line_and_changes_nothing(query):
    before = rows("lists", "sql", "SELECT count(*) AS lists FROM voter_list")
    one_line("lists", "sql", query)
    assert rows("lists", "sql", "SELECT count(*) AS lists FROM voter_list") == before


# Which files a command on voter lists reads, and how it writes one.


def test_nothing_named_is_the_whole_shipped_folder():
    assert checked_files(()) == {voter_policies_dir(): []}


def test_states_files_and_folders_go_together(tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text("")
    found = checked_files(("Ohio", "wy", str(mine), str(tmp_path / ".")))
    assert found[voter_policies_dir()] == [voter_policies_dir() / "oh.toml", voter_policies_dir() / "wy.toml"]
    assert found[Path(str(tmp_path / "."))] == []  # a folder stands for every file in it


def test_what_is_neither_a_state_nor_a_file_is_refused(tmp_path):
    with pytest.raises(UnknownNameError):
        checked_files(("Atlantis",))
    with pytest.raises(InputError, match=r"absent\.toml"):
        checked_files((str(tmp_path / "absent.toml"),))


def test_a_file_takes_its_place_only_when_it_is_complete(tmp_path):
    out = tmp_path / "lists.csv"
    out.write_text("before")
    with suppress(ZeroDivisionError), written_beside(out) as path:
        path.write_text("half")
        raise ZeroDivisionError
    assert out.read_text() == "before"
    with written_beside(out) as path:
        path.write_text("whole")
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("lists.csv", "whole")]


def test_a_device_is_written_to_itself():
    with written_beside(Path("/dev/null")) as path:
        assert path == Path("/dev/null")


# What 'lists' writes is whole, or one line says that it is not.


PROGRAM = ("-u", "-c", "from policy_sim.cli.main import main; main()")
FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.is_char_device(), reason="no /dev/full here")


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """With the user's own database as it is built, before files are bound."""
    given = {name: value for name, value in os.environ.items() if name != "POLICY_SIM_DATABASE"}
    given |= {"POLICY_SIM_HOME": str(tmp_path_factory.mktemp("home"))}
    assert _run(given, "build").returncode == 0
    return given


def _run(environment, *arguments, limit=None, **streams):
    """Run unbuffered, with files of at most ``limit`` bytes: what a disk does that fills up half way."""

    def bound():
        if limit:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    command = [sys.executable, *PROGRAM, "lists", *map(str, arguments)]
    streams = {"stdout": subprocess.PIPE} | streams
    return subprocess.run(
        command, stderr=subprocess.PIPE, text=True, check=False, env=environment, preexec_fn=bound, **streams
    )


def _one_line(done):
    assert done.returncode not in (0, 1), done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert done.stderr.startswith("Error: ")


@pytest.mark.slow
@pytest.mark.parametrize("what", [("export",), ("export", "--format", "json")])
def test_a_disk_that_fills_up_half_way_is_told(what, environment, tmp_path):
    with (tmp_path / "out").open("wb") as out:
        _one_line(_run(environment, *what, limit=40_000, stdout=out))
    assert 0 < (tmp_path / "out").stat().st_size <= 40_000


@pytest.mark.slow
@needs_full
@pytest.mark.parametrize(
    "what", [("export",), ("export", "--format", "json"), ("export", "--format", "xlsx"), ("list",)]
)
def test_a_full_disk_is_told(what, environment):
    if what != ("list",):
        _one_line(_run(environment, *what, "--out", FULL))
        assert stat.S_ISCHR(FULL.stat().st_mode), "a device is written to, not replaced"
    if "xlsx" not in what:
        with FULL.open("wb") as out:
            _one_line(_run(environment, *what, stdout=out))


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "json", "xlsx"])
def test_a_file_that_does_not_fit_leaves_nothing(form, environment, tmp_path):
    done = _run(environment, "export", "--format", form, "--out", tmp_path / "lists", limit=20_000)
    _one_line(done)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("what", [("export",), ("export", "--format", "xlsx")])
@pytest.mark.parametrize("name", ["file/page.md", "x" * 300, "folder", "none/page.md"])
def test_a_place_that_cannot_be_written_is_one_line(what, name, environment, tmp_path, monkeypatch):
    monkeypatch.setenv("POLICY_SIM_HOME", environment["POLICY_SIM_HOME"])
    monkeypatch.delenv("POLICY_SIM_DATABASE", raising=False)
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.rglob("*"))
    done = run("lists", *what, "--out", str(tmp_path / name), code=2)
    assert len(done.stderr.strip().splitlines()) == 1
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.slow
def test_the_names_of_a_place_may_be_as_long_as_the_disk_allows(environment, tmp_path):
    path = tmp_path / ("x" * 251 + ".csv")
    assert _run(environment, "export", "--out", path).returncode == 0
    vintages = [key for state, lists in read_state_files().items() if state != FICTIONAL for key in lists]
    assert path.read_text(encoding="utf-8").count("\n") >= sum(key.isdigit() for key in vintages)


@pytest.mark.slow
def test_a_formula_in_an_answer_is_marked_in_csv(environment):
    query = "SELECT '=1+1' AS \"=name\", -5 AS n, '-5' AS word, '@x' AS at"
    done = _run(environment, "sql", query, "--format", "csv")
    assert done.stdout.splitlines() == ["'=name,n,word,at", "'=1+1,-5,-5,'@x"]


# lists publish, and the sources as BibTeX, as a user runs them.


@pytest.mark.slow
def test_publish_writes_the_files_that_it_names(tmp_path):
    place = tmp_path / "voter-lists"
    said = run("lists", "publish", str(place)).stdout
    assert all(path.name in said for path in place.iterdir())
    assert (place / "datapackage.json").is_file()


@pytest.mark.slow
def test_publish_leaves_a_folder_of_something_else_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine", encoding="utf-8")
    assert "thesis.txt" in run("lists", "publish", str(tmp_path), code=2).output
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.slow
def test_sources_of_one_state_and_of_all(tmp_path, monkeypatch):
    monkeypatch.setenv("POLICY_SIM_HOME", str(tmp_path))
    one, every = (run("lists", "sources", *state, "--format", "bibtex").stdout for state in (("OH",), ()))
    assert 0 < one.count("@misc{") < every.count("@misc{")
    assert all(entry in every for entry in one.split("\n\n"))
    assert (
        "EAC" in run("lists", "sources", "--format", "csv").stdout
        or "Election Assistance" in run("lists", "sources").stdout
    )
