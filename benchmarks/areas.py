"""Areas of every state: their number next to the bound and to a plain greedy merge, spread, and the processor's time.

python -m benchmarks.areas [LEAST]          # both rules, all states, one line a state and rule
python -m benchmarks.areas LEAST unproved   # the same without the integer program, which takes most of the time
python -m benchmarks.areas neighbors        # pairs of counties seen through points, next to those whose shapes touch
"""

from __future__ import annotations

import math
import sys
import time
from dataclasses import replace

import numpy as np

from policy_sim.areas.county_rule import LINES, units_of
from policy_sim.areas.graph import Graph, bound
from policy_sim.areas.packing import packed
from policy_sim.areas.partition import greedy, partition, pieces
from policy_sim.areas.zip_areas import ZipAreas, county_shapes
from policy_sim.words.states import STATES


def spread(graph: Graph, parts: list[list[int]]) -> float:
    """Return the root mean squared distance from the center of a part, km on the page, open land counted too."""
    return math.sqrt(sum(graph.spread(part) for part in parts) / sum(graph.weight)) / 1000


def county_pairs(state: str) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """Return the pairs of counties that touch through cells drawn without county lines, and by the county shapes.

    The borders of ZIP code areas are not at hand; those of counties are, so that they show how often cells err.
    """
    import shapely

    areas = ZipAreas.of(state)
    shapes = county_shapes(areas.county)
    outline = shapely.union_all(list(shapes.values()))
    points = shapely.multipoints(shapely.points(areas.x, areas.y))
    whole = shapely.box(*outline.bounds).buffer(1e5)
    cells = shapely.get_parts(shapely.voronoi_polygons(points, extend_to=whole, ordered=True))
    drawn = replace(areas, cells=shapely.intersection(cells, outline))
    codes = np.array(sorted(shapes))
    known = replace(areas, county=codes, cells=np.array([shapes[code] for code in codes.tolist()], dtype=object))
    return _pairs(drawn), _pairs(known)


def _pairs(areas: ZipAreas) -> set[tuple[str, str]]:
    named = ((str(areas.county[one]), str(areas.county[other])) for one, other in areas.touching)
    return {(min(pair), max(pair)) for pair in named if pair[0] != pair[1]}


def neighbors() -> None:
    """Print how many pairs of counties are seen rightly, wrongly and not at all."""
    sums = np.zeros(3, dtype=np.int64)
    for state in (code for code in STATES if code not in ("PR", "DC")):
        seen, true = county_pairs(state)
        sums += (len(seen & true), len(seen - true), len(true - seen))
    right, wrong, missed = sums.tolist()
    sys.stdout.write(
        f"county pairs: {right} right, {wrong} seen that do not touch ({wrong / (right + wrong):.1%}), {missed} missed "
        f"({missed / (right + missed):.1%})\n"
    )


def main(least: int, *, proves: bool = True) -> None:
    """Print one line a state and rule, and the sums; ``proves``: look for the most there can be."""
    sums = {lines: [0.0] * 6 for lines in LINES}
    for state in (code for code in STATES if code != "PR"):
        areas = ZipAreas.of(state)
        for lines in LINES:
            start = time.process_time()
            graph = units_of(areas, least, lines).graph
            middle = time.process_time()
            parts = partition(graph, least)
            cut = time.process_time() - middle
            plain, most = greedy(graph, least), bound(graph, least)
            proved = min(most, packed(graph, least).bound) if proves else most
            low = sum(sum(graph.people[unit] for unit in part) < least for part in parts)
            torn = sum(many > 1 for many in pieces(parts, graph))
            figures = (len(parts), most, proved, len(plain), middle - start, cut)
            sums[lines] = [whole + figure for whole, figure in zip(sums[lines], figures, strict=True)]
            shape = f"{spread(graph, parts):.1f} {spread(graph, plain):.1f}"
            sys.stdout.write(f"{state} {lines} {figures[:4]} {len(parts) / most:.3f} {shape} low {low} torn {torn}\n")
            sys.stdout.flush()
    for lines, whole in sums.items():
        number, most, proved, plain, graph_time, cut = whole
        sys.stdout.write(
            f"{lines}: {number:.0f} areas, {number / most:.3f} of the bound {most:.0f}, {number / proved:.3f} of the "
            f"proved {proved:.0f}, greedy {plain:.0f}; graph {graph_time:.1f} s, cut {cut:.1f} s\n"
        )


if __name__ == "__main__":
    if sys.argv[1:] == ["neighbors"]:
        neighbors()
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000, proves=sys.argv[2:] != ["unproved"])
