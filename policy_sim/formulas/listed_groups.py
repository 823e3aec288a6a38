"""Groups on a list that holds some people more surely than others, and records of people who left.

The people of a group are listed with chances of their own (one for each county and age, say). What is expected of the
group depends on a few sums over its people, which add up when cells are merged:

    ``N = sum n``, ``L = sum n c``, ``Q = sum n c^2``, ``mu``: people, listed people, and stale records of the group.

The number of listed people in a bin counts as binomial with the same mean and variance: ``L^2/Q`` trials with the
chance ``Q/L``. Where all chances of a group are equal these are its people and their chance, and nothing is
approximated; else the third moment differs (tests hold it to the exact sums over all people). Stale records are
Poisson, each in one of the ``b`` bins.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from policy_sim.formulas.binomial import by_unit
from policy_sim.formulas.bins import one_place
from policy_sim.formulas.entries import ALMOST_SURE, Trials, chances_upto, poisson_mean
from policy_sim.formulas.groups import AnyGroups, DistinctGroups, Matches
from policy_sim.formulas.listed_variance import few_variance, links_variance
from policy_sim.words.arrays import FloatArray, IntArray

# Shares of the people who are listed in plain groups that stand for others: evenly apart in the logarithm of the rest.
_SHARES = np.append(-np.expm1(-np.arange(1, 225) / 32), 1.0)
_EACH = 64  # people, up to whom plain groups of each number are told apart
# Up to as many entries in a bin, groups on a list are not replaced by plain groups that are nearly alike: where some
# sizes are asked for, and in a curve, which has each.
_FEW_ENTRIES, _FEW_OF_EACH = 400, 32
_LEVELS = 4096  # of each halving of a chance: records in between count as alike


@dataclass(frozen=True, eq=False)
class ListedGroups(AnyGroups):
    """Groups as sums over their people, one element a group.

    Total risk is the listed people, each times the mean of ``1/(1 + K)`` over the ``K`` other entries of the list in
    its bin, ``int_0^1 (1 - x u)^(n-1) exp(-mu u/b) du``. Entries are listed people of the file and stale records. A
    record is claimed rightly where its person is the only entry of its bin, and wrongly where the person is not listed
    and the bin has exactly one entry.

    Attributes
    ----------
    unit : Which result each group adds to, 0 to ``units - 1``.
    people : Persons ``N``.
    bins : Equally likely values hidden inside, b >= 1.
    listed : Expected listed persons ``L``, up to ``N``.
    squared : ``Q``, the sum of the squares of the chances to be listed.
    stale : Expected stale records ``mu`` that look like the group's people.
    released, released_listed : Persons who are released, or whose figures are asked for, and how many of them are
        listed; ``people`` and ``listed`` where everyone is.
    units : Number of results.
    number : How many groups each element stands for, one by default; their released people are added up, the rest is
        of one.

    Examples
    --------
    One person, surely listed, and one stale record expected with the same values.

    >>> one = np.ones(1)
    >>> ListedGroups(np.zeros(1, int), one, one, one, one, one, one, one, 1).total_risk().round(4).tolist()
    [0.6321]
    """

    unit: IntArray
    people: FloatArray
    bins: FloatArray
    listed: FloatArray
    squared: FloatArray
    stale: FloatArray
    released: FloatArray
    released_listed: FloatArray
    units: int
    number: FloatArray | None = field(default=None, kw_only=True)

    def __len__(self) -> int:
        return len(self.people)

    @property
    def times(self) -> FloatArray:
        """How many groups each element stands for."""
        return np.ones(len(self)) if self.number is None else self.number

    def without_stale(self) -> Self:
        """Return the groups for an attacker who knows who is in the file: nobody who left is."""
        return replace(self, stale=np.zeros_like(self.stale))

    def _total_risk_variance(self, coverage: FloatArray) -> FloatArray:
        return self._added(links_variance(self.trials(coverage), self.times))

    def _g_distinct_variance(self, g: int, coverage: FloatArray) -> FloatArray:
        if g > _FEW_OF_EACH:
            return super()._g_distinct_variance(g, coverage)
        return self._added(few_variance(self.trials(coverage), self.times, g))

    def matches(self, coverage: ArrayLike = 1.0, in_file: ArrayLike = 1.0) -> Matches:  # noqa: ARG002
        """Return the unit, the records and the right links of groups, those of nearly the same chance together."""
        return alike_records(self.unit, *self._records_and_links(by_unit("coverage", coverage, self.units)))

    def plain(self, listed: FloatArray, in_file: FloatArray | float = 1.0) -> DistinctGroups:
        """Return plain groups with nearly the same spread of entries, those that are alike once.

        A bin has ``K`` entries besides a listed person. The plain group has so many people, each as likely to be
        listed, that the mean of ``K`` is the same and its variance nearly. Of people and chance between the points of a
        grid, each of the points around has its share, so that their means are kept.
        """
        share: FloatArray = listed * in_file
        key = share.tobytes()
        if key not in self._plain:
            self._plain[key] = _spread(self, share)
        return self._plain[key]

    @cached_property
    def _plain(self) -> dict[bytes, DistinctGroups]:
        return {}

    def _total_risk(self, coverage: FloatArray) -> FloatArray:
        return self._added(self.trials(coverage).links())

    def _g_distinct(self, sizes: IntArray, coverage: FloatArray) -> FloatArray:
        few = sizes <= _FEW_ENTRIES
        if few.all():
            return self._exactly(sizes.tolist(), coverage)
        if few.any():
            return np.column_stack([self._g_distinct(sizes[[place]], coverage) for place in range(len(sizes))])
        return self.plain(coverage).pairs().g_distinct(sizes)

    def _exactly(self, sizes: Sequence[int], coverage: FloatArray) -> FloatArray:
        """Return the listed people whose bin has so many entries or fewer, their own among them, by group."""
        trials = self.trials(coverage)
        # who has this many others on average never has as few as g
        possible = np.flatnonzero(trials.mean <= float(poisson_mean(max(sizes))))
        chances = np.zeros((len(sizes), len(self)))
        few = trials.at(possible)
        chances[:, possible] = np.concatenate([chances_upto(part, sizes) for part in few.parts()], axis=1)
        return np.column_stack([self._added(trials.hit * upto) for upto in chances])

    def _claims(self, coverage: FloatArray) -> FloatArray:
        share, trials = coverage[self.unit], self.trials(coverage)
        missed = np.maximum(self.people - self.listed, 0.0)
        is_missed = missed > 1e-12 * self.people
        # who is not listed was less likely to be than the others
        own = np.divide(self.listed - self.squared, missed, out=np.zeros_like(missed), where=is_missed)
        rest = 1 - np.clip(own, 0.0, 1.0) * share / self.bins
        wrong = np.where(is_missed, np.maximum(self.released - self.released_listed, 0.0) * share, 0.0)
        claimed = np.zeros(len(self))
        possible = np.flatnonzero(trials.mean <= float(poisson_mean(2)))
        few, rest, wrong = trials.at(possible), rest[possible], wrong[possible]
        alone = one_place(few.others, few.log_miss) * np.exp(-few.stale)  # nobody else is an entry
        empty, single = alone * (1 - few.chance), alone * few.count * few.chance
        others = np.maximum(single / rest - empty * (1 - rest) / rest**2, 0.0) + few.stale * empty / rest
        claimed[possible] = few.hit * alone + wrong * others
        return self._added(claimed)

    def _sweep(self, g_max: int, coverage: FloatArray) -> FloatArray:
        exact = self._exactly(range(1, min(_FEW_OF_EACH, g_max) + 1), coverage)
        return self.plain(coverage).pairs().sweep(g_max, exact)

    def trials(self, in_file: FloatArray) -> Trials:
        """Return the binomial and the Poisson entries of a bin of each group."""
        share = in_file[self.unit]
        chance = np.divide(self.squared, self.listed, out=np.zeros_like(self.listed), where=self.listed > 0)
        # the last digit of a sum must not make more trials than people, nor more than sure chances
        count = np.divide(self.listed, chance, out=np.zeros_like(chance), where=chance > 0)
        count = np.where(np.abs(count - self.people) < 1e-9 * self.people, self.people, np.minimum(count, self.people))
        return Trials(
            np.maximum(count, 1.0),
            np.minimum(np.minimum(chance, 1.0) * share / self.bins, ALMOST_SURE),
            self.stale / self.bins,
            self.released_listed * share,
            self.people,
            self.bins,
        )

    def _added(self, values: FloatArray) -> FloatArray:
        return np.bincount(self.unit, weights=values, minlength=self.units).astype(np.float64)

    def _records_and_links(self, in_file: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the records of each group that are attacked, and the right links among them; shapes (groups,)."""
        trials = self.trials(in_file)
        missed = np.maximum(self.released - self.released_listed, 0.0) * in_file[self.unit]
        return trials.hit + missed, trials.links()


