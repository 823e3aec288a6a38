"""Two files that show ZIP codes: who else shares a person's values, as a mean over where a county's people live.

A person of county ``a`` lives in a part ``r`` of it with the part's share of the county. Everybody else lives where the
shares of their own county say, so that another person of county ``c`` is in the place that a key shows of ``r`` with a
known chance ``q``: 1 for the state, 0 for another county, the share of ``c`` in the ZIP code area. Each other person
then shares the values of a key with the chance ``q / b``, whoever else does. That each area holds as many people as
were counted is left out: it moves a figure by the order of one over the people of a county.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from policy_sim.attackers.attacker import Attacker
from policy_sim.people.composed import require_one_share
from policy_sim.people.merge import DAYS_PER_YEAR, MergeKey, cell_groups, people_seen
from policy_sim.people.places import able_to_show, is_by_zip
from policy_sim.people.population import Population
from policy_sim.people.zips import PeopleByZip, ZipShares
from policy_sim.policies.policy import Conditions, Policy
from policy_sim.words.arguments import number
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import InputError, NotEstimableError
from policy_sim.words.fields import Field, Granularities

_LEAST = 1e-300  # instead of a chance of 0, whose logarithm is no number


@dataclass(frozen=True)
class FileShares:
    """How many of the people are in each file, and in both.

    ``first``, ``second``: share (0..1) of the people in each file. ``both``: share in both; at most either, and at
    least what does not fit into one file alone. ``coverage``: share (0..1) of the people on the list. Raises
    InputError: shares that cannot hold together.
    """

    first: float
    second: float
    both: float
    coverage: float = 1.0

    def __post_init__(self) -> None:
        for name in ("first", "second", "both", "coverage"):
            number(name, getattr(self, name), 0, 1, above=True)
        if self.both > min(self.first, self.second) or self.either > 1 + 1e-12:
            raise InputError(
                f"a share of {self.both:g} in both files is impossible with {self.first:g} in one and {self.second:g} "
                f"in the other."
            )

    @property
    def either(self) -> float:
        """Share of the people in one file or both."""
        return self.first + self.second - self.both


_Key: TypeAlias = tuple[Granularities, Conditions]  # what a key shows, and the conditions that it feels


class PairKeys(NamedTuple):
    """The keys of two files and a list.

    ``shared`` is what both files show, ``linked`` what the list shows of both together, ``either`` what the last two
    show together, ``first`` and ``second`` what the list shares with one file alone.
    """

    shared: _Key
    linked: _Key
    either: _Key
    first: _Key
    second: _Key


@dataclass(frozen=True, eq=False)
class _View:
    """What one key shows in a state.

    ``people``: persons of each cell in each county, shape (counties, cells). ``cell``: the cell of each kind of person,
    shape (kinds,). ``bins``: values hidden in each cell, >= 1, shape (cells,). ``near``: chance that a person of each
    county is in the place shown of each part, shape (parts, counties).
    """

    people: FloatArray
    cell: IntArray
    bins: FloatArray
    near: FloatArray


class _State:
    """The counties of one state, the parts in which their people live, and how each key sees them."""

    def __init__(self, people: PeopleByZip, state: str, days_per_year: float) -> None:
        people = people.in_states([state])
        self.table, self.zips, self.days = people.table, people.zips, days_per_year
        self.counties = np.flatnonzero(self.table.units([state]) >= 0)
        row = np.full(int(max(people.zips.county.max(), self.counties.max())) + 1, -1)
        row[self.counties] = np.arange(len(self.counties))
        self.parts = np.flatnonzero(row[people.zips.county] >= 0)
        self.county, self.share = row[people.zips.county[self.parts]], people.zips.share[self.parts]
        self.kinds = self.table.in_counties(self.counties).T

    def view(self, key: _Key) -> _View:
        """Return what a key shows of the state's people."""
        granularities, conditions = key
        merged_by = MergeKey(granularities, (), self.days, conditions)
        people, bins, cell = people_seen(self.table, merged_by, self.counties)
        return _View(people.T, cell, bins, self._near(granularities[Field.GEOGRAPHY], conditions, self.zips))

    def _near(self, place: str, conditions: Conditions, zips: ZipShares) -> FloatArray:
        near = np.ones((len(self.parts), len(self.counties)))
        if is_by_zip(place):
            names = zips.shown(place)[self.parts]
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
    people: PeopleByZip, state: str, keys: PairKeys, shares: FileShares, days_per_year: float
) -> tuple[float, float, float, float, float]:
    """Return right and wrong pairs, people named from the first file, from the second, and from the pair."""
    require_one_share(people, "what two files tell together")
    state_people = _State(people, state, days_per_year)
    both, listed, either = shares.both, shares.coverage, shares.either
    shared, first_view, second_view = (state_people.view(key) for key in (keys.shared, keys.first, keys.second))
    right = both * state_people.expected(shared.cell, state_people.nobody_else(shared, either))
    apart = (shares.first - both) * (shares.second - both)
    wrong = apart * state_people.expected(shared.cell, state_people.one_else(shared, either))
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


