import csv

import pytest

from policy_sim.errors import UnknownNameError
from policy_sim.io.registered_voters import load_coverage, load_registered_voters


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
    old, new = load_coverage("registered", "2008"), load_coverage("registered", "2026")
    assert "2010" in old.title
    assert "2024" in new.title
    assert not old.knows("ND"), "North Dakota registers nobody"
    assert new.knows("ND")


def test_a_coverage_that_is_not_known():
    with pytest.raises(UnknownNameError, match="coverage 'voters' is not known"):
        load_coverage("voters", "2026")
