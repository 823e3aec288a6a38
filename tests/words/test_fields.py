"""Fields and the meet."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy_sim.words.errors import IncompatibleError, InputError, UnknownNameError
from policy_sim.words.fields import GRANULARITIES, Field, Granularities, is_coarser_or_equal, join, meet

PAIRS = [(field, a, b) for field in Field for a, b in product(GRANULARITIES[field], repeat=2)]
VIEWS = st.builds(
    Granularities,
    st.fixed_dictionaries({field.value: st.sampled_from(sorted(GRANULARITIES[field])) for field in Field}),
)


@pytest.mark.parametrize(("field", "a", "b"), PAIRS)
def test_meet_is_the_greatest_of_all_that_both_can_produce(field, a, b):
    both = [
        name
        for name in GRANULARITIES[field]
        if is_coarser_or_equal(field, name, a) and is_coarser_or_equal(field, name, b)
    ]
    found = meet(field, a, b)
    assert found in both
    assert all(is_coarser_or_equal(field, other, found) for other in both)
    assert found == meet(field, b, a)


def test_county_and_zip_do_not_nest():
    assert meet(Field.GEOGRAPHY, "county", "zip5") == "state"
    assert not is_coarser_or_equal(Field.GEOGRAPHY, "zip3", "county")
    assert not is_coarser_or_equal(Field.GEOGRAPHY, "county", "zip3")


@given(VIEWS, VIEWS)
def test_a_view_can_produce_its_meet_with_any_other(a, b):
    assert a.meet(b).is_coarser_or_equal(a)
    assert a.meet(b).is_coarser_or_equal(b)
    assert a.meet(a) == a


@given(VIEWS)
def test_text_and_back(view):
    assert Granularities.parse(str(view)) == view
    assert hash(Granularities.parse(str(view))) == hash(view)


def test_ohio_of_the_paper():
    limited = Granularities(gender="value", race="value", birth="date", geography="county")
    safe = Granularities(gender="value", race="value", birth="year", geography="state")
    ohio = Granularities(birth="year", geography="county")
    assert str(limited.meet(ohio)) == "birth=year+geography=county"
    assert str(safe.meet(ohio)) == "birth=year+geography=state"


@pytest.mark.parametrize(
    ("text", "error"),
    [("gender+gender", InputError), ("brith=year", UnknownNameError), ("birth=yaer", UnknownNameError)],
)
def test_a_wrong_view_says_what_was_allowed(text, error):
    with pytest.raises(error, match=r"twice|Known: "):
        Granularities.parse(text)


@pytest.mark.parametrize(("field", "a", "b"), PAIRS)
def test_join_is_the_least_of_all_from_which_both_follow(field, a, b):
    above = [
        name
        for name in GRANULARITIES[field]
        if is_coarser_or_equal(field, a, name) and is_coarser_or_equal(field, b, name)
    ]
    if not above:
        with pytest.raises(IncompatibleError, match="finer than any"):
            join(field, a, b)
        return
    found = join(field, a, b)
    assert found in above
    assert all(is_coarser_or_equal(field, found, other) for other in above)
    assert found == join(field, b, a)


def test_two_views_joined_hold_what_each_holds():
    a, b = Granularities(birth="year", geography="county"), Granularities(gender="value", geography="zip3")
    both = a.join(b)
    assert both == Granularities(gender="value", birth="year", geography="county_zip3")
    assert a.is_coarser_or_equal(both)
    assert b.is_coarser_or_equal(both)
