from dataclasses import replace

import pytest

from policy_sim.attackers.price import Price
from policy_sim.errors import UnknownNameError
from policy_sim.sources.database.lists import import_lists, open_lists
from policy_sim.sources.study_lists import database_name, newest_vintage, study_lists
from policy_sim.sources.voter_lists import load_voter_list, load_voter_lists


@pytest.fixture(autouse=True)
def _own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("POLICY_SIM_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("POLICY_SIM_DATABASE", raising=False)


def test_the_files_unless_a_database_is_asked_for():
    import_lists(open_lists(), [replace(load_voter_list("OH"), price=Price("flat", base_usd=75))])
    assert study_lists(None, None) == ("2026", load_voter_lists("2026"))
    vintage, lists = study_lists(None, "own")
    assert (vintage, lists["OH"].price.base_usd) == ("2026", 75)
    assert lists["PA"] == load_voter_list("PA")
    assert (database_name(None), database_name("own")) == ("", "your own database")


def test_the_environment_names_one(tmp_path, monkeypatch):
    url = f"sqlite:///{tmp_path / 'team.sqlite'}"
    import_lists(open_lists(url), [replace(load_voter_list("OH"), price=Price("flat", base_usd=75))])
    monkeypatch.setenv("POLICY_SIM_DATABASE", url)
    assert study_lists("2026", None)[1]["OH"].price.base_usd == 75
    assert study_lists("2026", "own")[1]["OH"].price.kind == "free", "own is one's own, whatever the environment says"
    assert database_name(None) == url


def test_a_vintage_that_is_not_there():
    with pytest.raises(UnknownNameError, match="'1999' is not known"):
        study_lists("1999", "own")


def test_the_newest_year_is_no_scenario():
    assert newest_vintage(("2002", "2026", "2026-filled")) == "2026"
