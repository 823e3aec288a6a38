"""Iterative proportional fitting: the table nearest a pattern that keeps every known total.

Deming and Stephan (1940). Each known total in turn scales the cells that add up to it; at the end
all of them hold, and what no total speaks about (the odds ratios) is still the pattern's. Works on
many tables at once: the first axis is usually the county.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from policy_sim.arrays import FloatArray

__all__ = ["Margin", "fit_margins"]


@dataclass(frozen=True)
class Margin:
    """A known total of some cells.

    ``total`` has the axes of the table, of length 1 where it adds up. ``part`` cuts out the cells
    it speaks about (an index of slices); by default all.
    """

    total: NDArray[Any]
    part: tuple[slice, ...] = ()


def _scale(table: FloatArray, margin: Margin) -> float:
    """Scale the cells to one margin, in place; return the largest gap found, in people."""
    cells = table[margin.part]
    axes = tuple(i for i, length in enumerate(margin.total.shape) if length < cells.shape[i])
    sums = cells.sum(axis=axes, keepdims=True)
    gap = float(np.abs(sums - margin.total).max(initial=0.0))
    cells *= np.divide(margin.total, sums, out=np.zeros_like(sums), where=sums > 0)
    return gap


def fit_margins(
    pattern: FloatArray, margins: Sequence[Margin], *, tolerance: float = 0.01, max_rounds: int = 200
) -> FloatArray:
    """Return the table with these margins that is nearest the pattern (least relative entropy).

    Parameters
    ----------
    pattern : Cells >= 0, in any unit; a cell of 0 stays 0.
    margins : Known totals, in people, that do not contradict each other. The last one holds exactly
        where its cells are not all 0.
    tolerance : Largest gap to any total, in people, at which the fit stops.
    max_rounds : Rounds after which it stops in any case (totals that force a cell to 0 are met
        only in the limit).

    Returns
    -------
    A new table of the pattern's shape, in people.

    Examples
    --------
    A pattern of odds ratio 4 keeps it, and gets the totals.

    >>> table = fit_margins(
    ...     np.array([[2.0, 1.0], [1.0, 2.0]]),
    ...     [Margin(np.array([[30.0], [60.0]])), Margin(np.array([[45.0, 45.0]]))],
    ... )
    >>> table.sum(axis=0).round(2).tolist()
    [45.0, 45.0]
    >>> round(float(table[0, 0] * table[1, 1] / table[0, 1] / table[1, 0]), 6)
    4.0
    """
    table = np.array(pattern, dtype=np.float64)
    for _ in range(max_rounds):
        if max([_scale(table, margin) for margin in margins], default=0.0) <= tolerance:
            break
    return table
