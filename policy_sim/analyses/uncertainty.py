"""How sure a figure is: its variance over unseen birthdays and the attacker's guesses, and uneven birthdays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from policy_sim.arrays import FloatArray
from policy_sim.binning import occupied_bins, occupied_uneven_bins, people_g_distinct, people_g_distinct_uneven
from policy_sim.groups import (
    AnyGroups,
    CountyPartGroups,
    Groups,
    PlacedGroups,
    g_distinct,
    g_distinct_variance,
    total_risk,
    total_risk_variance,
)
from policy_sim.groups.placed_moments import independent_occupied_variance, squared_bin_sizes

__all__ = ["variances", "with_uneven_birthdays"]

_TOLD_APART = 10  # people in a bin, up to whom each size is told apart


def variances(groups: AnyGroups, g: Sequence[int], coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the variance of total risk and of g-distinct for each g.

    Both are over how people fall into the bins that the census does not show, total risk also over which of
    the equals the attacker picks for each record; the cells, the key and the list are taken as they are.
    Groups of between one and two bins, of which two at a time have no meaning, are taken with two. Of people placed
    in ZIP codes by chance the variances are upper bounds (:func:`_bounds_of_placed`).

    Parameters
    ----------
    groups, coverage : As for :func:`~policy_sim.groups.total_risk`.
    g : Group sizes, each >= 1.

    Returns
    -------
    People squared, shape (units, 1 + len(g)).
    """
    if not isinstance(groups, Groups):
        return _bounds_of_placed(groups, g, coverage)
    if bool(((groups.bins > 1) & (groups.bins < 2)).any()):
        groups = replace(groups, bins=np.where(groups.bins > 1, np.maximum(groups.bins, 2.0), groups.bins))
    columns = [total_risk_variance(groups, coverage), *(g_distinct_variance(groups, size, coverage) for size in g)]
    return np.column_stack(columns)


def _bounds_of_placed(groups: CountyPartGroups | PlacedGroups, g: Sequence[int], coverage: ArrayLike) -> FloatArray:
    """Return upper bounds of the variances, from expected figures alone.

    That each person is in one bin only makes the numbers in two bins move against each other, so that the variance of a
    sum over bins of what grows with the number in each is at most that of independent bins. Of occupied bins it is
    ``sum q (1 - q)``; where everyone is listed they are also everyone less ``i - 1`` in each bin of ``i``, and
    the lesser of both bounds holds. A bin of ``i`` people adds ``1 - 1/i`` for the guess. People in bins of ``g`` or
    fewer scatter as those in larger ones, where everyone is listed: of each bin at most the mean square, ``i^2``, of
    either.
    """
    sizes = np.arange(1, max(_TOLD_APART, *g) + 1)
    risk, people = total_risk(groups, coverage), g_distinct(groups, sizes.tolist(), coverage)
    squares = np.cumsum(np.diff(people, axis=1, prepend=0.0) * sizes, axis=1)
    bins = np.diff(people, axis=1, prepend=0.0) / sizes
    occupied = independent_occupied_variance(groups, coverage)
    everyone = np.broadcast_to(np.asarray(coverage, dtype=np.float64) == 1, groups.units)
    whole, listed = squared_bin_sizes(groups, coverage), np.zeros(groups.units)
    np.add.at(listed, groups.unit, groups.people.sum(axis=1))
    crowded = np.maximum(whole - 2 * listed + risk, 0.0)
    filled = np.where(everyone, np.minimum(occupied, crowded), occupied)
    # of the bins beyond those told apart, each guess adds at most 1
    guess = bins @ (1 - 1 / sizes) + np.maximum(risk - bins.sum(axis=1), 0.0)
    large = np.where(everyone[:, None], np.maximum(whole[:, None] - squares, 0.0), np.inf)
    distinct = np.minimum(squares, large)
    return np.column_stack([filled + guess, *(distinct[:, int(size) - 1] for size in g)])


def with_uneven_birthdays(groups: Groups, shares: FloatArray, g: Sequence[int], per_year: float = 365.0) -> FloatArray:
    """Return total risk and g-distinct where birthdays are as likely as ``shares`` says.

    Groups that hide ``per_year`` bins in each of one or more years of age get those of ``shares`` in each;
    other groups, in which the key shows no birthday, stay as they are.

    Parameters
    ----------
    groups : Who can be distinguished, and how, merged with ``per_year`` equally likely values in a year of age.
    shares : Probability of each value, adding up to 1: of 365 or 366 days, or of 12 months.
    g : Group sizes, each >= 1.

    Returns
    -------
    People, shape (units, 1 + len(g)).
    """
    sizes = groups.distinct()
    years = sizes.bins / per_year
    hidden = (years >= 1) & (years == np.round(years))
    table = np.empty((len(sizes.people), 1 + len(g)))
    even = ~hidden
    n, b = sizes.people[even].astype(np.float64), sizes.bins[even]
    table[even, 0] = occupied_bins(n, b)
    for column, size in enumerate(g, 1):
        table[even, column] = people_g_distinct(n, b, size)
    for many in np.unique(years[hidden]):
        of_width = hidden & (years == many)
        spread = np.tile(shares / many, int(many))
        kinds, place = np.unique(sizes.people[of_width], return_inverse=True)
        figures = [occupied_uneven_bins(kinds, spread)]
        figures += [people_g_distinct_uneven(kinds, spread, size) for size in g]
        table[of_width] = np.column_stack(figures)[place]
    sums = np.zeros((groups.units, 1 + len(g)))
    np.add.at(sums, sizes.unit, table * sizes.weight[:, None])
    return sums
