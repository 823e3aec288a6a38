import itertools

import pytest

from policy_sim.attackers.voter_list import AVAILABILITIES, LIST_FIELDS, ListField, VoterList
from policy_sim.fields import Field, Granularities

FINEST = {"gender": "value", "race": "value", "birth": "date", "geography": "county", "zip": "", "party": ""}


def _list(**availabilities: str) -> VoterList:
    fields = {
        name: ListField(word, FINEST[name] if word == "included" else "") for name, word in availabilities.items()
    }
    return VoterList("XX", "2026", "available", fields=fields)


@pytest.mark.parametrize("words", list(itertools.product(AVAILABILITIES, repeat=4)))
def test_what_is_surely_seen_never_exceeds_what_may_be_seen(words):
    listed = _list(**dict(zip(Field, words, strict=True)))
    known, possible = listed.known_view(), listed.possible_view()
    assert known.is_coarser_or_equal(possible)
    assert (known == possible) == ("unknown" not in words)
    assert known[Field.GEOGRAPHY] != "nation", "a state's list tells the state"


def test_withheld_and_unknown_differ_in_what_may_be_seen():
    assert _list(gender="withheld", race="withheld", birth="withheld", geography="withheld").possible_view() == (
        Granularities(geography="state")
    )
    assert _list().possible_view() == Granularities(gender="value", race="value", birth="date", geography="county")


def test_an_age_is_seen_as_a_year():
    listed = VoterList("XX", "2026", "available", fields={"birth": ListField("included", "year", wording="age")})
    assert listed.known_view()[Field.BIRTH] == "year"


@pytest.mark.parametrize(
    ("word", "known", "possible"),
    [("included", 2, 2), ("withheld", 1, 1), ("unknown", 1, 2)],
)
def test_a_zip_code_is_a_second_view(word, known, possible):
    listed = _list(geography="included", zip=word)
    assert len(listed.views(unknown_released=False)) == known
    assert len(listed.views(unknown_released=True)) == possible


def test_fields_that_are_not_given_are_unknown():
    assert [_list().fields[name].availability for name in LIST_FIELDS] == ["unknown"] * 6


def test_a_missing_list_says_why():
    assert VoterList("XX", "2008", "county_only").reason.startswith("no statewide list")
    assert VoterList("XX", "2008", "county_only", status_reason="counties only").reason == "counties only"
    assert _list().reason == ""
