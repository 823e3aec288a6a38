"""Make a file conform to a policy, and read its columns.

Dates about a person follow the policy's rule for birth dates, as 45 CFR 164.514(b)(2)(i)(C) requires. A column that the
policy does not cover is left out, unless a person gave it a role and a reason.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from policy_sim.files.area_tables import area_table
from policy_sim.policies.files import list_policies
from policy_sim.policies.policy import Policy
from policy_sim.records.census_values import RACE_FIELDS
from policy_sim.records.column_kinds import CODES, FLAG
from policy_sim.records.covered_values import AGES, OLDEST, READERS, age_bounds, reads
from policy_sim.records.dates import read_dates, read_years
from policy_sim.records.formats import CodedColumn, CodedTable
from policy_sim.records.vocabularies import is_mark
from policy_sim.release.ladders import AREAS
from policy_sim.release.treatments import AGE_KINDS, DATE_KINDS, UNDECIDED, Variable, left_out
from policy_sim.words.arrays import BoolArray, IntArray
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Field, area_name, is_area

_DATE_LEVELS = {
    "date": "day",
    "month": "month",
    "year": "year",
    "five_years": "five years",
    "decade": "ten years",
    "none": "nothing",
}
_AGE_WIDTHS = {"two_years": 2, "three_years": 3, "four_years": 4, "five_years": 5, "decade": 10, "twenty_years": 20}
_WHOLE_AGES = ("date", "month", "quarter", "year")
_ZIP_LEVELS = {
    "zip5": "five digits",
    "county_zip5": "five digits",
    "zip3": "three digits",
    "county_zip3": "three digits",
}
_TOWNS = ("county_zip5",)  # the limited data set, which may show a town: 45 CFR 164.514(e)(2)(ii)
# The level of each kind of place by what a policy shows of places; nothing where there is none.
_PLACE_LEVELS: Mapping[str, Mapping[str, str]] = {
    "zip": _ZIP_LEVELS,
    "zip3": dict.fromkeys(_ZIP_LEVELS, "three digits"),
    "place": {},
    "town": dict.fromkeys(_TOWNS, "value"),
    "county": dict.fromkeys(("county", "county_zip5", "county_zip3"), "value"),
}


_STILL_A_DATE = (
    "a shifted date is not enough: it is made from a date, which is an identifier down to the year (45 CFR "
    "164.514(b)(2)(i)(C)), and HHS's guidance of 2012 allows no part or derivative of one"
)


def shows_towns(policy: Policy) -> bool:
    """Tell whether a policy lets a release show towns."""
    return policy.releases[Field.GEOGRAPHY] in _TOWNS


@dataclass(frozen=True)
class Conformity:
    """The variables of a file under a policy, each with the only level that the policy allows.

    Births in the ``oldest_year`` and before are one class; None if the policy has no oldest age. ``says`` has one
    sentence per variable: what the policy does to it, and why.
    """

    policy: Policy
    variables: tuple[Variable, ...]
    oldest_year: int | None
    says: Mapping[str, str]


def conform(variables: tuple[Variable, ...], policy: Policy, day: dt.date) -> Conformity:
    """Return the variables as a policy releases them."""
    top = policy.conditions.top_age  # some people born in the year of the cut already have that age
    oldest_year = None if top is None else day.year - top
    treated = [_treated(variable, policy, top, oldest_year) for variable in _in_areas(variables, policy)]
    says = {variable.name: why for variable, why in treated if why}
    return Conformity(policy, tuple(variable for variable, _ in treated), oldest_year, says)


def _in_areas(variables: tuple[Variable, ...], policy: Policy) -> tuple[Variable, ...]:
    """Return the variables with the areas that a policy shows: of ZIP codes; of counties where there are none."""
    place = policy.releases[Field.GEOGRAPHY]
    if not is_area(place):
        return variables
    by_zip = any(v.kind == "zip" and v.role != UNDECIDED and v.treatment != "drop" for v in variables)
    kind = "zip" if by_zip else "county"
    return tuple(replace(v, areas=area_name(place)) if v.kind == kind else v for v in variables)


def _is_hipaa(policy: Policy) -> bool:
    """Whether a shipped policy is a HIPAA rule: they restrict neither race nor ethnicity, in one column or in two."""
    return policy.name in list_policies() and policy.citation.startswith("45 CFR 164.514")


def _treated(variable: Variable, policy: Policy, top: int | None, oldest_year: int | None) -> tuple[Variable, str]:
    """Return a variable under the policy, and what changes; empty if the policy does not cover it."""
    if variable.role == UNDECIDED:
        return variable, f"left out: {variable.reason}"
    if variable.treatment == "pseudonym" and not shows_towns(policy):
        raise InputError(
            f"{variable.name}: a pseudonym is made from a value, and 45 CFR 164.514(c)(1) does not allow a code that "
            f"is derived from information about the person, so the file would not conform to {policy.name}. Give the "
            "column the treatment drop, or let the release aim at a risk."
        )
    if variable.kind == "clinical":
        return variable, "released as the file has it: clinical codes are not among the identifiers"
    if variable.kind == "flag" and variable.accepted:
        return variable, "released as the file has it: it answers yes or no"
    if variable.kind == "text" and variable.treatment != "drop":
        return replace(variable, treatment="drop", levels=()), "dropped: free text may contain any identifier"
    if variable.treatment == "drop":
        return variable, "dropped"
    place, birth = policy.releases[Field.GEOGRAPHY], policy.releases[Field.BIRTH]
    if variable.kind in ("sex", *RACE_FIELDS):
        granularity = policy.releases[Field.GENDER if variable.kind == "sex" else Field.RACE]
        if "broad" in granularity or granularity in ("five_races", "hcup"):
            raise InputError(
                f"{variable.name}: {policy.name} releases race in classes of several races; give a hierarchy with them."
            )
        if variable.kind == "race" and granularity == "race_ethnicity" and not _is_hipaa(policy):
            raise InputError(
                f"{variable.name}: {policy.name} releases race with Hispanic as one of the races; give one column with "
                "race and Hispanic origin, or take a policy that shows race by itself."
            )
        origin = variable.kind == "ethnicity" and policy.releases[Field.ETHNICITY] == "value"
        return _at(variable, "value" if origin or granularity != "none" else "nothing")
    if variable.kind in DATE_KINDS:
        if variable.treatment == "shift" and birth == "date":
            return variable, f"shifted by person: {policy.name} allows dates, and a shifted one says less"
        if policy.conditions.shift_days is not None:
            raise InputError(
                f"{variable.name}: {policy.name} releases shifted dates. Give the column the treatment shift or drop."
            )
        if birth not in _DATE_LEVELS:
            raise InputError(f"{variable.name}: dates cannot be brought to {birth!r}, which {policy.name} releases.")
        if variable.treatment == "shift":
            whole = replace(variable, role="key", treatment="generalize")
            variable, says = _at(whole, _DATE_LEVELS[birth])
            return variable, f"{says}; {_STILL_A_DATE}" if _is_hipaa(policy) else says
        return _at(variable, _DATE_LEVELS[birth])
    if variable.kind in (*AGE_KINDS, "year"):
        return _age(variable, birth, top, oldest_year)
    if variable.areas and is_area(place):
        return _at(variable, AREAS)
    if variable.kind in _PLACE_LEVELS:
        return _at(variable, _PLACE_LEVELS[variable.kind].get(place, "nothing"))
    if variable.kind == "state":
        return _at(variable, "nothing" if place == "nation" else "value")
    if variable.accepted:
        return left_out(variable.name, "nobody has decided on this column", variable.kind), "left out: nobody decided"
    return variable, ""


def _age(variable: Variable, birth: str, top: int | None, oldest_year: int | None) -> tuple[Variable, str]:
    cut = variable.top if variable.top is not None and (top is None or variable.top < top) else top
    if variable.kind == "year":  # it may be a year of birth; no other released year is so long ago
        last = None if oldest_year is None else oldest_year + (variable.youngest or 0)
        cut, cuts = variable.top, [year for year in (variable.bottom, last) if year is not None]
        variable = replace(variable, bottom=max(cuts, default=None))
    if birth == "none":
        return _at(variable, "nothing")
    width = 1 if birth in _WHOLE_AGES else _AGE_WIDTHS.get(birth)
    if width is None:
        raise InputError(f"{variable.name}: ages cannot be brought to {birth!r}. Give a policy by other years.")
    if width == 1:
        return _at(replace(variable, top=cut, widths=()), "value")
    return _at(replace(variable, top=cut, widths=(width,)), f"{width} wide")


def _at(variable: Variable, level: str) -> tuple[Variable, str]:
    """Return a variable with one level, at which it is released whatever its role."""
    if level == "nothing":
        return replace(variable, treatment="drop", levels=()), "dropped"
    in_words = {"value": "the file has it", "day": "dates"}.get(level, level)
    if level == AREAS:
        in_words = area_table(f"area:{variable.areas}").title
    if variable.kind in ("age_months", "age_days"):
        in_words = "whole years"
    remark = f"released as {in_words}" + (f", {variable.top} and over in one class" if variable.top is not None else "")
    return replace(variable, role="key", treatment="generalize", levels=(level,)), remark


_CLASS = re.compile(r"(\d{4})(?:\.0+)?(?:-(\d{4}))?(?: or (?:before|less))?")
_MOSTLY, _FEW_YEARS = 0.8, 3
_FEW_CODES = 20  # records


_VOCABULARIES = ("sex", *RACE_FIELDS, "state")


@dataclass(frozen=True, eq=False)
class ReadColumns:
    """A file with what is not understood in a covered column left blank, and notes of how much that is.

    Columns of which too little is understood are left out of ``variables``; ``covered`` are those of which every value
    is of a kind that a policy covers.
    """

    table: CodedTable
    variables: tuple[Variable, ...]
    covered: frozenset[str]
    notes: tuple[str, ...]


def read_columns(table: CodedTable, variables: Sequence[Variable]) -> ReadColumns:
    """Read every released column of a covered kind, and leave blank what is not understood.

    A guess that somebody accepted holds where most of its values are read; otherwise the column is left out. What a
    person decided stays as decided: of a kind with a ladder, values that cannot be read stop the run, unless the
    project says ``unread = "blank"``; of a closed vocabulary, they do where they are most of the values.
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
        is_read = np.array(readable(variable, column.values), dtype=np.bool_) & _is_listed(variable, column)
        if is_read.all():
            covered.append(variable.name)
        elif variable.accepted or variable.unread == "blank" or variable.kind in _VOCABULARIES:
            lost = column.codes > 0
            lost[lost] = ~is_read[column.codes[lost] - 1]
            if _is_too_much(column, lost):
                _refuse_decided(variable)
                variable = left_out(
                    variable.name, f"too many values are not understood as {_called(variable)}", variable.kind
                )
            else:
                covered.append(variable.name)
                number, records = int((~is_read).sum()), int(lost.sum())
                notes.append(
                    f"{variable.name}: {number:,} value{'s' if number > 1 else ''} ({records:,} "
                    f"record{'s' if records > 1 else ''}) {'are' if number > 1 else 'is'} not understood as "
                    f"{_called(variable)} and {'are' if number > 1 else 'is'} left blank"
                )
                changed[variable.name] = column.relabeled(["", *np.where(is_read, column.values, "").tolist()])
        settled.append(variable)
    return ReadColumns(table.with_columns(changed), tuple(settled), frozenset(covered), tuple(notes))


