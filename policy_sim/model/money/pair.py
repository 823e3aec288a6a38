"""Two files that show ZIP codes: who else shares a person's values, as a mean over where a county's people live.

A person of county ``a`` lives in a part ``r`` of it with the part's share of the county, or with the chance of the
person's class (:mod:`~policy_sim.people.composition`). Everybody else lives where the shares of their own county or
class say, so that another person of county ``c`` is in the place that a key shows of ``r`` with a known chance ``q``: 1
for the state, 0 for another county, the share of ``c`` in the ZIP code area. Each other person then shares the values
of a key with the chance ``q / b``, independently. That each area holds as many people as were counted is left out: it
moves a figure by the order of one over the people of a county.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from scipy import sparse

from policy_sim.attackers.attacker import Attacker
from policy_sim.formulas.histogram import different, number_combinations
from policy_sim.people.composition import class_of
from policy_sim.people.merge import DAYS_PER_YEAR, MergeKey, cell_groups, cells_seen
from policy_sim.people.places import able_to_show, is_by_zip
from policy_sim.people.population import Population
from policy_sim.people.zips import PeopleByZip
from policy_sim.policies.policy import Conditions, Policy
from policy_sim.words.arguments import number
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError, NotEstimableError
from policy_sim.words.fields import Field, Granularities

_LEAST = 1e-300  # instead of a chance of 0, whose logarithm is no number


def _asked(share: str) -> str:
    names = {
        "first": ask("first", option="--in-first"),
        "second": ask("second", option="--in-second"),
        "both": ask("both", option="--in-both"),
    }
    return names.get(share, share)


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
            number(_asked(name), getattr(self, name), 0, 1, above=True)
        if self.both > min(self.first, self.second) or self.either > 1 + 1e-12:
            raise InputError(
                f"{_asked('both')}: a share of {self.both:g} in both files is impossible with {self.first:g} in one "
                f"and {self.second:g} in the other."
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

    ``cell``: the cell of each kind of person, shape (kinds,). ``bins``: values hidden in each cell, >= 1, shape
    (cells,). A place that the key shows is made of pieces, a county in each: ``county`` and ``place`` of each piece,
    ``chance`` that a person of the county and of each class is in it, shape (pieces, classes), and the piece ``own`` in
    which the people of each part are.
    """

    cell: IntArray
    bins: FloatArray
    county: IntArray
    place: IntArray
    chance: FloatArray
    own: IntArray

    @cached_property
    def of_cell(self) -> sparse.csr_array:
        """Adds kinds up to cells."""
        return _adding(self.cell).T.tocsr()


