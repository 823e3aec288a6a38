"""Which counts of a table a rate or percentage is made of, where every shown number agrees to the last digit.

A rate ``r`` that is written in units of ``step`` says that ``scale * part / whole`` lies within half a unit of it (or,
where it was cut off, up to a unit above). That is linear in the counts: ``scale * part >= (r - step/2) * whole``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from policy_sim.formulas.equations import NATURAL, RARE
from policy_sim.words.arrays import FloatArray

SCALES = (100.0, 1.0, 1e3, 1e4, 1e5, 1e6)
SHARE, OF_BOTH, CHANGE, OF_PLACE, UNKNOWN = "share", "share of both", "change", "share of one place", "one denominator"
_EDGE = 1e-9


class Ratio(NamedTuple):
    """``rate`` is ``scale`` times ``part`` divided by what ``kind`` says.

    ``whole``: the vector (for ``SHARE``, ``OF_BOTH``, ``CHANGE``) or the place (for ``OF_PLACE``) of the denominator;
    for ``UNKNOWN`` it is none, and ``between`` has the least and greatest denominator divided by the scale.
    ``cut``: the rate is cut off after its last digit, not rounded.
    """

    rate: int
    kind: str
    part: int
    whole: int
    scale: float
    cut: bool
    confirmed: int
    chance: float
    between: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class Rates:
    """The matrix of a table, with the ``step`` of each number, and which vectors may be rates.

    ``named``: vectors that their name calls a rate; for these the ways to choose a scale are few.
    """

    values: FloatArray
    step: FloatArray
    rates: Sequence[int]
    counts: Sequence[int]
    named: Sequence[int] = ()
    bases: Sequence[int] = ()  # places whose counts may be the denominators of all

    def all(self) -> list[Ratio]:
        """Return for each rate what explains all of its shown numbers best; nothing where nothing does."""
        findings = []
        with np.errstate(divide="ignore", invalid="ignore"):
            for rate in self.rates:
                options = sorted(self._of(rate), key=lambda item: (item.kind == UNKNOWN, item.chance))
                sure = [item for item in options if item.kind != UNKNOWN] or options
                findings += sure[:3]
        return findings

    def _of(self, rate: int) -> Iterator[Ratio]:
        counts = [at for at in self.counts if at != rate]
        scales = SCALES
        limit = NATURAL if rate in self.named else RARE
        ways = (
            len(scales)
            * len(counts)
            * (3 * len(counts) + len(self.bases))
            * (1 if rate in self.named else len(self.rates))
        )
        for part in counts:
            yield from self._tested(rate, UNKNOWN, part, -1, 1.0, None, len(counts) * 4, RARE)
            for scale in scales:
                for whole in counts:
                    if whole != part:
                        of = self.values[whole]
                        numerator = scale * self.values[part]
                        yield from self._tested(rate, SHARE, part, whole, scale, numerator / of, ways, limit)
                        both = numerator / (self.values[part] + of)
                        yield from self._tested(rate, OF_BOTH, part, whole, scale, both, ways, limit)
                        change = numerator / of - scale
                        yield from self._tested(rate, CHANGE, part, whole, scale, change, ways, limit)
                for place in self.bases:
                    share = scale * self.values[part] / self.values[part, place]
                    yield from self._tested(rate, OF_PLACE, part, place, scale, share, ways, limit)

    def _tested(
        self,
        rate: int,
        kind: str,
        part: int,
        whole: int,
        scale: float,
        expected: FloatArray | None,
        ways: float,
        limit: float,
    ) -> Iterator[Ratio]:
        rates, step = self.values[rate], self.step[rate]
        settled = ~np.isnan(rates) & ~np.isnan(self.values[part] if expected is None else expected)
        if expected is not None:
            settled &= np.isfinite(np.nan_to_num(expected, posinf=np.inf))
        if not settled.any():
            return
        for cut in (False, True):
            low, high = (rates, rates + step) if cut else (rates - step / 2, rates + step / 2)
            between = (0.0, 0.0)
            if expected is None:
                between = self._denominators(low[settled], high[settled], self.values[part][settled])
                holds = between[0] <= between[1]
            else:
                edge = _EDGE * np.maximum(1, np.abs(rates))
                holds = not np.any((expected < low - edge) | (expected > high + edge), where=settled)
            if holds:
                seen = np.unique(np.abs(rates[settled & (rates != 0)]) / step[settled & (rates != 0)])
                digits = float(np.log10(1 + (seen[:-1] if expected is None else seen)).sum())
                chance = ways * 2 * 10.0 ** -min(digits, 300)
                if chance < limit:
                    yield Ratio(rate, kind, part, whole, scale, cut, int(settled.sum()), chance, between)
                return

    @staticmethod
    def _denominators(low: FloatArray, high: FloatArray, part: FloatArray) -> tuple[float, float]:
        """Return between which numbers one denominator of all rates lies; the first is larger where there is none."""
        used = (part > 0) & (low > 0)
        if not used.any() or np.any((part == 0) & ((low > 0) | (high < 0))) or np.any((part > 0) & (high <= 0)):
            return 1.0, 0.0
        some = part > 0  # a rate of nearly 0 limits the denominator from below only
        return float((part[some] / high[some]).max()), float((part[used] / low[used]).min())
