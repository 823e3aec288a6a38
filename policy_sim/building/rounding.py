"""Proportional fitting, and whole people whose sums stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import NotEstimableError

# Iterative proportional fitting: the table nearest to a pattern that meets every known total.
#
# Deming and Stephan (1940). The fit scales the cells of each known total in turn. At the end the table meets all
# totals, and its odds ratios are still those of the pattern. The functions work on many tables at once: the first axis
# is usually the county.


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

    The pattern is in any unit; a cell of 0 stays 0. Margins, in people, must not contradict each other. The table meets
    the last one exactly, unless its cells are all 0. Rounds have a limit, as totals that force a cell to 0 are met only
    after infinitely many.
    """
    table = np.array(pattern, dtype=np.float64)
    for _ in range(max_rounds):
        if max([_scale(table, margin) for margin in margins], default=0.0) <= tolerance:
            break
    return table


# Convert expected people to whole people: every known total stays exact, and random draws have a seed.


# Expected numbers are cut to this many decimals before a draw, so that the last bits of a sum do not matter.
_DECIMALS = 9


def round_rows(expected: FloatArray, totals: IntArray, rng: np.random.Generator) -> IntArray:
    """Round each cell up or down, so that each row (last axis) adds up to its total.

    Systematic sampling: a cell of 2.3 becomes 3 with probability 0.3, else 2.

    ``expected``: cells >= 0, shape (..., columns). ``totals``: whole total of each row, shape (...); the cells are
    scaled to it.
    """
    sums = expected.sum(axis=-1, keepdims=True)
    _check_possible(sums[..., 0], totals)
    scale = np.divide(totals[..., None], sums, out=np.zeros_like(sums), where=sums > 0)
    upto = np.round(np.cumsum(expected * scale, axis=-1), _DECIMALS)
    upto[..., -1] = totals
    steps = np.floor(upto + rng.random(totals.shape)[..., None])
    return np.diff(steps, axis=-1, prepend=0.0).astype(np.int64)


def _check_possible(expected: FloatArray, totals: IntArray) -> None:
    if ((expected <= 0) & (totals > 0)).any():
        raise NotEstimableError("people are counted where none are expected: a row of zeros has a total.")


def draw_rows(expected: FloatArray, totals: IntArray, rng: np.random.Generator) -> IntArray:
    """Draw each person of a row independently: multinomial, with chances in proportion to the cells.

    Parameters, shape and errors are those of :func:`round_rows`.
    """
    _check_possible(expected.sum(axis=-1), totals)
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


