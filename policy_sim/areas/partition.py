"""Cut a graph of people into as many connected parts of at least N people as can be found, then into compact ones.

Most parts come first, then the least spread: the mean squared distance of people from the center of their part. A
random spanning tree is cut from its leaves as soon as N people are together, which gives the most parts that the tree
allows; the best of many trees is kept. Where few sets are possible, an integer program finds the most
(:mod:`policy_sim.areas.packing`). Then parts that touch are dissolved and cut again: first so that people to spare come
together in few parts, because only these can be cut once more, then for less spread. Last, border units change sides.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from random import Random

from policy_sim.areas.graph import Graph, by_size, people_of
from policy_sim.areas.packing import most_disjoint

_FEW_SETS = 10_000  # of a group, up to which the most are found by an integer program
_TREES = 30  # of each connected group
_FOR_NUMBER = 20, 3  # sets of parts that are cut again, for each part, and trees for each, so that there are more parts
_FOR_SHAPE = 5, 6  # and so that they spread less
_MOST_PARTS = 5  # that are dissolved together
_SWEEPS = 4  # over all borders
_MORE_SEEDS = 5  # that are tried where parts spread more than those of a plain merge


def partition(graph: Graph, least: int, *, compact: bool = False, seed: int = 0) -> list[list[int]]:
    """Return connected parts of at least ``least`` people that have every unit, sorted by their first unit.

    A connected group that has fewer people than ``least`` in all is a part by itself: the caller links it before.

    Parameters
    ----------
    compact : Prefer shape: parts are not cut again for a greater number.
    seed : Of the random trees; the same gives the same parts. Where these spread more than those of :func:`greedy`, the
        next seeds are tried too, and the most parts that do not are taken.

    Examples
    --------
    >>> from policy_sim.areas.graph import Graph
    >>> line = Graph([3, 3, 3, 3], [0.0, 1.0, 2.0, 3.0], [0.0] * 4, [{1}, {0, 2}, {1, 3}, {2}])
    >>> partition(line, 5)
    [[0, 1], [2, 3]]
    """
    parts = _searched(graph, least, seed, compact=compact)
    plain = _worth(graph, greedy(graph, least))[1]
    if _worth(graph, parts)[1] <= plain:
        return parts
    tries = [_searched(graph, least, seed + turn, compact=compact) for turn in range(1, _MORE_SEEDS + 1)]
    return min([parts, *tries], key=lambda cut: (_worth(graph, cut)[1] > plain, *_worth(graph, cut)))


def _searched(graph: Graph, least: int, seed: int, *, compact: bool) -> list[list[int]]:
    """Return the best parts that random trees of one seed give."""
    random = Random(seed)  # noqa: S311  trees, not a secret
    large, small = by_size(graph, least)
    parts = [{unit} for unit in large]
    for group in graph.connected(small):
        if people_of(graph, group) < least:
            parts.append(set(group))
            continue
        best = min((_cut(graph, group, least, random) for _ in range(_TREES)), key=lambda cut: _worth(graph, cut))
        may_have_more = len(best) < people_of(graph, group) // least
        exact = most_disjoint(graph, group, least, _FEW_SETS) if may_have_more else None
        if exact is not None and len(exact.sets) > len(best):
            best = [set(units) for units in exact.sets]
            parts += ({unit} for unit in sorted(set(group).difference(*best)))
        parts += best
    state = _Parts(graph, least, parts)
    state.join_the_small()
    if not compact:
        state.cut_again(random, *_FOR_NUMBER, lambda cut: _spare(graph, least, cut), even=True)
        state.cut_again(random, *_FOR_SHAPE, lambda cut: _worth(graph, cut))
    state.move_borders()
    return sorted(sorted(part) for part in state.parts.values())


def _worth(graph: Graph, parts: Sequence[Collection[int]]) -> tuple[int, float]:
    """Order partitions: more parts first, then less spread."""
    return -len(parts), sum(graph.spread(part) for part in parts)


def _spare(graph: Graph, least: int, parts: Sequence[Collection[int]]) -> tuple[int, int]:
    """Order partitions: more parts first, then people above ``least`` together in few parts."""
    return -len(parts), -sum((people_of(graph, part) - least) ** 2 for part in parts)


def _cut(graph: Graph, units: Collection[int], least: int, random: Random) -> list[set[int]]:
    """Cut a random spanning tree of connected units from its leaves; what is left over joins a part that it touches."""
    inside = set(units)
    root = random.choice(sorted(inside))
    order, above = [root], {root: root}
    heap: list[tuple[float, int, int]] = []
    near, draw, push, pop = graph.near, random.random, heapq.heappush, heapq.heappop
    unit, outside = root, inside - {root}
    while True:
        for other, far in near[unit]:
            if other in outside:
                push(heap, (far * (0.3 + 1.4 * draw()), other, unit))
        while heap and heap[0][1] not in outside:
            pop(heap)
        if not heap:
            break
        _, unit, parent = pop(heap)
        above[unit] = parent
        order.append(unit)
        outside.discard(unit)
    below, people = {unit: [unit] for unit in order}, {unit: graph.people[unit] for unit in order}
    parts: list[set[int]] = []
    for unit in reversed(order):
        if people[unit] >= least:
            parts.append(set(below[unit]))
        elif unit != root:
            below[above[unit]] += below[unit]
            people[above[unit]] += people[unit]
    rest = inside.difference(*parts) if parts else set()
    if rest:
        touching = (part for part in parts if any(other in part for unit in rest for other in graph.neighbors[unit]))
        min(touching, key=lambda part: graph.spread(part | rest) - graph.spread(part)).update(rest)
    return parts or [inside]


class _Parts:
    """Parts that change: which units each has, and which part each unit is in."""

    def __init__(self, graph: Graph, least: int, parts: Iterable[set[int]]) -> None:
        self.graph, self.least = graph, least
        self.parts = dict(enumerate(parts))
        self.of = {unit: number for number, part in self.parts.items() for unit in part}
        self._next = len(self.parts)

    def around(self, number: int) -> list[int]:
        """Return the parts that touch one, sorted."""
        near = {self.of[other] for unit in self.parts[number] for other in self.graph.neighbors[unit]}
        return sorted(near - {number})

    def replace(self, numbers: Iterable[int], parts: Iterable[set[int]]) -> None:
        for number in numbers:
            del self.parts[number]
        for part in parts:
            self.parts[self._next] = part
            self.of.update(dict.fromkeys(part, self._next))
            self._next += 1

    def join_the_small(self) -> None:
        """Join what has too few people to the part that it touches which spreads least by it."""
        while small := [n for n in sorted(self.parts) if people_of(self.graph, self.parts[n]) < self.least]:
            joined = False
            for number in small:
                if number in self.parts and people_of(self.graph, self.parts[number]) < self.least:
                    joined |= self._join(number)
            if not joined:
                return

    def _join(self, number: int) -> bool:
        part, spread = self.parts[number], self.graph.spread
        near = self.around(number)
        if not near:
            return False
        other = min(near, key=lambda at: (spread(part | self.parts[at]) - spread(self.parts[at]), at))
        self.replace((number, other), [part | self.parts[other]])
        return True

    def cut_again(
        self,
        random: Random,
        turns: int,
        trees: int,
        worth: Callable[[Sequence[Collection[int]]], tuple[int, float]],
        *,
        even: bool = False,
    ) -> None:
        """Dissolve parts that touch and cut them anew, ``turns`` times a part; keep what ``worth`` puts first.

        ``even``: also keep what is worth the same, which moves what is stuck.
        """
        for _ in range(turns * len(self.parts)):
            numbers = self._some(random)
            before = [self.parts[number] for number in numbers]
            units = set().union(*before)
            if len(units) == len(before):
                continue
            cuts = (_cut(self.graph, units, self.least, random) for _ in range(trees))
            best = min(cuts, key=worth)
            new, old = worth(best), worth(before)
            if new < old or (even and new == old):
                self.replace(numbers, best)

    def _some(self, random: Random) -> list[int]:
        """Return one part and others that touch what there is already, two to five in all."""
        chosen, near = [random.choice(list(self.parts))], set[int]()
        for _ in range(random.randint(1, _MOST_PARTS - 1)):
            near = near.union(self.around(chosen[-1])).difference(chosen)
            if not near:
                break
            chosen.append(random.choice(sorted(near)))
        return chosen

    def move_borders(self) -> None:
        """Move units to a part that they touch where both stay whole and large enough, and the spread falls."""
        for _ in range(_SWEEPS):
            if not sum(self._moved(unit) for unit in sorted(self.of)):
                return

    def _moved(self, unit: int) -> bool:
        graph, own = self.graph, self.parts[self.of[unit]]
        others = sorted({self.of[other] for other in graph.neighbors[unit]} - {self.of[unit]})
        if not others or people_of(graph, own) - graph.people[unit] < self.least:
            return False
        rest = own - {unit}
        saved = graph.spread(own) - graph.spread(rest)

        def cost(number: int) -> float:
            return graph.spread(self.parts[number] | {unit}) - graph.spread(self.parts[number])

        best = min(others, key=cost)
        if cost(best) >= saved * (1 - 1e-9) or len(graph.connected(rest)) > 1:
            return False
        own.discard(unit)
        self.parts[best].add(unit)
        self.of[unit] = best
        return True


def greedy(graph: Graph, least: int) -> list[list[int]]:
    """Return what joining the smallest part to its smallest neighbor gives, again and again: a yardstick."""
    state = _Parts(graph, least, [{unit} for unit in range(len(graph.people))])

    people = {number: people_of(graph, part) for number, part in state.parts.items()}
    small = [(size, number) for number, size in people.items() if size < least]
    heapq.heapify(small)
    while small:
        _, number = heapq.heappop(small)
        around = state.around(number) if number in people else []
        if not around:  # it is gone, or touches none, nor ever will
            continue
        other = min(around, key=lambda at: (people[at], at))
        state.replace((number, other), [state.parts[number] | state.parts[other]])
        joined = max(state.parts)
        people[joined] = people.pop(number) + people.pop(other)
        if people[joined] < least:
            heapq.heappush(small, (people[joined], joined))
    return sorted(sorted(part) for part in state.parts.values())


def pieces(parts: Iterable[Collection[int]], graph: Graph) -> Iterator[int]:
    """Yield how many connected pieces each part has: 1 where it is whole."""
    return (len(graph.connected(part)) for part in parts)
