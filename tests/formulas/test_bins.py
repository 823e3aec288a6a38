from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy_sim.formulas.bins import (
    bins_of_size,
    bins_up_to,
    claimed_records,
    occupied_bins,
    occupied_uneven_bins,
    people_by_bin_size,
    people_g_distinct,
    people_g_distinct_uneven,
)
from policy_sim.words.errors import InputError

SMALL = [(1, 1), (3, 1), (1, 4), (2, 2), (4, 3), (5, 4), (3, 5), (6, 3)]
# Where the digits go missing: few of many, many of few, fractional bins, bins just above 1.
CORNERS = [
    (2, 1e7),
    (7, 365.0),
    (200, 365.0),
    (50, 1.0000001),
    (1000, 1.5),
    (12345, 365.25),
    (10**6, 365.25),
    (10**6, 1e7),
    (10**7, 7.0),
    (10**9, 2.0),
    (10**9, 3.0),
    (10**9, 1825.0),
    (10**9, 1e7 - 0.3),
    (10**9, 1e7),
]
LIMIT = 1e-12  # relative; what the project promises

people_and_bins = st.tuples(
    st.integers(0, 3000), st.one_of(st.integers(1, 2000), st.floats(1, 1e7, allow_nan=False)).map(float)
)


def sizes_around(people: int, bins: float) -> list[int]:
    """Sizes from the far lower tail to the far upper tail, within what a float64 can hold."""
    mean = people / bins
    scatter = max(1.0, (mean * (1 - 1 / bins)) ** 0.5)
    around = (int(mean + z * scatter) for z in (-36, -20, -8, -3, -1, -0.2, 0, 0.5, 1, 3, 8, 20, 36))
    return sorted({1, 2, people} | {size for size in around if 1 <= size <= people})


def assert_digits(ours, reference, limit=LIMIT):
    assert np.isfinite(ours)
    if abs(reference) > 1e-306:
        assert abs(float(ours) - reference) <= limit * abs(reference)
    else:
        assert ours < 1e-305


def test_worked_example_counts_people():
    """200 people and 365 days: Benitez and Malin 2010, Methods, print 115.86 unique and 199.95 5-distinct."""
    assert round(float(people_g_distinct(200, 365, 1)), 2) == 115.86
    assert round(float(people_g_distinct(200, 365, 5)), 2) == 199.95
    # their equation 2 as printed lacks the weight i: it gives bins, not people
    assert round(float(bins_up_to(200, 365, 5)), 2) == 154.13
    assert round(float(occupied_bins(200, 365)), 2) == 154.14


