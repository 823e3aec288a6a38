"""One field of a state as an axis: the finest values, and the ways to put them together.

Two ways that put the same values together are one partition: where every county is large, hiding small
counties changes nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from policy_sim.arrays import IntArray

__all__ = ["Axis", "Partition", "Step", "axis_of", "first_numbered"]

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
