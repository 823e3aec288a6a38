"""What use is left of a released file: missing values, entropy, distances, and analyses and models of one's own."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from policy_sim.records.formats import CodedColumn, CodedTable
from policy_sim.release.conditions import number_of
from policy_sim.release.targets import class_of_rows
from policy_sim.words.arrays import BoolArray, FloatArray
from policy_sim.words.errors import InputError, UnknownNameError, missing_package

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# Entropy measures generalization only, and missing values measure suppression only, so the two belong together (El Emam
# and Arbuckle 2013, chapter 2).


_DIGITS = 12  # sums of shares are not exact beyond this


def missingness(before: CodedTable, after: CodedTable, rows: BoolArray, fields: Sequence[str]) -> dict[str, float]:
    """Return the shares of the original records with a missing key value, and of key cells without one.

    Before, after, and what the release added: a suppressed record misses all values, and a field that is not released
    misses every value. ``at_random``: the share of records after, if the fields missed their values independently.
    """
    none_before = np.stack([before[name].codes == 0 for name in fields], axis=1)
    none_after = np.ones_like(none_before)
    for at, name in enumerate(fields):
        if name in after.names:
            none_after[rows, at] = after[name].codes == 0
    shares = {
        "records_before": float(none_before.any(axis=1).mean()),
        "records_after": float(none_after.any(axis=1).mean()),
        "cells_before": float(none_before.mean()),
        "cells_after": float(none_after.mean()),
    }
    shares["at_random"] = lost_at_random(none_after.mean(axis=0))
    return shares | {f"{of}_lost": shares[f"{of}_after"] - shares[f"{of}_before"] for of in ("records", "cells")}


def lost_at_random(missing: FloatArray) -> float:
    """Return the share of records with a missing value, if each field misses its values independently of the others.

    Parameters
    ----------
    missing : Share (0..1) of the records that miss each field; shape (fields,).

    Returns
    -------
    ``1 - prod(1 - missing)``: what an analysis of complete cases loses. Values that are missing in the same records
    lose fewer, down to the largest share, and others more, up to the sum.

    Examples
    --------
    Ten fields that each miss 2% of their values lose 18.3% of the records; five that miss 10%, 41%.

    >>> round(lost_at_random(np.full(10, 0.02)), 3), round(lost_at_random(np.full(5, 0.1)), 2)
    (0.183, 0.41)

    References
    ----------
    El Emam and Arbuckle (2013), Anonymizing Health Data, chapter 2, missingness.
    """
    return float(1 - np.prod(1 - missing))


def entropy_loss(before: CodedTable, after: CodedTable, fields: Sequence[str]) -> float | None:
    """Return the information lost by generalization, as a share of all information; None if there was none.

    The loss of each record and field is the surprise at its original value for someone who knows the released value:
    ``-log2 Pr(before | after)``. The share is relative to the loss for someone who knows no released value.

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


def distance_of(before: CodedColumn, after: CodedColumn) -> tuple[float | None, tuple[float, float] | None]:
    """Return how far the values of a variable move, from 0 (unchanged) to 1 (nothing in common); None if none is left.

    Of shares it is half the sum of absolute differences; of numbers, whose means before and after follow, the largest
    gap of the cumulative shares. Missing values do not count.
    """
    ours, theirs = _shares(before), _shares(after)
    if not theirs or not ours:
        return None, None
    numbers = _as_numbers([*ours, *theirs])
    order = sorted({*ours, *theirs}, key=lambda text: numbers[text] if numbers else 0)
    gaps = np.array([ours.get(text, 0.0) - theirs.get(text, 0.0) for text in order])
    if numbers is None:
        return round(float(np.abs(gaps).sum()) / 2, _DIGITS), None
    mine, other = (sum(numbers[text] * share for text, share in held.items()) for held in (ours, theirs))
    return round(float(np.abs(np.cumsum(gaps)).max()), _DIGITS), (mine, other)


def _shares(column: CodedColumn) -> dict[str, float]:
    rows = column.rows_of_values()
    total = sum(rows.values())
    return {text: number / total for text, number in rows.items() if number}


def _as_numbers(texts: Sequence[str]) -> dict[str, float] | None:
    numbers = {text: number_of(text) for text in texts}
    return None if np.isnan(list(numbers.values())).any() else numbers


# A label at a coarse level counts in equal parts as each of the original values that it stands for, as whoever gets the
# file would take it.


_MOST_VALUES = 1_000  # of a field whose pairs are compared
_MOST_CELLS = 4_000_000  # of two fields, counted as one array
_MOST_ROWS = 30_000  # that models see
_TRAINED = 0.7
_MOST_COMMON = 40  # values of a field that a model tells apart


