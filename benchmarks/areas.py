"""Areas of every state: their number next to the bound and to a plain greedy merge, spread, and the processor's time.

python -m benchmarks.areas [LEAST]          # both rules, all states, one line a state and rule
"""

from __future__ import annotations

import math
import sys
import time

from policy_sim.areas.county_rule import LINES, units_of
from policy_sim.areas.graph import Graph, bound
from policy_sim.areas.packing import packed
from policy_sim.areas.partition import greedy, partition, pieces
from policy_sim.areas.zip_areas import ZipAreas
from policy_sim.words.states import STATES


def spread(graph: Graph, parts: list[list[int]]) -> float:
    """Return the root mean squared distance from the center of a part, km on the page, open land counted too."""
    return math.sqrt(sum(graph.spread(part) for part in parts) / sum(graph.weight)) / 1000


def main(least: int) -> None:
    """Print one line a state and rule, and the sums."""
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
            proved = min(most, packed(graph, least).bound)
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
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