@dataclass(frozen=True, eq=False)
class GroupsInFile(ListedGroups):
    """Groups whose people are in the file with chances ``h`` of their own, one for each place, listed or not.

    A person is an entry of a given bin with the chance ``x = c h/b``. Who is alone, which bins are empty and what is
    claimed are products over people, hence sums that are exact; only bins of two entries and more are approximate, as
    in :class:`ListedGroups`, whose ``listed`` and ``squared`` are here of people who are listed and in the file, and
    whose ``released`` are the people in the file. Nobody in a file has left.

    Attributes
    ----------
    log_empty : ``sum n log(1 - x)``.
    others : ``sum n x/(1 - x)``.
    alone : Of the released, ``sum n c h/(1 - x)``.
    missed, missed_own : Of the released who are not listed, ``sum n h (1 - c)/(1 - x)``, and the same times
        ``x/(1 - x)``.

    Examples
    --------
    A file from two counties: a fifth of 500 people, and one in a hundred of 900 (docs/model.md).

    >>> people, chance = np.array([500.0, 900.0]), np.array([0.2, 0.01])
    >>> sums = [np.array([column @ people]) for column in sums_in_file(np.ones(2), chance, np.full(2, 365.0)).T]
    >>> groups = GroupsInFile.of(np.zeros(1, int), np.full(1, 365.0), np.array([1400.0]), sums, sums, 1)
    >>> groups.total_risk().round(2).item(), groups.g_distinct([1]).round(2).item()
    (94.25, 80.89)
    """

    log_empty: FloatArray
    others: FloatArray
    alone: FloatArray
    missed: FloatArray
    missed_own: FloatArray

    @classmethod
    def of(
        cls,
        unit: IntArray,
        bins: FloatArray,
        people: FloatArray,
        sums: Sequence[FloatArray],
        released: Sequence[FloatArray],
        units: int,
    ) -> GroupsInFile:
        """Return groups of the sums of :func:`sums_in_file` over their people, and over those who are released."""
        _, listed, squared, log_empty, others, *_ = sums
        in_file, released_listed, _, _, _, alone, missed, missed_own = released
        facts = (listed, squared, np.zeros_like(people), in_file, released_listed, units)
        return cls(unit, people, bins, *facts, log_empty, others, alone, missed, missed_own)

    def _total_risk(self, coverage: FloatArray) -> FloatArray:
        return self._added(self._records_and_links(coverage)[1])

    def _exactly(self, sizes: Sequence[int], coverage: FloatArray) -> FloatArray:
        alone = self._added(self._empty() * self.alone)
        upto = np.maximum(super()._exactly(sizes, coverage), alone[:, None])
        upto[:, np.asarray(sizes) == 1] = alone[:, None]
        return upto

    def _claims(self, coverage: FloatArray) -> FloatArray:  # noqa: ARG002  (each person has a chance of their own)
        wrong = np.maximum(self.missed * self.others - self.missed_own, 0.0)
        return self._added(self._empty() * (self.alone + wrong))

    def _empty(self, power: np.ufunc = np.exp) -> FloatArray:
        """Return the chance that a bin has no entry, ``prod (1 - x)``; with ``np.expm1`` that less 1."""
        return one_place(np.ones_like(self.log_empty), self.log_empty, power)

    def _records_and_links(self, in_file: FloatArray) -> tuple[FloatArray, FloatArray]:  # noqa: ARG002
        """Return the same, of which links are ``b (1 - prod (1 - x)^n)`` a group."""
        part = np.divide(self.released_listed, self.listed, out=np.zeros_like(self.listed), where=self.listed > 0)
        links: FloatArray = -self.bins * self._empty(np.expm1) * part
        return self.released, links


