"""What formulas refuse, and the one line that says so."""

from __future__ import annotations

import numpy as np
import pytest

from policy_sim.binning.inputs import checked_bins, checked_coverage, checked_numbers, checked_whole, together
from policy_sim.errors import InputError


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda: checked_numbers("people", ["many"]), "people must be numbers: could not convert string to float"),
        (lambda: checked_whole("people", [3, 2.5], 0), r"people = 2\.5 \(value 2 of 2\) must be a whole number of 0"),
        (lambda: checked_whole("people", -1, 0), "people = -1 must be a whole number of 0 or more"),
        (lambda: checked_whole("people", np.nan, 0), "people = nan must be a whole number"),
        (lambda: checked_whole("people", 2.0**53 + 2, 0), "people = 9007199254740994 must be a whole number"),
        (lambda: checked_bins(0.5), r"bins = 0\.5 must be a number of 1 or more"),
        (lambda: checked_bins(np.inf), "bins = inf must be a number of 1 or more"),
        (lambda: checked_coverage([0.5, 1.5]), r"coverage = 1\.5 \(value 2 of 2\) must be a share from 0 to 1"),
        (lambda: checked_coverage(np.nan), "coverage = nan must be a share from 0 to 1"),
        (lambda: together(np.zeros(2), np.zeros(3)), r"arrays of shapes \(2,\), \(3,\) do not go together"),
    ],
)
def test_bad_input_is_one_line(call, line):
    with pytest.raises(InputError, match=f"^{line}"):
        call()


def test_ends_of_the_ranges_are_allowed():
    assert checked_whole("people", [0, 2.0**53], 0).tolist() == [0, 2.0**53]
    assert checked_bins([1, 365.25]).tolist() == [1, 365.25]
    assert checked_coverage([0, 1]).tolist() == [0, 1]


def test_arrays_are_brought_to_one_shape():
    shape, (rows, columns) = together(np.array([[1.0], [2.0]]), np.array([10.0, 20.0]))
    assert shape == (2, 2)
    assert rows.tolist() == [1, 1, 2, 2]
    assert columns.tolist() == [10, 20, 10, 20]
