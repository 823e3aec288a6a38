"""Measures and figures with two ends."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from policy_sim.model.measure import (
    MOST_G,
    Bounds,
    Measure,
    group_sizes,
    reach,
    tidy_rows,
    with_place,
)
from policy_sim.words.errors import InputError, UnknownNameError


def test_names_and_back():
    for name in ("total-risk", "claims", "correct-claims", "precision", "1-distinct", f"{MOST_G}-distinct"):
        assert str(Measure.of(name)) == name


@pytest.mark.parametrize("name", ["g-distinct", "distinct", "risk", "-distinct", "x-distinct", ""])
def test_other_names_are_refused(name):
    with pytest.raises(UnknownNameError, match="total-risk"):
        Measure.of(name)


@pytest.mark.parametrize("g", [0, -1, 1.5, True, "3", [], 10**10])
def test_group_sizes_that_are_none(g):
    with pytest.raises(InputError, match="whole numbers from 1"):
        group_sizes(g)


def test_a_group_size_only_where_it_belongs():
    with pytest.raises(InputError, match="has no group size"):
        Measure("total-risk", 3)


def test_an_interval_reaches_1_96_standard_deviations_and_never_below_0():
    assert reach(4.0) == pytest.approx(1.959964 * 2, rel=1e-6)
    span = Bounds(1.0, 10.0).within(Bounds(4.0, 9.0))
    assert span.low == 0.0
    assert span.high == pytest.approx(10 + 1.959964 * 3, rel=1e-6)


def test_ends_in_either_order():
    """An attacker who knows more can match fewer certainly: the ends then stand the other way round."""
    span = Bounds(10.0, 1.0).within(Bounds(9.0, 0.01))
    assert span.high == pytest.approx(10 + 1.959964 * 3, rel=1e-6)
    assert span.low == pytest.approx(1 - 1.959964 * math.sqrt(0.01), rel=1e-5)


# Tidy tables: nothing is lost, and a missing value stays missing.


COLUMNS = "state g best share"


def test_values_come_back_and_missing_ones_are_missing():
    table = tidy_rows(iter([{"state": "OH", "share": 0.5, "best": True, "g": 3}, {}]), COLUMNS)
    assert table.iloc[0].tolist() == ["OH", "Ohio", "39", 3, True, 0.5]
    assert table.iloc[1].isna().all()
    assert not any(isinstance(value, float) for value in table.iloc[1])  # no NaN


def test_a_table_without_rows_has_its_columns_and_kinds():
    table = tidy_rows([], COLUMNS, share="Int64")
    assert dict(table.dtypes.astype(str)) == {
        **dict.fromkeys(("state", "state_name", "fips"), "string"),
        "g": "Int64",
        "best": "boolean",
        "share": "Int64",
    }
    assert len(table) == 0


def test_what_only_some_rows_have_comes_last():
    table = tidy_rows([{"state": "OH"}, {"state": "TX", "share_from": 0.25}], COLUMNS)
    assert table.columns[-1] == "share_from"
    assert table["share_from"].isna().tolist() == [True, False]


def test_whole_numbers_keep_every_digit():
    assert tidy_rows([{"g": 2**60 + 1}], COLUMNS)["g"].iloc[0] == 2**60 + 1


@pytest.mark.parametrize("row", [{"g": "three"}, {"share": "half"}])
def test_a_value_of_another_kind_is_an_error(row):
    with pytest.raises((ValueError, TypeError)):
        tidy_rows([row], COLUMNS)


def test_a_row_about_a_county_has_the_countys_code_and_others_their_states():
    rows = pd.DataFrame(
        {"state": ["DE", "DE", "AL"], "by": ["county", "race", "race"], "value": ["10001", "white", "x"]}
    )
    placed = with_place(rows)
    assert placed.columns.tolist() == ["state", "state_name", "fips", "by", "value"]
    assert placed["fips"].tolist() == ["10001", "10", "01"]
    assert placed["state_name"].tolist() == ["Delaware", "Delaware", "Alabama"]


def test_a_state_without_a_county_where_others_have_one_keeps_its_own_code():
    rows = with_place(pd.DataFrame({"list": ["a", "b"], "state": ["DE", "RI"], "county": ["10003", None]}))
    assert rows["fips"].tolist() == ["10003", "44"]