# Two releases about the same people, such as inpatients and emergency: linked with each other, then with a list.
#
# Each file shows what its policy says. An attacker pairs a record of one with a record of the other where their shared
# fields leave one of each, and then knows of the pair what either file shows, which is linked with the
# list. Members of the files are drawn at random, and so are the people on the list.


@dataclass(frozen=True)
class TwoReleases:
    """What an attacker with one list gets from two files: expected people, or pairs of records.

    ``right_pairs``, ``wrong_pairs``: of records whose shared fields leave nobody else in either file, of one person and
    of two. ``alone_first``, ``alone_second``: people in both files whom the list identifies for sure from one file
    alone. ``named``: those whom it names for sure from the pair: rightly paired, and alone on the list with what both
    show.
    """

    state: str
    shared: Granularities
    joined: Granularities
    linked: Granularities
    people_in_both: float
    right_pairs: float
    wrong_pairs: float
    alone_first: float
    alone_second: float
    named: float

    def to_frame(self) -> pd.DataFrame:
        """Return one row per figure: people, and the share (0..1) of the people in both files."""
        names = ["right_pairs", "wrong_pairs", "alone_first", "alone_second", "named"]
        people = np.array([getattr(self, name) for name in names])
        keys = [str(self.shared)] * 2 + [str(self.linked)] * 3
        columns = {"figure": names, "people": people, "share_of_both": people / self.people_in_both, "key": keys}
        return pd.DataFrame({"state": self.state} | columns)


def two_releases(
    population: Population | PeopleByZip,
    first: Policy,
    second: Policy,
    attacker: Attacker,
    state: str,
    shares: FileShares,
    *,
    days_per_year: float = DAYS_PER_YEAR,
) -> TwoReleases:
    """Return what an attacker gets from two files about one state's people.

    ``population``: whose people, by state or county; people by ZIP code where a key shows one. ``state``: postal code.
    Returns exact expectations. With ``u`` the share in either file, ``c`` on the list, and ``b`` the hidden values of
    each key, a person in both is named for sure where no other is in a file with the shared values, nor on the list
    with the joined ones: each other person of the person's groups by both keys is neither with the chance ``1 - c/b_k -
    u/b_s + c u/b_sk``, one in the group by the list's key alone with ``1 - c/b_k``, and one in the group by the shared
    key alone with ``1 - u/b_s``.
    """
    shared, joined = first.releases.meet(second.releases), first.releases.join(second.releases)
    views = [attacker.linkage(granularities, state).low for granularities in (joined, first.releases, second.releases)]
    linked, left_view, right_view = views
    if linked is None or left_view is None or right_view is None:
        reason = attacker.linkage(joined, state).reason
        raise NotEstimableError(f"{attacker.name} has no list to link with in {state}: {reason}")
    joined_conditions = _finest((first.releases, first.conditions), (second.releases, second.conditions))
    shared_key = shared, _least(first.conditions, second.conditions).on(shared)
    linked_key = linked, joined_conditions.on(linked, listed=True)
    both_show = shared.join(linked)
    keys = PairKeys(
        shared_key,
        linked_key,
        (both_show, _finest(shared_key, linked_key).on(both_show)),
        (left_view, first.conditions.on(left_view, listed=True)),
        (right_view, second.conditions.on(right_view, listed=True)),
    )
    population = able_to_show(population, (key for key, _ in keys))
    if isinstance(population, PeopleByZip) and any(is_by_zip(key[Field.GEOGRAPHY]) for key, _ in keys):
        figures = pair_figures_by_zip(population, state, keys, shares, days_per_year)
    else:
        counted = population.county_population if isinstance(population, PeopleByZip) else population
        figures = _figures(counted, state, keys, shares, days_per_year)
    everyone = population.people_by_state()[state]
    return TwoReleases(state, shared, joined, linked, shares.both * float(everyone), *figures)


