"""Thresholds mean classes: 0.09 is one in 11, 0.33 one in 3."""

import pytest

from policy_sim.records.profile import Threshold
from policy_sim.words.errors import InputError


@pytest.mark.parametrize(
    ("text", "k"),
    [
        ("0.09", 11),  # rounded in the sources, and so is 0.33; the others are exact
        ("0.33", 3),
        ("0.3333", 3),
        ("0.05", 20),
        ("0.1", 10),
        ("0.2", 5),
        ("0.5", 2),
        ("1", 1),
        ("1/11", 11),
        ("k=7", 7),
        ("0.075", 14),
        ("0.3", 4),
        (" 0.04 ", 25),
    ],
)
def test_the_smallest_class_that_meets_a_threshold(text, k):
    threshold = Threshold.parse(text)
    assert threshold.k == k
    # the class meets the threshold up to the rounding of the decimal (half a unit of its last digit)
    assert 1 / k <= threshold.risk + 0.005


def test_averages_keep_the_decimal():
    assert Threshold.parse("0.09").risk == 0.09
    assert Threshold.parse("k=4").risk == 0.25


@pytest.mark.parametrize("text", ["", "high", "0", "-0.1", "1.5", "k=0", "k=x", "1/0"])
def test_what_is_not_a_risk_is_refused(text):
    with pytest.raises(InputError, match="threshold"):
        Threshold.parse(text)
