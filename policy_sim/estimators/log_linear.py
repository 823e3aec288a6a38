"""The Poisson log-linear model: it predicts the size of a class from the shares of its values.

The model learns from neighboring cells, so it needs the values of each class; the other models need class sizes only.
C. Skinner and N. Shlomo (2008), JASA 103:989-1001; Dankar and El Emam
(2010), PAIS'10, section 2.4.2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from policy_sim.arrays import FloatArray
from policy_sim.errors import InputError, UnknownNameError
from policy_sim.estimators.base import Answer, Estimator, Sample, Tell, quiet
from policy_sim.estimators.bootstrap import Bootstrap, Interval, Intervals, percentile_interval
from policy_sim.estimators.class_table import ClassTable
from policy_sim.estimators.inverse import poisson_inverse
from policy_sim.estimators.log_linear_search import Interactions, LogLinearSearch
from policy_sim.estimators.pitman import Pitman
from policy_sim.estimators.underfit import STATISTICS

__all__ = ["PoissonLogLinear", "expected_matches", "fit_beside"]

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

    Parameters
    ----------
    table, people : The sample, and the size of its population.
    model : The model chosen for the smallest class size.

    Returns
    -------
    ``expected_classes``: classes of one, two and three records that the chosen model expects in the sample;
    ``no_interactions`` and ``all_interactions``: uniques (in people) and marketer risk by these two models, between
    which the search chooses.
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


@dataclass(frozen=True, eq=False)
class _Fitted:
    """The answer, the search, and the models that the search chose."""

    answer: Answer
    search: LogLinearSearch | None
    models: Mapping[int, Interactions]


@dataclass(frozen=True)
class PoissonLogLinear(Estimator):
    """Marketer risk and uniques by the Poisson log-linear model, with a search for every class size.

    Parameters
    ----------
    critical : Standard deviations at which the bias statistic shows misfit; 1.645 is 5% one-sided.
    max_cells : Cells of the cross product above which Pitman's model takes over; ``status`` then says so. (Dankar
        and El Emam advise the negative binomial model, one of the least accurate in docs/estimators.md.)
    statistic : Bias statistic of the search: ``"published"`` (Skinner and Shlomo), or ``"fit"``, which is
        right to second order; :mod:`underfit` has both.

    Raises
    ------
    InputError : an option out of range.

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

    def answer(self, sample: Sample, people: int, tell: Tell = quiet) -> Answer:
        """Estimate; above ``max_cells`` Pitman's model takes over, and ``status`` says so."""
        table = _class_table(sample)
        if self._too_many(table, people):
            return self._stand_in(table, people, None, tell)[0]
        return self._fit(table, people, tell).answer

    def answer_with_intervals(
        self, sample: Sample, people: int, bootstrap: Bootstrap, tell: Tell = quiet
    ) -> tuple[Answer, Intervals]:
        """Estimate, with intervals from counts drawn from the chosen model."""
        table = _class_table(sample)
        if self._too_many(table, people):
            return self._stand_in(table, people, bootstrap, tell)
        fitted = self._fit(table, people, tell)
        return fitted.answer, self._replicated(fitted, people, bootstrap, tell)

    def _too_many(self, table: ClassTable, people: int) -> bool:
        return table.sizes.records not in (0, people) and table.cells > self.max_cells

    def _fit(self, table: ClassTable, people: int, tell: Tell) -> _Fitted:
        sample = table.sizes
        if sample.records in (0, people):  # nothing to fit, or nothing left to estimate
            return _Fitted(Pitman().answer(sample, people), None, {})
        search = LogLinearSearch(table.dense(), sample.records / people, self.critical, self.statistic)
        ends: dict[int, tuple[Interactions, float]] = {}
        for size in sample.size.tolist():
            tell(f"log-linear model: searching for classes of {size:,} of at most {sample.size[-1]:,} records")
            ends[size] = search.choose(size)
        models = {size: model for size, (model, _) in ends.items()}
        matched, unique = expected_matches(search, models, search.counts)
        answer = Answer(
            uniques=unique * people / sample.records,
            marketer_risk=matched / sample.records,
            parameters={
                "cells": table.cells,
                "interactions": {
                    size: [f"{table.fields[a]} x {table.fields[b]}" for a, b in model] for size, model in models.items()
                },
                "statistic": {size: end for size, (_, end) in ends.items()},
                **fit_beside(table, people, models[min(models)]),
            },
            notes=self._notes(search, ends, models),
        )
        return _Fitted(answer, search, models)

    def _notes(
        self,
        search: LogLinearSearch,
        ends: Mapping[int, tuple[Interactions, float]],
        models: Mapping[int, Interactions],
    ) -> tuple[str, ...]:
        notes = []
        misfit = [size for size, (_, end) in ends.items() if end > self.critical]
        if misfit:
            notes.append(f"still overstates risk after the search, class sizes {_short(misfit)}")
        if not all(search.fit(model).converged for model in set(models.values())):
            notes.append("a fit stopped before its margins were met: the table is very sparse")
        return tuple(notes)

    def _stand_in(
        self, table: ClassTable, people: int, bootstrap: Bootstrap | None, tell: Tell
    ) -> tuple[Answer, Intervals]:
        estimate = Pitman().estimate(table.sizes, people, bootstrap=bootstrap, tell=tell)
        why = f"the table has {table.cells:,} cells, over the limit of {self.max_cells:,}"
        if estimate.status != "ok":
            status = f"{why}, and Pitman's model has no answer either: {estimate.status}"
            return Answer(status=status), (None, None)
        status = f"Pitman's model instead: {why}; use coarser fields for the log-linear model"
        answer = Answer(estimate.uniques, estimate.marketer_risk, estimate.parameters, estimate.notes, status)
        return answer, (estimate.interval, estimate.marketer_interval)

    def _replicated(self, fitted: _Fitted, people: int, bootstrap: Bootstrap, tell: Tell) -> Intervals:
        answer, search = fitted.answer, fitted.search
        uniqueness = None if answer.uniques is None else answer.uniques / people
        if search is None:  # the whole population or no record: no sampling error
            return _point(uniqueness), _point(answer.marketer_risk)
        rng = np.random.default_rng(bootstrap.seed)
        errors: list[tuple[float, float] | None] = []
        for replicate in range(1, bootstrap.replicates + 1):
            tell(f"interval of {self.name}: replicate {replicate} of {bootstrap.replicates}")
            errors.append(self._error_of_a_draw(search, fitted.models, rng))
        of_uniqueness, of_marketer = ([None if e is None else e[i] for e in errors] for i in (0, 1))
        return (
            _around(uniqueness, percentile_interval(of_uniqueness, bootstrap.level)),
            _around(answer.marketer_risk, percentile_interval(of_marketer, bootstrap.level)),
        )

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


def _class_table(sample: Sample) -> ClassTable:
    if not isinstance(sample, ClassTable):
        raise InputError("the log-linear model needs the values of each class, not only class sizes.")
    return sample


def _point(value: float | None) -> Interval | None:
    return None if value is None else (value, value)


def _around(estimate: float | None, errors: Interval | None) -> Interval | None:
    """Return the true values that these errors would turn into the estimate, limited to 0..1."""
    if estimate is None or errors is None:
        return None
    return max(estimate - errors[1], 0.0), min(estimate - errors[0], 1.0)


def _short(sizes: list[int]) -> str:
    first_sizes = ", ".join(map(str, sizes[:8]))
    return f"{first_sizes}, ..." if len(sizes) > 8 else first_sizes
