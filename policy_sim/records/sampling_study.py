"""The papers' simulation on the user's own file: which estimator is closest for such data.

The simulation uses the file as a population and draws samples from it. Every estimator sees only the sample, and the
simulation records its error against the known truth. Dankar and El Emam (2010), section 2.5; Dankar, El Emam,
Neisa and Roffey (2012), "Empirical evaluation".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from policy_sim.estimators import ESTIMATORS, ClassTable, SizeHistogram, estimator_names
from policy_sim.estimators.registry import known_estimators
from policy_sim.words.arrays import IntArray
from policy_sim.words.errors import InputError, MissingPackageError, SourceError
from policy_sim.words.workers import worker_processes

PAPER_FRACTIONS = (0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9)

_Row: TypeAlias = tuple[float, int, str, str, float | None, float, str]
_COLUMNS = ("fraction", "run", "measure", "model", "estimate", "truth", "status")
_QUANTILES = {"p05": 0.05, "q1": 0.25, "median": 0.5, "q3": 0.75, "p95": 0.95}
_RUNS_PER_TASK = 25
# The median of a few successful runs would make a model that mostly fails look good.
LEAST_SHARE_ANSWERED = 0.5


@dataclass(frozen=True)
class Simulation:
    """Errors of every estimator on samples of one file.

    ``errors`` has one row per fraction, run, measure and model; if ``estimate`` and ``relative_error`` are missing,
    ``status`` gives the reason. The relative error is ``(estimate - truth) / truth``.
    """

    errors: pd.DataFrame
    population_size: int
    runs: int
    seed: int

    def summary(self) -> pd.DataFrame:
        """Median and quartiles of the relative error by measure, fraction and model.

        ``failed`` counts runs without an answer; the other columns cover the other runs.
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
        """The model with the smallest absolute median error, by measure and fraction.

        Models without an answer in more than half of the runs are left out (``failed`` counts them). In a tie, the
        model with the smaller interquartile range wins.
        """
        table = self.summary()
        answered = (table["runs"] - table["failed"]) / table["runs"]
        able = table[(answered >= LEAST_SHARE_ANSWERED) & table["median"].notna()]
        ranked = able.assign(size=able["median"].abs()).sort_values(
            ["measure", "fraction", "size", "iqr"], kind="stable"
        )
        return ranked.drop(columns="size").groupby(["measure", "fraction"], as_index=False).first()


@dataclass(frozen=True, eq=False)
class _Job:
    """What every worker needs: the file as a population, and the models."""

    size: IntArray
    table: ClassTable | None
    models: tuple[str, ...]
    seed: int
    slow_runs: int | None = None

    def models_of(self, run: int) -> tuple[str, ...]:
        """Return the models of a run: those that need the values of classes are slow and may get only some runs."""
        if self.slow_runs is None or run < self.slow_runs:
            return self.models
        return tuple(name for name in self.models if not ESTIMATORS[name].needs_classes)


def _one_run(job: _Job, fraction: float, run: int) -> Iterator[_Row]:
    people = int(job.size.sum())
    records = max(1, round(fraction * people))
    # the draw depends only on seed, sample size, run and class sizes
    rng = np.random.default_rng(np.random.SeedSequence(job.seed, spawn_key=(records, run)))
    drawn: IntArray = rng.multivariate_hypergeometric(job.size, records, method="marginals")
    sample = SizeHistogram.from_classes(drawn)
    truth = {
        "uniqueness": float((job.size == 1).sum()) / people,
        "marketer_risk": float(np.sum(drawn / job.size)) / sample.records,
    }
    models = job.models_of(run)
    needed = any(ESTIMATORS[name].needs_classes for name in models)
    whole = job.table.with_sizes(drawn) if needed and job.table is not None else None
    for name in models:
        model = ESTIMATORS[name]()
        # only the answer, without the notes and shares of an estimate
        answer = model.answer(whole if model.needs_classes and whole is not None else sample, people)
        share = None if answer.uniques is None else answer.uniques / people
        estimate = dict(zip(truth, (share, answer.marketer_risk), strict=True))
        for measure in model.measures:
            yield fraction, run, measure, name, estimate[measure], truth[measure], answer.status


def _some_runs(job: _Job, fraction: float, runs: range) -> list[_Row]:
    return [row for run in runs for row in _one_run(job, fraction, run)]


_job_of_worker: _Job


def _start_worker(job: _Job) -> None:
    global _job_of_worker  # sent once per worker, not once per task
    _job_of_worker = job


def _task(fraction: float, runs: range) -> list[_Row]:
    return _some_runs(_job_of_worker, fraction, runs)


def _in_processes(
    job: _Job, tasks: list[tuple[float, range]], workers: int, tick: Callable[[range], None]
) -> list[list[_Row]]:
    results: list[list[_Row]] = [[] for _ in tasks]
    with worker_processes(workers, _start_worker, (job,)) as pool:
        waiting = {pool.submit(_task, *task): i for i, task in enumerate(tasks)}
        try:
            for future in as_completed(waiting):
                results[waiting[future]] = future.result()
                tick(tasks[waiting[future]][1])
        except BrokenProcessPool:
            raise SourceError(
                "a worker process of the simulation ended unexpectedly, usually because memory ran out. "
                "Run the simulation with fewer workers."
            ) from None
    return results


