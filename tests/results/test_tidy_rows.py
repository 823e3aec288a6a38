"""Tidy tables: nothing is lost, and a missing value stays missing."""

import pandas as pd
import pytest

from policy_sim.results.tidy_rows import kinds_of, tidy_rows

KINDS = kinds_of(["state", "g", "best", "share"], text=["state"], whole=["g"], flags=["best"])


def test_values_come_back_and_missing_ones_are_missing():
    table = tidy_rows([("OH", 3, True, 0.5), (None, None, None, None)], KINDS)
    assert table.iloc[0].tolist() == ["OH", 3, True, 0.5]
    assert table.iloc[1].isna().all()
    assert not any(isinstance(value, float) for value in table.iloc[1])  # no NaN


def test_a_table_without_rows_has_its_columns_and_kinds():
    table = tidy_rows([], KINDS)
    assert dict(table.dtypes.astype(str)) == KINDS
    assert len(table) == 0


def test_whole_numbers_keep_every_digit():
    assert tidy_rows([("OH", 2**60 + 1, None, None)], KINDS)["g"].iloc[0] == 2**60 + 1


@pytest.mark.parametrize("row", [("OH", "three", None, None), ("OH", None, None, "half"), ("OH",)])
def test_a_value_of_another_kind_is_an_error(row):
    with pytest.raises((ValueError, TypeError)):
        tidy_rows([row], KINDS)


def test_rows_may_come_one_after_the_other():
    pd.testing.assert_frame_equal(
        tidy_rows(iter([("OH", 1, False, 1.0)]), KINDS), tidy_rows([("OH", 1, False, 1.0)], KINDS)
    )
