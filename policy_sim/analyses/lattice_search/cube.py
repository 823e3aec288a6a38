"""A state's people as a dense table, merged down the lattice of partitions.

Every combination of partitions is computed once, from the smallest table already there that differs in
one field only and is finer in it: never from the cells again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from policy_sim.analyses.lattice_search.axes import Axis, Step
from policy_sim.arrays import IntArray

__all__ = ["Node", "merge_down"]

# The partition of each field: places among those of its axis.
Node = tuple[int, ...]


def merge_down(people: IntArray, axes: Sequence[Axis[Any]]) -> Iterator[tuple[Node, IntArray]]:
    """Yield every combination of partitions with the people of its classes.

    Parameters
    ----------
    people : People by the finest values of each field, one dimension a field; more may follow.
    axes : The fields, in the order of the dimensions.

    Yields
    ------
    The partitions, and an array of the same dimensions. Finer tables come before coarser ones.
    """
    tables: dict[Node, IntArray] = {}
    for node in product(*(range(len(axis)) for axis in axes)):
        tables[node] = _from_parent(node, tables, axes) if any(node) else people
        yield node, tables[node]


def _from_parent(node: Node, tables: dict[Node, IntArray], axes: Sequence[Axis[Any]]) -> IntArray:
    """Merge the smallest table that is finer in one field and the same in the others."""
    smallest: tuple[int, int, Step, IntArray] | None = None
    for dimension, axis in enumerate(axes):
        for i, step in axis.steps[node[dimension]]:
            table = tables[(*node[:dimension], i, *node[dimension + 1 :])]
            if smallest is None or table.size < smallest[0]:
                smallest = table.size, dimension, step, table
    if smallest is None:
        raise ValueError("the first partition of an axis is finer than every other")
    _, dimension, step, table = smallest
    return step.merge(table, dimension)
