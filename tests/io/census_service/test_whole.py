from __future__ import annotations

import pytest

from policy_sim.io.census_service.whole import MOST_PEOPLE, wrong_with

GEOGRAPHY = {"for": "tract:*", "in": "state:10 county:*"}
ROW = {"P1": 5, "state": "10", "county": "001", "tract": "040100"}


def wrong(**changes):
    return wrong_with([ROW, {**ROW, **changes}], ["P1"], GEOGRAPHY)


def test_whole_rows_have_nothing_wrong():
    assert wrong() == ""
    assert wrong(P1=0) == wrong(P1=MOST_PEOPLE) == ""


@pytest.mark.parametrize("count", [-1, MOST_PEOPLE + 1, 1.0, "5", None, True])
def test_a_count_is_a_whole_number_of_people(count):
    assert wrong(P1=count) == "row 2 has no count for P1"


@pytest.mark.parametrize("code", ["", "1a", "²", " 01", "1" * 12, 10, None])
@pytest.mark.parametrize("place", ["state", "county", "tract"])
def test_every_place_has_a_code_in_digits(place, code):
    assert wrong(**{place: code}) == f"row 2 has no code for {place}"


@pytest.mark.parametrize("rows", [None, [], {}, "rows"])
def test_no_rows_are_an_answer_to_nothing(rows):
    assert wrong_with(rows, ["P1"], GEOGRAPHY) == "no rows"
    assert wrong_with([ROW, 7], ["P1"], GEOGRAPHY) == "row 2 is not a row"
