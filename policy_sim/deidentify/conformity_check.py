"""Look at the values of each column: before a release, and again in the file that was written.

Before: values of a covered kind that are not understood are left blank, or the column stays out. After: every released
value must be one that its policy allows, by its text alone; what a person said about a column is held against what its
values look like; and columns are read together, because two that each may leave can tell what neither tells.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from policy_sim.arrays import BoolArray
from policy_sim.deidentify.coded_columns import CodedColumn, CodedTable
from policy_sim.deidentify.conformity import Conformity
from policy_sim.deidentify.treatments import Variable, left_out
from policy_sim.errors import InputError
from policy_sim.records.column_kinds import CODES, NEARLY_ALL, ColumnKind, ColumnValues, column_kind, is_mark
from policy_sim.records.covered_values import READERS, age_bounds, reads
from policy_sim.records.dates import read_dates, read_years

__all__ = ["ReadColumns", "column_values", "look_again", "read_columns", "undoing_columns"]

# What a released value of each level looks like.
_SHAPES: Mapping[str, re.Pattern[str]] = {
    "month": re.compile(r"\d{4}-\d{2}|\d{4} or before"),
    "year": re.compile(r"\d{4}( or before)?"),
    "five years": re.compile(r"\d{4}-\d{4}|\d{4} or before"),
    "ten years": re.compile(r"\d{4}-\d{4}|\d{4} or before"),
    "three digits": re.compile(r"\d{3}"),
}
_AGE = re.compile(r"(\d+)(\+|-\d+)?")
_AGES = ("age", "age_months", "age_days")

# What 45 CFR 164.514(e)(2) removes: all but places and dates, and codes of other kinds.
_LIMITED = frozenset("ADEFGHIJKLMNOPQ")
_STREETS = ("street addresses", "coordinates")
# Columns that a person may not release under another kind than their own: the rule would not be applied to them.
_OWN_KINDS = {
    "age": _AGES,
    "age_months": _AGES,
    "age_days": _AGES,
    "birth_date": ("birth_date", "date"),
    "birth_year": ("year", "birth_date"),
    "zip5": ("zip",),
    "zip3": ("zip3",),
    "county": ("county",),
}


@dataclass(frozen=True, eq=False)
class ReadColumns:
    """The columns of a file with what could be read in them.

    Parameters
    ----------
    table : The file, with what is not understood in a covered column left blank.
    variables : The variables, without those that are left out because too little of them is understood.
    covered : The columns of which every value is of a kind that a policy covers.
    notes : How much was left blank, without any value.
    """

    table: CodedTable
    variables: tuple[Variable, ...]
    covered: frozenset[str]
    notes: tuple[str, ...]


def column_values(name: str, column: CodedColumn) -> ColumnValues:
    """Return a column's distinct values with their records."""
    counts = np.bincount(column.codes, minlength=len(column.values) + 1)
    return ColumnValues(name, column.values, counts[1:].astype(np.int64), int(counts[0]))


def read_columns(table: CodedTable, variables: Sequence[Variable]) -> ReadColumns:
    """Read every released column of a covered kind, and leave blank what is not understood.

    A guess that somebody accepted holds where nearly all of its values are read; otherwise the column is left out. What
    a person decided stays as decided: of a kind with a ladder, values that cannot be read stop the run.

    Examples
    --------
    >>> table = CodedTable({"sex": CodedColumn.of(["F"] * 99 + ["see note"])})
    >>> result = read_columns(table, [Variable("sex", "key", "a guess", "sex", accepted=True)])
    >>> result.table["sex"].values, result.notes
    (('F',), ('sex: 1 value (1 record) is not understood as sex and is left blank',))
    """
    changed: dict[str, CodedColumn] = {}
    settled: list[Variable] = []
    covered: list[str] = []
    notes: list[str] = []
    for variable in variables:
        column = table[variable.name]
        if variable.treatment == "drop" or variable.kind not in (*READERS, "clinical"):
            settled.append(variable)
            continue
        known = np.array(_readable(variable, column.values), dtype=np.bool_)
        if known.all():
            covered.append(variable.name)
        elif variable.accepted:
            lost = column.codes > 0
            lost[lost] = ~known[column.codes[lost] - 1]
            if _too_much(column, lost):
                variable = left_out(
                    variable.name, f"too many values are not understood as {_called(variable)}", variable.kind
                )
            else:
                covered.append(variable.name)
                number, records = int((~known).sum()), int(lost.sum())
                notes.append(
                    f"{variable.name}: {number:,} value{'s' if number > 1 else ''} ({records:,} "
                    f"record{'s' if records > 1 else ''}) {'are' if number > 1 else 'is'} not understood as "
                    f"{_called(variable)} and {'are' if number > 1 else 'is'} left blank"
                )
                changed[variable.name] = column.relabeled(["", *np.where(known, column.values, "").tolist()])
        settled.append(variable)
    return ReadColumns(table.with_columns(changed), tuple(settled), frozenset(covered), tuple(notes))


