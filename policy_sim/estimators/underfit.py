"""How much a log-linear model overstates risk: the Skinner-Shlomo statistic, for every class size.

A cell with population mean ``l`` (sample mean ``p l``) holds k sample records with the Poisson chance ``P_k(p l)``.
The attacker then matches each of them correctly with chance ``h_k(l) = E[1/F | f = k]``. The bias of the risk of
classes of size k is::

    B_k = sum over cells of k P_k(p l) (h_k(fitted l) - h_k(l))

Write ``w = k P_k(m)`` at the fitted sample mean m, and ``e = f - m``: e and ``e**2 - f`` estimate the misfit and its
square without bias. Then ``B_k = sum a e + b (e**2 - f)`` with these factors; derivatives are in the sample mean::

    "published":  a = -w h_k',   b =  w h_k'' / 2
    "fit":        a = -w h_k',   b = -w h_k'' / 2 - w' h_k'

The published statistic expands h around the true mean and then evaluates every factor, also the first, at the fit.
That drops a term of the same order as b. For k = 1 it is the statistic that the literature uses for sample uniques,
as a test of overdispersion. The other statistic expands all of B_k around the fit and is right to second order. If
the model holds, both have mean zero and variance
``sum a**2 m + 2 b**2 m**2``. Values well above zero show underfitting, which overstates risk.

C. Skinner and N. Shlomo (2008), JASA 103:989-1001; every class size: F. Dankar and K. El Emam (2010),
PAIS'10, section 2.4.2.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from scipy import optimize, special

from policy_sim.arrays import FloatArray
from policy_sim.estimators.inverse import poisson_inverse_slopes

__all__ = ["STATISTICS", "underfit"]

STATISTICS = ("published", "fit")

# A cell that holds k with a smaller chance does not change B_k visibly.
_UNLIKELY = 1e-12


@cache
def _likely_means(size: int) -> tuple[float, float]:
    """Return the smallest and the largest mean of a cell that holds ``size`` records with a visible chance."""

    def beyond(log_mean: float) -> float:
        return float(size * log_mean - math.exp(log_mean) - special.gammaln(size + 1) - math.log(_UNLIKELY))

    top = math.log(size)
    low = optimize.brentq(beyond, top - 40, top)
    return math.exp(low), math.exp(optimize.brentq(beyond, top, top + 6))


def underfit(
    counts: FloatArray, mean: FloatArray, size: int, fraction: float, statistic: str = "published"
) -> tuple[float, float]:
    """Return B_k, in records matched correctly, and its standard deviation if the model holds.

    Parameters
    ----------
    counts, mean : Sample counts and fitted sample means (> 0, ascending) of the cells; shape (m,).
    size : k, >= 1.
    fraction : Sampling fraction, 0 < fraction < 1.
    statistic : ``"published"`` or ``"fit"``, see above.
    """
    near = slice(*np.searchsorted(mean, _likely_means(size)))
    f, m = counts[near], mean[near]
    weight = size * np.exp(size * np.log(m) - m - special.gammaln(size + 1))
    # the slopes of h are in the mean of F - f, which is (1-p)/p times the sample mean
    scale = (1 - fraction) / fraction
    first, second = poisson_inverse_slopes(size, scale * m)
    slope, bend = first * scale, second * scale**2
    a, b = -weight * slope, weight * bend / 2
    if statistic == "fit":
        b = -b - weight * (size / m - 1) * slope
    e = f - m
    bias = float(np.sum(a * e + b * (e**2 - f)))
    return bias, float(np.sqrt(np.sum(a**2 * m + 2 * b**2 * m**2)))
