"""Every g at once for people placed in ZIP codes by chance.

Up to :data:`~policy_sim.formulas.county_parts.SMALL_G` people per bin, the figures are those of single values of g.
What is in larger bins is spread over their sizes by one transform for each place and cell
(:mod:`policy_sim.formulas.placed`), with the binomial that is most like each large cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from policy_sim.formulas.counted_parts import is_large, matched_trials
from policy_sim.formulas.county_parts import SMALL_G
from policy_sim.formulas.placed import crowded_mean, sizes_of_crowded
from policy_sim.formulas.placed_groups import CountyPartGroups, PlacedGroups
from policy_sim.words.arrays import FloatArray


class _Crowd(NamedTuple):
    """The sums of one place that may be large: arguments of ``sizes_of_crowded``, and to which unit they add."""

    unit: int
    chance: FloatArray
    people: FloatArray
    weight: FloatArray
    rarer: FloatArray
    pairs: FloatArray
    stale: FloatArray


def sweep_placed(groups: CountyPartGroups | PlacedGroups, g_max: int, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the expected number of people in bins of ``g`` or fewer, for g = 1, 2, ..., ``g_max``.

    Parameters
    ----------
    groups, coverage : As in :func:`policy_sim.formulas.groups.total_risk`.
    g_max : Largest g, >= 1.

    Returns
    -------
    People, shape (units, g_max). With ``g_max`` above everybody the last column is all listed people.

    Examples
    --------
    Two people of one county with one value, in two places of a half each: apart in half of the cases.

    >>> half, one = np.array([0.5, 0.5]), np.zeros(1, dtype=np.int64)
    >>> where = np.zeros(2, dtype=np.int64), np.arange(2)
    >>> people = CountyPartGroups(np.array([[2.0]]), np.ones(1), one, *where, half, np.array([np.inf]), 1)
    >>> sweep_placed(people, 3).round(12).tolist()
    [[1.0, 2.0, 2.0]]
    """
    listed = np.broadcast_to(np.asarray(coverage, dtype=np.float64), groups.units)
    everyone = np.zeros(groups.units)
    np.add.at(everyone, groups.unit, groups.on_list.sum(axis=1) * listed[groups.unit])
    few = groups.g_distinct(range(1, min(g_max, SMALL_G) + 1), listed)
    return swept_up_to(g_max, few, everyone, lambda: persons_of_crowds(groups, g_max, listed))


def persons_of_crowds(groups: CountyPartGroups | PlacedGroups, g_max: int, listed: FloatArray) -> FloatArray:
    """Return the people of crowded cells in bins of each size, and of more than ``g_max``; shape (units, g_max + 2)."""
    persons = np.zeros((groups.units, g_max + 2))
    for crowd in _crowds(groups, listed):
        persons[crowd.unit] += sizes_of_crowded(crowd.chance, crowd.people, crowd.weight, g_max, *crowd[4:])
    return persons


def swept_up_to(g_max: int, few: FloatArray, everyone: FloatArray, persons: Callable[[], FloatArray]) -> FloatArray:
    """Put the people in small bins, exactly counted, and those in large ones together; shape (units, g_max).

    ``few``: people in bins of each size up to :data:`~.county_parts.SMALL_G` or fewer, shape (units, sizes).
    ``everyone``: listed people, shape (units,). ``persons``: how those in larger bins are spread over their sizes.
    """
    small = few.shape[1]
    if g_max == small:
        least: FloatArray = np.minimum(few, everyone[:, None])
        return least
    many = persons()[:, small + 1 :]
    whole = many.sum(axis=1, keepdims=True)
    # what is not in small bins is in large ones, to the last digit
    upto = np.divide(np.cumsum(many, axis=1), whole, out=np.zeros_like(many), where=whole > 0)[:, :-1]
    rest = np.maximum(everyone[:, None] - few[:, -1:], 0.0)
    swept: FloatArray = np.minimum(np.hstack([few, few[:, -1:] + rest * upto]), everyone[:, None])
    return swept


