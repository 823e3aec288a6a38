"""What a class reveals about sensitive values, even without a match of a record: l-diversity and t-closeness."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from policy_sim.arrays import BoolArray, FloatArray, IntArray
from policy_sim.deidentify.coded_columns import CodedColumn

__all__ = ["SensitiveRisk", "sensitive_risk"]


@dataclass(frozen=True)
class SensitiveRisk:
    """How much the classes of a file reveal about one sensitive column.

    Parameters
    ----------
    field : The sensitive column.
    distinct : Fewest different values in a class (distinct l-diversity).
    entropy : Smallest effective number of values in a class: the exponential of its entropy.
    closeness : Largest distance of a class's distribution from that of all released records, 0 to 1 (t-closeness).
    disclosed_records : Records in classes with only one value: whoever identifies the class knows the value.
    records : Number of records in the figures.
    """

    field: str
    distinct: int
    entropy: float
    closeness: float
    disclosed_records: int
    records: int


def sensitive_risk(field: str, column: CodedColumn, group: IntArray, *, ordered: bool = False) -> SensitiveRisk | None:
    """Measure one sensitive column; None where there is no record.

    Parameters
    ----------
    field : The column's name.
    column : The sensitive values of the released records; missing is a value.
    group : The class of each record, from 0 on.
    ordered : Whether values are numbers, with distances along their order. Otherwise all values are equally far apart.

    Examples
    --------
    Of two classes with two records, one has a single value and the other has two. Overall, three quarters have that
    value.

    >>> risk = sensitive_risk("illness", CodedColumn.of(["flu", "flu", "flu", "hiv"]), np.array([0, 0, 1, 1]))
    >>> risk.distinct, risk.disclosed_records, risk.closeness
    (1, 2, 0.25)

    References
    ----------
    Machanavajjhala et al. (2007), ACM TKDD 1:3; Li, Li and Venkatasubramanian (2007), ICDE, for the earth mover's
    distance with equal and with ordered distances.
    """
    records = len(group)
    if not records:
        return None
    codes = _in_order(column) if ordered else column.codes.astype(np.int64)
    values = int(codes.max()) + 1
    pairs, counts = np.unique(group * values + codes, return_counts=True)
    of_pair = pairs // values
    sizes = np.bincount(group)
    shares = counts / sizes[of_pair]
    distinct = np.bincount(of_pair, minlength=len(sizes))
    entropy = np.bincount(of_pair, weights=-shares * np.log(shares), minlength=len(sizes))
    nonempty: BoolArray = sizes > 0
    return SensitiveRisk(
        field,
        int(distinct[nonempty].min()),
        float(np.exp(entropy[nonempty].min())),
        _closeness(of_pair, pairs % values, shares, np.bincount(codes, minlength=values) / records, ordered=ordered),
        int(sizes[nonempty & (distinct == 1)].sum()),
        records,
    )


def _in_order(column: CodedColumn) -> IntArray:
    """Rank the values by size; texts that are not numbers, and missing values, come first."""

    def number(text: str) -> float:
        try:
            return float(text)
        except ValueError:
            return -np.inf

    order = np.argsort([number(text) for text in column.values], kind="stable")
    rank = np.zeros(len(column.values) + 1, dtype=np.int64)
    rank[order + 1] = np.arange(1, len(order) + 1)
    return rank[column.codes]


def _closeness(of_pair: IntArray, code: IntArray, shares: FloatArray, overall: FloatArray, *, ordered: bool) -> float:
    """Return the largest distance of a class from the whole file."""
    if not ordered:  # half the absolute differences; a value that the class lacks differs by its overall share
        excess = np.maximum(shares - overall[code], 0)
        return float(np.bincount(of_pair, weights=excess).max())
    used = np.flatnonzero(overall)
    steps = max(len(used) - 1, 1)
    cumulative = np.cumsum(overall[used])
    place = np.searchsorted(used, code)
    farthest = 0.0
    starts = np.flatnonzero(np.r_[True, of_pair[1:] != of_pair[:-1]])
    for start, end in zip(starts, [*starts[1:], len(of_pair)], strict=True):
        mine = np.zeros(len(used))
        mine[place[start:end]] = shares[start:end]
        farthest = max(farthest, float(np.abs(np.cumsum(mine) - cumulative)[:-1].sum()) / steps)
    return farthest
