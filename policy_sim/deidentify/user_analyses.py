"""The analysis for which the data are released, before and after: one statistic by groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from policy_sim.arrays import FloatArray
from policy_sim.deidentify.coded_columns import CodedTable
from policy_sim.errors import InputError, UnknownNameError
from policy_sim.records.classes import number_groups

__all__ = ["STATISTICS", "AnalysisRow", "UserAnalysis"]

STATISTICS = {
    "count": "records",
    "mean": "mean of a column of numbers",
    "median": "median of a column of numbers",
    "share": "share of the records with one value in a column",
}


@dataclass(frozen=True)
class AnalysisRow:
    """One group: its texts, and the statistic before and after; None if the group has no value."""

    group: tuple[str, ...]
    before: float | None
    after: float | None


@dataclass(frozen=True)
class UserAnalysis:
    """One statistic by groups.

    Parameters
    ----------
    name : Its name.
    statistic : One of :data:`STATISTICS`.
    of : The column, for every statistic except a count.
    by : Columns that define the groups; none for the whole file.
    value : The value, for a share.

    Raises
    ------
    UnknownNameError : a statistic that does not exist.
    InputError : a statistic without its column or value.

    Examples
    --------
    >>> from policy_sim.deidentify.coded_columns import CodedColumn
    >>> table = CodedTable({"sex": CodedColumn.of(list("FFM")), "days": CodedColumn.of(["1", "3", "5"])})
    >>> UserAnalysis("stay", "mean", "days", ("sex",)).rows(table, table, {})
    [AnalysisRow(group=('F',), before=2.0, after=2.0), AnalysisRow(group=('M',), before=5.0, after=5.0)]
    """

    name: str
    statistic: str
    of: str = ""
    by: tuple[str, ...] = ()
    value: str = ""

    def __post_init__(self) -> None:
        if self.statistic not in STATISTICS:
            raise UnknownNameError("statistic", self.statistic, STATISTICS)
        if self.statistic != "count" and not self.of:
            raise InputError(f"analysis {self.name}: name the column for the {self.statistic}.")
        if self.statistic == "share" and not self.value:
            raise InputError(f"analysis {self.name}: give the value for the share.")

    def rows(self, before: CodedTable, after: CodedTable, labels: Mapping[str, Mapping[str, str]]) -> list[AnalysisRow]:
        """Return the statistic of each group before and after.

        Parameters
        ----------
        before, after : The file and its release.
        labels : The labels of the values of each generalized column after the release, so that the groups are the same.

        Raises
        ------
        UnknownNameError : a column that is not in the file.
        InputError : a column that is not released.
        """
        lost_columns = [name for name in (*self.by, *([self.of] if self.of else [])) if name not in after.names]
        for name in lost_columns:
            before[name]  # a column that is not in the file has its own message
            raise InputError(f"analysis {self.name}: column {name} is not released. Choose another one.")
        renamed = {
            name: before[name].relabeled(["", *(labels[name].get(text, text) for text in before[name].values)])
            for name in self.by
            if name in labels
        }
        ours, theirs = self._groups(before.with_columns(renamed)), self._groups(after)
        return [AnalysisRow(key, ours.get(key), theirs.get(key)) for key in sorted({*ours, *theirs})]

    def _groups(self, table: CodedTable) -> dict[tuple[str, ...], float | None]:
        columns = [table[name] for name in self.by]
        number, groups = number_groups(
            [column.codes.astype(np.int64) for column in columns],
            [len(column.values) for column in columns],
            table.rows,
        )
        order = np.argsort(number, kind="stable")
        parts = np.split(order, np.cumsum(np.bincount(number, minlength=groups))[:-1]) if table.rows else []
        texts = [column.texts() for column in columns]
        values = self._values(table)
        figure = _FIGURES[self.statistic]
        return {tuple(text[part[0]] for text in texts): figure(values[part]) for part in parts}

    def _values(self, table: CodedTable) -> FloatArray:
        """Return the number of each row; NaN if there is none."""
        if self.statistic == "count":
            return np.ones(table.rows)
        column = table[self.of]
        if self.statistic == "share":
            numbers = [np.nan, *(float(text == self.value) for text in column.values)]
        else:
            numbers = [np.nan, *(_number(text) for text in column.values)]
        return np.array(numbers)[column.codes]


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return float("nan")
    return number if np.isfinite(number) else float("nan")


def _of_known(figure: Callable[[FloatArray], float]) -> Callable[[FloatArray], float | None]:
    def of(values: FloatArray) -> float | None:
        numbers = values[~np.isnan(values)]
        return float(figure(numbers)) if len(numbers) else None

    return of


_FIGURES: Mapping[str, Callable[[FloatArray], float | None]] = {
    "count": _of_known(lambda values: float(len(values))),
    "mean": _of_known(lambda values: float(values.mean())),
    "median": _of_known(lambda values: float(np.median(values))),
    "share": _of_known(lambda values: float(values.mean())),
}