def _too_much(column: CodedColumn, lost: BoolArray) -> bool:
    """Tell whether more than a few of the values that are there are lost."""
    marks = np.array([False, *map(is_mark, column.values)])[column.codes]
    there = (column.codes > 0) & ~marks
    return int((lost & there).sum()) > (1 - NEARLY_ALL) * int(there.sum())


def _called(variable: Variable) -> str:
    return variable.kind.replace("_", " ").replace("zip", "ZIP code").replace("clinical", "clinical codes")


def _readable(variable: Variable, texts: Sequence[str]) -> list[bool]:
    """Tell which values can be read as the variable's kind, or have a meaning in its codes."""
    if variable.kind == "clinical":
        systems = [reads(system, texts) for system in CODES]
        return max(systems, key=sum)
    if variable.kind in ("date", "birth_date"):
        yearly = bool(variable.levels) and not {"day", "month"} & set(variable.levels)
        try:
            dates = (
                read_years(texts, variable.format) if yearly else read_dates(variable.name, texts, variable.format)[0]
            )
        except InputError:
            if not variable.accepted:
                raise
            return [False] * len(texts)
        return [date is not None for date in dates]
    if variable.kind in _AGES and variable.top is not None:
        bounds = [age_bounds(text) if variable.kind == "age" else (0, 0) for text in texts]
        whole = reads(variable.kind, texts)
        low_enough = [bound is None or not bound[0] < variable.top <= bound[1] for bound in bounds]
        return [can and fits for can, fits in zip(whole, low_enough, strict=True)]
    known = reads(variable.kind, texts)
    coded = dict(variable.codes)
    return [can or text in coded for can, text in zip(known, texts, strict=True)]


def undoing_columns(table: CodedTable, variables: Sequence[Variable], oldest_year: int) -> dict[str, str]:
    """Return the births that an age beside the year of an event would tell again, with the reason to leave them out.

    Somebody of 73 in 2009 was born in 1935 or 1936: beside that, "1936 or before" hides nothing.

    Examples
    --------
    >>> table = CodedTable({name: CodedColumn.of([text]) for name, text in
    ...                     (("born", "1936-02-01"), ("age", "73"), ("visit", "2009-05-01"))})
    >>> kinds = {"born": "birth_date", "age": "age", "visit": "date"}
    >>> list(undoing_columns(table, [Variable(n, "key", "known", k) for n, k in kinds.items()], 1936))
    ['born']
    """
    released = [variable for variable in variables if variable.treatment == "generalize"]
    ages = [variable for variable in released if variable.kind in _AGES]
    years = {v.name: _years_of(table[v.name], v) for v in released if v.kind in ("date", "birth_date", "year")}
    births = [
        v for v in released if v.kind == "birth_date" or (v.kind == "year" and "birth" in v.reason + v.name.casefold())
    ]
    if not births:  # a column of years or dates may hold births under any name
        births = [v for v in released if v.name in years and (years[v.name] <= oldest_year)[years[v.name] > 0].any()]
    undone: dict[str, str] = {}
    for birth in births:
        old = (years[birth.name] > 0) & (years[birth.name] <= oldest_year)
        for age in ages:
            shown = _ages_of(table[age.name], age)
            for event, event_years in years.items():
                tells = old & (shown >= 0) & (event_years > oldest_year)
                if event != birth.name and tells.any():
                    undone[birth.name] = (
                        f"{age.name} and {event} together would tell the birth of {int(tells.sum()):,} "
                        "people in the class of the oldest"
                    )
    return undone


def _years_of(column: CodedColumn, variable: Variable) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the year of each row; 0 where there is none."""
    if variable.kind == "year":
        read = [
            int(text[:4]) if ok else None for text, ok in zip(column.values, reads("year", column.values), strict=True)
        ]
    else:
        read = read_years(column.values, variable.format)
    return np.array([0, *(year or 0 for year in read)], dtype=np.int64)[column.codes]


def _ages_of(column: CodedColumn, variable: Variable) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the age of each row where one age is shown; -1 where it is missing or in the class of the oldest."""
    top = variable.top if variable.top is not None else 999
    bounds = [age_bounds(text) if variable.kind == "age" else None for text in column.values]
    ages = [bound[0] if bound and bound[1] < top else -1 for bound in bounds]
    return np.array([-1, *ages], dtype=np.int64)[column.codes]


def look_again(
    table: CodedTable,
    variables: Sequence[Variable],
    covered: frozenset[str],
    conformity: Conformity | None = None,
    small_zip3: frozenset[str] = frozenset(),
) -> list[str]:
    """Return what a released file must not show, from its texts alone: one line per problem with what to do, no value.

    Parameters
    ----------
    table : The released file.
    variables : The variables as they were released.
    covered : The columns of which every value is of a kind that a policy covers.
    conformity : What the policy makes of the variables; None where the release aims at a risk.
    small_zip3 : ZIP code prefixes that must be written as 000.

    Examples
    --------
    >>> mail = Variable("contact", "other", "the officer read it")
    >>> look_again(CodedTable({"contact": CodedColumn.of(["a.roe@example.org"])}), [mail], frozenset())
    ['contact holds e-mail addresses (1 record). Leave the column out (role direct), or remove them from the file']
    """
    problems: list[str] = []
    for variable in variables:
        if variable.treatment in ("drop", "pseudonym"):
            if variable.treatment == "drop" and variable.name in table.names:
                problems.append(f"{variable.name} is released, and must be left out")
            continue
        if variable.treatment == "shift":
            continue
        column = column_values(variable.name, table[variable.name])
        if conformity is not None:
            problems += _against_policy(column, variable, conformity, small_zip3)
        if variable.name not in covered:
            problems += _against_eyes(column, variable, conformity)
    if conformity is not None and conformity.oldest_year is not None:
        problems += _together(table, variables)
    return problems


