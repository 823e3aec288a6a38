"""One field of a state as an axis: the finest values, and the ways to put them together.

Two ways that put the same values together are one partition: where every county is large, hiding small
counties changes nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from policy_sim.formulas.groups import AnyGroups, Groups
from policy_sim.formulas.listed_groups import ListedGroups
from policy_sim.people.merge import age_classes
from policy_sim.people.merging import merge
from policy_sim.people.population import AnyPopulation
from policy_sim.policies.policy import BirthView, Conditions, Lattice, Policy
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray
from policy_sim.words.errors import InputError
from policy_sim.words.fields import GRANULARITIES, Field, Granularities, field_word, is_coarser_or_equal

if TYPE_CHECKING:
    from policy_sim.formulas.placed_groups import CountyGroups

View = TypeVar("View", bound=Hashable)


@dataclass(frozen=True, eq=False)
class Partition:
    """Which class each of the finest values falls in: ``codes`` 0 to ``size - 1``, none left out."""

    codes: IntArray
    size: int

    def step_to(self, coarse: Partition) -> Step | None:
        """Return how to merge these classes into those of ``coarse``, or None where one would be split."""
        into = np.zeros(self.size, dtype=np.int64)
        into[self.codes] = coarse.codes
        if not np.array_equal(into[self.codes], coarse.codes):
            return None
        sorted_already = bool((np.diff(into) >= 0).all())
        order = None if sorted_already else np.argsort(into, kind="stable")
        ends = into if order is None else into[order]
        return Step(order, np.flatnonzero(np.diff(ends, prepend=-1)))


@dataclass(frozen=True, eq=False)
class Step:
    """How to merge classes along one dimension: their new order, where it changes, and where each run starts."""

    order: IntArray | None
    starts: IntArray

    def merge(self, table: IntArray, dimension: int) -> IntArray:
        """Add up the classes of each run."""
        if len(self.starts) == 1:
            whole: IntArray = table.sum(axis=dimension, keepdims=True)
            return whole
        if self.order is not None:
            table = np.take(table, self.order, axis=dimension)
        merged: IntArray = np.add.reduceat(table, self.starts, axis=dimension)
        return merged


@dataclass(frozen=True, eq=False)
class Axis(Generic[View]):
    """The partitions of one field, finest first, and the views that each serves.

    ``steps[j]`` lists the finer partitions ``i < j`` from which ``j`` can be computed, with the step.
    """

    partitions: tuple[Partition, ...]
    views: tuple[tuple[View, ...], ...]
    steps: tuple[tuple[tuple[int, Step], ...], ...]

    def __len__(self) -> int:
        return len(self.partitions)


def axis_of(views: Iterable[tuple[View, IntArray]]) -> Axis[View]:
    """Make an axis of views, each with the code of every finest value.

    Views with the same partition share it. The first partition after sorting need not be finer than
    all others; the finest values themselves always are, and are added where no view shows them.
    """
    by_code: dict[bytes, tuple[Partition, list[View]]] = {}
    values = 0
    for view, raw in views:
        codes = first_numbered(raw)
        values = len(codes)
        partition = Partition(codes, int(codes.max(initial=-1)) + 1)
        by_code.setdefault(codes.tobytes(), (partition, []))[1].append(view)
    finest = np.arange(values)
    by_code.setdefault(finest.tobytes(), (Partition(finest, values), []))
    ordered = sorted(by_code.values(), key=lambda pair: -pair[0].size)
    partitions = tuple(partition for partition, _ in ordered)
    return Axis(partitions, tuple(tuple(names) for _, names in ordered), _steps(partitions))


def first_numbered(raw: IntArray) -> IntArray:
    """Number classes by their first value, so that equal partitions have equal codes."""
    _, first, code = np.unique(raw, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    numbered: IntArray = rank[code]
    return numbered


def _steps(partitions: Sequence[Partition]) -> tuple[tuple[tuple[int, Step], ...], ...]:
    return tuple(
        tuple((i, step) for i, fine in enumerate(partitions[:j]) if (step := fine.step_to(coarse)) is not None)
        for j, coarse in enumerate(partitions)
    )


# Every view of birth at once: which ages each puts together, and the bins it hides in each class.
#
# Views that put the same ages together share their classes: year, quarter, month and date of birth merge
# the same cells and differ in the bins hidden inside.


@dataclass(frozen=True, eq=False)
class Job:
    """Kinds of class that hide ``bins`` bins under a view: ``kind[i]`` adds to ``view[i]``."""

    bins: float
    kind: IntArray
    view: IntArray


@dataclass(frozen=True, eq=False)
class Births:
    """The different classes of ages of all views.

    ``runs``: first age and the one after the last of each class that is a run of ages; shape (runs, 2). ``scattered``:
    the ages of every other class; they come after the runs. ``kind``: classes of a kind belong to the same views and
    hide as many bins. ``jobs``: what adds to what, by bins.
    """

    views: tuple[BirthView, ...]
    ages: int
    runs: IntArray
    scattered: tuple[IntArray, ...]
    kind: IntArray
    kinds: int
    jobs: tuple[Job, ...]

    def merge(self, people: IntArray) -> IntArray:
        """Return the people of each class; ages are the last dimension of ``people``, classes of the result."""
        upto = np.zeros((people.size // self.ages, self.ages + 1), dtype=np.int64)
        np.cumsum(people.reshape(-1, self.ages), axis=1, out=upto[:, 1:])
        in_runs: IntArray = upto[:, self.runs[:, 1]] - upto[:, self.runs[:, 0]]
        if not self.scattered:
            return in_runs
        rest = [people.reshape(-1, self.ages)[:, ages].sum(axis=1) for ages in self.scattered]
        return np.column_stack([in_runs, *rest])


def births_of(hidden: Mapping[BirthView, tuple[IntArray, FloatArray]]) -> Births:
    """Find the different classes of all views."""
    uses: dict[tuple[int, ...], list[tuple[int, float]]] = {}
    ages = 0
    for view, (lower, bins) in enumerate(hidden.values()):
        ages = len(lower)
        for pair in sorted(set(zip(lower.tolist(), bins.tolist(), strict=True))):
            members = np.flatnonzero((lower == pair[0]) & (bins == pair[1]))
            uses.setdefault(tuple(members.tolist()), []).append((view, pair[1]))
    ordered = sorted(uses, key=lambda members: not _is_run(members))  # runs first
    different = list(dict.fromkeys(tuple(uses[members]) for members in ordered))
    views = [(bins, kind, view) for kind, used in enumerate(different) for view, bins in used]
    return Births(
        tuple(hidden),
        ages,
        np.array([(m[0], m[-1] + 1) for m in ordered if _is_run(m)], dtype=np.int64).reshape(-1, 2),
        tuple(np.array(m) for m in ordered if not _is_run(m)),
        np.array([different.index(tuple(uses[members])) for members in ordered]),
        len(different),
        tuple(_job(bins, views) for bins in sorted({bins for bins, _, _ in views})),
    )


def _is_run(members: tuple[int, ...]) -> bool:
    return members[-1] - members[0] == len(members) - 1


def _job(bins: float, views: list[tuple[float, int, int]]) -> Job:
    of_bins = [(kind, view) for hidden, kind, view in views if hidden == bins]
    return Job(bins, *np.array(of_bins, dtype=np.int64).T)


@dataclass(frozen=True)
class AgeClass:
    """A run of ages shown as one value, or one age shown more finely.

    ``first``, ``end``: places of its first age, and of the first one after it. ``granularity``: ``class``; for an age
    of several years also ``year``; for one age also :data:`WITHIN_A_YEAR`.
    """

    first: int
    end: int
    granularity: str = "class"

    def text(self, lower: Sequence[int], width: Sequence[int]) -> str:
        """Write the class, given the lower bound and the years of each age.

        >>> AgeClass(1, 3).text([0, 1, 2, 3], [1, 1, 1, 1]), AgeClass(1, 4).text([0, 1, 2, 3], [1, 1, 1, 1])
        ('1-2', '1+')
        >>> AgeClass(0, 1, "month").text([0, 1], [1, 1])
        '0 by month'
        """
        low, high = lower[self.first], lower[self.end - 1] + width[self.end - 1] - 1
        ages = f"{low}+" if self.end == len(lower) else str(low) if low == high else f"{low}-{high}"
        return ages if self.granularity == "class" else f"{ages} by {self.granularity}"


def written(classes: Sequence[AgeClass], lower: Sequence[int], width: Sequence[int]) -> str:
    """Write classes of ages; single ages that are shown alike and follow each other are put together.

    >>> ages = [AgeClass(0, 1), AgeClass(1, 2), AgeClass(2, 3, "month"), AgeClass(3, 4, "month"), AgeClass(4, 7)]
    >>> written(ages, range(7), [1] * 7)
    '0 to 1 by year, 2 to 3 by month, 4+'
    """

    def shown_alone(age_class: AgeClass) -> str:
        """Say how one age of one year below the last is shown; nothing of other classes."""
        is_single = age_class.end - age_class.first == 1 == width[age_class.first] and age_class.end < len(lower)
        return age_class.granularity if is_single else ""

    words: list[str] = []
    for granularity, run in groupby(classes, shown_alone):
        first, *rest = run
        if granularity and rest:
            word = "year" if granularity == "class" else granularity
            words.append(f"{lower[first.first]} to {lower[rest[-1].first]} by {word}")
        else:
            words += [age_class.text(lower, width) for age_class in (first, *rest)]
    return ", ".join(words)


# How much of what a person is a release tells: its entropy, also where people are placed by chance.


def entropy_bits(groups: AnyGroups) -> FloatArray:
    """Return the entropy of what a release shows of a person drawn from each unit, in bits; shape (units,).

    ``log2 N - sum n log2(n / b) / N`` over the groups of n people: which group, and which of its ``b`` equally likely
    hidden values; 0 where everyone looks alike. For people placed by chance ``n`` are the people of each cell who are
    expected in each place.

    >>> entropy_bits(Groups.of([1, 1, 2])).tolist()
    [1.5]
    """
    if isinstance(groups, Groups | ListedGroups):
        return _of_groups(groups)
    from policy_sim.formulas.added_groups import AddedGroups
    from policy_sim.formulas.placed_groups import CountyGroups, PlacedGroups

    whole, terms = np.zeros(groups.units), np.zeros(groups.units)
    is_compared = isinstance(groups, AddedGroups) and groups.overlap
    for of in groups.classes if isinstance(groups, AddedGroups) else (groups,):
        if not isinstance(of, CountyGroups) or is_compared:
            raise InputError("what a list and a release show of race is compared record by record and has no entropy.")
        for unit in np.unique(of.unit).tolist():
            counties = np.flatnonzero(of.unit == unit)
            expected = (_by_place if isinstance(of, PlacedGroups) else _by_part)(of, counties)
            whole[unit] += float(of.people[counties].sum())
            with np.errstate(divide="ignore", invalid="ignore"):
                terms[unit] += np.where(expected > 0, expected * (np.log2(of.bins) - np.log2(expected)), 0.0).sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole > 0, np.maximum(np.log2(whole) + terms / whole, 0.0), 0.0)


def _of_groups(groups: Groups | ListedGroups) -> FloatArray:
    n = np.asarray(groups.people, dtype=np.float64)
    whole = np.bincount(groups.unit, weights=n, minlength=groups.units)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(n > 0, n * (np.log2(groups.bins) - np.log2(n)), 0.0)
    bits = np.log2(whole) + np.bincount(groups.unit, weights=terms, minlength=groups.units) / whole
    return np.maximum(bits, 0.0)


def _by_part(groups: CountyGroups, counties: IntArray) -> FloatArray:
    """Expected people of each cell in each part of the counties; shape (parts, cells)."""
    in_state = np.isin(groups.county, counties)
    expected: FloatArray = groups.share[in_state, None] * groups.people[groups.county[in_state]]
    return expected


def _by_place(groups: CountyGroups, counties: IntArray) -> FloatArray:
    """Expected people of each cell in each place, parts of several counties together; shape (places, cells)."""
    in_state = np.isin(groups.county, counties)
    _, place = np.unique(groups.place[in_state], return_inverse=True)
    expected = np.zeros((int(place.max(initial=-1)) + 1, groups.people.shape[1]))
    np.add.at(expected, place, _by_part(groups, counties))
    return expected


@dataclass(frozen=True)
class FieldWeights:
    """The worth of a bit of each field, 0 or more.

    Fields tell things that overlap (older people are more often women), so that the sum of what each tells by itself
    is a little more than what all tell together: weights of 1 do not give the entropy of the release.
    """

    worth: Mapping[Field, float]

    def __post_init__(self) -> None:
        for field in Field:
            worth = self.worth.get(field, 1.0)
            if not (np.isfinite(worth) and worth >= 0):
                raise InputError(f"weight of {field} is {worth}: give a number of 0 or more.")
        full = {field: float(self.worth.get(field, 1.0)) for field in Field}
        if not any(full.values()):
            raise InputError("every field has weight 0, so no policy is better than another.")
        object.__setattr__(self, "worth", MappingProxyType(full))

    def __str__(self) -> str:
        return ", ".join(f"{field_word(field)} {worth:g}" for field, worth in self.worth.items())

    def bits_of(
        self, population: AnyPopulation, policies: Sequence[Policy], states: Sequence[str], days_per_year: float = 365.0
    ) -> FloatArray:
        """Return the weighted bits of each policy in each state; shape (policies, states).

        The entropy of what each field alone shows of a person of the state, times its weight, added up.
        """

        @cache
        def bits(key: Granularities, conditions: Conditions) -> FloatArray:
            return entropy_bits(merge(population, key, states, days_per_year=days_per_year, conditions=conditions))

        def alone(policy: Policy, field: Field) -> FloatArray:
            granularity = policy.releases[field]
            key = Granularities(
                {"geography": "state", field.value: "state" if granularity == "nation" else granularity}
            )
            return bits(key, policy.conditions.on(key))

        return np.array(
            [sum(worth * alone(policy, field) for field, worth in self.worth.items() if worth) for policy in policies]
        )


# What a study needs released.


_THE_STATE = Granularities(geography="state")
OLDEST = 90  # years: the class that 45 CFR 164.514(b)(2)(i)(C) asks for meets a need of any age


@dataclass(frozen=True)
class Needs:
    """Fields that a policy must release at least this finely.

    A need of a place is not met where small places are hidden; a need of an age is met where people of 90 and over are
    in one class, as the regulation asks, and is not met by shifted dates.

    ``releases``: the coarsest granularity of each field that will do.

    >>> str(Needs.of(["sex", "race=broad"]).releases)
    'gender+race=broad+geography=state'
    """

    releases: Granularities = _THE_STATE

    @classmethod
    def of(cls, needs: str | Iterable[str]) -> Needs:
        """Return the needs that texts name: ``sex``, ``race=broad``, ``race_ethnicity``, ``geography=county``.

        A field alone is needed by its value; birth and geography have several, so one must be named.
        """
        texts = [str(text).strip() for text in ((needs,) if isinstance(needs, str) else needs)]
        for name in (Field.BIRTH, Field.GEOGRAPHY):
            if name.value in texts:
                views = ", ".join(view for view in GRANULARITIES[name] if view not in ("none", "nation"))
                raise InputError(f"How finely do you need {name}? Write {name}= and one of {views}.")
        needed = Granularities.parse("+".join(texts))
        return cls(needed.join(_THE_STATE))

    @property
    def any(self) -> bool:
        """Whether anything is needed besides the state."""
        return self.releases != _THE_STATE

    def met_by(self, policy: Policy) -> bool:
        """Tell whether a policy releases what is needed."""
        top, small = policy.conditions.top_age, policy.conditions.small_places
        if top is not None and top < OLDEST and self.releases[Field.BIRTH] != "none":
            return False
        if small is not None and self.releases[Field.GEOGRAPHY] not in ("nation", "state"):
            return False
        if policy.conditions.shift_days is not None and self.releases[Field.BIRTH] != "none":
            return False
        return self.releases.is_coarser_or_equal(policy.releases)

    def within(self, lattice: Lattice) -> Lattice:
        """Return the part of a lattice that can meet the needs, as far as they are of who people are."""
        return replace(lattice, people=tuple(self._meeting(views) or views for views in lattice.people))

    def _meeting(self, views: tuple[Granularities, ...]) -> tuple[Granularities, ...]:
        names = {name for view in views for name, seen in view.items() if seen != "none"} - {Field.GEOGRAPHY}
        needed = Granularities({name.value: self.releases[name] for name in names})
        return tuple(view for view in views if needed.is_coarser_or_equal(view))

    def classes(self, lower: IntArray, width: IntArray) -> BoolArray:
        """Return which runs of ages may be one class; shape (ages, ages + 1).

        A run may not reach over a class of the granularity that is needed, below :data:`OLDEST`.
        """
        granularity = self.releases[Field.BIRTH]
        ages = len(lower)
        if granularity == "none":
            return np.ones((ages, ages + 1), dtype=bool)
        if not is_coarser_or_equal(Field.BIRTH, granularity, "year"):
            return np.zeros((ages, ages + 1), dtype=bool)  # a class of whole years tells too little
        class_of_age, _ = age_classes(lower, width, granularity, top_age=OLDEST)
        last = np.concatenate([class_of_age[:1], class_of_age])  # of the runs that end before each age
        same: BoolArray = class_of_age[:, None] == last[None]
        return same
