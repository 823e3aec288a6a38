import datetime as dt
import re
import shutil
import signal
import socket
import subprocess
import sys
from dataclasses import replace

import pytest
from pinned import pinned
from sqlalchemy import inspect, select, text
from sqlalchemy.engine import make_url

from policy_sim.files.paths import voter_policies_dir
from policy_sim.voter_lists.files import list_vintages, load_voter_lists, read_state_files
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.sql.database import METADATA, _waits, open_engine, reading, writing
from policy_sim.voter_lists.sql.stored_lists import (
    all_lists,
    build,
    import_lists,
    lists_in,
    open_lists,
    rebuild,
    run_query,
    vintages_in,
)
from policy_sim.words.errors import InputError, PolicySimError, SchemaError, SourceError, UnknownNameError


@pytest.fixture
def engine(filled_url):
    engine = open_lists(filled_url)
    yield engine
    engine.dispose()


def _one_line(error, said, act, *words, **options):
    """What the act is refused with: one line."""
    with pytest.raises(error, match=said) as caught:
        act(*words, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def _content(engine):
    """Every row of every table, in order."""
    with reading(engine) as connection:
        return {
            name: [tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key.columns))]
            for name, table in METADATA.tables.items()
        }


def _ours():
    files = read_state_files()
    return [files[state][vintage] for state in sorted(files) if state != "XX" for vintage in sorted(files[state])]


@pytest.mark.parametrize("vintage", ["2002", "2008", "2008-filled", "2020", "2026", None])
def test_a_vintage_is_the_same_from_the_database_and_from_the_files(built, vintage):
    stored, filed = lists_in(built, vintage), load_voter_lists(vintage)
    assert list(stored) == list(filed)
    for state, listed in stored.items():
        if listed.status != "unknown":
            assert listed == filed[state]
        assert listed.status == filed[state].status


def test_lists_are_chosen_by_day(built):
    assert {listed.vintage for listed in lists_in(built, as_of=dt.date(2015, 6, 1)).values()} == {"2008"}
    assert lists_in(built, as_of=dt.date(2008, 8, 31))["PA"].vintage == "2002"
    assert lists_in(built, as_of=dt.date(2008, 9, 1))["PA"].vintage == "2008"
    early = lists_in(built, as_of=dt.date(1999, 1, 1))
    assert {listed.status for listed in early.values()} == {"unknown"}
    assert len(early) == 51


@pytest.mark.slow
def test_a_list_that_ended_no_longer_holds(engine):
    ended = replace(load_voter_lists("2026")["OH"], valid_until=dt.date(2026, 6, 1))
    import_lists(engine, [ended])
    assert lists_in(engine, as_of=dt.date(2026, 5, 31))["OH"].vintage == "2026"
    assert lists_in(engine, as_of=dt.date(2026, 6, 1))["OH"].status == "unknown"


def test_unknown_vintage(built):
    assert vintages_in(built) == list_vintages()
    with pytest.raises(UnknownNameError, match="'1999' is not known"):
        lists_in(built, "1999")


@pytest.mark.slow
def test_building_twice_gives_the_same_content(engine):
    before = _content(engine)
    build(engine, _ours(), "built anew")
    after = _content(engine)
    assert before.pop("build") != after.pop("build")
    assert before == after


def test_rows_without_a_list_are_refused(built):
    with pytest.raises(Exception, match=r"(?i)foreign key|integrity"), writing(built) as connection:
        connection.execute(text("INSERT INTO note (list_id, position, text) VALUES (99999, 0, 'x')"))


@pytest.mark.slow
def test_an_import_replaces_the_list_and_outlives_a_rebuild(engine):
    ohio = replace(load_voter_lists()["OH"], price=Price("flat", base_usd=75, date="2026"), notes=("corrected",))
    assert import_lists(engine, [ohio]) == 1
    assert lists_in(engine)["OH"] == ohio.citing(ohio.sources)
    build(engine, _ours(), "built anew")
    assert lists_in(engine)["OH"] == ohio.citing(ohio.sources)
    assert lists_in(engine)["PA"] == load_voter_lists()["PA"]
    rebuild(engine)
    assert len(all_lists(engine)) == len(_ours())
    rebuild(engine, keep_imports=False)
    assert all_lists(engine) == _ours()


