from __future__ import annotations

import datetime as dt

import pytest

from policy_sim.voter_lists.evidence import NO_EVIDENCE
from policy_sim.voter_lists.outside_rules import Mirror, Preemption

RULING = Preemption("buyers", dt.date(2021, 7, 1), "state_court", ("parties",), None)


@pytest.mark.parametrize(
    ("day", "words"),
    [
        (dt.date(2000, 1, 1), ("parties",)),
        (dt.date(2021, 6, 30), ("parties",)),
        (dt.date(2021, 7, 1), None),
        (dt.date(2030, 1, 1), None),
    ],
)
def test_the_written_rule_binds_until_the_day_before(day, words):
    assert RULING.words_on(day) == words


def test_an_unknown_rule_stays_unknown_and_nobody_stays_nobody():
    ruling = Preemption("uses", dt.date(2020, 1, 1), "federal_statute", None, ())
    assert ruling.words_on(dt.date(2019, 1, 1)) is None
    assert ruling.words_on(dt.date(2021, 1, 1)) == ()
    assert ruling.evidence is NO_EVIDENCE


def test_a_mirror_is_free_and_whole_unless_it_says_otherwise():
    assert Mirror("site") == Mirror("site", 0.0, "whole file")
    assert Mirror("site", 25.0) != Mirror("site")
