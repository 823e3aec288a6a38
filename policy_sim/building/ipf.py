"""Iterative proportional fitting: the table nearest to a pattern that meets every known total.

Deming and Stephan (1940). The fit scales the cells of each known total in turn. At the end the table meets all
totals, and its odds ratios are still those of the pattern. The functions work on many tables at once: the first axis
is usually the county.
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

    ``total`` has the axes of the table, with length 1 where it adds up. ``part`` selects its cells (an index of
    slices); by default all.
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
    """Return the table with these margins that is nearest to the pattern (least relative entropy).

    Parameters
    ----------
    pattern : Cells >= 0, in any unit; a cell of 0 stays 0.
    margins : Known totals, in people, that do not contradict each other. The table meets the last one exactly, unless
        its cells are all 0.
    tolerance : Largest gap to any total, in people, at which the fit stops.
    max_rounds : Largest number of rounds (the fit meets totals that force a cell to 0 only in the limit).

    Returns
    -------
    A new table of the pattern's shape, in people.

    Examples
    --------
    The result meets the totals and keeps the pattern's odds ratio of 4.

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
