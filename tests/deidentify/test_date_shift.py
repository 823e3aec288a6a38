"""Dates shifted by person."""

import datetime as dt

import numpy as np
import pytest

from policy_sim.deidentify.coded_columns import CodedColumn
from policy_sim.deidentify.date_shift import days_of_people, shifted_dates
from policy_sim.deidentify.pseudonyms import SecretKey
from policy_sim.errors import InputError

KEY = SecretKey(bytes(32))


def test_intervals_of_a_person_stay():
    people = ["a", "a", "b"]
    dates = CodedColumn.of(["2024-01-01", "2024-02-10", "2024-02-10"])
    shifted = [
        dt.date.fromisoformat(text) for text in shifted_dates("d", dates, days_of_people(people, KEY, 90)).texts()
    ]
    assert (shifted[1] - shifted[0]).days == 40
    assert shifted[1] != shifted[2]


def test_days_are_spread_evenly_without_a_day_of_none():
    days = days_of_people([str(number) for number in range(20_000)], KEY, 5)
    numbers, counts = np.unique(days, return_counts=True)
    assert numbers.tolist() == [-5, -4, -3, -2, -1, 1, 2, 3, 4, 5]
    assert abs(counts - 2000).max() < 5 * np.sqrt(2000 * 0.9)  # five standard deviations of a binomial


@pytest.mark.parametrize("most", [0, -1, 4000])
def test_days_out_of_range(most):
    with pytest.raises(InputError, match="days = "):
        days_of_people(["a"], KEY, most)


def test_what_cannot_be_shifted():
    with pytest.raises(InputError, match="1 distinct values are not dates"):
        shifted_dates("d", CodedColumn.of(["soon"]), np.array([1]))
    with pytest.raises(InputError, match="outside the calendar"):
        shifted_dates("d", CodedColumn.of(["9999-12-30"]), np.array([5]))
    with pytest.raises(InputError, match="outside the calendar"):
        shifted_dates("d", CodedColumn.of(["0001-01-02"]), np.array([-5]))


def test_missing_dates_stay_missing():
    column = shifted_dates("d", CodedColumn.of(["", "2024-01-01"]), np.array([3, 3]))
    assert column.texts().tolist() == ["", "2024-01-04"]