@pytest.mark.parametrize(("people", "bins"), SMALL)
def test_matches_every_throw_counted(people, bins, throws):
    counted = throws(people, bins)
    sizes = np.arange(people + 1)
    of_size = [sum(t.count(i) for t in counted) / len(counted) for i in sizes[1:]]
    occupied = sum(len(t) for t in counted) / len(counted)
    np.testing.assert_allclose(bins_of_size(people, bins, sizes), [bins - occupied, *of_size], atol=1e-14)
    np.testing.assert_allclose(occupied_bins(people, bins), occupied, rtol=1e-14)
    for g in sizes[1:]:
        within = sum(i for t in counted for i in t if i <= g) / len(counted)
        np.testing.assert_allclose(people_g_distinct(people, bins, g), within, rtol=1e-14, atol=1e-15)
        fewer = sum(1 for t in counted for i in t if i <= g) / len(counted)
        np.testing.assert_allclose(bins_up_to(people, bins, g), fewer, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize(("people", "bins"), [(3, 2), (4, 3), (5, 1)])
@pytest.mark.parametrize("coverage", [0.25, 0.5, 0.9])
def test_coverage_matches_every_list_drawn(people, bins, coverage, throws):
    """A listed crowd of m is drawn with its binomial chance, then thrown."""
    from math import comb

    chance = [comb(people, m) * coverage**m * (1 - coverage) ** (people - m) for m in range(people + 1)]
    filled = sum(p * float(occupied_bins(m, bins)) for m, p in enumerate(chance))
    np.testing.assert_allclose(occupied_bins(people, bins, coverage), filled, rtol=1e-14)
    for g in range(1, people + 1):
        within = sum(p * float(people_g_distinct(m, bins, g)) for m, p in enumerate(chance))
        np.testing.assert_allclose(people_g_distinct(people, bins, g, coverage), within, rtol=1e-14)


@pytest.mark.parametrize(("people", "bins"), CORNERS)
def test_every_figure_of_a_size_keeps_twelve_digits(people, bins, exact):
    sizes, law, others = sizes_around(people, bins), exact(people, bins), exact(people - 1, bins)
    for size, ours in zip([0, *sizes], bins_of_size(people, bins, [0, *sizes]), strict=True):
        assert_digits(ours, bins * law.mass(size))
    some = sizes[:: 3 if people > 10**8 else 1]
    for g, ours in zip(some, people_g_distinct(people, bins, some), strict=True):
        assert_digits(ours, people * others.upto(g - 1))
    few = sizes if people < 10**9 else []
    for g, ours in zip(few, bins_up_to(people, bins, few), strict=True):
        assert_digits(ours, bins * (law.upto(g) - law.mass(0)))


@pytest.mark.parametrize(("people", "bins"), CORNERS)
@pytest.mark.parametrize("coverage", [1.0, 0.999999, 0.75, 1 / 3, 0.001])
def test_occupied_bins_keeps_twelve_digits(people, bins, coverage, exact):
    assert_digits(occupied_bins(people, bins, coverage), bins * (1 - exact(people, bins, coverage).q ** people))


@pytest.mark.slow
@pytest.mark.parametrize(("people", "bins"), [(7, 1.0), (200, 365.0), (10**6, 12.0), (10**9, 1.9), (10**9, 1825.0)])
@pytest.mark.parametrize("coverage", [0.999999, 0.84, 0.001])
def test_covered_g_distinct_keeps_twelve_digits(people, bins, coverage, exact):
    sizes = sizes_around(people, bins / coverage)[::2]
    for g, ours in zip(sizes, people_g_distinct(people, bins, sizes, coverage), strict=True):
        assert_digits(ours, people * coverage * exact(people - 1, bins, coverage).upto(g - 1))


@pytest.mark.slow
@given(people_and_bins)
def test_nobody_is_lost_over_all_sizes(group):
    people, bins = group
    sizes = np.arange(people + 1)
    of_size = bins_of_size(people, bins, sizes)
    np.testing.assert_allclose(of_size.sum(), bins, rtol=1e-12)
    np.testing.assert_allclose(sizes @ of_size, people, rtol=1e-12)
    np.testing.assert_allclose(of_size[1:].sum(), occupied_bins(people, bins), rtol=1e-12)


@given(people_and_bins, st.floats(0, 1))
def test_g_distinct_grows_from_nobody_to_everyone(group, coverage):
    people, bins = group
    g = np.unique(np.geomspace(1, people + 1, 40).astype(int))
    within = people_g_distinct(people, bins, g, coverage)
    assert (within >= 0).all()
    # the last digit may fall where two values of g are told apart by less than that
    assert (np.diff(within) >= -1e-12 * people).all()
    assert within[-1] == people * coverage


@given(people_and_bins, st.floats(0, 1))
def test_one_match_a_bin_and_one_a_person_at_most(group, coverage):
    people, bins = group
    risk = float(occupied_bins(people, bins, coverage))
    assert 0 <= risk <= min(people * coverage, bins)
    # a unique person is always matched
    assert risk >= float(people_g_distinct(people, bins, 1, coverage)) * (1 - 1e-12) - 1e-300


def test_one_bin_is_exact():
    people = np.array([0, 1, 2, 7, 10**9])
    np.testing.assert_array_equal(occupied_bins(people, 1), [0, 1, 1, 1, 1])
    np.testing.assert_array_equal(people_g_distinct(people, 1, 2), [0, 1, 2, 0, 0])
    np.testing.assert_array_equal(people_g_distinct(people, 1, 10**9), people)
    np.testing.assert_array_equal(bins_up_to(people, 1, 7), [0, 1, 1, 1, 0])
    np.testing.assert_array_equal(bins_of_size(7, 1, [0, 1, 6, 7, 8]), [0, 0, 0, 1, 0])


def test_nobody_and_nobody_listed_give_nothing():
    bins = np.array([1, 365, 365.25, 1e7])
    for people, coverage in ((0, 1.0), (0, 0.5), (5, 0.0)):
        assert not occupied_bins(people, bins, coverage).any()
        assert not people_g_distinct(people, bins, 3, coverage).any()
    assert not bins_up_to(0, bins, 3).any()
    np.testing.assert_array_equal(bins_of_size(0, bins, 0), bins)


def test_arguments_broadcast():
    people, g = np.array([[3], [200]]), np.array([1, 2, 5])
    table = people_g_distinct(people, 365, g)
    assert table.shape == (2, 3)
    assert table[1, 2] == people_g_distinct(200, 365, 5)
    assert people_g_distinct([], 365, 5).shape == (0,)


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda: occupied_bins(-3, 365), "people = -3 must be a whole number of 0 or more."),
        (lambda: occupied_bins(3, 0.5), "bins = 0.5 must be a number of 1 or more."),
        (lambda: occupied_bins(3, 2, 1.5), "coverage = 1.5 must be a share from 0 to 1."),
        (lambda: people_g_distinct(3, 2, 0), "g = 0 must be a whole number of 1 or more."),
        (lambda: bins_up_to(3, 2, 0), "g = 0 must be a whole number of 1 or more."),
        (lambda: bins_of_size(3, 2, -1), "size = -1 must be a whole number of 0 or more."),
        (lambda: claimed_records(3, 2, 1.5), "coverage = 1.5 must be a share from 0 to 1."),
        (lambda: people_by_bin_size([3], [2], 0), "g_max = 0 must be a whole number of 1 or more."),
    ],
)
def test_bad_input_is_one_clear_line(call, line):
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value) == line


