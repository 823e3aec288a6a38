"""What a release could be refused for, as far as the values show it before the search."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from policy_sim.records.formats import CodedColumn, CodedTable
from policy_sim.release.attack.columns import attack_column
from policy_sim.release.attack.report import Claim, Finding
from policy_sim.release.attack.together import undoes
from policy_sim.release.attack.written import WrittenColumn
from policy_sim.release.deidentified import Treatment, shifted_dates
from policy_sim.release.treatments import AGE_KINDS, DATE_KINDS
from policy_sim.words.errors import InputError

_HIDDEN = ("zip", "zip3", "place", "town", "county", *AGE_KINDS, *DATE_KINDS)


def findings_before(table: CodedTable, treatment: Treatment, claim: Claim) -> list[Finding]:
    """Return what an attack finds in the columns of a file that leave as they are, alone and beside what is hidden.

    What a search decides, such as the levels of key fields, only the written file shows.
    """
    for variable in treatment.variables:
        if variable.treatment == "shift":  # refuses what is no date
            shifted_dates(variable.name, table[variable.name], np.zeros(table.rows, dtype=np.int64), variable.format)
    kept = [variable.name for variable in treatment.variables if variable.treatment == "keep"]
    findings = [finding for name in kept for finding in attack_column(as_written(name, table[name]), claim)[1]]
    found = {name for finding in findings for name in finding.columns}
    said = [name for name in kept if name in claim.words and name not in found]
    dropped = [variable.name for variable in treatment.variables if variable.treatment == "drop"]
    searched = [variable.name for variable in treatment.variables if variable.is_searched]
    return findings + told_of_original(table, table.without(dropped), treatment, said, searched)


def told_of_original(
    original: CodedTable,
    written: CodedTable,
    treatment: Treatment,
    names: Collection[str],
    may_be_coarser: Collection[str] = (),
) -> list[Finding]:
    """Return which columns on somebody's word contain or determine what was left out or made coarser.

    The written file shows no county that was left out: only here a facility in each county can be seen to tell it.
    Both tables have the same rows. ``may_be_coarser``: columns that a search may still make coarser.
    """
    hidden = [as_written(v.name, original[v.name]) for v in treatment.variables if v.kind in _HIDDEN or v.is_searched]
    findings = []
    for coarse in hidden:
        is_shown = coarse.name in written.names and set(coarse.texts) <= set(written[coarse.name].values)
        if is_shown and coarse.name not in may_be_coarser:
            continue  # it is released as the file has it
        for name in names:
            if name != coarse.name and (says := undoes(as_written(name, written[name]), coarse, as_many=True)):
                do = f"Leave {name} out (role direct), or make it coarser"
                findings.append(Finding((name,), f"{says} as the original file has it", do))
    return findings


def refuse_found(findings: Sequence[Finding]) -> None:
    """Refuse columns that a person decided on and in which something was found, before anything is searched."""
    if findings:
        more = f" So it is with {len(findings) - 1:,} more." if len(findings) > 1 else ""
        raise InputError(f"{findings[0]}.{more} This was found before the search; nothing was written.")


def as_written(name: str, column: CodedColumn) -> WrittenColumn:
    """Return a column of a table as an attack sees it in a file."""
    return WrittenColumn(name, column.values, column.codes.astype(np.int64))
