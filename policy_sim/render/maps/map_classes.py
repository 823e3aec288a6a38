"""Classes of a map: where one color ends and the next begins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from policy_sim.errors import InputError

__all__ = ["Classes", "given_classes", "log_classes", "quantile_classes"]

_LIGHT, _MIDDLE, _DARK = 0.05, 0.45, 0.80  # of a palette
_FEW = 2  # classes that differ too little for the darkest color
_MOST = 100
_CLOSE = 0.01  # shares that differ by less, and less than twofold, are close together


@dataclass(frozen=True)
class Classes:
    """Colors for ranges of a value.

    ``limits`` ascend and are one more than ``colors``; a value on a limit belongs to the class above
    it, the last limit to the last class.
    """

    limits: tuple[float, ...]
    colors: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.limits) != len(self.colors) + 1 or any(a >= b for a, b in pairwise(self.limits)):
            raise InputError(
                f"class limits {self.limits} must ascend and be one more than the {len(self.colors)} colors."
            )

    def index(self, values: ArrayLike) -> NDArray[np.intp]:
        """Return the class (from 0) of each value; values beyond the limits are in the outer classes."""
        return np.searchsorted(self.limits[1:-1], np.asarray(values, dtype=float), side="right")

    def one_class(self, low: float, high: float) -> bool:
        """Return whether both ends of an interval lie in one class of several, and within the limits."""
        within = self.limits[0] <= low and high <= self.limits[-1] and (len(self.colors) > 1 or low == high)
        return within and bool(self.index(low) == self.index(high))

    def color(self, value: float) -> str:
        """Return the color of a value."""
        return self.colors[int(self.index(value))]


def given_classes(limits: Sequence[float], palette: str) -> Classes:
    """Return classes with these limits, so that several maps can share one legend."""
    return Classes(tuple(limits), _colors(palette, len(limits) - 1))


def quantile_classes(values: ArrayLike, palette: str, count: int = 5, least: float = 0.0) -> Classes:
    """Return classes that hold about as many shares (0..1) each, with limits of few digits.

    Fits skewed values, which equal steps would put into one class. Fewer classes where few values
    differ, and two or one where all lie close together: classes are for differences that matter.

    Parameters
    ----------
    least : Shares below it are written alike, so one class holds them, from 0 on.
    """
    finite = np.asarray(values, dtype=float)
    finite = finite[np.isfinite(finite)]
    if finite.size == 0:
        return Classes((0.0, 1.0), _colors(palette, 1))
    finite = np.where(finite < least, 0.0, finite)
    number = min(count, len(np.unique(finite)), _classes_worth(finite.min(), finite.max()))
    inner = np.unique(np.quantile(finite, np.arange(1, number) / number))
    rounded: list[float] = []
    for digits in (2, 3, 4):
        rounded = sorted({_significant(max(limit, least), digits) for limit in inner})
        if len(rounded) == len(inner):
            break
    low = _significant(finite.min(), 2, math.floor)
    high = max(_significant(finite.max(), 2, math.ceil), least)
    inner_limits = [limit for limit in rounded if low < limit < high]
    limits = (low, *inner_limits, high if high > low else low + (abs(low) or 1.0))
    return Classes(limits, _colors(palette, len(limits) - 1))


def _classes_worth(low: float, high: float) -> int:
    """Return how many classes shares from ``low`` to ``high`` are worth: few where they differ little."""
    if high - low >= _CLOSE or low < high / 2:
        return _MOST
    return 1 if low > 0.9 * high else 2


def log_classes(values: ArrayLike, palette: str, most: int = 6, least: float = 0.0) -> Classes:
    """Return classes of equal steps on a logarithmic scale: thirds, whole or double decades.

    Values must be above 0. Those below ``least`` are written alike, so one class holds them, from 0 on.
    """
    finite = np.asarray(values, dtype=float)
    finite = finite[np.isfinite(finite) & (finite > 0)]
    if finite.size == 0:
        return Classes((0.1, 10.0), _colors(palette, 1))
    first_class = [0.0] if finite.min() < least else []
    limits = [*first_class, *_log_limits(np.maximum(finite, least), most - len(first_class))]
    return Classes(tuple(limits), _colors(palette, len(limits) - 1))


def _log_limits(finite: NDArray[np.float64], most: int) -> list[float]:
    first, last = math.floor(math.log10(finite.min())), math.floor(math.log10(finite.max())) + 1
    limits: list[float] = []
    for steps in ((1, 2, 5), (1, 3), (1,)):
        limits = [step * 10.0**power for power in range(first, last + 1) for step in steps]
        limits = [x for x in limits if x <= 10.0**last]
        while len(limits) > 2 and limits[1] <= finite.min():
            limits.pop(0)
        while len(limits) > 2 and limits[-2] > finite.max():
            limits.pop()
        if len(limits) - 1 <= most:
            break
    stride = math.ceil((len(limits) - 1) / most)
    return [*limits[:-1:stride], limits[-1]]


def _significant(value: float, digits: int, how: object = round) -> float:
    if value == 0:
        return 0.0
    power = digits - 1 - math.floor(math.log10(abs(value)))
    scaled = value * 10.0**power
    whole = round(scaled) if abs(scaled - round(scaled)) < 1e-9 else how(scaled)  # type: ignore[operator]
    return float(f"{whole / 10.0**power:.12g}")


def _colors(palette: str, count: int) -> tuple[str, ...]:
    """Sample a palette of matplotlib, short of its ends: white paper, and the dark that free lists have."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    light, dark = _LIGHT, _DARK if count > _FEW else _MIDDLE
    if palette.endswith("_r"):
        light, dark = 1 - dark, 1 - light
    places = np.linspace(light, dark, count) if count > 1 else [(light + dark) / 2]
    return tuple(to_hex(colormaps[palette](place)) for place in places)
