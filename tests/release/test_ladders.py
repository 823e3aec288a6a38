"""Ladders made from values or proposed for them, and the roles, kinds and treatments of variables that have them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy_sim.records.column_kinds import ColumnValues
from policy_sim.records.covered_values import OLDEST
from policy_sim.records.vocabularies import vocabulary
from policy_sim.release.ladders import (
    GONE,
    Hierarchy,
    age_ladder,
    code_ladder,
    date_ladder,
    flat_ladder,
    given_hierarchy,
    number_ladder,
    zip_ladder,
)
from policy_sim.release.schemes import (
    COMMON,
    limits_ladder,
    number_limits,
    proposed_ladder,
    proposed_scheme,
    scheme_ladder,
    schemes,
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
    ladder = zip_ladder("zip", ["43215", "43215-1234", "3601", "82101.0", "36011234"], frozenset({"821", "036"}))
    assert column(ladder, "36011234") == ["03601", "000", "*"]  # ZIP+4 without its hyphen and its zero
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
    with pytest.raises(InputError, match=r'1 distinct value .* format = "%m/%d/%y"'):
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
        with pytest.raises(InputError, match="age: 1 distinct value is not"):
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


# What a new project proposes: nested, complete, readable, and nothing outside a vocabulary disappears.


def values_of(name, texts, records=None):
    counts = np.array(records or [10] * len(texts), dtype=np.int64)
    return ColumnValues(name, tuple(texts), counts, 0)


def is_sound(ladder, values):
    """Hierarchy itself refuses what does not nest; here: complete, ends in one class, each level merges, readable."""
    assert ladder.values == tuple(values)
    assert set(ladder.labels[-1]) == {GONE}
    sizes = [len(set(level)) for level in ladder.labels]
    assert sizes == sorted(sizes, reverse=True)
    for level in ladder.labels[1:-1]:
        assert all(label and not re.search(r"\\|\de[+-]?\d|nan|inf", label) for label in level)


@given(st.lists(st.integers(-5_000, 2_000_000), min_size=3, max_size=80, unique=True))
def test_numbers_have_round_limits_that_nest(numbers):
    texts = [str(number) for number in numbers]
    limits = number_limits(values_of("income", texts))
    ladder = limits_ladder("income", [*texts, "?", "lots"], limits)
    is_sound(ladder, [*texts, "?", "lots"])
    for level in ladder.labels[1:-1]:
        assert level[-2:] == ("unknown", "other")


@given(st.lists(st.integers(0, 125), min_size=1, max_size=60, unique=True), st.sampled_from([None, 50, 70, 90]))
def test_ages_end_in_stages_of_life(ages, top):
    texts = [str(age) for age in ages]
    is_sound(age_ladder("age", texts, top=top), texts)


@given(st.lists(st.dates().map(str), min_size=1, max_size=40, unique=True))
def test_dates_nest_from_day_to_ten_years(dates):
    is_sound(date_ladder("seen", dates), dates)


@given(st.dictionaries(st.text("abcdef", min_size=1), st.integers(1, 1000), min_size=1, max_size=30))
def test_rare_values_become_other_in_steps(records):
    is_sound(scheme_ladder("x", list(records), COMMON, records), list(records))


KNOWN = {
    "icd_10_cm": ["E11.9", "E10.9", "I10"],
    "drg": ["470", "871", "292"],
    "state": ["OH", "CA", "NY"],
    "country": ["Austria", "Japan", "China"],
    "education": ["Bachelors", "HS-grad", "9th"],
}


@pytest.mark.parametrize("name", KNOWN)
def test_a_value_outside_the_vocabulary_does_not_disappear(name):
    texts = [*KNOWN[name], "zzz no such word", "?"]
    ladder = scheme_ladder("x", texts, name, {})
    is_sound(ladder, texts)
    assert [level[-2:] for level in ladder.labels[1:-1]] == [("other", "unknown")] * (ladder.height - 1)


@pytest.mark.parametrize(
    ("column", "texts", "scheme"),
    [
        ("schooling", ["Bachelors", "HS-grad", "10th", "Masters"], "education"),
        ("schooling", ["bachelor's degree", "High School", "Some college"], "education"),
        ("status", ["Never-married", "DIVORCED", "Married-civ-spouse"], "marital"),
        ("work", ["Exec-managerial", "Craft-repair", "Sales"], "occupation"),
        ("soc", ["29-1141", "41-2031", "53-3032"], "occupation"),
        ("naics", ["622110", "23", "4411"], "industry"),
        ("answer", ["Never", "rarely", "SOMETIMES", "often"], "frequency"),
        ("q1", ["Strongly agree", "Agree", "Neutral", "Disagree"], "agreement"),
        ("dx", ["E11.9", "I10", "J45.909"], "icd_10_cm"),
        ("born_in", ["Austria", "Japan", "Mexico"], "country"),
    ],
)
def test_vocabularies_are_recognized_in_several_spellings(column, texts, scheme):
    proposal = proposed_scheme(values_of(column, texts))
    assert proposal["scheme"] == scheme
    assert proposal["ladder_is"].startswith("every value is known")


def test_what_is_not_recognized_with_certainty_says_so():
    proposal = proposed_scheme(values_of("born", ["Austria", "Japan", "Mexico", "South", "Cuba", "Canada"]))
    assert proposal["scheme"] == "country"
    assert proposal["ladder_is"].startswith("proposed")
    assert "1 of 6" in proposal["ladder_is"]
    assert proposed_scheme(values_of("x", ["spam", "eggs", "ham"]))["scheme"] == COMMON
    assert proposed_scheme(values_of("room", ["11", "23", "42", "470"]))["scheme"] == COMMON  # digits need the name too


def test_first_letters_only_where_codes_are_hierarchical():
    words_ = values_of("education2", ["Gymnasium", "Realschule", "Hauptschule"])
    assert "lengths" not in proposed_ladder(words_, "code")
    codes = values_of("part", [f"{letter}{group}.{at}" for letter in "AB" for group in (10, 11) for at in range(5)])
    assert proposed_ladder(codes, "code")["lengths"] == [3, 1]


def test_every_category_of_diagnosis_is_in_a_chapter():
    place = schemes()["icd_10_cm"].place
    assert all(len(place(code) or ()) == 3 for code in vocabulary("icd_10_cm"))


def test_an_unknown_scheme_is_refused():
    with pytest.raises(UnknownNameError, match="scheme"):
        scheme_ladder("x", ["a"], "nonsense", {})


@pytest.mark.parametrize(
    ("column", "texts", "records", "kind", "expected"),
    [
        ("hsize", "123456789", [9, 20, 17, 19, 10, 4, 1, 1, 1], "code", {"kind": "number"}),  # and not "other"
        ("region", "123456789", [9, 20, 17, 19, 10, 4, 1, 1, 1], "code", {"scheme": COMMON}),
        ("modelyr", ["1985", "1999", "2000", "2004"], None, "number", {"kind": "year"}),  # not "2000 or more"
        ("charges", ["1985", "1999", "2000", "20400"], None, "number", {"kind": "number"}),
    ],
)
def test_amounts_and_years_have_ladders_that_read_as_such(column, texts, records, kind, expected):
    proposed = proposed_ladder(values_of(column, list(texts), records), kind)
    assert expected.items() <= proposed.items()


def test_numbers_of_levels_of_education_are_not_taken_for_years():
    levels = [str(level) for level in range(1, 17)]
    limits = {
        name: proposed_ladder(values_of(name, levels), "code")["limits"]
        for name in ("education-num", "years of education")
    }
    assert limits["years of education"][-1] == [13.0]
    assert limits["education-num"] == [list(part) for part in number_limits(values_of("x", levels))]


def test_a_class_of_rare_values_does_not_sound_like_a_value():
    ladder = scheme_ladder("race", ["White", "Other", "Black", "Inuit"], COMMON, {"White": 80, "Other": 9, "Black": 9})
    assert ladder.texts(1)[1:] == ("White", "other or rare", "Black", "other or rare")


def test_a_limit_lies_at_a_round_number_near_the_median():
    """The median of 1 to 99 is 50, and half of the distance of the quartiles 25: limits are multiples of 20."""
    assert number_limits(values_of("income", [str(number) for number in range(1, 100)]))[-1] == (40.0,)


def test_the_oldest_age_is_an_age_in_months_too():
    ladder = age_ladder("age", [str(12 * OLDEST), "24"], unit="age_months")
    assert column(ladder, str(12 * OLDEST))[0] == str(OLDEST)
    with pytest.raises(InputError, match="is not an age"):
        age_ladder("age", [str(12 * OLDEST + 12), "24"], unit="age_months")
