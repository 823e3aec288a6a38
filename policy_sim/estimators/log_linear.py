"""The Poisson log-linear model: it predicts the size of a class from the shares of its values.

The model learns from neighboring cells, so it needs the values of each class; the other models need class sizes only.
C. Skinner and N. Shlomo (2008), JASA 103:989-1001; Dankar and El Emam
(2010), PAIS'10, section 2.4.2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from typing import ClassVar, TypeAlias

import numpy as np
from scipy import optimize, special

from policy_sim.estimators.base import (
    NO_INTERVALS,
    Answer,
    Bootstrap,
    ClassTable,
    Estimator,
    Interval,
    Intervals,
    Sample,
    Tell,
    percentile_interval,
    poisson_inverse,
    poisson_inverse_slopes,
    quiet,
)
from policy_sim.estimators.pitman import Pitman
from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import InputError, UnknownNameError

# Log-linear models of a table of counts, fitted by iterative proportional fitting.
#
# The fit scales the table to each of the model's margins in turn. Cells in an empty margin end at exactly zero; in a
# generalized linear model their predictor would go to minus infinity.
# W. Deming and F. Stephan (1940), Annals of Mathematical Statistics 11:427-444.


Margins = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class Fit:
    """Fitted means of every cell, in the table's shape, and whether the fit meets its margins."""

    mean: FloatArray
    converged: bool
    cycles: int


def margins_of(fields: int, pairs: Sequence[tuple[int, int]]) -> Margins:
    """Return the margins of main effects and these two-way interactions; a pair's margin includes its fields'."""
    covered = {field for pair in pairs for field in pair}
    return (*sorted(pairs), *((field,) for field in range(fields) if field not in covered))


def fit_log_linear(counts: FloatArray, margins: Margins, *, tolerance: float = 1e-8, limit: int = 2000) -> Fit:
    """Fit a log-linear model of a table with one axis per field; each margin is the axes of it that the fit must meet.

    The fit stops when no margin is off by more than ``tolerance`` of all records, or after ``limit`` cycles.
    """
    axes = range(counts.ndim)
    others = [tuple(axis for axis in axes if axis not in margin) for margin in margins]
    targets = [counts.sum(axis=other, keepdims=True) for other in others]
    mean = np.ones_like(counts)
    total = counts.sum()
    for cycle in range(1, limit + 1):
        miss = 0.0
        for other, target in zip(others, targets, strict=True):
            now = mean.sum(axis=other, keepdims=True)
            miss = max(miss, float(np.abs(now - target).max()))
            mean *= np.divide(target, now, out=np.zeros_like(now), where=now > 0)
        if miss <= tolerance * total:
            return Fit(mean, True, cycle)
    return Fit(mean, False, limit)


# How much a log-linear model overstates risk: the Skinner-Shlomo statistic, for every class size.
#
# A cell with population mean ``l`` (sample mean ``p l``) holds k sample records with the Poisson chance ``P_k(p l)``.
# The attacker then matches each of them correctly with chance ``h_k(l) = E[1/F | f = k]``. The bias of the risk of
# classes of size k is::
#
#     B_k = sum over cells of k P_k(p l) (h_k(fitted l) - h_k(l))
#
# Write ``w = k P_k(m)`` at the fitted sample mean m, and ``e = f - m``: e and ``e**2 - f`` estimate the misfit and its
# square without bias. Then ``B_k = sum a e + b (e**2 - f)`` with these factors; derivatives are in the sample mean::
#
#     "published":  a = -w h_k',   b =  w h_k'' / 2
#     "fit":        a = -w h_k',   b = -w h_k'' / 2 - w' h_k'
#
# The published statistic expands h around the true mean and then evaluates every factor, also the first, at the fit.
# That drops a term of the same order as b. For k = 1 it is the statistic that the literature uses for sample uniques,
# as a test of overdispersion. The other statistic expands all of B_k around the fit and is right to second order. If
# the model holds, both have mean zero and variance
# ``sum a**2 m + 2 b**2 m**2``. Values well above zero show underfitting, which overstates risk.
#
# C. Skinner and N. Shlomo (2008), JASA 103:989-1001; every class size: F. Dankar and K. El Emam (2010),
# PAIS'10, section 2.4.2.


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


# Which log-linear model to use for the classes of one size: the forward search.
#
# The search starts from independence, which overstates risk. It adds two-way interactions one at a time while the bias
# statistic of :func:`underfit` is significantly above zero. Each step adds the interaction that brings the statistic
# nearest to zero. It skips an interaction that would make the statistic significantly negative: such a model overfits,
# and understating risk is the worse error. Every class size has its own search (Dankar and El Emam 2010, section
# 2.4.2); the searches share their fits.


Pair: TypeAlias = tuple[int, int]
Interactions: TypeAlias = tuple[Pair, ...]


