"""Bootstrap intervals for estimates made from class sizes.

A bootstrap cannot draw records with replacement: a record drawn twice is no longer unique. So this bootstrap draws
classes with replacement, each with all its records, and scales the population to the records drawn, so that the
sampling fraction stays the same. It treats the classes as independent draws from a superpopulation, as the models do.
The interval shows sampling error only. It does not cover the error of the model, so the true value is often outside
it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from policy_sim.errors import InputError
from policy_sim.groups.size_histogram import SizeHistogram

__all__ = ["Bootstrap", "Interval", "Intervals", "class_bootstrap", "percentile_interval"]

Interval: TypeAlias = tuple[float, float]
# Of uniqueness and of marketer risk.
Intervals: TypeAlias = tuple[Interval | None, Interval | None]

# If most replicates fail, an interval from the others describes only the easy ones.
_LARGEST_SHARE_FAILED = 0.1


@dataclass(frozen=True)
class Bootstrap:
    """How to measure the sampling error of an estimate.

    Parameters
    ----------
    replicates : Samples to draw, >= 20.
    level : Share of the replicates between the ends of the interval, 0..1. The interval shows sampling error only,
        not the error of the model.
    seed : Seed of the draws; the same seed gives the same interval.

    Raises
    ------
    InputError : too few replicates, or a level outside 0..1.

    Examples
    --------
    >>> Bootstrap(replicates=2)
    Traceback (most recent call last):
    policy_sim.errors.InputError: replicates must be 20 or more, not 2.
    """

    replicates: int = 200
    level: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        if self.replicates < 20:
            raise InputError(f"replicates must be 20 or more, not {self.replicates}.")
        if not 0 < self.level < 1:
            raise InputError(f"level must lie between 0 and 1, not {self.level}.")
        if self.seed < 0:
            raise InputError(f"seed must be 0 or more, not {self.seed}.")


class _Answer(Protocol):
    @property
    def uniques(self) -> float | None: ...
    @property
    def marketer_risk(self) -> float | None: ...


def percentile_interval(values: Sequence[float | None], level: float) -> Interval | None:
    """Return the middle ``level`` of the values, or None when more than a tenth of them are missing."""
    numbers = [value for value in values if value is not None]
    if len(numbers) < len(values) * (1 - _LARGEST_SHARE_FAILED):
        return None
    low, high = np.quantile(numbers, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high


def class_bootstrap(
    answer: Callable[[SizeHistogram, int], _Answer],
    sample: SizeHistogram,
    people: int,
    bootstrap: Bootstrap,
    tell: Callable[[str], object] = lambda _: None,
) -> Intervals:
    """Return percentile intervals of uniqueness and of marketer risk.

    Parameters
    ----------
    answer : The estimator.
    sample, people : The sample of the estimate, and the size of its population.
    bootstrap : How many samples to draw, and the level of the interval.
    tell : Called with each step.
    """
    rng = np.random.default_rng(bootstrap.seed)
    drawn = rng.multinomial(sample.number, sample.classes / sample.number, size=bootstrap.replicates)
    uniqueness: list[float | None] = []
    marketer: list[float | None] = []
    for replicate, classes in enumerate(drawn, start=1):
        tell(f"replicate {replicate} of {bootstrap.replicates}")
        seen = classes > 0
        again = SizeHistogram(sample.size[seen], classes[seen])
        scaled = max(round(again.records * people / sample.records), again.records)
        estimate = answer(again, scaled)
        uniqueness.append(None if estimate.uniques is None else estimate.uniques / scaled)
        marketer.append(estimate.marketer_risk)
    return percentile_interval(uniqueness, bootstrap.level), percentile_interval(marketer, bootstrap.level)