def _table_of(rows: list[list[_Row]]) -> pd.DataFrame:
    table = pd.DataFrame([row for part in rows for row in part], columns=list(_COLUMNS))
    table["estimate"] = table["estimate"].astype("float64")
    truth = table["truth"].where(table["truth"] > 0)
    table["relative_error"] = (table["estimate"] - truth) / truth
    nothing = (table["truth"] == 0) & (table["status"] == "ok")
    table.loc[nothing, "status"] = "the truth is 0: no relative error"
    return table


def simulate(
    population: ClassTable | npt.ArrayLike,
    fractions: Sequence[float] = PAPER_FRACTIONS,
    runs: int = 1000,
    *,
    seed: int = 0,
    models: Sequence[str] | None = None,
    slow_runs: int | None = None,
    workers: int = 1,
    progress: Callable[[int, int], Any] | None = None,
) -> Simulation:
    """Draw ``runs`` samples per distinct fraction from a file and measure how far each estimator is from the truth.

    The population is the file as classes, or the sizes of its classes, which are enough without the log-linear model:
    it takes hundreds of times as long and is left out unless ``models`` names it, and has at most ``slow_runs`` runs
    per fraction. Results depend on ``seed``, but not on ``workers``, a number of processes, or on the order of the
    classes.
    """
    table = population if isinstance(population, ClassTable) else None
    size = table.size if table is not None else np.asarray(population)
    chosen = known_estimators(estimator_names(classes=False) if models is None else models)
    need = [name for name in chosen if ESTIMATORS[name].needs_classes]
    if need and table is None:
        raise InputError(f"{', '.join(need)}: needs the values of each class, not class sizes alone.")
    if size.ndim != 1 or size.dtype.kind not in "iu" or (size.size and size.min() < 1):
        raise InputError("class sizes must be whole numbers of 1 or more.")
    people = int(size.sum())
    if people < 2:
        raise InputError(f"a simulation needs a file of at least 2 records, not {people}.")
    # classes sorted by size, then by values, so that draws do not depend on the file's order
    order = np.argsort(size, kind="stable") if table is None else np.lexsort((*table.codes.T[::-1], size))
    ordered = None if table is None else ClassTable(table.codes[order], table.size[order], table.fields)
    job = _Job(size[order].astype(np.int64), ordered, chosen, seed, slow_runs)
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
    return Simulation(_table_of(rows), people, runs, seed)


# A regression tree of the causes of the estimators' errors (Dankar et al. 2012, figure 6).


@dataclass(frozen=True)
class TreeNode:
    """A set of runs, its mean relative error, and the question that splits it best.

    ``question`` is None at a leaf; runs that answer yes go to ``yes``.
    """

    runs: int
    mean_relative_error: float
    question: str | None = None
    yes: TreeNode | None = None
    no: TreeNode | None = None

    def lines(self, indent: str = "", answer: str = "") -> list[str]:
        """Return the tree as indented lines of text."""
        head = f"{indent}{answer}mean relative error {self.mean_relative_error:+.3f} ({self.runs:,} runs)"
        if self.question is None or self.yes is None or self.no is None:
            return [head]
        deeper = indent + "    "
        yes, no = self.yes.lines(deeper, "yes: "), self.no.lines(deeper, "no: ")
        return [f"{head}; {self.question}?", *yes, *no]


def _grow(tree: Any, node: int, questions: list[tuple[str, str | None]]) -> TreeNode:
    runs, mean = int(tree.n_node_samples[node]), float(tree.value[node].item())
    if tree.children_left[node] < 0:
        return TreeNode(runs, mean)
    name, model = questions[tree.feature[node]]
    low = _grow(tree, tree.children_left[node], questions)
    high = _grow(tree, tree.children_right[node], questions)
    if model is not None:  # 0 or 1: the upper side is this model
        return TreeNode(runs, mean, f"model is {model}", yes=high, no=low)
    return TreeNode(runs, mean, f"{name} <= {float(tree.threshold[node]):.3g}", yes=low, no=high)


def error_tree(simulation: Simulation, measure: str = "uniqueness", depth: int = 3) -> TreeNode:
    """Grow the tree, ``depth`` questions deep, that predicts a run's relative error from its fraction and model."""
    try:
        from sklearn.tree import DecisionTreeRegressor
    except ImportError:
        raise MissingPackageError("the error tree", "scikit-learn", "scholar") from None
    errors = simulation.errors
    with_error = errors[(errors["measure"] == measure) & errors["relative_error"].notna()]
    if with_error.empty:
        raise InputError(f"the simulation has no relative error of {measure!r}.")
    models = pd.get_dummies(with_error["model"])
    columns = np.column_stack([with_error["fraction"].to_numpy(), models.to_numpy(dtype=float)])
    questions: list[tuple[str, str | None]] = [
        ("sampling fraction", None),
        *(("", str(model)) for model in models.columns),
    ]
    tree = DecisionTreeRegressor(max_depth=depth, random_state=0)
    tree.fit(columns, with_error["relative_error"].to_numpy())
    return _grow(tree.tree_, 0, questions)
