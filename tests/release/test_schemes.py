"""Ladders that a new project proposes: nested, complete, readable, and nothing outside a vocabulary disappears."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy_sim.records.column_kinds import ColumnValues
from policy_sim.records.covered_values import vocabulary
from policy_sim.release.ladders import GONE, age_ladder, date_ladder
from policy_sim.release.schemes import (
    COMMON,
    limits_ladder,
    number_limits,
    proposed_ladder,
    proposed_scheme,
    scheme_ladder,
    schemes,
)
from policy_sim.words.errors import UnknownNameError


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
