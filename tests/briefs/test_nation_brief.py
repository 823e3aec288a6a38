"""The nation: sums are those of the states, and each state has a row."""

import datetime as dt

import pytest

from policy_sim.briefs import nation_brief, nation_vintage_brief
from policy_sim.model.measure import TOTAL_RISK
from policy_sim.show.document import document_bytes
from policy_sim.show.document.blocks import DocumentTable, Picture
from policy_sim.show.numbers import people, percent


@pytest.fixture(scope="module")
def brief(small_study):
    return nation_brief(small_study, date=dt.date(2026, 11, 22))


def states_of(brief):
    (table,) = (each for each in brief.annex.blocks if isinstance(each, DocumentTable) and each.columns[0] == "state")
    return table


@pytest.mark.slow
def test_sums_over_the_states(brief, small_study):
    answer = small_study.compare(rules="regulation", g=1)
    text = document_bytes(brief.paper, "md").decode()
    for policy in ("safe-harbor", "limited-dataset"):
        sum_of = sum(p.people(TOTAL_RISK).low for p in answer if (p.policy, p.attacker) == (policy, "general"))
        assert people(sum_of) in text


def test_every_state_has_a_row(brief):
    table = states_of(brief)
    assert [row[0] for row in table.rows] == ["Delaware", "Rhode Island", "Vermont"]


# Two vintages of the lists: the same people, the same classes of both maps.


@pytest.mark.slow
def test_the_nation_under_the_lists_of_two_years(small_study):
    """Of DE, RI and VT, only Rhode Island's list of 2008 showed the date of birth and that of 2026 does not."""
    page = nation_vintage_brief(small_study, "2008", date=dt.date(2026, 11, 22))
    answer = small_study.compare("limited-dataset", [small_study.voter_of("2008"), "voter"], g=1, rules="regulation")
    text = document_bytes(page.paper, "md").decode()
    rows = {p.attacker: p for p in answer if p.state == "RI"}
    assert {"voter-2008", "voter"} == set(rows)
    table = states_of(page)
    by_state = {row[0]: row for row in table.rows}
    assert "birth: included (date) to included (year) (source)" in by_state["Rhode Island"][3]
    assert percent(rows["voter"].share(TOTAL_RISK).low) in by_state["Rhode Island"][2]
    assert sum(isinstance(block, Picture) for block in page.paper.blocks) == 2
    assert "with the voter lists of 2008 and of 2026" in text


def test_two_lists_that_are_the_same(small_study):
    page = nation_vintage_brief(small_study, "2026", policies="limited-dataset", date=dt.date(2026, 11, 22))
    text = "".join(document_bytes(document, "md").decode() for document in (page.paper, page.annex))
    assert "The share rose in 0, fell in 0 and is the same in 3." in text
    assert "No fact that an attacker links on differs" in text
