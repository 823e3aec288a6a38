"""A graph of people: units with a point and their neighbors, and how many parts of N people it may have."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

_OPEN_LAND = 500.0  # people that each unit counts as in a center, so that empty country counts


@dataclass(frozen=True)
class Graph:
    """Units with people and a place, and which of them touch.

    Attributes
    ----------
    people : Persons of each unit.
    x, y : Its point, in meters.
    neighbors : For each unit those that it may be joined with.
    """

    people: Sequence[int]
    x: Sequence[float]
    y: Sequence[float]
    neighbors: Sequence[Collection[int]]

    @cached_property
    def weight(self) -> list[float]:
        """What each unit counts in a center."""
        return [people + _OPEN_LAND for people in self.people]

    @cached_property
    def near(self) -> list[list[tuple[int, float]]]:
        """The neighbors of each unit, sorted, and how far they are, in meters; 1 more, so that none is at 0."""
        x, y = self.x, self.y
        return [
            [(other, math.hypot(x[unit] - x[other], y[unit] - y[other]) + 1.0) for other in sorted(neighbors)]
            for unit, neighbors in enumerate(self.neighbors)
        ]

    def connected(self, units: Iterable[int]) -> list[list[int]]:
        """Return the connected groups of some units, each sorted."""
        left, groups = set(units), []
        while left:
            start = min(left)
            left.discard(start)
            group, front = [start], [start]
            while front:
                for other in self.neighbors[front.pop()]:
                    if other in left:
                        left.discard(other)
                        group.append(other)
                        front.append(other)
            groups.append(sorted(group))
        return groups

    def spread(self, units: Iterable[int]) -> float:
        """Return the sum of squared distances from the center, weighted; square meters times people."""
        whole = sum_x = sum_y = squares = 0.0
        for unit in units:
            weight, x, y = self.weight[unit], self.x[unit], self.y[unit]
            whole += weight
            sum_x += weight * x
            sum_y += weight * y
            squares += weight * (x * x + y * y)
        return squares - (sum_x * sum_x + sum_y * sum_y) / whole if whole else 0.0


def bound(graph: Graph, least: int) -> int:
    """Return a number of parts that no partition passes.

    A unit of ``least`` people or more is in one part at most; a part without one lies in a connected group of smaller
    units, which has at most its people over ``least`` of them.

    >>> bound(Graph([5, 3, 3, 3], [0, 1, 2, 3], [0, 0, 0, 0], [{1}, {0, 2}, {1, 3}, {2}]), 5)
    2
    """
    large, small = by_size(graph, least)
    return len(large) + sum(people_of(graph, group) // least for group in graph.connected(small))


def by_size(graph: Graph, least: int) -> tuple[list[int], list[int]]:
    """Return the units of ``least`` people or more, and the others."""
    units = range(len(graph.people))
    return [u for u in units if graph.people[u] >= least], [u for u in units if graph.people[u] < least]


def people_of(graph: Graph, units: Iterable[int]) -> int:
    """Return the people of some units."""
    return sum(graph.people[unit] for unit in units)
