"""The binomial law, and sums of its terms that lose no digits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from policy_sim.words.arrays import BoolArray, FloatArray, IntArray
from policy_sim.words.errors import InputError

# What the formulas accept: arguments are checked once, and an error is one clear line.


def checked_numbers(name: str, values: ArrayLike) -> FloatArray:
    """Return the values as float64, or raise InputError."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as why:
        raise InputError(f"{name} must be numbers: {why}.") from why
    return numbers


def _refuse(name: str, values: FloatArray, wrong: BoolArray, allowed: str) -> None:
    if wrong.any():
        place = int(np.argmax(wrong.ravel()))
        where = f" (value {place + 1} of {values.size})" if values.size > 1 else ""
        raise InputError(f"{name} = {values.ravel()[place]:.17g}{where} must be {allowed}.")


def checked_whole(name: str, values: ArrayLike, least: int) -> FloatArray:
    """Return whole numbers of ``least`` or more, as float64 (exact up to 2**53), or raise InputError."""
    numbers = checked_numbers(name, values)
    # negated comparisons, so that NaN is an error too
    wrong = ~((numbers >= least) & (numbers <= 2.0**53)) | (np.trunc(numbers) != numbers)
    _refuse(name, numbers, wrong, f"a whole number of {least} or more")
    return numbers


def checked_bins(values: ArrayLike) -> FloatArray:
    """Return numbers of bins, 1 or more and finite, fractions allowed, or raise InputError."""
    numbers = checked_numbers("bins", values)
    _refuse("bins", numbers, ~((numbers >= 1) & np.isfinite(numbers)), "a number of 1 or more")
    return numbers


def checked_coverage(values: ArrayLike) -> FloatArray:
    """Return shares of people that a resource lists, 0 to 1, or raise InputError."""
    numbers = checked_numbers("coverage", values)
    _refuse("coverage", numbers, ~((numbers >= 0) & (numbers <= 1)), "a share from 0 to 1")
    return numbers


def by_unit(name: str, share: ArrayLike, units: int) -> FloatArray:
    """Return shares of people, one per unit, of one value or one for each, or raise InputError."""
    values = checked_coverage(share)
    if values.shape not in ((), (units,)):
        raise InputError(f"{name} has shape {values.shape}: give one value, or one per unit, {units} in all.")
    return np.broadcast_to(values, units)


def together(*arrays: FloatArray) -> tuple[tuple[int, ...], list[FloatArray]]:
    """Return the common shape of the arrays, and each array broadcast to it and flattened."""
    try:
        spread = np.broadcast_arrays(*arrays)
    except ValueError as why:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise InputError(f"arrays of shapes {shapes} do not go together: give one value or one each.") from why
    return spread[0].shape, [array.ravel() for array in spread]


# Differences of nearly equal numbers, and logarithms of chances near 0 and 1, without cancellation.


_SPLIT = 134217729.0  # 2**27 + 1 cuts a float64 into halves whose products are exact
_TERMS = 24  # terms of each series below: the first omitted term is under 1e-17 of the sum


