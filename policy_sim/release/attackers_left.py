"""How many people of a file an attacker could name before a release and after it, as far as the census says."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd

from policy_sim.files.paths import UNNAMED_IN_PROJECTS
from policy_sim.records.census_values import BIRTH_FIELDS, RACE_FIELDS, ColumnMapping, FieldColumn, known_field
from policy_sim.records.dates import ISO
from policy_sim.records.formats import CodedTable, write_coded
from policy_sim.release.generalization import Generalization
from policy_sim.release.people import released_fields
from policy_sim.release.preview import unwritten
from policy_sim.release.project import Project
from policy_sim.release.run import Run
from policy_sim.release.treatments import UNDECIDED, Variable
from policy_sim.release.unread import uncounted_text
from policy_sim.words.errors import InputError

# What a census calls a column as the file has it.
_FINEST = {"zip": "zip5"} | {
    name: name for name in ("sex", *RACE_FIELDS, "age", "birth_date", "county", "state", "zip3")
}
# Fields that say the same, the finest first.
_FINER = (
    ("birth_date", "birth_month", "birth_year", "age"),
    ("zip5", "county", "zip3"),
    ("race_ethnicity", "race"),
    ("race_ethnicity", "ethnicity"),
)
_BY_ZIP = ("zip5", "zip3")
_ENDS = {"people": "total_risk", "share": "share", "largest": "largest_chance"}
_SEVERAL_LEVELS = (
    "After: rows are at several levels, which a census does not have, so figures are between two that it has. The low "
    "end brings each field to one level that holds every row shown, and a blank cell names nobody; the high end takes "
    "the values of these rows as they were before"
)
_NOTHING_KNOWN = "no field of it is in the census"


def attackers_left(
    project: Project,
    states: Sequence[str] = (),
    rows: int = 20,
    progress: Callable[[str], object] = lambda _: None,
) -> dict[str, Any]:
    """Return what an attacker who knows everyone, and one with the voter list, gets out of the file, now and after.

    Nothing is written but for a moment, in a private folder. ``states`` are where the people live, if no column says;
    by default what the project says.

    Returns
    -------
    ``rows``: one per attacker, state and ``when`` (``before``, ``after``), with the ``records``, ``people_low`` and
    ``people_high`` who could be named correctly, these as a ``share`` (0..1), the ``largest`` chance of a record, at
    both ends, and ``status`` and ``reason``. The high end assumes that the list shows each field of which no source
    says whether it does. After a local recoding, the ends are those of a coarser and of a finer release. ``totals``
    adds the states up. ``riskiest``: by attacker, numbers of rows of the file with the greatest chance before, and the
    chance at both ends; empty where a person has several rows. ``notes`` say what was not linked.

    Raises
    ------
    InputError : the project is not ready, or no column says where people live and no state is given.
    """
    run, notes = unwritten(project, progress), list[str]()
    states = [*states] or [*filter(None, [project.about.state])]
    if without := uncounted_text(project, run.inputs.table):
        notes.append(f"Without records of values that no census has. {without}.")
    progress("linking the file with the census and voter lists")
    linked = _linked(run, project, run.inputs.table, _fields_before(run.inputs.treatment.variables), states, rows)
    found, places = linked["rows"], sorted({row["state"] for row in linked["rows"]})
    generalization = run.deidentified.generalization
    levels = {} if generalization is None else dict(generalization.levels())
    fields, left_out = released_fields(run.inputs.treatment.searched, levels)
    if generalization is not None and generalization.at_several_levels:
        progress("linking what is left")
        found = [*found, *_between(run, project, generalization, places)]
        notes.append(f"{_SEVERAL_LEVELS}.")
    elif not fields:
        notes.append(f"After: {_NOTHING_KNOWN}.")
    else:
        progress("linking what is left")
        after = _linked(run, project, run.written, fields, places, 0)
        found = [*found, *(row | {"when": "after"} for row in after["rows"])]
        if left_out:
            notes.append(f"After: without {', '.join(left_out)}, which the census does not have in this form.")
    return {"rows": found, "totals": _totals(found), "riskiest": linked["riskiest"], "notes": notes}


def _fields_before(variables: Sequence[Variable]) -> dict[str, FieldColumn]:
    """Return the columns of a file that a census has, by its name of them."""
    fields: dict[str, FieldColumn] = {}
    for variable in variables:
        name = _FINEST.get(variable.kind, "")
        if variable.kind == "year" and known_field(variable.name) in BIRTH_FIELDS:
            name = "birth_year"
        if name and variable.role not in (UNDECIDED, "direct"):
            form = variable.format if name == "birth_date" else ISO
            fields.setdefault(name, FieldColumn(variable.name, dict(variable.codes), form))
    return fields


def _one_of_each(fields: Mapping[str, FieldColumn]) -> dict[str, FieldColumn]:
    """Return the fields without those that a finer one of them says already."""
    coarser = {
        name for finer in _FINER for at, field in enumerate(finer) if field in fields for name in finer[at + 1 :]
    }
    return {name: column for name, column in fields.items() if name not in coarser}


def _linked(
    run: Run, project: Project, table: CodedTable, fields: Mapping[str, FieldColumn], states: Sequence[str], most: int
) -> dict[str, Any]:
    from policy_sim.study.record_file import RecordFile
    from policy_sim.study.study import Study

    fields = _one_of_each(fields)
    person = project.file.person if project.file.person in table.names else ""
    names = [*dict.fromkeys([*(field.column for field in fields.values()), *filter(None, [person])])]
    by_row, by_zip = most > 0 and not person, any(name in fields for name in _BY_ZIP)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.parquet"
        write_coded(CodedTable({name: table[name] for name in names}), path)
        known = run.inputs.treatment.known or "1"
        file = RecordFile(path, [*fields], ColumnMapping(fields), missing="exclude", person=person, known=known)
        population = project.population.name
        study = Study(f"{population}-zcta" if population == UNNAMED_IN_PROJECTS and by_zip else population)
        scored = file.score(study, states=list(states) or None, top=0, list_records=by_row)
    riskiest: dict[str, list[list[Any]]] = {}
    if by_row:
        listed = scored.tables["records"]
        for name in dict.fromkeys(score.attacker for score in scored.answer):
            low, high = f"{name}_chance", f"{name}_chance_high"
            greatest = listed.dropna(subset=[high]).sort_values([high, "row"], ascending=[False, True]).head(most)
            riskiest[name] = greatest[["row", low, high]].to_numpy().tolist()
    rows = [_row(row) for row in scored.to_frame().to_dict("records")]
    return {"rows": rows, "riskiest": riskiest}


def _between(run: Run, project: Project, of: Generalization, places: Sequence[str]) -> list[dict[str, Any]]:
    """Return the rows after a local recoding: a row shown names at least as well as at a level that holds it.

    It names at most as well as its values before, of the columns that are shown.
    """
    table, coarse = run.inputs.table.take(run.deidentified.drawn), of.at_one_level()
    searched = run.inputs.treatment.searched
    gone = {name for name, level in of.levels().items() if level == "nothing"}
    before = _fields_before([variable for variable in searched if variable.name not in gone])
    at_most = _linked(run, project, table.take(of.released), before, places, 0)["rows"] if before else []
    fields, _ = released_fields(searched, dict(coarse.levels()))
    shown = of.without_blanks(coarse.apply(table))
    least: list[dict[str, Any]] = []
    with suppress(InputError):  # the coarser release may not show where people live: nobody is then surely named
        least = _linked(run, project, shown, fields, places, 0)["rows"] if fields else []
    low = {(row["attacker"], row["state"]): row for row in least}
    rows = []
    for row in at_most:
        own = low.get((row["attacker"], row["state"]), {})
        ends = {f"{name}_low": own.get(f"{name}_low") or 0.0 for name in _ENDS if row[f"{name}_high"] is not None}
        rows.append(row | ends | {"when": "after"})
    return rows


def _row(row: Mapping[Any, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {name: str(row[name]) for name in ("attacker", "state", "status")}
    found |= {"when": "before", "records": int(row["records"]), "reason": str(row["reason"] or "")}
    for name, column in _ENDS.items():
        for end, its in (("low", column), ("high", f"{column}_high")):
            value = row.get(its)
            found[f"{name}_{end}"] = None if value is None or pd.isna(value) else float(value)
    return found


def _totals(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return one row per attacker with the states added up; None where a state has no figure."""
    totals: list[dict[str, Any]] = []
    for attacker, when in dict.fromkeys((row["attacker"], row["when"]) for row in rows):
        own = [row for row in rows if (row["attacker"], row["when"]) == (attacker, when)]
        counted = [row for row in own if row["people_high"] is not None]
        total = {"attacker": attacker, "when": when, "records": sum(row["records"] for row in own)}
        total["without"] = len(own) - len(counted)
        for end in ("people_low", "people_high"):
            total[end] = sum(row[end] for row in counted) if counted else None
        totals.append(total)
    return totals
