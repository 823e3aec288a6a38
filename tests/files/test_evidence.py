from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest

from policy_sim.files.evidence import CONFIDENCES, NO_EVIDENCE, Conflict, Evidence, Source


def test_a_fact_without_evidence_claims_nothing():
    assert Evidence("", (), "") == NO_EVIDENCE
    assert Evidence("low") != NO_EVIDENCE


def test_confidence_falls_from_first_to_last():
    assert CONFIDENCES.index("high") < CONFIDENCES.index("medium") < CONFIDENCES.index("low")


def test_a_source_without_a_date_says_so():
    source = Source("sos", "Price list")
    assert source.date == "undated"
    assert replace(source, date="2026-05").date == "2026-05"


def test_evidence_does_not_change_under_those_who_share_it():
    shared = Evidence("high", ("sos",))
    with pytest.raises(FrozenInstanceError):
        shared.confidence = "low"
    assert {shared: "fact"}[Evidence("high", ("sos",))] == "fact"
    conflict = Conflict("price", "12 USD", "10 USD", "newer", resolved=True, sources=("sos", "form"))
    assert conflict != replace(conflict, resolved=False)