def two_product(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the rounded product and its rounding error, so that the pair adds up exactly (Dekker 1971)."""
    product = a * b
    a_high = _SPLIT * a - (_SPLIT * a - a)
    b_high = _SPLIT * b - (_SPLIT * b - b)
    a_low, b_low = a - a_high, b - b_high
    error = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)
    return product, error


def _polynomial(x: FloatArray, coefficients: list[float]) -> FloatArray:
    total = np.zeros_like(x)
    for coefficient in reversed(coefficients):
        total = total * x + coefficient
    return total


def excess_atanh(x: FloatArray) -> FloatArray:
    """Return ``atanh(x) - x`` for ``|x| <= 0.4``."""
    square = x * x
    return x * square * _polynomial(square, [1 / (2 * k + 3) for k in range(_TERMS)])


def excess_expm1(x: FloatArray) -> FloatArray:
    """Return ``exp(x) - 1 - x``, at most ``exp(x)`` in size."""
    near = np.clip(x, -1.0, 1.0)
    coefficients = list(1 / np.cumprod(np.arange(2.0, 2 + _TERMS)))
    return np.where(np.abs(x) <= 1, near * near * _polynomial(near, coefficients), np.expm1(x) - x)


def excess_log1p(x: FloatArray) -> FloatArray:
    """Return ``log(1 + x) - x`` for ``x >= -1``."""
    near = np.clip(x, -0.2, 0.2)
    series = -near * near * _polynomial(-near, [1 / (k + 2) for k in range(_TERMS)])
    return np.where(np.abs(x) <= 0.2, series, np.log1p(x) - x)


def log_miss(bins: FloatArray, coverage: FloatArray) -> FloatArray:
    """Return ``log(1 - coverage/bins)``, the logarithm of the chance that a person is not listed in a given bin."""
    share = coverage / bins
    with np.errstate(divide="ignore"):
        # bins - coverage is exact where the two are within a factor of 2
        return np.where(share > 0.5, np.log((bins - coverage) / bins), np.log1p(-np.minimum(share, 0.5)))


def log_hit(bins: FloatArray, coverage: FloatArray) -> FloatArray:
    """Return ``log(coverage/bins)``, the logarithm of the chance that a person is listed in a given bin."""
    share = coverage / bins
    with np.errstate(divide="ignore"):
        return np.where(share > 0.5, np.log1p(np.maximum((coverage - bins) / bins, -0.5)), np.log(share))


# The binomial distribution to nearly full precision, for a billion trials and more.
#
# The chance of success is passed as ``coverage / bins`` and never rounded to one number: at 10**9 trials, the last bit
# of a rounded chance moves the probabilities by more than 1e-12. One value comes from Loader's saddle point form. Its
# neighbors follow by the exact ratio of two neighbors.
#
# References
# ----------
# C. Loader (2000), Fast and accurate computation of binomial probabilities.


NEGLIGIBLE = 1e-21  # a term this small next to the first cannot change the sum of those before it
TINY = float(np.finfo(np.float64).tiny)  # the smallest number with all its digits
_BLOCK = 2**20  # numbers in one block of a walk; bounds the memory


@dataclass(frozen=True, eq=False)
class Trials:
    """Binomial distributions, one per element: ``count`` trials that each succeed with chance ``coverage / bins``."""

    count: FloatArray
    bins: FloatArray
    coverage: FloatArray

    def at(self, where: IntArray | BoolArray) -> Trials:
        """Return the distributions at these places."""
        return Trials(self.count[where], self.bins[where], self.coverage[where])


def mode(trials: Trials) -> FloatArray:
    """Return a most likely number of successes."""
    return np.minimum(trials.count, np.floor((trials.count + 1) * trials.coverage / trials.bins))


def mass(trials: Trials, size: FloatArray, scale: FloatArray) -> FloatArray:
    """Return ``scale`` times the probability of exactly ``size`` successes; 0 outside 0 to count."""
    count, bins, coverage = trials.count, trials.bins, trials.coverage
    result = np.zeros_like(size)
    sure = (coverage == bins) | (coverage == 0)
    certain = np.where(coverage == 0, 0.0, count)
    result[sure] = np.where(size == certain, scale, 0.0)[sure]
    none = ~sure & (size == 0)
    result[none] = _scaled(scale[none], -count[none] * log_miss(bins[none], coverage[none]))
    every = ~sure & (size == count) & (count > 0)
    result[every] = _scaled(scale[every], -count[every] * log_hit(bins[every], coverage[every]))
    doubtful = np.flatnonzero(~sure & (size > 0) & (size < count))
    result[doubtful] = _saddle_point(trials.at(doubtful), size[doubtful], scale[doubtful])
    return result


def _scaled(scale: FloatArray, exponent: FloatArray) -> FloatArray:
    """Return ``scale * exp(-exponent)``, which may be a normal number where the exponential is not."""
    half = np.exp(-exponent / 2)
    return half * scale * half


def _saddle_point(trials: Trials, size: FloatArray, scale: FloatArray) -> FloatArray:
    count, bins, coverage = trials.count, trials.bins, trials.coverage
    listed, listed_error = two_product(count, coverage)
    mean = listed / bins
    back, back_error = two_product(mean, bins)
    mean_error = ((listed - back) - back_error + listed_error) / bins
    # size and mean are nearly equal: the rounding error of the division decides the digits of their difference
    beyond = (size - mean) - mean_error
    rest = count - size
    exponent = (
        _deviance(size, mean, beyond)
        + _deviance(rest, (count - mean) - mean_error, -beyond)
        + (_stirling_error(size) + _stirling_error(rest) - _stirling_error(count))
    )
    return _scaled(scale * np.sqrt(count / (2 * np.pi * size * rest)), exponent)


def _deviance(size: FloatArray, mean: FloatArray, beyond: FloatArray) -> FloatArray:
    """Return ``size * log(size / mean) - beyond``, where ``beyond`` is size - mean."""
    lean = beyond / (size + mean)
    near = np.clip(lean, -0.4, 0.4)
    with np.errstate(over="ignore", divide="ignore"):  # a mean near 0 gives inf, which is a chance of 0
        far = size * np.log(size / mean) - beyond
    return np.where(np.abs(lean) <= 0.4, beyond * near + 2 * size * excess_atanh(near), far)


def _stirling_series(n: FloatArray) -> FloatArray:
    square = n * n
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square) / n


def _stirling_table() -> FloatArray:
    """Return errors of Stirling's formula for 0 to 16; the first is a placeholder."""
    table = np.zeros(17)
    table[16] = float(_stirling_series(np.array(16.0)))
    for n in range(15, 0, -1):
        table[n] = table[n + 1] + ((n + 0.5) * np.log1p(1 / n) - 1)
    return table


_STIRLING = _stirling_table()


def _stirling_error(n: FloatArray) -> FloatArray:
    """Return ``log(n!) - log(sqrt(2 pi n) (n/e)**n)`` for whole n >= 1."""
    small = np.minimum(n, 16.0)
    return np.where(n <= 16, _STIRLING[small.astype(np.intp)], _stirling_series(np.maximum(n, 16.0)))


def walk(
    trials: Trials, start: FloatArray, first: FloatArray, step: int, stop: FloatArray
) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
    """Walk each distribution outward from a known value, in blocks of growing width.

    Parameters
    ----------
    trials : The distributions; a sure success (bins = coverage) cannot be walked.
    start, first : Number of successes to start from, and its (scaled) probability. Each step leads away from the mode.
    step : 1 upwards, -1 downwards.
    stop : Each walk ends when its probability falls to this value; probabilities fall with every step.

    Yields
    ------
    The indices of the distributions; their numbers of successes, one row per distribution, from one step after
    ``start``; and their scaled probabilities, 0 outside 0 to count.
    """
    rows = np.flatnonzero(first > stop)
    width = 16
    while rows.size:
        held = rows[: _BLOCK // width]
        later = rows[_BLOCK // width :]
        yield from _walk_held(trials.at(held), held, start[held], first[held], step, stop[held])
        rows = later


def _walk_held(
    trials: Trials, rows: IntArray, size: FloatArray, value: FloatArray, step: int, stop: FloatArray
) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
    width = 16
    while rows.size:
        sizes = size[:, None] + step * np.arange(1, width + 1)
        ratio = _ratio(trials, sizes, step)
        ratio[:, 0] *= value
        values = np.cumprod(ratio, axis=1, out=ratio)
        values *= 1 - step * np.arange(1, width + 1) * _lost(trials)[:, None]
        yield rows, sizes, values
        on = np.flatnonzero(values[:, -1] > stop)
        trials, rows, stop = trials.at(on), rows[on], stop[on]
        size, value = sizes[on, -1], values[on, -1]
        width = max(16, min(2 * width, _BLOCK // max(1, len(rows))))


def _ratio(trials: Trials, sizes: FloatArray, step: int) -> FloatArray:
    """Return the probability of each size over that of the size one step nearer to the mode."""
    count, hit = trials.count[:, None], trials.coverage[:, None]
    miss = trials.bins[:, None] - hit
    if step > 0:
        up: FloatArray = np.maximum(count - sizes + 1, 0) * hit / (sizes * miss)
        return up
    down: FloatArray = np.maximum(sizes + 1, 0) * miss / ((count - sizes) * hit)
    return down


def _lost(trials: Trials) -> FloatArray:
    """Return the rounding error of bins - coverage, as a share of it: the only error that grows with each step."""
    miss = trials.bins - trials.coverage
    return ((trials.bins - miss) - trials.coverage) / miss


def tail(trials: Trials, size: FloatArray, scale: FloatArray) -> tuple[BoolArray, FloatArray]:
    """Return the smaller tail at ``size``, without subtraction.

    Returns
    -------
    Whether each element lies below the mean; and ``scale * P(X <= size)`` where it does, ``scale * P(X > size)``
    elsewhere.
    """
    below = size * trials.bins < trials.count * trials.coverage
    start = np.where(below, size, size + 1)
    first = mass(trials, start, scale)
    # the sum counts multiples of the first term, so that no term underflows before the sum does
    total = np.ones_like(first)
    for side, step in ((below, -1), (~below, 1)):
        part = np.flatnonzero(side & (first > 0) & (start + step >= 0) & (trials.bins != trials.coverage))
        ones = np.ones(len(part))
        for rows, _, values in walk(trials.at(part), start[part], ones, step, NEGLIGIBLE * ones):
            total[part[rows]] += values.sum(axis=1)
    return below, first * total


# Chances of few successes, of any number of trials, side by side.


SMALL_SIZE = 64  # up to so many, the chance of none underflows only where successes are nearly certain
_NEARLY_CERTAIN = 0.9  # above this chance, failures are counted instead of successes
UNDERFLOW = -600.0  # exp of a smaller number loses digits or is 0


def binomial_chances(people: FloatArray, chance: FloatArray, g: int) -> FloatArray:
    """Return the chances of 0, 1, ..., ``g`` successes, by the ratio of neighbors; shape (g + 1, trials).

    Where the chance of no success underflows, so do the chances up to any ``g`` that is small compared with the mean.
    """
    certain, people = chance >= 1, np.maximum(people, 0)
    if certain.any():
        sizes, table = np.arange(g + 1.0)[:, None], binomial_chances(people, np.where(certain, 0.0, chance), g)
        return np.where(certain, people == sizes, table)
    table = np.empty((g + 1, len(people)))
    none = people * log_miss(np.ones_like(chance), chance)
    table[0] = np.exp(none)
    odds = chance / (1 - chance)
    for size in range(1, g + 1):
        table[size] = table[size - 1] * (np.maximum(people - (size - 1), 0) / size) * odds
    high = np.flatnonzero(chance > _NEARLY_CERTAIN) if g <= SMALL_SIZE else np.array([], dtype=np.int64)
    if len(high):
        table[:, high] = _from_all_successes(people[high], chance[high], g)
    # there, 0 successes never occur in practice, but g successes do
    for row in np.flatnonzero(none < UNDERFLOW) if g > SMALL_SIZE else ():
        trials = Trials(*(np.full(g + 1, value) for value in (people[row], 1.0, chance[row])))
        table[:, row] = mass(trials, np.arange(g + 1.0), np.ones(g + 1))
    return table


def _from_all_successes(people: FloatArray, chance: FloatArray, g: int) -> FloatArray:
    """Return the chances of 0, 1, ..., ``g`` successes, counted down from ``g`` or from all of them.

    Where trials nearly always succeed, the chance that all of some 50 fail underflows, and the chances of more
    successes cannot be computed from it.
    """
    from scipy.special import binom  # half a second, which few sizes do without

    table = np.zeros((g + 1, len(people)))
    most, fails = np.minimum(people, g), (1 - chance) / chance
    value = binom(people, most) * chance**most * (1 - chance) ** (people - most)
    for size in range(g, -1, -1):
        possible = people >= size
        table[size] = np.where(possible, value, 0.0)
        value = np.where(possible, value * (size / np.maximum(people - size + 1, 1)) * fails, value)
    return table