@pytest.mark.slow
def test_an_import_that_overlaps_with_what_is_there_is_refused_and_changes_nothing(engine):
    before = _content(engine)
    listed = replace(load_voter_lists("2020")["OH"], vintage="2024", valid_from=dt.date(2024, 1, 1))
    with pytest.raises(SchemaError, match=r"OH \[2024\] valid_until: overlaps with \[2026\]"):
        import_lists(engine, [replace(listed, valid_until=dt.date(2027, 1, 1))])
    assert _content(engine) == before
    assert import_lists(engine, [listed]) == 1


def test_a_failed_build_leaves_the_old_content(built):
    before = _content(built)
    broken = replace(load_voter_lists()["OH"], state="QQ")  # no such state: the foreign key refuses it
    with pytest.raises(SourceError, match="Nothing was changed"):
        build(built, [*_ours(), broken], "another")
    assert _content(built) == before


_WRITER = """
import os, signal, sys
from policy_sim.voter_lists.sql import stored_lists as module
from policy_sim.voter_lists.sql.database import open_engine
from policy_sim.voter_lists.files import read_state_files

url, digest, stop = sys.argv[1:]
files = read_state_files()
lists = [files[s][v] for s in sorted(files) if s != "XX" for v in sorted(files[s])]
real = module.store

def stop_half_way(connection, lists, origin):
    real(connection, list(lists)[:20], origin)
    os.kill(os.getpid(), signal.SIGKILL)

if stop == "stop":
    module.store = stop_half_way
print("ready", flush=True)
sys.stdin.readline()
module.build(open_engine(url), lists, digest)
"""


