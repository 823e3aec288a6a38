"""A list as text fits the terminal and cannot command it."""

import dataclasses

import pandas as pd
import pytest

from policy_sim.io.voter_lists.state_files import load_voter_lists
from policy_sim.render.voter_list_text import sources_text, voter_list_text


@pytest.fixture(scope="module")
def ohio():
    return load_voter_lists("2026")["OH"]


def test_no_line_is_wider_than_the_terminal_but_for_an_address(ohio):
    lines = voter_list_text(ohio, "Ohio", width=70).splitlines()
    assert [line for line in lines if len(line) > 70 and "://" not in line] == []


def test_control_characters_of_a_file_do_not_reach_the_terminal(ohio):
    text = voter_list_text(dataclasses.replace(ohio, notes=("evil\x1b[2Jnote",)), "Ohio", width=70)
    assert "\x1b" not in text
    assert "evil\ufffd[2Jnote" in text


def test_sources_are_wrapped_under_their_document():
    columns = ["source", "date", "address", "vintage", "supports", "note"]
    rows = pd.DataFrame([["Order form", "2026", "", "2026", "word " * 30, ""]], columns=columns)
    lines = sources_text(rows, width=50).splitlines()
    assert lines[:2] == ["Order form, 2026", "  no address"]
    assert all(len(line) <= 50 for line in lines)


def test_a_reader_reads_sex_for_the_field_gender():
    text = voter_list_text(load_voter_lists("2026")["OH"], "Ohio")
    assert "\nsex " in text
    assert "a linkage by sex, race, birth, geography: sex, " in text
    assert "gender" not in text
