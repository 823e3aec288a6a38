"""Questions about money: amounts by name, their sources in the notes, and the answers."""

from __future__ import annotations

import pytest
from small_people import small

from policy_sim import Study
from policy_sim.people.places import has_place
from policy_sim.study.money import MOMENTS, stakes_of, trends
from policy_sim.study.question import Question
from policy_sim.words.errors import InputError, UnknownNameError


def test_the_answer_carries_its_amounts():
    answer = Study("us-2020", 2026).attack("DE", "safe-harbor", gain=10, cost_per_attempt=0)
    assert "gain per correct match: assumed: $10" in answer.provenance.notes
    assert answer.provenance.manifest()["options"]["gain_usd"] == 10
    assert len(answer.curves(20)) >= 20
    assert answer.plot().axes


def test_break_even_in_one_state():
    rows = Study("us-2020", 2026).break_even("DE", "limited-dataset").to_frame()
    row = rows.iloc[0]
    assert row["verdict"] == "pays"
    assert 0 < row["break_even_gain_usd"] < 300
    assert row["break_even_price_usd"] > 25
    assert row["price_source"]


# Amounts by number and by name.


def test_amounts_by_name_and_by_number():
    stakes, notes = stakes_of()
    assert (stakes.gain_usd, stakes.cost_per_attempt_usd) == (300, 4)
    assert all("PLoS ONE" in note for note in notes)
    stakes, notes = stakes_of(12, "0", loss_per_wrong=1.0)
    assert (stakes.gain_usd, stakes.cost_per_attempt_usd, stakes.loss_per_wrong_usd) == (12, 0, 1)
    assert notes[0] == "gain per correct match: assumed: $12"


def test_a_named_penalty_takes_its_lower_end_and_its_cap():
    stakes, notes = stakes_of(penalty="hipaa-did-not-know-2026", chance_caught=0.1)
    assert (stakes.penalty_usd, stakes.penalty_cap_usd, stakes.chance_caught) == (145, 2_190_294, 0.1)
    assert "2026-01-28" in notes[-1]


def test_a_penalty_without_an_amount_is_refused_not_taken_as_nothing():
    with pytest.raises(InputError, match="no source gives the amount"):
        stakes_of(penalty="contract-ca-ab-713")
    with pytest.raises(UnknownNameError):
        stakes_of(gain="gold")


# Trends through the door.


@pytest.mark.slow
def test_two_moments_in_one_state_are_both_measured_without_zip_codes_where_one_has_none():
    answer = trends([("us-2000", "2008"), ("us-2020", "2026")], states="OH")
    rows = answer.to_frame()
    assert rows["moment"].tolist() == ["us-2000 2008", "us-2020 2026"]
    assert len(answer.changes) == 1
    assert any("PLoS ONE" in note for note in answer.provenance.notes)
    assert len(answer.plot().axes) == 2
    (profile,) = Study("us-2020", lists=2026).compare("limited-dataset", "voter", "OH", 1, rules="paper").profiles
    assert rows["share"].iloc[-1] == pytest.approx(profile.share("total-risk").low, rel=1e-12)


def test_rules_that_a_date_cannot_follow_are_refused():
    refused = r'^us-2000: no ZIP codes .* rules="regulation" cannot be followed\..* rules="paper"'
    with pytest.raises(InputError, match=refused):
        trends([("us-2000", "2008"), ("us-2020", "2026")], states="DE", rules="regulation")


def test_the_people_of_every_default_date_have_zip_codes():
    studies = [Study(population, lists) for population, lists in MOMENTS]
    question = Question.of("limited-dataset", "voter", "DE")
    assert all(has_place(study.people_for(question), "zip3") for study in studies)


@pytest.mark.slow
def test_the_lists_of_each_time_are_named():
    answer = trends([("us-2010", "2008"), ("us-2010", "2026")], states="OH")
    notes = [note for note in answer.provenance.notes if note.startswith("voter lists")]
    assert notes == ["voter lists: vintage 2008", "voter lists: vintage 2026"]
    manifest = answer.provenance.manifest()
    assert manifest["options"]["lists"] == ["2008", "2026"]
    assert {"voter lists 2008", "voter lists 2026"} <= set(manifest["inputs"])
    (options,) = [note for note in answer.provenance.notes if note.startswith("options: ")]
    for year in (2010, 2024):
        assert f"registered voters of November {year} by county and age" in options


@pytest.mark.slow
def test_rules_and_coverage_are_those_of_compare():
    """Ohio 2026: 19.3% in the paper's form with everyone on the lists (19.4% of us-2022), 43.8% as `compare` has it."""
    at = [("us-2020", "2020"), ("us-2020", "2026")]
    for rules, coverage, stated in (("regulation", "registered", 0.438), ("paper", "everyone", 0.193)):
        rows = trends(at, states="OH", rules=rules, coverage=coverage).to_frame()
        study = Study("us-2020", lists=2026, coverage=coverage)
        (profile,) = study.compare("limited-dataset", "voter", "OH", 1, rules=rules).profiles
        assert rows["share"].iloc[-1] == pytest.approx(profile.share("total-risk").low, rel=1e-12)
        assert rows["share"].iloc[-1] == pytest.approx(stated, abs=5e-4)
    assert trends(at, states="OH").to_frame()["share"].iloc[-1] == pytest.approx(0.438, abs=5e-4)


def test_a_budget_or_a_target():
    study = Study("us-2020", 2026)
    bought = study.budget(100, states=["DE", "WI"], rules="paper")
    assert [offer.name for offer in bought.purchase.offers] == ["DE"]
    assert bought.provenance.manifest()["options"]["usd"] == 100
    with pytest.raises(InputError, match='either usd="1000" or target="50000"'):
        study.budget()
    with pytest.raises(InputError, match='either usd="1000" or target="50000"'):
        study.budget(1, 1)


@pytest.mark.slow
def test_the_frontier_is_among_the_moves():
    answer = Study(small(), 2026).game("OH", "safe-harbor", frontier=True, in_file=0.5, rules="paper")
    assert answer.moves["policy"].nunique() > 5
    assert answer.provenance.manifest()["options"]["benefit_usd"] == 1200
    best = answer.to_frame().iloc[0]
    assert best["payoff_usd"] >= best["baseline_payoff_usd"]
