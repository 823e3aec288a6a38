"""Two releases about the same people, such as inpatients and emergency: linked with each other, then with a list.

Each file shows what its policy says. An attacker pairs a record of one with a record of the other where their shared
fields leave one of each, and then knows of the pair what either file shows, which is linked with the
list. Members of the files are drawn at random, and so are the people on the list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from policy_sim.analyses.economics.two_releases_by_zip import PairKeys, pair_figures_by_zip
from policy_sim.arguments import number
from policy_sim.arrays import FloatArray
from policy_sim.attackers.attacker import Attacker
from policy_sim.errors import InputError, NotEstimableError
from policy_sim.granularity import Field, Granularities
from policy_sim.policies.policy import NO_CONDITIONS, Conditions, Policy
from policy_sim.population.merge import DAYS_PER_YEAR, cell_groups
from policy_sim.population.population import Population
from policy_sim.population.zip_shares import ZIP_PLACES, PeopleByZip

__all__ = ["FileShares", "TwoReleases", "two_releases"]


@dataclass(frozen=True)
class FileShares:
    """How many of the people are in each file, and in both.

    Parameters
    ----------
    first, second : Share (0..1) of the people in each file.
    both : Share in both; at most either, and at least what does not fit into one file alone.
    coverage : Share (0..1) of the people on the list.

    Raises
    ------
    InputError : shares that cannot hold together.
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


@dataclass(frozen=True)
class TwoReleases:
    """What an attacker with one list gets from two files: expected people, or pairs of records.

    Attributes
    ----------
    shared, joined, linked : What both files show, what they show together, and what of that the list shows too.
    people_in_both : People in both files.
    right_pairs, wrong_pairs : Pairs of one record each whose shared fields leave nobody else in either file: of one
        person, and of two.
    alone_first, alone_second : People in both files whom the list identifies for sure from one file alone: listed
        people of whom nobody else on the list has the values.
    named : People whom it names for sure from the pair: rightly paired, and alone on the list with what both show.
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
        names = ("right_pairs", "wrong_pairs", "alone_first", "alone_second", "named")
        return pd.DataFrame(
            [
                (self.state, name, getattr(self, name), getattr(self, name) / self.people_in_both, str(key))
                for name, key in zip(names, (self.shared, self.shared, *[self.linked] * 3), strict=True)
            ],
            columns=["state", "figure", "people", "share_of_both", "key"],
        )


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

    Parameters
    ----------
    population : Whose people, by state or county; people by ZIP code where a key shows one.
    first, second : What the files show.
    attacker : Who holds the list; the unknown fields of a list are withheld.
    state : Postal code.
    shares : Who is in the files and on the list.

    Returns
    -------
    Exact expectations. With ``u`` the share in either file, ``c`` on the list, and ``b`` the hidden values of each key,
    a person in both is named for sure where no other is in a file with the shared values, nor on the list with the
    joined ones: each other person of the person's groups by both keys is neither with the chance
    ``1 - c/b_k - u/b_s + c u/b_sk``, one in the group by the list's key alone with ``1 - c/b_k``, and one in the
    group by the shared key alone with ``1 - u/b_s``.

    Raises
    ------
    NotEstimableError : the attacker has no list in the state.
    IncompatibleError : fields of the two files that go together in no known granularity.
    """
    shared, joined = first.releases.meet(second.releases), first.releases.join(second.releases)
    views = [attacker.linkage(granularities, state).low for granularities in (joined, first.releases, second.releases)]
    linked, left_view, right_view = views
    if linked is None or left_view is None or right_view is None:
        reason = attacker.linkage(joined, state).reason
        raise NotEstimableError(f"{attacker.name} has no list to link with in {state}: {reason}")
    joined_conditions = _together(first, second)
    keys = PairKeys(
        (shared, _least(first.conditions, second.conditions).on(shared)),
        (linked, joined_conditions.on(linked, listed=True)),
        (shared.join(linked), NO_CONDITIONS),
        (left_view, first.conditions.on(left_view, listed=True)),
        (right_view, second.conditions.on(right_view, listed=True)),
    )
    keys = replace(keys, either=(keys.either[0], _finest((keys.shared, keys.linked)).on(keys.either[0])))
    if isinstance(population, PeopleByZip) and any(key[Field.GEOGRAPHY] in ZIP_PLACES for key, _ in keys.all_keys):
        files = (shares.first, shares.second, shares.both, shares.coverage)
        figures = pair_figures_by_zip(population, state, keys, files, days_per_year)
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
        _Grouped.of(population, *key, state, days_per_year) for key in keys.all_keys
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


def _least(first: Conditions, second: Conditions) -> Conditions:
    """Return the conditions of what two files both show: those of either."""
    tops = [view_conditions.top_age for view_conditions in (first, second) if view_conditions.top_age is not None]
    return Conditions(min(tops, default=None), first.small_places or second.small_places)


def _together(first: Policy, second: Policy) -> Conditions:
    """Return the conditions of what two files show together: of each field those that every file with it has."""
    return _finest(((first.releases, first.conditions), (second.releases, second.conditions)))


def _finest(views: Sequence[tuple[Granularities, Conditions]]) -> Conditions:
    tops = [conditions.top_age for granularities, conditions in views if granularities[Field.BIRTH] != "none"]
    small = [
        conditions.small_places for granularities, conditions in views if granularities[Field.GEOGRAPHY] in ZIP_PLACES
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
        group, bins, people = cell_groups(population, key, state, days_per_year=days_per_year, conditions=conditions)
        size = np.bincount(group, weights=people).astype(np.float64)[group]
        return cls(people.astype(np.float64), size, bins)


def _power(base: FloatArray, exponent: FloatArray) -> FloatArray:
    """Return a chance to a power; a chance of 0 to the power 0 is 1, and rounding below 0 is 0."""
    raised: FloatArray = np.power(np.maximum(base, 0.0), np.maximum(exponent, 0.0))
    return raised
