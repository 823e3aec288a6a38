"""All parts of a county at once, against each cell in each part by itself."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from policy_sim.formulas.bins import SMALL_G, occupied_bins, people_g_distinct
from policy_sim.formulas.county_parts import CountyParts
from policy_sim.formulas.parts import (
    PlacedCells,
    claimed_wrongly_in_places,
    distinct_in_places,
    occupied_in_places,
)

PEOPLE, TIMES = np.array([1.0, 2, 7, 150, 4000]), np.array([5.0, 1, 2, 3, 1])
SHARES = np.array([0.5, 0.25, 0.2499, 0.0001])


def _one(people, times, bins, share, coverage=1.0):
    """One county by itself."""
    ends = (np.array([0, len(people)]), np.array([0, len(share)]))
    return CountyParts(float(bins), people, times, ends[0], share, ends[1], np.array([coverage]))


def distinct_in_parts(people, times, bins, share, sizes, coverage=1.0):
    county = _one(people, times, bins, share, coverage)
    if sizes.max() > SMALL_G:
        return county.distinct(sizes)[0]
    return np.cumsum(county.figures(int(sizes.max())).by_size[:, 0])[sizes - 1]


def claimed_in_parts(people, times, bins, share, coverage=1.0):
    figures = _one(people, times, bins, share, coverage).figures(1)
    return figures.by_size.item() + (1 - coverage) * figures.beside_one.item()


def occupied_in_parts(people, times, bins, share, coverage=1.0):
    county = _one(people, times, bins, share, coverage)
    occupied = county.figures(0).total.item()
    by_part = next(county.occupied_by_part())
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
def test_it_is_a_place_of_one_county(bins, coverage):
    """The same people as one county of places."""
    sizes = np.array([1, 3, 5])
    shares = np.array([0.7, 0.2, 0.08, 0.02])
    people, times = np.array([1.0, 30, 90]), np.array([4.0, 2, 1])
    places = sparse.csr_array(shares[:, None])
    cells = np.repeat(people, times.astype(int))[None]
    facts = (people, times, bins, shares)
    np.testing.assert_allclose(
        occupied_in_parts(*facts, coverage),
        occupied_in_places(PlacedCells(places, cells, bins, coverage)).sum(),
        rtol=1e-11,
    )
    ours = distinct_in_parts(*facts, sizes, coverage)
    np.testing.assert_allclose(
        ours, distinct_in_places(PlacedCells(places, cells, bins, coverage), 5).sum(axis=1)[sizes - 1], rtol=1e-11
    )
    large = distinct_in_parts(*facts, np.array([1, 3, 5, 33]), coverage)[:3]
    np.testing.assert_allclose(ours, large, rtol=1e-11)
    right = distinct_in_places(PlacedCells(places, cells, bins, coverage), 1).sum(axis=1)[0]
    claimed = right + claimed_wrongly_in_places(PlacedCells(places, cells, bins, coverage)).sum()
    assert claimed_in_parts(*facts, coverage) == pytest.approx(claimed, rel=1e-11)


def test_counties_are_measured_by_themselves():
    """Two counties at once, one of them without people of this kind, are each what it is alone."""
    people, times = np.array([3.0, 7.0]), np.array([2.0, 1.0])
    shares = np.array([0.25, 0.75, 1.0, 0.5, 0.5])
    ends = np.array([0, 1, 1, 2]), np.array([0, 2, 3, 5])
    both = CountyParts(12.0, people, times, ends[0], shares, ends[1], np.array([0.5, 1.0, 0.9]))
    first = _one(people[:1], times[:1], 12, shares[:2], 0.5)
    last = _one(people[1:], times[1:], 12, shares[3:], 0.9)
    for figures in (
        lambda county: county.figures(0).total,
        lambda county: county.figures(0).beside_one,
        lambda county: county.figures(2).by_size[1],
        lambda county: county.distinct(np.array([40]))[:, 0],
    ):
        alone = [figures(first).item(), 0.0, figures(last).item()]
        assert figures(both).tolist() == pytest.approx(alone, rel=1e-12)


def test_bins_by_part_are_those_of_each_county():
    """Of two people in two halves one half has both in one of two cases: 3/2 halves have one of the two."""
    cells, parts, shares = np.array([0, 1, 3]), np.array([0, 2, 4]), np.full(4, 0.5)
    both = CountyParts(1.0, np.array([3.0, 1, 2]), np.ones(3), cells, shares, parts, np.ones(2))
    first, second = both.occupied_by_part()
    assert second.sum(axis=1).tolist() == pytest.approx([1, 1.5], rel=1e-14)
    assert both.figures(0).total.tolist() == pytest.approx([first.sum(), second.sum()], rel=1e-14)