def _writer(url, digest, stop="no"):
    return subprocess.Popen(
        [sys.executable, "-c", _WRITER, url, digest, stop], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def _let_go(*writers):
    for writer in writers:
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.close()
    codes = [writer.wait(timeout=60) for writer in writers]
    for writer in writers:
        writer.stdout.close()
    return codes


@pytest.mark.slow
def test_killed_half_way_it_leaves_the_old_content(filled_url):
    engine = open_lists(filled_url)
    before = _content(engine)
    engine.dispose()
    assert _let_go(_writer(filled_url, "half", "stop")) == [-signal.SIGKILL]
    again = open_lists(filled_url)
    assert _content(again) == before
    build(again, _ours(), "whole")
    assert len(all_lists(again)) == len(_ours())


@pytest.mark.slow
def test_two_writers_at_once_take_turns(url):
    assert _let_go(_writer(url, "one"), _writer(url, "two")) == [0, 0]
    engine = open_engine(url)
    assert all_lists(engine) == _ours()
    assert _content(engine)["build"] in ([(1, "one")], [(1, "two")])


@pytest.mark.slow
@pytest.mark.postgres
def test_a_connection_that_drops_is_one_line_and_the_next_question_works(postgres_url):
    engine = open_lists(postgres_url)
    other = open_engine(postgres_url)
    with pytest.raises(SourceError, match="the connection was lost"), writing(engine) as connection:  # noqa: PT012
        own = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
        connection.execute(text("DELETE FROM note"))
        with other.connect() as killer:
            killer.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": own})
        connection.execute(text("DELETE FROM conflict"))
    assert all_lists(engine) == _ours()


@pytest.mark.slow
def test_a_lock_of_another_program_is_waited_for_with_a_bound(filled_url):
    open_lists(filled_url).dispose()
    holder, engine = open_engine(filled_url), open_engine(filled_url, seconds=1)
    with holder.connect() as connection:
        if holder.dialect.name == "sqlite":
            connection.exec_driver_sql("COMMIT")
            connection.exec_driver_sql("BEGIN EXCLUSIVE")
        else:
            connection.execute(text("LOCK TABLE voter_list, build IN ACCESS EXCLUSIVE MODE"))
        for act in (lambda: all_lists(engine), lambda: rebuild(engine), lambda: import_lists(engine, _ours()[:1])):
            _one_line(SourceError, r"lock.*another program is using it", act)
        connection.rollback()
    assert all_lists(engine) == _ours()


@pytest.mark.slow
@pytest.mark.postgres
def test_a_server_that_accepts_and_says_nothing_is_given_up():
    pytest.importorskip("psycopg")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"postgresql://me:Schmidt@127.0.0.1:{silent.getsockname()[1]}/x?connect_timeout=2"
        assert "Schmidt" not in _one_line(SourceError, "timeout", open_lists, address)


@pytest.mark.parametrize("asked", ["", "?connect_timeout=0", "?connect_timeout=-1", "?connect_timeout=99999"])
def test_every_connection_has_a_bound(asked):
    pytest.importorskip("psycopg")
    url = make_url(f"postgresql+psycopg://h/x{asked}")
    assert _waits(url)["connect_timeout"] == 10
    assert "connect_timeout" not in _waits(make_url("postgresql+psycopg://h/x?connect_timeout=5"))


@pytest.mark.slow
@pytest.mark.postgres
def test_a_connection_that_dropped_while_idle_is_not_noticed(postgres_url):
    engine = open_lists(postgres_url)
    assert len(lists_in(engine)) == 51
    with open_engine(postgres_url).connect() as killer:
        others = "pid <> pg_backend_pid() AND datname = current_database()"
        killer.execute(text(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}"))
    assert len(lists_in(engine)) == 51


@pytest.mark.slow
def test_the_users_own_database_follows_the_files(tmp_path, monkeypatch):
    monkeypatch.setenv("POLICY_SIM_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("POLICY_SIM_DATABASE", raising=False)
    folder = tmp_path / "policies"
    shutil.copytree(voter_policies_dir(), folder)
    assert lists_in(open_lists(directory=folder))["OH"].price.kind == "free"
    path = folder / "oh.toml"
    head, tail = path.read_text(encoding="utf-8").split("[2026.price]", 1)
    changed = tail.replace('kind = "free"', 'kind = "not_sold"', 1)
    path.write_text(f"{head}[2026.price]{changed}", encoding="utf-8")
    assert lists_in(open_lists(directory=folder))["OH"].price.kind == "not_sold"


def test_a_database_by_url_does_not_follow_the_files(url, tmp_path):
    folder = tmp_path / "policies"
    folder.mkdir()
    for name in ("oh.toml", "_sources.toml"):
        shutil.copy(voter_policies_dir() / name, folder)
    open_lists(url, folder).dispose()
    assert {listed.state for listed in all_lists(open_lists(url))} == {"OH"}


@pytest.mark.slow
def test_the_environment_names_a_database(url, monkeypatch):
    monkeypatch.setenv("POLICY_SIM_DATABASE", url)
    assert open_lists().url == make_url(url)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("nowhere/lists.sqlite", "there is no such file"),
        ("sqlite:///nowhere/lists.sqlite", "there is no such file"),
        ("sqlite://lists.sqlite", "three slashes before the path"),
        ("x" * 300, "there is no such file"),
        ("foo", "there is no such file"),
        (".", "this is a folder"),
        ("host=h dbname=lists password=Schmidt", "neither a path nor a URL"),
        ("oracle9://x", "this kind of database is not supported"),
    ],
)
def test_an_address_that_cannot_be_read(address, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "Schmidt" not in _one_line(InputError, said, open_lists, address)
    assert not list(tmp_path.iterdir()), "nothing is made under a misspelled name"


@pytest.mark.parametrize("given", ["option", "environment"])
def test_a_plain_path_is_an_address(given, tmp_path, monkeypatch):
    path = str(tmp_path / "ours 100%.sqlite")
    open_lists(f"sqlite:///{path}", make=True).dispose()
    monkeypatch.setenv("POLICY_SIM_DATABASE", path if given == "environment" else "own")
    engine = open_lists(path if given == "option" else None)
    assert engine.url.database == path
    assert len(all_lists(engine)) == len(_ours())


def _tables(engine):
    with reading(engine) as connection:
        return set(inspect(connection).get_table_names())


@pytest.mark.parametrize("ours", [False, True])
@pytest.mark.parametrize("act", [open_lists, lambda url: open_lists(url, make=True)], ids=["read", "write"])
def test_somebody_elses_tables_are_left_alone(url, act, ours):
    engine = open_engine(url)
    with writing(engine) as connection:
        for name in ("patients", "visits", "bills", "doctors"):
            connection.execute(text(f"CREATE TABLE {name} (id INTEGER)"))
        if ours:  # another program that keeps its versions as we do
            connection.execute(text("CREATE TABLE schema_version (version_num VARCHAR(32))"))
            connection.execute(text("INSERT INTO schema_version VALUES ('77aa')"))
    before = _tables(engine)
    _one_line(InputError, r"\(bills, doctors, patients, \.\.\.\).*Nothing was changed", act, url)
    assert _tables(engine) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("UPDATE schema_version SET version_num = '0001'", "version 0001, made by an older version"),
        (
            "UPDATE schema_version SET version_num = '0003'",
            "version 0003, made by a newer .*; update policy-sim",
        ),
        ("DROP TABLE citation", "table citation is missing"),
        ("ALTER TABLE note RENAME COLUMN text TO words", "column note.text is missing"),
        ("DROP TABLE schema_version", "version none, made by an older version"),
    ],
)
def test_tables_of_another_version_are_one_line_and_how_to_build_again(engine, change, said):
    with writing(engine) as connection:
        connection.execute(text(change))
    address = engine.url.render_as_string(hide_password=False)
    for make in (False, True):
        assert "policy-sim dev lists build" in _one_line(InputError, said, open_lists, address, make=make)


