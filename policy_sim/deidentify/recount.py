"""Count the risk of a released file again, from its texts alone.

This module does not use how the file was made: classes are rows with the same texts. A release must pass this check
before the program reports success.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from policy_sim.arrays import IntArray
from policy_sim.deidentify.coded_columns import CodedTable
from policy_sim.deidentify.risk_targets import RiskTarget, measured_risk
from policy_sim.records.classes import number_groups
from policy_sim.records.prosecutor import Threshold

__all__ = ["ReleaseRisk", "class_of_rows", "recounted", "risk_of_classes"]


@dataclass(frozen=True)
class ReleaseRisk:
    """The classes of a released file, and its risks.

    Parameters
    ----------
    records : Number of records in the file, or of people if the person of each row is known.
    rows : Number of rows in the file.
    sizes : Records in each class.
    people : People of the population in each class; the records without a population.
    smallest : Records in the smallest class; None for a file without rows.
    uniques : Records that are alone in their class.
    maximum, average : Largest and mean risk over the records of the file.
    population_maximum, marketer : The same for classes of the people of the population.
    """

    records: int
    rows: int
    sizes: IntArray = field(repr=False)
    people: IntArray = field(repr=False)
    smallest: int | None
    uniques: int
    maximum: float | None
    average: float | None
    population_maximum: float | None
    marketer: float | None

    def meets(self, target: RiskTarget) -> bool:
        """Return whether the file meets a target."""
        return target.is_met(self.sizes, self.people)

    def risk(self, target: RiskTarget) -> float | None:
        """Return the risk by a target's measure; None for a file without rows."""
        size = target.size_of(self.sizes, self.people)
        return measured_risk(target.measure, self.sizes, size, target.cutoff)

    def strict_average(self, cutoff: Threshold) -> float | None:
        """Return the mean risk, or the largest risk if it is above the cut-off."""
        return measured_risk("strict-average", self.sizes, self.sizes, cutoff)


def class_of_rows(table: CodedTable, fields: Sequence[str]) -> tuple[IntArray, int]:
    """Return the class of each row on some fields, and the number of classes; all rows are one class on no field."""
    columns = [table[name] for name in fields if name in table.names]
    if not columns:
        return np.zeros(table.rows, dtype=np.int64), min(table.rows, 1)
    return number_groups(
        [column.codes.astype(np.int64) for column in columns], [len(column.values) for column in columns], table.rows
    )


def recounted(
    table: CodedTable,
    fields: Sequence[str],
    whose: IntArray | None = None,
    people_by_text: Mapping[tuple[str, ...], int] | None = None,
) -> ReleaseRisk:
    """Count the classes of a released file.

    Parameters
    ----------
    table : The released file.
    fields : Its key fields; a field that is not released has no effect.
    whose : A number for the person of each row; by default each row is a person.
    people_by_text : People of the population for each combination of the fields' texts.

    Examples
    --------
    >>> from policy_sim.deidentify.coded_columns import CodedColumn
    >>> table = CodedTable({"sex": CodedColumn.of(["F", "F", "M"])})
    >>> risk = recounted(table, ["sex"])
    >>> risk.smallest, risk.uniques, risk.maximum, round(risk.average, 3)
    (1, 1, 1.0, 0.667)
    """
    number, classes = class_of_rows(table, fields)
    sizes = np.bincount(number, minlength=classes).astype(np.int64)
    records = table.rows
    if whose is not None:
        pairs = np.unique(np.stack([number, whose]), axis=1)
        sizes, records = np.bincount(pairs[0], minlength=classes).astype(np.int64), len(np.unique(whose))
    people = sizes
    if people_by_text is not None:
        first = np.zeros(classes, dtype=np.int64)
        first[number[::-1]] = np.arange(table.rows)[::-1]
        texts = [table[name].texts()[first] for name in fields]
        people = np.array([people_by_text.get(key, 0) for key in zip(*texts, strict=True)], dtype=np.int64)
        people = np.maximum(people, sizes)
    return risk_of_classes(sizes, people, records, table.rows)


def risk_of_classes(sizes: IntArray, people: IntArray, records: int, rows: int) -> ReleaseRisk:
    """Return the risk of classes.

    Parameters
    ----------
    sizes : Records in each class; an empty class does not count.
    people : People of the population in each class.
    records, rows : Number of records (or people) and of rows in the file.
    """
    released = sizes > 0
    sizes, people = sizes[released], np.maximum(people, sizes)[released]
    return ReleaseRisk(
        records,
        rows,
        sizes,
        people,
        int(sizes.min()) if len(sizes) else None,
        int(sizes[sizes == 1].sum()),
        measured_risk("maximum", sizes, sizes),
        measured_risk("average", sizes, sizes),
        measured_risk("maximum", sizes, people),
        measured_risk("average", sizes, people),
    )
