"""How the risk of a release is spread over its records: mean and 95th percentile, by race, sex and age."""

from __future__ import annotations

from typing import Any

import numpy as np

from policy_sim.formulas.match_levels import upper_percentile
from policy_sim.records.census_values import BIRTH_FIELDS, RACE_FIELDS, known_field
from policy_sim.records.own_chances import MIN_GROUP, SMALL_GROUPS
from policy_sim.release.run import Run
from policy_sim.release.targets import class_of_rows
from policy_sim.words.arrays import FloatArray, IntArray


def risk_spread(run: Run) -> list[dict[str, Any]]:
    """Return the mean and the 95th percentile of the risk of the released records, of all and by who they are.

    One row per value of a released column of race, sex, or age or birth: ``by`` (the column), ``value`` as it is
    released, ``records``, and of their own risks in the file, 1 over the size of their class, ``mean`` and
    ``percentile`` (0..1), ``_before`` and ``_after``. Values of fewer than :data:`MIN_GROUP` records are put together.
    Empty where people have several rows, whose risk is not one of a row.
    """
    rows = run.deidentified.rows
    if run.inputs.treatment.known or not run.written.rows:
        return []
    fields = [variable.name for variable in run.inputs.treatment.searched]
    before, after = (
        _own_risk(*class_of_rows(run.inputs.table, fields))[rows],
        _own_risk(*class_of_rows(run.written, fields)),
    )
    found = [_figures("all", "all", before, after)]
    for name in fields:
        if known_as(name) and name in run.written.names:
            column = run.written[name]
            found += _by_value(name, column.texts(), before, after)
    return found


def known_as(column: str) -> bool:
    """Return whether a column is one of race, sex, or age or birth.

    >>> known_as("race"), known_as("zip5")
    (True, False)
    """
    return known_field(column) in ("sex", *RACE_FIELDS, *BIRTH_FIELDS)


def _own_risk(group: IntArray, classes: int) -> FloatArray:
    """Return the risk of each row: 1 over the records of its class."""
    risk: FloatArray = 1 / np.bincount(group, minlength=classes)[group]
    return risk


def _by_value(name: str, texts: np.ndarray, before: FloatArray, after: FloatArray) -> list[dict[str, Any]]:
    values, of_row, many = np.unique(np.asarray(texts, dtype=str), return_inverse=True, return_counts=True)
    small = many < MIN_GROUP
    rows = [
        _figures(name, str(values[at]) or "missing", before[of_row == at], after[of_row == at])
        for at in np.flatnonzero(~small).tolist()
    ]
    if small.any():
        rest = small[of_row]
        rows.append(_figures(name, SMALL_GROUPS, before[rest], after[rest]))
    return rows


def _figures(by: str, value: str, before: FloatArray, after: FloatArray) -> dict[str, Any]:
    ends = {"before": before, "after": after}
    one_each = np.ones(len(after))
    return {
        "by": by,
        "value": value,
        "records": len(after),
        **{f"mean_{when}": float(risks.mean()) for when, risks in ends.items()},
        **{f"percentile_{when}": upper_percentile(risks, one_each) for when, risks in ends.items()},
    }
