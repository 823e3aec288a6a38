"""How much chance changes the figures of one group.

``people`` and ``coverage`` are those of :mod:`policy_sim.formulas.bins`. ``bins`` are 1, or 2 and more: between them
two bins at a time have no meaning.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from policy_sim.formulas.binomial import (
    NEGLIGIBLE,
    TINY,
    Trials,
    checked_bins,
    checked_coverage,
    checked_whole,
    excess_expm1,
    excess_log1p,
    log_miss,
    mass,
    mode,
    together,
    walk,
)
from policy_sim.formulas.bins import one_place, people_by_bin_size, people_g_distinct
from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import InputError

# The variances of the counts of one group around their expectations.
#
# The textbook forms subtract numbers that agree in nearly all digits. These forms give the same variances, but take the
# difference before rounding (``docs/model.md`` derives them). With ``q = 1 - c/b`` and ``t = c/(b - c)``, both rest on
# ``1 - 2c/b = q**2 (1 - t**2)``.


def variance_of_people_g_distinct(people: ArrayLike, bins: ArrayLike, g: int, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the variance of the number of listed people who share their bin with fewer than ``g`` others.

    Parameters
    ----------
    g : Largest bin that counts, >= 1; one for all groups.

    Returns
    -------
    People squared. A bin of ``i`` listed people leaves the ``n - i`` others to the ``b - 1`` other bins,
    listed with the chance ``c' = c (b-1)/(b-c)``; with ``i f(i)`` the people in bins of ``i``,
    ``Var = sum over i <= g of i f_{n,b,c}(i) (i + h_{n-i,b-1,c'}(g) - h_{n,b,c}(g))``.

    Examples
    --------
    Of the 8 throws of 3 people into 2 bins, 6 leave three people in bins of two or fewer and 2 leave none.

    >>> variance_of_people_g_distinct(3, 2, 2).round(12).item()
    1.6875
    """
    top = int(checked_whole("g", g, 1))
    shape, (n, b, c) = _checked(people, bins, coverage)
    mean = people_g_distinct(n, b, top, c)
    by_size = people_by_bin_size(n, b, top, c).tocoo()
    row, size = by_size.row, by_size.col + 1.0
    alone = b[row] == 1
    rest_bins = np.where(alone, 1.0, b[row] - 1)
    listed = np.where(alone, 0.0, c[row] * rest_bins / np.where(alone, 1.0, b[row] - c[row]))
    others = people_g_distinct(np.maximum(n[row] - size, 0), rest_bins, top, np.minimum(listed, 1.0))
    terms = by_size.data * (size + others - mean[row])
    return np.maximum(np.bincount(row, weights=terms, minlength=n.size), 0.0).reshape(shape)