def test_your_own_file_of_an_older_version_says_that_it_is_built_again_once_it_is_gone(tmp_path, monkeypatch):
    monkeypatch.setenv("POLICY_SIM_HOME", str(tmp_path))
    engine = open_lists(make=True)
    with writing(engine) as connection:
        connection.execute(text("UPDATE schema_version SET version_num = '0001'"))
    _one_line(InputError, "Nothing was changed; remove or rename that file, and it is built", open_lists, make=True)
    (tmp_path / "voter-lists.sqlite").unlink()
    assert all_lists(open_lists(make=True)) == _ours()


@pytest.mark.slow
def test_a_damaged_row_is_one_line(engine):
    with writing(engine) as connection:
        connection.execute(text("UPDATE voter_list SET document = '{}'"))
    _one_line(SourceError, r"a row is damaged.*lists build can forget imports", lists_in, engine)
    rebuild(engine, keep_imports=False)
    assert all_lists(engine) == _ours()


@pytest.mark.slow
def test_damaged_pages_are_one_line_and_how_to_build_again(tmp_path):
    path = tmp_path / "lists.sqlite"
    open_lists(str(path), make=True).dispose()
    whole = path.read_bytes()
    seen = set()
    for page in range(0, len(whole) // 4096, pinned(28, 7)):  # every page in its turn would take minutes
        path.write_bytes(whole[: page * 4096] + b"\xa5" * 4096 + whole[(page + 1) * 4096 :])
        try:
            engine = open_lists(str(path))
            lists_in(engine)
            run_query(engine, "SELECT * FROM citation")
        except PolicySimError as error:
            seen.add(str(error))
    assert seen
    assert all("\n" not in said and "lists.sqlite" in said and "lists build" in said for said in seen)


def test_a_server_that_is_not_there_is_one_line_without_the_password(tmp_path):
    pytest.importorskip("psycopg")
    said = _one_line(SourceError, ".", open_lists, f"postgresql+psycopg://me:secret@/none?host={tmp_path}")
    assert "secret" not in said


@pytest.mark.parametrize(
    "address",
    [
        "postgresql+psycopg://me:secret@127.0.0.1:port/lists",
        "postgresql+psycopg://me:sec/ret@127.0.0.1/lists",
        "postgresql+psycopg://me:sec@ret@127.0.0.1:1/lists",
        "postgresql+psycopg://me@127.0.0.1:1/lists?password=secret",
        "postgres://me:secret@127.0.0.1:1/lists?sslpassword=secret",
        "mysql://me:secret@127.0.0.1/lists",
        "postgresql+asyncpg://me:secret@127.0.0.1/lists",
        "me:secret@127.0.0.1",
    ],
)
def test_a_password_is_never_repeated(address):
    pytest.importorskip("psycopg")
    assert not re.findall(r"sec|ret", _one_line(PolicySimError, ".", open_lists, address))


def test_a_file_that_is_no_database(tmp_path):
    (tmp_path / "lists.sqlite").write_text("not a database, but long enough to be looked at " * 20)
    with pytest.raises(SourceError, match=r"not a database.*remove or rename that file"):
        open_lists(f"sqlite:///{tmp_path / 'lists.sqlite'}")
