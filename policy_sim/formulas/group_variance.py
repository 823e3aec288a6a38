"""How much chance changes the figures of many groups: counted, on a list, placed by chance, or overlapping."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from policy_sim.formulas.added_groups import AddedGroups
from policy_sim.formulas.binomial import by_unit
from policy_sim.formulas.groups import AnyGroups, Groups
from policy_sim.formulas.listed_groups import ListedGroups
from policy_sim.formulas.placed_groups import CountyGroups, PlacedGroups
from policy_sim.words.arrays import FloatArray

_TOLD_APART = 10  # people in a bin, up to whom each size is told apart


def variances(groups: AnyGroups, g: Sequence[int], coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the variance of total risk and of g-distinct for each g.

    Both are over how people fall into the bins that the census does not show, total risk also over which of
    the equals the attacker picks for each record; the cells, the key and the list are taken as they are.
    Groups of between one and two bins, of which two at a time have no meaning, are taken with two. Of people placed
    in ZIP codes by chance the variances are upper bounds, and so are those of groups that overlap.

    ``g``: group sizes, each >= 1. Returns people squared, shape (units, 1 + len(g)).
    """
    if isinstance(groups, AddedGroups):
        if not groups.overlap:  # of different people: independent
            summed: FloatArray = np.sum([variances(of_class, g, coverage) for of_class in groups.classes], axis=0)
            return summed
        # however two classes depend on each other, a sum scatters by no more than all of them together
        deviations = [np.sqrt(variances(of_class, g, coverage)) for of_class in groups.by_class]
        added: FloatArray = np.sum(deviations, axis=0) ** 2
        return added
    if not isinstance(groups, Groups | ListedGroups):
        assert isinstance(groups, CountyGroups)  # variances are of whole units
        return variance_bounds(groups, g, coverage)
    if bool(((groups.bins > 1) & (groups.bins < 2)).any()):
        groups = replace(groups, bins=np.where(groups.bins > 1, np.maximum(groups.bins, 2.0), groups.bins))
    columns = [groups.total_risk_variance(coverage), *(groups.g_distinct_variance(size, coverage) for size in g)]
    return np.column_stack(columns)


# Upper bounds, of people whom chance places in the ZIP codes of a county.


def variance_bounds(groups: CountyGroups, g: Sequence[int], coverage: ArrayLike = 1.0) -> FloatArray:
    """Return upper bounds of the variances of total risk and of g-distinct; shape (units, 1 + len(g)).

    That each person is in one bin only makes the numbers in two bins move against each other, so that the variance of a
    sum over bins of what grows with the number in each is at most that of independent bins. Of occupied bins it is
    ``sum q (1 - q)``; where everyone is listed they are also everyone less ``i - 1`` in each bin of ``i``, and
    the lesser of both bounds holds. A bin of ``i`` people adds ``1 - 1/i`` for the guess. People in bins of ``g`` or
    fewer scatter as those in larger ones, where everyone is listed: of each bin at most the mean square, ``i^2``, of
    either.

    Of a class of which a part is released, right links scatter as guesses, by at most one per expected link, and with
    how the released people fall into bins, of which each adds its share of the bin's people, by as much again. People
    in bins of ``g`` or fewer scatter by at most the size of their bin each.
    """
    sizes = np.arange(1, max(_TOLD_APART if groups.released is None else 1, *g, 1) + 1)
    risk, people = groups.total_risk(coverage), groups.g_distinct(sizes.tolist(), coverage)
    of_size = np.diff(people, axis=1, prepend=0.0)
    if groups.released is not None:
        squares = np.cumsum(np.maximum(of_size, 0.0) * sizes, axis=1)
        return np.column_stack([2 * risk, *(squares[:, int(size) - 1] for size in g)])
    squares, bins = np.cumsum(of_size * sizes, axis=1), of_size / sizes
    occupied = independent_occupied_variance(groups, coverage)
    # a list by county and age is not of everyone, whatever share of its people is in the file
    holds_everyone = np.asarray(coverage, dtype=np.float64) == 1 if groups.listed is None else False
    everyone = np.broadcast_to(holds_everyone, groups.units)
    whole, listed = squared_bin_sizes(groups, coverage), np.zeros(groups.units)
    np.add.at(listed, groups.unit, groups.people.sum(axis=1))
    crowded = np.maximum(whole - 2 * listed + risk, 0.0)
    filled = np.where(everyone, np.minimum(occupied, crowded), occupied)
    # of the bins beyond those told apart, each guess adds at most 1
    guess = bins @ (1 - 1 / sizes) + np.maximum(risk - bins.sum(axis=1), 0.0)
    large = np.where(everyone[:, None], np.maximum(whole[:, None] - squares, 0.0), np.inf)
    distinct = np.minimum(squares, large)
    return np.column_stack([filled + guess, *(distinct[:, int(size) - 1] for size in g)])


def squared_bin_sizes(groups: CountyGroups, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the expected sum, over all bins, of the square of the listed people in each; shape (units,).

    Each person falls by itself: a bin has the mean ``sum n x`` and the variance ``sum n x (1 - x)`` over counties.
    Stale records do not count.

    Examples
    --------
    Two people in two halves: in half of the cases one each, 1 + 1, else both in one, 4.

    >>> half, one = np.array([0.5, 0.5]), np.zeros(1, dtype=np.int64)
    >>> where = np.zeros(2, dtype=np.int64), np.arange(2)
    >>> from policy_sim.formulas.county_part_groups import CountyPartGroups
    >>> people = CountyPartGroups(np.array([[2.0]]), np.ones(1), one, *where, half, 1)
    >>> squared_bin_sizes(people).tolist()
    [3.0]
    """
    listed, squares = by_unit("coverage", coverage, groups.units), np.zeros(groups.units)
    if isinstance(groups, PlacedGroups):
        for unit, _, placed in groups.units_by_bins:
            x = placed.share.copy()
            x.data *= placed.of_piece(listed[unit] * placed.coverage / placed.bins)
            mean, own = x @ placed.people, x.power(2) @ placed.people
            squares[unit] += placed.bins * float((mean**2 + mean - own).sum())
        return squares
    c = listed[groups.unit]
    together = np.bincount(groups.county, weights=groups.share**2, minlength=len(groups.people)) * c**2
    both = 1.0 if groups.listed is None else groups.listed**2
    pairs = (groups.people * (groups.people - 1) / groups.bins * both).sum(axis=1) * together
    np.add.at(squares, groups.unit, pairs + groups.listed_people.sum(axis=1) * c)
    return squares


def independent_occupied_variance(groups: CountyGroups, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the variance of the occupied bins, were bins filled independently of each other; shape (units,).

    A bin is empty with the chance ``q``: ``sum q - q^2``, and ``q^2`` is what ``q`` is with twice as many people. With
    stale records it is an upper bound of the variance of the expected correct matches of each bin, a share.
    """
    if groups.stale is not None:
        spread = np.zeros(groups.units)
        for unit, _, correct, bins in groups.links(coverage):
            spread[unit] += float((correct * (1 - correct / bins)).sum())
        return np.maximum(spread, 0.0)
    twice = replace(groups, people=2 * groups.people)
    variance: FloatArray = np.maximum(twice.total_risk(coverage) - groups.total_risk(coverage), 0.0)
    return variance
