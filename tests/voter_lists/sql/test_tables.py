from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pandas as pd
import pytest
from sqlalchemy import create_engine, event, insert, inspect, text
from sqlalchemy.exc import IntegrityError

from policy_sim.files.evidence import Source
from policy_sim.voter_lists.files import held_on, load_voter_lists, read_state_files
from policy_sim.voter_lists.list_field import LIST_FIELDS
from policy_sim.voter_lists.sql.database import CHILDREN, LISTS, METADATA, list_rows, source_row, to_source
from policy_sim.voter_lists.sql.stored_lists import (
    all_lists,
    build,
    import_lists,
    lists_in,
    open_lists,
    read_from,
    run_query,
)
from policy_sim.words.errors import SourceError


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


# Lists read back from the database as the nouns that went in.


OHIO_AND_WYOMING = [load_voter_lists(year)[state] for state in ("OH", "WY") for year in ("2008", "2020")]


@pytest.fixture
def connection(tmp_path):
    engine = create_engine(f"sqlite:///{tmp_path / 'lists.sqlite'}")
    build(engine, OHIO_AND_WYOMING, "first")
    with engine.begin() as opened:
        yield opened


def test_every_list_comes_back_by_state_and_vintage(connection):
    assert read_from(connection) == OHIO_AND_WYOMING


def test_conditions_choose(connection):
    assert read_from(connection, LISTS.c.state == "WY") == OHIO_AND_WYOMING[2:]
    assert read_from(connection, LISTS.c.state == "WY", LISTS.c.vintage == "2008") == OHIO_AND_WYOMING[2:3]
    assert read_from(connection, LISTS.c.state == "ZZ") == []


@pytest.mark.parametrize("before", [False, True])
def test_a_day_chooses_the_newest_list_begun_by_then(connection, before):
    begins = {listed.vintage: listed.valid_from for listed in OHIO_AND_WYOMING if listed.state == "OH"}
    day = begins["2020"] - dt.timedelta(days=1) if before else begins["2020"]
    chosen = held_on(read_from(connection, LISTS.c.state == "OH"), day)
    assert chosen.vintage == ("2008" if before else "2020")


def test_before_the_first_list_there_is_none(connection):
    assert held_on(read_from(connection), dt.date(1900, 1, 1)) is None


def test_a_damaged_row_is_one_line(connection):
    connection.execute(text("UPDATE voter_list SET document = replace(document, 'available', '')"))
    with pytest.raises(SourceError, match="damaged") as caught:
        read_from(connection)
    assert "\n" not in str(caught.value)


# The tables, and what they refuse.


@pytest.fixture
def empty():
    engine = create_engine("sqlite://")
    event.listen(engine, "connect", lambda opened, _: opened.execute("PRAGMA foreign_keys=ON"))
    METADATA.create_all(engine)
    with engine.connect() as opened:
        opened.execute(text("INSERT INTO state VALUES ('OH', '39', 'Ohio')"))
        yield opened


def row(**changes):
    facts = {
        "id": 1, "state": "OH", "vintage": "2026", "scenario": False, "origin": "files", "status": "available",
        "reason": "", "valid_from": "2026-01-01", "valid_until": None, "buyers_known": True, "uses_known": True,
        "document": "{}",
    }  # fmt: skip
    return {**facts, **changes}


def put(empty, **changes):
    columns = row(**changes)
    names = ", ".join(columns)
    values = ", ".join(f":{name}" for name in columns)
    empty.execute(text(f"INSERT INTO voter_list ({names}) VALUES ({values})"), columns)


def test_every_table_of_a_list_goes_with_its_list(empty):
    put(empty)
    empty.execute(text("INSERT INTO note (list_id, position, text) VALUES (1, 0, 'x')"))
    empty.execute(text("DELETE FROM voter_list"))
    assert empty.execute(text("SELECT count(*) FROM note")).scalar() == 0


@pytest.mark.parametrize(
    "wrong", [{"state": "ZZ"}, {"status": None}, {"valid_until": "2025-01-01"}, {"valid_until": "2026-01-01"}]
)
def test_a_row_that_cannot_be_is_refused(empty, wrong):
    with pytest.raises(IntegrityError):
        put(empty, **wrong)


def test_two_lists_of_a_state_and_vintage_are_one_too_many(empty):
    put(empty)
    with pytest.raises(IntegrityError):
        put(empty, id=2)


def test_a_row_without_a_list_is_refused(empty):
    with pytest.raises(IntegrityError):
        empty.execute(insert(METADATA.tables["note"]), [{"list_id": 9, "position": 0, "text": "x"}])


def test_every_table_has_a_key(empty):
    for name in inspect(empty).get_table_names():
        assert inspect(empty).get_pk_constraint(name)["constrained_columns"], name
