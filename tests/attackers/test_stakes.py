"""What an attacker gains and pays."""

from __future__ import annotations

import math

import numpy as np
import pytest

from policy_sim.attackers.adversary import WAN_2015, DollarAmount, Stakes
from policy_sim.attackers.in_file import SMALL_FILE, InFile, shares_in_file
from policy_sim.words.errors import InputError


def test_profit_by_hand():
    stakes = Stakes(300, 4, loss_per_wrong_usd=10, penalty_usd=1000, chance_caught=0.1)
    # 10 attacked, 2 right: 600 - 40 - 80 - 0.1 * 2000
    assert stakes.profit(np.array([10.0]), np.array([2.0])).tolist() == [280.0]


def test_a_cap_limits_all_fines_together():
    stakes = Stakes(300, penalty_usd=1000, penalty_cap_usd=1500, chance_caught=0.1)
    assert stakes.profit(np.array([4.0]), np.array([4.0])).tolist() == [1200 - 150]


@pytest.mark.parametrize(
    ("stakes", "chance"),
    [
        (WAN_2015, 4 / 300),
        (Stakes(300), 0.0),
        (Stakes(0, 1), None),
        (Stakes(3, 4), None),
        (Stakes(1, 0, loss_per_wrong_usd=1), 0.5),
        (Stakes(100, 5, penalty_usd=1000, chance_caught=0.05), 0.1),
        (Stakes(100, 5, penalty_usd=1000, chance_caught=0.2), None),
    ],
)
def test_break_even_chance(stakes, chance):
    assert stakes.break_even_chance == (pytest.approx(chance) if chance is not None else None)


@pytest.mark.parametrize("wrong", [{"gain_usd": -1}, {"gain_usd": math.nan}, {"gain_usd": 1, "chance_caught": 1.1}])
def test_what_is_refused(wrong):
    with pytest.raises(InputError):
        Stakes(**wrong)


def test_the_amounts_for_a_manifest_leave_the_source_to_the_notes():
    assert set(WAN_2015.amounts) == {
        *("gain_usd", "cost_per_attempt_usd", "loss_per_wrong_usd", "penalty_usd", "penalty_cap_usd", "chance_caught"),
    }
    assert WAN_2015.amounts["gain_usd"] == 300


# A dollar amount in one line.


def test_one_end_two_ends_and_none():
    facts = ("x", "gains", "what", "record")
    tail = (None, "2015", "Someone", "", "quoted", "")
    assert DollarAmount(*facts, 300, 300, *tail).cite() == "x: $300 per record (2015; Someone; quoted)"
    assert DollarAmount(*facts, 0.12, 0.32, *tail).cite() == "x: $0.12 to $0.32 per record (2015; Someone; quoted)"
    assert DollarAmount(*facts, None, None, *tail).cite() == "x: amount unknown (2015; Someone; quoted)"


# How many are in the file: every way to write it, and what is refused.


@pytest.mark.parametrize(
    ("given", "file"),
    [
        (0.01, InFile(share=0.01)),
        (1, InFile(share=1.0)),
        (1.0, InFile(share=1.0)),
        (np.float64(0.5), InFile(share=0.5)),
        (11000, InFile(people=11000)),
        (11000.0, InFile(people=11000)),
        (np.int64(2), InFile(people=2)),
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
    for wrong in ({}, {"share": 0.5, "people": 5}):
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