def _against_policy(
    column: ColumnValues, variable: Variable, conformity: Conformity, small_zip3: frozenset[str]
) -> list[str]:
    """Check that each value of a covered kind is one that the policy allows."""
    values, problems = column.looked_at, []
    if shape := _SHAPES.get(variable.levels[0] if variable.levels else ""):
        wrong = sum(shape.fullmatch(value) is None for value in values)
        problems += _counted(variable.name, wrong, f"not released as {variable.levels[0]}")
    if variable.kind in ("zip", "zip3") and small_zip3:
        problems += _counted(variable.name, sum(value[:3] in small_zip3 for value in values), "of a small area")
    if variable.kind in _AGES and variable.top is not None:
        bounds = [age_bounds(value) for value in values if value != f"{variable.top}+"]
        old = sum(bound is None or bound[1] >= variable.top for bound in bounds)
        problems += _counted(variable.name, old, "above the oldest age")
    if variable.kind == "year" and variable.bottom is not None:
        years = [match for value in values if (match := _AGE.fullmatch(value))]
        problems += _counted(variable.name, sum(int(m[1]) <= variable.bottom for m in years), "of the oldest years")
    if variable.kind in ("birth_date", "date") and conformity.oldest_year is not None:
        last = [int(value[5:9] if value[4:5] == "-" and len(value) == 9 else value[:4]) for value in values]
        pairs = zip(last, values, strict=True)
        old = sum(year <= conformity.oldest_year and not value.endswith("before") for year, value in pairs)
        problems += _counted(variable.name, old, "of the oldest years")
    return problems


def _against_eyes(column: ColumnValues, variable: Variable, conformity: Conformity | None) -> list[str]:
    """Hold what a person said about a column against what its values look like."""
    seems = column_kind(column)
    letters = None if conformity is None or conformity.oldest_year is not None else _LIMITED
    for hit in seems.hits:
        allowed = letters is not None and hit.letter not in letters and hit.called not in _STREETS
        if allowed or hit.called in variable.may_be:
            continue
        if hit.certain:
            return [f"{variable.name} holds {hit}. Leave the column out (role direct), or remove them from the file"]
        if hit.called not in ("long numbers", "license or plate numbers", "places as a geohash gives them"):
            return [
                f"{variable.name} may hold {hit}, and nobody has said that it does not. Leave the column out (role "
                f'direct), or write may_be = ["{hit.called}"] beside the reason why these are none'
            ]
    return _of_another_kind(variable, seems) if letters is None and conformity is not None else []


def _of_another_kind(variable: Variable, seems: ColumnKind) -> list[str]:
    if seems.kind == "date" and variable.kind not in ("date", "birth_date"):
        remedy = "Give it the kind date, so that only the year is released, or leave" if seems.accepted else "Leave"
        return [f"{variable.name} holds dates or parts of dates. {remedy} the column out (role direct)"]
    own = _OWN_KINDS.get(seems.field if seems.accepted else "", ())
    if own and variable.kind not in own:
        return [
            f"{variable.name} looks like {seems.field.replace('_', ' ')} ({seems.reason}). Give it the kind {own[0]}, "
            "so that the rule is applied, or leave the column out (role direct)"
        ]
    return []


def _together(table: CodedTable, variables: Sequence[Variable]) -> list[str]:
    """Find a class of the oldest people that other columns of the same row tell apart again."""
    texts = {v.name: table[v.name] for v in variables if v.name in table.names and v.treatment == "generalize"}
    oldest = [n for n, c in texts.items() if any(value.endswith((" or before", " or less")) for value in c.values)]
    ages = [v for v in variables if v.name in texts and v.kind in _AGES]
    events = [v for v in variables if v.name in texts and v.kind in ("date", "year", "birth_date")]
    for name in oldest:
        column = texts[name]
        in_class = np.array([False, *(value.endswith((" or before", " or less")) for value in column.values)])[
            column.codes
        ]
        for age in ages:
            shown = _ages_of(texts[age.name], age) >= 0
            for event in events:
                dated = np.array(
                    [False, *(value[:4].isdigit() and len(value) < 11 for value in texts[event.name].values)]
                )
                if event.name != name and (in_class & shown & dated[texts[event.name].codes]).any():
                    return [
                        f"{age.name} beside {event.name} tells births that {name} hides. Leave one of the three out "
                        "(role direct)"
                    ]
    return []


def _counted(name: str, number: int, what: str) -> list[str]:
    return [f"{name}: {number:,} value{'s are' if number > 1 else ' is'} {what}"] if number else []
