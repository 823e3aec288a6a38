"""The inputs of a study: checked at construction, loaded once, and shown unchanged."""

import pytest
from small_people import BY_YEAR, small

from policy_sim import Question, Study
from policy_sim.study.question import Setting
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
    assert repr(Study("us-2010", 2008)) == "Study: people of us-2010; voter lists of 2008"
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
    assert any("the attacker links whom its file holds" in note for note in answer.provenance.notes)
