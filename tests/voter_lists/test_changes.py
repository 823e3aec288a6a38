from __future__ import annotations

import pytest
from small_people import list_of

from policy_sim.voter_lists.changes import (
    RecordedCause,
    carry_back,
    causes_of,
    change_list,
    difference_words,
    marginal_changes,
    parse_changes,
    with_changes,
)
from policy_sim.voter_lists.list_field import Allowed
from policy_sim.voter_lists.price import Price
from policy_sim.words.errors import InputError, UnknownNameError

OHIO = list_of(birth="year", gender="withheld")


def test_changes_are_read_item_by_item():
    assert parse_changes(["birth=date", " price = 0 "]) == {"birth": "date", "price": "0"}


@pytest.mark.parametrize(
    ("texts", "said"),
    [(["birth"], "not of the form item=value"), (["birth="], "not of the form"), (["a=1", "a=2"], "changed twice")],
)
def test_texts_that_are_no_changes(texts, said):
    with pytest.raises(InputError, match=said):
        parse_changes(texts)


@pytest.mark.parametrize(
    ("item", "value", "availability", "granularity"),
    [
        ("birth", "date", "included", "date"),
        ("birth", "none", "withheld", ""),
        ("birth", "withheld", "withheld", ""),
        ("birth", "unknown", "unknown", ""),
        ("gender", "included", "included", "value"),
        ("geography", "zip5", "included", "zip5"),
        ("geography", "nation", "withheld", ""),
        ("zip", "included", "included", ""),
        ("party", "withheld", "withheld", ""),
    ],
)
def test_a_field_changes_alone(item, value, availability, granularity):
    changed = change_list(OHIO, {item: value})
    assert (changed.fields[item].availability, changed.fields[item].granularity) == (availability, granularity)
    assert all(changed.fields[name] == OHIO.fields[name] for name in OHIO.fields if name != item)


def test_price_buyers_uses_and_status():
    changed = change_list(
        OHIO, {"price": "12.5", "buyers": "party,candidate", "uses": "political", "status": "not_sold"}
    )
    assert changed.price.usd().usd == 12.5
    assert (changed.buyers.names, changed.uses.names) == (("party", "candidate"), ("political",))
    assert changed.status == "not_sold"
    assert change_list(OHIO, {"price": "0"}).price.kind == "free"
    assert change_list(OHIO, {"price": "not_sold"}).price.usd().status == "not_sold"
    assert change_list(OHIO, {"buyers": "nobody"}).buyers.names == ()
    assert change_list(OHIO, {"buyers": "unknown"}).buyers.names is None


@pytest.mark.parametrize(
    ("item", "value", "said"),
    [
        ("dob", "date", "item of a voter list 'dob'"),
        ("birth", "day", "value of birth 'day'"),
        ("price", "-1", "price=-1 is not a number"),
        ("price", "nan", "price=nan is not a number"),
        ("price", "cheap", "price=cheap is not a number"),
        ("buyers", "anyone", "buyer 'anyone'"),
        ("status", "open", "status 'open'"),
        ("zip", "yes", "value of zip 'yes'"),
    ],
)
def test_a_wrong_word_is_said_with_those_that_are_known(item, value, said):
    with pytest.raises((InputError, UnknownNameError), match=said):
        change_list(OHIO, {item: value})


def test_marginal_changes_add_what_is_not_there_and_take_what_is():
    assert list(marginal_changes(OHIO)) == [
        ("gender", "value"),
        ("race", "value"),
        ("birth", "withheld"),
        ("birth", "date"),
        ("geography", "county"),
    ]


# Why two vintages of a list differ.


OLD = list_of(vintage="2008", birth="year", gender="withheld")
NEW = list_of(vintage="2020", birth="date", gender="value", race="withheld")


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
    none, unknown, some = (list_of(status=status) for status in ("not_sold", "unknown", "available"))
    assert causes_of(none, some)["status"] == "law"
    assert causes_of(unknown, some)["status"] == "source"


def test_a_list_after_some_changes():
    partly = with_changes(OLD, NEW, ["birth"])
    assert (partly.fields["birth"].granularity, partly.fields["gender"].availability) == ("date", "withheld")
    assert with_changes(OLD, NEW, causes_of(OLD, NEW)).fields == NEW.fields
    assert with_changes(OLD, NEW, []).fields == OLD.fields
    assert with_changes(OLD, list_of(status="not_sold"), ["status"]).status == "not_sold"


def test_in_words():
    words = difference_words(OLD, NEW, ["birth", "race"])
    assert words.split("; ") == ["birth: year to date", "race: unknown to withheld"]


BASE = list_of(status="unknown", vintage="2008", birth="withheld", notes=("old",))
ORIGIN = list_of(
    vintage="2020", gender="value", geography="county", price=Price("flat", base_usd=5), buyers=Allowed(("public",))
)


def test_only_what_is_named_is_carried_and_each_is_marked():
    made = carry_back(BASE, ORIGIN, "2008-filled", ["status", "fields.gender", "price"], ("new",))
    assert (made.vintage, made.status, made.notes) == ("2008-filled", "available", ("old", "new"))
    assert made.fields["gender"].availability == "included"
    assert made.fields["gender"].evidence.carried_from == "2020"
    assert made.fields["birth"] == BASE.fields["birth"]
    assert made.fields["geography"].availability == "unknown"
    assert (made.price.base_usd, made.price.evidence.carried_from) == (5, "2020")
    assert made.buyers.names is None


def test_buyers_and_uses_can_be_carried_too():
    made = carry_back(BASE, ORIGIN, "filled", ["buyers", "uses"])
    assert (made.buyers.names, made.buyers.evidence.carried_from) == (("public",), "2020")
    assert (made.uses.names, made.uses.evidence.carried_from) == (None, "2020")
