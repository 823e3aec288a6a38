"""Ladders made from values."""

from __future__ import annotations

import numpy as np
import pytest

from policy_sim.release.ladders import (
    Hierarchy,
    code_ladder,
    date_ladder,
    flat_ladder,
    given_hierarchy,
    number_ladder,
    zip_ladder,
)
from policy_sim.words.errors import InputError


def column(ladder, value):
    return [level[ladder.values.index(value)] for level in ladder.labels]


def test_numbers_in_intervals_with_both_ends_cut():
    ladder = number_ladder("age", ["0", "4", "17", "89", "90", "101"], (5, 10), top=90, bottom=4)
    assert column(ladder, "17") == ["17", "15-19", "10-19", "*"]
    assert column(ladder, "0") == column(ladder, "4") == ["4 or less"] * 3 + ["*"]
    assert column(ladder, "101") == column(ladder, "90") == ["90+", "90+", "90+", "*"]
    assert column(ladder, "89") == ["89", "85-89", "80-89", "*"]


def test_negative_numbers_are_in_an_interval_that_holds_them():
    assert column(number_ladder("balance", ["-3", "3"], (5,)), "-3")[1] == "-5--1"


@pytest.mark.parametrize("widths", [(5, 12), (5, 5), (10, 5), (1,)])
def test_widths_that_do_not_nest(widths):
    with pytest.raises(InputError, match="multiple of the one before"):
        number_ladder("age", ["3"], widths)


def test_dates_of_several_forms():
    ladder = date_ladder("born", ["1980-04-01", "04/25/1980", "1 May 1931"])
    assert column(ladder, "04/25/1980") == ["1980-04-25", "1980-04", "1980", "1980-1984", "1980-1989", "*"]
    old = date_ladder("born", ["1980-04-01", "1931-05-01", "1936-01-01"], oldest_year=1935)
    assert column(old, "1931-05-01") == ["1935 or before"] * 5 + ["*"]
    assert column(old, "1936-01-01")[3] == "1935-1939"  # the years of it that the cut leaves


def test_zip_codes():
    ladder = zip_ladder("zip", ["43215", "43215-1234", "3601", "82101.0"], frozenset({"821", "036"}))
    assert column(ladder, "43215-1234") == ["43215", "432", "*"]
    assert column(ladder, "3601") == ["03601", "000", "*"]
    assert column(ladder, "82101.0") == ["82101", "000", "*"]


def test_codes():
    assert column(code_ladder("county", ["9003", "39049"], [2], digits=5), "9003") == ["09003", "09", "*"]
    assert column(code_ladder("dx", ["E11.9", "I10"], [3, 1]), "E11.9") == ["E11.9", "E11", "E", "*"]
    for lengths in ([1, 3], [3, 3], [0]):
        with pytest.raises(InputError, match="fewer than that before"):
            code_ladder("dx", ["a"], lengths)


@pytest.mark.parametrize(
    ("ladder", "what"), [(number_ladder, "whole numbers"), (date_ladder, "dates"), (zip_ladder, "ZIP codes")]
)
def test_unread_values_are_counted_and_not_named(ladder, what):
    with pytest.raises(InputError, match=f"f: 1 distinct value is not an? {what[:-1]}") as raised:
        ladder("f", ["secret"])
    assert "secret" not in str(raised.value)


def test_open_classes_belong_to_the_oldest_class():
    texts = ["88", "90+", "90 and over", "90 plus", "95+"]
    assert number_ladder("age", texts, top=90).labels[0] == ("88", "90+", "90+", "90+", "90+")
    for top in (None, 95):  # 90+ may be 97, so it can stand beside no class that begins later
        with pytest.raises(InputError, match=r"open class.* such as 90"):
            number_ladder("age", ["88", "90+"], top=top)


def test_years_of_two_digits_need_their_form():
    with pytest.raises(InputError, match=r'1 distinct value is not a date. Give their form .* format = "%m/%d/%y"'):
        date_ladder("seen", ["1/28/23"])
    assert date_ladder("seen", ["1/28/23"], "%m/%d/%y").labels[0] == ("2023-01-28",)


def test_a_text_for_a_missing_value_is_named():
    with pytest.raises(
        InputError, match=r"2 distinct values are not dates\. If 'NULL' means a missing value, add"
    ) as why:
        date_ladder("born", ["1980-05-06", "NULL", "secret"])
    assert "Correct the others" in str(why.value)
    assert "secret" not in str(why.value)


def test_a_field_to_keep_or_to_lose():
    assert flat_ladder("sex", ["F", "M"]).labels == (("F", "M"), ("*", "*"))


# Ladders: nesting, classes and losses.


ROWS = [("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*"), ("e", "e", "*")]


def test_losses_by_hand():
    """Five values: two under one label leave 1 of 4 open; all five leave 4 of 4, a missing value too."""
    ladder = given_hierarchy("f", ROWS)
    assert ladder.losses(0).tolist() == [0] * 6
    assert ladder.losses(1).tolist() == [0, 0.25, 0.25, 0.25, 0.25, 0]
    assert ladder.losses(2).tolist() == [1, 1, 1, 1, 1, 1]


def test_a_missing_value_is_a_class_of_its_own_until_the_field_is_gone():
    ladder = given_hierarchy("f", ROWS)
    groups, number = ladder.groups(1)
    assert (groups.tolist(), number) == ([0, 1, 1, 2, 2, 3], 4)
    groups, number = ladder.groups(2)
    assert (set(groups.tolist()), number) == ({0}, 1)
    assert ladder.texts(1)[0] == ""
    assert ladder.texts(2)[0] == "*"


def test_a_level_that_splits_a_class_is_refused():
    with pytest.raises(InputError, match=r"level 2 \(2\) splits a class of level 1"):
        given_hierarchy("f", [("a", "ab", "x"), ("b", "ab", "y")])


@pytest.mark.parametrize("rows", [[], [("a", "*"), ("b",)], [("a", "*"), ("a", "*")], [()]])
def test_tables_that_are_no_hierarchy(rows):
    with pytest.raises(InputError, match="hierarchy of f"):
        given_hierarchy("f", rows)


def test_values_outside_are_counted_and_not_named():
    ladder = given_hierarchy("f", ROWS)
    np.testing.assert_array_equal(ladder.over(["b", "e"]), [0, 2, 5])
    with pytest.raises(InputError, match="1 of the 2 values of f") as raised:
        ladder.over(["b", "secret"])
    assert "secret" not in str(raised.value)


def test_a_ladder_of_one_value_loses_nothing():
    assert Hierarchy("f", ("a",), (("a",), ("*",)), ("value", "nothing")).losses(1).tolist() == [0, 0]