def variance_of_occupied_bins(people: ArrayLike, bins: ArrayLike, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the variance of the number of bins that hold a listed person.

    Returns
    -------
    Bins squared, ``b(b-1)(1-2c/b)**n + b(1-c/b)**n - b**2 (1-c/b)**(2n)``.

    Examples
    --------
    Three people in 2 bins fill one bin with chance 1/4 and two with 3/4.

    >>> variance_of_occupied_bins(3, 2).round(12).item()
    0.1875

    References
    ----------
    N. L. Johnson and S. Kotz (1977), Urn models and their application, chapter 3.
    """
    return _of_several(_occupied, people, bins, coverage)


def _occupied(n: FloatArray, b: FloatArray, c: FloatArray) -> FloatArray:
    sure = b == c
    b = np.where(sure, 2.0, b)  # a placeholder: a certain hit has no variance
    filled = -n * log_miss(b, c)
    pair = -n * _log_pair(b, c)
    # b (e^-u (1 - e^-u) - e^-2u (b-1)(1 - e^-v)), safe for large u
    crowded = -np.exp(-filled) * np.expm1(-filled) + np.exp(-2 * filled) * (b - 1) * np.expm1(-pair)
    # this form applies for u <= 1, where v is at most 1.1
    u, v = np.minimum(filled, 1.0), np.where(b > 1, np.minimum(pair, 2.0), 0.0)
    sparse = np.exp(-2 * u) * (excess_expm1(u) + (b - 1) * excess_expm1(-v) + n * _gap(b, c))
    return np.where(sure, 0.0, b * np.where(filled > 1, crowded, sparse))


def variance_of_unique_people(people: ArrayLike, bins: ArrayLike, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the variance of the number of listed people who are alone in their bin.

    Returns
    -------
    People squared, ``m2 + m - m**2`` with the mean ``m = n c (1-c/b)**(n-1)`` and the second factorial
    moment ``m2 = n(n-1) c**2 (1-1/b)(1-2c/b)**(n-2)``.

    Examples
    --------
    Two people in 2 bins are both unique or both not.

    >>> variance_of_unique_people(2, 2).item()
    1.0
    """
    return _of_several(_unique, people, bins, coverage)


def _unique(n: FloatArray, b: FloatArray, c: FloatArray) -> FloatArray:
    sure = b == c
    b = np.where(sure, 2.0, b)
    miss = log_miss(b, c)
    alone = one_place(n - 1, miss)
    with np.errstate(divide="ignore"):
        different = np.log1p(-1 / b)  # two people in two different bins; -inf if there is one bin
    # for n = 2 there is nobody else, even if the pair fills both bins
    others = np.where(n > 2, np.maximum(n - 2, 1) * _log_pair(b, c), 0.0)
    excess = np.expm1(different - 2 * miss + others)
    ratio = (1 - c) - c * one_place(n - 1, miss, np.expm1) + (n - 1) * c * alone * excess
    return np.where(sure, 0.0, n * c * alone * ratio)


def _log_pair(b: FloatArray, c: FloatArray) -> FloatArray:
    """Return ``log(1 - t**2)``: how the chance to miss two bins at once differs from missing each independently.

    -inf where the two bins are all bins; meaningless and unused where there is one bin.
    """
    rest = b - c
    square = (c / rest) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        tight = np.log(np.maximum(b * (rest - c), 0.0) / rest**2)
        return np.where(square > 0.25, tight, np.log1p(-np.minimum(square, 0.25)))


def _gap(b: FloatArray, c: FloatArray) -> FloatArray:
    """Return ``-log(q) + (b-1) log(1 - t**2)``, the first order of the variance per person.

    The terms of order 1/b cancel if everyone is listed, so the code takes them out first.
    """
    t = c / (b - c)
    pair = np.where(b > 1, excess_log1p(-np.minimum(t * t, 1 - 1e-16)), 0.0)
    return excess_log1p(t) + (b - 1) * pair + t * b * (1 - c) / (b - c)


def _of_several(
    variance: Callable[[FloatArray, FloatArray, FloatArray], FloatArray],
    people: ArrayLike,
    bins: ArrayLike,
    coverage: ArrayLike,
) -> FloatArray:
    """Return a variance of two people and more, and of nobody or of one person who is listed or not."""
    shape, (n, b, c) = _checked(people, bins, coverage)
    result = np.where(n == 0, 0.0, c * (1 - c))
    more = n > 1
    result[more] = variance(n[more], b[more], c[more])
    return result.reshape(shape)


def _checked(people: ArrayLike, bins: ArrayLike, coverage: ArrayLike) -> tuple[tuple[int, ...], list[FloatArray]]:
    n, b = checked_whole("people", people, 0), checked_bins(bins)
    between = (b > 1) & (b < 2)
    if between.any():
        raise InputError(f"bins = {b[between].ravel()[0]:.17g} has no variance: give 1, or 2 and more.")
    return together(n, b, checked_coverage(coverage))


# The variance of the number of correct links: people fall into bins by chance, and the attacker guesses.
#
# Total risk is an expectation over two kinds of chance. People fall into bins by chance. Then the attacker links each
# released record to one of the people in its bin, drawn at random and independently of the other links.


def variance_of_correct_links(people: ArrayLike, bins: ArrayLike, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the variance of the number of correct links; total risk is its expectation.

    Returns
    -------
    People squared: the variance of the occupied bins plus :func:`variance_of_guesses`. It is at most the expectation
    plus the variance of the occupied bins.

    Examples
    --------
    Two people in 2 bins are apart with chance 1/2 (two correct links), and together with chance 1/2 (two coin tosses).
    So 0, 1 and 2 correct links have chances 1/8, 2/8 and 5/8.

    >>> variance_of_correct_links(2, 2).round(12).item()
    0.5
    """
    return variance_of_occupied_bins(people, bins, coverage) + variance_of_guesses(people, bins, coverage)


def variance_of_guesses(people: ArrayLike, bins: ArrayLike, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the part of the variance of the correct links that comes from the attacker's guesses alone.

    Returns
    -------
    People squared, for any number of bins, ``sum over i >= 2 of f(i) (1 - 1/i)`` with ``f(i)`` the expected bins of
    ``i`` listed people: the attacker picks each of the ``i`` with chance ``1/i``, so the correct links of a bin are
    binomial with mean 1. A one-to-one linkage inside a bin would give 1 instead of ``1 - 1/i``.

    Examples
    --------
    >>> variance_of_guesses([1, 4], 1).tolist()
    [0.0, 0.75]
    """
    n, b = checked_whole("people", people, 0), checked_bins(bins)
    shape, (n, b, c) = together(n, b, checked_coverage(coverage))
    trials = Trials(n, b, c)
    start = np.clip(mode(trials), np.minimum(n, 1), n)
    first = mass(trials, start, b)
    total = first * _doubt(start)
    walkable = np.where((b != c) & (c > 0), first, 0.0)
    stop = np.maximum(first * NEGLIGIBLE, TINY)
    for step in (-1, 1):
        for row, sizes, values in walk(trials, start, walkable, step, stop):
            total[row] += (values * _doubt(sizes)).sum(axis=1)
    return total.reshape(shape)


def _doubt(size: FloatArray) -> FloatArray:
    """Return ``1 - 1/i``, the variance of the correct links of a bin of ``i``; 0 for an empty one."""
    return 1.0 - 1.0 / np.maximum(size, 1.0)
