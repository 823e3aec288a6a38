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
from policy_sim.microdata.classes import Classes
from policy_sim.microdata.marginals import Chosen, Counted, Listed, marginal

__all__ = ["Combination", "walk_combinations"]

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
        number = merged.number
        average = number / classes.records if classes.records else None
        uniques = int(np.count_nonzero(merged.sizes == 1))
        yield Combination(names, number, uniques, average, int(minimal.sum())), chosen, minimal


def _walk(classes: Classes) -> Iterator[tuple[Chosen, Listed | Counted, BoolArray]]:
    """Yield combinations with their classes and minimal flags, from all fields to single ones."""
    q = len(classes.fields)
    uniques = np.flatnonzero(classes.sizes == 1)
    if q > _MOST_FIELDS or math.comb(q, q // 2) * len(uniques) > _MOST_FLAGS:
        raise NotEstimableError(
            f"{2**q - 1:,} combinations of {q} fields over {len(uniques):,} unique records are too many: choose fewer "
            f"fields."
        )
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


def _alone(merged: Listed | Counted) -> BoolArray:
    return np.asarray(merged.sizes[merged.place] == 1)


def _next_level(q: int, level: dict[Chosen, Listed | Counted]) -> dict[Chosen, Listed | Counted]:
    """Leave out one field in every way, each time from the smallest that holds the rest."""
    width = len(next(iter(level))) - 1
    if not width:
        return {}
    below = {}
    for chosen in combinations(range(q), width):
        holders = [merged for whole, merged in level.items() if set(chosen) <= set(whole)]
        below[chosen] = min(holders, key=lambda merged: merged.entries).on(chosen)
    return below