@dataclass(frozen=True, eq=False)
class LogLinearSearch:
    """Fits of one table of counts, each computed when first needed.

    ``critical`` is how many standard deviations from zero the statistic ``kind`` is significant; ``limit`` the largest
    number of cycles of a fit.
    """

    counts: FloatArray
    fraction: float
    critical: float
    kind: str = "published"
    limit: int = 500
    _fits: dict[Interactions, tuple[Fit, FloatArray, FloatArray]] = field(default_factory=dict)

    @property
    def pairs(self) -> Interactions:
        """Every two-way interaction."""
        return tuple(combinations(range(self.counts.ndim), 2))

    def fit(self, model: Interactions) -> Fit:
        """Return the fit of main effects and these interactions."""
        return self._fitted(model)[0]

    def _fitted(self, model: Interactions) -> tuple[Fit, FloatArray, FloatArray]:
        """Return a fit, with counts and means of the cells that can hold someone, by mean."""
        if model not in self._fits:
            fit = fit_log_linear(self.counts, margins_of(self.counts.ndim, model), limit=self.limit)
            above = fit.mean > 0
            counts, mean = self.counts[above], fit.mean[above]
            order = np.argsort(mean, kind="stable")
            self._fits[model] = (fit, counts[order], mean[order])
        return self._fits[model]

    def statistic(self, model: Interactions, size: int) -> float:
        """Return the bias statistic of a model in standard deviations; 0 if no cell can hold ``size`` records."""
        _, counts, mean = self._fitted(model)
        bias, deviation = underfit(counts, mean, size, self.fraction, self.kind)
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


# Cycles of the fits that only tell how much the choice of a model matters.
_BESIDE_CYCLES = 50


def expected_matches(
    search: LogLinearSearch, models: Mapping[int, Interactions], counts: FloatArray
) -> tuple[float, float]:
    """Return the expected records matched correctly, and the expected sample uniques that are population uniques."""
    scale = (1 - search.fraction) / search.fraction
    chosen = np.array(sorted(models))
    matched = unique = 0.0
    for size in np.unique(counts[counts > 0]).astype(int):
        model = models[int(chosen[np.argmin(np.abs(chosen - size))])]
        left = scale * search.fit(model).mean[counts == size]
        matched += size * float(np.sum(poisson_inverse(np.full(left.shape, size), left)))
        if size == 1:
            unique = float(np.sum(np.exp(-left)))
    return matched, unique


def fit_beside(table: ClassTable, people: int, model: Interactions) -> dict[str, object]:
    """Return what tells how much the choice of a model matters, for the calibration of the range that is read first.

    ``expected_classes``: classes of one, two and three records that ``model``, chosen for the smallest class size,
    expects in the sample; ``no_interactions`` and ``all_interactions``: uniques (in people) and marketer risk by these
    two models, between which the search chooses.
    """
    search = LogLinearSearch(table.dense(), table.sizes.records / people, 0.0, limit=_BESIDE_CYCLES)
    mean = search.fit(model).mean
    mean = mean[mean > 0]
    expected = {k: float(np.sum(mean**k * np.exp(-mean))) / math.factorial(k) for k in (1, 2, 3)}
    ends = {}
    for name, pairs in (("no_interactions", ()), ("all_interactions", search.pairs)):
        matched, unique = expected_matches(search, {1: pairs}, search.counts)
        ends[name] = (unique * people / table.sizes.records, matched / table.sizes.records)
    return {"expected_classes": expected, **ends}


