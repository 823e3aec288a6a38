from __future__ import annotations

import datetime as dt
import itertools

import pytest
from small_people import fields_of, list_of

from policy_sim.voter_lists.list_field import (
    AVAILABILITIES,
    BUYERS,
    RECORDED_FIELDS,
    USES,
    ListField,
    views_of,
)
from policy_sim.voter_lists.voter_list import Mirror, Preemption, VoterList
from policy_sim.words.fields import GRANULARITIES, Field, Granularities


def _finest(**availabilities: str) -> dict[str, str]:
    """The words of fields that are shown at their finest where they are included."""
    return {name: RECORDED_FIELDS[name].finest or w if w == "included" else w for name, w in availabilities.items()}


def _list(**availabilities: str) -> VoterList:
    return list_of(**_finest(**availabilities))


@pytest.mark.parametrize("words", list(itertools.product(AVAILABILITIES, repeat=4)))
def test_what_is_surely_seen_never_exceeds_what_may_be_seen(words):
    listed = _list(zip="withheld", **dict(zip(MODELED, words, strict=True)))
    known, possible = listed.views()[0], listed.views()[-1]
    assert known.is_coarser_or_equal(possible)
    assert (known == possible) == ("unknown" not in words)
    assert known[Field.GEOGRAPHY] != "nation", "a state's list tells the state"


def test_withheld_and_unknown_differ_in_what_may_be_seen():
    nothing = dict.fromkeys(("gender", "race", "birth", "geography", "zip"), "withheld")
    assert _list(**nothing).views()[-1] == Granularities(geography="state")
    told = {"gender": "value", "race": "value", "ethnicity": "value"}
    assert _list().views()[-1] == Granularities(**told, birth="date", geography="county_zip5")


@pytest.mark.parametrize(
    ("granularity", "seen"),
    [("value", "race"), ("race_ethnicity", "race_ethnicity"), ("race_and_ethnicity", "race+ethnicity")],
)
def test_race_is_seen_as_the_form_asks_it(granularity, seen):
    (view,) = list_of(rest="withheld", race=granularity).views()
    assert view == Granularities.parse(f"{seen}+geography=state")


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
    assert listed.views()[0][Field.GEOGRAPHY] == known
    assert listed.views()[-1][Field.GEOGRAPHY] == possible


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


def test_a_mirror_is_free_and_whole_unless_it_says_otherwise():
    assert Mirror("site") == Mirror("site", 0.0, "whole file")


# What a buyer may see of a field: every combination of the unknown ones, each once.


def _fields(**availabilities):
    return fields_of("withheld", **_finest(**availabilities))


@pytest.mark.parametrize("words", list(itertools.product(AVAILABILITIES, repeat=2)))
def test_there_is_a_view_for_each_way_in_which_unknown_fields_may_be_held(words):
    sex, birth = words
    views = views_of(_fields(gender=sex, birth=birth))
    assert len(views) == (2 if sex == "unknown" else 1) * (3 if birth == "unknown" else 1)
    assert all(views[0].is_coarser_or_equal(view) and view.is_coarser_or_equal(views[-1]) for view in views)


def test_a_file_of_the_nation_does_not_tell_the_state():
    (view,) = views_of(_fields(birth="included"), "nation")
    assert (view[Field.BIRTH], view[Field.GEOGRAPHY]) == ("date", "nation")
    (view,) = views_of(_fields(zip="included"), "nation")
    assert view[Field.GEOGRAPHY] == "zip5"


def test_other_recorded_fields_are_not_linked_on():
    fields = _fields()
    (alone,) = views_of(fields)
    assert views_of(fields | {"party": ListField("unknown")}) == (alone,)


MODELED = {name: field for name, field in RECORDED_FIELDS.items() if field.name in {each.value for each in Field}}


def test_every_field_of_the_model_is_recorded_and_linked_in_its_own_granularities():
    assert set(MODELED) == {field.value for field in Field} - {"ethnicity"}, "which race tells"
    for name, field in MODELED.items():
        known = list(GRANULARITIES[Field(name)])
        assert field.finest in known[1:]
        places = [known.index(word) for word in field.linked_as if word in known]
        assert places == sorted(set(places)), "coarsest first"
        assert field.finest == known[places[-1]]


def test_only_a_graded_field_says_how_finely_it_is_shown():
    birth = RECORDED_FIELDS["birth"]
    assert birth.granularities == tuple(GRANULARITIES[Field.BIRTH])[1:]
    assert "none" not in birth.granularities
    assert RECORDED_FIELDS["gender"].granularities == ()


def test_each_class_is_there_once_and_the_widest_comes_first():
    assert (BUYERS[0], USES[0]) == ("public", "any")
    assert len(set(BUYERS)) == len(BUYERS)
    assert len(set(USES)) == len(USES)
