"""Which log-linear model to use for the classes of one size: the forward search.

The search starts from independence, which overstates risk. It adds two-way interactions one at a time while the bias
statistic of :mod:`underfit` is significantly above zero. Each step adds the interaction that brings the statistic
nearest to zero. It skips an interaction that would make the statistic significantly negative: such a model overfits,
and understating risk is the worse error. Every class size has its own search (Dankar and El Emam 2010, section
2.4.2); the searches share their fits.
"""

from __future__ import annotations

from itertools import combinations
from typing import TypeAlias

import numpy as np

from policy_sim.arrays import FloatArray
from policy_sim.estimators.log_linear_fit import Fit, fit_log_linear, margins_of
from policy_sim.estimators.underfit import underfit

__all__ = ["Interactions", "LogLinearSearch"]

Pair: TypeAlias = tuple[int, int]
Interactions: TypeAlias = tuple[Pair, ...]


class LogLinearSearch:
    """Fits of one table of counts, each computed when first needed.

    Parameters
    ----------
    counts : Table of counts, one axis per field.
    fraction : Sampling fraction, 0 < fraction < 1.
    critical : Standard deviations from zero at which the statistic is significant.
    kind : Which bias statistic, ``"published"`` or ``"fit"``.
    limit : Largest number of cycles of a fit.
    """

    def __init__(
        self,
        counts: FloatArray,
        fraction: float,
        critical: float,
        kind: str = "published",
        limit: int = 500,
    ) -> None:
        self.counts, self.fraction, self.critical = counts, fraction, critical
        self.kind, self.limit = kind, limit
        self.pairs = tuple(combinations(range(counts.ndim), 2))
        self._fits: dict[Interactions, Fit] = {}
        self._positive: dict[Interactions, tuple[FloatArray, FloatArray]] = {}

    def fit(self, model: Interactions) -> Fit:
        """Return the fit of main effects and these interactions."""
        if model not in self._fits:
            fit = fit_log_linear(self.counts, margins_of(self.counts.ndim, model), limit=self.limit)
            self._fits[model] = fit
            above = fit.mean > 0
            counts, mean = self.counts[above], fit.mean[above]
            order = np.argsort(mean, kind="stable")
            self._positive[model] = (counts[order], mean[order])
        return self._fits[model]

    def statistic(self, model: Interactions, size: int) -> float:
        """Return the bias statistic of a model in standard deviations; 0 if no cell can hold ``size`` records."""
        self.fit(model)
        bias, deviation = underfit(*self._positive[model], size, self.fraction, self.kind)
        return bias / deviation if deviation > 0 else 0.0

    def choose(self, size: int) -> tuple[Interactions, float]:
        """Return the interactions chosen for classes of this size, and the statistic of the chosen model."""
        model: Interactions = ()
        now = self.statistic(model, size)
        while now > self.critical:
            wider = [tuple(sorted((*model, pair))) for pair in self.pairs if pair not in model]
            scored = [(self.statistic(candidate, size), candidate) for candidate in wider]
            better = [(z, candidate) for z, candidate in scored if -self.critical <= z < now]
            if not better:
                break
            now, model = min(better, key=lambda scored: (abs(scored[0]), scored[1]))
        return model, now
