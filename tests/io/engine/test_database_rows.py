"""Rows of a database as text, and what its errors mean."""

from decimal import Decimal

import pyarrow as pa
import pytest
import sqlalchemy as sa

from policy_sim.io.engine.database_rows import batches, database_reason, database_url


def test_every_value_is_text_and_what_is_no_number_is_missing():
    rows = [(1, "a"), (None, ""), (float("nan"), "01"), (Decimal("NaN"), "x"), (Decimal("sNaN"), "y"), (1.5, None)]

    class Found:
        def partitions(self, size):
            return [rows[:4], rows[4:]]

    steps = []
    schema = pa.schema([("f0", pa.string()), ("f1", pa.string())])
    read = pa.Table.from_batches(batches(Found(), schema, steps.append))
    assert read["f0"].to_pylist() == ["1", None, None, None, None, "1.5"]
    assert read["f1"].to_pylist() == ["a", "", "01", "x", "y", None]
    assert [step.split()[1] for step in steps] == ["4", "6"]


@pytest.mark.parametrize("name", ["postgres", "postgresql"])
def test_postgresql_gets_the_driver_that_is_installed(name):
    assert database_url(f"{name}://me@host/clinic").drivername == "postgresql+psycopg"
    assert database_url("postgresql+other://me@host/clinic").drivername == "postgresql+other"
    assert database_url("sqlite:///x.db").drivername == "sqlite"


def test_each_failure_has_its_words_and_none_quotes_the_query():
    assert "install" in database_reason(ImportError("no module", name="psycopg"))
    assert "psycopg" in database_reason(ImportError("no module", name="psycopg"))
    assert "no such table" in database_reason(sa.exc.NoSuchTableError("Schmidt"))
    assert "URL" in database_reason(sa.exc.ArgumentError("Schmidt"))
    other = database_reason(sa.exc.OperationalError("SELECT Schmidt", {}, Exception("Schmidt")))
    assert "OperationalError" in other
    assert "Schmidt" not in other
