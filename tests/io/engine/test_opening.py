"""Engines by name."""

import pytest

from policy_sim.errors import InputError
from policy_sim.io.engine.opening import open_engine


def test_an_engine_opens_and_leaves_nothing_behind():
    with open_engine("duckdb", memory="100MB", threads=1) as engine:
        assert str(engine) == "duckdb"


@pytest.mark.parametrize("name", ["abacus", "", "DuckDB", "postgres://u:secret@host/x", "sparkle"])
def test_another_name_is_one_line_without_a_password(name):
    with pytest.raises(InputError) as caught:
        open_engine(name)
    assert "duckdb" in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("memory", ["much", "-1GB", ""])
def test_memory_that_is_no_amount_is_refused(memory):
    with pytest.raises(InputError, match="2GB"):
        open_engine("duckdb", memory=memory)
