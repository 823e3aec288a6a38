"""Groups of people, counted once each.

Here the census and a data set meet. From the census: people who share the part of the linkage key
that the census shows, and the bins hidden inside. From a data set: ``bins`` 1, ``people`` the size of
a class in the population, ``released`` its size in the release. A release of j of the n people
reveals j/n of what all n would.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from policy_sim.formulas.binomial import checked_bins, checked_coverage, checked_numbers, checked_whole
from policy_sim.formulas.bins import claimed_records, occupied_bins, people_by_bin_size, people_g_distinct
from policy_sim.formulas.listed_groups import ListedGroups
from policy_sim.formulas.listed_variance import few_variance, links_variance
from policy_sim.formulas.variance import (
    variance_of_correct_links,
    variance_of_people_g_distinct,
    variance_of_unique_people,
)
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import InputError

if TYPE_CHECKING:
    from scipy import sparse

    from policy_sim.formulas.compared_groups import ComparedGroups
    from policy_sim.formulas.placed_groups import CountyPartGroups, PartedGroups, PlacedGroups
    from policy_sim.formulas.released_groups import ReleasedByPart


@dataclass(frozen=True, eq=False)
class DistinctGroups:
    """The different (unit, people, bins) among groups, aligned arrays.

    ``weight`` adds up j/n over the groups that are alike (their number, where everyone is released),
    ``weight_squared`` adds up its square, for variances.
    """

    unit: IntArray
    people: IntArray
    bins: FloatArray
    weight: FloatArray
    weight_squared: FloatArray
    units: int

    def __post_init__(self) -> None:
        _lock(self, ("unit", "people", "bins", "weight", "weight_squared"))


@dataclass(frozen=True, eq=False)
class Groups:
    """Aligned arrays, one element a group; :meth:`of` makes and checks them.

    The arrays cannot be written to.

    Attributes
    ----------
    unit : Which result each group adds to, 0 to ``units - 1``.
    people : Persons in the group, n >= 0.
    bins : Equally likely values hidden inside, b >= 1, may be fractional.
    released : Persons of the group who are in the release, 0 <= j <= n.
    units : Number of results.
    """

    unit: IntArray
    people: IntArray
    bins: FloatArray
    released: IntArray | FloatArray
    units: int

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
        return len(self.people)

    def distinct(self) -> DistinctGroups:
        """Return the different (unit, people, bins) of groups that hold anyone released, with weights.

        Every measure depends on a group through these alone: millions of groups come down to tens of
        thousands of formulas. Computed once.
        """
        return self._distinct

    @cached_property
    def _distinct(self) -> DistinctGroups:
        kinds, kind = codes(self.bins)
        row, people = self.unit * len(kinds) + kind, self.people
        everyone = self.released is self.people or np.array_equal(self.released, self.people)
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
            # the conversion adds up what shares a place, and leaves columns in order
            shape = (self.units * len(kinds), span)
            tables = [sparse.coo_array((share**power, (row, people)), shape=shape).tocsr() for power in (1, 2)]
            weight, squares = (table.data for table in tables)
            row = np.repeat(np.arange(shape[0]), np.diff(tables[0].indptr))
            size = tables[0].indices.astype(np.int64)
        unit, kind = np.divmod(row, max(len(kinds), 1))
        return DistinctGroups(unit, size, kinds[kind], weight, squares, self.units)


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


# What a release of groups reveals, in people, summed by unit (a state, a county).
#
# The formulas are those of :mod:`policy_sim.formulas`, each applied once to each different
# (people, bins, coverage) and weighted by how often it occurs.


# Groups of people who are counted together, placed by chance, or compared class by class: measures in people answer for
# each.
AnyGroups: TypeAlias = "Groups | ListedGroups | CountyPartGroups | PlacedGroups | ComparedGroups"
# The same, also with every figure parted among the people.
MeasuredGroups: TypeAlias = "AnyGroups | PartedGroups | ReleasedByPart"

_Measured = TypeVar("_Measured", "AnyGroups", "MeasuredGroups")

_PAIRS_AT_ONCE = 8192  # bounds the memory of a sweep
# Up to as many entries in a bin, groups on a list are not replaced by plain groups that are nearly alike: where some
# sizes are asked for, and in a curve, which has each.
_FEW_ENTRIES, _FEW_OF_EACH = 400, 32


def total_risk(groups: MeasuredGroups, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the expected number of correct re-identifications in each unit.

    Parameters
    ----------
    groups : Who can be distinguished, and how.
    coverage : Share of the people whom the resource lists, 0 to 1; one value, or one a unit.

    Returns
    -------
    People, shape (units,): the sum of ``(j/n) b (1 - (1 - c/b)**n)``. With ``bins`` 1 the sum of f/F,
    records times marketer risk.

    Raises
    ------
    InputError : coverage outside its range or of another length than the units.

    References
    ----------
    Benitez and Malin (2010), equation 4.
    """
    if not isinstance(groups, Groups):
        return groups.total_risk(coverage)
    pairs = _pairs(groups, coverage)
    return pairs.added(occupied_bins(pairs.people, pairs.bins, pairs.coverage))


