"""All parts of a county at once, against each cell in each part by itself."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from placed_people import placed
from scipy import sparse
from scipy.stats import binom, hypergeom

from policy_sim.formulas.bins import occupied_bins, people_g_distinct
from policy_sim.formulas.counted_parts import Pairs, matched_trials, mean_over_counts
from policy_sim.formulas.county_parts import CountyParts
from policy_sim.formulas.groups import claims, g_distinct, g_distinct_sweep, total_risk
from policy_sim.formulas.parts import (
    PlacedCells,
    Places,
    claimed_wrongly_in_places,
    distinct_in_places,
    occupied_in_places,
)
from policy_sim.formulas.placed_groups import CountyPartGroups, PlacedGroups

PEOPLE, TIMES = np.array([1.0, 2, 7, 150, 4000]), np.array([5.0, 1, 2, 3, 1])
SHARES = np.array([0.5, 0.25, 0.2499, 0.0001])


def _one(people, times, bins, share, residents=np.inf):
    """One county by itself."""
    ends = (np.array([0, len(people)]), np.array([0, len(share)]))
    return CountyParts(float(bins), people, times, ends[0], share, ends[1], np.array([float(residents)]))


def distinct_in_parts(people, times, bins, share, sizes, coverage=1.0, residents=np.inf):
    return _one(people, times, bins, share, residents).distinct(sizes, np.array([coverage]))[0]


def claimed_in_parts(people, times, bins, share, coverage=1.0, residents=np.inf):
    county, listed = _one(people, times, bins, share, residents), np.array([coverage])
    return county.distinct(np.array([1]), listed).item() + county.claimed_wrongly(listed).item()


def occupied_in_parts(people, times, bins, share, coverage=1.0, residents=np.inf):
    county = _one(people, times, bins, share, residents)
    occupied = county.occupied(np.array([coverage])).item()
    by_part = next(county.occupied_by_part(np.array([coverage])))
    assert by_part.shape == (len(people), len(share))
    assert by_part.sum() == pytest.approx(occupied, rel=1e-12)
    return occupied


def _each(formula, *more):
    """A formula of one cell in one part, added up over cells and parts."""
    return (np.asarray(formula(PEOPLE[:, None], *more)) * TIMES[:, None]).sum()


@pytest.mark.parametrize("coverage", [1.0, 0.65, 0.01])
@pytest.mark.parametrize("bins", [1, 12, 365])
def test_each_cell_in_each_part_by_itself(bins, coverage):
    listed = SHARES * coverage
    ours = occupied_in_parts(PEOPLE, TIMES, bins, SHARES, coverage)
    assert ours == pytest.approx(_each(occupied_bins, bins, listed), rel=1e-12)
    sizes = np.array([1, 3, 10, 40])  # 40 goes another way
    for some in (sizes[:3], sizes):
        expected = [_each(people_g_distinct, bins, size, listed) for size in some]
        np.testing.assert_allclose(distinct_in_parts(PEOPLE, TIMES, bins, SHARES, some, coverage), expected, rtol=1e-11)
    ours = claimed_in_parts(PEOPLE, TIMES, bins, SHARES, coverage)
    x = listed / bins  # nobody else is listed in the bin, or one of the others is and the person is not
    claimed = (
        PEOPLE[:, None]
        * (1 - x) ** (PEOPLE[:, None] - 2.0)
        * (listed * (1 - x) + (SHARES - listed) * (PEOPLE[:, None] - 1) * x)
    )
    assert ours == pytest.approx((claimed * TIMES[:, None]).sum(), rel=1e-12)


def test_a_county_of_one_part_with_one_value():
    """Everyone is in the one bin: cells of 1 and 2 people are whole, those of 7 and more are not."""
    whole = np.ones(1)
    assert occupied_in_parts(PEOPLE, TIMES, 1.0, whole) == TIMES.sum()
    assert distinct_in_parts(PEOPLE, TIMES, 1.0, whole, np.array([1, 2, 7])).tolist() == [5, 7, 21]
    assert claimed_in_parts(PEOPLE, TIMES, 1.0, whole) == 5


def test_a_crowd_underflows_to_nobody_alone():
    found = distinct_in_parts(np.array([1e6]), np.ones(1), 1.0, np.array([0.5]), np.array([1, 20]))
    assert found.tolist() == [0, 0]


@pytest.mark.parametrize("coverage", [1.0, 0.65])
@pytest.mark.parametrize("bins", [1, 12, 365])
def test_with_as_many_in_each_part_as_were_counted_it_is_a_place_of_one_county(bins, coverage):
    """The same people as one county of places: to second order in 1/M, where both differ by design."""
    residents, sizes = 60_000.0, np.array([1, 3, 5])
    shares = np.array([0.7, 0.2, 0.08, 0.02])
    people, times = np.array([1.0, 30, 90]), np.array([4.0, 2, 1])
    places = Places(sparse.csr_array(shares[:, None]), np.array([residents]))
    cells = np.repeat(people, times.astype(int))[None]
    facts = (people, times, bins, shares)
    np.testing.assert_allclose(
        occupied_in_parts(*facts, coverage, residents),
        occupied_in_places(PlacedCells(places, cells, bins, coverage)).sum(),
        rtol=1e-6,
    )
    ours = distinct_in_parts(*facts, sizes, coverage, residents)
    np.testing.assert_allclose(
        ours, distinct_in_places(PlacedCells(places, cells, bins, coverage), 5).sum(axis=1)[sizes - 1], rtol=1e-6
    )
    large = distinct_in_parts(*facts, np.array([1, 3, 5, 33]), coverage, residents)[:3]
    np.testing.assert_allclose(ours, large, rtol=1e-11)
    right = distinct_in_places(PlacedCells(places, cells, bins, coverage), 1).sum(axis=1)[0]
    claimed = right + claimed_wrongly_in_places(PlacedCells(places, cells, bins, coverage)).sum()
    assert claimed_in_parts(*facts, coverage, residents) == pytest.approx(claimed, rel=1e-6)


def test_two_people_of_a_county_of_twenty_by_hand():
    """Two parts of ten: together with chance 9/19, so that 29/19 parts have one of the two on average."""
    facts = (np.array([2.0]), np.ones(1), 1.0, np.array([0.5, 0.5]))
    assert occupied_in_parts(*facts, 1.0, 20.0) == pytest.approx(29 / 19, abs=0.002)
    assert distinct_in_parts(*facts, np.array([1]), 1.0, 20.0).item() == pytest.approx(20 / 19, abs=0.003)
    # a cell of more than a tenth: of the ten, two parts of five hold both with chance 4/9
    assert occupied_in_parts(*facts, 1.0, 10.0) == pytest.approx(14 / 9, rel=1e-14)
    assert distinct_in_parts(*facts, np.array([1]), 1.0, 10.0).item() == pytest.approx(10 / 9, rel=1e-14)


def test_counties_are_measured_by_themselves():
    """Two counties at once, one of them without people of this kind, are each what it is alone."""
    people, times = np.array([3.0, 7.0]), np.array([2.0, 1.0])
    shares, residents = np.array([0.25, 0.75, 1.0, 0.5, 0.5]), np.array([100.0, 200.0, 300.0])
    coverage = np.array([0.5, 1.0, 0.9])
    both = CountyParts(12.0, people, times, np.array([0, 1, 1, 2]), shares, np.array([0, 2, 3, 5]), residents)
    first = _one(people[:1], times[:1], 12, shares[:2], 100)
    last = _one(people[1:], times[1:], 12, shares[3:], 300)
    for figures in (
        CountyParts.occupied,
        CountyParts.claimed_wrongly,
        lambda county, listed: county.distinct(np.array([2]), listed)[:, 0],
        lambda county, listed: county.distinct(np.array([40]), listed)[:, 0],
    ):
        alone = [figures(first, coverage[:1]).item(), 0.0, figures(last, coverage[2:]).item()]
        assert figures(both, coverage).tolist() == pytest.approx(alone, rel=1e-12)


def test_bins_by_part_are_those_of_each_county():
    """Of two counties; the second has ten people in two parts, and there a cell of two is a large one."""
    cells, parts, shares = np.array([0, 1, 3]), np.array([0, 2, 4]), np.full(4, 0.5)
    both = CountyParts(1.0, np.array([3.0, 1, 2]), np.ones(3), cells, shares, parts, np.array([60.0, 10.0]))
    first, second = both.occupied_by_part(np.ones(2))
    assert second.sum(axis=1).tolist() == pytest.approx([1, 14 / 9], rel=1e-14)
    assert both.occupied(np.ones(2)).tolist() == pytest.approx([first.sum(), second.sum()], rel=1e-14)


# Cells that are a large part of their county, in parts of which the people are counted: every case, and by hand.


SIZES = (1, 2, 3, 40)


def _every_case(people: list[int], parts: list[int], bins: int, coverage: float) -> np.ndarray:
    """Occupied bins, people in bins of SIZES or fewer, and wrong claims, over every way to fill the parts of a county.

    The first ``people[0]`` residents are of one cell, the next of another; each part takes as many as were counted.
    """
    cell = np.repeat(np.arange(len(people)), people)
    residents, first = frozenset(range(sum(people))), parts[0]
    figures, ways = np.zeros(2 + len(SIZES)), 0
    for inside in combinations(residents, first):
        ways += 1
        for part in (inside, tuple(residents - set(inside))):
            for kind in range(len(people)):
                figures += _of_group(sum(cell[one] == kind for one in part), bins, coverage)
    return figures / ways


def _of_group(m: int, bins: int, coverage: float) -> np.ndarray:
    """The same of ``m`` people who fall into bins one by one."""
    sizes = np.arange(m + 1)
    chance = binom.pmf(sizes, m, coverage / bins)
    people = [bins * (chance * sizes)[sizes <= size].sum() for size in SIZES]
    others = binom.pmf(1, m - 1, coverage / bins) if m > 1 else 0.0
    return np.array([bins * (1 - chance[0]), *people, m * (1 - coverage) * others])


def _measured(groups, coverage: float) -> np.ndarray:
    wrong = claims(groups, coverage) - g_distinct(groups, [1], coverage)[:, 0]
    return np.concatenate([total_risk(groups, coverage), g_distinct(groups, SIZES, coverage)[0], wrong])


def _county(kind, people: list[int], parts: list[int], bins: int = 1):
    return placed(kind, people, np.array(parts) / sum(parts), bins=bins, residents=sum(people))


@pytest.mark.parametrize("coverage", [1.0, 0.6, 0.0])
@pytest.mark.parametrize("bins", [1, 3])
@pytest.mark.parametrize(("people", "parts"), [([8], [1, 7]), ([5, 3], [2, 6]), ([4, 4], [3, 5]), ([7, 2], [8, 1])])
@pytest.mark.parametrize("kind", [CountyPartGroups, PlacedGroups])
def test_every_way_to_fill_the_parts(kind, people, parts, bins, coverage):
    ours = _measured(_county(kind, people, parts, bins), coverage)
    np.testing.assert_allclose(ours, _every_case(people, parts, bins, coverage), rtol=1e-11, atol=1e-13)


def test_a_key_that_shows_the_place_alone_finds_as_many_as_were_counted():
    county = _county(CountyPartGroups, [10_000], [1, 2, 3, 9_994])
    assert total_risk(county).item() == pytest.approx(4.0, rel=1e-14)
    assert g_distinct(county, [1, 2, 3]).ravel() == pytest.approx([1.0, 3.0, 6.0], rel=1e-14)


def test_large_cells_of_two_counties_meet_in_one_place():
    """A place of 3 of 9 people, 6 of them women, and of 4 of 10, 5 of them women, listed with chance 0.7."""
    share = sparse.csr_array([[3 / 9, 4 / 10]])
    places, women = Places(share, np.array([9.0, 10.0])), np.array([[6.0], [5.0]])
    m = np.arange(8)
    held = np.convolve(hypergeom.pmf(np.arange(4), 9, 6, 3), hypergeom.pmf(np.arange(5), 10, 5, 4))
    listed = np.array([binom.pmf(np.arange(8), each, 0.7) for each in m])
    chance = held @ listed
    assert occupied_in_places(PlacedCells(places, women, 1.0, 0.7)).item() == pytest.approx(1 - chance[0], rel=1e-13)
    ours = distinct_in_places(PlacedCells(places, women, 1.0, 0.7), 7).sum(axis=1)
    np.testing.assert_allclose(ours, np.cumsum(chance * np.arange(8))[1:], rtol=1e-12)
    wrong = (held * m * (m - 1) * 0.3 * 0.7 * 0.3 ** np.maximum(m - 2, 0)).sum()
    assert claimed_wrongly_in_places(PlacedCells(places, women, 1.0, 0.7)).sum() == pytest.approx(wrong, rel=1e-12)


def test_small_and_large_cells_and_a_whole_county_in_one_place():
    """A place holds a county of 3 people, 40 of 1,000, of whom 900 are of the cell, and 30 of 1,000, of whom 50 are."""
    share = sparse.csr_array([[1.0, 0.04, 0.03]])
    places, people = Places(share, np.array([3.0, 1000.0, 1000.0])), np.array([[3.0], [900.0], [50.0]])
    c = 0.1
    large = np.array(
        [(hypergeom.pmf(np.arange(41), 1000, 900, 40) * binom.pmf(i, np.arange(41), c)).sum() for i in range(6)]
    )
    small = np.array(
        [(hypergeom.pmf(np.arange(31), 1000, 50, 30) * binom.pmf(i, np.arange(31), c)).sum() for i in range(6)]
    )
    chance = np.convolve(np.convolve(large, small)[:6], binom.pmf(np.arange(4), 3, c))[:6]
    ours = distinct_in_places(PlacedCells(places, people, 1.0, c), 5).sum(axis=1)
    # the small cell has one term of the hypergeometric
    np.testing.assert_allclose(ours, np.cumsum(chance * np.arange(6))[1:], rtol=1e-5)


@pytest.mark.parametrize("kind", [CountyPartGroups, PlacedGroups])
def test_the_curve_is_every_single_g(kind):
    """Beyond 32 people a bin the binomial most like the large cell stands in: it is off by less than 1 in 1,000."""
    county = _county(kind, [5_000, 3_000], [60, 140, 7_800])
    curve = g_distinct_sweep(county, 200, 0.8)
    sizes = [1, 5, 32, 40, 60, 90, 120, 200]
    np.testing.assert_allclose(curve[:, np.array(sizes) - 1], g_distinct(county, sizes, 0.8), rtol=1e-3)
    everyone = _county(kind, [8_000], [60, 140, 7_800])
    exact = g_distinct(everyone, sizes, 0.8)
    np.testing.assert_allclose(g_distinct_sweep(everyone, 200, 0.8)[:, np.array(sizes) - 1], exact, rtol=1e-9)


def test_counted_parts_nobody_is_lost():
    county = _county(CountyPartGroups, [700, 250, 50], [3, 17, 180, 800])
    assert g_distinct(county, [1000], 0.6).item() == pytest.approx(600, rel=1e-12)


def test_a_part_that_is_not_of_whole_people_keeps_its_mean():
    pair = np.array([6.0]), np.array([10.0]), np.array([0.25])
    mean = mean_over_counts(Pairs(*pair), lambda m, hit: iter([m]), most=9, crowded=[0.0])
    assert mean.item() == pytest.approx(1.5, rel=1e-14)


def test_chances_are_those_of_scipy():
    """A county of ten million, of which a cell has half and a part 20,000."""
    pair = np.array([5e6]), np.array([1e7]), np.array([0.002])
    hit = 0.002
    ours = mean_over_counts(Pairs(*pair, 1.0, hit), lambda m, hit: iter([(1 - hit) ** m]), most=0, crowded=[0.0]).item()
    m = np.arange(9_000, 11_001)
    truth = (hypergeom.pmf(m, 10**7, 5 * 10**6, 20_000) * (1 - hit) ** m).sum()
    assert ours == pytest.approx(truth, rel=1e-7)  # scipy's own digits
    assert ours == pytest.approx(binom.pmf(0, 20_000, hit / 2), rel=1e-2)


def test_the_binomial_most_like_it():
    people, residents, share = np.array([600.0]), np.array([1000.0]), np.array([0.1])
    chance, trials = matched_trials(Pairs(people, residents, share, 1.0, 0.5))
    drawn = hypergeom(1000, 600, 100)
    assert chance * trials == pytest.approx(drawn.mean() * 0.5)
    variance = drawn.var() * 0.25 + drawn.mean() * 0.25
    assert (chance * trials * (1 - chance)).item() == pytest.approx(variance, rel=0.01)
    everyone = matched_trials(Pairs(residents, residents, share, 1.0, 0.5))
    assert [each.item() for each in everyone] == [0.5, 100.0]
