"""Values at the Python doors, errors, states and statuses: what is taken, and what each message says is allowed."""

from __future__ import annotations

import datetime as dt
import math
from itertools import repeat
from pathlib import Path

import pytest

from policy_sim.words import arguments, errors
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.states import STATES, find_state, find_states, unknown_state
from policy_sim.words.status import Status


def test_one_or_several_from_any_iterable():
    assert arguments.several("states", (code for code in ("OH", "TX")), str, "'OH'") == ("OH", "TX")
    assert arguments.several("policies", Path("a.toml"), (str, Path), "'x'") == (Path("a.toml"),)


@pytest.mark.parametrize("value", [None, [], "", [" "], {"OH": 1}, 5, [None], b"OH", ["OH", 3]])
def test_nothing_or_another_kind_is_refused(value):
    with pytest.raises(InputError, match=r"^states = .*, such as 'OH'\.$"):
        arguments.several("states", value, str, "'OH'")


def test_an_endless_iterator_ends_in_an_error():
    with pytest.raises(InputError, match="give one or several"):
        arguments.several("states", repeat("OH"), str, "'OH'")


@pytest.mark.parametrize("value", [True, 1.0, "3", None, 0, 11])
def test_whole_numbers(value):
    with pytest.raises(InputError, match="a whole number from 1 to 10"):
        arguments.whole_number("runs", value, 1, 10)


@pytest.mark.parametrize("value", [True, math.nan, math.inf, "3", None, 0, 10.5])
def test_numbers(value):
    with pytest.raises(InputError, match="give a number above 0 to 10"):
        arguments.number("share", value, 0, 10, above=True)
    assert arguments.number("share", 0, 0, 10) == 0.0


def test_days():
    assert arguments.day("as_of", dt.datetime(2020, 4, 1, 12)) == dt.date(2020, 4, 1)
    for value in ("soon", 2020, None):
        with pytest.raises(InputError, match="give a day, such as '2008-01-01'"):
            arguments.day("as_of", value)


def test_names_and_states():
    assert arguments.one_state("new york") == "NY"
    with pytest.raises(UnknownNameError):
        arguments.one_state("XX")
    with pytest.raises(UnknownNameError, match="computed"):
        arguments.choice("zip3", "other", ("computed", "union"))


def test_a_message_stays_one_short_line():
    with pytest.raises(InputError) as caught:
        arguments.name_of("policy", ["x" * 500], "'safe-harbor'")
    assert len(str(caught.value)) < 200
    assert "\n" not in str(caught.value)


# The error tree.


def test_every_error_descends_from_one():
    own = {name for name, thing in vars(errors).items() if isinstance(thing, type) and issubclass(thing, Exception)}
    assert all(issubclass(getattr(errors, name), errors.PolicySimError) for name in own)


def test_no_error_repeats_a_password():
    address = "foo9://me:hush-hush@host/clinic"
    made = [
        errors.SourceError(f"{address}: cannot be reached."),
        errors.UnknownNameError("population", address, ["us-2010"]),
        errors.SchemaError(address, [f"policy = {address!r} is not known."]),
        errors.SchemaError.together({address: [f"source = {address!r} is not known."]}),
    ]
    for error in made:
        assert "foo9://…@host/clinic" in str(error)
        assert "hush" not in f"{error} {error!r} {vars(error)}"


def test_a_message_has_four_lines_at_most_and_says_what_it_leaves_out():
    few, many = (errors.SchemaError("f.toml", [f"{at} is wrong." for at in range(number)]) for number in (4, 2_000))
    assert str(few).splitlines() == [f"f.toml: {at} is wrong." for at in range(4)]
    assert str(many).splitlines() == [*str(few).splitlines()[:3], "f.toml: 1,997 more problems."]
    assert len(many.problems) == 2_000
    together = errors.SchemaError.together({"a.toml": ["x."] * 3, "b.toml": ["y."] * 3})
    assert str(together).splitlines() == ["a.toml: x."] * 3 + ["all files: 3 more problems."]


# The states.


def test_fifty_states_the_district_and_puerto_rico():
    assert len(STATES) == 52
    assert len({state.fips for state in STATES.values()}) == 52
    assert [state.fips for state in STATES.values() if state.postal != "PR"] == sorted(
        state.fips for state in STATES.values() if state.postal != "PR"
    )


@pytest.mark.parametrize("text", ["OH", "oh", "39", "Ohio", " ohio "])
def test_a_state_by_any_of_its_names(text):
    assert find_state(text).postal == "OH"


def test_each_state_once_in_the_order_given():
    assert [state.postal for state in find_states(["TX", "48", "Ohio"])] == ["TX", "OH"]


_ALLOWED = "Write a two-letter code such as OH or a name such as Ohio."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Ohoi", f"state 'Ohoi' is not known. Did you mean 'Ohio'? {_ALLOWED}"),
        ("new jersy", f"state 'new jersy' is not known. Did you mean 'New Jersey'? {_ALLOWED}"),
        ("ZZ", f"state 'ZZ' is not known. {_ALLOWED}"),
    ],
)
def test_the_message_names_the_nearest_state_and_what_to_write(text, message):
    with pytest.raises(UnknownNameError) as error:
        find_state(text)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("text", "held", "end"),
    [
        ("PR", STATES.keys() - {"PR"}, "'PR' is not known. Known: every state except PR."),
        ("TX", ["OH", "DE"], "'TX' is not known. Known: DE, OH."),
        ("Ohoi", STATES.keys() - {"PR"}, f"'Ohoi' is not known. Did you mean 'Ohio'? {_ALLOWED}"),
        ("Bretange", ["Bretagne", "Corse"], "Did you mean 'Bretagne'? Known: Bretagne, Corse."),
    ],
)
def test_the_message_about_a_missing_state_lists_what_is_shorter(text, held, end):
    error = unknown_state("state in population ours:", text, held)
    assert str(error).startswith("state in population ours: ")
    assert str(error).endswith(end)
    assert error.choices == tuple(sorted(held))


# One closed set of statuses, whose values are what the tables have always held.


def test_every_status_says_what_it_means():
    assert all(status.meaning and not status.meaning.endswith(".") for status in Status)


def test_a_text_that_is_no_status_names_those_that_are():
    with pytest.raises(UnknownNameError, match=r"'not-sold' is not known\. Did you mean 'not_sold'"):
        Status("not-sold")


def test_every_list_and_price_status_is_one():
    from policy_sim.attackers import LINKAGE_STATUSES
    from policy_sim.voter_lists.price import PRICE_STATUSES
    from policy_sim.voter_lists.voter_list import LIST_STATUSES

    assert {*LINKAGE_STATUSES, *PRICE_STATUSES, *LIST_STATUSES} <= set(Status)
