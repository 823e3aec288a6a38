"""Parts of at least N people: whole, connected, as many as a brute force finds on small graphs."""

from __future__ import annotations

import itertools
import random

import pytest
from pinned import pinned

from policy_sim.areas.county_rule import units_of
from policy_sim.areas.graph import Graph, bound, people_of
from policy_sim.areas.packing import packed
from policy_sim.areas.partition import greedy, partition, pieces
from policy_sim.areas.zip_areas import ZipAreas


def some_graph(seed: int, units: int) -> Graph:
    """A connected graph of units with 1 to 9 people: a random tree and a few more edges."""
    draw = random.Random(seed)
    neighbors: list[set[int]] = [set() for _ in range(units)]
    pairs = [(at, draw.randrange(at)) for at in range(1, units)]
    pairs += [tuple(draw.sample(range(units), 2)) for _ in range(units // 2)]
    for one, other in pairs:
        neighbors[one].add(other)
        neighbors[other].add(one)
    places = [[draw.uniform(0, 100) for _ in range(units)] for _ in range(2)]
    return Graph([draw.randint(1, 9) for _ in range(units)], *places, neighbors)


def most_parts(graph: Graph, least: int) -> int:
    """The most connected parts of at least ``least`` people, by every assignment of units to parts."""
    units, best = len(graph.people), 1
    for most in range(units, 1, -1):
        for labels in itertools.product(range(most), repeat=units):
            if len(set(labels)) != most or any(
                label > max(labels[:at], default=-1) + 1 for at, label in enumerate(labels)
            ):
                continue
            parts = [[unit for unit in range(units) if labels[unit] == label] for label in range(most)]
            if all(people_of(graph, part) >= least and len(graph.connected(part)) == 1 for part in parts):
                return most
    return best


@pytest.mark.parametrize("seed", range(4))
def test_the_program_finds_as_many_parts_as_trying_every_one(seed):
    graph = some_graph(seed, 6)
    for least in (6, 9, 12):
        if sum(graph.people) < least:
            continue
        most = most_parts(graph, least)
        found = packed(graph, least)
        assert found.bound == most
        assert len(partition(graph, least)) == most


@pytest.mark.parametrize("seed", pinned([0, 1], range(20)))
@pytest.mark.parametrize("compact", [False, True])
def test_parts_are_connected_and_large_enough_and_have_every_unit_once(seed, compact):
    """And no fewer than joining the smallest gives, unless shape comes first."""
    graph = some_graph(seed, 60)
    parts = partition(graph, 25, compact=compact)
    assert sorted(unit for part in parts for unit in part) == list(range(60))
    assert min(people_of(graph, part) for part in parts) >= 25
    assert set(pieces(parts, graph)) == {1}
    assert len(parts) <= packed(graph, 25).bound <= bound(graph, 25)
    assert compact or len(parts) >= len(greedy(graph, 25))


def test_the_same_graph_gives_the_same_parts():
    assert partition(some_graph(0, 30), 25) == partition(some_graph(0, 30), 25)


def test_a_group_with_too_few_people_stays_a_part_by_itself():
    graph = Graph([9, 9, 1], [0.0, 1.0, 50.0], [0.0] * 3, [{1}, {0}, set()])
    assert partition(graph, 9) == [[0], [1], [2]]


def test_fewer_parts_are_taken_where_more_would_spread_more_than_a_plain_merge():
    """Nevada without county lines: 29 parts of 100,000 spread over 48.3 km each, those of the plain merge over 42.8."""
    graph = units_of(ZipAreas.of("NV"), 100_000, "none").graph
    parts = partition(graph, 100_000)
    assert len(parts) == 28
    assert sum(map(graph.spread, parts)) < sum(map(graph.spread, greedy(graph, 100_000)))
