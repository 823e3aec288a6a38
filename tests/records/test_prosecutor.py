"""Prosecutor risk by hand, and averages over records rather than classes."""

import numpy as np
import pytest

from policy_sim.records.classes import Classes
from policy_sim.records.missing import RecordSizes, class_sizes
from policy_sim.records.prosecutor import Threshold, prosecutor_risk


def _risk(sizes, threshold="0.2", cutoff="0.5"):
    classes = np.array(sizes, dtype=np.int64)
    return prosecutor_risk(RecordSizes.of(classes, classes), Threshold.parse(threshold), Threshold.parse(cutoff))


def test_the_average_is_over_records():
    risk = _risk([1, 9])
    assert risk.average == pytest.approx(2 / 10)  # classes over records; over classes it would be 0.556
    assert (risk.maximum, risk.smallest, risk.uniques, risk.unique_share) == (1.0, 1, 1, 0.1)


@pytest.mark.parametrize(
    ("sizes", "cutoff", "strict"),
    [([2, 8], "0.5", 0.2), ([2, 8], "0.33", 0.5), ([3, 7], "0.33", 0.2), ([1, 9], "0.5", 1.0)],
)
def test_strict_average_is_the_maximum_above_the_cutoff(sizes, cutoff, strict):
    assert _risk(sizes, cutoff=cutoff).strict_average == pytest.approx(strict)


def test_a_class_of_11_meets_0_09_and_one_of_10_does_not():
    assert _risk([11, 12], threshold="0.09").at_risk == 0
    risk = _risk([10, 12], threshold="0.09")
    assert (risk.at_risk, risk.at_risk_share) == (10, 10 / 22)


def test_the_smallest_of_records_that_agree_under_wildcards():
    rows = [("F", 1), ("F", None), ("M", 2)]
    sizes = class_sizes(Classes.of_rows(rows, ("a", "b")), "wildcard")
    risk = prosecutor_risk(sizes, Threshold.parse("0.5"), Threshold.parse("0.5"))
    assert risk.average == pytest.approx((1 / 2 + 1 / 2 + 1) / 3)


def test_no_records_have_no_risk_rather_than_none_at_all():
    risk = _risk([])
    assert (risk.records, risk.at_risk, risk.uniques) == (0, 0, 0)
    assert risk.maximum is risk.average is risk.strict_average is risk.smallest is None


@pytest.mark.parametrize("n", [1, 6])
def test_all_equal_and_all_different(n):
    assert (_risk([n]).average, _risk([n]).maximum) == (1 / n, 1 / n)
    assert (_risk([1] * n).average, _risk([1] * n).uniques) == (1.0, n)
