"""Every combination of the key fields: its classes, and the records that it makes unique.

The walk goes from all fields down to single fields. It merges each combination from the smallest one that contains
it, so it reads the large class table only once per omitted field.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from policy_sim.arrays import BoolArray, IntArray
from policy_sim.errors import NotEstimableError
from policy_sim.records.classes import Classes, number_groups
from policy_sim.records.marginals import Chosen, Counted, Listed, marginal
from policy_sim.records.missing import agreeing

__all__ = ["MOST_COMBINATIONS", "Combination", "check_size", "walk_combinations"]


# Largest memory of a level: one byte per unique record and combination.
_MOST_FLAGS = 500_000_000
_MOST_FIELDS = 16
# With more combinations, or more classes over all of them, the walk takes minutes and gigabytes.
MOST_COMBINATIONS = 4_095
_MOST_WORK = 250_000_000
# Under wildcards, each combination compares every pattern of missing values with every other pattern.
_MOST_WILD_WORK = 100_000_000


@dataclass(frozen=True, eq=False)
class Combination:
    """Some of the key fields.

    Parameters
    ----------
    fields : Their names.
    classes : Number of classes on these fields alone; None under wildcards, where records form no classes.
    uniques : Records that are unique on these fields.
    average : Mean over records of 1/size; None without records.
    minimal : Records that are unique on these fields and on no subset of them (minimal sample uniques); None if not
        counted.
    """

    fields: tuple[str, ...]
    classes: int | None
    uniques: int
    average: float | None
    minimal: int | None = None


def walk_combinations(
    classes: Classes, rule: str = "own", most: int = MOST_COMBINATIONS
) -> Iterator[tuple[Combination, Chosen, BoolArray]]:
    """Yield every non-empty combination of the fields, from all fields to single fields.

    Parameters
    ----------
    rule : ``own`` or ``wildcard``: what a missing value agrees with.
    most : Combinations that may be walked.

    Yields
    ------
    The combination, the positions of its fields, and a flag for each class of size 1: whether the combination makes
    its record minimally unique.

    Raises
    ------
    NotEstimableError : too many combinations, classes or unique records.
    """
    check_size(classes, rule, most)
    if rule == "wildcard" and any(classes.missing):
        yield from _walk_wild(classes)
        return
    for chosen, merged, minimal in _walk(classes):
        names = tuple(classes.fields[i] for i in chosen)
        number = merged.number
        average = number / classes.records if classes.records else None
        uniques = int(np.count_nonzero(merged.sizes == 1))
        yield Combination(names, number, uniques, average, int(minimal.sum())), chosen, minimal


def _walk(classes: Classes) -> Iterator[tuple[Chosen, Listed | Counted, BoolArray]]:
    """Yield combinations with their classes and minimal flags, from all fields to single ones."""
    q = len(classes.fields)
    uniques = np.flatnonzero(classes.sizes == 1)
    level: dict[Chosen, Listed | Counted] = {tuple(range(q)): marginal(classes, uniques)} if q else {}
    alone = {chosen: _alone(merged) for chosen, merged in level.items()}
    while level:
        below = _next_level(q, level)
        alone_below = {chosen: _alone(merged) for chosen, merged in below.items()}
        for chosen, merged in level.items():
            minimal = alone[chosen]
            for part in combinations(chosen, len(chosen) - 1):
                minimal = minimal & ~alone_below[part] if part else minimal
            yield chosen, merged, minimal
        level, alone = below, alone_below


def check_size(classes: Classes, rule: str = "own", most: int = MOST_COMBINATIONS) -> None:
    """Raise an error if a walk over the combinations would take more than a few minutes.

    Parameters
    ----------
    most : Combinations that may be walked.

    Raises
    ------
    NotEstimableError : too many combinations, or too many classes or unique records for this many combinations.
    """
    q, number = len(classes.fields), 2 ** len(classes.fields) - 1
    if q > _MOST_FIELDS or number > most:
        raise NotEstimableError(
            f"{number:,} combinations of {q} fields are more than {min(most, 2**_MOST_FIELDS - 1):,}: choose fewer "
            f"fields, or raise the limit on combinations (at most {2**_MOST_FIELDS - 1:,})."
        )
    uniques = int(np.count_nonzero(classes.sizes == 1))
    if math.comb(q, q // 2) * uniques > _MOST_FLAGS:
        raise NotEstimableError(
            f"{number:,} combinations of {q} fields over {uniques:,} unique records are too many: choose fewer fields."
        )
    patterns = len(np.unique(classes.codes > 0, axis=0)) if rule == "wildcard" and any(classes.missing) else 0
    work, limit = (patterns, _MOST_WILD_WORK) if patterns else (1, _MOST_WORK)
    if most <= MOST_COMBINATIONS and work * number * classes.number > limit:
        wild = f", with values missing in {patterns} ways," if patterns else ""
        raise NotEstimableError(
            f"{number:,} combinations over {classes.number:,} classes{wild} are too many: choose fewer fields."
        )


def _walk_wild(classes: Classes) -> Iterator[tuple[Combination, Chosen, BoolArray]]:
    """Walk under wildcards: records that agree on more fields agree on fewer, so minimal sets follow as before."""
    q = len(classes.fields)
    sizes = agreeing(classes)
    uniques = np.flatnonzero(sizes == 1)
    above: dict[Chosen, tuple[Combination, BoolArray]] = {}
    for width in range(q, -1, -1):
        below = {chosen: _wild(classes, chosen, uniques) for chosen in combinations(range(q), width)} if width else {}
        for chosen, (combination, minimal) in above.items():
            for part in combinations(chosen, len(chosen) - 1):
                minimal = minimal & ~below[part][1] if part else minimal
            yield replace(combination, minimal=int(minimal.sum())), chosen, minimal
        above = below


def _wild(classes: Classes, chosen: Chosen, uniques: IntArray) -> tuple[Combination, BoolArray]:
    """Return a combination under wildcards, and which of the unique records are unique on it."""
    columns, values = [classes.codes[:, i] for i in chosen], [classes.values[i] for i in chosen]
    group, number = number_groups(columns, values, classes.number)
    row = np.zeros(number, dtype=np.int64)
    row[group] = np.arange(classes.number)
    records = np.bincount(group, weights=classes.sizes, minlength=number).astype(np.int64)
    names = tuple(classes.fields[i] for i in chosen)
    merged = Classes(names, classes.codes[row][:, chosen], records, tuple(values))
    sizes = agreeing(merged)
    alone = sizes == 1
    average = float((records / sizes).sum()) / classes.records if classes.records else None
    return Combination(names, None, int(records[alone].sum()), average), alone[group[uniques]]


def _alone(merged: Listed | Counted) -> BoolArray:
    return np.asarray(merged.sizes[merged.place] == 1)


def _next_level(q: int, level: dict[Chosen, Listed | Counted]) -> dict[Chosen, Listed | Counted]:
    """Omit one field in every possible way, each time from the smallest combination that contains the rest."""
    width = len(next(iter(level))) - 1
    if not width:
        return {}
    below = {}
    for chosen in combinations(range(q), width):
        holders = [merged for whole, merged in level.items() if set(chosen) <= set(whole)]
        below[chosen] = min(holders, key=lambda merged: merged.entries).on(chosen)
    return below
