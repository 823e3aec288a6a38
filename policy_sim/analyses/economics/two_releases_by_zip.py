"""Two files that show ZIP codes: who else shares a person's values, as a mean over where a county's people live.

A person of county ``a`` lives in a part ``r`` of it with the part's share of the county. Everybody else lives where the
shares of their own county say, so that another person of county ``c`` is in the place that a key shows of ``r`` with a
known chance ``q``: 1 for the state, 0 for another county, the share of ``c`` in the ZIP code area. Each other person
then shares the values of a key with the chance ``q / b``, whoever else does. That each area holds as many people as
were counted is left out: it moves a figure by the order of one over the people of a county.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.granularity import Field, Granularities
from policy_sim.policies.policy import Conditions
from policy_sim.population.county_table import CountyTable
from policy_sim.population.zip_shares import PeopleByZip, ZipShares

__all__ = ["PairKeys", "pair_figures_by_zip"]

_DIGITS: Mapping[str, int] = {"zip3": 3, "zip5": 5, "county_zip3": 3, "county_zip5": 5}
_LEAST = 1e-300  # instead of a chance of 0, whose logarithm is no number


@dataclass(frozen=True)
class PairKeys:
    """The keys of two files and a list, each with the conditions that it feels.

    ``shared`` is what both files show, ``linked`` what the list shows of both together, ``either`` what the last two
    show together, ``first`` and ``second`` what the list shares with one file alone.
    """

    shared: tuple[Granularities, Conditions]
    linked: tuple[Granularities, Conditions]
    either: tuple[Granularities, Conditions]
    first: tuple[Granularities, Conditions]
    second: tuple[Granularities, Conditions]

    @property
    def all_keys(self) -> tuple[tuple[Granularities, Conditions], ...]:
        """Every key with its conditions."""
        return self.shared, self.linked, self.either, self.first, self.second


@dataclass(frozen=True, eq=False)
class _View:
    """What one key shows in a state.

    Attributes
    ----------
    people : Persons of each cell in each county, shape (counties, cells).
    cell : The cell of each kind of person, shape (kinds,).
    bins : Values hidden in each cell, >= 1, shape (cells,).
    near : Chance that a person of each county is in the place shown of each part, shape (parts, counties).
    """

    people: FloatArray
    cell: IntArray
    bins: FloatArray
    near: FloatArray


class _State:
    """The counties of one state, the parts in which their people live, and how each key sees them."""

    def __init__(self, people: PeopleByZip, state: str, days_per_year: float) -> None:
        residents = people.county_population.in_states([state])
        self.table, self.zips, self.days = CountyTable(residents), people.zips, days_per_year
        self.counties = np.flatnonzero(self.table.units([state]) >= 0)
        row = np.full(int(max(people.zips.county.max(), self.counties.max())) + 1, -1)
        row[self.counties] = np.arange(len(self.counties))
        self.parts = np.flatnonzero(row[people.zips.county] >= 0)
        self.county, self.share = row[people.zips.county[self.parts]], people.zips.share[self.parts]
        self.kinds, _, _ = self.table.kinds_seen(Granularities(geography="state"), self.counties)

    def view(self, key: tuple[Granularities, Conditions]) -> _View:
        """Return what a key shows of the state's people."""
        granularities, conditions = key
        people, bins = self.table.seen(granularities, self.counties, days_per_year=self.days, conditions=conditions)
        _, cell, _ = self.table.kinds_seen(granularities, self.counties, days_per_year=self.days, conditions=conditions)
        return _View(people, cell, bins, self._near(granularities[Field.GEOGRAPHY], conditions, self.zips))

    def _near(self, place: str, conditions: Conditions, zips: ZipShares) -> FloatArray:
        near = np.ones((len(self.parts), len(self.counties)))
        digits = _DIGITS.get(place, 0)
        if digits:
            names = zips.zip5[self.parts].astype(f"U{digits}")
            small = conditions.small_places
            if small is not None:
                hidden = sorted(zips.small if small.listed is None else small.listed)
                names = np.where(np.isin(names.astype("U3"), hidden), "", names)
            _, code = np.unique(names, return_inverse=True)
            code = code.reshape(-1)
            shares = np.zeros((int(code.max(initial=-1)) + 1, len(self.counties)))
            np.add.at(shares, (code, self.county), self.share)
            near = np.minimum(shares[code], 1.0)
        if place in ("county", "county_zip3", "county_zip5"):
            near = near * (self.county[:, None] == np.arange(len(self.counties)))
        return near

    def expected(self, cell: IntArray, chance: FloatArray) -> float:
        """Return the expected people of whom something holds; ``chance`` by part and cell, cells by kind."""
        people = _summed(self.kinds, cell)
        return float((self.share[:, None] * people[self.county] * chance).sum())

    def nobody_else(self, view: _View, rate: float) -> FloatArray:
        """Return the chance that none of the others of a key's cell, each there with ``rate``, is in one's bin.

        Shape (parts, cells).
        """
        log = np.zeros((len(self.parts), len(view.bins)))
        for bins in np.unique(view.bins).tolist():
            cells = np.flatnonzero(view.bins == bins)
            missed = _log(1 - rate * view.near / bins)
            log[:, cells] = missed @ view.people[:, cells] - self._own(missed)
        return np.exp(np.minimum(log, 0.0))

    def one_else(self, view: _View, rate: float) -> FloatArray:
        """Return the expected others in one's bin of a key's cell among whom nobody but they is there with ``rate``."""
        chances = np.zeros((len(self.parts), len(view.bins)))
        alone = self.nobody_else(view, rate)
        for bins in np.unique(view.bins).tolist():
            cells = np.flatnonzero(view.bins == bins)
            met = view.near / bins
            odds = met / np.maximum(1 - rate * met, _LEAST)
            others = np.maximum(odds @ view.people[:, cells] - self._own(odds), 0.0)
            chances[:, cells] = alone[:, cells] * others
        return chances

    def sure(self, keys: PairKeys, in_either: float, listed: float) -> tuple[IntArray, FloatArray]:
        """Return the kinds' cells by both keys, and the chance that nobody else is in either's bin.

        A person shares the values of the first key and is in a file, or those of the list's key and is on it. A person
        of a county is in the places of both keys as often as in the smaller one, which lies inside the other.
        """
        shared, linked, both = (self.view(key) for key in (keys.shared, keys.linked, keys.either))
        pair = shared.cell * len(linked.bins) + linked.cell
        cells, kind, cell = np.unique(pair, return_index=True, return_inverse=True)
        cell = cell.reshape(-1)
        by_shared, by_linked, by_both = (view.cell[kind] for view in (shared, linked, both))
        together = _summed(self.kinds, cell)
        bins = np.stack([shared.bins[by_shared], linked.bins[by_linked], both.bins[by_both]])
        log = np.zeros((len(self.parts), len(cells)))
        for b_shared, b_linked, b_both in np.unique(bins, axis=1).T.tolist():
            same_bins = np.flatnonzero((bins == np.array([[b_shared], [b_linked], [b_both]])).all(axis=0))
            first_chance, second_chance = in_either * shared.near / b_shared, listed * linked.near / b_linked
            neither = _log(
                1 - first_chance - second_chance + in_either * listed * np.minimum(shared.near, linked.near) / b_both
            )
            no_file, no_list, people = _log(1 - first_chance), _log(1 - second_chance), together[:, same_bins]
            log[:, same_bins] = neither @ people - self._own(neither)
            log[:, same_bins] += no_list @ (linked.people[:, by_linked[same_bins]] - people)
            log[:, same_bins] += no_file @ (shared.people[:, by_shared[same_bins]] - people)
        return cell, np.exp(np.minimum(log, 0.0))

    def _own(self, by_county: FloatArray) -> FloatArray:
        """Return the value of each part's own county, as a column: what the person asked about adds."""
        own: FloatArray = by_county[np.arange(len(self.county)), self.county][:, None]
        return own


