"""Log-linear models of a table of counts, fitted by iterative proportional fitting.

The fit scales the table to each of the model's margins in turn. Cells in an empty margin end at exactly zero; in a
generalized linear model their predictor would go to minus infinity.
W. Deming and F. Stephan (1940), Annals of Mathematical Statistics 11:427-444.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from policy_sim.arrays import FloatArray

__all__ = ["Fit", "fit_log_linear", "margins_of"]

Margins = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class Fit:
    """Fitted means of every cell, in the table's shape, and whether the fit meets its margins."""

    mean: FloatArray
    converged: bool
    cycles: int


def margins_of(fields: int, pairs: Sequence[tuple[int, int]]) -> Margins:
    """Return the margins of main effects and these two-way interactions; a pair's margin includes its fields'."""
    covered = {field for pair in pairs for field in pair}
    return (*sorted(pairs), *((field,) for field in range(fields) if field not in covered))


def fit_log_linear(counts: FloatArray, margins: Margins, *, tolerance: float = 1e-8, limit: int = 2000) -> Fit:
    """Fit a log-linear model with these margins.

    Parameters
    ----------
    counts : Table of counts, one axis per field.
    margins : Axes of each margin that the fit must meet.
    tolerance : The fit stops if no margin is off by more than this share of all records.
    limit : Largest number of cycles.
    """
    axes = range(counts.ndim)
    others = [tuple(axis for axis in axes if axis not in margin) for margin in margins]
    targets = [counts.sum(axis=other, keepdims=True) for other in others]
    mean = np.ones_like(counts)
    total = counts.sum()
    for cycle in range(1, limit + 1):
        miss = 0.0
        for other, target in zip(others, targets, strict=True):
            now = mean.sum(axis=other, keepdims=True)
            miss = max(miss, float(np.abs(now - target).max()))
            mean *= np.divide(target, now, out=np.zeros_like(now), where=now > 0)
        if miss <= tolerance * total:
            return Fit(mean, True, cycle)
    return Fit(mean, False, limit)
