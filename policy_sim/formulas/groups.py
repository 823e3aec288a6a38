"""Groups of people, counted once each, and what a release of them reveals, in people by unit (a state, a county).

Here the census and a data set meet. From the census: people who share the part of the linkage key
that the census shows, and the bins hidden inside. From a data set: ``bins`` 1, ``people`` the size of
a class in the population, ``released`` its size in the release. A release of j of the n people
reveals j/n of what all n would.

The formulas of one group (:mod:`policy_sim.formulas.bins`) are each applied once to each different
(people, bins, coverage) and weighted by how often it occurs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from policy_sim.formulas.binomial import by_unit, checked_bins, checked_numbers, checked_whole
from policy_sim.formulas.bins import claimed_records, occupied_bins, people_by_bin_size, people_g_distinct
from policy_sim.formulas.variance import (
    variance_of_correct_links,
    variance_of_people_g_distinct,
    variance_of_unique_people,
)
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray
from policy_sim.words.errors import InputError

_PAIRS_AT_ONCE = 8192  # bounds the memory of a sweep

# Of kinds of groups: the unit, the people of each, and the correct matches among them; aligned.
Matches = tuple[IntArray, FloatArray, FloatArray]


class AnyGroups(ABC):
    """People by what a linkage key distinguishes; every kind of groups answers the same questions.

    ``units``: number of results. Everywhere ``coverage`` is the share of the people whom the resource lists, 0 to 1;
    one value, or one a unit. Where groups know by themselves who is on a list, it is the share of the people who are in
    the file. Outside its range or of another length than the units, it is an InputError.
    """

    units: int

    def total_risk(self, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected number of correct re-identifications in each unit.

        Returns
        -------
        People, shape (units,): the sum of ``(j/n) b (1 - (1 - c/b)**n)``. With ``bins`` 1 the sum of f/F,
        records times marketer risk.

        References
        ----------
        Benitez and Malin (2010), equation 4.
        """
        return self._total_risk(by_unit("coverage", coverage, self.units))

    def g_distinct(self, g: Sequence[int], coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected number of people in bins of ``g`` or fewer, in each unit.

        Parameters
        ----------
        g : Sizes, each >= 1, in any order.

        Returns
        -------
        People, shape (units, len(g)).

        References
        ----------
        Benitez and Malin (2010), equations 2 and 3; see :func:`policy_sim.formulas.bins.people_g_distinct`.
        """
        sizes = checked_whole("g", g, 1).astype(np.int64)
        return self._g_distinct(sizes, by_unit("coverage", coverage, self.units))

    def claims(self, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected number of records in each unit that an attacker claims to have named; shape (units,).

        It claims a record where exactly one listed person has its values. Of the claims, those of :meth:`g_distinct`
        for 1 are correct: the share of correct claims is the precision.
        """
        return self._claims(by_unit("coverage", coverage, self.units))

    def g_distinct_sweep(self, g_max: int, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return :meth:`g_distinct` for every g = 1, 2, ..., ``g_max``, shape (units, g_max), in one pass."""
        most = int(checked_whole("g_max", g_max, 1))
        return self._sweep(most, by_unit("coverage", coverage, self.units))

    def total_risk_variance(self, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the variance of the number of correct links of each unit, of which total risk is the expectation.

        Over how people fall into bins and over which of the equals the attacker picks, record by record
        (:func:`~policy_sim.formulas.variance.variance_of_correct_links`); where ``j`` of a group's ``n`` are released,
        over which of them these are, too. Groups are independent, so their variances add up.

        Returns
        -------
        People squared, shape (units,).

        Raises
        ------
        InputError : bins between 1 and 2.
        """
        return self._total_risk_variance(by_unit("coverage", coverage, self.units))

    def g_distinct_variance(self, g: int, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the variance of the people in bins of ``g`` or fewer of each unit, over how people fall into bins.

        Result and errors as in :meth:`total_risk_variance`; no guess enters here.
        """
        return self._g_distinct_variance(g, by_unit("coverage", coverage, self.units))

    def matches(self, coverage: ArrayLike = 1.0, in_file: ArrayLike = 1.0) -> Matches:
        """Return the unit of each kind of group, its records and its correct matches; all expected.

        ``coverage``: share of the people who are listed and in the file; ``in_file``: of those who are in the file.
        """
        raise NotImplementedError

    def plain(self, listed: FloatArray, in_file: FloatArray | float = 1.0) -> DistinctGroups:  # noqa: ARG002
        """Return the different plain groups, or such as are nearly alike; shares of people by unit as in Chances."""
        raise InputError(
            "how many people of a list share a record's values is not computed for ZIP codes placed by the make-up of "
            "the county: take a population by ZIP code such as us-2010-zip, or policies without ZIP codes."
        )

    def without_stale(self) -> Self:
        """Return the groups for an attacker who knows who is in the file: nobody who left is."""
        return self

    @property
    def by_class(self) -> tuple[AnyGroups, ...]:
        """The groups of each class of a release by themselves: those of one class are of different people."""
        return (self,)

    @property
    def says_who_is_listed(self) -> bool:
        """Whether the groups know by themselves who of their people is on a list."""
        return getattr(self, "listed", None) is not None

    @abstractmethod
    def _total_risk(self, coverage: FloatArray) -> FloatArray: ...

    @abstractmethod
    def _g_distinct(self, sizes: IntArray, coverage: FloatArray) -> FloatArray: ...

    @abstractmethod
    def _claims(self, coverage: FloatArray) -> FloatArray: ...

    @abstractmethod
    def _sweep(self, g_max: int, coverage: FloatArray) -> FloatArray: ...

    def _total_risk_variance(self, coverage: FloatArray) -> FloatArray:
        pairs = self.plain(coverage).pairs()
        keys = (pairs.people, pairs.bins, pairs.coverage)
        return pairs.variance_among_released(occupied_bins(*keys), variance_of_correct_links(*keys))

    def _g_distinct_variance(self, g: int, coverage: FloatArray) -> FloatArray:
        pairs = self.plain(coverage).pairs()
        n, b, c = pairs.people, pairs.bins, pairs.coverage
        variance = variance_of_unique_people(n, b, c) if g == 1 else variance_of_people_g_distinct(n, b, g, c)
        return pairs.variance_among_released(people_g_distinct(n, b, g, c), variance)


# The questions as functions: no kind of groups defines one of these anew, only what is behind it.
total_risk, g_distinct, claims = AnyGroups.total_risk, AnyGroups.g_distinct, AnyGroups.claims
g_distinct_sweep = AnyGroups.g_distinct_sweep
total_risk_variance, g_distinct_variance = AnyGroups.total_risk_variance, AnyGroups.g_distinct_variance


@dataclass(frozen=True, eq=False)
class DistinctGroups:
    """The different (unit, people, bins) among groups, aligned arrays.

    ``weight`` adds up j/n over the groups that are alike (their number, where everyone is released),
    ``weight_squared`` adds up its square, for variances. ``coverage``: the chance that a person of each is listed and
    in the file; ``missed``: people of each who are in the file and not listed.
    """

    unit: IntArray
    people: IntArray
    bins: FloatArray
    weight: FloatArray
    weight_squared: FloatArray
    units: int
    coverage: FloatArray | None = None
    missed: FloatArray | None = None

    def __post_init__(self) -> None:
        _lock(self, ("unit", "people", "bins", "weight", "weight_squared"))

    def pairs(self) -> Pairs:
        """Return the different (people, bins, coverage)."""
        assert self.coverage is not None
        _, kind = codes(self.bins)
        shares, share = codes(self.coverage)
        first, pair = _alike(kind * len(shares) + share, self.people)
        return Pairs(self.people[first].astype(np.float64), self.bins[first], self.coverage[first], self, pair)


class Pairs(NamedTuple):
    """The different (people, bins, coverage) of all units, and which of them each of the distinct groups is."""

    people: FloatArray
    bins: FloatArray
    coverage: FloatArray
    groups: DistinctGroups
    pair: IntArray

    def added(self, values: FloatArray, weight: FloatArray | None = None) -> FloatArray:
        """Return the values of the pairs added up by unit; shape (units,), or (units, g) of g columns."""
        groups = self.groups
        of_group = (groups.weight if weight is None else weight) * values.T[..., self.pair]
        rows = [np.bincount(groups.unit, row, groups.units) for row in np.atleast_2d(of_group)]
        added: FloatArray = np.array(rows, dtype=np.float64)
        return added[0] if values.ndim == 1 else added.T

    def g_distinct(self, sizes: IntArray) -> FloatArray:
        """Return the people in bins of each size or fewer; shape (units, sizes)."""
        n, b, c = (array[:, None] for array in (self.people, self.bins, self.coverage))
        return self.added(people_g_distinct(n, b, sizes[None, :], c))

    def sweep(self, g_max: int, exact: FloatArray | None = None) -> FloatArray:
        """Return the people in bins of 1, 2, ..., ``g_max`` or fewer; ``exact``: those of the first few sizes."""
        from scipy import sparse

        place, shape = (self.groups.unit, self.pair), (self.groups.units, len(self.people))
        weight = sparse.coo_array((self.groups.weight, place), shape=shape).tocsr()
        people = np.zeros((self.groups.units, g_max))
        for low in range(0, len(self.people), _PAIRS_AT_ONCE):
            part = slice(low, low + _PAIRS_AT_ONCE)
            by_size = people_by_bin_size(self.people[part], self.bins[part], g_max, self.coverage[part])
            people += (weight[:, part] @ by_size).toarray()
        np.cumsum(people, axis=1, out=people)
        if exact is not None:  # plain groups tell how many more there are in larger bins
            few = exact.shape[1]
            people[:, few:] += (exact[:, -1] - people[:, few - 1])[:, None]
            people[:, :few] = exact
        # the last digit of the running sum must not make more people than there are
        return np.minimum(people, self.added(self.people * self.coverage)[:, None], out=people)

    def variance_among_released(self, mean: FloatArray, variance: FloatArray) -> FloatArray:
        """Return the variance of what is counted among the released, by unit, given that of all ``n`` of each group.

        Each person counts or does not (a right link, alone in a bin), and no person is likelier to than another.
        So the count among ``j`` of them has the variance ``j m (1-m) + j (j-1) C`` with ``m`` the mean per person
        and ``C`` the covariance of two, which the variance of all ``n`` tells. With ``j = n`` that is itself.
        """
        n = np.maximum(self.people, 1)
        single = mean * (1 - mean / n)
        partly = np.where(n > 1, (n * single - variance) / np.maximum(n - 1, 1), single)
        released, squared = self.groups.weight, self.groups.weight_squared
        return np.maximum(self.added(variance, squared) + self.added(partly, released - squared), 0.0)


@dataclass(frozen=True, eq=False)
class Groups(AnyGroups):
    """Aligned arrays, one element a group; :meth:`of` makes and checks them.

    The arrays cannot be written to.

    Attributes
    ----------
    unit : Which result each group adds to, 0 to ``units - 1``.
    people : Persons in the group, n >= 0.
    bins : Equally likely values hidden inside, b >= 1, may be fractional.
    released : Persons of the group who are in the release, 0 <= j <= n.
    units : Number of results.
    number : How many groups each element stands for, all of them alike; one by default.
    """

    unit: IntArray
    people: IntArray
    bins: FloatArray
    released: IntArray | FloatArray
    units: int
    number: IntArray | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        everyone = self.released is self.people
        _lock(self, ("unit", "people", "bins", "released"))
        if everyone:  # one array, known by its identity
            object.__setattr__(self, "released", self.people)

    @classmethod
    def of(
        cls,
        people: ArrayLike,
        bins: ArrayLike = 1,
        released: ArrayLike | None = None,
        unit: ArrayLike | None = None,
        units: int | None = None,
    ) -> Groups:
        """Make groups: by default everyone is released, and all groups are of one unit.

        Raises
        ------
        InputError : arrays of different length, a value outside its range, more released than people.
        """
        n = checked_whole("people", people, 0)
        if n.ndim != 1:
            raise InputError(f"people has {n.ndim} dimensions: give a list, one value per group.")
        whole = n.astype(np.int64)
        b = _own(_aligned("bins", checked_bins(bins), n.size), bins)
        where = _aligned("unit", checked_whole("unit", 0 if unit is None else unit, 0), n.size)
        least = int(where.max(initial=0)) + 1
        if units is not None and units < least:
            raise InputError(f"units = {units} must be more than the largest unit, {least - 1}.")
        part = whole if released is None else _own(_part(released, n), released)
        return cls(where.astype(np.int64), whole, b, part, least if units is None else units)

    def __len__(self) -> int:
        return len(self.people) if self.number is None else int(self.number.sum())

    @cached_property
    def distinct(self) -> DistinctGroups:
        """The different (unit, people, bins) of groups that hold anyone released, with weights.

        Every measure depends on a group through these alone: millions of groups come down to tens of
        thousands of formulas.
        """
        kinds, kind = codes(self.bins)
        row, people = self.unit * len(kinds) + kind, self.people
        everyone = self.released is self.people or np.array_equal(self.released, self.people)
        everyone &= self.number is None
        held = (self.released > 0).nonzero()[0]
        if len(held) < len(people):
            row, people = row[held], people[held]
        span = int(people.max(initial=0)) + 1
        if everyone and self.units * len(kinds) * span <= np.iinfo(np.int64).max:
            number, many = np.unique(row * span + people, return_counts=True)
            row, size = np.divmod(number, span)
            weight = squares = many.astype(np.float64)
        else:
            from scipy import sparse

            share = self.released[held] / np.maximum(people, 1)
            times = 1 if self.number is None else self.number[held]
            # the conversion adds up what shares a place, and leaves columns in order
            shape = (self.units * len(kinds), span)
            tables = [sparse.coo_array((times * share**power, (row, people)), shape=shape).tocsr() for power in (1, 2)]
            weight, squares = (table.data for table in tables)
            row = np.repeat(np.arange(shape[0]), np.diff(tables[0].indptr))
            size = tables[0].indices.astype(np.int64)
        unit, kind = np.divmod(row, max(len(kinds), 1))
        return DistinctGroups(unit, size, kinds[kind], weight, squares, self.units)

    def plain(self, listed: FloatArray, in_file: FloatArray | float = 1.0) -> DistinctGroups:
        """Return the different (unit, people, bins) with the coverage of their unit."""
        kinds = self.distinct
        c, h = listed[kinds.unit], np.broadcast_to(in_file, self.units)[kinds.unit]
        missed = kinds.weight * kinds.people * h * (1 - c)
        return replace(kinds, coverage=c * h, missed=missed)

    def matches(self, coverage: ArrayLike = 1.0, in_file: ArrayLike = 1.0) -> Matches:
        """Return the unit of each kind of group, its records and its correct matches; all expected."""
        kinds = self.distinct
        listed, held = (np.broadcast_to(share, self.units)[kinds.unit] for share in (coverage, in_file))
        right = occupied_bins(kinds.people, kinds.bins, listed)
        return kinds.unit, kinds.weight * kinds.people * held, kinds.weight * right

    def _total_risk(self, coverage: FloatArray) -> FloatArray:
        pairs = self.plain(coverage).pairs()
        return pairs.added(occupied_bins(pairs.people, pairs.bins, pairs.coverage))

    def _g_distinct(self, sizes: IntArray, coverage: FloatArray) -> FloatArray:
        return self.plain(coverage).pairs().g_distinct(sizes)

    def _claims(self, coverage: FloatArray) -> FloatArray:
        pairs = self.plain(coverage).pairs()
        return pairs.added(claimed_records(pairs.people, pairs.bins, pairs.coverage))

    def _sweep(self, g_max: int, coverage: FloatArray) -> FloatArray:
        return self.plain(coverage).pairs().sweep(g_max)


def _own(values: FloatArray, source: ArrayLike) -> FloatArray:
    """Return the values apart from the caller's array, which may change later."""
    return values.copy() if isinstance(source, np.ndarray) and np.may_share_memory(values, source) else values


def _lock(noun: object, names: Iterable[str]) -> None:
    """Set views in the place of a frozen noun's arrays through which nothing can be written."""
    for name in names:
        locked = getattr(noun, name).view()
        locked.flags.writeable = False
        object.__setattr__(noun, name, locked)


def _part(released: ArrayLike, people: FloatArray) -> FloatArray:
    part = _aligned("released", checked_numbers("released", released), people.size)
    wrong = ~((part >= 0) & (part <= people))
    if wrong.any():
        i = int(wrong.argmax())
        raise InputError(
            f"released = {part[i]:g} (value {i + 1} of {people.size}) must be 0 to its group's {people[i]:g} people."
        )
    return part


def _aligned(name: str, values: FloatArray, size: int) -> FloatArray:
    if values.ndim == 0:
        return np.broadcast_to(values, size)
    if values.shape != (size,):
        raise InputError(f"{name} has shape {values.shape} where people has {size} values: give one per group.")
    return values


def codes(values: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the different values in order and each element's place among them.

    As np.unique, without its sort where the values are few (365 and 1825 days).
    """
    few: list[float] = []
    rest = values
    while rest.size and len(few) < 16:
        few.append(float(rest[0]))
        rest = rest[rest != rest[0]]
    if rest.size:
        return np.unique(values, return_inverse=True)
    kinds = np.sort(np.array(few))
    return kinds, np.searchsorted(kinds, values)


def _alike(kind: IntArray, people: IntArray) -> tuple[IntArray, IntArray]:
    """Return one place that has each different (kind, people), and which of them each place has."""
    span = int(people.max(initial=0)) + 1
    if (int(kind.max(initial=0)) + 1) * span <= np.iinfo(np.int64).max:
        _, first, pair = np.unique(kind * span + people, return_index=True, return_inverse=True)
    else:  # both do not fit into one integer
        rows = np.column_stack([kind, people])
        _, first, pair = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first, pair.reshape(-1)


@dataclass(frozen=True, eq=False)
class Chances:
    """With what chance people of each unit are on the attacker's list, and in the file: every measure with both.

    Without a file, everyone is released and the attacker links each record to somebody on its list. Where it knows who
    is in the file, it links each record of the file to one of the listed people who are in it.

    Parameters
    ----------
    listed : Chance ``c`` that a person is on the list, 0 to 1; shape (units,). 1 where the groups say who is on it.
    in_file : Chance ``h`` that a person is in the file, where the attacker knows it of the people on its list;
        shape (units,). None: everyone is released, or the attacker knows no more than that.
    asked : Units with every figure; the others, on other lists, have those that count people. None: all.

    Examples
    --------
    Of 100 people with the same values, 10 are in the file, and the attacker knows who: of its guesses one is right.
    With 100 values in their place, 90% of the ten are alone with theirs.

    >>> from policy_sim.formulas.groups import Groups
    >>> known = Chances(np.ones(1), np.full(1, 0.1))
    >>> known.total_risk(Groups.of([100])).round(3).item()
    1.0
    >>> known.g_distinct(Groups.of([100], bins=[100]), [1]).round(2).item()
    9.06

    References
    ----------
    docs/model.md, "A target that is known to be in the file".
    """

    listed: FloatArray
    in_file: FloatArray | None = None
    asked: BoolArray | None = None

    def repeated(self, many: int) -> Chances:
        """Return the chances for units that each stand ``many`` times, one after the other."""
        in_file = None if self.in_file is None else np.repeat(self.in_file, many)
        return Chances(np.repeat(self.listed, many), in_file)

    @property
    def linkable(self) -> FloatArray:
        """Chance ``c h`` that a person is in the file and on the list: somebody a record can be linked to."""
        return self.listed if self.in_file is None else self.listed * self.in_file

    def candidates(self, groups: AnyGroups) -> AnyGroups:
        """Return the groups with those whom a record can be linked to: records of people who left are in no file."""
        return groups if self.in_file is None else groups.without_stale()

    def total_risk(self, groups: AnyGroups) -> FloatArray:
        """Return the expected correct links of each unit, ``b (1 - (1 - c h/b)^n)`` a group; shape (units,)."""
        return self.candidates(groups).total_risk(self.linkable)

    def g_distinct(self, groups: AnyGroups, g: Sequence[int]) -> FloatArray:
        """Return the listed people of the file in bins of ``g`` or fewer of them; shape (units, len(g))."""
        return self.candidates(groups).g_distinct(g, self.linkable)

    def g_distinct_sweep(self, groups: AnyGroups, g_max: int) -> FloatArray:
        """Return :meth:`g_distinct` for every g = 1, 2, ..., ``g_max``; shape (units, g_max)."""
        return self.candidates(groups).g_distinct_sweep(g_max, self.linkable)

    def claims(self, groups: AnyGroups) -> FloatArray:
        """Return the records claimed, and those claimed rightly; shape (units, 2).

        A record of the file is claimed where exactly one listed person of the file has its values, and rightly if
        that person is its own. A wrong claim is a record of the file whose person is not listed: ``h (1 - c)`` of
        the people, where a release of everyone, linked by the same listed people, has ``1 - c h`` of them.
        """
        correct = self.g_distinct(groups, (1,))[:, 0]
        if groups.says_who_is_listed:
            return np.column_stack([self.candidates(groups).claims(self.linkable), correct])
        if bool((self.listed == 1).all()):
            return np.column_stack([correct, correct])
        held = np.ones_like(self.listed) if self.in_file is None else self.in_file
        missed = 1 - self.linkable
        unlisted = np.divide(held * (1 - self.listed), missed, out=np.zeros_like(missed), where=missed > 0)
        wrong = np.maximum(groups.claims(self.linkable) - correct, 0.0)
        return np.column_stack([correct + wrong * unlisted, correct])
