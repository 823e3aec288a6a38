from __future__ import annotations

import csv

import pytest

from policy_sim.attackers.adversary import AMOUNT_KINDS, Constraints
from policy_sim.attackers.county_coverage import load_coverage
from policy_sim.attackers.files import amount_of, list_adversaries, load_adversary, load_amounts, load_registered_voters
from policy_sim.words.errors import InputError, SchemaError, UnknownNameError


def test_the_profiles_that_ship():
    assert list(list_adversaries()) == ["academic", "journalist", "marketer", "party", "unconstrained"]
    found = {name: load_adversary(name) for name in list_adversaries()}
    assert found["academic"].purpose == "scholarly"
    worst = found["unconstrained"]
    assert (worst.money_usd, worst.days) == (None, None)
    assert worst.misrepresents
    assert worst.breaks_agreements
    assert worst.breaks_law
    assert not any(who.breaks_law for name, who in found.items() if name != "unconstrained")


def test_a_file_of_ones_own(tmp_path):
    path = tmp_path / "neighbor.toml"
    path.write_text('title = "a neighbor"\nbuyer = ["resident"]\npurpose = "personal"\nmoney_usd = 20\n')
    assert load_adversary(str(path)) == Constraints("neighbor", "a neighbor", ("resident",), "personal", 20.0)


def test_every_problem_at_once(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text('title = 3\nbuyer = ["anyone"]\npurpose = "fun"\nmoney = 20\nbreaks_law = "no"\n')
    with pytest.raises(SchemaError) as caught:
        load_adversary(str(path))
    said = "\n".join(caught.value.problems)
    for text in (
        "title = 3",
        "buyer holds 'anyone'",
        "purpose = 'fun'",
        "money is not a known key",
        "breaks_law = 'no'",
    ):
        assert text in said


def test_names_and_files_that_are_not_there(tmp_path):
    with pytest.raises(UnknownNameError, match=r"adversary 'acadmic' is not known\. Did you mean 'academic'"):
        load_adversary("acadmic")
    with pytest.raises(SchemaError, match="cannot be read: "):
        load_adversary(str(tmp_path / "none.toml"))


# Every amount has its date and source; what no source gives is unknown and not 0.


def test_every_amount_has_date_source_and_kind():
    amounts = load_amounts()
    assert {amount.kind for amount in amounts.values()} == set(AMOUNT_KINDS)
    for amount in amounts.values():
        assert amount.date[:4].isdigit()
        assert amount.source
        assert amount.cite().startswith(amount.name)
        assert amount.usd_low != 0, "an unknown amount has no number"


def test_the_amounts_of_wan_2015():
    assert amount_of("wan-2015", "gains")[0] == 300
    assert amount_of("attempt-wan-2015", "costs")[0] == 4
    assert "PLoS ONE" in amount_of("wan-2015", "gains")[1]


def test_a_number_is_taken_as_it_is():
    assert amount_of(12.5, "gains") == (12.5, "assumed: $12.5")
    assert amount_of("12.5", "gains") == (12.5, "assumed: $12.5")


def test_what_is_refused():
    with pytest.raises(UnknownNameError):
        amount_of("wan-2015", "penalties")
    with pytest.raises(InputError, match="no source gives the amount"):
        amount_of("contract-ca-ab-713", "penalties")


def test_sums_by_survey():
    """README of the research: CPS 2008 146.3 million, EAVS 2010 186.3, CPS 2024 173.9."""
    sums = {name: sum(survey.by_state.values()) for name, survey in load_registered_voters().items()}
    assert {name: round(total / 1e6, 1) for name, total in sums.items()} == {
        "cps-2008": 146.3,
        "eavs-2010": 186.3,
        "cps-2024": 173.9,
    }


def test_every_figure_is_that_of_the_research(shared):
    with (shared / "voter_policies" / "registered_voters.csv").open(encoding="utf-8", newline="") as file:
        wanted = {(int(row["year"]), row["state"]): int(row["registered"]) for row in csv.DictReader(file)}
    found = {
        (survey.year, state): number
        for survey in load_registered_voters().values()
        for state, number in survey.by_state.items()
    }
    assert found == wanted


def test_the_survey_follows_the_vintage_and_says_so():
    assert load_coverage("everyone", "2008") is None
    assert load_coverage("adults", "2008").registered is None
    old, new = load_coverage("survey", "2008"), load_coverage("survey", "2026")
    assert "2010" in old.title
    assert "2024" in new.title
    assert not old.knows("ND"), "North Dakota registers nobody"
    assert new.knows("ND")


def test_a_coverage_that_is_not_known():
    with pytest.raises(UnknownNameError, match="coverage 'voters' is not known"):
        load_coverage("voters", "2026")
