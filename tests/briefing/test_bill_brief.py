"""A page on a bill: before and after are the study's figures."""

import datetime as dt
from dataclasses import replace

import pytest

from policy_sim.briefing import bill_brief
from policy_sim.briefing.bill_brief import _sentence
from policy_sim.errors import InputError, UnknownNameError
from policy_sim.render.document import document_bytes
from policy_sim.render.numbers import percent
from policy_sim.results import TOTAL_RISK

DAY = dt.date(2026, 11, 22)


def page(study, state, changes):
    return document_bytes(bill_brief(study, state, changes, in_file=1000, date=DAY), "md").decode()


def test_before_and_after(small_study):
    text = page(small_study, "RI", {"birth": "withheld"})
    after = small_study.voter.changed("x", "RI", {"birth": "withheld"})
    answer = small_study.compare(states="RI", attackers=["voter", after], g=1, rules="regulation", in_file=1000)
    for who in ("voter", "x"):
        share = answer.profile("RI", "limited-dataset", who).share(TOTAL_RISK)
        assert percent(share.low) in text
    assert "After the bill, the list shows no birth date or year." in text
    assert "birth = withheld" not in text


def test_a_bill_that_changes_nothing_says_so(small_study):
    listed = small_study.unrestricted_voter.voter_list("DE").fields["birth"]
    value = listed.granularity if listed.availability == "included" else listed.availability
    assert "stays at" in page(small_study, "DE", {"birth": value})


def test_a_list_that_nobody_may_have_before_or_after(evidence):
    now = evidence.file.profile("DE", "limited-dataset", "voter")
    gone = replace(now, values={}, status="not_sold", reason="a law")
    assert "after the bill nobody can link: a law." in _sentence(now, gone)
    assert _sentence(gone, now) == "Under the limited data set, there is no figure before the bill: a law."


def test_what_is_refused(small_study):
    with pytest.raises((InputError, UnknownNameError)):
        bill_brief(small_study, "DE", {"shoes": "date"}, date=DAY)
