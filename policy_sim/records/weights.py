"""The risk of a survey's records by its weights: how many people of the population each record represents."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from policy_sim.records.classes import Classes, number_groups
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import InputError


@dataclass(frozen=True, eq=False)
class WeightedRisk:
    """What the weights of a file say about the population.

    Each class on the key fields represents ``people``, the sum of its records' weights. ``chance`` (0..1) is that of a
    correct match with a record of the class, E[1/F given f]; ``alone`` that a record alone in its class is alone in the
    population, 0 for larger classes. ``below_one`` records are in classes that represent fewer people than records.
    """

    classes: Classes
    people: FloatArray
    chance: FloatArray
    alone: FloatArray
    below_one: int

    @property
    def expected(self) -> float:
        """Expected number of correct matches if the attacker matches all records at random within their classes."""
        return float(self.classes.sizes @ self.chance)

    @property
    def unique(self) -> float:
        """Expected number of records that are alone with their values in the population."""
        return float(self.alone.sum())


def expected_inverse(size: ArrayLike, people: ArrayLike) -> FloatArray:
    """Return E[1/F given f] of classes of ``size`` records f that represent ``people``.

    F given f is negative binomial with ``p = f / people``: ``(p/f) 2F1(1, 1; f+1; 1-p)``.

    Benedetti and Franconi (1998), NTTS; Franconi and Polettini (2004), PSD, LNCS 3050, 262-272.
    """
    from scipy import special

    f = np.asarray(size, dtype=np.float64)
    p = np.minimum(f / np.asarray(people, dtype=np.float64), 1.0)
    inverse: FloatArray = p / f * special.hyp2f1(1.0, 1.0, f + 1, 1 - p)
    return inverse


def weighted_risk(classes: Classes, weights: FloatArray, weight: str) -> WeightedRisk:
    """Return the risk of a file whose classes also differ by the field ``weight``, with the weight of each code."""
    at = classes.fields.index(weight)
    code = classes.codes[:, at]
    if (code == 0).any():
        lost = int(classes.sizes[code == 0].sum())
        raise InputError(f"{weight}: {lost:,} records have no weight: give each record one, or leave the weights out.")
    if not (np.isfinite(weights) & (weights > 0)).all():
        raise InputError(f"{weight}: each weight must be a number above 0: correct the others.")
    merged, group = classes.merged([place for place in range(len(classes.fields)) if place != at])
    sizes = merged.sizes
    represented = np.bincount(group, weights=classes.sizes * weights[code - 1], minlength=merged.number)
    people: FloatArray = represented.astype(float)
    alone = np.where(sizes == 1, np.minimum(1 / people, 1.0), 0.0)
    below = int(sizes[people < sizes].sum())
    return WeightedRisk(merged, people, expected_inverse(sizes, people), alone, below)


# The classes on some of the key fields, merged from the classes on more of them.
#
# There are two forms with one interface. :class:`Listed` has one row per class that occurs. :class:`Counted` has one
# counter per possible class: to leave a field out is then a sum along an axis, which is many times faster than
# grouping rows. It is used wherever the counters are few.


Chosen = tuple[int, ...]
WholeNumbers: TypeAlias = NDArray[np.int32] | IntArray

# Up to this many counters per class that occurs are faster than one row.
_COUNTERS_A_CLASS = 4


@dataclass(frozen=True, eq=False)
class Listed:
    """The classes that occur, one row per class: their codes in each field from 0 up, by its position, and sizes.

    ``lengths`` has the number of codes of every field of the file; ``place`` the row of each followed class of it.
    """

    columns: Mapping[int, NDArray[Any]]
    lengths: tuple[int, ...]
    sizes: WholeNumbers
    place: WholeNumbers

    @property
    def number(self) -> int:
        """Classes."""
        return len(self.sizes)

    @property
    def entries(self) -> int:
        """Numbers that a merge has to read."""
        return len(self.sizes)

    def few(self, chosen: Chosen) -> bool:
        """Return whether one counter per possible class on the chosen fields is faster than rows."""
        return math.prod(self.lengths[i] for i in chosen) <= _COUNTERS_A_CLASS * self.number

    def on(self, chosen: Chosen) -> Listed | Counted:
        """Merge the classes that agree in the chosen fields."""
        return self._counted(chosen) if self.few(chosen) else self._listed(chosen)

    def _listed(self, chosen: Chosen) -> Listed:
        fields = chosen[::-1]  # as for counters: memory is then walked through
        columns = [self.columns[i] for i in fields]
        group, number = number_groups(columns, [self.lengths[i] - 1 for i in fields], self.number)
        row = np.zeros(number, dtype=np.int64)
        row[group] = np.arange(self.number)
        sizes = np.bincount(group, weights=self.sizes, minlength=number)
        columns_left = {i: column[row] for i, column in zip(fields, columns, strict=True)}
        return Listed(
            columns_left, self.lengths, _narrow(sizes, int(self.sizes.sum())), _narrow(group[self.place], number)
        )

    def _counted(self, chosen: Chosen) -> Counted:
        # The last field is the first axis, as in the order in which an engine gives its classes: memory is then
        # walked through, not jumped about in.
        fields = chosen[::-1]
        shape = tuple(self.lengths[i] for i in fields)
        cell = np.zeros(self.number, dtype=np.int64)
        for i, length in zip(fields, shape, strict=True):
            cell *= length
            cell += self.columns[i]
        sums = np.bincount(cell, weights=self.sizes, minlength=math.prod(shape))
        counts = _narrow(sums, int(self.sizes.sum())).reshape(shape)
        return Counted(fields, counts, _narrow(cell[self.place], counts.size))


@dataclass(frozen=True, eq=False)
class Counted:
    """Number of records in every possible class, 0 where it does not occur; one axis per field, by its position.

    ``place`` has the flat index of the counter of each followed class of the whole file.
    """

    fields: Chosen
    counts: WholeNumbers
    place: WholeNumbers

    @property
    def sizes(self) -> WholeNumbers:
        """Number of records by flat index of the counter."""
        return self.counts.reshape(-1)

    @property
    def number(self) -> int:
        """Classes that occur."""
        return int(np.count_nonzero(self.counts))

    @property
    def entries(self) -> int:
        """Numbers that a merge has to read."""
        return self.counts.size

    def on(self, chosen: Chosen) -> Counted:
        """Add up the classes that agree in the chosen fields."""
        counts, place = self.counts, self.place
        for axis in reversed([at for at, field in enumerate(self.fields) if field not in chosen]):
            below = math.prod(counts.shape[axis + 1 :])
            over = place // below  # the place is (higher axes, this axis, lower axes); numpy's % is slow
            place = over // counts.shape[axis] * below + (place - over * below)
            counts = counts.sum(axis=axis, dtype=counts.dtype)
        return Counted(tuple(field for field in self.fields if field in chosen), counts, place)


def marginal(classes: Classes, followed: IntArray) -> Listed | Counted:
    """Return the classes of a file on all its fields, ready for merging."""
    fields = tuple(range(len(classes.fields)))
    lengths = tuple(classes.values[i] + 1 - classes.least[i] for i in fields)
    # a level of the walk has hundreds of copies, so their integers are as narrow as the codes allow
    columns = {i: (classes.codes[:, i] - classes.least[i]).astype(np.min_scalar_type(lengths[i])) for i in fields}
    listed = Listed(columns, lengths, classes.sizes, followed)
    return listed.on(fields) if listed.few(fields) else listed


def _narrow(numbers: NDArray[Any], largest: int) -> WholeNumbers:
    """Use half the width if it can hold the largest number: reads and divisions are then twice as fast."""
    return numbers.astype(np.int32) if largest < 2**31 else numbers.astype(np.int64)