def sums_in_file(listed: FloatArray, in_file: FloatArray, bins: FloatArray) -> FloatArray:
    """Return what each person adds to the sums of :class:`GroupsInFile`; shape (people, 8).

    ``listed``, ``in_file``: chances ``c`` and ``h`` of each person, or of people who are alike; ``bins``: those of
    their group.
    """
    entry = listed * in_file
    x = np.minimum(entry / bins, ALMOST_SURE)
    missed = in_file * (1 - listed) / (1 - x)
    sums = (in_file, entry, entry**2, np.log1p(-x), x / (1 - x), entry / (1 - x), missed, missed * x / (1 - x))
    return np.stack(np.broadcast_arrays(*sums), axis=-1)


def _spread(groups: ListedGroups, in_file: FloatArray) -> DistinctGroups:
    from scipy import sparse

    trials = groups.trials(in_file)
    missed = np.maximum(groups.released - groups.released_listed, 0.0) * in_file[groups.unit]
    held = np.flatnonzero((trials.hit > 0) | (missed > 0))
    unit, missed, trials = groups.unit[held], missed[held], trials.at(held)
    entries = trials.others * trials.chance
    mean = entries + trials.stale
    chance = np.divide(entries * trials.chance, mean, out=trials.chance.copy(), where=mean > 0)
    coverage = np.clip(chance * trials.bins, _SHARES[0], 1.0)
    people = mean * trials.bins / coverage + 1
    weight = trials.hit / (people * coverage)
    kinds, kind = np.unique(trials.bins, return_inverse=True)
    sizes = _sizes(float(people.max(initial=1.0)))
    row, column, part = [], [], []
    for size, of_size in _around(sizes, people):
        for share, of_share in _around(_SHARES, coverage):
            row.append(unit * len(kinds) + kind.reshape(-1))
            column.append(size * len(_SHARES) + share)
            part.append(of_size * of_share)
    is_held = np.concatenate(part) > 0
    place = (np.concatenate(row)[is_held], np.concatenate(column)[is_held])
    shape = (groups.units * len(kinds), len(sizes) * len(_SHARES))
    tables = [
        sparse.coo_array((np.concatenate([share * values for share in part])[is_held], place), shape=shape).tocsr()
        for values in (weight, weight**2 / groups.times[held], missed)  # each group adds a square of its own
    ]
    row_unit, row_kind = np.divmod(np.repeat(np.arange(shape[0]), np.diff(tables[0].indptr)), max(len(kinds), 1))
    size, step = np.divmod(tables[0].indices.astype(np.int64), len(_SHARES))
    weight, squared, missed = (table.data for table in tables)
    whole: IntArray = sizes[size].astype(np.int64)
    return DistinctGroups(row_unit, whole, kinds[row_kind], weight, squared, groups.units, _SHARES[step], missed)


