"""What may be joined: whole counties under 2N people, ZIP code areas inside larger ones, and links by water."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from policy_sim.areas.graph import Graph, people_of
from policy_sim.areas.zip_areas import ZipAreas
from policy_sim.words.errors import InputError

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

COUNTY, NONE = LINES = ("county", "none")
_TRIED = 40  # pairs of units, nearest by their points, whose shapes are compared


@dataclass(frozen=True)
class _Joins:
    """Which units may be in one area: of one county, or where one of them may leave its lines; in one district."""

    county: Sequence[str]
    may_leave: Sequence[bool]
    district: Sequence[str]

    def may(self, one: int, other: int) -> bool:
        near = self.county[one] == self.county[other] or self.may_leave[one] or self.may_leave[other]
        return near and self.district[one] == self.district[other]


@dataclass(frozen=True)
class Units:
    """What areas are put together of, and the graph of what may be joined.

    Attributes
    ----------
    zips : For each unit the positions of its ZIP code areas.
    graph : Units that touch and may be in one area.
    links : Pairs of ZIP code areas that are joined though they do not touch: an island, or one without a shape, and
        what is nearest.
    """

    zips: Sequence[tuple[int, ...]]
    graph: Graph
    links: Sequence[tuple[int, int]]


def units_of(areas: ZipAreas, least: int, lines: str = COUNTY, district: Mapping[str, str] | None = None) -> Units:
    """Return the units of a state.

    Under the county rule a county of fewer than twice ``least`` people is one unit; only a whole county of fewer than
    ``least`` may be joined to another county, or to a part of one.

    ``lines``: ``county``, or ``none`` where county lines do not count. ``district``: for ZIP codes the district that an
    area may not leave.
    """
    if lines not in LINES:
        raise InputError(f"lines = {lines!r}: give county or none.")
    _refuse_without_district(areas, district)
    zips, may_leave = _grouped(areas, least, lines)
    unit_of = {at: unit for unit, held in enumerate(zips) for at in held}
    county = [str(areas.county[held[0]]) if lines == COUNTY else "" for held in zips]
    joins = _Joins(county, may_leave, [_district(areas, held, district) for held in zips])
    neighbors: list[set[int]] = [set() for _ in zips]
    for one, other in ((unit_of[a], unit_of[b]) for a, b in areas.touching):
        if one != other and joins.may(one, other):
            neighbors[one].add(other)
            neighbors[other].add(one)
    people = [int(areas.people[list(held)].sum()) for held in zips]
    x, y = ([float(values[list(held)].mean()) for held in zips] for values in (areas.x, areas.y))
    graph = Graph(people, x, y, neighbors)
    links = []
    while link := _link(areas, zips, graph, least, joins):
        one, other, pair = link
        neighbors[one].add(other)
        neighbors[other].add(one)
        links.append(pair)
    return Units(zips, graph, links)


def _grouped(areas: ZipAreas, least: int, lines: str) -> tuple[list[tuple[int, ...]], list[bool]]:
    """Return the ZIP code areas of each unit, and whether it is a whole county that may leave its lines."""
    if lines == NONE:
        return [(at,) for at in range(len(areas.zip5))], [True] * len(areas.zip5)
    zips: list[tuple[int, ...]] = []
    may_leave: list[bool] = []
    for held in areas.of_counties().values():
        people = int(areas.people[held].sum())
        own = [tuple(held)] if people < 2 * least else [(at,) for at in held]
        zips += own
        may_leave += [people < least] * len(own)
    return zips, may_leave


def _refuse_without_district(areas: ZipAreas, district: Mapping[str, str] | None) -> None:
    """Refuse districts that leave ZIP code areas out: these would be a district that nobody asked for."""
    lost = [] if district is None else [code for code in areas.zip5.tolist() if not district.get(code)]
    if lost:
        raise InputError(
            f"{areas.state}: {len(lost):,} of {len(areas.zip5):,} ZIP code areas have no district, such as {lost[0]}. "
            "Give each ZIP code area of the state a district."
        )


def _district(areas: ZipAreas, held: Iterable[int], district: Mapping[str, str] | None) -> str:
    if district is None:
        return ""
    codes = {district[str(areas.zip5[at])] for at in held}
    if len(codes) > 1:
        raise InputError(
            f"county {areas.county[next(iter(held))]} lies in several districts and has too few people to be cut: "
            "choose a smaller least number of people, or ignore county lines."
        )
    return codes.pop()


def _link(
    areas: ZipAreas, units: Sequence[Sequence[int]], graph: Graph, least: int, joins: _Joins
) -> tuple[int, int, tuple[int, int]] | None:
    """Return two units, with their nearest ZIP code areas, that join a group of too few people to another; or None.

    Of the same county where there is one, else the nearest that it may be joined with.
    """
    for group in graph.connected(range(len(units))):
        if people_of(graph, group) >= least:
            continue
        others = sorted(set(range(len(units))).difference(group))
        pairs = [(own, unit) for own in group for unit in others if joins.may(own, unit)]
        same = [pair for pair in pairs if joins.county[pair[0]] == joins.county[pair[1]]]
        near = heapq.nsmallest(_TRIED, same or pairs, lambda pair: math.dist(*(_point(graph, unit) for unit in pair)))
        links = [(*_nearest(areas, units[own], units[unit]), own, unit) for own, unit in near]
        if links:
            _, one, other, own, unit = min(links)
            return own, unit, (min(one, other), max(one, other))
    return None


def _point(graph: Graph, unit: int) -> tuple[float, float]:
    return graph.x[unit], graph.y[unit]


def _nearest(areas: ZipAreas, some: Sequence[int], others: Sequence[int]) -> tuple[float, int, int]:
    """Return the least distance, and the two ZIP code areas, one of each, that are so near."""
    import shapely

    return min((float(shapely.distance(_place(areas, a), _place(areas, b))), a, b) for a in some for b in others)


def _place(areas: ZipAreas, at: int) -> BaseGeometry:
    import shapely

    cell: BaseGeometry = areas.cells[at]
    return shapely.Point(areas.x[at], areas.y[at]) if shapely.is_empty(cell) else cell