class _State:
    """The counties of one state, the parts in which their people live, and how each key sees them.

    ``share``: chance that a person of a part's county and of each class lives in the part; shape (parts, classes).
    """

    def __init__(self, people: PeopleByZip, state: str, days_per_year: float) -> None:
        people = (people.with_ethnicity if people.zips.composition is not None else people).in_states([state])
        self.table, self.zips, self.days = people.table, people.zips, days_per_year
        self.kinds = self.table.in_counties(np.arange(len(self.zips.residents))).T.astype(np.float64)
        composition = self.zips.composition
        self.county = self.zips.county
        self.share = self.zips.share[:, None] if composition is None else composition.astype(np.float64)
        cells = self.table.kinds.cells
        self.of_kind = np.zeros(len(cells), dtype=np.int64) if composition is None else class_of(cells)

    def view(self, key: _Key) -> _View:
        """Return what a key shows of the state's people."""
        granularities, conditions = key
        cell, bins = cells_seen(self.table.kinds, MergeKey(granularities, (), self.days, conditions))
        return _View(cell, bins, *self._pieces(granularities[Field.GEOGRAPHY], conditions))

    def _pieces(self, place: str, conditions: Conditions) -> tuple[IntArray, IntArray, FloatArray, IntArray]:
        if is_by_zip(place):
            county, code, chance = self.zips.chances(place, conditions.small_places)
            own = self.zips.pieces_of(place, conditions.small_places)[2]
            return county, np.arange(len(county)) if self.zips.is_apart(place) else code, chance, own
        county = np.arange(len(self.kinds))
        everyone = np.ones((len(county), self.share.shape[1]))
        return county, county if place == "county" else np.zeros_like(county), everyone, self.county

    def expected(self, chance: FloatArray) -> float:
        """Return the expected people of whom something is true; ``chance`` by part and kind."""
        return float((self.share[:, self.of_kind] * self.kinds[self.county] * chance).sum())

    def met(self, view: _View) -> FloatArray:
        """Return the chance that somebody of a kind and a county has the values of one in a piece's place and cell.

        Shape (pieces, kinds).
        """
        met: FloatArray = view.chance[:, self.of_kind] / view.bins[view.cell]
        return met

    def over_others(self, view: _View, value: FloatArray) -> FloatArray:
        """Add a value of each piece and kind up over the others in one's place and cell; shape (parts, kinds)."""
        by_cell = (value * self.kinds[view.county]) @ view.of_cell
        by_place = _adding(view.place) @ by_cell
        added: FloatArray = by_place[view.place[view.own]][:, view.cell] - value[view.own]
        return added

    def nobody_else(self, view: _View, rate: float) -> FloatArray:
        """Return the chance that none of the others of a key's cell, each there with ``rate``, is in one's bin."""
        alone: FloatArray = np.exp(np.minimum(self.over_others(view, _log(1 - rate * self.met(view))), 0.0))
        return alone

    def one_else(self, view: _View, rate: float) -> FloatArray:
        """Return the expected others in one's bin of a key's cell among whom nobody but they is there with ``rate``."""
        met = self.met(view)
        odds = met / np.maximum(1 - rate * met, _LEAST)
        one: FloatArray = self.nobody_else(view, rate) * np.maximum(self.over_others(view, odds), 0.0)
        return one

    def sure(self, keys: PairKeys, in_either: float, listed: float) -> FloatArray:
        """Return the chance that nobody else is in either key's bin; shape (parts, kinds).

        A person shares the values of the first key and is in a file, or those of the list's key and is on it. A person
        of a county is in the places of both keys as often as in the smaller one, which lies inside the other.
        """
        shared, linked, both = (self.view(key) for key in (keys.shared, keys.linked, keys.either))
        by_shared, by_linked = in_either * self.met(shared), listed * self.met(linked)
        no_file, no_list = _log(1 - by_shared), _log(1 - by_linked)
        log = self.over_others(shared, no_file) + self.over_others(linked, no_list)
        joint, of_shared, of_linked = self._together(shared, linked, both)
        near = np.minimum(shared.chance[of_shared], linked.chance[of_linked])[:, self.of_kind]
        of_either = by_shared[of_shared] + by_linked[of_linked]
        in_both = in_either * listed * near / both.bins[both.cell]
        apart = no_file[of_shared] + no_list[of_linked]  # as if nobody were in both; the others make up for it
        chance: FloatArray = np.exp(
            np.minimum(log + self.over_others(joint, _log(1 - of_either + in_both) - apart), 0.0)
        )
        return chance

    def _together(self, shared: _View, linked: _View, both: _View) -> tuple[_View, IntArray, IntArray]:
        """Return what two keys show together, and the piece of either key in which each of its pieces lies."""
        parts = pd.DataFrame({"shared": shared.place[shared.own], "linked": linked.place[linked.own]})
        places = parts.drop_duplicates(ignore_index=True)
        places["place"] = np.arange(len(places))
        pieces = places
        for name, view in (("shared", shared), ("linked", linked)):
            of_view = pd.DataFrame(
                {name: view.place, "county": view.county, f"piece_{name}": np.arange(len(view.place))}
            )
            pieces = pieces.merge(of_view, on=[name] if name == "shared" else [name, "county"])
        at = parts.merge(places, how="left").assign(county=self.county)
        numbered = pieces.assign(own=np.arange(len(pieces)))
        own = at.merge(numbered[["place", "county", "own"]], how="left", on=["place", "county"])["own"].to_numpy()
        county, place, of_shared, of_linked = (
            pieces[name].to_numpy() for name in ("county", "place", "piece_shared", "piece_linked")
        )
        _, cell = different(number_combinations([shared.cell, linked.cell]))
        joint = _View(cell, both.bins, county, place, np.ones((len(pieces), 1)), own)
        return joint, of_shared, of_linked


def pair_figures_by_zip(
    people: PeopleByZip, state: str, keys: PairKeys, shares: FileShares, days_per_year: float
) -> tuple[float, float, float, float, float]:
    """Return right and wrong pairs, people named from the first file, from the second, and from the pair."""
    state_people = _State(people, state, days_per_year)
    both, listed, either = shares.both, shares.coverage, shares.either
    shared, first_view, second_view = (state_people.view(key) for key in (keys.shared, keys.first, keys.second))
    right = both * state_people.expected(state_people.nobody_else(shared, either))
    apart = (shares.first - both) * (shares.second - both)
    wrong = apart * state_people.expected(state_people.one_else(shared, either))
    alone, alone_too = (
        state_people.expected(state_people.nobody_else(view, listed)) for view in (first_view, second_view)
    )
    named = state_people.expected(state_people.sure(keys, either, listed))
    return right, wrong, both * listed * alone, both * listed * alone_too, both * listed * named


def _adding(to: IntArray) -> sparse.csr_array:
    """Return the matrix that adds rows up by the number of each."""
    many = len(to)
    return sparse.csr_array((np.ones(many), (to, np.arange(many))), shape=(int(to.max(initial=-1)) + 1, many))


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
