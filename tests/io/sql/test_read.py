"""Lists read back from the database as the nouns that went in."""

import datetime as dt

import pytest
from sqlalchemy import create_engine, text

from policy_sim.errors import SourceError
from policy_sim.io.sql.build import build
from policy_sim.io.sql.models import VoterListRow
from policy_sim.io.sql.read import held_on, read_from
from policy_sim.io.voter_lists.state_files import load_voter_list

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
