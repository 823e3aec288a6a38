"""The papers' simulation on the user's own file: which estimator to trust here.

The file is taken as a population, samples are drawn from it, every estimator sees only the sample, and
its error against the known truth is kept. Dankar and El Emam (2010), section 2.5; Dankar, El Emam,
Neisa and Roffey (2012), "Empirical evaluation".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from policy_sim.errors import InputError, SourceError, UnknownNameError
from policy_sim.estimators import SIZE_ESTIMATORS, ClassTable, Estimator, PoissonLogLinear, SizeHistogram
from policy_sim.sizes import IntArray

__all__ = ["PAPER_FRACTIONS", "Simulation", "simulate"]

PAPER_FRACTIONS = (0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9)

_Row: TypeAlias = tuple[float, int, str, str, float | None, float, str]
_COLUMNS = ("fraction", "run", "measure", "model", "estimate", "truth", "status")
_QUANTILES = {"p05": 0.05, "q1": 0.25, "median": 0.5, "q3": 0.75, "p95": 0.95}
_RUNS_PER_TASK = 25
# A median over the few runs that worked would flatter a model that mostly fails.
_LARGEST_SHARE_FAILED = 0.5


@dataclass(frozen=True)
class Simulation:
    """Errors of every estimator on samples of one file.

    ``errors`` has one row per fraction, run, measure and model: ``estimate`` and ``relative_error`` are
    missing where ``status`` gives a reason. The relative error is ``(estimate - truth) / truth``.
    """

    errors: pd.DataFrame
    population_size: int
    runs: int
    seed: int

    def summary(self) -> pd.DataFrame:
        """Median and quartiles of the relative error by measure, fraction and model.

        ``failed`` counts runs without an answer; the other columns are of the rest.
        """
        keys = ["measure", "fraction", "model"]
        groups = self.errors.groupby(keys, sort=False)["relative_error"]
        table = groups.agg(runs="size", failed=lambda errors: int(errors.isna().sum()))
        for name, share in _QUANTILES.items():
            table[name] = groups.quantile(share)
        table["iqr"] = table["q3"] - table["q1"]
        tidy: pd.DataFrame = table.reset_index()
        return tidy.sort_values(keys, kind="stable", ignore_index=True)

    def most_accurate(self) -> pd.DataFrame:
        """The model of smallest median error, in absolute value, by measure and fraction.

        Models without an answer in more than half of the runs are passed over (``failed`` tells); a tie goes to the
        smaller inter-quartile range.
        """
        table = self.summary()
        able = table[(table["failed"] <= table["runs"] * _LARGEST_SHARE_FAILED) & table["median"].notna()]
        ranked = able.assign(size=able["median"].abs()).sort_values(
            ["measure", "fraction", "size", "iqr"], kind="stable"
        )
        return ranked.drop(columns="size").groupby(["measure", "fraction"], as_index=False).first()


@dataclass(frozen=True, eq=False)
class _Job:
    """What every worker needs: the file as a population, and whom to ask."""

    size: IntArray
    table: ClassTable | None
    models: tuple[str, ...]
    seed: int


def _draw(job: _Job, records: int, run: int) -> IntArray:
    """Draw a sample without replacement; the draw depends on seed, sample size and run alone."""
    rng = np.random.default_rng(np.random.SeedSequence(job.seed, spawn_key=(records, run)))
    drawn: IntArray = rng.multivariate_hypergeometric(job.size, records, method="marginals")
    return drawn


def _one_run(job: _Job, fraction: float, run: int) -> Iterator[_Row]:
    people = int(job.size.sum())
    drawn = _draw(job, max(1, round(fraction * people)), run)
    sample = SizeHistogram.from_classes(drawn)
    truth = {
        "uniqueness": float((job.size == 1).sum()) / people,
        "marketer_risk": float(np.sum(drawn / job.size)) / sample.records,
    }
    for name in job.models:
        if name == PoissonLogLinear.name and job.table is not None:
            table = job.table.with_sizes(drawn)
            fitted: Estimator = PoissonLogLinear().fit(table, population_size=people)
        else:
            fitted = SIZE_ESTIMATORS[name]().fit(sample, population_size=people)
        row = fitted.estimate()
        for measure in fitted.measures:
            yield fraction, run, measure, name, getattr(row, measure), truth[measure], row.status


def _some_runs(job: _Job, fraction: float, runs: range) -> list[_Row]:
    return [row for run in runs for row in _one_run(job, fraction, run)]


_job_of_worker: _Job | None = None


def _start_worker(job: _Job) -> None:
    global _job_of_worker  # sent once per worker instead of once per task
    _job_of_worker = job


def _task(fraction: float, runs: range) -> list[_Row]:
    if _job_of_worker is None:  # pragma: no cover
        raise RuntimeError("worker was not started with a job")
    return _some_runs(_job_of_worker, fraction, runs)


def _in_processes(
    job: _Job, tasks: list[tuple[float, range]], workers: int, tick: Callable[[range], None]
) -> list[list[_Row]]:
    done: list[list[_Row]] = [[] for _ in tasks]
    # "spawn" starts from a clean interpreter: forking a process that has threads can deadlock
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_start_worker, initargs=(job,))
    with pool:
        waiting = {pool.submit(_task, *task): i for i, task in enumerate(tasks)}
        try:
            for future in as_completed(waiting):
                done[waiting[future]] = future.result()
                tick(tasks[waiting[future]][1])
        except BrokenProcessPool:
            raise SourceError(
                "a worker process of the simulation ended by itself, most often for want of memory; "
                "run it with fewer workers."
            ) from None
    return done


def _table_of(rows: list[list[_Row]]) -> pd.DataFrame:
    table = pd.DataFrame([row for part in rows for row in part], columns=list(_COLUMNS))
    table["estimate"] = table["estimate"].astype("float64")
    truth = table["truth"].where(table["truth"] > 0)
    table["relative_error"] = (table["estimate"] - truth) / truth
    nothing = (table["truth"] == 0) & (table["status"] == "ok")
    table.loc[nothing, "status"] = "the truth is 0: no relative error"
    return table


def _check(people: int, fractions: Sequence[float], runs: int, workers: int) -> None:
    if people < 2:
        raise InputError(f"a simulation needs a file of at least 2 records, not {people}.")
    wrong = [fraction for fraction in fractions if not 0 < fraction < 1]
    if wrong or not fractions or len(set(fractions)) < len(fractions):
        raise InputError("fractions must be distinct numbers between 0 and 1, such as 0.05 0.5.")
    if runs < 1 or workers < 1:
        raise InputError("runs and workers must be 1 or more.")


def simulate(
    population: ClassTable | npt.ArrayLike,
    fractions: Sequence[float] = PAPER_FRACTIONS,
    runs: int = 1000,
    *,
    seed: int = 0,
    models: Sequence[str] | None = None,
    workers: int = 1,
    progress: Callable[[int, int], Any] | None = None,
) -> Simulation:
    """Draw samples from a file and see how far each estimator is from the truth.

    Parameters
    ----------
    population : The file as classes; or the size of each of its classes, which suffices unless the
        log-linear model is asked for.
    fractions : Sampling fractions, each between 0 and 1.
    runs : Samples drawn at each fraction.
    seed : Seed of the draws. Results depend on it, not on ``workers``.
    models : Names of estimators; by default every one that needs class sizes only. Add
        ``"poisson_log_linear"`` for the log-linear model, which takes hundreds of times as long.
    workers : Processes; a script that asks for more than one needs the usual
        ``if __name__ == "__main__":`` guard.
    progress : Called with (runs done, runs in all) as the work goes on.

    Raises
    ------
    InputError : a fraction out of range, no runs, or the log-linear model without a class table.
    UnknownNameError : a model that does not exist.
    SourceError : a worker process was killed.
    """
    table = population if isinstance(population, ClassTable) else None
    size = table.size if table is not None else np.asarray(population)
    known = [*SIZE_ESTIMATORS, PoissonLogLinear.name]
    asked = tuple(SIZE_ESTIMATORS if models is None else dict.fromkeys(models))
    for name in asked:
        if name not in known:
            raise UnknownNameError("estimator", name, known)
    if PoissonLogLinear.name in asked and table is None:
        raise InputError("the log-linear model needs the values of each class, not class sizes alone.")
    if size.ndim != 1 or size.dtype.kind not in "iu" or (size.size and size.min() < 1):
        raise InputError("class sizes must be whole numbers of 1 or more.")
    _check(int(size.sum()), fractions, runs, workers)
    job = _Job(size.astype(np.int64), table, asked, seed)
    tasks = [
        (float(fraction), range(start, min(start + _RUNS_PER_TASK, runs)))
        for fraction in fractions
        for start in range(0, runs, _RUNS_PER_TASK)
    ]
    finished = 0

    def tick(part: range) -> None:
        nonlocal finished
        finished += len(part)
        if progress is not None:
            progress(finished, runs * len(fractions))

    if workers > 1:
        rows = _in_processes(job, tasks, workers, tick)
    else:
        rows = []
        for fraction, part in tasks:
            rows.append(_some_runs(job, fraction, part))
            tick(part)
    return Simulation(_table_of(rows), int(size.sum()), runs, seed)