def _is_listed(variable: Variable, column: CodedColumn) -> BoolArray:
    """Tell which clinical codes are in a list, or come again: of a system without a list, a lone value is foreign."""
    records = np.array(list(column.rows_of_values().values()), dtype=np.int64)
    listed = np.array(reads("ICD-10-CM", column.values)) | np.array(reads("DRG", column.values))
    if variable.kind != "clinical" or records.sum() < _FEW_CODES or listed.sum() >= len(listed) / 2:
        return np.ones(len(column.values), dtype=np.bool_)
    return records > 1


def _is_too_much(column: CodedColumn, lost: BoolArray) -> bool:
    """Tell whether most of the values that are there are lost."""
    marks = np.array([False, *map(is_mark, column.values)])[column.codes]
    is_filled = (column.codes > 0) & ~marks
    return 2 * int((lost & is_filled).sum()) > int(is_filled.sum())


def _refuse_decided(variable: Variable) -> None:
    """Refuse a column of which a person said that it has a vocabulary, and most of its values are not in it."""
    if not variable.accepted and variable.unread != "blank":
        raise InputError(
            f"{variable.name}: most of its values are not understood as {_called(variable)}. Give their meanings, such "
            'as codes = { 1 = "M" }, or give the column the kind category.'
        )


_CALLED = {"zip": "ZIP code", "zip3": "three digits of a ZIP code", "clinical": "clinical codes", "flag": FLAG}


