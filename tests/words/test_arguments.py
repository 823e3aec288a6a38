"""Values at the Python doors: what is taken in which form, and what each message says is allowed."""

import datetime as dt
import math
from itertools import repeat
from pathlib import Path

import pytest

from policy_sim.words import arguments
from policy_sim.words.errors import InputError, UnknownNameError


def test_one_or_several_from_any_iterable():
    assert arguments.several("states", (code for code in ("OH", "TX")), str, "'OH'") == ("OH", "TX")
    assert arguments.several("policies", Path("a.toml"), (str, Path), "'x'") == (Path("a.toml"),)


@pytest.mark.parametrize("value", [None, [], "", [" "], {"OH": 1}, 5, [None], b"OH", ["OH", 3]])
def test_nothing_or_another_kind_is_refused(value):
    with pytest.raises(InputError, match=r"^states = .*: give one or several, such as 'OH'\.$"):
        arguments.several("states", value, str, "'OH'")


def test_an_endless_iterator_ends_in_an_error():
    with pytest.raises(InputError, match="give one or several"):
        arguments.several("states", repeat("OH"), str, "'OH'")


@pytest.mark.parametrize("value", [True, 1.0, "3", None, 0, 11])
def test_whole_numbers(value):
    with pytest.raises(InputError, match="give a whole number from 1 to 10"):
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
