"""The lists that options choose: by year, by day, by state."""

import datetime as dt

import pytest

from policy_sim.cli.lists_files import chosen_lists, every_list, state_lists
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.states import STATES


@pytest.fixture(autouse=True)
def _own_database(tmp_path, monkeypatch):
    monkeypatch.setenv("POLICY_SIM_DATABASE", f"sqlite:///{tmp_path / 'lists.sqlite'}")
    from policy_sim.voter_lists.sql.stored_lists import open_lists, rebuild

    rebuild(open_lists(None, make=True))


def test_a_year_and_a_day_choose_the_lists_of_that_time():
    newest = chosen_lists(None, None, None, ("ohio",))["OH"]
    assert newest.vintage >= "2026"
    assert chosen_lists(None, "2008", None, ("OH",))["OH"].vintage == "2008"
    then = chosen_lists(None, None, dt.date(2012, 1, 1), ("OH",))["OH"]
    assert then.valid_from <= dt.date(2012, 1, 1)


@pytest.mark.slow
def test_no_state_is_every_state():
    assert len(chosen_lists(None, "2008", None)) >= 50
    assert list(chosen_lists(None, "2008", None, ("TX", "OH", "39"))) == ["TX", "OH"]


def test_two_times_and_unknown_names_are_refused():
    with pytest.raises(InputError, match="both choose"):
        chosen_lists(None, "2008", dt.date(2012, 1, 1))
    with pytest.raises(UnknownNameError):
        chosen_lists(None, "1850", None)
    with pytest.raises(UnknownNameError):
        chosen_lists(None, None, None, ("Atlantis",))


def test_every_list_is_of_a_real_state_and_those_of_one_state_are_among_them():
    every = every_list(None)
    assert {listed.state for listed in every} <= set(STATES)
    ohio = state_lists(None, "Ohio")
    assert {(each.state, each.vintage) for each in ohio} == {
        (each.state, each.vintage) for each in every if each.state == "OH"
    }
    assert len(ohio) > 1


def test_a_state_without_a_list_says_which_have_one():
    with pytest.raises(UnknownNameError, match="state with a voter list"):
        state_lists(None, "PR")
