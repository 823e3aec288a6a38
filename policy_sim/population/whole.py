"""Whole people from expected ones: every known total stays exact, and chance is drawn with a seed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["draw_rows", "round_rows", "settle_columns", "share_out"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Expected numbers are cut to this many decimals before chance is asked, so that the last bits of
# a sum, which differ between processors, do not move a person.
_DECIMALS = 9


def round_rows(expected: FloatArray, totals: IntArray, rng: np.random.Generator) -> IntArray:
    """Round each cell down or up, so that each row (last axis) adds up to its total.

    Systematic sampling: a cell of 2.3 becomes 3 with probability 0.3, else 2.

    Parameters
    ----------
    expected : Cells >= 0, shape (..., columns); a row of zeros may have the total 0 only.
    totals : Whole total of each row, shape (...); the cells are scaled to it.
    """
    found = expected.sum(axis=-1, keepdims=True)
    scale = np.divide(totals[..., None], found, out=np.zeros_like(found), where=found > 0)
    upto = np.round(np.cumsum(expected * scale, axis=-1), _DECIMALS)
    upto[..., -1] = totals
    steps = np.floor(upto + rng.random(totals.shape)[..., None] % 1.0)
    return np.diff(steps, axis=-1, prepend=0.0).astype(np.int64)


def draw_rows(expected: FloatArray, totals: IntArray, rng: np.random.Generator) -> IntArray:
    """Draw each person of a row independently: multinomial, with the cells as odds."""
    left = totals.astype(np.int64)
    above = np.cumsum(expected[..., ::-1], axis=-1)[..., ::-1]
    chance = np.divide(expected, above, out=np.zeros_like(expected), where=above > 0)
    drawn = np.zeros(expected.shape, dtype=np.int64)
    for column in range(expected.shape[-1] - 1):
        odds = np.clip(np.round(chance[..., column], _DECIMALS), 0.0, 1.0)
        drawn[..., column] = rng.binomial(left, odds)
        left = left - drawn[..., column]
    drawn[..., -1] = left
    return drawn


def settle_columns(people: IntArray, expected: FloatArray, totals: IntArray) -> IntArray:
    """Move people between columns of the same row until every column has its total.

    Each step moves people, in the row where that strains the expectation least (chi-square), from
    the fullest column to the emptiest one. Rows keep their totals.

    Parameters
    ----------
    people : Whole people, shape (tables, rows, columns).
    expected : Expected people, same shape; nobody is moved into a cell of 0.
    totals : Wanted column totals, shape (tables, columns), with the same sum as the people.
    """
    people = people.copy()
    surplus = people.sum(axis=1) - totals
    open_tables = np.flatnonzero((surplus != 0).any(axis=1))
    while open_tables.size:
        source, target = surplus[open_tables].argmax(axis=1), surplus[open_tables].argmin(axis=1)
        gap = np.minimum(surplus[open_tables, source], -surplus[open_tables, target])
        here = people[open_tables]
        want = np.round(expected[open_tables], _DECIMALS)
        pick = np.arange(open_tables.size)
        n_from, x_from = here[pick, :, source], want[pick, :, source]
        n_to, x_to = here[pick, :, target], want[pick, :, target]
        step = np.minimum((gap[:, None] + 1) // 2, n_from)
        strain = _strain(n_from - step, x_from) + _strain(n_to + step, x_to)
        strain -= _strain(n_from, x_from) + _strain(n_to, x_to)
        strain[(step <= 0) | (x_to <= 0)] = np.inf
        row = (strain / np.maximum(step, 1)).argmin(axis=1)
        moved = np.where(np.isfinite(strain[pick, row]), step[pick, row], 0)
        people[open_tables, row, source] -= moved
        people[open_tables, row, target] += moved
        surplus[open_tables, source] -= moved
        surplus[open_tables, target] += moved
        open_tables = open_tables[(moved > 0) & (surplus[open_tables] != 0).any(axis=1)]
    return people


def _strain(people: IntArray, expected: FloatArray) -> FloatArray:
    return np.asarray((people - expected) ** 2 / np.maximum(expected, 0.01), dtype=np.float64)


def share_out(pool: IntArray, demands: IntArray, rng: np.random.Generator) -> IntArray:
    """Deal the people of a pool out to places, every deal being equally likely.

    The pool says how many people of each kind there are; each place gets the number it demands.
    Exactly what cutting a shuffled deck gives (multivariate hypergeometric).

    Parameters
    ----------
    pool : People of each kind, shape (tables, kinds).
    demands : People each place gets, shape (places, tables); adds up to the pool.

    Returns
    -------
    People of each kind in each place, shape (places, tables, kinds).
    """
    left = pool.astype(np.int64)
    dealt = np.zeros((*demands.shape, pool.shape[1]), dtype=np.int64)
    for place in range(demands.shape[0] - 1):
        wanted = demands[place].copy()
        rest = left.sum(axis=1)
        for kind in range(pool.shape[1] - 1):
            rest = rest - left[:, kind]
            drawn = rng.hypergeometric(left[:, kind], rest, wanted)
            dealt[place, :, kind] = drawn
            wanted -= drawn
        dealt[place, :, -1] = wanted
        left -= dealt[place]
    dealt[-1] = left
    return dealt
