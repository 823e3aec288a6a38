"""Ladders made from values, and the roles, kinds and treatments of the variables that have them."""

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
from policy_sim.release.treatments import KINDS, Variable
from policy_sim.words.errors import InputError, UnknownNameError


def column(ladder, value):
    return [level[ladder.values.index(value)] for level in ladder.labels]


def test_numbers_in_intervals_with_both_ends_cut():
    ladder = number_ladder("age", ["0", "4", "17", "89", "90", "101"], (5, 10), top=90, bottom=4)
    assert column(ladder, "17") == ["17", "15-19", "10-19", "*"]
    assert column(ladder, "0") == column(ladder, "4") == ["4 or less"] * 3 + ["*"]
    assert column(ladder, "101") == column(ladder, "90") == ["90+", "90+", "90+", "*"]
    assert column(ladder, "89") == ["89", "85-89", "80-89", "*"]


def test_negative_numbers_are_in_an_interval_that_holds_them():
    assert column(number_ladder("balance", ["-3", "3"], (5,)), "-3")[1] == "-5 to -1"


def test_widths_that_do_not_nest():
    for widths in ((5, 12), (5, 5), (10, 5), (1,)):
        with pytest.raises(InputError, match="multiple of the one before"):
            number_ladder("age", ["3"], widths)


def test_dates_of_several_forms():
    ladder = date_ladder("born", ["1980-04-01", "04/25/1980", "1 May 1931"])
    assert column(ladder, "04/25/1980") == [
        *("1980-04-25", "1980-04-22 to 30", "1980-04", "1980 quarter 2", "1980", "1980-1984", "1980-1989", "*")
    ]
    old = date_ladder("born", ["1980-04-01", "1931-05-01", "1936-01-01"], oldest_year=1935)
    assert column(old, "1931-05-01") == ["1935 or before"] * 7 + ["*"]
    assert column(old, "1936-01-01")[5] == "1935-1939"  # the years of it that the cut leaves


def test_zip_codes():
    ladder = zip_ladder("zip", ["43215", "43215-1234", "3601", "82101.0"], frozenset({"821", "036"}))
    assert column(ladder, "43215-1234") == ["43215", "432", "*"]
    assert column(ladder, "3601") == ["03601", "000", "*"]
    assert column(ladder, "82101.0") == ["82101", "000", "*"]


def test_codes():
    assert column(code_ladder("county", ["9003", "39049"], [2], digits=5), "9003") == ["09003", "09", "*"]
    assert column(code_ladder("dx", ["E11.9", "I10"], [3, 1]), "E11.9") == ["E11.9", "E11", "E", "*"]
    assert code_ladder("county", ["9003", "39049"], [3, 2], digits=5).names == ("value", "3 digits", "state", "nothing")
    assert code_ladder("dx", ["E11.9", "I10"], [3, 1]).names == ("value", "3 letters", "1 letter", "nothing")
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
    way = r"2 distinct values are not dates\. If 'NULL' means a missing value, add"
    with pytest.raises(InputError, match=way) as why:
        date_ladder("born", ["1980-05-06", "NULL", "secret"])
    assert "Correct the others" in str(why.value)
    assert "secret" not in str(why.value)


def test_a_field_to_keep_or_to_lose():
    assert flat_ladder("sex", ["F", "M"]).labels == (("F", "M"), ("*", "*"))


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


def test_tables_that_are_no_hierarchy():
    for rows in ([], [("a", "*"), ("b",)], [("a", "*"), ("a", "*")], [()]):
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


def test_each_role_has_its_usual_treatment_and_no_column_one_in_silence():
    for role, treatment in (("direct", "drop"), ("key", "generalize"), ("other", "keep")):
        assert Variable("x", role, "why").treatment == treatment
    for reason in ("", "  "):
        with pytest.raises(InputError, match="no reason for its role key"):
            Variable("x", "key", reason)


@pytest.mark.parametrize(
    "wrong",
    [
        {"role": "direct", "treatment": "keep"},
        {"role": "key", "treatment": "keep"},
        {"role": "other", "treatment": "shift"},
        {"role": "key", "kind": "table"},
        {"role": "key", "kind": "zip", "top": 3},
        {"role": "key", "rows": (("a", "*"),)},
    ],
)
def test_settings_that_do_not_go_together(wrong):
    with pytest.raises(InputError, match="variable x"):
        Variable("x", reason="why", **wrong)


def test_a_code_for_a_missing_age_is_not_released_as_the_oldest():
    age = Variable("age", "key", "known", "age", top=90)
    for codes in (["34", "999.0"], ["-9", "34"]):
        with pytest.raises(InputError, match="age: 1 distinct value is not an age"):
            age.ladder(codes)
    assert age.ladder(["34", "109"]).labels[0] == ("34", "90+")


def test_names_that_are_not_known():
    for wrong in ({"role": "secret"}, {"role": "key", "kind": "shoe"}):
        with pytest.raises(UnknownNameError):
            Variable("x", reason="why", **wrong)


VALUES = {"birth_date": "1980-01-02", "date": "2024-01-02", "zip": "43215", "county": "39049", "table": "a"}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_ladder_that_ends_in_nothing(kind):
    rows = (("a", "*"),) if kind == "table" else ()
    value = VALUES.get(kind, "17")
    ladder = Variable("x", "key", "why", kind, rows=rows).ladder([value])
    assert ladder.is_gone(ladder.height)


def test_allowed_levels_are_named():
    variable = Variable("x", "key", "why", "date", levels=("month", "year"))
    assert variable.allowed(variable.ladder(["2024-01-01"])) == (2, 4)
    wrong = Variable("x", "key", "why", "date", levels=("fortnight",))
    with pytest.raises(UnknownNameError, match="level of x"):
        wrong.allowed(wrong.ladder(["2024-01-01"]))