def _called(variable: Variable) -> str:
    return _CALLED.get(variable.kind, variable.kind.replace("_", " "))


def readable(variable: Variable, texts: Sequence[str]) -> list[bool]:
    """Tell which values can be read as the variable's kind, or have a meaning in its codes."""
    coded = dict(variable.codes)
    if variable.kind == "clinical":
        systems = {system: reads(system, texts) for system in CODES}
        return systems[max(systems, key=lambda system: sum(systems[system]))]
    if variable.kind in DATE_KINDS:
        try:
            if variable.is_yearly:
                return [year is not None for year in read_years(texts, variable.format)]
            dates, _ = read_dates(variable.name, texts, variable.format)
            years = read_years(texts, variable.format)
            return [date is not None or year is not None for date, year in zip(dates, years, strict=True)]
        except InputError:
            if not variable.accepted:
                raise
            return [False] * len(texts)
    if variable.kind in AGE_KINDS and variable.top is not None:
        bounds = [age_bounds(text) if variable.kind == "age" else (0, 0) for text in texts]
        whole = reads(variable.kind, texts)
        low_enough = [bound is None or not bound[0] < variable.top <= bound[1] for bound in bounds]
        return [can and fits for can, fits in zip(whole, low_enough, strict=True)]
    is_read = reads(variable.kind, texts)
    return [can or text in coded for can, text in zip(is_read, texts, strict=True)]


