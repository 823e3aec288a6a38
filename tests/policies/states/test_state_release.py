"""A release: what it shows in a year, by hand; and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy_sim.policies.states.state_release import (
    RELEASE_ELEMENTS,
    Agreement,
    Program,
    ReleasePrice,
    StateRelease,
    year_ranges,
    years_of,
)
from policy_sim.words.errors import InputError, UnknownNameError

PROGRAM = Program("p", "A file", "Somebody", "inpatient")
ONE = frozenset({2020})


def release(**facts):
    return StateRelease("NC", "inpatient", PROGRAM, **{"years": (2019, 2020), **facts})


def test_an_element_that_nothing_names_is_withheld_only_where_the_source_lists_everything():
    assert release().availability("race", 2020) == "withheld"
    assert release(complete=False).availability("race", 2020) == "unknown"
    assert release(complete=False, withholds={"race": ONE}).availability("race", 2020) == "withheld"
    assert release(unknown={"race": ONE}).availability("race", 2020) == "unknown"


def test_elements_are_those_shown_in_the_year():
    made = release(shows={"zip5": ONE, "age": frozenset({2019, 2020})})
    assert made.elements(2020) == ("age", "zip5")
    assert made.elements(2019) == ("age",)


def test_a_year_in_two_parts_is_two_files():
    assert release(two_files=(2020,)).files == 3


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"years": ()}, "no year"),
        ({"shows": {"zip5": frozenset({2021})}}, "2021 is not a year"),
        ({"shows": {"zip5": ONE}, "unknown": {"zip5": ONE}}, "another table"),
    ],
)
def test_what_cannot_be_is_refused(facts, said):
    with pytest.raises(InputError, match=said):
        release(**facts)


def test_an_unknown_element_or_year_names_those_that_there_are():
    with pytest.raises(UnknownNameError, match="zip5"):
        release(shows={"zip": ONE})
    with pytest.raises(UnknownNameError, match="2019, 2020"):
        release().availability("zip5", 1999)


@pytest.mark.parametrize(
    ("price", "said"),
    [
        (ReleasePrice(), "unknown"),
        (ReleasePrice(note="each state its own"), "unknown (each state its own)"),
        (ReleasePrice("free"), "free"),
        (ReleasePrice("flat", 1234.5), "$1,234.50"),
    ],
)
def test_a_price_that_is_not_known_is_never_a_number(price, said):
    assert price.describe() == said


def test_an_agreement_says_what_it_forbids():
    assert Agreement("X", True, "linking").describe() == "X, which forbids linking"
    assert Agreement("X", False).describe() == "no agreement is required"


# Years as text, there and back.


@given(st.sets(st.integers(1900, 2100), min_size=1))
def test_the_text_of_years_gives_the_years_back(years):
    assert years_of(year_ranges(years)) == years


def test_no_years_are_no_text():
    assert year_ranges([]) == ""


@pytest.mark.parametrize("text", ["", "20", "2000-", "2001-2000", "2000, 2000", "2005, 2001", "2000-2004, 2003", "all"])
def test_what_is_not_years_is_refused(text):
    with pytest.raises(ValueError, match="years"):
        years_of(text)


# The vocabulary of elements is closed and without doubles.


def test_every_element_has_a_group_and_a_title_of_its_own():
    groups = {element.group for element in RELEASE_ELEMENTS.values()}
    assert groups == {"birth", "sex", "race", "place", "dates", "visits", "hospital", "other"}
    titles = [element.title for element in RELEASE_ELEMENTS.values()]
    assert len(set(titles)) == len(titles)


def test_the_model_measures_who_a_person_is_and_not_when_they_came():
    assert RELEASE_ELEMENTS["birth_month"].measured
    assert not RELEASE_ELEMENTS["admission_month"].measured
