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
from policy_sim.release.treatments import AGE_KINDS, DATE_KINDS
from policy_sim.words.arrays import IntArray
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
    few = {name: whose.is_few(column) for name, column in sent.items()}
    findings = [*attack_shifts(original, written, treatment, names, people)]
    for variable in treatment.variables:
        if variable.treatment == "keep":
            continue
        hidden = as_written(variable.name, original[variable.name])
        is_shown = hidden.name in written.names and set(hidden.texts) <= set(written[hidden.name].values)
        if is_shown and hidden.name not in may_be_coarser and variable.is_searched:
            continue  # it is released as the file has it
        rare = whose.is_few(hidden)
        shown = written[hidden.name].texts().tolist() if variable.is_searched else None
        identifies = variable.role in ("direct", "key")
        for name, column in each(sent.items(), f"looking for {variable.name} in other columns"):
            says = undoes(column, hidden, as_many=True) if variable.kind in _HIDDEN or variable.is_searched else ""
            if not says and not (variable.is_searched and may_be_coarser):
                says = repeated(column, hidden, few[name] & rare, shown, is_identifier=identifies)
                says = f"{name} {says}" if says else ""
            if says:
                do = f"Leave {name} out (role direct), or make it coarser"
                what = f"{says} as the original file has it, which the release {_DONE[variable.treatment]}"
                findings.append(Finding((name,), what, do))
    return findings


def refuse_found(findings: Sequence[Finding]) -> None:
    """Refuse columns that a person decided on and in which something was found, before anything is searched."""
    if findings:
        more = f" So it is with {len(findings) - 1:,} more." if len(findings) > 1 else ""
        raise InputError(f"{findings[0]}.{more} This was found before the search; nothing was written.")


def as_written(name: str, column: CodedColumn) -> WrittenColumn:
    """Return a column of a table as an attack sees it in a file."""
    return WrittenColumn(name, column.values, column.codes.astype(np.int64))