def _figures(
    population: Population, state: str, keys: PairKeys, shares: FileShares, days_per_year: float
) -> tuple[float, float, float, float, float]:
    """Return right and wrong pairs, people named from the first file, from the second, and from the pair."""
    by_shared, by_list, by_both, by_one, by_other = (
        _Grouped.of(population, *key, state, days_per_year) for key in keys
    )
    people, c, u = by_shared.people, shares.coverage, shares.either
    chance = (
        _power(1 - c / by_list.bins - u / by_shared.bins + c * u / by_both.bins, by_both.size - 1)
        * _power(1 - c / by_list.bins, by_list.size - by_both.size)
        * _power(1 - u / by_shared.bins, by_shared.size - by_both.size)
    )
    pairs = _power(1 - u / by_shared.bins, by_shared.size - 1)
    apart = (shares.first - shares.both) * (shares.second - shares.both)
    mixed = apart * (by_shared.size - 1) / by_shared.bins * _power(1 - u / by_shared.bins, by_shared.size - 2)
    return (
        shares.both * float(people @ pairs),
        float(people @ np.where(by_shared.size > 1, mixed, 0.0)),
        shares.both * c * float(people @ _power(1 - c / by_one.bins, by_one.size - 1)),
        shares.both * c * float(people @ _power(1 - c / by_other.bins, by_other.size - 1)),
        shares.both * c * float(people @ chance),
    )


def _refuse_shifts(*conditions: Conditions) -> None:
    if any(each.shift_days is not None for each in conditions):
        raise InputError("two files with shifted dates are not modeled as a pair: give policies without a shift.")


def _least(first: Conditions, second: Conditions) -> Conditions:
    """Return the conditions of what two files both show: those of either."""
    _refuse_shifts(first, second)
    tops = [view_conditions.top_age for view_conditions in (first, second) if view_conditions.top_age is not None]
    return Conditions(min(tops, default=None), first.small_places or second.small_places)


def _finest(*views: _Key) -> Conditions:
    """Return the conditions of what is shown together: of each field those that every view with it has."""
    _refuse_shifts(*(conditions for _, conditions in views))
    tops = [conditions.top_age for granularities, conditions in views if granularities[Field.BIRTH] != "none"]
    small = [
        conditions.small_places for granularities, conditions in views if is_by_zip(granularities[Field.GEOGRAPHY])
    ]
    top = None if None in tops else max((age for age in tops if age is not None), default=None)
    return Conditions(top, None if None in small or not small else small[0])


@dataclass(frozen=True, eq=False)
class _Grouped:
    """Of each cell of a state: its people, the size of its group by one key, and the bins hidden inside it."""

    people: FloatArray
    size: FloatArray
    bins: FloatArray

    @classmethod
    def of(
        cls, population: Population, key: Granularities, conditions: Conditions, state: str, days_per_year: float
    ) -> _Grouped:
        group, bins, people = cell_groups(population, MergeKey(key, (state,), days_per_year, conditions))
        size = np.bincount(group, weights=people).astype(np.float64)[group]
        return cls(people.astype(np.float64), size, bins)


def _power(base: FloatArray, exponent: FloatArray) -> FloatArray:
    """Return a chance to a power; a chance of 0 to the power 0 is 1, and rounding below 0 is 0."""
    raised: FloatArray = np.power(np.maximum(base, 0.0), np.maximum(exponent, 0.0))
    return raised
