"""Groups of people, counted once each.

Here the census and a data set meet. From the census: people who share the part of the linkage key
that the census shows, and the bins hidden inside. From a data set: ``bins`` 1, ``people`` the size of
a class in the population, ``released`` its size in the release. A release of j of the n people
reveals j/n of what all n would.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.binning.inputs import checked_bins, checked_numbers, checked_whole
from policy_sim.errors import InputError

__all__ = ["DistinctGroups", "Groups", "codes"]


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
        share = np.ones(len(people)) if everyone else self.released / np.maximum(people, 1)
        held = (self.released > 0).nonzero()[0]
        if len(held) < len(people):
            row, people, share = row[held], people[held], share[held]
        shape = (self.units * len(kinds), int(people.max(initial=0)) + 1)

        def summed(values: FloatArray) -> sparse.csr_array:
            # the conversion adds up what shares a place, and leaves columns in order
            return sparse.coo_array((values, (row, people)), shape=shape).tocsr()

        table = summed(share)
        squares = table if everyone else summed(share**2)
        unit, kind = np.divmod(np.repeat(np.arange(shape[0]), np.diff(table.indptr)), len(kinds))
        return DistinctGroups(unit, table.indices.astype(np.int64), kinds[kind], table.data, squares.data, self.units)


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
