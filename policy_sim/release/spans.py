"""Find columns that leave as they are and are the days between two dates, such as a length of stay."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from policy_sim.records.formats import CodedColumn, CodedTable
from policy_sim.release.attack.report import Claim
from policy_sim.release.copies import decimal_of
from policy_sim.release.deidentified import Treatment
from policy_sim.release.shifts import days_of
from policy_sim.release.treatments import DATE_KINDS
from policy_sim.words.arrays import FloatArray

_NEARLY_ALL = 0.95  # rows in which a number is the days between two dates
_FEWEST, _DIFFERENT = 20, 3  # rows with both, and different numbers of days, before that means anything
_COUNTED_AS = (0.0, 1.0, -1.0)  # both ends of a stay may count, or neither
_MONTH = 31  # days: a rule that lets the year show hides in which month of it a day was
_LOOKED_AT = 2_000  # rows, the first ones, by which pairs of columns are chosen
_AT_ONCE = 40  # columns of numbers, and of dates, whose pairs are looked at


def spans(
    original: CodedTable,
    written: CodedTable,
    treatment: Treatment,
    claim: Claim,
    read_as: Mapping[str, tuple[str, str]],
) -> list[tuple[str, str, str]]:
    """Return the columns that are the days between two dates of which a release hides one or both.

    Each with a date that it shows, and what it says. Dates that are moved by as many days say the same of the days
    between them, and show no other day. Under a rule that lets the year of both dates show, only stays count that begin
    in one year and end in another: both days are then within the days of the stay around New Year.
    """
    if claim.rule and claim.dates == "day":
        return []
    variables = {variable.name: variable for variable in treatment.variables if variable.name in original.names}
    kinds = {n: (v.kind, v.format) if v.kind != "category" else read_as.get(n, ("", "")) for n, v in variables.items()}
    dated = [n for n, v in variables.items() if kinds[n][0] in DATE_KINDS and v.treatment not in ("shift", "pseudonym")]
    if claim.rule:
        dated = [name for name in dated if name in written.names]
    days = {n: of for n in dated[:_AT_ONCE] if (of := days_of(original[n], kinds[n][1])) is not None}
    numbers = {n: of for n in _kept(written, treatment) if n not in days and (of := _numbers(written[n])) is not None}
    found = dict[str, tuple[str, str, str]]()
    for first, last in combinations(days, 2):
        if variables[first].treatment == "keep" and variables[last].treatment == "keep":
            continue
        between = days[last] - days[first]
        for name, values in [*numbers.items()][:_AT_ONCE]:
            way = _way(values[:_LOOKED_AT], between[:_LOOKED_AT])
            if name in found or not way:
                continue
            one, other = (first, last) if way > 0 else (last, first)
            says = f"is the number of days from {one} to {other}"
            if claim.rule:
                near = _over_new_year(days[one], days[other])
                if not near:
                    continue
                says += f", which with their years shows the month of both in {near:,} row{'s' * (near != 1)}"
            found[name] = name, other, says
    return [*found.values()]


def _kept(written: CodedTable, treatment: Treatment) -> list[str]:
    return [v.name for v in treatment.variables if v.treatment == "keep" and v.name in written.names]


def _numbers(column: CodedColumn) -> FloatArray | None:
    """Return the number of each row, NaN without one; None where a value is no number."""
    numbers = [decimal_of(text.strip()) for text in column.values]
    if not numbers or not np.isfinite(numbers).all():
        return None
    return np.array([np.nan, *numbers])[column.codes]


def _way(values: FloatArray, between: FloatArray) -> int:
    """Return 1 where numbers are nearly always the days between two dates, -1 where they are those back, else 0."""
    both = np.isfinite(values) & np.isfinite(between)
    if both.sum() < _FEWEST:
        return 0
    values, between = values[both], between[both]
    for way in (1, -1):
        for more in _COUNTED_AS:
            same = values == way * between + more
            # a stay of no night counts as one day in many files
            same |= (between == 0) & (np.abs(values) <= 1)
            if same.mean() >= _NEARLY_ALL and len(np.unique(values[same & (between != 0)])) >= _DIFFERENT:
                return way
    return 0


def _over_new_year(first: FloatArray, last: FloatArray) -> int:
    """Return how many stays of less than a month begin in one year and end in another."""
    both = np.isfinite(first) & np.isfinite(last)
    one, other = (_years(of[both]) for of in (first, last))
    return int(((one != other) & (np.abs(last[both] - first[both]) < _MONTH)).sum())


def _years(days: FloatArray) -> FloatArray:
    dates = (days.astype(np.int64) - 719_163).astype("datetime64[D]")  # 1970-01-01 is day 719,163
    years: FloatArray = dates.astype("datetime64[Y]").astype(np.float64)
    return years
