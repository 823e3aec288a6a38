"""Every combination of the key fields: its classes, and the records that it already makes unique.

The combinations are walked from all fields down to single ones. Each is merged from the smallest
combination that holds it, so the large class table is read only once for each field left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from policy_sim.errors import NotEstimableError
from policy_sim.microdata.classes import Classes, IntArray, number_groups

__all__ = ["Combination", "walk_combinations"]

Chosen = tuple[int, ...]
BoolArray = NDArray[np.bool_]

# One byte for each unique record and combination of a level: what may be held at a time.
_MOST_FLAGS = 500_000_000
_MOST_FIELDS = 16


@dataclass(frozen=True, eq=False)
class Combination:
    """Some of the key fields.

    Parameters
    ----------
    fields : Their names.
    classes, uniques : Classes on these fields alone, and those of one record.
    average : Mean over records of 1/class size: classes over records; None without records.
    minimal : Records that these fields make unique and no part of them does (minimal sample uniques);
        None where it was not counted.
    """

    fields: tuple[str, ...]
    classes: int
    uniques: int
    average: float | None
    minimal: int | None = None


@dataclass(frozen=True, eq=False)
class _Merged:
    """The classes on some fields, and for each unique record of the file the class that holds it."""

    columns: dict[int, NDArray[np.int32]]
    sizes: IntArray
    place: IntArray

    @property
    def alone(self) -> BoolArray:
        return np.asarray(self.sizes[self.place] == 1)


def walk_combinations(classes: Classes) -> Iterator[tuple[Combination, Chosen, BoolArray]]:
    """Yield every non-empty combination of the fields, from all of them to single ones.

    Yields
    ------
    The combination, the positions of its fields, and which unique records it makes minimally unique;
    flags stand in the order of the classes of size 1.

    Raises
    ------
    NotEstimableError : too many fields or unique records to hold the combinations.
    """
    for chosen, merged, minimal in _walk(classes):
        names = tuple(classes.fields[i] for i in chosen)
        number = len(merged.sizes)
        average = number / classes.records if classes.records else None
        uniques = int((merged.sizes == 1).sum())
        yield Combination(names, number, uniques, average, int(minimal.sum())), chosen, minimal


def _walk(classes: Classes) -> Iterator[tuple[Chosen, _Merged, BoolArray]]:
    """Yield combinations with their classes and minimal flags, from all fields to single ones."""
    q = len(classes.fields)
    uniques = np.flatnonzero(classes.sizes == 1)
    if q > _MOST_FIELDS or math.comb(q, q // 2) * len(uniques) > _MOST_FLAGS:
        raise NotEstimableError(
            f"{2**q - 1:,} combinations of {q} fields over {len(uniques):,} unique records are too many: choose fewer "
            f"fields."
        )
    whole = _Merged({i: classes.codes[:, i] for i in range(q)}, classes.sizes, uniques)
    level: dict[Chosen, _Merged] = {tuple(range(q)): whole} if q else {}
    while level:
        below = _next_level(classes, level)
        alone = {chosen: merged.alone for chosen, merged in below.items()}
        for chosen, merged in level.items():
            minimal = merged.alone
            for part in combinations(chosen, len(chosen) - 1):
                minimal = minimal & ~alone[part] if part else minimal
            yield chosen, merged, minimal
        level = below


def _next_level(classes: Classes, level: dict[Chosen, _Merged]) -> dict[Chosen, _Merged]:
    """Leave out one field in every way."""
    width = len(next(iter(level))) - 1
    if not width:
        return {}
    below = {}
    for chosen in combinations(range(len(classes.fields)), width):
        holders = [merged for whole, merged in level.items() if set(chosen) <= set(whole)]
        below[chosen] = _merge(min(holders, key=lambda merged: len(merged.sizes)), chosen, classes.values)
    return below


def _merge(merged: _Merged, chosen: Chosen, values: tuple[int, ...]) -> _Merged:
    columns = [merged.columns[i] for i in chosen]
    group, number = number_groups(columns, [values[i] for i in chosen], len(merged.sizes))
    row = np.zeros(number, dtype=np.int64)
    row[group] = np.arange(len(group))
    sizes = np.bincount(group, weights=merged.sizes, minlength=number).astype(np.int64)
    kept = {i: column[row] for i, column in zip(chosen, columns, strict=True)}
    return _Merged(kept, sizes, group[merged.place])
