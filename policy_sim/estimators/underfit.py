"""How much a log-linear model overstates risk: the Skinner-Shlomo statistic, for every class size.

A cell of population mean ``l`` (sample mean ``p l``) holds k of the sample with the Poisson chance
``P_k(p l)``, and its k records are then matched correctly with chance ``h_k(l) = E[1/F | f = k]``
each. The bias of the risk of classes of size k is::

    B_k = sum over cells of k P_k(p l) (h_k(fitted l) - h_k(l))

Expanded to second order about the truth, with ``p (l - fitted l)`` and its square estimated without
bias by ``e = f - m`` and ``e**2 - f`` (m the fitted sample mean) and the rest taken at the fit::

    B_k = sum k P_k(m) (-h_k' e / p + h_k'' (e**2 - f) / (2 p**2))

For k = 1 this is the published statistic for sample uniques. If the model holds its variance is
``sum a**2 m + 2 b**2 m**2``, a and b being the factors of e and of ``e**2 - f``. Well above zero it
shows underfitting, which overstates risk.

C. Skinner and N. Shlomo (2008), JASA 103:989-1001; every class size: F. Dankar and K. El Emam (2010),
PAIS'10, section 2.4.2.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from policy_sim.estimators.inverse import poisson_inverse_slopes
from policy_sim.sizes import FloatArray

__all__ = ["underfit"]

# A cell less likely than this to hold k adds nothing to B_k that shows.
_UNLIKELY = 1e-12


def underfit(counts: FloatArray, mean: FloatArray, size: int, fraction: float) -> tuple[float, float]:
    """Return B_k, in records matched correctly, and its standard deviation if the model holds.

    Parameters
    ----------
    counts, mean : Sample counts and fitted sample means (> 0) of the cells; shape (m,).
    size : k, >= 1.
    fraction : Sampling fraction, 0 < fraction < 1.
    """
    log_chance = size * np.log(mean) - mean - special.gammaln(size + 1)
    near = log_chance > np.log(_UNLIKELY)
    f, m = counts[near], mean[near]
    weight = size * np.exp(log_chance[near])
    # the slopes are in the mean of F - f, (1-p) l; hence each factor (1-p)/p with respect to p l
    scale = (1 - fraction) / fraction
    first, second = poisson_inverse_slopes(size, scale * m)
    a, b = -weight * first * scale, weight * second * scale**2 / 2
    e = f - m
    bias = float(np.sum(a * e + b * (e**2 - f)))
    return bias, float(np.sqrt(np.sum(a**2 * m + 2 * b**2 * m**2)))
