"""Equations of a matrix with holes: each family by one that was put in, and its chance by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from policy_sim.formulas.equations import Equation, Equations, _null_vectors, lags


def matrix(vectors, places, seed=1):
    """Numbers of four to six digits without any relation."""
    return np.random.default_rng(seed).integers(1_000, 1_000_000, (vectors, places)).astype(float)


def found(values, present=None, totals=()) -> list[Equation]:
    return Equations(values, np.ones(values.shape, dtype=bool) if present is None else present, totals).all()


def chance(ways, places):
    """The chance by the largest term of each place but the largest place."""
    digits = sum(math.log10(1 + size) for size in sorted(set(places))[:-1])
    return ways * 10.0**-digits


# family, vectors, places, total, parts, ways
FAMILIES = [
    ("total", 4, 3, 3, [0, 1, 2], 1e-9),
    ("sum of the others", 5, 3, 1, [0, 2, 3, 4], 5),
    ("sum of the others", 2, 3, 0, [1], None),
    ("sum of neighbors", 6, 3, 2, [3, 4], 18),
    ("sum of neighbors", 6, 3, 4, [3, 5], 18),
    ("sum of a run", 8, 3, 1, [2, 3, 4], 64),
    ("sum of a run", 8, 3, 6, [3, 4, 5], 64),
    ("sum of a run", 9, 3, 0, [4, 5, 6], 729),
    ("sum of a run", 12, 4, 11, [0, 2, 4, 6], 12**3),
    ("sum of a run", 18, 4, 17, [0, 5, 10, 15], 18**3),
    ("sum of a run", 26, 4, 25, [1, 7, 13, 19], 26**3),
    ("sum of a run", 170, 4, 110, [*range(40, 110)], 170**2),
    ("sum of a run", 170, 4, 9, [*range(10, 90)], 170**2),
    ("equal", 5, 3, 2, [3], 5),
    ("equal", 5, 3, 0, [3], 12.5),
    ("equal", 5, 3, 0, [4], 12.5),
    ("equal", 5, 3, 1, [4], 12.5),
    ("sum of two", 8, 3, 0, [3, 6], 256),
    ("sum of three", 9, 4, 0, [2, 3, 7], 9**4 / 6),
]


@pytest.mark.parametrize(("family", "vectors", "places", "total", "parts", "ways"), FAMILIES)
def test_each_family_is_found_with_its_chance(family, vectors, places, total, parts, ways):
    values = matrix(vectors, places)
    values[parts[0], 1] = 0 if len(parts) > 1 else values[parts[0], 1]
    values[total] = values[parts].sum(axis=0)
    (equation,) = found(values, totals=[total] if family == "total" else ())
    if ways is None:  # of two vectors that are equal, neither is a sum
        family, ways = "equal", 2
    assert equation.family == family
    assert dict(equation.coefficients) in ({total: 1} | dict.fromkeys(parts, -1), {total: -1} | dict.fromkeys(parts, 1))
    assert equation.confirmed == places
    assert equation.chance == pytest.approx(chance(ways, values[[total, *parts]].max(axis=0)), rel=1e-9, abs=0)


def test_a_long_run_of_gains_and_losses():
    values = matrix(170, 4)
    values[75:110] = -values[40:75] + matrix(35, 4, seed=2) // 1000  # the sum rises above every number and comes back
    values[110] = values[40:110].sum(axis=0)
    (equation,) = found(values)
    assert (equation.family, len(equation.coefficients), equation.confirmed) == ("sum of a run", 71, 4)


def test_a_number_that_is_shown_denies_a_sum_and_one_that_is_hidden_does_not():
    values = matrix(5, 3)
    values[4] = values[:4].sum(axis=0)
    assert [item.family for item in found(values)] == ["sum of the others"]
    hidden, more, less = values.copy(), values.copy(), values.copy()
    hidden[1, 2] = np.nan
    assert [(item.family, item.confirmed) for item in found(hidden)] == [("sum of the others", 2)]
    more[4, 2] += 1
    less[4, 2] -= 1
    assert found(more) == found(less) == []
    less[1, 2] = np.nan  # the others may add up to more than the total, which no hidden part mends
    less[4, 2] = values[[0, 2, 3], 2].sum() - 1
    assert found(less) == []


def test_vectors_of_zeros_hide_no_sum_of_three():
    values = np.vstack([np.zeros((8, 4)), matrix(9, 4)])
    values[8] = values[10] + values[11] + values[15]
    (equation,) = found(values)
    assert dict(equation.coefficients) in ({8: 1, 10: -1, 11: -1, 15: -1}, {8: -1, 10: 1, 11: 1, 15: 1})


def test_two_sums_of_two_that_lie_next_to_each_other():
    values = matrix(8, 4)
    values[7] = values[2] + values[3] - values[5]
    (equation,) = found(values)
    assert equation.family == "two sums of two"
    assert {at for at, sign in equation.coefficients if sign == equation.coefficients[0][1]} == {2, 3}


def shown_less_and_less(levels, in_a_level):
    """30 vectors of 30 places, one of them 2a + 3b, and further ones of which each level hides one place more."""
    values = matrix(30 + levels * in_a_level, 30)
    values[17] = 2 * values[3] + 3 * values[21]
    for level in range(levels):
        first = 30 + level * in_a_level
        values[first : first + in_a_level, : level + 1] = np.nan
    return values


@pytest.mark.parametrize(("levels", "in_a_level", "many"), [(15, 2, 1), (19, 1, 1), (20, 1, 0)])
def test_elimination_takes_the_twenty_largest_sets_of_vectors(levels, in_a_level, many):
    """Only the vectors that are shown whole have a place more than they need: each level has a set more."""
    assert len(found(shown_less_and_less(levels, in_a_level))) == many


def test_elimination_needs_a_place_that_confirms():
    """Any two places allow a - b + c = 0 of (1, 2), (3, 5) and (2, 3); a third place confirms it."""
    block = np.array([[1, 2, 4], [3, 5, 5], [2, 3, 1]], dtype=float)
    assert list(_null_vectors(block[:, :2])) == []
    assert list(_null_vectors(block)) == [{2: 1, 0: 1, 1: -1}]


def test_two_sums_of_two():
    values = matrix(8, 4)
    values[6] = values[0] + values[3] - values[2]
    values[:, 1] = np.abs(values[:, 1])
    (equation,) = found(values)
    assert (equation.family, {frozenset(at for at, sign in equation.coefficients if sign == up) for up in (1, -1)}) == (
        "two sums of two",
        {frozenset({0, 3}), frozenset({2, 6})},
    )
    assert equation.chance == pytest.approx(chance(8**4 / 8, np.abs(values[[0, 2, 3, 6]]).max(axis=0)), rel=1e-9, abs=0)


@pytest.mark.parametrize("places", [3, 6])
def test_small_multiples_by_elimination(places):
    """Three places are the fewest that confirm one vector as a sum of multiples of two others."""
    values = matrix(4, places)[: 3 if places == 3 else 4]
    values[2] = 3 * values[0] - 2 * values[1] + 3e6 * 0
    (equation,) = found(values)
    assert equation.family == "equation"
    assert dict(equation.coefficients) in ({0: 3, 1: -2, 2: -1}, {0: -3, 1: 2, 2: 1})
    terms = np.abs(np.array([[3], [2], [1]]) * values[:3]).max(axis=0)
    assert equation.chance == pytest.approx(chance((4 * len(values)) ** 3, terms), rel=1e-9, abs=0)
    assert found(values[:, :2]) == []


def test_an_equation_of_the_vectors_that_are_shown_whole():
    """The others have so many holes that no place shows all vectors, whichever of them are taken."""
    values = matrix(28, 6)
    values[2] = 3 * values[0] - 2 * values[1]
    values[3:, :4] = np.nan
    (equation,) = found(values)
    assert sorted(at for at, _ in equation.coefficients) == [0, 1, 2]


def test_fractions_and_large_multiples():
    values = matrix(3, 6)
    values[:2] = 12 * np.rint(values[:2] / 12)
    values[2] = values[0] * 5 / 12 + values[1] * 7 / 12
    (equation,) = found(values)
    assert sorted(abs(sign) for _, sign in equation.coefficients) == [5, 7, 12]
    values[2] = values[0] * 13 + values[1]
    assert found(values) == []


def test_what_follows_from_others_is_left_out():
    """Rows and their total, with the total again: three equations, of which any two give the third."""
    values = matrix(7, 5)
    values[3] = values[:3].sum(axis=0)
    values[6] = values[3] + values[5]
    equations = found(values)
    assert [len(item.coefficients) for item in equations] in ([4, 3], [3, 4])


def test_a_hole_takes_part_only_where_it_may_be_positive():
    """Of a = b + c with b hidden, a place where a is below c speaks against it."""
    values = matrix(6, 5)
    values[0] = values[3] + values[4]
    values[3, 0] = np.nan
    (equation,) = found(values)
    assert equation.confirmed == 4
    values[4, 0] = values[0, 0] + 1
    assert found(values) == []


def test_a_sum_of_a_run_where_a_part_is_absent():
    """A vector without a number in a place adds nothing there."""
    values, present = matrix(7, 5), np.ones((7, 5), dtype=bool)
    present[3, 0] = False
    values[3, 0] = np.nan
    values[1] = np.nansum(values[2:5], axis=0)
    equations = found(values, present)
    assert [dict(item.coefficients) for item in equations if item.partial] == [{1: 1, 2: -1, 3: -1, 4: -1}]


def test_one_place_needs_more_digits():
    """Three neighbors of nine: 27 ways, and six digits in the one place that shows them; three digits are chance."""
    for size, number in ((1_000_000, 1), (1_000, 0)):
        values = matrix(9, 2) * (size / 1_000_000)
        values = np.rint(values)
        values[4] = values[5] + values[3]
        values[4, 1] = np.nan
        assert len(found(values)) == number


@pytest.mark.parametrize("last", [0, 1])
def test_a_place_of_zeros_is_no_evidence_and_takes_none_away(last):
    """18 ways; the largest place is left out, and a place whose largest number is 1 has log10(2) digits."""
    values = matrix(6, 3)
    values[4] = values[3] + values[5]
    values[:, 1] = 0
    values[4, 1] = values[5, 1] = last
    (equation,) = found(values)
    digits = math.log10(1 + last) + math.log10(1 + min(values[4, 0], values[4, 2]))
    assert equation.chance == pytest.approx(18 * 10**-digits, rel=1e-9, abs=0)


@pytest.mark.parametrize("places", [1, 2])
def test_a_place_of_zeros_beside_one_or_two_places(places):
    """The largest place is left out only where there is another that is not empty."""
    values = np.column_stack([matrix(6, 2)[:, :places], np.zeros(6)])
    values[4] = values[3] + values[5]
    (equation,) = found(values)
    assert equation.chance == pytest.approx(18 / (1 + values[4, :places].min()), rel=1e-9, abs=0)


def test_alike_places_count_once():
    values = np.tile(matrix(6, 1), (1, 9)) / 1000
    values = np.rint(values)
    values[2] = values[3] + values[4]
    (equation,) = found(values)
    assert equation.chance == pytest.approx(18 * 10 ** -math.log10(1 + values[2, 0]), rel=1e-9, abs=0)


def series(length=7, seed=3):
    return np.random.default_rng(seed).integers(100, 10_000, length).astype(float)


def test_running_totals_and_their_chance():
    new = series()
    values = np.stack([new, np.cumsum(new)])[:, :, None]
    (lag,) = lags(values)
    assert (lag.total, lag.part, lag.window, lag.confirmed) == (1, 0, 0, 6)
    ways = 4 * (1 + sum(window < 7 for window in (2, 3, 4, 7, 14)))
    assert lag.chance == pytest.approx(ways * 10 ** -sum(math.log10(1 + size) for size in new[1:]), rel=1e-9, abs=0)


@pytest.mark.parametrize("window", [2, 3, 4])
def test_moving_sums_and_their_chance(window):
    new = series()
    sums = np.array([np.nan if at + 1 < window else new[at + 1 - window : at + 1].sum() for at in range(7)])
    (lag,) = lags(np.stack([new, sums])[:, :, None])
    assert (lag.total, lag.part, lag.window, lag.confirmed) == (1, 0, window, 8 - window)
    digits = sum(math.log10(1 + size) for size in sums[window - 1 :])
    assert lag.chance == pytest.approx(16 * 10**-digits, rel=1e-9, abs=0)


def test_one_place_makes_no_lag():
    assert lags(series(1)[None, :, None]) == []
    new = series(3)
    values = np.stack([new, np.cumsum(new)])[:, :, None]
    values[1, 2] = np.nan
    assert lags(values) == []  # one change alone confirms nothing


def test_a_difference_of_sums_of_two_needs_no_place_more_than_it_has_vectors():
    """Change = 2024 of both - 2023 of both, in four rows: 16 sums or differences of five, and eight digits."""
    before, after = matrix(2, 4, seed=5), matrix(2, 4, seed=6)
    values = np.vstack([before, after, after.sum(axis=0) - before.sum(axis=0)])
    (equation,) = found(values)
    assert dict(equation.coefficients) in [
        dict(enumerate(np.array(signs) * up)) for signs in [[1, 1, -1, -1, 1]] for up in (1, -1)
    ]
    assert equation.chance == pytest.approx(chance(16, np.abs(values).max(axis=0)), rel=1e-9, abs=0)
    assert found(np.vstack([before, after, matrix(1, 4, seed=7)])) == []
