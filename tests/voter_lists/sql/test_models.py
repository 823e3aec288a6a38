"""The tables as the models describe them, and what they refuse."""

import pytest
from sqlalchemy import create_engine, event, insert, inspect, text
from sqlalchemy.exc import IntegrityError

from policy_sim.voter_lists.sql.models import METADATA


@pytest.fixture
def connection():
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


def put(connection, **changes):
    columns = row(**changes)
    names = ", ".join(columns)
    values = ", ".join(f":{name}" for name in columns)
    connection.execute(text(f"INSERT INTO voter_list ({names}) VALUES ({values})"), columns)


def test_every_table_of_a_list_goes_with_its_list(connection):
    put(connection)
    connection.execute(text("INSERT INTO note (list_id, position, text) VALUES (1, 0, 'x')"))
    connection.execute(text("DELETE FROM voter_list"))
    assert connection.execute(text("SELECT count(*) FROM note")).scalar() == 0


@pytest.mark.parametrize(
    "wrong", [{"state": "ZZ"}, {"status": None}, {"valid_until": "2025-01-01"}, {"valid_until": "2026-01-01"}]
)
def test_a_row_that_cannot_be_is_refused(connection, wrong):
    with pytest.raises(IntegrityError):
        put(connection, **wrong)


def test_two_lists_of_a_state_and_vintage_are_one_too_many(connection):
    put(connection)
    with pytest.raises(IntegrityError):
        put(connection, id=2)


def test_a_row_without_a_list_is_refused(connection):
    with pytest.raises(IntegrityError):
        connection.execute(insert(METADATA.tables["note"]), [{"list_id": 9, "position": 0, "text": "x"}])


def test_every_table_has_a_key(connection):
    for name in inspect(connection).get_table_names():
        assert inspect(connection).get_pk_constraint(name)["constrained_columns"], name
