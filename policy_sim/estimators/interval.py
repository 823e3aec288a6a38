"""Bootstrap intervals for estimates made from class sizes.

Records cannot be drawn again with replacement: every record drawn twice would end a unique class. The
classes are drawn instead, with replacement, each bringing all its records, and the population is
scaled to the records drawn so that the sampling fraction stays. That holds the classes to be
independent draws from a superpopulation, which is what the models say. The interval covers chance in
the sample; it knows nothing of the model being wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

import numpy as np

from policy_sim.errors import InputError
from policy_sim.sizes import SizeHistogram

__all__ = ["Interval", "class_bootstrap", "percentile_interval"]

Interval: TypeAlias = tuple[float, float]

# An interval from replicates most of which failed would describe the easy ones only.
_LARGEST_SHARE_FAILED = 0.1


class _Answer(Protocol):
    @property
    def uniques(self) -> float | None: ...
    @property
    def marketer_risk(self) -> float | None: ...


def percentile_interval(values: Sequence[float | None], level: float) -> Interval | None:
    """Return the middle ``level`` of the values, or None when more than a tenth of them are missing."""
    known = [value for value in values if value is not None]
    if len(known) < len(values) * (1 - _LARGEST_SHARE_FAILED):
        return None
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high


def check_bootstrap(replicates: int, level: float) -> None:
    """Refuse a bootstrap too small to have the tails that are asked of it."""
    if replicates < 20:
        raise InputError(f"replicates must be 20 or more, not {replicates}.")
    if not 0 < level < 1:
        raise InputError(f"level must lie between 0 and 1, not {level}.")


def class_bootstrap(
    answer: Callable[[SizeHistogram, int], _Answer],
    sample: SizeHistogram,
    people: int,
    *,
    replicates: int,
    level: float,
    seed: int,
) -> tuple[Interval | None, Interval | None]:
    """Return percentile intervals of uniqueness and of marketer risk.

    Parameters
    ----------
    answer : The estimator.
    sample, people : What it was fitted to.
    replicates : Samples drawn, >= 20.
    level : Coverage aimed at, between 0 and 1.
    seed : Seed of the draws.
    """
    check_bootstrap(replicates, level)
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(sample.number, sample.classes / sample.number, size=replicates)
    uniqueness: list[float | None] = []
    marketer: list[float | None] = []
    for classes in drawn:
        kept = classes > 0
        again = SizeHistogram(sample.size[kept], classes[kept])
        scaled = max(round(again.records * people / sample.records), again.records)
        found = answer(again, scaled)
        uniqueness.append(None if found.uniques is None else found.uniques / scaled)
        marketer.append(found.marketer_risk)
    return percentile_interval(uniqueness, level), percentile_interval(marketer, level)
