from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pandas as pd
import pytest
from small_people import list_of
from sqlalchemy import create_engine, event, insert, inspect, text
from sqlalchemy.exc import IntegrityError

from policy_sim.files.evidence import Source
from policy_sim.voter_lists.files import load_voter_lists, read_state_files
from policy_sim.voter_lists.list_field import LIST_FIELDS
from policy_sim.voter_lists.sql.database import CHILDREN, LISTS, METADATA, list_rows, source_row, to_source
from policy_sim.voter_lists.sql.stored_lists import (
    all_lists,
    build,
    built_from,
    import_lists,
    lists_in,
    open_lists,
    read_from,
    run_query,
)


def test_nothing_of_any_list_is_lost_and_every_row_is_its_lists(built):
    files = read_state_files()
    lists = [files[state][vintage] for state in sorted(files) if state != "XX" for vintage in sorted(files[state])]
    assert all_lists(built) == lists
    for listed in lists:
        numbers = {key: number for number, key in enumerate(listed.sources, 1)}
        rows = list_rows(listed, 1, numbers, "file")
        assert set(rows) <= {"voter_list", *CHILDREN}
        assert all(row["list_id"] == 1 for table, some in rows.items() if table != "voter_list" for row in some)


def test_nobody_and_not_known_stay_apart(tmp_path):
    for names in ((), None):
        engine = open_lists(str(tmp_path / f"{names}.sqlite"), make=True)
        listed = load_voter_lists("2026")["OH"]
        changed = replace(listed, buyers=replace(listed.buyers, names=names))
        import_lists(engine, [changed])
        assert lists_in(engine)["OH"].buyers.names == names


def test_a_field_of_a_list_is_a_field_and_a_ruling_has_its_own_table(built):
    """Rulings once were rows of ``list_field`` under names such as ``preempted.00.uses``."""
    names = set(run_query(built, "SELECT DISTINCT name FROM list_field")["name"])
    assert names == set(LIST_FIELDS)
    rows = run_query(
        built,
        "SELECT state, vintage, rule, since, set_aside_by, written, allowed, note, e.confidence FROM preemption p "
        "JOIN voter_list l ON l.id = p.list_id "
        "LEFT JOIN evidence e ON e.list_id = p.list_id AND e.item = 'preempted.' || p.position "
        "ORDER BY state, vintage, position",
    )
    rulings = [
        (
            listed.state,
            listed.vintage,
            entry.rule,
            str(entry.since),
            entry.by,
            *(None if names is None else " ".join(names) for names in (entry.written, entry.allowed)),
            entry.note,
            entry.evidence.confidence or None,
        )
        for listed in all_lists(built)
        for entry in listed.preemptions
    ]
    assert rulings
    assert [tuple(None if pd.isna(cell) else cell for cell in row) for row in rows.itertuples(index=False)] == rulings


def test_a_source_comes_back_with_every_address():
    source = Source(
        "sos", "Price list", "https://a.example", "2026-05", "read", ("https://b.example", "https://c.example")
    )
    assert to_source(source_row(source, 9)) == source
    assert to_source(source_row(Source("x", "y"), 1)).also == ()


# The database built from lists.


@pytest.fixture
def engine(tmp_path):
    return create_engine(f"sqlite:///{tmp_path / 'lists.sqlite'}")


def lists(*states):
    return [load_voter_lists("2008")[state] for state in states]


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


def test_a_source_that_two_lists_cite_is_stored_once(engine):
    build(engine, [load_voter_lists(year)["OH"] for year in ("2008", "2020")], "first")
    with engine.begin() as connection:
        keys = connection.execute(text("SELECT key, title, url, date, note FROM source")).fetchall()
    assert len(keys) == len(set(keys))


# The tables, and what they refuse.


@pytest.fixture
def empty():
    engine = create_engine("sqlite://")
    event.listen(engine, "connect", lambda opened, _: opened.execute("PRAGMA foreign_keys=ON"))
    METADATA.create_all(engine)
    with engine.connect() as opened:
        opened.execute(text("INSERT INTO state VALUES ('OH', '39', 'Ohio')"))
        yield opened


def put(empty, number=1, **changes):
    (own,) = list_rows(list_of(valid_from=dt.date(2026, 1, 1)), number, {}, "files")["voter_list"]
    empty.execute(insert(LISTS), [own | changes])


def test_every_table_of_a_list_goes_with_its_list(empty):
    put(empty)
    empty.execute(text("INSERT INTO note (list_id, position, text) VALUES (1, 0, 'x')"))
    empty.execute(text("DELETE FROM voter_list"))
    assert empty.execute(text("SELECT count(*) FROM note")).scalar() == 0


@pytest.mark.parametrize(
    "wrong", [{"state": "ZZ"}, {"status": None}, *({"valid_until": dt.date(year, 1, 1)} for year in (2025, 2026))]
)
def test_a_row_that_cannot_be_is_refused(empty, wrong):
    with pytest.raises(IntegrityError):
        put(empty, **wrong)


def test_two_lists_of_a_state_and_vintage_are_one_too_many(empty):
    put(empty)
    with pytest.raises(IntegrityError):
        put(empty, 2)


def test_every_table_has_a_key(empty):
    for name in inspect(empty).get_table_names():
        assert inspect(empty).get_pk_constraint(name)["constrained_columns"], name
