"""Whose tables a database holds."""

import pytest
from sqlalchemy import create_engine, text

from policy_sim.errors import InputError
from policy_sim.io.sql.build import migrate
from policy_sim.io.sql.existing_tables import holds_lists


@pytest.fixture
def connection():
    with create_engine("sqlite://").begin() as opened:
        yield opened


def test_an_empty_database_holds_none(connection):
    assert holds_lists(connection) is False


def test_one_with_our_tables_holds_them(connection):
    migrate(connection)
    assert holds_lists(connection) is True


def test_a_table_of_versions_alone_counts_as_empty(connection):
    connection.execute(text("CREATE TABLE alembic_version (version_num TEXT)"))
    assert holds_lists(connection) is False


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("DROP TABLE note", "damaged"),
        ("ALTER TABLE price RENAME COLUMN kind TO sort", "damaged"),
        ("UPDATE alembic_version SET version_num = '0099'", "0099"),
        ("DELETE FROM alembic_version", "version none"),
    ],
)
def test_tables_that_are_not_quite_ours_are_refused(connection, change, words):
    migrate(connection)
    connection.execute(text(change))
    with pytest.raises(InputError, match=words):
        holds_lists(connection)


def test_somebody_elses_tables_are_refused_and_three_are_named(connection):
    for name in ("patients", "visits", "bills", "doctors"):
        connection.execute(text(f"CREATE TABLE {name} (id INTEGER)"))
    with pytest.raises(InputError, match=r"bills, doctors, patients, \.\.\.") as caught:
        holds_lists(connection)
    assert "Nothing was changed" in str(caught.value)
