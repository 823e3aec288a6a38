"""Sections: a table of everyone released has a row per policy and attacker, and a race section adds up."""

import pytest

from policy_sim.briefing.numbered import Numbers
from policy_sim.briefing.state_sections import everyone_section, place_section, race_section
from policy_sim.render.document.blocks import DocumentTable


def table(blocks):
    (one,) = (block for block in blocks if isinstance(block, DocumentTable))
    return one


def test_everyone_released(evidence):
    rows = table(everyone_section(evidence, Numbers())).rows
    assert [row[:2] for row in rows] == [
        ("Safe Harbor", "knows everyone"),
        ("Safe Harbor", "has the voter list"),
        ("Limited data set", "knows everyone"),
        ("Limited data set", "has the voter list"),
    ]


def test_a_neighbor_outside_the_population_is_left_out(evidence):
    rows = table(place_section(evidence, Numbers(), ("MD", "RI"))).rows
    assert [row[0] for row in rows] == ["Delaware", "Rhode Island"]


def test_shares_by_race_add_up(evidence):
    table(race_section(evidence, Numbers()))
    assert evidence.by_race["member_share"].sum() == pytest.approx(1)
    assert evidence.by_race["of_total"].sum() == pytest.approx(1)
