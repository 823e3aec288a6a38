import itertools

import pytest

from policy_sim.granularity import Field, Granularities
from policy_sim.voter_lists.list_field import AVAILABILITIES, ListField
from policy_sim.voter_lists.recorded_fields import LIST_FIELDS
from policy_sim.voter_lists.voter_list import VoterList

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
