"""What is left of a file's use: entropy, missing values, and how far each variable has moved.

Entropy speaks of generalization alone and missing values of suppression alone, so that the two together give the whole
picture (El Emam and Arbuckle 2013, chapter 2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from policy_sim.arrays import BoolArray, FloatArray
from policy_sim.deidentify.coded_columns import CodedColumn, CodedTable

__all__ = ["Distance", "Missingness", "distance_of", "entropy_loss", "missingness"]

_DIGITS = 12  # sums of shares are not exact beyond


@dataclass(frozen=True)
class Missingness:
    """Missing values before and after, as shares of the records and of the cells of the file before.

    Parameters
    ----------
    records_before, records_after : Share of records with a missing key value; a record that is gone misses all.
    cells_before, cells_after : Share of key cells without a value.
    """

    records_before: float
    records_after: float
    cells_before: float
    cells_after: float

    @property
    def records_lost(self) -> float:
        """What de-identification adds, by record."""
        return self.records_after - self.records_before

    @property
    def cells_lost(self) -> float:
        """What de-identification adds, by cell."""
        return self.cells_after - self.cells_before


def missingness(before: CodedTable, after: CodedTable, rows: BoolArray, fields: Sequence[str]) -> Missingness:
    """Compare the missing key values of a file before and after.

    Parameters
    ----------
    before : The file as it was.
    after : The released records, in the same order; a field that is gone from it misses every value.
    rows : Which records of the file before are released.
    fields : The key fields.

    Examples
    --------
    The example of chapter 2: of 100 records 3, 5 and 7 miss the first field, and suppression takes the second from
    5, 10 and 18. By record 3% become 5%, by cell 1.5% become 3%.

    >>> a = ["" if i in (3, 5, 7) else "x" for i in range(1, 101)]
    >>> b = ["" if i in (5, 10, 18) else "y" for i in range(1, 101)]
    >>> before = CodedTable({"a": CodedColumn.of(a), "b": CodedColumn.of(["y"] * 100)})
    >>> after = CodedTable({"a": CodedColumn.of(a), "b": CodedColumn.of(b)})
    >>> found = missingness(before, after, np.ones(100, dtype=bool), ["a", "b"])
    >>> round(found.records_lost, 4), round(found.cells_lost, 4)
    (0.02, 0.015)
    """
    none_before = np.stack([before[name].codes == 0 for name in fields], axis=1)
    none_after = np.ones_like(none_before)
    for at, name in enumerate(fields):
        if name in after.names:
            none_after[rows, at] = after[name].codes == 0
    return Missingness(
        float(none_before.any(axis=1).mean()),
        float(none_after.any(axis=1).mean()),
        float(none_before.mean()),
        float(none_after.mean()),
    )


def entropy_loss(before: CodedTable, after: CodedTable, fields: Sequence[str]) -> float | None:
    """Return the information lost by generalization, as a share of all there was; None where there was none.

    For each record and field it is the surprise at the value before, for someone who knows the value after:
    ``-log2 Pr(before | after)``. The most is that of someone who knows neither.

    Parameters
    ----------
    before : The released records as they were.
    after : The same records as they are released; a field that is gone tells nothing.
    fields : The key fields.

    Examples
    --------
    Four ages become two classes of two: one bit of two is lost.

    >>> ages = CodedTable({"age": CodedColumn.of(["30", "31", "40", "41"])})
    >>> entropy_loss(ages, CodedTable({"age": CodedColumn.of(["30-39", "30-39", "40-49", "40-49"])}), ["age"])
    0.5

    References
    ----------
    El Emam et al. (2009), JAMIA 16:670, non-uniform entropy; records and cells that are suppressed do not count.
    """
    lost = most = 0.0
    for name in fields:
        own = before[name].codes.astype(np.int64)
        seen = after[name].codes.astype(np.int64) if name in after.names else np.zeros_like(own)
        nonempty = (own > 0) & ((seen > 0) if name in after.names else True)
        own, seen = own[nonempty], seen[nonempty]
        if not len(own):
            continue
        both = np.unique(own * (int(seen.max()) + 1) + seen, return_counts=True)[1]
        lost += _bits(np.bincount(seen)) - _bits(both)
        most += _bits(np.array([len(own)])) - _bits(np.bincount(own))
    return float(lost / most) if most > 0 else None


def _bits(counts: np.ndarray) -> float:
    """Return the sum of n log2 n."""
    positive: FloatArray = counts[counts > 0].astype(np.float64)
    return float((positive * np.log2(positive)).sum())


@dataclass(frozen=True)
class Distance:
    """How far a variable has moved, from 0 (as before) to 1 (nothing in common).

    Parameters
    ----------
    field : The variable.
    kind : ``shares`` (half the sum of absolute differences) or ``numbers`` (largest gap of the cumulative shares).
    distance : The distance; None where no value is left.
    mean_before, mean_after : Of numbers, else None.
    """

    field: str
    kind: str
    distance: float | None
    mean_before: float | None = None
    mean_after: float | None = None


def distance_of(
    field: str, before: CodedColumn, after: CodedColumn, labels: Mapping[str, str] | None = None
) -> Distance:
    """Compare the values of a variable before and after; missing values are left out.

    Parameters
    ----------
    field : The variable.
    before, after : Its values in the file and in the release.
    labels : What each value before is called after, where the variable is generalized: the comparison is then of the
        generalized values, and shows what suppression alone has moved.

    Examples
    --------
    >>> distance_of("sex", CodedColumn.of(["F", "M"]), CodedColumn.of(["F"])).distance
    0.5
    """
    ours = _shares(before, labels or {})
    theirs = _shares(after, {})
    if not theirs or not ours:
        return Distance(field, "shares", None)
    numbers = None if labels else _as_numbers([*ours, *theirs])
    if numbers is not None:
        order = sorted({*ours, *theirs}, key=lambda text: numbers[text])
        gaps = np.cumsum([ours.get(text, 0.0) - theirs.get(text, 0.0) for text in order])
        means = [sum(numbers[text] * share for text, share in file_shares.items()) for file_shares in (ours, theirs)]
        return Distance(field, "numbers", round(float(np.abs(gaps).max()), _DIGITS), means[0], means[1])
    every = {*ours, *theirs}
    moved = sum(abs(ours.get(text, 0.0) - theirs.get(text, 0.0)) for text in every) / 2
    return Distance(field, "shares", round(moved, _DIGITS))


def _shares(column: CodedColumn, labels: Mapping[str, str]) -> dict[str, float]:
    counts = np.bincount(column.codes, minlength=len(column.values) + 1)[1:]
    total = int(counts.sum())
    shares: dict[str, float] = {}
    for text, count in zip(column.values, counts, strict=True):
        if count:
            name = labels.get(text, text)
            shares[name] = shares.get(name, 0.0) + float(count) / total
    return shares


def _as_numbers(texts: Sequence[str]) -> dict[str, float] | None:
    try:
        numbers = {text: float(text) for text in texts}
    except ValueError:
        return None
    return numbers if all(np.isfinite(number) for number in numbers.values()) else None
