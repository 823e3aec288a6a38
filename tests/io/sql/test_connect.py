from __future__ import annotations

import pytest
from sqlalchemy import text

from policy_sim.errors import SourceError
from policy_sim.io.sql.connect import failure, open_engine, reading, seconds_of, writing


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


def test_what_one_writer_did_another_connection_reads(table):
    assert numbers(table) == [1, 2]
    assert seconds_of(table) == 3


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
