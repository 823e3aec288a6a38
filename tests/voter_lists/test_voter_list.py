from __future__ import annotations

import datetime as dt
import itertools

import pytest

from policy_sim.files.evidence import NO_EVIDENCE
from policy_sim.voter_lists.list_field import AVAILABILITIES, LIST_FIELDS, ListField
from policy_sim.voter_lists.voter_list import Mirror, Preemption, VoterList
from policy_sim.words.fields import Field, Granularities

FINEST = {"gender": "value", "race": "value", "birth": "date", "geography": "county", "zip": "", "party": ""}


def _list(**availabilities: str) -> VoterList:
    fields = {
        name: ListField(word, FINEST[name] if word == "included" else "") for name, word in availabilities.items()
    }
    return VoterList("XX", "2026", "available", fields=fields)


@pytest.mark.parametrize("words", list(itertools.product(AVAILABILITIES, repeat=4)))
def test_what_is_surely_seen_never_exceeds_what_may_be_seen(words):
    listed = _list(zip="withheld", **dict(zip(Field, words, strict=True)))
    known, possible = listed.known_view(), listed.possible_view()
    assert known.is_coarser_or_equal(possible)
    assert (known == possible) == ("unknown" not in words)
    assert known[Field.GEOGRAPHY] != "nation", "a state's list tells the state"


def test_withheld_and_unknown_differ_in_what_may_be_seen():
    nothing = dict.fromkeys(("gender", "race", "birth", "geography", "zip"), "withheld")
    assert _list(**nothing).possible_view() == Granularities(geography="state")
    finest = Granularities(gender="value", race="value", birth="date", geography="county_zip5")
    assert _list().possible_view() == finest


def test_an_age_is_seen_as_a_year():
    listed = VoterList("XX", "2026", "available", fields={"birth": ListField("included", "year", wording="age")})
    assert listed.known_view()[Field.BIRTH] == "year"


@pytest.mark.parametrize(
    ("county", "word", "known", "possible"),
    [
        ("included", "included", "county_zip5", "county_zip5"),
        ("included", "withheld", "county", "county"),
        ("included", "unknown", "county", "county_zip5"),
        ("withheld", "included", "zip5", "zip5"),
        ("withheld", "withheld", "state", "state"),
        ("unknown", "unknown", "state", "county_zip5"),
    ],
)
def test_county_and_zip_code_together_are_the_place(county, word, known, possible):
    listed = _list(geography=county, zip=word)
    assert listed.known_view()[Field.GEOGRAPHY] == known
    assert listed.possible_view()[Field.GEOGRAPHY] == possible


def test_fields_that_are_not_given_are_unknown():
    assert [_list().fields[name].availability for name in LIST_FIELDS] == ["unknown"] * len(LIST_FIELDS)


def test_a_missing_list_says_why():
    assert VoterList("XX", "2008", "county_only").reason.startswith("no statewide list")
    assert VoterList("XX", "2008", "county_only", status_reason="counties only").reason == "counties only"
    assert _list().reason == ""


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
