"""Every view of birth at once: which ages each puts together, and the bins it hides in each class.

Views that put the same ages together share their classes: year, quarter, month and date of birth merge
the same cells and differ in the bins hidden inside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.policies.lattice import BirthView

__all__ = ["Births", "Job", "births_of"]


@dataclass(frozen=True, eq=False)
class Job:
    """Kinds of class that hide ``bins`` bins under a view: ``kind[i]`` adds to ``view[i]``."""

    bins: float
    kind: IntArray
    view: IntArray


@dataclass(frozen=True, eq=False)
class Births:
    """The different classes of ages of all views.

    Attributes
    ----------
    views : The views of birth.
    ages : How many ages there are.
    runs : First age and the one after the last of each class that is a run of ages; shape (runs, 2).
    scattered : The ages of every other class; they come after the runs.
    kind : The kind of each class: classes of a kind belong to the same views and hide as many bins.
    kinds : How many kinds there are.
    jobs : What adds to what, by bins.
    """

    views: tuple[BirthView, ...]
    ages: int
    runs: IntArray
    scattered: tuple[IntArray, ...]
    kind: IntArray
    kinds: int
    jobs: tuple[Job, ...]

    def merge(self, people: IntArray) -> IntArray:
        """Return the people of each class; ages are the last dimension of ``people``, classes of the result."""
        upto = np.zeros((people.size // self.ages, self.ages + 1), dtype=np.int64)
        np.cumsum(people.reshape(-1, self.ages), axis=1, out=upto[:, 1:])
        in_runs: IntArray = upto[:, self.runs[:, 1]] - upto[:, self.runs[:, 0]]
        if not self.scattered:
            return in_runs
        rest = [people.reshape(-1, self.ages)[:, ages].sum(axis=1) for ages in self.scattered]
        return np.column_stack([in_runs, *rest])


def births_of(hidden: Mapping[BirthView, tuple[IntArray, FloatArray]]) -> Births:
    """Find the different classes of all views.

    Parameters
    ----------
    hidden : For each view, of each age, the class it falls in and the bins hidden in that class
        (:func:`policy_sim.population.merge.age_classes`).
    """
    uses: dict[tuple[int, ...], list[tuple[int, float]]] = {}
    ages = 0
    for view, (lower, bins) in enumerate(hidden.values()):
        ages = len(lower)
        for pair in sorted(set(zip(lower.tolist(), bins.tolist(), strict=True))):
            members = np.flatnonzero((lower == pair[0]) & (bins == pair[1]))
            uses.setdefault(tuple(members.tolist()), []).append((view, pair[1]))
    ordered = sorted(uses, key=lambda members: not _is_run(members))  # runs first
    different = list(dict.fromkeys(tuple(uses[members]) for members in ordered))
    views = [(bins, kind, view) for kind, used in enumerate(different) for view, bins in used]
    return Births(
        tuple(hidden),
        ages,
        np.array([(m[0], m[-1] + 1) for m in ordered if _is_run(m)], dtype=np.int64).reshape(-1, 2),
        tuple(np.array(m) for m in ordered if not _is_run(m)),
        np.array([different.index(tuple(uses[members])) for members in ordered]),
        len(different),
        tuple(_job(bins, views) for bins in sorted({bins for bins, _, _ in views})),
    )


def _is_run(members: tuple[int, ...]) -> bool:
    return members[-1] - members[0] == len(members) - 1


def _job(bins: float, views: list[tuple[float, int, int]]) -> Job:
    of_bins = [(kind, view) for hidden, kind, view in views if hidden == bins]
    return Job(bins, *np.array(of_bins, dtype=np.int64).T)
