from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policy_sim.building.rounding import Margin, draw_rows, fit_margins, round_rows, settle_columns, share_out
from policy_sim.words.errors import NotEstimableError


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


def rng(seed=0):
    return np.random.Generator(np.random.PCG64(seed))


def test_rounding_goes_down_or_up_and_keeps_every_total():
    totals = np.array([10, 0, 7])
    expected = np.array([[2.3, 3.2, 4.5], [0, 0, 0], [1, 1, 5]])
    for seed in range(20):
        whole = round_rows(expected, totals, rng(seed))
        assert (whole.sum(axis=1) == totals).all()
        assert (np.floor(expected) <= whole).all()
        assert (whole <= np.ceil(expected)).all()


def test_rounding_is_right_on_average():
    expected = np.broadcast_to([0.25, 0.6, 1.15], (40_000, 3))
    mean = round_rows(expected, np.full(40_000, 2), rng()).mean(axis=0)
    # three standard errors of a share at most 1/2 of 40,000
    np.testing.assert_allclose(mean, [0.25, 0.6, 1.15], atol=3 * 0.5 / 200)


def test_rows_are_scaled_to_their_total():
    assert round_rows(np.array([[1.0, 3.0]]), np.array([8]), rng()).tolist() == [[2, 6]]


def test_draws_are_multinomial():
    people = draw_rows(np.broadcast_to([1.0, 2.0, 1.0], (40_000, 3)), np.full(40_000, 3), rng())
    assert (people.sum(axis=1) == 3).all()
    # all three in the first column: (1/4)^3, by hand
    share = (people[:, 0] == 3).mean()
    assert share == pytest.approx(1 / 64, abs=3 * np.sqrt(1 / 64 / 40_000))
    assert people[:, 1].var() == pytest.approx(3 / 4, rel=0.05)  # n p (1 - p)


@pytest.mark.parametrize("draw", [round_rows, draw_rows])
def test_people_where_none_are_expected_are_refused(draw):
    with pytest.raises(NotEstimableError, match="none are expected"):
        draw(np.zeros((1, 3)), np.array([2]), rng())


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 30), min_size=20, max_size=20), st.integers(0, 2**32 - 1))
def test_settled_columns_have_their_totals_and_rows_keep_theirs(counts, seed):
    target = np.array(counts).reshape(1, 5, 4)
    expected = target + 0.5
    start = draw_rows(expected, target.sum(axis=2), rng(seed))
    settled = settle_columns(start, expected, target.sum(axis=1))
    assert (settled >= 0).all()
    assert (settled.sum(axis=1) == target.sum(axis=1)).all()
    assert (settled.sum(axis=2) == target.sum(axis=2)).all()


def test_settling_goes_by_way_of_another_column_where_no_row_has_both():
    # Column 0 has one too many, column 2 one too few, and no row allows both.
    people = np.array([[[2, 0, 0], [0, 1, 0]]])
    expected = np.array([[[1.0, 1.0, 0.0], [0.0, 0.5, 0.5]]])
    settled = settle_columns(people, expected, np.array([[1, 1, 1]]))
    assert settled.tolist() == [[[1, 1, 0], [0, 0, 1]]]


def test_totals_that_zeros_forbid_are_refused():
    with pytest.raises(NotEstimableError, match="no way"):
        settle_columns(np.array([[[2, 0]]]), np.array([[[2.0, 0.0]]]), np.array([[1, 1]]))


def test_dealing_keeps_the_pool_and_every_demand():
    pool = np.array([[5, 0, 7], [1, 1, 1]])
    demands = np.array([[3, 1], [0, 0], [9, 2]])
    dealt = share_out(pool, demands, rng())
    assert (dealt.sum(axis=0) == pool).all()
    assert (dealt.sum(axis=2) == demands).all()


def test_every_deal_is_equally_likely():
    # Two of one kind, one of another and one of a third, dealt two and two; counted over all orders.
    deck = [0, 0, 1, 2]
    orders = list(permutations(deck))
    wanted = {kinds: orders_with / len(orders) for kinds, orders_with in _hands(orders).items()}
    tables = 30_000
    dealt = share_out(np.tile([2, 1, 1], (tables, 1)), np.full((2, tables), 2), rng())
    for kinds, chance in wanted.items():
        found = (dealt[0] == kinds).all(axis=1).mean()
        assert found == pytest.approx(chance, abs=4 * np.sqrt(chance / tables))


def _hands(orders):
    hands = {}
    for order in orders:
        kinds = tuple(order[:2].count(kind) for kind in range(3))
        hands[kinds] = hands.get(kinds, 0) + 1
    return hands
