"""The people who could be confused with those of a file, in the words of the file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from policy_sim.arrays import IntArray
from policy_sim.deidentify.coded_columns import CodedColumn, CodedTable
from policy_sim.deidentify.treatments import Variable
from policy_sim.errors import InputError
from policy_sim.io.coded_files import read_coded
from policy_sim.population.population import Population
from policy_sim.records.census_values import read_field
from policy_sim.records.column_mapping import FieldColumn
from policy_sim.release_project.project import Project

__all__ = ["census_people", "people_of_project"]

# Which column of a census stands for each kind of variable, and how many of its letters.
_CENSUS = {"sex": "sex", "race": "race", "age": "age", "county": "county", "state": "state", "zip": "zip5"}


def people_of_project(
    project: Project, folder: Path, variables: Sequence[Variable], table: CodedTable
) -> tuple[tuple[CodedTable, IntArray] | None, str, dict[str, str]]:
    """Return the people of a project's population, what they are, and the sha256 of where they come from.

    Raises
    ------
    InputError : a key field that the census does not know, or no state.
    SourceError : a file that cannot be read.
    """
    from policy_sim.io.files import sha256_of

    settings = project.population
    keys = [variable for variable in variables if variable.is_searched]
    if settings.source == "file":
        path = folder / settings.name
        people = read_coded(path, project.file.missing)
        counted = CodedTable({variable.name: people[variable.name] for variable in keys})
        description = f"{people.rows:,} people of {path.name}"
        return (counted, np.ones(people.rows, dtype=np.int64)), description, {path.name: sha256_of(path)}
    if settings.source == "census":
        from policy_sim.states import find_states
        from policy_sim.study import Study

        population = Study(settings.name).people
        if not settings.states:
            raise InputError("a census population needs states. Name those in which the people of the file live.")
        in_states = population.in_states([state.postal for state in find_states(settings.states)])
        description = f"{population.provenance.describe()}; states: {', '.join(settings.states)}"
        return (
            census_people(in_states, keys, table),
            description,
            {f"population {population.name}": population.provenance.sha256},
        )
    return None, "the records of the file", {}


def census_people(people: Population, keys: Sequence[Variable], table: CodedTable) -> tuple[CodedTable, IntArray]:
    """Return the cells of a census as rows with the key fields of a file, and the people of each.

    A code of the census becomes the file's own text where the file has one for it, such as 1 for M.

    Parameters
    ----------
    people : The population.
    keys : The key variables, of kinds that a census has: sex, race, age, county, state, zip.
    table : The file.

    Raises
    ------
    InputError : a kind that the census does not have, or values that are not understood.
    """
    unknown = [variable.name for variable in keys if _CENSUS.get(variable.kind, "") not in people.cells]
    if unknown:
        raise InputError(
            f"population {people.name} has no {', '.join(unknown)}. A census has only sex, race, age, county, state "
            f"and ZIP code. Use another population, or the records of the file."
        )
    names = [_CENSUS[variable.kind] for variable in keys]
    cells = people.cells.groupby(names, sort=True, observed=True)["people"].sum().reset_index()
    columns = {}
    for variable, name in zip(keys, names, strict=True):
        texts = _own_texts(variable, table[variable.name].values)
        columns[variable.name] = CodedColumn.of([texts.get(str(code), str(code)) for code in cells[name]])
    return CodedTable(columns), cells["people"].to_numpy().astype(np.int64)


def _own_texts(variable: Variable, values: Sequence[str]) -> dict[str, str]:
    """Return for each code of the census the file's own text."""
    if variable.kind not in ("sex", "race", "state", "county"):
        return {}
    meanings = read_field(variable.kind, FieldColumn(variable.name, dict(variable.codes)), values).meanings
    unread = sum(meaning is None for meaning in meanings)
    if unread:
        raise InputError(
            f"{variable.name}: {unread:,} distinct value{'s are' if unread > 1 else ' is'} not understood as "
            f'{variable.kind}, so that nobody of the census has them: give codes, such as codes = {{ 1 = "M" }}, or '
            "declare the texts that stand for a missing value."
        )
    return {str(meaning): value for meaning, value in zip(meanings, values, strict=True)}