def test_precision_of_a_group_has_a_closed_form():
    n, b, c = 150, 365, 0.65
    claims, correct = claimed_records(n, b, c).item(), people_g_distinct(n, b, 1, c).item()
    assert correct / claims == pytest.approx(1 / (1 + (1 - c) * (n - 1) / (b - c)), rel=1e-12)
    # a simulation of this group gave 85.56, 74.75 and 0.8737
    assert (round(claims, 2), round(correct, 2), round(correct / claims, 4)) == (85.46, 74.76, 0.8748)


# Below this the last terms of a running sum are not normal numbers any more.
NORMAL = 1e-290


def test_by_hand():
    """Three people in 2 bins: 2 throws of 8 keep all together, 6 leave one alone and two together."""
    sizes = people_by_bin_size([3, 0, 1], [2, 2, 365], 4).toarray()
    np.testing.assert_allclose(sizes, [[0.75, 1.5, 0.75, 0], [0, 0, 0, 0], [1, 0, 0, 0]], rtol=1e-15)


@pytest.mark.parametrize("coverage", [1.0, 0.75, 0.01])
@pytest.mark.parametrize(
    ("people", "bins"),
    [(2, 1e7), (7, 3), (200, 365), (5000, 1.5), (900, 1), (10**5, 365.25), (10**6, 365.0), (10**9, 1e7)],
)
def test_running_sum_is_g_distinct(people, bins, coverage):
    top = 6000
    swept = np.cumsum(people_by_bin_size(people, bins, top, coverage).toarray())
    direct = people_g_distinct(people, bins, np.arange(1, top + 1), coverage)
    np.testing.assert_allclose(swept, direct, rtol=1e-11, atol=NORMAL)


@given(
    st.lists(st.tuples(st.integers(0, 800), st.sampled_from([1.0, 1.1, 2.0, 12.0, 365.25, 1e6])), max_size=6),
    st.floats(0, 1),
)
def test_everyone_listed_is_in_some_bin(groups, coverage):
    people, bins = (np.array([group[i] for group in groups], dtype=float) for i in (0, 1))
    total = people_by_bin_size(people, bins, 801, coverage).sum(axis=1)
    np.testing.assert_allclose(total, people * coverage, rtol=1e-12)


@pytest.mark.parametrize("people", [1, 2, 3, 5])
@pytest.mark.parametrize("shares", [(1.0,), (0.75, 0.25), (0.5, 0.3, 0.2)])
def test_uneven_matches_every_throw_counted(people, shares):
    occupied, within = 0.0, dict.fromkeys((1, 2, 3), 0.0)
    for throw in product(range(len(shares)), repeat=people):
        chance = float(np.prod([shares[d] for d in throw]))
        sizes = np.bincount(throw, minlength=len(shares))
        occupied += chance * np.count_nonzero(sizes)
        for g in within:
            within[g] += chance * sizes[sizes <= g].sum()
    assert occupied_uneven_bins(people, shares).item() == pytest.approx(occupied, rel=1e-13)
    for g, expected in within.items():
        assert people_g_distinct_uneven(people, shares, g).item() == pytest.approx(expected, rel=1e-13, abs=1e-15)


def test_equal_shares_are_equally_likely_bins():
    people, shares = np.array([0, 1, 30, 200, 5000, 10**6]), np.full(365, 1 / 365)
    np.testing.assert_allclose(occupied_uneven_bins(people, shares), occupied_bins(people, 365), rtol=1e-12)
    for g in (1, 5):
        ours, even = people_g_distinct_uneven(people, shares, g), people_g_distinct(people, 365, g)
        np.testing.assert_allclose(ours, even, rtol=1e-10, atol=1e-300)


@pytest.mark.parametrize(("shares", "words"), [([0.5, 0.4], "add up to 0.9"), ([1.0, 0.0], "above 0"), ([], "above 0")])
def test_shares_that_are_none_are_refused(shares, words):
    with pytest.raises(InputError, match=words):
        occupied_uneven_bins(3, shares)
