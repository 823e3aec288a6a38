import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policy_sim.building.ipf import Margin, fit_margins


def test_two_by_two_keeps_the_odds_ratio_and_gets_the_totals():
    # First cell a of rows 30, 60 and columns 45, 45: a (15 + a) = 4 (30 - a)(45 - a), 3a² - 315a + 5400 = 0.
    table = fit_margins(
        np.array([[2.0, 1.0], [1.0, 2.0]]),
        [Margin(np.array([[30.0], [60.0]])), Margin(np.array([[45.0, 45.0]]))],
        tolerance=1e-10,
    )
    first = (315 - np.sqrt(315**2 - 4 * 3 * 5400)) / 6
    np.testing.assert_allclose(table, [[first, 30 - first], [45 - first, 15 + first]], rtol=1e-9)


def test_a_cell_of_zero_stays_zero():
    table = fit_margins(
        np.array([[0.0, 1.0], [1.0, 1.0]]), [Margin(np.array([[2.0], [5.0]])), Margin(np.array([[3.0, 4.0]]))]
    )
    np.testing.assert_allclose(table, [[0, 2], [3, 2]], atol=0.02)


def test_a_margin_may_speak_of_a_part():
    part = (slice(0, 1), slice(None))
    table = fit_margins(np.ones((2, 3)), [Margin(np.array([[7.0]]), part), Margin(np.array([[4.0, 4.0, 4.0]]))])
    assert table[0].sum() == pytest.approx(7, abs=0.01)
    np.testing.assert_allclose(table.sum(axis=0), 4)


def test_the_pattern_is_left_alone():
    pattern = np.ones((2, 2))
    fit_margins(pattern, [Margin(np.array([[10.0], [10.0]]))])
    assert (pattern == 1).all()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(1, 1000), min_size=12, max_size=12), st.integers(0, 2**32 - 1))
def test_margins_of_a_real_table_are_met(counts, seed):
    real = np.array(counts, dtype=np.float64).reshape(2, 3, 2)
    pattern = np.random.default_rng(seed).uniform(0.2, 5, real.shape)
    margins = [Margin(real.sum(axis=axis, keepdims=True)) for axis in range(3)]
    table = fit_margins(pattern, margins, tolerance=1e-6, max_rounds=5000)
    for axis in range(3):
        np.testing.assert_allclose(table.sum(axis=axis), real.sum(axis=axis), atol=1e-4)
