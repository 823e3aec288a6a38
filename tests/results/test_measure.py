"""Measures and figures with two ends."""

import math

import pytest

from policy_sim.errors import InputError, UnknownNameError
from policy_sim.results import Bounds, Measure, group_sizes
from policy_sim.results.measure import MOST_G, reach


def test_names_and_back():
    for name in ("total-risk", "claims", "correct-claims", "precision", "1-distinct", "20000-distinct"):
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


def test_the_largest_group_size_has_a_name():
    assert Measure.of(f"{MOST_G}-distinct").g == MOST_G
