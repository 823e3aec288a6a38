"""Attack shifted dates: a person's dates that moved by different days, and a date that did not move at all."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import product

import numpy as np

from policy_sim.records.dates import ISO, read_dates
from policy_sim.records.formats import CodedColumn, CodedTable
from policy_sim.release.attack.report import Finding
from policy_sim.release.deidentified import Treatment
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import InputError

_NEARLY_ALL = 0.98  # of the values are dates
_FEWEST = 3  # rows
_MIDDLE = (5, 95)  # percent of the rows


def attack_shifts(
    original: CodedTable, written: CodedTable, treatment: Treatment, names: Collection[str], people: IntArray
) -> Iterator[Finding]:
    """Find dates by which the shift of a person is narrowed down, and dates whose order the release turns.

    Parameters
    ----------
    original, written : The file before and after, with the same rows.
    treatment : What the release does, with the largest shift.
    names : Columns that leave as they are on somebody's word.
    people : The person of each row; shape (rows,).
    """
    forms = {variable.name: variable.format for variable in treatment.variables}
    shifted = {
        v.name: (days_of(original[v.name], v.format), days_of(written[v.name]))
        for v in treatment.variables
        if v.treatment == "shift"
    }
    if not shifted:
        return
    yield from _several_shifts(shifted, people)
    still = {name: days for name in names if (days := days_of(written[name], forms[name])) is not None}
    for (name, days), (hidden, (before, after)) in product(still.items(), shifted.items()):
        if before is None or after is None:
            continue
        apart = (days - before)[np.isfinite(days - before)]
        if len(apart) < _FEWEST:
            continue
        low, high = np.percentile(apart, _MIDDLE)
        if high - low >= 2 * treatment.shift_days:
            continue
        turned = int((np.sign(days - before) * np.sign(days - after) < 0).sum())
        order = f", and {turned:,} rows have the two dates in the wrong order" if turned else ""
        what = (
            f"its dates do not move with {hidden}. The days between the two differ by {round(high - low):,} in 9 of 10 "
            f"rows, less than the {2 * treatment.shift_days:,} of a shift, so they show much of it{order}"
        )
        yield Finding((name,), what, f"Shift {name} too (treatment shift), or leave it out (role direct)")


def _several_shifts(
    shifted: dict[str, tuple[FloatArray | None, FloatArray | None]], people: IntArray
) -> Iterator[Finding]:
    """Find people whose dates moved by different days: two dates of one person then show a wrong interval."""
    pairs = [(before, after) for before, after in shifted.values() if before is not None and after is not None]
    if not pairs:
        return
    moved = np.concatenate([after - before for before, after in pairs])
    whose = np.tile(np.unique(people, return_inverse=True)[1], len(pairs))
    known = np.isfinite(moved)
    if not known.any():
        return
    least = np.full(int(whose.max()) + 1, np.inf)
    most = np.full(len(least), -np.inf)
    np.minimum.at(least, whose[known], moved[known])
    np.maximum.at(most, whose[known], moved[known])
    if wrong := int((most > least).sum()):
        what = f"the dates of {wrong:,} {'person' if wrong == 1 else 'people'} moved by different numbers of days"
        yield Finding(tuple(shifted), what, "Run the release again")


def days_of(column: CodedColumn, form: str = ISO) -> FloatArray | None:
    """Return the day of each row as a number, NaN without one; None where a column does not have dates to the day."""
    if not column.values:
        return None
    try:
        dates, _ = read_dates("", column.values, form)
    except InputError:
        return None
    if sum(day is not None for day in dates) < _NEARLY_ALL * len(dates):
        return None
    return np.array([np.nan, *(np.nan if day is None else float(day.toordinal()) for day in dates)])[column.codes]