def alike_records(unit: IntArray, records: FloatArray, right: FloatArray) -> Matches:
    """Return records of nearly the same chance together; their sums are kept."""
    held = np.flatnonzero(records > 0)
    unit, records, right = unit[held], records[held], right[held]
    level = np.zeros(len(held), dtype=np.int64)
    matched = np.flatnonzero(right > 0)
    halvings = np.log2(records[matched] / right[matched]).clip(0.0)
    level[matched] = 1 + np.round(_LEVELS * halvings).astype(np.int64)
    span = int(level.max(initial=0)) + 1
    used, kind = np.unique(unit * span + level, return_inverse=True)
    sums = [np.bincount(kind.reshape(-1), weights, len(used)).astype(np.float64) for weights in (records, right)]
    return used // span, sums[0], sums[1]


def _around(grid: FloatArray, values: FloatArray) -> list[tuple[IntArray, FloatArray]]:
    """Return the places below and above each value, and which part of it each has so that the mean is the value."""
    below = np.clip(np.searchsorted(grid, values, side="right") - 1, 0, len(grid) - 2)
    more = (values - grid[below]) / (grid[below + 1] - grid[below])
    return [(below, 1 - more), (below + 1, more)]


def _sizes(most: float) -> FloatArray:
    """Return the people of the plain groups: every number up to :data:`_EACH`, then so many of each doubling.

    >>> _sizes(200).astype(int)[[0, 63, 127, 128]].tolist()
    [1, 64, 137, 138]
    """
    steps = math.ceil(_EACH * math.log2(max(most / _EACH, 1.0))) + 2
    further = np.round(_EACH * 2.0 ** (np.arange(1, steps + 1) / _EACH))
    sizes: FloatArray = np.unique(np.concatenate([np.arange(1.0, _EACH + 1), further]))
    return sizes
