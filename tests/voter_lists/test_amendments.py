import pytest

from policy_sim.errors import InputError, UnknownNameError
from policy_sim.voter_lists.amendments import change_list, marginal_changes, parse_changes
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.voter_list import VoterList

OHIO = VoterList(
    "OH", "2026", "available", fields={"birth": ListField("included", "year"), "gender": ListField("withheld")}
)


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
