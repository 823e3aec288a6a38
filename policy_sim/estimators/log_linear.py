"""The Poisson log-linear model: a class is as large as the shares of its values lead one to expect.

It learns from neighbouring cells, where the other models look at class sizes alone, so it needs to
know what each class holds. C. Skinner and N. Shlomo (2008), JASA 103:989-1001; Dankar and El Emam
(2010), PAIS'10, section 2.4.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from policy_sim.errors import InputError, UnknownNameError
from policy_sim.estimators.base import Answer, Estimator, check_population
from policy_sim.estimators.class_table import ClassTable
from policy_sim.estimators.interval import Interval, check_bootstrap, percentile_interval
from policy_sim.estimators.inverse import poisson_inverse
from policy_sim.estimators.log_linear_search import Interactions, LogLinearSearch
from policy_sim.estimators.negative_binomial import NegativeBinomial
from policy_sim.estimators.underfit import STATISTICS
from policy_sim.sizes import FloatArray, SizeHistogram

__all__ = ["PoissonLogLinear"]


def _expected(search: LogLinearSearch, models: Mapping[int, Interactions], counts: FloatArray) -> tuple[float, float]:
    """Return records matched correctly, and the sample's uniques that are population uniques."""
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


class PoissonLogLinear(Estimator):
    """Marketer risk and uniques by the Poisson log-linear model, searched for every class size.

    Parameters
    ----------
    critical : Standard deviations from which the bias statistic shows misfit; 1.645 is 5 % one-sided.
    max_cells : Cells of the cross product above which the negative binomial model takes over, as
        Dankar and El Emam advise; ``status_`` then says so.
    statistic : Bias statistic of the search: ``"published"`` (Skinner and Shlomo), or ``"fit"``, which is
        right to second order; :mod:`underfit` has both.
    replicates, level, seed : Parametric bootstrap for the intervals. Counts are drawn from the model
        chosen for the smallest class size and every chosen model is fitted to them again, without a new
        search; the errors made there, whose truth is known, are taken off the estimate. An interval that
        lies wholly above its estimate shows a model that overfits.

    Notes
    -----
    ``uniques_`` is the expected number of the sample's uniques that are unique in the population,
    over the sampling fraction.

    Examples
    --------
    >>> table = ClassTable.from_records([[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]], ("sex", "race"))
    >>> PoissonLogLinear().fit(table, population_size=50).status_
    'ok'
    """

    name: ClassVar[str] = "poisson_log_linear"

    def __init__(
        self,
        critical: float = 1.645,
        max_cells: int = 1_000_000,
        statistic: str = "published",
        *,
        replicates: int = 100,
        level: float = 0.95,
        seed: int = 0,
    ) -> None:
        if not critical >= 0:
            raise InputError(f"critical must be 0 or more, not {critical}.")
        if statistic not in STATISTICS:
            raise UnknownNameError("bias statistic", statistic, STATISTICS)
        self.critical, self.max_cells, self.statistic = critical, max_cells, statistic
        self.replicates, self.level, self.seed = replicates, level, seed

    def fit(self, table: ClassTable | npt.ArrayLike, *, population_size: int) -> Self:
        """Estimate from the classes of a sample.

        Parameters
        ----------
        table : The sample's classes, or its records as codes: one row per record, one column per field.
        population_size : People the sample was drawn from, N >= n.
        """
        given = table if isinstance(table, ClassTable) else ClassTable.from_records(table)
        people = check_population(given.sizes.records, population_size)
        self._search: LogLinearSearch | None = None
        self._models: dict[int, Interactions] = {}
        self._stand_in: NegativeBinomial | None = None
        return self._take(given.sizes, people, self._answer(given, given.sizes, people))

    def _answer(self, table: ClassTable, sample: SizeHistogram, people: int) -> Answer:
        if sample.records in (0, people):  # nothing to fit, or nothing left to estimate
            return NegativeBinomial().answer(sample, people)
        if table.cells > self.max_cells:
            return self._fallback(table, sample, people)
        search = LogLinearSearch(table.dense(), sample.records / people, self.critical, self.statistic)
        ends = {size: search.choose(size) for size in sample.size.tolist()}
        models = {size: model for size, (model, _) in ends.items()}
        matched, unique = _expected(search, models, search.counts)
        self._search, self._models = search, models
        return Answer(
            uniques=unique * people / sample.records,
            marketer_risk=matched / sample.records,
            parameters={
                "cells": table.cells,
                "interactions": {
                    size: [f"{table.fields[a]} x {table.fields[b]}" for a, b in model] for size, model in models.items()
                },
                "statistic": {size: end for size, (_, end) in ends.items()},
            },
            notes=self._notes(ends, models),
        )

    def _notes(
        self, ends: Mapping[int, tuple[Interactions, float]], models: Mapping[int, Interactions]
    ) -> tuple[str, ...]:
        notes = []
        misfit = [size for size, (_, end) in ends.items() if end > self.critical]
        if misfit:
            notes.append(f"still overstates risk after the search, class sizes {_short(misfit)}")
        search = self._search
        if search is not None and not all(search.fit(model).converged for model in set(models.values())):
            notes.append("a fit stopped before its margins were met: the table is very sparse")
        return tuple(notes)

    def _fallback(self, table: ClassTable, sample: SizeHistogram, people: int) -> Answer:
        self._stand_in = NegativeBinomial(replicates=self.replicates, level=self.level, seed=self.seed)
        answer = self._stand_in.answer(sample, people)
        why = f"the table has {table.cells:,} cells, over the limit of {self.max_cells:,}"
        if answer.status != "ok":
            return Answer(status=f"{why}, and the negative binomial model fails too: {answer.status}")
        return Answer(
            uniques=answer.uniques,
            marketer_risk=answer.marketer_risk,
            parameters=answer.parameters,
            status=f"negative binomial model instead: {why}; coarsen fields or raise max_cells",
        )

    def _replicated(self) -> tuple[Interval | None, Interval | None]:
        if self._stand_in is not None:
            self._stand_in.fit(self.sizes_, population_size=self.population_size_)
            return self._stand_in.interval_, self._stand_in.marketer_interval_
        if self._search is None:
            value = self.uniqueness_, self.marketer_risk_
            return tuple(None if v is None else (v, v) for v in value)  # type: ignore[return-value]
        check_bootstrap(self.replicates, self.level)
        rng = np.random.default_rng(self.seed)
        uniqueness: list[float | None] = []
        marketer: list[float | None] = []
        for _ in range(self.replicates):
            error = self._error_of_a_draw(self._search, rng)
            uniqueness.append(None if error is None else error[0])
            marketer.append(None if error is None else error[1])
        return (
            _around(self.uniqueness_, percentile_interval(uniqueness, self.level)),
            _around(self.marketer_risk_, percentile_interval(marketer, self.level)),
        )

    def _error_of_a_draw(self, search: LogLinearSearch, rng: np.random.Generator) -> tuple[float, float] | None:
        """Return the error of uniqueness and marketer risk on counts drawn from the chosen model."""
        law = {1: self._models[min(self._models)]}
        counts = rng.poisson(search.fit(law[1]).mean).astype(np.float64)
        records = float(counts.sum())
        if records == 0:
            return None
        true_matched, true_unique = _expected(search, law, counts)
        again = LogLinearSearch(counts, search.fraction, self.critical)
        matched, unique = _expected(again, self._models, counts)
        return (unique - true_unique) / records, (matched - true_matched) / records


def _around(estimate: float | None, errors: Interval | None) -> Interval | None:
    """Return the values that these errors would have turned into the estimate; shares, so 0..1."""
    if estimate is None or errors is None:
        return None
    return max(estimate - errors[1], 0.0), min(estimate - errors[0], 1.0)


def _short(sizes: list[int]) -> str:
    shown = ", ".join(map(str, sizes[:8]))
    return f"{shown}, ..." if len(sizes) > 8 else shown
