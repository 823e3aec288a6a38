from __future__ import annotations

import math
import sys
import unicodedata

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy_sim.show.numbers import (
    LEAST_COMPACT,
    alike,
    attacker_words,
    compact,
    dollars,
    interval,
    people,
    percent,
    percent_tick,
    plain,
    ratio,
    short_dollars,
    short_percent,
    short_ratio,
    span_words,
)

# Beside the values in the examples of the functions.
WRITTEN = {
    percent: {
        3e-6: "0.00030%",  # as the paper prints Ohio's 1-distinct under Safe Harbor
        1e-9: "<0.000001%",
        0.00129: "0.13%",
        0.09996: "10.0%",
        0.9991: "99.9%",
        0.99951: "99.95%",
        0.99999999: ">99.9999%",
    },
    people: {0.43: "0.43", 2: "2", 309.4: "309"},
    dollars: {1e-9: "<$0.000001", 0.0008: "$0.00080", 2.5: "$2.50", 826.7: "$827"},
    ratio: {0.5: "0.50", 67.4: "67.4", 90_000: "90,000"},
}


@pytest.mark.parametrize("write", WRITTEN, ids=lambda write: write.__name__)
def test_figures_as_people_read_them(write):
    assert {value: write(value) for value in WRITTEN[write]} == WRITTEN[write]


@given(st.floats(1e-12, 1, exclude_max=True))
def test_no_share_is_rounded_to_nothing_or_to_all(share):
    assert percent(share) not in ("0%", "100%", "100.0%")
    assert short_percent(share) not in ("0%", "100%", "100.0%")


@given(st.floats(1e-6, 1e12))
def test_what_is_written_is_within_half_a_digit(value):
    written = float(people(value).replace(",", ""))
    digits = 2 if value < 0.995 else 3
    assert math.isclose(written, value, rel_tol=0.6 * 10 ** (1 - digits), abs_tol=0.5 if value > 9.9 else 0)


@given(st.floats(0, 9.9e8))
def test_short_forms_are_short(value):
    assert len(compact(value)) <= 6
    assert len(short_ratio(value)) <= 6
    assert len(short_dollars(value)) <= 7


def test_an_interval_has_the_smaller_end_first_and_one_unit_and_one_figure_where_both_read_alike():
    assert interval(0.34, 0.021, percent) == "2.10–34%"
    assert interval(0.02, 0.31, dollars) == "$0.02–0.31"
    assert interval(0.18700001, 0.187, percent) == "18.7%"
    assert [percent_tick(k * 0.00025) for k in range(5)] == ["0%", "0.025%", "0.05%", "0.075%", "0.1%"]


@pytest.mark.parametrize(
    ("values", "write", "labels"),
    [
        ([0, 0.00027, 0.01, 0.28], short_percent, ["0%", "0.027%", "1.0%", "28%"]),
        ([0.001, 0.0014], percent, ["0.10%", "0.14%"]),
        ([1, 10, 1000, 10_000], short_ratio, ["1", "10", "1,000", "10 k"]),
        ([0, 1e-6], short_percent, ["0%", "<0.001%"]),
    ],
)
def test_labels_of_one_set_have_one_precision(values, write, labels):
    assert alike(values, write) == labels


@given(st.lists(st.floats(1e-6, 0.99), min_size=1, max_size=6))
def test_one_precision_changes_no_number(shares):
    written = ([float(text.strip("<>%")) for text in texts] for texts in (map(percent, shares), alike(shares, percent)))
    assert next(written) == next(written)


def test_the_least_ratio_of_the_short_form_is_written_as_any_above_it():
    assert short_ratio(LEAST_COMPACT) == ratio(LEAST_COMPACT) == "0.010"
    assert short_ratio(LEAST_COMPACT * 0.99) == "<0.01"


def test_a_span_has_the_least_and_the_largest_known_value_or_one_figure_where_both_read_alike():
    assert span_words([0.345, 0.0213, 0.1], percent) == "2.13% to 34.5%"
    assert span_words([pd.NA, 0.2, float("nan"), 0.1], percent) == "10% to 20%"
    assert span_words([pd.NA, None], percent) == ""
    assert span_words([0.12341, 0.12342], percent) == "12.3%"


def test_an_attacker_of_the_users_own_is_named():
    assert attacker_words("neighbor") == "the attacker NEIGHBOR"
    assert "NEIGHBOR" not in attacker_words("general")


# No control character reaches a page or a terminal.


def test_every_control_character_is_replaced_and_a_line_feed_stays():
    controls = [chr(c) for c in range(sys.maxunicode + 1) if unicodedata.category(chr(c)) in ("Cc", "Cs")]
    assert {plain(sign) for sign in controls if sign != "\n"} == {"\ufffd"}
    assert plain("a\nb") == "a\nb"
    text = "Doña Ana − Łódź 東京 🙂"
    assert plain(text) == text
