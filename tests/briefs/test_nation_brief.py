"""The nation: sums are those of the states, and each state has a row."""

import datetime as dt

import pytest

from policy_sim.briefs import nation_brief
from policy_sim.model.measure import TOTAL_RISK
from policy_sim.show.document import DocumentTable, document_bytes
from policy_sim.show.numbers import people


@pytest.fixture(scope="module")
def brief(small_study):
    return nation_brief(small_study, date=dt.date(2026, 11, 22))


@pytest.mark.slow
def test_sums_over_the_states(brief, small_study):
    answer = small_study.compare(rules="regulation", g=1)
    text = document_bytes(brief, "md").decode()
    for policy in ("safe-harbor", "limited-dataset"):
        sum_of = sum(p.people(TOTAL_RISK).low for p in answer if (p.policy, p.attacker) == (policy, "general"))
        assert people(sum_of) in text


def test_every_state_has_a_row(brief):
    (table,) = (block for block in brief.blocks if isinstance(block, DocumentTable) and block.columns[0] == "state")
    assert [row[0] for row in table.rows] == ["Delaware", "Rhode Island", "Vermont"]
