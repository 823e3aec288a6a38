"""What a release could be refused for, as far as the values show it before the search."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from policy_sim.records.formats import CodedColumn, CodedTable
from policy_sim.release.attack.columns import attack_column
from policy_sim.release.attack.report import Claim, Finding
from policy_sim.release.attack.together import undoes
from policy_sim.release.attack.written import WrittenColumn
from policy_sim.release.copies import People, repeated
from policy_sim.release.deidentified import Treatment, shifted_dates
from policy_sim.release.shifts import attack_shifts
from policy_sim.release.treatments import AGE_KINDS, DATE_KINDS, Variable
from policy_sim.words.arrays import BoolArray, IntArray
from policy_sim.words.errors import InputError
from policy_sim.words.telling import each

_DONE = {
    "drop": "leaves out",
    "pseudonym": "replaces by a pseudonym",
    "shift": "shifts",
    "generalize": "makes coarser",
}
_HIDDEN = ("zip", "zip3", "place", "town", "county", *AGE_KINDS, *DATE_KINDS)


def findings_before(table: CodedTable, treatment: Treatment, claim: Claim, people: IntArray) -> list[Finding]:
    """Return what an attack finds in the columns of a file that leave as they are, alone and beside what is hidden.

    ``people`` numbers the person of each row. What a search decides, such as the levels of key fields, only the written
    file shows.
    """
    for variable in treatment.variables:
        if variable.treatment == "shift":  # refuses what is no date
            shifted_dates(variable.name, table[variable.name], np.zeros(table.rows, dtype=np.int64), variable.format)
    kept = [variable.name for variable in treatment.variables if variable.treatment == "keep"]
    attacked = {n: attack_column(as_written(n, table[n]), claim) for n in each(kept, "attacking the values")}
    findings = [finding for _, of_column in attacked.values() for finding in of_column]
    found = {name for finding in findings for name in finding.columns}
    said = [name for name in on_word(claim, {n: kind for n, (kind, _) in attacked.items()}) if name not in found]
    dropped = [variable.name for variable in treatment.variables if variable.treatment == "drop"]
    searched = [variable.name for variable in treatment.variables if variable.is_searched]
    return findings + told_of_original(table, table.without(dropped), treatment, said, people, searched)


def on_word(claim: Claim, kinds: Mapping[str, str]) -> list[str]:
    """Return the columns, of those with ``kinds``, that only a person's word releases: no rule and no class."""
    aside = {*claim.keys, *claim.pseudonyms, *claim.shifted}
    said = [name for name in kinds if name in claim.words and name not in aside]
    return [name for name in said if not (claim.rule and kinds[name])]


def told_of_original(
    original: CodedTable,
    written: CodedTable,
    treatment: Treatment,
    names: Collection[str],
    people: IntArray,
    may_be_coarser: Collection[str] = (),
) -> list[Finding]:
    """Return which columns on somebody's word contain, repeat or determine what was left out or changed.

    The written file shows no county that was left out: only here a facility in each county can be seen to tell it.
    Both tables have the same rows; ``people`` numbers the person of each. ``may_be_coarser``: columns that a search may
    still make coarser.
    """
    sent = {name: as_written(name, written[name]) for name in names}
    whose = People(people)
    few = {name: whose.is_few(column) for name, column in each(sent.items(), "counting who shares a value")}
    findings = [*attack_shifts(original, written, treatment, names, people)]
    for variable in treatment.variables:
        if variable.treatment == "keep":
            continue
        hidden = as_written(variable.name, original[variable.name])
        is_kept = variable.is_searched and hidden.name not in may_be_coarser
        if is_kept and np.array_equal(original[hidden.name].texts(), written[hidden.name].texts()):
            continue  # it is released as the file has it
        rare, shown = whose.is_few(hidden), None
        if variable.is_searched and not may_be_coarser:
            shown = as_written(hidden.name, written[hidden.name])
        for name, column in each(sent.items(), f"looking for {variable.name} in other columns"):
            if says := _told(column, hidden, variable, few[name] & rare, shown):
                what = f"{says} as the original file has it, which the release {_DONE[variable.treatment]}"
                findings.append(Finding((name,), what, f"Leave {name} out (role direct), or make it coarser"))
    return findings


def _told(
    sent: WrittenColumn,
    hidden: WrittenColumn,
    variable: Variable,
    rows: BoolArray,
    shown: WrittenColumn | None,
) -> str:
    """Say what a column that is sent tells of a hidden one; empty for nothing.

    ``rows``: those with values of few people; ``shown``: what is released in place of a key field, once that is known.
    """
    is_key = variable.is_searched
    if (is_key or variable.kind in _HIDDEN) and (says := undoes(sent, hidden, as_many=True)):
        return says
    if is_key and shown is None:
        return ""
    labels = None if shown is None else np.array(["", *shown.texts], dtype=object)[shown.codes].tolist()
    identifies = variable.role in ("direct", "key")
    if says := repeated(sent, hidden, rows, labels, is_identifier=identifies):
        return f"{sent.name} {says}"
    return ""


def refuse_found(findings: Sequence[Finding]) -> None:
    """Refuse columns that a person decided on and in which something was found, before anything is searched."""
    if findings:
        more = f" So it is with {len(findings) - 1:,} more." if len(findings) > 1 else ""
        raise InputError(f"{findings[0]}.{more} This was found before the search; nothing was written.")


def as_written(name: str, column: CodedColumn) -> WrittenColumn:
    """Return a column of a table as an attack sees it in a file."""
    return WrittenColumn(name, column.values, column.codes)