def stands_for(own: CodedColumn, seen: CodedColumn) -> csr_array:
    """Return for each text of a released column, missing first, the share of each original value of its rows."""
    from scipy.sparse import csr_array, diags_array

    width = len(own.values) + 1
    pairs = np.unique(seen.codes.astype(np.int64) * width + own.codes)
    shape = (len(seen.values) + 1, width)
    stands = csr_array((np.ones(len(pairs)), (pairs // width, pairs % width)), shape=shape)
    return csr_array(diags_array(1 / np.maximum(stands.sum(axis=1), 1)) @ stands)


def bits_and_classes(
    before: CodedTable, after: CodedTable, rows: BoolArray, fields: Sequence[str]
) -> tuple[float, float]:
    """Return the share of the bits of fields that a release keeps, and the mean share of the file in a record's class.

    A suppressed row shows ``*`` in every field, and counts the whole file as its class (discernibility).
    """
    lost = most = 0.0
    for name in fields:
        own, texts = before[name], ("", *after[name].values)
        seen = np.full(before.rows, texts.index("*") if "*" in texts else len(texts), dtype=np.int64)
        seen[rows] = after[name].codes
        pairs = np.unique(seen * (len(own.values) + 1) + own.codes, return_counts=True)[1]
        lost += _bits(np.bincount(seen)) - _bits(pairs)
        most += _bits(np.array([before.rows])) - _bits(np.bincount(own.codes))
    number, classes = class_of_rows(after, fields)
    sizes = np.bincount(number, minlength=classes).astype(np.float64)
    suppressed = float(before.rows - after.rows) * before.rows
    return float(1 - lost / most) if most else 1.0, float(sizes @ sizes + suppressed) / max(before.rows, 1) ** 2


def analysis_change(
    analysis: UserAnalysis,
    before: CodedTable,
    after: CodedTable,
    rows: BoolArray,
    labels: Mapping[str, Mapping[str, str]],
    fields: Sequence[str],
) -> float:
    """Return the mean relative change of the groups of an analysis, each 0 to 1; of a model, what it lacks to 1.

    A group in one of the files only changes by 1.
    """
    if analysis.statistic == "model":
        return 1 - (model_scores(analysis, before, after, rows, analysis.by or fields)[1] or 0.0)
    changes = [
        1.0 if ours is None or theirs is None else min(abs(theirs - ours) / (abs(ours) or 1.0), 1.0)
        for _, ours, theirs in analysis.rows(before, after, labels)
    ]
    return float(np.mean(changes)) if changes else 1.0


def moved_pairs(before: CodedTable, after: CodedTable, rows: BoolArray, fields: Sequence[str]) -> list[dict[str, Any]]:
    """Return how far the distribution of each field, paired with itself, and of each two moves, from 0 to 1.

    Half the sum of absolute differences, of a file from its release, where ``rows`` were released. A field of more than
    1,000 values is paired with itself only.
    """
    from scipy.sparse import csr_array, diags_array

    held = before.take(rows)
    fields = [name for name in fields if name in after.names]
    stands = {name: stands_for(held[name], after[name]) for name in fields}

    def counted(table: CodedTable, first: str, second: str) -> csr_array:
        shape = (len(table[first].values) + 1, len(table[second].values) + 1)
        pairs = table[first].codes.astype(np.int64) * shape[1] + table[second].codes
        if shape[0] * shape[1] > _MOST_CELLS:
            return csr_array((np.full(table.rows, 1 / table.rows), divmod(pairs, shape[1])), shape=shape)
        return csr_array(np.bincount(pairs, minlength=shape[0] * shape[1]).reshape(shape) / table.rows)

    moved = []
    for first, second in itertools.combinations_with_replacement(fields if after.rows else [], 2):
        if first != second and max(len(before[name].values) for name in (first, second)) > _MOST_VALUES:
            continue
        theirs = counted(after, first, second)
        if first == second:
            guessed = diags_array(theirs.diagonal() @ stands[first])
        else:
            guessed = stands[first].T @ theirs @ stands[second]
        distance = float(abs(counted(before, first, second) - csr_array(guessed)).sum()) / 2
        moved.append({"one": first, "other": second, "distance": round(distance, _DIGITS)})
    return moved


def model_scores(
    analysis: UserAnalysis, before: CodedTable, after: CodedTable, rows: BoolArray, fields: Sequence[str]
) -> tuple[float | None, float | None, str]:
    """Return how well models trained on original rows, and on those rows as released, do; or why nobody can tell.

    The figure is the area under the ROC curve of the better of logistic regression and boosted trees, on the 30% of
    the original rows that no model has seen.
    """
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
        from sklearn.linear_model import LogisticRegression
        from sklearn.metrics import roc_auc_score
        from threadpoolctl import threadpool_limits
    except ImportError:
        return None, None, missing_package("a model", "scikit-learn", "scholar")
    fields = [name for name in fields if name in after.names and name != analysis.of]
    order = np.random.default_rng(1).permutation(before.rows)[:_MOST_ROWS]
    train, test = np.split(order, [round(_TRAINED * len(order))])
    used = train[rows[train]]
    as_released = (np.cumsum(rows) - 1)[used]
    outcome = before[analysis.of].texts() == analysis.value
    if not fields or any(len(np.unique(outcome[part])) < 2 for part in (used, test)):
        return None, None, f"{analysis.of} or the fields have one value among the rows"
    if (after[analysis.of].texts()[as_released] != before[analysis.of].texts()[used]).any():
        return None, None, f"{analysis.of} is not released as it is"
    original, released, aside = [], [], []
    for name in fields:
        numbers, own = _as_features(before[name]), before[name].codes
        seen = after[name].take(as_released)
        original.append(numbers[own[train]])
        released.append((stands_for(before[name].take(used), seen) @ numbers)[seen.codes])
        aside.append(numbers[own[test]])

    def score(columns: list[FloatArray], truth: BoolArray) -> float:
        models = (LogisticRegression(max_iter=1_000), HistGradientBoostingClassifier(random_state=1))
        fitted = (model.fit(np.hstack(columns), truth).predict_proba(np.hstack(aside))[:, 1] for model in models)
        return round(max(float(roc_auc_score(outcome[test], chance)) for chance in fitted), 6)

    with threadpool_limits(1):  # several threads wait for each other on a machine that others use
        return score(original, outcome[train]), score(released, outcome[used]), ""


def _as_features(column: CodedColumn) -> FloatArray:
    """Return what a model sees of a missing value and of each value: its number, or which of the common ones it is."""
    numbers = _as_numbers(column.values)
    if numbers is not None and len(column.values) > 2:
        read = np.array(list(numbers.values()))
        none = np.zeros(len(read) + 1)
        none[0] = 1
        return np.stack([np.append(0, (read - read.mean()) / read.std()), none], axis=1)
    common = np.argsort(-np.bincount(column.codes, minlength=len(column.values) + 1), kind="stable")[:_MOST_COMMON]
    return np.asarray(np.arange(len(column.values) + 1)[:, None] == common, dtype=np.float64)


STATISTICS = ("count", "mean", "median", "share", "model")


# One group of an analysis: its texts, and the statistic before and after; None if the group has no value.
AnalysisRow = tuple[tuple[str, ...], float | None, float | None]


@dataclass(frozen=True)
class UserAnalysis:
    """One of :data:`STATISTICS` of a column by groups, before and after: what the data are released for.

    A count has no column ``of``, and only a share and a model have a ``value``. No columns in ``by`` are the whole
    file, and to a model every key field. The loss of its fields counts ``keep`` times in a search, unless the release
    gives them weights of their own.
    """

    name: str
    statistic: str
    of: str = ""
    by: tuple[str, ...] = ()
    value: str = ""
    keep: float = 1.0

    def __post_init__(self) -> None:
        if self.statistic not in STATISTICS:
            raise UnknownNameError("statistic", self.statistic, STATISTICS)
        if self.statistic != "count" and not self.of:
            raise InputError(f"analysis {self.name}: name the column for the {self.statistic}.")
        if self.statistic in ("share", "model") and not self.value:
            raise InputError(f"analysis {self.name}: give the value for the {self.statistic}.")

    def check_released(self, before: CodedTable, after: CodedTable, names: Sequence[str]) -> None:
        """Refuse columns that are not released."""
        for name in names:
            if name not in after.names:
                before[name]  # a column that is not in the file has its own message
                raise InputError(f"analysis {self.name}: column {name} is not released. Choose another one.")

    def rows(self, before: CodedTable, after: CodedTable, labels: Mapping[str, Mapping[str, str]]) -> list[AnalysisRow]:
        """Return the statistic of each group before and after."""
        self.check_released(before, after, [*self.by, *filter(None, [self.of])])
        renamed = {
            name: before[name].relabeled(["", *(labels[name].get(text, text) for text in before[name].values)])
            for name in self.by
            if name in labels
        }
        ours, theirs = self._groups(before.with_columns(renamed)), self._groups(after)
        return [(key, ours.get(key), theirs.get(key)) for key in sorted({*ours, *theirs})]

    def _groups(self, table: CodedTable) -> dict[tuple[str, ...], float | None]:
        number, groups = class_of_rows(table, self.by)
        order = np.argsort(number, kind="stable")
        parts = np.split(order, np.cumsum(np.bincount(number, minlength=groups))[:-1]) if table.rows else []
        texts = [table[name].texts() for name in self.by]
        values = self._values(table)
        numbers = [values[part][~np.isnan(values[part])] for part in parts]
        figures = [_FIGURES[self.statistic](group) if len(group) else None for group in numbers]
        keys = (tuple(text[part[0]] for text in texts) for part in parts)
        return dict(zip(keys, figures, strict=True))

    def _values(self, table: CodedTable) -> FloatArray:
        """Return the number of each row; NaN if there is none."""
        if self.statistic == "count":
            return np.ones(table.rows)
        column = table[self.of]
        read = (lambda text: float(text == self.value)) if self.statistic == "share" else number_of
        return np.array([np.nan, *map(read, column.values)])[column.codes]


_FIGURES: Mapping[str, Callable[[FloatArray], float]] = {
    "count": lambda values: float(len(values)),
    "mean": lambda values: float(values.mean()),
    "median": lambda values: float(np.median(values)),
    "share": lambda values: float(values.mean()),
}
