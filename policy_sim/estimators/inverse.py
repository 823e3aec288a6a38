"""Expected 1/F of a class with f sampled members, under each of the models.

The attacker matches a record of a class of F people in the population correctly with chance 1/F, so marketer risk is
the mean of 1/F over records. Both integrals below are ``E s**(F-1)`` integrated over s from
0 to 1 (Cressie, Davis, Folks and Policello 1981, American Statistician 35:148-150).
"""

from __future__ import annotations

import numpy as np
from scipy import special

from policy_sim.words.arrays import FloatArray, IntArray

# From here on the series below reaches full precision in 40 terms whatever the probability: term i is
# at most 1 / C(40 + i, i).
_SERIES_FROM = 40
_NODES, _WEIGHTS = np.polynomial.laguerre.laggauss(48)


def _constant_rate_series(size: FloatArray, probability: float) -> FloatArray:
    term = np.full_like(size, probability) / size
    total = term.copy()
    for i in range(1, 41):
        term = term * (1 - probability) * i / (size + i)
        total += term
    return total


def constant_rate_inverse(size: IntArray, probability: float) -> FloatArray:
    r"""Expected 1/F if each member is sampled with the same ``probability``.

    F given f is negative binomial: f successes, so that
    ``E = integral of u**(f-1) p / (p + q u)`` over u in (0, 1), with ``q = 1 - p``. It obeys
    ``e(f) + (q/p) e(f+1) = 1/f``, applied upward from ``e(1) = p ln(1/p) / q`` where ``q >= p`` and downward
    otherwise, which never magnifies rounding errors (the alternating sum in the literature loses every digit from f
    near 20).

    Parameters
    ----------
    size : f, >= 1; shape (m,).
    probability : p, 0 < p <= 1.

    Returns
    -------
    Shape (m,), each in (0, 1/f].

    Examples
    --------
    >>> constant_rate_inverse(np.array([1, 2]), 0.5).round(6).tolist()
    [0.693147, 0.306853]

    References
    ----------
    Benedetti and Franconi (1998), NTTS; Dankar and El Emam (2010), section 2.4.1.
    """
    if probability >= 1:
        return 1 / np.asarray(size, dtype=np.float64)
    small = np.empty(_SERIES_FROM + 1)
    odds = probability / (1 - probability)
    if probability <= 0.5:
        small[1] = -odds * np.log(probability)
        for f in range(1, _SERIES_FROM):
            small[f + 1] = odds * (1 / f - small[f])
    else:
        small[_SERIES_FROM] = _constant_rate_series(np.array([float(_SERIES_FROM)]), probability)[0]
        for f in range(_SERIES_FROM - 1, 0, -1):
            small[f] = 1 / f - small[f + 1] / odds
    large = _constant_rate_series(np.maximum(size, _SERIES_FROM).astype(np.float64), probability)
    return np.where(size < _SERIES_FROM, small[np.minimum(size, _SERIES_FROM)], large)


def gamma_rate_inverse(size: IntArray, probability: float, shape: float) -> FloatArray:
    r"""Expected 1/F if class rates follow a gamma distribution with this ``shape``.

    ``E = (p/f) 2F1(1 - shape, 1; f + 1; 1 - p)``; shape 0 is :func:`constant_rate_inverse`.

    Parameters
    ----------
    size : f, >= 1; shape (m,).
    probability : p of the negative binomial distribution of F - f, 0 < p <= 1.
    shape : Shape of the gamma distribution, >= 0.

    References
    ----------
    Bethlehem, Keller and Pannekoek (1990), JASA 85:38-45; Rinott (2003), ECE/Eurostat.
    """
    if shape == 0:
        return constant_rate_inverse(size, probability)
    f = np.asarray(size, dtype=np.float64)
    value = special.hyp2f1(1 - shape, 1.0, f + 1, 1 - probability)
    # scipy returns nan for a shape next to a whole number with a large class, where the Laguerre
    # form is at its best: the exponent changes little over its nodes.
    bad = ~np.isfinite(value)
    if np.any(bad):
        base = probability + (1 - probability) * np.exp(-_NODES[None, :] / f[bad, None])
        value[bad] = base ** (shape - 1) @ _WEIGHTS
    result: FloatArray = probability / f * value
    return result


def poisson_inverse(size: IntArray, mean: FloatArray) -> FloatArray:
    r"""Expected 1/F if F - f is Poisson with this ``mean``: ``1F1(1; f + 1; -mean) / f``.

    Examples
    --------
    With mean 0 the class has exactly f members. With f = 1 the value is ``(1 - exp(-m)) / m``.

    >>> poisson_inverse(np.array([4, 1]), np.array([0.0, 2.0])).round(6).tolist()
    [0.25, 0.432332]

    References
    ----------
    Skinner and Shlomo (2008), JASA 103:989-1001; Dankar and El Emam (2010), section 2.4.2.
    """
    f = np.asarray(size, dtype=np.float64)
    result: FloatArray = special.hyp1f1(1.0, f + 1, -np.asarray(mean, dtype=np.float64)) / f
    return result


def poisson_inverse_slopes(size: int, mean: FloatArray) -> tuple[FloatArray, FloatArray]:
    """First and second derivative of :func:`poisson_inverse` in ``mean``, for one class size."""
    f = float(size)
    first = -special.hyp1f1(2.0, f + 2, -mean) / (f * (f + 1))
    second = 2 * special.hyp1f1(3.0, f + 3, -mean) / (f * (f + 1) * (f + 2))
    return first, second
