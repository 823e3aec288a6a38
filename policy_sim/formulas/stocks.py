"""Stocks and flows along an order of places: patients in a hospital, and those who came, left or died each day.

A change of the stock between two places is the sum of some flows less others. As for other equations
(:mod:`policy_sim.formulas.equations`), it is evidence where it holds in each place that shows all its numbers, and
where so many digits agree that chance does not explain it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from policy_sim.formulas.equations import RARE
from policy_sim.words.arrays import FloatArray, IntArray

_MOST_VECTORS, _MOST_FLOWS = 12, 4


class Stock(NamedTuple):
    """``stock`` grows from place to place by ``signs`` times ``flows``: of the later place, or of the ``earlier``."""

    stock: int
    flows: tuple[int, ...]
    signs: tuple[int, ...]
    earlier: bool
    confirmed: int
    chance: float

    def words(self, names: Sequence[str]) -> str:
        """Write the equation with the names of vectors.

        >>> Stock(0, (1, 2), (1, -1), False, 9, 1e-9).words(["in care", "came", "left"])
        'in care grows by came - left'
        """
        terms = [f"{'+' if sign > 0 else '-'} {names[at]}" for at, sign in zip(self.flows, self.signs, strict=True)]
        before = " of the place before" if self.earlier else ""
        return f"{names[self.stock]} grows by {' '.join(terms).removeprefix('+ ')}{before}"

    def equations(self, ids: IntArray) -> Iterator[list[tuple[int, int]]]:
        """Yield the equation of each place as numbers (``ids``: vectors x places x other labels) with signs."""
        for place, other in itertools.product(range(1, ids.shape[1]), range(ids.shape[2])):
            flows = ids[list(self.flows), place - self.earlier, other].tolist()
            terms = [(int(ids[self.stock, place, other]), 1), (int(ids[self.stock, place - 1, other]), -1)]
            terms += [(number, -sign) for number, sign in zip(flows, self.signs, strict=True)]
            if min(number for number, _ in terms) >= 0:
                yield terms


def stocks(values: FloatArray) -> list[Stock]:
    """Return the stocks among vectors, each with as few flows as explain it.

    One flow is that of the place before, or leaves: a running total is looked for elsewhere.
    ``values``: vectors x places in order x other labels; NaN where hidden or absent.
    """
    size, length = values.shape[:2]
    if not 2 <= size <= _MOST_VECTORS or length < 4:
        return []
    findings = []
    for stock in range(size):
        change = np.diff(values[stock], axis=0).ravel()
        sides = [np.array([own[:-1] if earlier else own[1:] for own in values]) for earlier in (False, True)]
        found = [
            _grows_by(change, side.reshape(size, -1), stock, many, bool(earlier))
            for many in range(1, min(_MOST_FLOWS, size - 1) + 1)
            for earlier, side in enumerate(sides)
        ]
        findings += next(([item] for item in found if item is not None), [])
    return findings


def _grows_by(change: FloatArray, flows: FloatArray, stock: int, many: int, earlier: bool) -> Stock | None:
    """Return the best evidence that a change is the sum of ``many`` flows with signs."""
    size = len(flows)
    chosen = list(itertools.combinations([at for at in range(size) if at != stock], many))
    signs = np.array(list(itertools.product((1, -1), repeat=many)) if many > 1 else [[1 if earlier else -1]])
    ways = 2.0 * size * len(chosen) * len(signs)
    best: Stock | None = None
    for at in chosen:
        terms = flows[list(at)]
        shown = ~np.isnan(terms).any(axis=0) & ~np.isnan(change)
        seen = terms[:, shown]
        if not (seen != 0).any(axis=1).all():
            continue  # a flow that is 0 wherever one can see it may be left out
        for own in signs[(signs @ seen == change[shown]).all(axis=1)]:
            chance = ways * 10.0 ** -_digits(seen)
            if chance < (best.chance if best else RARE):
                best = Stock(stock, at, tuple(own.tolist()), earlier, int(shown.sum()), chance)
    return best


def _digits(seen: FloatArray) -> float:
    """Return the digits that agree: those of the largest flow of each place but one; alike places count once."""
    largest = np.sort(np.unique(seen, axis=1).max(axis=0, initial=0))
    return math.fsum(np.log10(1 + largest[:-1]))
