"""A released file linked with the census and with voter lists, as ``dataset score`` links any file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from policy_sim.deidentify.treatments import Variable
from policy_sim.errors import PolicySimError
from policy_sim.records.column_mapping import ColumnMapping, FieldColumn
from policy_sim.release_project.project import Project

__all__ = ["linkage_of", "released_fields"]

# What a level of a kind shows, as the name of a field of the census.
_FIELDS: Mapping[tuple[str, str], str] = {
    ("sex", "value"): "sex",
    ("race", "value"): "race",
    ("state", "value"): "state",
    ("county", "value"): "county",
    ("county", "2 letters"): "state",
    ("zip", "five digits"): "zip5",
    ("zip", "three digits"): "zip3",
    ("birth_date", "day"): "birth_date",
    ("birth_date", "month"): "birth_month",
    ("birth_date", "year"): "birth_year",
    ("year", "value"): "birth_year",
}
_COLUMNS = (
    "attacker",
    "state",
    "linkage_key",
    "records",
    "total_risk",
    "largest_chance",
    "price_usd",
    "status",
    "reason",
)


def released_fields(
    variables: tuple[Variable, ...], levels: Mapping[str, str]
) -> tuple[dict[str, FieldColumn], list[str]]:
    """Return the fields of a census that a release shows, and the key fields that no census has in that form.

    Parameters
    ----------
    variables : The variables of the release.
    levels : The level of each searched variable.

    Examples
    --------
    >>> age = Variable("years", "key", "known", "age", top=90)
    >>> dx = Variable("dx", "key", "known", "code")
    >>> fields, left_out = released_fields((age, dx), {"years": "5 wide", "dx": "3 letters"})
    >>> fields["age"].width, fields["age"].top, left_out
    (5, 90, ['dx'])
    """
    fields: dict[str, FieldColumn] = {}
    left_out = []
    for variable in variables:
        level = levels.get(variable.name, "nothing")
        if level == "nothing":
            continue
        if variable.kind == "age" and level in ("value", "5 wide", "10 wide", "20 wide"):
            width = 1 if level == "value" else int(level.split()[0])
            fields["age"] = FieldColumn(variable.name, dict(variable.codes), width=width, top=variable.top)
        elif name := _FIELDS.get((variable.kind, level)):
            form = "%Y-%m" if level == "month" else "%Y-%m-%d"  # a day is released in this form whatever it was
            fields[name] = FieldColumn(variable.name, dict(variable.codes), form)
        else:
            left_out.append(variable.name)
    return fields, left_out


def linkage_of(
    project: Project, variables: tuple[Variable, ...], levels: Mapping[str, str], released: Path, population: str = ""
) -> dict[str, Any] | None:
    """Return what someone who knows everyone, and a holder of the voter list, gets out of a released file.

    Parameters
    ----------
    project : A project whose population is a census; any other has no linkage.
    variables, levels : What was released, and how.
    released : The released file.
    population : Another census than the project's.

    Returns
    -------
    ``rows`` (one per attacker and state), ``left_out`` and ``notes``; None without a census, or where no field of the
    release is one of it.
    """
    if project.population.source != "census":
        return None
    fields, left_out = released_fields(variables, levels)
    if not fields:
        return None
    from policy_sim.record_file import RecordFile
    from policy_sim.study import Study

    try:
        file = RecordFile(released, list(fields), mapping=ColumnMapping(fields))
        scored = file.score(Study(population or project.population.name), states=list(project.population.states))
    except PolicySimError as error:
        return {"rows": [], "left_out": left_out, "notes": [f"not linked: {error}"]}
    frame = scored.to_frame()[list(_COLUMNS)]
    rows = [
        {name: None if pd.isna(value) else value for name, value in row.items()} for row in frame.to_dict("records")
    ]
    return {"rows": rows, "left_out": left_out, "notes": [str(note) for note in scored.notes[1:]]}
