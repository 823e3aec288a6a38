"""The greatest number of areas, proved: most disjoint connected sets of at least N people, as an integer program.

Every partition has one minimal connected set of N people inside each of its areas, and any choice of disjoint ones
becomes a partition when what is left over joins its neighbors. So the most such sets that share no unit are the
optimum. Where a connected group has too many sets to list, its people over N bound it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from policy_sim.areas.graph import Graph, by_size, people_of

_MOST_SETS = 30_000  # of a connected group, listed
_NODES = 2_000  # of the search for a group, not seconds: the same areas on any machine


class Packed(NamedTuple):
    """The most disjoint sets: found, a number that none passes, and the sets; ``proved`` where they are equal."""

    bound: int
    sets: list[list[int]]

    @property
    def proved(self) -> bool:
        """Whether no partition has more."""
        return self.bound == len(self.sets)


def packed(graph: Graph, least: int) -> Packed:
    """Return the most disjoint connected sets of at least ``least`` people.

    >>> from policy_sim.areas.graph import Graph
    >>> ring = Graph([3] * 5, [0.0] * 5, [0.0] * 5, [{1, 4}, {0, 2}, {1, 3}, {2, 4}, {3, 0}])
    >>> packed(ring, 5).bound, packed(ring, 7).bound
    (2, 1)
    """
    large, small = by_size(graph, least)
    sets, most = [[unit] for unit in large], len(large)
    for group in graph.connected(small):
        whole = people_of(graph, group) // least
        found = most_disjoint(graph, group, least, _MOST_SETS) if whole else None
        most += whole if found is None else min(found.bound, whole)
        sets += [] if found is None else found.sets
    return Packed(most, sets)


def most_disjoint(graph: Graph, group: Sequence[int], least: int, most_sets: int) -> Packed | None:
    """Return the most sets of a connected group of units that have fewer people; None where too many are possible."""
    if people_of(graph, group) < 2 * least:
        return Packed(1, [list(group)])
    sets = _sets(graph, group, least, most_sets)
    return None if sets is None else _chosen([units for units in sets if _is_minimal(graph, units, least)], group)


def _is_minimal(graph: Graph, units: Sequence[int], least: int) -> bool:
    """Whether no unit can leave: without it the others are too few people, or do not touch.

    Other sets need not be tried: each has a minimal one inside it, which takes no unit more.
    """
    spare = people_of(graph, units) - least
    return not any(
        graph.people[unit] <= spare and len(graph.connected(other for other in units if other != unit)) == 1
        for unit in units
    )


def _sets(graph: Graph, group: Sequence[int], least: int, most: int) -> list[list[int]] | None:
    """Return the connected sets that reach ``least`` with their last unit; None where there are too many.

    Each is listed once: it grows from its first unit by units that come later, and one that was passed over stays out.
    """
    found: list[list[int]] = []
    steps, outside = 0, set(range(len(graph.people))).difference(group)
    for start in group:
        barred = outside.union(unit for unit in group if unit < start)
        stack = [([start], graph.people[start], _fresh(graph, start, {start}, barred), barred)]
        while stack:
            units, people, front, out = stack.pop()
            steps += 1
            if len(found) > most or steps > 20 * most:
                return None
            if people >= least:
                found.append(sorted(units))
                continue
            passed = set(out)
            for unit in front:
                passed.add(unit)
                held = [*units, unit]
                near = [other for other in front if other not in passed]
                near += [other for other in _fresh(graph, unit, set(held), passed) if other not in near]
                stack.append((held, people + graph.people[unit], near, set(passed)))
    return found


def _fresh(graph: Graph, unit: int, held: set[int], out: set[int]) -> list[int]:
    return sorted(other for other in graph.neighbors[unit] if other not in held and other not in out)


def _chosen(choices: Sequence[Sequence[int]], group: Sequence[int]) -> Packed:
    """Return the most sets that share no unit, by HiGHS."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    place = {unit: at for at, unit in enumerate(group)}
    rows = [place[unit] for units in choices for unit in units]
    columns = [at for at, units in enumerate(choices) for _ in units]
    matrix = csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(group), len(choices)))
    answer = milp(
        -np.ones(len(choices)),
        constraints=LinearConstraint(matrix, ub=np.ones(len(group))),
        integrality=np.ones(len(choices)),
        bounds=Bounds(0, 1),
        options={"node_limit": _NODES},
    )
    if answer.x is None:
        return Packed(len(group), [])
    chosen = [list(choices[at]) for at in np.flatnonzero(answer.x > 0.5).tolist()]
    best = int(np.floor(-(answer.mip_dual_bound if answer.mip_dual_bound is not None else answer.fun) + 1e-6))
    return Packed(max(best, len(chosen)), chosen)