def _crowds(groups: CountyPartGroups | PlacedGroups, listed: FloatArray) -> Iterator[_Crowd]:
    if isinstance(groups, CountyPartGroups):
        return _crowds_of_parts(groups, listed)
    return _crowds_of_places(groups, listed)


def _crowds_of_parts(groups: CountyPartGroups, listed: FloatArray) -> Iterator[_Crowd]:
    """Yield the crowded cells of each part of each county."""
    least = crowded_mean(SMALL_G)
    for parts, unit in groups.parts_by_bins:
        for county in range(len(unit)):
            cells = slice(parts.cells[county], parts.cells[county + 1])
            people, times = parts.people[cells], parts.times[cells]
            pairs, residents = people * (people - 1), parts.residents[county]
            large = is_large(people, residents)
            c = float(listed[unit[county]]) * (1.0 if parts.listed is None else float(parts.listed[county]))
            per_person = 0.0 if parts.stale is None else float(parts.stale[county]) / parts.bins
            shares = parts.share[parts.parts[county] : parts.parts[county + 1]]
            # most parts have no crowd: their largest cell says so, with room for rounding
            most = people.max(initial=0.0) * (c / parts.bins + per_person) * (1 + 1e-9)
            for share in shares[shares * most >= least].tolist():
                x = np.array([min(share * c / parts.bins, 1.0)])
                stale = people * share * per_person
                crowded = (people * x + stale >= least) & (x > 0)
                for cell in np.flatnonzero(crowded & large).tolist():
                    alike, trials = matched_trials(
                        people[cell : cell + 1], residents, np.array([share]), c / parts.bins
                    )
                    weight, records = times[cell : cell + 1] * parts.bins, stale[cell : cell + 1]
                    sums = (trials[:, None], weight, np.zeros(1), np.zeros((1, 1)), records)
                    yield _Crowd(int(unit[county]), alike, *sums)
                held = np.flatnonzero(crowded & ~large)
                if len(held):
                    rarer = (c / parts.bins) ** 2 / 2 * share * (1 - share) / parts.residents[county : county + 1]
                    sums = (people[None, held], times[held] * parts.bins, rarer, pairs[None, held], stale[held])
                    yield _Crowd(int(unit[county]), x, *sums)


def _crowds_of_places(groups: PlacedGroups, listed: FloatArray) -> Iterator[_Crowd]:
    """Yield the crowded cells of each place."""
    least = crowded_mean(SMALL_G)
    for unit, _, (places, people, bins), chance, per_person in groups.units_by_bins:
        c = listed[unit] * chance
        x, rarer = np.minimum(places.share.data * places.of_piece(c) / bins, 1.0), places.rarer(bins, c)
        stale = places.in_bin(per_person, people, bins)
        mean = places.in_bin(c, people, bins) + stale
        large = places.large(people)
        for place in np.flatnonzero((mean >= least).any(axis=1)).tolist():
            piece = slice(places.share.indptr[place], places.share.indptr[place + 1])
            crowded, county = mean[place] >= least, places.share.indices[piece]
            single = large[county].any(axis=0)
            held = np.flatnonzero(crowded & ~single)
            if len(held):
                count = people[np.ix_(county, held)]
                sums = (np.full(len(held), bins), rarer[piece], count * (count - 1), stale[place, held])
                yield _Crowd(unit, x[piece], count, *sums)
            for cell in np.flatnonzero(crowded & single).tolist():
                is_crowded, count, share = large[county, cell], people[county, cell], places.share.data[piece]
                alike, trials = matched_trials(count, places.residents[county], share, c[county] / bins)
                count = np.where(is_crowded, trials, count)[:, None]
                pairs = np.where(is_crowded[:, None], 0.0, count * (count - 1))
                sums = (np.array([bins]), rarer[piece], pairs, stale[place, cell : cell + 1])
                yield _Crowd(unit, np.where(is_crowded, alike, x[piece]), count, *sums)
