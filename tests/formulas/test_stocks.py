"""Stocks and flows put into a matrix, found again with the chance by hand, and not found where they are not."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from policy_sim.formulas.stocks import Stock, stocks


def days(places=10, lines=1, seed=4, earlier=False):
    """Patients in care (2), and those who came (0), left (1) and died (3), nobody one day; 4 is unrelated."""
    flows = np.random.default_rng(seed).integers(0, 40, (5, places, lines)).astype(float)
    flows[:, 2] = 0
    net = flows[0] - flows[1] - flows[3]
    if earlier:
        net = np.vstack([np.zeros((1, lines)), net[:-1]])
    flows[2] = 500 + np.cumsum(net, axis=0)
    return flows


@pytest.mark.parametrize("earlier", [False, True])
@pytest.mark.parametrize("lines", [1, 3])
def test_a_stock_grows_by_what_came_less_what_left(earlier, lines):
    values = days(lines=lines, earlier=earlier)
    (found,) = stocks(values)
    assert (found.stock, dict(zip(found.flows, found.signs, strict=True))) == (2, {0: 1, 1: -1, 3: -1})
    assert (found.earlier, found.confirmed) == (earlier, 9 * lines)
    rows = values[:, :-1] if earlier else values[:, 1:]
    largest = sorted(set(map(tuple, rows[[0, 1, 3]].reshape(3, -1).T)), key=max)
    digits = sum(math.log10(1 + max(flows)) for flows in largest[:-1])
    assert found.chance == pytest.approx(5 * 2 * 4 * 8 * 10**-digits)


def test_two_flows_are_preferred_to_four():
    values = days()
    values[1] = values[1] + values[3]
    assert [(item.flows, item.signs) for item in stocks(values)] == [((0, 1), (1, -1))]


def test_hidden_numbers_count_neither_for_nor_against():
    values = days(places=14)
    values[1, 4], values[2, 9] = np.nan, np.nan
    (found,) = stocks(values)
    assert found.confirmed == 13 - 1 - 2


def test_one_number_that_differs_denies_it():
    values = days()
    values[3, 5] += 1
    assert stocks(values) == []


def test_a_flow_that_is_zero_wherever_it_is_shown_is_left_out():
    values = days()
    values[3, 1:] = 0
    values[2] = 500 + np.cumsum(values[0] - values[1], axis=0)
    (found,) = stocks(values)
    assert set(found.flows) == {0, 1}


def test_a_single_flow_is_a_running_total_and_no_stock():
    values = days()
    values[1] = values[3] = 0
    values[2] = 500 + np.cumsum(values[0], axis=0)
    assert stocks(values) == []


def test_small_and_short_tables_say_nothing():
    assert stocks(days(places=3)) == []
    assert stocks(days()[:2]) == []
    assert stocks(np.ones((5, 8, 1))) == []  # alike places count once


@pytest.mark.parametrize(("others", "many"), [(7, 1), (8, 0)])
def test_stocks_are_looked_for_among_twelve_vectors(others, many):
    more = np.random.default_rng(9).integers(0, 40, (others, 14, 1)).astype(float)
    assert len(stocks(np.concatenate([days(places=14), more]))) == many


@pytest.mark.parametrize(("flows", "many"), [(2, 1), (3, 1), (4, 1), (5, 0)])
def test_a_stock_has_at_most_four_flows(flows, many):
    values = np.random.default_rng(6).integers(0, 9_000, (flows + 1, 12, 1)).astype(float)
    values[0] = 90_000 + np.cumsum(values[1] - values[2:].sum(axis=0), axis=0)
    assert [len(item.flows) for item in stocks(values)] == [flows] * many


@pytest.mark.parametrize(("places", "many"), [(3, 0), (4, 1)])
def test_three_changes_are_needed(places, many):
    values = np.random.default_rng(5).integers(100_000, 999_999, (3, places, 1)).astype(float)
    values[2] = 10**7 + np.cumsum(values[0] - values[1], axis=0)
    assert len(stocks(values)) == many


def test_random_numbers_have_no_stock():
    assert [stocks(np.random.default_rng(seed).integers(0, 60, (6, 6, 1)).astype(float)) for seed in range(40)] == [
        []
    ] * 40


@pytest.mark.parametrize("earlier", [False, True])
def test_the_equation_of_each_place_adds_up(earlier):
    values = days(places=6, lines=2, earlier=earlier)
    ids = np.arange(values.size).reshape(values.shape)
    (found,) = stocks(values)
    equations = list(found.equations(ids))
    assert [sum(sign * values.ravel()[at] for at, sign in terms) for terms in equations] == [0] * 10
    ids[3, 2, 1] = -1  # no such number
    assert len(list(found.equations(ids))) == 9


def test_the_words_of_an_equation():
    names = ["came", "left", "in care", "died"]
    words = Stock(2, (0, 1, 3), (1, -1, -1), False, 9, 0.0).words(names)
    assert words.endswith(" by came - left - died")
    assert words.startswith("in care ")
    other = Stock(2, (1, 0), (-1, 1), True, 9, 0.0).words(names)
    assert other.startswith("in care ")
    assert other.partition(" by ")[2].startswith("- left + came of ")


def test_every_choice_of_signs_is_tried():
    for signs in itertools.product((1, -1), repeat=3):
        values = days()
        values[2] = 900 + np.cumsum(sum(sign * values[at] for sign, at in zip(signs, (0, 1, 3), strict=True)), axis=0)
        (found,) = stocks(values)
        assert (found.flows, found.signs) == ((0, 1, 3), signs)


@pytest.mark.parametrize(("earlier", "sign"), [(True, 1), (False, -1)])
def test_one_flow_is_that_of_the_place_before_or_leaves(earlier, sign):
    """Cases before this week, and doses left; a running total of this week's cases is no stock."""
    flow = np.random.default_rng(6).integers(1, 40, 10).astype(float)
    change = sign * (np.append(0, flow[:-1]) if earlier else flow)
    (found,) = stocks(np.array([flow, 500 + np.cumsum(change)])[:, :, None])
    assert found[:4] == (1, (0,), (sign,), earlier)
    assert not stocks(np.array([flow, 500 + np.cumsum(flow)])[:, :, None])