@dataclass(frozen=True)
class PoissonLogLinear(Estimator):
    """Marketer risk and uniques by the Poisson log-linear model, with a search for every class size.

    Parameters
    ----------
    critical : Standard deviations at which the bias statistic shows misfit; 1.645 is 5% one-sided.
    max_cells : Cells of the cross product above which Pitman's model takes over; ``status`` then says so. (Dankar
        and El Emam advise the negative binomial model, one of the least accurate in docs/estimators.md.)
    statistic : Bias statistic of the search: ``"published"`` (Skinner and Shlomo), or ``"fit"``, which is
        right to second order; :func:`underfit` has both.

    Notes
    -----
    ``uniques`` is the expected number of the sample's uniques that are unique in the population,
    over the sampling fraction.

    Intervals come from a parametric bootstrap: the estimator draws counts from the model chosen for the smallest
    class size and fits every chosen model to them again, without a new search. The true value of each draw is known,
    so its error is known, and the interval subtracts these errors from the estimate. An interval that is wholly above
    its estimate shows a model that overfits.

    Examples
    --------
    >>> table = ClassTable.from_records([[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]], ("sex", "race"))
    >>> PoissonLogLinear().estimate(table, 50).status
    'ok'
    """

    name: ClassVar[str] = "poisson_log_linear"
    needs_classes: ClassVar[bool] = True

    critical: float = 1.645
    max_cells: int = 1_000_000
    statistic: str = "published"

    def __post_init__(self) -> None:
        if not self.critical >= 0:
            raise InputError(f"critical must be 0 or more, not {self.critical}.")
        if self.statistic not in STATISTICS:
            raise UnknownNameError("bias statistic", str(self.statistic), STATISTICS)

    def answered(
        self, sample: Sample, people: int, bootstrap: Bootstrap | None = None, tell: Tell = quiet
    ) -> tuple[Answer, Intervals]:
        """Estimate, with intervals from counts drawn from the chosen model.

        Above ``max_cells`` Pitman's model takes over, and ``status`` says so.
        """
        if not isinstance(sample, ClassTable):
            raise InputError("the log-linear model needs the values of each class, not only class sizes.")
        table, sizes = sample, sample.sizes
        if sizes.records in (0, people):  # nothing to fit, or nothing left to estimate: no sampling error
            answer = Pitman().answer(sizes, people)
            figures = None if answer.uniques is None else answer.uniques / people, answer.marketer_risk
            points = [None if figure is None else (figure, figure) for figure in figures]
            return answer, NO_INTERVALS if bootstrap is None else (points[0], points[1])
        if table.cells > self.max_cells:
            return self._stand_in(table, people, bootstrap, tell)
        search = LogLinearSearch(table.dense(), sizes.records / people, self.critical, self.statistic)
        ends: dict[int, tuple[Interactions, float]] = {}
        for size in sizes.size.tolist():
            tell(f"log-linear model: searching for classes of {size:,} of at most {sizes.size[-1]:,} records")
            ends[size] = search.choose(size)
        models = {size: model for size, (model, _) in ends.items()}
        matched, unique = expected_matches(search, models, search.counts)
        uniques, marketer = unique * people / sizes.records, matched / sizes.records
        answer = Answer(
            uniques=uniques,
            marketer_risk=marketer,
            parameters={
                "cells": table.cells,
                "interactions": {
                    size: [f"{table.fields[a]} x {table.fields[b]}" for a, b in model] for size, model in models.items()
                },
                "statistic": {size: end for size, (_, end) in ends.items()},
                **fit_beside(table, people, models[min(models)]),
            },
            notes=self._notes(search, ends),
        )
        if bootstrap is None:
            return answer, NO_INTERVALS
        rng = np.random.default_rng(bootstrap.seed)
        errors: list[tuple[float, float] | None] = []
        for replicate in range(1, bootstrap.replicates + 1):
            tell(f"interval of {self.name}: replicate {replicate} of {bootstrap.replicates}")
            errors.append(self._error_of_a_draw(search, models, rng))
        of_uniqueness, of_marketer = ([None if e is None else e[i] for e in errors] for i in (0, 1))
        return answer, (
            _around(uniques / people, percentile_interval(of_uniqueness, bootstrap.level)),
            _around(marketer, percentile_interval(of_marketer, bootstrap.level)),
        )

    def _notes(self, search: LogLinearSearch, ends: Mapping[int, tuple[Interactions, float]]) -> tuple[str, ...]:
        notes = []
        misfit = [size for size, (_, end) in ends.items() if end > self.critical]
        if misfit:
            notes.append(f"still overstates risk after the search, class sizes {_short(misfit)}")
        if not all(search.fit(model).converged for model, _ in ends.values()):
            notes.append("a fit stopped before its margins were met: the table is very sparse")
        return tuple(notes)

    def _stand_in(
        self, table: ClassTable, people: int, bootstrap: Bootstrap | None, tell: Tell
    ) -> tuple[Answer, Intervals]:
        estimate = Pitman().estimate(table.sizes, people, bootstrap=bootstrap, tell=tell)
        why = f"the table has {table.cells:,} cells, over the limit of {self.max_cells:,}"
        if estimate.status != "ok":
            status = f"{why}, and Pitman's model has no answer either: {estimate.status}"
            return Answer(status=status), NO_INTERVALS
        status = f"Pitman's model instead: {why}; use coarser fields for the log-linear model"
        answer = Answer(estimate.uniques, estimate.marketer_risk, estimate.parameters, estimate.notes, status)
        return answer, (estimate.interval, estimate.marketer_interval)

    def _error_of_a_draw(
        self, search: LogLinearSearch, models: Mapping[int, Interactions], rng: np.random.Generator
    ) -> tuple[float, float] | None:
        """Return the error of uniqueness and marketer risk on counts drawn from the chosen model."""
        law = {1: models[min(models)]}
        counts = rng.poisson(search.fit(law[1]).mean).astype(np.float64)
        records = float(counts.sum())
        if records == 0:
            return None
        true_matched, true_unique = expected_matches(search, law, counts)
        again = LogLinearSearch(counts, search.fraction, self.critical)
        matched, unique = expected_matches(again, models, counts)
        return (unique - true_unique) / records, (matched - true_matched) / records


def _around(estimate: float, errors: Interval | None) -> Interval | None:
    """Return the true values that these errors would turn into the estimate, limited to 0..1."""
    if errors is None:
        return None
    return max(estimate - errors[1], 0.0), min(estimate - errors[0], 1.0)


def _short(sizes: list[int]) -> str:
    first_sizes = ", ".join(map(str, sizes[:8]))
    return f"{first_sizes}, ..." if len(sizes) > 8 else first_sizes
