"""What a missing value means for class sizes: one rule, which every result states.

``own``, the default: missing is a value like any other, so two records that both miss a field agree in it.
``wildcard``: a missing value agrees with every value, so the size of a record is the number of records, itself
included, that it agrees with; sizes then belong to records, and there are no classes. ``exclude``: a record that
misses a key field is left out and counted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from policy_sim.arrays import IntArray
from policy_sim.errors import NotEstimableError, UnknownNameError
from policy_sim.groups.size_histogram import SizeHistogram
from policy_sim.records.classes import Classes, number_groups

__all__ = ["MISSING_RULES", "RecordSizes", "agreeing", "class_sizes"]

MISSING_RULES = {
    "own": "missing is a value of its own",
    "wildcard": "a missing value agrees with every value",
    "exclude": "records that miss a key field are left out",
}

_MOST_PATTERNS = 256


@dataclass(frozen=True, eq=False)
class RecordSizes:
    """The size of the class in which each record is.

    Parameters
    ----------
    size : Distinct sizes, ascending, >= 1; shape (m,).
    records : Records in classes of this size; shape (m,).
    excluded : Records that the rule leaves out.
    rule : One of :data:`MISSING_RULES`.
    """

    size: IntArray
    records: IntArray
    excluded: int = 0
    rule: str = "own"

    @classmethod
    def of(cls, size: IntArray, records: IntArray, excluded: int = 0, rule: str = "own") -> RecordSizes:
        """Return the sizes with the records of each added up."""
        if len(size) and size.max() <= len(size):  # one counter per size is faster than sorting
            counted = np.bincount(size, weights=records).astype(np.int64)
            distinct = np.flatnonzero(counted)
            return cls(distinct, counted[distinct], excluded, rule)
        distinct, at = np.unique(size, return_inverse=True)
        sums = np.bincount(at, weights=records, minlength=len(distinct)).astype(np.int64)
        return cls(distinct.astype(np.int64), sums, excluded, rule)

    @property
    def number(self) -> int:
        """Number of records in the figures."""
        return int(self.records.sum())

    @property
    def histogram(self) -> SizeHistogram:
        """How many classes have each size.

        Raises
        ------
        NotEstimableError : under wildcards, where sizes belong to records and there are no classes.
        """
        if self.rule == "wildcard":
            raise NotEstimableError(
                "with wildcards records have sizes but form no classes; the rules own and exclude make them."
            )
        return SizeHistogram(self.size, self.records // self.size)


def class_sizes(classes: Classes, rule: str = "own") -> RecordSizes:
    """Return the class size of each record of the file, under a rule for missing values.

    Raises
    ------
    UnknownNameError : there is no such rule.
    NotEstimableError : wildcards in more than 256 different combinations of fields.
    """
    if rule not in MISSING_RULES:
        raise UnknownNameError("rule for missing values", rule, MISSING_RULES)
    if rule == "exclude":
        complete = classes.complete()
        return RecordSizes.of(complete.sizes, complete.sizes, classes.records - complete.records, rule)
    sizes = classes.sizes if rule == "own" else agreeing(classes)
    return RecordSizes.of(sizes, classes.sizes, 0, rule)


def agreeing(classes: Classes) -> IntArray:
    """Return for each class the number of records that agree with it in all fields that neither misses.

    Raises
    ------
    NotEstimableError : values are missing in more than 256 different combinations of fields.
    """
    present = classes.codes > 0
    if present.all():
        return classes.sizes
    patterns, pattern = np.unique(present, axis=0, return_inverse=True)
    if len(patterns) > _MOST_PATTERNS:
        raise NotEstimableError(
            f"values are missing in {len(patterns):,} combinations of fields, and wildcards are counted for at "
            f"most {_MOST_PATTERNS}: use fewer fields, or the rule own for missing values."
        )
    members = [np.flatnonzero(pattern == p) for p in range(len(patterns))]
    totals = np.zeros(classes.number, dtype=np.int64)
    for ours, mine in enumerate(members):
        for theirs, other in enumerate(members):
            shared = np.flatnonzero(patterns[ours] & patterns[theirs])
            totals[mine] += _matches(classes, mine, other, shared)
    return totals


def _matches(classes: Classes, mine: IntArray, other: IntArray, shared: NDArray[np.intp]) -> IntArray:
    """Return, for each of these classes, the records of the other classes that agree in the shared fields."""
    rows = np.concatenate([mine, other])
    group, number = number_groups(
        [classes.codes[rows, i] for i in shared], [classes.values[i] for i in shared], len(rows)
    )
    counts = np.bincount(group[len(mine) :], weights=classes.sizes[other], minlength=number)
    return counts[group[: len(mine)]].astype(np.int64)
