"""Why two vintages of a list differ."""

from policy_sim.voter_lists.list_changes import RecordedCause, causes_of, difference_words, with_changes
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.voter_list import VoterList


def listed(vintage, status="available", **fields):
    return VoterList("OH", vintage, status, fields={name: ListField(*value) for name, value in fields.items()})


OLD = listed("2008", birth=("included", "year"), gender=("withheld",))
NEW = listed("2020", birth=("included", "date"), gender=("included", "value"), race=("withheld",))


def test_known_to_known_is_law_and_unknown_is_source():
    assert dict(causes_of(OLD, NEW)) == {"gender": "law", "race": "source", "birth": "law"}
    assert dict(causes_of(NEW, OLD)) == {"gender": "law", "race": "source", "birth": "law"}
    assert dict(causes_of(OLD, OLD)) == {}


def test_what_is_recorded_comes_first_inside_its_time():
    entry = RecordedCause("OH", "2008", "2020", ("gender",), "source", "why")
    assert causes_of(OLD, NEW, [entry])["gender"] == "source"
    assert causes_of(OLD, NEW, [RecordedCause("TX", "2008", "2020", ("gender",), "source", "why")])["gender"] == "law"
    later = RecordedCause("OH", "2020", "2026", ("gender",), "source", "why")
    assert causes_of(OLD, NEW, [later])["gender"] == "law"


def test_a_status_is_a_difference_too():
    none = listed("2008", "not_sold")
    assert causes_of(none, listed("2020"))["status"] == "law"
    assert causes_of(listed("2008", "unknown"), listed("2020"))["status"] == "source"


def test_a_list_after_some_changes():
    partly = with_changes(OLD, NEW, ["birth"])
    assert (partly.fields["birth"].granularity, partly.fields["gender"].availability) == ("date", "withheld")
    assert with_changes(OLD, NEW, causes_of(OLD, NEW)).fields == NEW.fields
    assert with_changes(OLD, NEW, []).fields == OLD.fields
    assert with_changes(OLD, listed("2020", "not_sold"), ["status"]).status == "not_sold"


def test_in_words():
    assert difference_words(OLD, NEW, ["birth", "race"]) == "birth: year to date; race: unknown to withheld"