def pair_figures_by_zip(
    people: PeopleByZip,
    state: str,
    keys: PairKeys,
    shares: tuple[float, float, float, float],
    days_per_year: float,
) -> tuple[float, float, float, float, float]:
    """Return right and wrong pairs, people named from the first file, from the second, and from the pair.

    Parameters
    ----------
    people : Whose people.
    state : Postal code.
    keys : What the files and the list show.
    shares : Of the people in the first file, in the second, in both, and on the list (0..1).
    days_per_year : Number of equally likely birthdays in a year.
    """
    state_people = _State(people, state, days_per_year)
    first, second, both, listed = shares
    either = first + second - both
    shared, first_view, second_view = (state_people.view(key) for key in (keys.shared, keys.first, keys.second))
    right = both * state_people.expected(shared.cell, state_people.nobody_else(shared, either))
    wrong = (first - both) * (second - both) * state_people.expected(shared.cell, state_people.one_else(shared, either))
    alone, alone_too = (
        state_people.expected(view.cell, state_people.nobody_else(view, listed)) for view in (first_view, second_view)
    )
    named = state_people.expected(*state_people.sure(keys, either, listed))
    return right, wrong, both * listed * alone, both * listed * alone_too, both * listed * named


def _summed(kinds: FloatArray, cell: IntArray) -> FloatArray:
    """Add up kinds of people by cell; shape (counties, cells)."""
    summed = np.zeros((int(cell.max(initial=-1)) + 1, kinds.shape[0]))
    np.add.at(summed, cell, kinds.T)
    by_county: FloatArray = summed.T
    return by_county


def _log(chance: FloatArray) -> FloatArray:
    logarithm: FloatArray = np.log(np.maximum(chance, _LEAST))
    return logarithm