def settle_columns(
    people: IntArray,
    expected: FloatArray,
    totals: IntArray,
    most: IntArray | None = None,
    *,
    keep_rows: bool = True,
) -> IntArray:
    """Move people between columns of the same row until every column meets its total.

    People move from the column with the largest surplus to the one with the largest deficit, in the row where that
    adds the least to chi-square. If no row allows it, they move through other columns.

    ``people``: whole people, shape (tables, rows, columns). ``expected``: expected people, same shape; nobody moves
    into a cell of 0. ``totals``: column totals to meet, shape (tables, columns), with the same sum as the people.
    ``most``: the most people that each cell can hold, same shape; by default any number. ``keep_rows``: whether to fail
    where no row and no way through other columns allows it; if not, a person then moves to a column of another row.
    """
    people, expected = people.copy(), np.round(expected, _DECIMALS)
    most = np.broadcast_to(np.iinfo(np.int64).max // 2, people.shape) if most is None else most
    surplus = people.sum(axis=1) - totals
    moving = np.flatnonzero((surplus != 0).any(axis=1))
    while moving.size:
        stuck = moving[_step(people, expected, most, surplus, moving) == 0]
        for table in stuck.tolist():
            _detour(people[table], expected[table], most[table], surplus[table], keep_rows)
        moving = moving[(surplus[moving] != 0).any(axis=1)]
    return people


def _strain(people: IntArray, expected: FloatArray, step: IntArray | int) -> FloatArray:
    """Return the increase of chi-square if ``step`` people come to each cell (or leave, if < 0)."""
    rise = step * (2 * (people - expected) + step) / np.where(expected > 0, expected, 1.0)
    return np.asarray(np.where((expected > 0) | (step < 0), rise, np.inf))


def _step(
    people: IntArray, expected: FloatArray, most: IntArray, surplus: IntArray, tables: NDArray[np.intp]
) -> IntArray:
    """Move people once in each of these tables, in place; return how many moved."""
    source, target = surplus[tables].argmax(axis=1), surplus[tables].argmin(axis=1)
    gap = np.minimum(surplus[tables, source], -surplus[tables, target])
    leaving, coming = people[tables, :, source], people[tables, :, target]
    # Half of the gap at a time, so that no row gets all of it.
    step = np.minimum(np.minimum((gap[:, None] + 1) // 2, leaving), most[tables, :, target] - coming)
    strain = _strain(leaving, expected[tables, :, source], -step)
    strain += _strain(coming, expected[tables, :, target], step)
    per_person = np.where(step > 0, strain / np.maximum(step, 1), np.inf)
    row, index = per_person.argmin(axis=1), np.arange(len(tables))
    moved = np.where(np.isfinite(per_person[index, row]), step[index, row], 0)
    people[tables, row, source] -= moved
    people[tables, row, target] += moved
    surplus[tables, source] -= moved
    surplus[tables, target] += moved
    return moved


def _detour(people: IntArray, expected: FloatArray, most: IntArray, surplus: IntArray, keep_rows: bool) -> None:
    """Move one person of one table, in place, from the fullest to the emptiest column through other columns."""
    leave = np.where(people > 0, _strain(people, expected, -1), np.inf)
    come = np.where(people < most, _strain(people, expected, 1), np.inf)
    moves = leave[:, :, None] + come[:, None, :]
    cost, via = moves.min(axis=0), moves.argmin(axis=0)
    source, target = int(surplus.argmax()), int(surplus.argmin())
    # Cheapest path between columns (Bellman and Ford); costs may be negative, so no column occurs twice.
    best = {source: (0.0, [source])}
    for _ in range(len(surplus)):
        for start, (spent, way) in list(best.items()):
            for end in set(range(len(surplus))) - set(way):
                total = spent + float(cost[start, end])
                if np.isfinite(total) and total < best.get(end, (np.inf, []))[0]:
                    best[end] = (total, [*way, end])
    if target not in best and keep_rows:
        raise NotEstimableError("whole people cannot meet these totals: the cells of 0 make it impossible.")
    if target not in best:
        people[leave[:, source].argmin(), source] -= 1
        people[come[:, target].argmin(), target] += 1
    for start, end in pairwise(best[target][1] if target in best else ()):
        row = via[start, end]
        people[row, start] -= 1
        people[row, end] += 1
    surplus[source] -= 1
    surplus[target] += 1


def share_out(pool: IntArray, demands: IntArray, rng: np.random.Generator) -> IntArray:
    """Distribute the people of a pool over places, as one deals a shuffled deck (multivariate hypergeometric).

    The pool, shape (tables, kinds), gives the people of each kind. Each place gets the number that it demands, shape
    (places, tables); demands add up to the pool. The result has the shape (places, tables, kinds).
    """
    left = pool.astype(np.int64)
    dealt = np.zeros((*demands.shape, pool.shape[1]), dtype=np.int64)
    for place in range(demands.shape[0] - 1):
        demand = demands[place].copy()
        rest = left.sum(axis=1)
        for kind in range(pool.shape[1] - 1):
            rest = rest - left[:, kind]
            drawn = rng.hypergeometric(left[:, kind], rest, demand)
            dealt[place, :, kind] = drawn
            demand -= drawn
        dealt[place, :, -1] = demand
        left -= dealt[place]
    dealt[-1] = left
    return dealt
