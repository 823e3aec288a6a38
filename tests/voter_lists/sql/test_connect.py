from __future__ import annotations

import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url

from policy_sim.voter_lists.sql.database import (
    DATABASE_VARIABLE,
    database_file,
    failure,
    first_line,
    given_url,
    open_engine,
    read_address,
    reading,
    shown_url,
    writing,
)
from policy_sim.words.errors import SourceError


@pytest.fixture(params=["file", ":memory:"])
def table(request, tmp_path):
    """A database with one table that has a row for each number."""
    engine = open_engine(str(tmp_path / "a.sqlite") if request.param == "file" else ":memory:", 3)
    with writing(engine) as connection:
        connection.execute(text("CREATE TABLE a (n INTEGER PRIMARY KEY)"))
        connection.execute(text("CREATE TABLE b (n INTEGER REFERENCES a)"))
        connection.execute(text("INSERT INTO a VALUES (1), (2)"))
    yield engine
    engine.dispose()


def numbers(engine):
    with reading(engine) as connection:
        return [row.n for row in connection.execute(text("SELECT n FROM a ORDER BY n"))]


def test_a_failure_half_way_leaves_nothing_not_even_a_table(table):
    def stop_half_way():
        with writing(table) as connection:
            connection.execute(text("INSERT INTO a VALUES (3)"))
            connection.execute(text("DROP TABLE b"))
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        stop_half_way()
    assert numbers(table) == [1, 2]
    with reading(table) as connection:
        assert connection.execute(text("SELECT count(*) FROM b")).scalar() == 0


def test_a_row_that_points_nowhere_is_refused_in_one_line(table):
    with pytest.raises(SourceError, match="FOREIGN KEY") as refused, writing(table) as connection:
        connection.execute(text("INSERT INTO b VALUES (9)"))
    assert "\n" not in str(refused.value)
    assert "Nothing was changed" in str(refused.value)


@pytest.mark.parametrize(("reason", "remedy"), [("unable to open", "write to"), ("locked", "later"), ("x", "again")])
def test_each_failure_has_its_remedy(reason, remedy, table):
    assert str(failure(table, reason)).endswith(f"{remedy}.")


@pytest.mark.parametrize(
    ("given", "file"),
    [
        ("lists.sqlite", "lists.sqlite"),
        ("C:/data/lists.sqlite", "C:/data/lists.sqlite"),
        ("sqlite:///a/b.sqlite", "a/b.sqlite"),
        ("sqlite:///file:a.sqlite?uri=true", "a.sqlite"),
        (":memory:", None),
        ("postgres://host/name", None),
    ],
)
def test_the_file_of_an_address(given, file):
    found = database_file(read_address(given))
    assert (found and found.as_posix()) == file


def test_both_names_of_postgresql_get_the_driver_at_hand():
    for kind in ("postgres", "postgresql", "postgresql+psycopg"):
        assert read_address(f"{kind}://host/name").drivername == "postgresql+psycopg"


@pytest.mark.parametrize("secret", ["hush", "hu sh", "p%40ss"])
def test_neither_an_address_nor_what_a_server_repeats_shows_a_password(secret):
    url = make_url("postgresql+psycopg://user@host/name?sslpassword=deep&host=/run").set(password=secret)
    assert secret not in shown_url(url)
    assert "deep" not in shown_url(url)
    line = first_line(f"role user, password {secret}, key deep refused\nmore", url)
    assert line == "role user, password …, key … refused"


def test_own_is_the_users_even_where_the_environment_names_another(monkeypatch):
    monkeypatch.setenv(DATABASE_VARIABLE, "other.sqlite")
    assert (given_url(None), given_url("own"), given_url("mine.sqlite")) == ("other.sqlite", None, "mine.sqlite")