def without_told_ages(
    table: CodedTable, variables: Sequence[Variable], oldest_year: int
) -> tuple[CodedTable, tuple[str, ...]]:
    """Leave ages blank that tell, beside the year of an event, that somebody is over 89 on the day of the release.

    Somebody of 73 in 2009 was born in 1935 or 1936, and "1936 or before" in the same row hides nothing.
    """
    changed, notes = {}, []
    for age, (rows, events) in _told_ages(table, variables, oldest_year).items():
        number, years = int(rows.sum()), sum(table.rows - table[event].missing for event in events)
        changed[age] = table[age].blanked(rows)
        they, ages, those = ("they", "ages are", "them") if number > 1 else ("it", "age is", "it")
        beside = " and ".join(events)
        reason = f"because together with {beside} {they} would show a birth in {oldest_year} or before"
        other = f"leave out {beside} (role direct), which keeps {those} and loses {years:,} years"
        notes.append(f"{age}: {number:,} {ages} left blank, {reason}. The other way out: {other}")
    return table.with_columns(changed), tuple(notes)


def _told_ages(
    table: CodedTable, variables: Sequence[Variable], oldest_year: int
) -> dict[str, tuple[BoolArray, list[str]]]:
    """Return for each column of ages the rows whose birth is told as one of the oldest, and by which columns."""
    released = [v for v in variables if v.treatment == "generalize" and v.name in table.names]
    years = {v.name: _years_of(table[v.name], v) for v in released if v.kind in (*DATE_KINDS, "year")}
    telling: dict[str, tuple[BoolArray, list[str]]] = {}
    for variable in released:
        if variable.kind not in AGE_KINDS:
            continue
        ages = _ages_of(table[variable.name], variable)
        births = [v.name for v in released if v.name in years and _is_birth(v, years[v.name], ages)]
        in_class = np.zeros(len(ages), dtype=np.bool_)
        for name in births:
            in_class |= (years[name] > 0) & (years[name] <= oldest_year)
        rows, events = np.zeros(len(ages), dtype=np.bool_), []
        for name, of_event in years.items():
            both_shown = (ages >= 0) & (of_event > oldest_year)
            tells = both_shown & (in_class | (of_event - ages <= oldest_year))
            if name not in births and tells.any():
                rows |= tells
                events.append(name)
        if events:
            telling[variable.name] = rows, events
    return telling


def _is_birth(variable: Variable, years: IntArray, ages: IntArray) -> bool:
    """Tell whether years are those of birth: by the kind, the name, or because years and ages add up to one year."""
    if variable.kind == "birth_date" or "birth" in f"{variable.name} {variable.reason}".casefold():
        return True
    both = (years > 0) & (ages >= 0)
    sums = years[both] + ages[both]
    same = bool(len(sums)) and float((np.abs(sums - np.median(sums)) <= 1).mean()) >= _MOSTLY
    return same and len(np.unique(years[both])) > _FEW_YEARS


def _years_of(column: CodedColumn, variable: Variable) -> IntArray:
    """Return the year of each row, of the last in a class of years; 0 where there is none."""
    classes = [_CLASS.fullmatch(text) for text in column.values]
    read = read_years(column.values, variable.format)
    years = [int(match[2] or match[1]) if match else year or 0 for match, year in zip(classes, read, strict=True)]
    return np.array([0, *years], dtype=np.int64)[column.codes]


def _ages_of(column: CodedColumn, variable: Variable) -> IntArray:
    """Return the highest age of each row; -1 where it is missing or in the class of the oldest."""
    top = variable.top if variable.top is not None else OLDEST
    if variable.kind == "age" or any(text.endswith("+") for text in column.values):
        bounds = [age_bounds(text) for text in column.values]
    else:
        whole = [text.strip().split(".")[0] for text in column.values]
        years = [int(int(text) / AGES[variable.kind]) if text.isdigit() else -1 for text in whole]
        bounds = [(age, age) for age in years]
    ages = [bound[1] if bound and bound[1] < top else -1 for bound in bounds]
    return np.array([-1, *ages], dtype=np.int64)[column.codes]
