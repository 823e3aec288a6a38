from __future__ import annotations

from dataclasses import replace

import pytest

from policy_sim.io.sql.rows import CHILDREN, list_rows, source_row, to_source, to_voter_list
from policy_sim.io.voter_lists.state_files import list_vintages, load_voter_lists
from policy_sim.voter_lists.evidence import Source


def through_rows(listed):
    """Write a list as rows of tables, and read it from them."""
    numbers = {key: number for number, key in enumerate(listed.sources, 1)}
    rows = list_rows(listed, 1, numbers, "file")
    assert set(rows) <= {"voter_list", *CHILDREN}
    assert all(row["list_id"] == 1 for table, some in rows.items() if table != "voter_list" for row in some)
    children = {table: rows.get(table, []) for table in CHILDREN}
    sources = {numbers[key]: to_source(source_row(source, 1)) for key, source in listed.sources.items()}
    return to_voter_list(rows["voter_list"][0], children, sources)


@pytest.mark.parametrize("vintage", list_vintages())
def test_nothing_of_any_shipped_list_is_lost(vintage):
    for state, listed in load_voter_lists(vintage).items():
        assert through_rows(listed) == listed, state


def test_nobody_and_not_known_stay_apart():
    listed = load_voter_lists("2026")["OH"]
    for names in ((), None):
        changed = replace(listed, buyers=replace(listed.buyers, names=names))
        assert through_rows(changed).buyers.names == names


def test_a_source_comes_back_with_every_address():
    source = Source(
        "sos", "Price list", "https://a.example", "2026-05", "read", ("https://b.example", "https://c.example")
    )
    assert to_source(source_row(source, 9)) == source
    assert to_source(source_row(Source("x", "y"), 1)).also == ()
