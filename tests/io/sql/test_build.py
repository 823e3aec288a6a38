"""The database built from lists: all of it at once, or not at all."""

import pytest
from sqlalchemy import create_engine, text

from policy_sim.io.sql.build import FROM_FILES, IMPORTED, build, built_from, migrate, store
from policy_sim.io.sql.read import read_from
from policy_sim.io.voter_lists.state_files import load_voter_list
from policy_sim.voter_lists.price import Price


@pytest.fixture
def engine(tmp_path):
    return create_engine(f"sqlite:///{tmp_path / 'lists.sqlite'}")


def lists(*states):
    return [load_voter_list(state, "2008") for state in states]


def test_a_database_says_what_it_was_built_from(engine):
    with engine.begin() as connection:
        assert built_from(connection) is None
    build(engine, lists("OH", "WY"), "first")
    with engine.begin() as connection:
        assert built_from(connection) == "first"
        assert read_from(connection) == lists("OH", "WY")


def test_the_same_files_are_not_built_twice_and_others_take_their_place(engine):
    build(engine, lists("OH", "WY"), "first")
    build(engine, [], "first")  # nothing to do
    with engine.begin() as connection:
        assert len(read_from(connection)) == 2
    build(engine, lists("TX"), "second")
    with engine.begin() as connection:
        assert [listed.state for listed in read_from(connection)] == ["TX"]


def test_imports_outlive_a_build_unless_they_are_forgotten(engine):
    from dataclasses import replace

    build(engine, lists("OH"), "first")
    mine = replace(lists("OH")[0], price=Price("flat", base_usd=75))
    with engine.begin() as connection:
        store(connection, [mine], IMPORTED)
    build(engine, lists("OH", "WY"), "second")
    with engine.begin() as connection:
        prices = {listed.state: listed.price.base_usd for listed in read_from(connection)}
    assert prices["OH"] == 75
    build(engine, lists("OH", "WY"), "second", keep_imports=False)
    with engine.begin() as connection:
        assert read_from(connection) == lists("OH", "WY")


def test_a_source_that_two_lists_cite_is_stored_once(engine):
    with engine.begin() as connection:
        migrate(connection)
    build(engine, [load_voter_list("OH", year) for year in ("2008", "2020")], "first")
    with engine.begin() as connection:
        keys = connection.execute(text("SELECT key, title, url, date, note FROM source")).fetchall()
    assert len(keys) == len(set(keys))
    assert FROM_FILES != IMPORTED


def test_a_build_that_fails_leaves_what_was_there(engine):
    build(engine, lists("OH"), "first")

    def broken():
        yield from lists("WY")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        build(engine, broken(), "second")
    with engine.begin() as connection:
        assert built_from(connection) == "first"
        assert [listed.state for listed in read_from(connection)] == ["OH"]
