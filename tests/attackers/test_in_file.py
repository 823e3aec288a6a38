"""How many are in the file: every way to write it, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from policy_sim.attackers.in_file import SMALL_FILE, InFile, shares_in_file
from policy_sim.errors import InputError


@pytest.mark.parametrize(
    ("given", "file"),
    [
        (0.01, InFile(share=0.01)),
        (1, InFile(share=1.0)),
        (1.0, InFile(share=1.0)),
        (np.float64(0.5), InFile(share=0.5)),
        (11000, InFile(records=11000)),
        (11000.0, InFile(records=11000)),
        (np.int64(2), InFile(records=2)),
        (InFile(share=0.2), InFile(share=0.2)),
        (None, None),
    ],
)
def test_a_share_up_to_one_and_whole_numbers_above(given, file):
    assert InFile.of(given) == file


@pytest.mark.parametrize("given", [0, -1, -0.1, 1.5, 10.25, float("nan"), float("inf"), True, "0.01", [0.01], 2e9])
def test_everything_else_is_one_line_that_says_what_to_give(given):
    with pytest.raises(InputError, match=r"in the file = .*: give") as error:
        InFile.of(given)
    assert "\n" not in str(error.value)


def test_a_file_has_a_share_or_a_number():
    for wrong in ({}, {"share": 0.5, "records": 5}):
        with pytest.raises(InputError, match="not both"):
            InFile(**wrong)


def test_records_are_a_share_of_each_state_and_no_more_than_its_people():
    states = {"OH": 1000, "WY": 100}
    np.testing.assert_allclose(shares_in_file(InFile.of(50), states, ["WY", "OH"]), [0.5, 0.05])
    np.testing.assert_allclose(shares_in_file(SMALL_FILE, states, ["WY", "OH"]), [0.01, 0.01])
    assert shares_in_file(None, states, ["WY"]) is None
    with pytest.raises(InputError, match="a file of 101 people is more than the 100 people of WY") as error:
        shares_in_file(InFile.of(101), states, ["OH", "WY"])
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("given", [0.01, 0.0005, 1.0, 11000])
def test_its_value_makes_it_again(given):
    file = InFile.of(given)
    assert file is not None
    assert InFile.of(file.value) == file
    assert str(file.value) == str(given)
