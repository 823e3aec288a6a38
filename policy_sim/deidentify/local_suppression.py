"""Release rows without a few of their cells, instead of suppressing whole rows.

The code searches the rows that do not meet the target at the chosen node once more, with two levels per field: the
node's level, or nothing. It releases rows in large enough classes in that form and searches the others again. Each of
these classes has enough records by itself, so the whole file still meets the target.
"""

from __future__ import annotations

import math

import numpy as np

from policy_sim.arrays import IntArray
from policy_sim.deidentify.generalization import SUPPRESSED, Generalization
from policy_sim.deidentify.key_cells import KeyCells, Node
from policy_sim.deidentify.node_search import search_lattice
from policy_sim.deidentify.risk_targets import RiskTarget
from policy_sim.errors import NotEstimableError
from policy_sim.records.prosecutor import Threshold

__all__ = ["generalized", "with_cells_suppressed"]

_MOST_ROUNDS = 64
_ALMOST_ALL = 1 - 1e-9


def generalized(cells: KeyCells, node: Node, target: RiskTarget | None, row_cell: IntArray) -> Generalization:
    """Return the rows at a node, without those that do not meet the target.

    Parameters
    ----------
    cells : The records by key.
    node : The level of each field.
    target : The target; None suppresses nothing.
    row_cell : The cell of each row.
    """
    row_node = np.zeros(len(row_cell), dtype=np.int64)
    if target is not None:
        row_node[cells.suppressed_rows(node, target, row_cell)] = SUPPRESSED
    return Generalization(cells.ladders, (node,), row_node)


def with_cells_suppressed(
    cells: KeyCells, generalization: Generalization, target: RiskTarget, row_cell: IntArray
) -> Generalization:
    """Release the suppressed rows without some of their cells, as many rows and as few cells as the search finds.

    Examples
    --------
    Three people share age and sex, and two others share only the age: the release suppresses the sex of the two.

    >>> from policy_sim.deidentify.coded_columns import CodedColumn, CodedTable
    >>> from policy_sim.deidentify.ladders import flat_ladder
    >>> table = CodedTable({"age": CodedColumn.of(list("33344")), "sex": CodedColumn.of(list("FFFFM"))})
    >>> cells, row_cell = KeyCells.of_table(table, [flat_ladder("age", "34"), flat_ladder("sex", "FM")])
    >>> target = RiskTarget.parse("maximum", "k=2")
    >>> whole = generalized(cells, (0, 0), target, row_cell)
    >>> local = with_cells_suppressed(cells, whole, target, row_cell)
    >>> whole.row_node.tolist(), local.row_node.tolist(), local.nodes
    ([0, 0, 0, -1, -1], [0, 0, 0, 1, 1], ((0, 0), (0, 1)))
    """
    least = max(target.least, math.ceil(1 / target.threshold.risk - 1e-9) if target.measure != "maximum" else 1)
    single = RiskTarget("maximum", Threshold.parse(f"k={least}"), sizes=target.sizes)
    node, row_node, nodes = generalization.nodes[0], generalization.row_node.copy(), list(generalization.nodes)
    levels = [sorted({level, ladder.height}) for level, ladder in zip(node, cells.ladders, strict=True)]
    for _ in range(_MOST_ROUNDS):
        left = row_node == SUPPRESSED
        if not left.any():
            break
        records = np.bincount(row_cell[left], minlength=len(cells.records)).astype(np.int64)
        people = records if target.sizes == "file" else cells.people
        rest = KeyCells(cells.ladders, cells.codes, records, people)
        try:
            best = search_lattice(rest, single, _ALMOST_ALL, "arithmetic", levels)
        except NotEstimableError:
            break
        suppressed = rest.suppressed_rows(best.node, single, row_cell)
        row_node[left & ~suppressed] = len(nodes)
        nodes.append(best.node)
    return Generalization(generalization.ladders, tuple(nodes), row_node)
