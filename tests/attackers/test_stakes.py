"""What an attacker gains and pays."""

import math

import numpy as np
import pytest

from policy_sim.attackers.stakes import WAN_2015, Stakes
from policy_sim.errors import InputError


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
