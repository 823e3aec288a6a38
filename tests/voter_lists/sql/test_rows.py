from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest
from sqlalchemy import create_engine, text

from policy_sim.files.evidence import Source
from policy_sim.voter_lists.files import list_vintages, load_voter_list, load_voter_lists
from policy_sim.voter_lists.sql.models import VoterListRow
from policy_sim.voter_lists.sql.rows import (
    CHILDREN,
    held_on,
    list_rows,
    read_from,
    source_row,
    to_source,
    to_voter_list,
)
from policy_sim.voter_lists.sql.stored_lists import build
from policy_sim.words.errors import SourceError


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


# Lists read back from the database as the nouns that went in.


LISTS = [load_voter_list(state, year) for state in ("OH", "WY") for year in ("2008", "2020")]


@pytest.fixture
def connection(tmp_path):
    engine = create_engine(f"sqlite:///{tmp_path / 'lists.sqlite'}")
    build(engine, LISTS, "first")
    with engine.begin() as opened:
        yield opened


def test_every_list_comes_back_by_state_and_vintage(connection):
    assert read_from(connection) == LISTS


def test_conditions_choose(connection):
    assert read_from(connection, VoterListRow.state == "WY") == LISTS[2:]
    assert read_from(connection, VoterListRow.state == "WY", VoterListRow.vintage == "2008") == LISTS[2:3]
    assert read_from(connection, VoterListRow.state == "ZZ") == []


@pytest.mark.parametrize("before", [False, True])
def test_a_day_chooses_the_newest_list_begun_by_then(connection, before):
    begins = {listed.vintage: listed.valid_from for listed in LISTS if listed.state == "OH"}
    day = begins["2020"] - dt.timedelta(days=1) if before else begins["2020"]
    (chosen,) = read_from(connection, VoterListRow.state == "OH", held_on(day))
    assert chosen.vintage == ("2008" if before else "2020")


def test_before_the_first_list_there_is_none(connection):
    assert read_from(connection, held_on(dt.date(1900, 1, 1))) == []


def test_a_damaged_row_is_one_line(connection):
    connection.execute(text("UPDATE price SET kind = 'barter'"))
    with pytest.raises(SourceError, match="damaged") as caught:
        read_from(connection)
    assert "\n" not in str(caught.value)