def g_distinct(groups: MeasuredGroups, g: Sequence[int], coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the expected number of people in bins of ``g`` or fewer, in each unit.

    Parameters
    ----------
    groups, coverage : As in :func:`total_risk`.
    g : Sizes, each >= 1, in any order.

    Returns
    -------
    People, shape (units, len(g)).

    References
    ----------
    Benitez and Malin (2010), equations 2 and 3; see :func:`policy_sim.formulas.bins.people_g_distinct`.
    """
    if not isinstance(groups, Groups):
        sizes = tuple(int(size) for size in checked_whole("g", g, 1))
        few = [size for size in sizes if size <= _FEW_ENTRIES]
        if not isinstance(groups, ListedGroups) or len(few) == len(sizes):
            return groups.g_distinct(sizes, coverage)
        if few:
            columns = {size: g_distinct(groups, [size], coverage)[:, 0] for size in sizes}
            return np.column_stack([columns[size] for size in sizes])
    pairs = _pairs(groups, coverage)
    n, b, c = (array[:, None] for array in (pairs.people, pairs.bins, pairs.coverage))
    return pairs.added(people_g_distinct(n, b, np.asarray(g)[None, :], c))


def claims(groups: MeasuredGroups, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the expected number of records in each unit that an attacker claims to have named.

    It claims a record where exactly one listed person has its values. Of the claims,
    ``g_distinct(groups, [1], coverage)`` are correct: the share of correct claims is the precision.
    Parameters and errors as in :func:`total_risk`; shape (units,).
    """
    if not isinstance(groups, Groups):
        return groups.claims(coverage)
    pairs = _pairs(groups, coverage)
    return pairs.added(claimed_records(pairs.people, pairs.bins, pairs.coverage))


def g_distinct_sweep(groups: MeasuredGroups, g_max: int, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return :func:`g_distinct` for every g = 1, 2, ..., ``g_max``, shape (units, g_max), in one pass."""
    if not isinstance(groups, Groups | ListedGroups):
        from policy_sim.formulas.compared_groups import ComparedGroups
        from policy_sim.formulas.placed_groups import PartedGroups
        from policy_sim.formulas.placed_sweep import sweep_placed
        from policy_sim.formulas.released_groups import ReleasedByPart, ReleasedInParts, ReleasedInPlaces

        most = int(checked_whole("g_max", g_max, 1))
        if isinstance(groups, PartedGroups | ReleasedByPart):
            raise InputError("curves are not parted among the people: ask for single values of g.")
        if isinstance(groups, ComparedGroups | ReleasedInParts | ReleasedInPlaces):
            return groups.g_distinct_sweep(most, coverage)
        return sweep_placed(groups, most, coverage)
    pairs = _pairs(groups, coverage)
    weight = pairs.matrix()
    people = np.zeros((groups.units, int(checked_whole("g_max", g_max, 1))))
    for low in range(0, len(pairs.people), _PAIRS_AT_ONCE):
        part = slice(low, low + _PAIRS_AT_ONCE)
        by_size = people_by_bin_size(pairs.people[part], pairs.bins[part], g_max, pairs.coverage[part])
        people += (weight[:, part] @ by_size).toarray()
    np.cumsum(people, axis=1, out=people)
    if isinstance(groups, ListedGroups):  # plain groups tell how many more there are in larger bins
        few = min(_FEW_OF_EACH, people.shape[1])
        exact = groups.g_distinct(range(1, few + 1), coverage)
        people[:, few:] += (exact[:, -1] - people[:, few - 1])[:, None]
        people[:, :few] = exact
    # the last digit of the running sum must not make more people than there are
    return np.minimum(people, pairs.added(pairs.people * pairs.coverage)[:, None], out=people)


def total_risk_variance(groups: AnyGroups, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the variance of the number of correct links of each unit, of which total risk is the expectation.

    Over how people fall into bins and over which of the equals the attacker picks, record by record
    (:func:`~policy_sim.formulas.variance.variance_of_correct_links`); where ``j`` of a group's ``n`` are released, over
    which of them these are, too. Groups are independent, so their variances add up.

    Parameters
    ----------
    groups, coverage : As in :func:`total_risk`.

    Returns
    -------
    People squared, shape (units,).

    Raises
    ------
    InputError : as :func:`total_risk`, and bins between 1 and 2.
    """
    if isinstance(groups, ListedGroups):
        return links_variance(groups, coverage)
    pairs = _pairs(groups, coverage)
    keys = (pairs.people, pairs.bins, pairs.coverage)
    return _of_part(pairs, occupied_bins(*keys), variance_of_correct_links(*keys))


def unique_people_variance(groups: AnyGroups, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the variance of the unique people (1-distinct) of each unit, as :func:`g_distinct_variance`."""
    return g_distinct_variance(groups, 1, coverage)


def g_distinct_variance(groups: AnyGroups, g: int, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the variance of the people in bins of ``g`` or fewer of each unit, over how people fall into bins.

    Parameters, result and errors as in :func:`total_risk_variance`; no guess enters here.
    """
    if isinstance(groups, ListedGroups) and g <= _FEW_OF_EACH:
        return few_variance(groups, g, coverage)
    pairs = _pairs(groups, coverage)
    keys = (pairs.people, pairs.bins)
    if g == 1:
        variance = variance_of_unique_people(*keys, pairs.coverage)
    else:
        variance = variance_of_people_g_distinct(*keys, g, pairs.coverage)
    return _of_part(pairs, people_g_distinct(*keys, g, pairs.coverage), variance)


def _of_part(pairs: _Pairs, mean: FloatArray, variance: FloatArray) -> FloatArray:
    """Return the variance of what is counted among the released, by unit, given that of all ``n`` of each group.

    Each person counts or does not (a right link, alone in a bin), and no person is likelier to than another.
    So the count among ``j`` of them has the variance ``j m (1-m) + j (j-1) C`` with ``m`` the mean per person
    and ``C`` the covariance of two, which the variance of all ``n`` tells. With ``j = n`` that is itself.
    """
    n = np.maximum(pairs.people, 1)
    single = mean * (1 - mean / n)
    partly = np.where(n > 1, (n * single - variance) / np.maximum(n - 1, 1), single)
    released, squared = pairs.triples.weight, pairs.triples.weight_squared
    return np.maximum(pairs.added(variance, squared) + pairs.added(partly, released - squared), 0.0)


class _Pairs(NamedTuple):
    """The different (people, bins, coverage) of all units, and which of them each triple of a unit is."""

    people: FloatArray
    bins: FloatArray
    coverage: FloatArray
    triples: DistinctGroups
    pair: IntArray

    def added(self, values: FloatArray, weight: FloatArray | None = None) -> FloatArray:
        """Return the values of the pairs added up by unit; shape (units,), or (units, g) of g columns."""
        triples = self.triples
        of_triple = (triples.weight if weight is None else weight) * values.T[..., self.pair]
        rows = [np.bincount(triples.unit, row, triples.units) for row in np.atleast_2d(of_triple)]
        added: FloatArray = np.array(rows, dtype=np.float64)
        return added[0] if values.ndim == 1 else added.T

    def matrix(self) -> sparse.csr_array:
        """Return the weight of each pair in each unit; shape (units, pairs)."""
        from scipy import sparse

        place, shape = (self.triples.unit, self.pair), (self.triples.units, len(self.people))
        return sparse.coo_array((self.triples.weight, place), shape=shape).tocsr()


def _pairs(groups: AnyGroups, coverage: ArrayLike) -> _Pairs:
    if isinstance(groups, ListedGroups):
        return _alike_pairs(groups, coverage)
    if not isinstance(groups, Groups):
        raise InputError(
            "variances are not computed for ZIP codes placed by the make-up of the county: take a population by ZIP "
            "code such as us-2010-zip."
        )
    triples = groups.distinct()
    share = checked_coverage(coverage)
    if share.shape not in ((), (groups.units,)):
        raise InputError(f"coverage has shape {share.shape}: give one value, or one for each of {groups.units} units.")
    listed = np.broadcast_to(share, groups.units)[triples.unit]
    _, share_code = codes(listed)
    kinds, code = codes(triples.bins)
    first, pair = _alike(share_code * len(kinds) + code, triples.people)
    return _Pairs(triples.people[first].astype(np.float64), triples.bins[first], listed[first], triples, pair)


def _alike_pairs(groups: ListedGroups, in_file: ArrayLike) -> _Pairs:
    """Return plain groups that are nearly alike; what is released of a group weighs as much as it has listed people."""
    alike = groups.alike(in_file)
    bins, kind = codes(alike.bins)
    coverage, share = codes(alike.coverage)
    people = alike.people.astype(np.int64)
    first, pair = _alike(kind * len(coverage) + share, people)
    triples = DistinctGroups(alike.unit, people, alike.bins, alike.weight, alike.weight_squared, alike.units)
    return _Pairs(alike.people[first], bins[kind[first]], coverage[share[first]], triples, pair)


def _alike(kind: IntArray, people: IntArray) -> tuple[IntArray, IntArray]:
    """Return one place that has each different (kind, people), and which of them each place has."""
    span = int(people.max(initial=0)) + 1
    if (int(kind.max(initial=0)) + 1) * span <= np.iinfo(np.int64).max:
        _, first, pair = np.unique(kind * span + people, return_index=True, return_inverse=True)
    else:  # both do not fit into one integer
        rows = np.column_stack([kind, people])
        _, first, pair = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first, pair.reshape(-1)


def says_who_is_listed(groups: MeasuredGroups) -> bool:
    """Tell whether groups know by themselves who of their people is on a list."""
    return getattr(groups, "listed", None) is not None


# With what chance a person is on the attacker's list, and in the file: every measure with both.
#
# Without a file, everyone is released and the attacker links each record to somebody on its list. Where it knows who
# is in the file, it links each record of the file to one of the listed people who are in it.


@dataclass(frozen=True, eq=False)
class Chances:
    """The chances of each unit of groups (a state, or a part of its people).

    Parameters
    ----------
    listed : Chance ``c`` that a person is on the list, 0 to 1; shape (units,). 1 where the groups say who is on it.
    in_file : Chance ``h`` that a person is in the file, where the attacker knows it of the people on its list;
        shape (units,). None: everyone is released, or the attacker knows no more than that.

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

    def repeated(self, many: int) -> Chances:
        """Return the chances for units that each stand ``many`` times, one after the other."""
        in_file = None if self.in_file is None else np.repeat(self.in_file, many)
        return Chances(np.repeat(self.listed, many), in_file)

    @property
    def linkable(self) -> FloatArray:
        """Chance ``c h`` that a person is in the file and on the list: somebody a record can be linked to."""
        return self.listed if self.in_file is None else self.listed * self.in_file

    def candidates(self, groups: _Measured) -> _Measured:
        """Return the groups with those whom a record can be linked to: records of people who left are in no file."""
        if self.in_file is None or not says_who_is_listed(groups):
            return groups
        return cast(_Measured, groups.without_stale())  # type: ignore[union-attr]

    def total_risk(self, groups: MeasuredGroups) -> FloatArray:
        """Return the expected correct links of each unit, ``b (1 - (1 - c h/b)^n)`` a group; shape (units,)."""
        return total_risk(self.candidates(groups), self.linkable)

    def g_distinct(self, groups: MeasuredGroups, g: Sequence[int]) -> FloatArray:
        """Return the listed people of the file in bins of ``g`` or fewer of them; shape (units, len(g))."""
        return g_distinct(self.candidates(groups), g, self.linkable)

    def g_distinct_sweep(self, groups: MeasuredGroups, g_max: int) -> FloatArray:
        """Return :meth:`g_distinct` for every g = 1, 2, ..., ``g_max``; shape (units, g_max)."""
        return g_distinct_sweep(self.candidates(groups), g_max, self.linkable)

    def claims(self, groups: MeasuredGroups) -> FloatArray:
        """Return the records claimed, and those claimed rightly; shape (units, 2).

        A record of the file is claimed where exactly one listed person of the file has its values, and rightly if
        that person is its own. A wrong claim is a record of the file whose person is not listed: ``h (1 - c)`` of
        the people, where a release of everyone, linked by the same listed people, has ``1 - c h`` of them.
        """
        correct = self.g_distinct(groups, (1,))[:, 0]
        if says_who_is_listed(groups):
            return np.column_stack([claims(self.candidates(groups), self.linkable), correct])
        if bool((self.listed == 1).all()):
            return np.column_stack([correct, correct])
        held = np.ones_like(self.listed) if self.in_file is None else self.in_file
        missed = 1 - self.linkable
        unlisted = np.divide(held * (1 - self.listed), missed, out=np.zeros_like(missed), where=missed > 0)
        wrong = np.maximum(claims(groups, self.linkable) - correct, 0.0)
        return np.column_stack([correct + wrong * unlisted, correct])
