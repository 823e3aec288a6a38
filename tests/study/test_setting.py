"""The inputs of a study: checked at construction, loaded once, and shown unchanged."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace

import pytest
from said import numbers
from small_people import BY_YEAR, small

from policy_sim import Question, Study
from policy_sim.files.paths import voter_policies_dir
from policy_sim.study.question import Setting, database_name, newest_vintage, study_lists
from policy_sim.voter_lists.files import load_lists_held_on, load_voter_lists
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.schema import lists_digest
from policy_sim.voter_lists.sql.stored_lists import import_lists, open_lists
from policy_sim.words.errors import InputError, UnknownNameError


def test_every_field_is_in_one_form_after_birth():
    setting = Setting(small(), 2026, days_per_year=366)
    assert (setting.lists, setting.days_per_year) == ("2026", 366.0)
    assert str(Setting(small(), as_of="2015-06-01").as_of) == "2015-06-01"


def test_a_population_is_what_was_given_and_loaded_once():
    setting = Setting(small(), 2026)
    assert setting.people is small()
    named = Setting("us-2010")
    assert named.counted is named.counted
    assert named.counted.name == "us-2010"


def test_coverage_says_whom_the_lists_hold():
    made = [Setting(small(), 2026, coverage=name) for name in ("registered", "adults", "everyone")]
    registered, adults, everyone = made
    assert everyone.voter.coverage is None
    assert adults.voter.coverage.name == "adults"
    assert registered.voter.coverage.name == "registered"
    assert {each.voter.name for each in (registered, adults, everyone)} == {"voter"}


def test_an_adversary_holds_back_voter_and_nobody_else():
    setting = Setting(small(), 2026, adversary="marketer")
    free, held = setting.unrestricted_voter.voter_list("WY"), setting.voter.voter_list("WY")
    assert free.status == "available"
    assert held.status in ("not_to_this_buyer", "out_of_reach")
    (general,) = setting.attackers_of(Question.of(attackers="general"))
    assert not general.holds_file


def test_zip_codes_change_who_answers_only_where_a_policy_shows_them():
    setting = Setting("us-2010", 2026)
    assert setting.people_for(Question.of(BY_YEAR)) is setting.counted
    with_zip = Question.of("safe-harbor", rules="regulation")
    assert setting.places_by_county(with_zip)
    assert not setting.places_by_county(Question.of("safe-harbor", rules="paper"))


def test_intervals_take_in_a_measured_error_only_where_asked_for():
    assert Setting("us-2010", 2026).model_error is None
    assert Setting(small(), 2026, spread=True).model_error is None  # nothing was measured of these people


@pytest.mark.parametrize(
    "wrong",
    [
        {"lists": "1850"}, {"lists": 2026, "as_of": "2020-01-01"}, {"days_per_year": 0}, {"zip3": "x"},
        {"coverage": "children"}, {"spread": 1}, {"engine": 5}, {"database": ""}, {"adversary": 5}, {"population": 5},
    ],
)  # fmt: skip
def test_what_a_study_cannot_be_made_of_is_refused_at_birth(wrong):
    with pytest.raises((InputError, UnknownNameError)):
        Setting(**{"population": small(), **wrong})


def test_an_engine_keeps_the_cells_out_of_memory(tmp_path):
    path = tmp_path / "cells.parquet"
    small().cells.astype(dict.fromkeys(("state", "county", "sex", "race"), str)).to_parquet(path)
    study = Study(str(path), 2026, engine="duckdb")
    with pytest.raises(InputError, match="engine"):
        study.people  # noqa: B018
    assert study.compare(BY_YEAR, "general", "OH", 1).profiles[0].people("total-risk").low == 4


def test_a_study_says_what_it_holds_and_no_password():
    assert re.fullmatch("Study: .* us-2010; voter lists of 2008", repr(Study("us-2010", 2008)))
    told = repr(Study("us-2010", coverage="adults", database="postgresql://me:hunter2@db.example/lists", lists=2026))
    assert "coverage: adults" in told
    assert "hunter2" not in told


def test_a_roll_of_voters_holds_those_of_the_studys_lists():
    question = Question.of("limited-dataset", "federal-roll", ("OH", "CA"))
    for coverage in ("registered", "adults", "everyone"):
        study = Study("us-2020", coverage=coverage)
        (holder,) = study.attackers_of(question)
        assert holder.coverage == study.unrestricted_voter.coverage
    answer = Study("us-2020").compare("limited-dataset", "federal-roll", ["OH", "CA"], 1)
    by_state = {profile.state: profile for profile in answer}
    assert by_state["OH"].status == "interval"
    assert (by_state["CA"].status, by_state["CA"].share("total-risk")) == ("not_covered", None)
    assert by_state["CA"].reason.startswith("refused; sued on September 25, 2025")
    assert any("links the people in its file" in note for note in answer.provenance.notes)


# The voter lists of a study, from the files or a database.


@pytest.fixture(autouse=True)
def _own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("POLICY_SIM_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("POLICY_SIM_DATABASE", raising=False)


@pytest.mark.slow
def test_the_files_unless_a_database_is_asked_for():
    import_lists(open_lists(), [replace(load_voter_lists()["OH"], price=Price("flat", base_usd=75))])
    assert study_lists(None, None) == ("2026", load_voter_lists("2026"))
    vintage, lists = study_lists(None, "own")
    assert (vintage, lists["OH"].price.base_usd) == ("2026", 75)
    assert lists["PA"] == load_voter_lists()["PA"]
    assert (database_name(None), database_name("own")) == ("", "your own database")


@pytest.mark.slow
def test_the_environment_names_one(tmp_path, monkeypatch):
    url = f"sqlite:///{tmp_path / 'team.sqlite'}"
    import_lists(open_lists(url, make=True), [replace(load_voter_lists()["OH"], price=Price("flat", base_usd=75))])
    monkeypatch.setenv("POLICY_SIM_DATABASE", url)
    assert study_lists("2026", None)[1]["OH"].price.base_usd == 75
    assert study_lists("2026", "own")[1]["OH"].price.kind == "free", "own is one's own, whatever the environment says"
    assert database_name(None) == url


@pytest.mark.slow
@pytest.mark.parametrize("day", ["1999-01-01", "2004-06-01", "2008-08-31", "2008-09-01", "2019-12-31", "2026-01-01"])
def test_a_day_chooses_the_same_lists_from_the_files_and_from_a_database(day):
    name, lists = study_lists(None, None, dt.date.fromisoformat(day))
    assert name == f"as of {day}"
    assert (name, lists) == study_lists(None, "own", dt.date.fromisoformat(day))


def test_a_day_chooses_for_each_state():
    lists = study_lists(None, None, dt.date(2004, 6, 1))[1]
    assert len(lists) == 51
    assert (lists["PA"].vintage, lists["OH"].vintage, lists["OH"].status) == ("2002", "2004-06-01", "unknown")


def test_a_study_says_how_its_lists_differ_from_those_of_a_vintage():
    answer = Study("us-2020", lists=2026).list_changes(2020, ["OH", "Louisiana"])
    rows = answer.to_frame()
    records, facts = (rows[rows["cause"].eq("count") == counted] for counted in (True, False))
    assert set(facts["state"]) == {"LA"}, "nothing is known to have changed in what Ohio's list shows"
    assert facts.set_index("item")["cause"].to_dict() == {"gender": "source", "race": "source", "birth": "source"}
    assert set(records["state"]) == {"OH", "LA"}
    assert numbers(answer.provenance.notes[-1])[-2:] == ["2020", "2024"]
    with pytest.raises(UnknownNameError, match="'1850' is not known"):
        Study("us-2020").list_changes(1850)


def test_a_list_that_ended_is_not_held(tmp_path):
    text = (voter_policies_dir() / "oh.toml").read_text(encoding="utf-8")
    ended = text.replace("valid_from = 2008-09-01", "valid_from = 2008-09-01\nvalid_until = 2010-01-01")
    (tmp_path / "oh.toml").write_text(ended, encoding="utf-8")
    held = {day: load_lists_held_on(dt.date.fromisoformat(day), tmp_path)["OH"] for day in ("2009-12-31", "2010-01-01")}
    assert {day: listed.status for day, listed in held.items()} == {"2009-12-31": "available", "2010-01-01": "unknown"}


@pytest.mark.slow
def test_the_digest_is_of_what_the_lists_say_wherever_they_are_from():
    files, own = study_lists("2026", None)[1], study_lists("2026", "own")[1]
    assert lists_digest(files.values()) == lists_digest(reversed(own.values()))
    changed = {**files, "OH": replace(files["OH"], price=Price("flat", base_usd=75))}
    assert lists_digest(changed.values()) != lists_digest(files.values())
    source = replace(next(iter(files["OH"].sources.values())), date="2001")
    cited = {**files, "OH": replace(files["OH"], sources={**files["OH"].sources, source.id: source})}
    assert lists_digest(cited.values()) != lists_digest(files.values())


def test_a_vintage_that_is_not_there():
    with pytest.raises(UnknownNameError, match="'1999' is not known"):
        study_lists("1999", "own")


def test_the_newest_year_is_no_scenario():
    assert newest_vintage(("2002", "2026", "2026-filled")) == "2026"
