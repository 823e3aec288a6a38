"""What each county's people bear in a place, beside sums over every size of the bin without one of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import binom, poisson

from policy_sim.formulas.county_parts import CountyParts
from policy_sim.formulas.parts import PlacedCells, distinct_in_places, occupied_in_places
from policy_sim.formulas.placed import (
    crowded_mean,
    distinct_by_county,
    occupied_by_county,
    sizes_of_crowded,
)

G = [1, 3, 10]
CASES = [
    ((1.0, 0.3), (1, 5), 1.0, 1.0),
    ((0.5, 0.5, 0.999), (1, 2, 3), 1.0, 1.0),
    ((1.0, 1.0), (2, 400), 1.0, 1.0),
    ((0.3, 0.001, 0.7), (400, 60, 0), 365.0, 1.0),
    ((0.3, 0.001, 0.7), (400, 60, 5), 365.0, 0.65),
    ((0.999, 0.5), (3000, 30), 1.0, 0.01),
    ((0.2, 0.9), (3000, 30), 12.0, 1.0),
]


def county(people, share, bins, coverage):
    ends = (np.array([0, len(people)]), np.array([0, len(share)]))
    facts = np.ones(len(people)), ends[0], share, ends[1], np.array([coverage])
    return CountyParts(bins, people, *facts)


def occupied_in_parts(*facts):
    return next(county(*facts).occupied_by_part()).sum(axis=1)


def distinct_in_parts(people, share, bins, g, *chances):
    return next(county(people, share, bins, *chances).distinct_by_cell(np.array(g)))


def _by_force(chance, people, bins):
    """Of each county: people, times the mean of one over those in the bin, and the chance of g or fewer in it."""
    occupied, distinct = np.zeros(len(people)), np.zeros((len(G), len(people)))
    for county in np.flatnonzero(people).tolist():
        chances = np.ones(1)
        for other, x in enumerate(chance):
            n = people[other] - (other == county)
            chances = np.convolve(chances, binom.pmf(np.arange(n + 1), n, x))
        listed = bins * people[county] * chance[county]
        occupied[county] = listed * (chances / np.arange(1, len(chances) + 1)).sum()
        distinct[:, county] = [listed * chances[:g].sum() for g in G]
    return occupied, distinct


@pytest.mark.parametrize(("share", "people", "bins", "coverage"), CASES)
def test_counties_of_a_place_by_force_and_that_they_add_up_to_it(share, people, bins, coverage):
    here, cell = sparse.csr_array([list(share)]), np.array(people, dtype=float)[:, None]
    occupied, distinct = _by_force(np.array(share) * coverage / bins, np.array(people), bins)
    np.testing.assert_allclose(
        occupied_by_county(PlacedCells(here, cell, bins, coverage))[:, 0], occupied, rtol=1e-11, atol=1e-12
    )
    found = distinct_by_county(PlacedCells(here, cell, bins, coverage), G)[:, :, 0]
    np.testing.assert_allclose(found, distinct, rtol=1e-9, atol=1e-9 * sum(people))
    whole = occupied_in_places(PlacedCells(here, cell, bins, coverage)).sum()
    np.testing.assert_allclose(occupied.sum(), whole, rtol=1e-11)
    upto = distinct_in_places(PlacedCells(here, cell, bins, coverage), max(G)).sum(axis=1)[np.array(G) - 1]
    np.testing.assert_allclose(distinct.sum(axis=1), upto, rtol=1e-9, atol=1e-9 * sum(people))


@pytest.mark.parametrize("coverage", [1.0, 0.4])
@pytest.mark.parametrize("bins", [1.0, 365.0])
@pytest.mark.parametrize("share", [(1.0,), (0.25, 0.75), (0.1, 0.2, 0.7)])
def test_parts_of_one_county_are_places_of_one_county(share, bins, coverage):
    people = np.array([1.0, 2.0, 9.0, 70.0, 800.0])
    alone = [sparse.csr_array([[one]]) for one in share]
    occupied = sum(occupied_by_county(PlacedCells(one, people[None], bins, coverage))[0] for one in alone)
    distinct = sum(distinct_by_county(PlacedCells(one, people[None], bins, coverage), G)[:, 0] for one in alone)
    np.testing.assert_allclose(occupied_in_parts(people, np.array(share), bins, coverage), occupied, rtol=1e-11)
    small = distinct_in_parts(people, np.array(share), bins, G, coverage)
    np.testing.assert_allclose(small, distinct, rtol=1e-8, atol=1e-8)
    large = distinct_in_parts(people, np.array(share), bins, [*G, 40], coverage)
    np.testing.assert_allclose(large[:3], small, rtol=1e-10, atol=1e-12)


# Sizes of crowded bins, beside sums of binomials put together one by one.


def _by_convolution(chance, people, weight, most):
    persons = np.zeros(most + 2)
    for cell, counted in enumerate(weight):
        chances = np.ones(1)
        for x, n in zip(chance, people[:, cell].astype(int), strict=True):
            chances = np.convolve(chances, binom.pmf(np.arange(n + 1), n, x))
        size = np.arange(len(chances))
        np.add.at(persons, np.minimum(size, most + 1), counted * chances * size)
    return persons


@pytest.mark.parametrize("most", [20, 150, 5000])
@pytest.mark.parametrize("chance", [(0.3, 0.9, 1.0), (0.001, 0.5, 0.02), (1.0, 1.0, 1.0)])
def test_sums_of_three_counties(chance, most):
    people, weight = np.array([[100, 7], [50, 3], [4, 3000]]), np.array([2.0, 3.0])
    found = sizes_of_crowded(np.array(chance), people.astype(float), weight, most)
    np.testing.assert_allclose(found, _by_convolution(chance, people, weight, most), rtol=1e-9, atol=1e-8)
    np.testing.assert_allclose(found.sum(), (np.array(chance) @ people) @ weight, rtol=1e-11)


@pytest.mark.parametrize("size", [1, 10, 32])
def test_below_the_crowded_mean_nothing_is_crowded(size):
    """The Poisson variable of that mean, which a sum of binomials exceeds less often."""
    mean = crowded_mean(size)
    assert 0 < mean < size
    assert poisson.sf(size, mean) < 1.1e-20
    assert poisson.sf(size, mean * 1.01) > 1e-20
