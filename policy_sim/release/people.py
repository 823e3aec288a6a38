"""The people who could be confused with those of a file, and a released file linked with the census and voter lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from policy_sim.files.writing import sha256_of
from policy_sim.people.names import county_in_text
from policy_sim.people.places import by_ethnicity
from policy_sim.people.population import Population
from policy_sim.records.census_values import (
    HISPANIC,
    RACE_FIELDS,
    ColumnMapping,
    FieldColumn,
    alike_name,
    classes_of,
    read_field,
)
from policy_sim.records.formats import CodedColumn, CodedTable, counted_by, read_coded
from policy_sim.release.project import Project
from policy_sim.release.treatments import Variable
from policy_sim.release.written import postal_codes, spelled_table, visible_table
from policy_sim.words.arrays import IntArray
from policy_sim.words.errors import InputError, PolicySimError, UnknownNameError
from policy_sim.words.states import POSTAL_OF_FIPS, STATES, find_states

# What a census calls each kind of variable.
_CENSUS = {"zip": "zip5"} | {name: name for name in ("zip3", "sex", *RACE_FIELDS, "age", "county", "state")}


def people_of_project(
    project: Project, variables: Sequence[Variable], table: CodedTable
) -> tuple[tuple[CodedTable, IntArray] | None, str, dict[str, str]]:
    """Return the people of a project's population, what they are, and the sha256 of where they come from."""
    settings = project.population
    keys = [variable for variable in variables if variable.is_searched]
    if settings.source == "file":
        path = project.folder / settings.name
        people = read_coded(path, project.file.missing)
        keys = [key for key in keys if key.name in people.names]
        if not keys:
            raise InputError(
                f"{path.name}: has none of the key fields. Name its columns as those of the file of records."
            )
        counts, by = _counted(people, settings.counts, path.name)
        seen, _ = visible_table(CodedTable({key.name: people[key.name] for key in keys}), keys, project.file.missing)
        counted = spelled_table(seen, keys)
        title = f"{int(counts.sum()):,} people of {path.name}{by}"
        return (counted, counts), title, {path.name: sha256_of(path)}
    if settings.source == "census":
        from policy_sim.study.study import Study

        population = Study(settings.name).people
        if not settings.states:
            raise InputError("a census population needs states. Name those in which the people of the file live.")
        in_states = population.in_states([state.postal for state in find_states(settings.states)])
        title = f"{population.provenance.describe()}; states: {', '.join(settings.states)}"
        races = [variable for variable in keys if variable.kind in RACE_FIELDS]
        ethnicity = any(_reading(variable, table)[0] in ("ethnicity", "race_ethnicity") for variable in races)
        sources = population.provenance.checksums(ethnicity=ethnicity)
        beside = next((variable for variable in variables if variable.kind == "state"), None)
        counties = next((read_counties(v, table, beside, in_states.states) for v in keys if v.kind == "county"), None)
        title += "" if counties is None else counties.elsewhere_words(table.rows)
        return census_people(in_states, keys, table, beside), title, sources
    return None, "the records of the file", {}


def _counted(people: CodedTable, column: str, file: str) -> tuple[IntArray, str]:
    """Return the people of each row of a population's file, one or as many as a column counts, and by which column."""
    column = alike_name(column, people.names) or column if column else counted_by(people)
    if not column:
        return np.ones(people.rows, dtype=np.int64), ""
    if column not in people.names:
        raise UnknownNameError(f"column of {file} that counts people", column, people.names)
    counting = people[column]
    texts = [text.strip().replace(",", "") for text in counting.rows_of_values()]
    wrong = sum(not (text.isascii() and text.isdigit()) for text in texts) + counting.missing
    if wrong:
        raise InputError(
            f"{file}: column {column} counts the people of each row, and {wrong:,} of its values are no whole number. "
            "Write 0 where there are none, and leave out rows whose number is unknown."
        )
    numbers = np.array([0, *map(int, texts)], dtype=np.int64)
    return numbers[counting.codes], f", counted by its column {column}"


@dataclass(frozen=True)
class CountyTexts:
    """What a column of counties says: the file's text for each county of a population's states.

    ``code_of`` is the county of each text; empty for a text that stands for counties of two states. ``elsewhere`` are
    the rows of other states, by postal code. The ``unread`` texts are understood as no county.
    """

    text_of: Mapping[str, str]
    code_of: Mapping[str, str]
    elsewhere: Mapping[str, int]
    unread: frozenset[str]

    def elsewhere_words(self, rows: int) -> str:
        """Name the rows of other states, whose people the population does not have; empty for none."""
        if not self.elsewhere:
            return ""
        live = [f"{number:,} live in {STATES[state].name}" for state, number in sorted(self.elsewhere.items())]
        return f"; of {rows:,} rows {' and '.join(live)}: outside these states, a class counts only people of the file"


def read_counties(variable: Variable, table: CodedTable, beside: Variable | None, states: Sequence[str]) -> CountyTexts:
    """Read a column of counties, by name or code, with the column of states ``beside`` it.

    Without such a column, or where it is blank, a name is of the only one of the ``states`` that has such a county.
    """
    codes, texts = dict(variable.codes), ["", *map(str, table[variable.name].values)]
    postal = [None] if beside is None else postal_codes(beside, table)
    stated = np.zeros_like(table[variable.name].codes) if beside is None else table[beside.name].codes
    pairs, counts = np.unique(np.stack([stated, table[variable.name].codes]), axis=1, return_counts=True)
    elsewhere: Counter[str] = Counter()
    rows_of: Counter[tuple[str, str]] = Counter()
    unread = set()
    for (at, place), rows in zip(pairs.T.tolist(), counts.tolist(), strict=True):
        text, own = texts[place], postal[at] or ""
        code = _county_code(codes.get(text, text), own, states) if text else ""
        of_code = own or POSTAL_OF_FIPS.get(code[:2], "")
        if of_code and of_code not in states:
            elsewhere[of_code] += rows
        if code:
            rows_of[code, text] += rows
        elif text and of_code in ("", *states):
            unread.add(text)
    code_of: dict[str, str] = {}
    text_of: dict[str, str] = {}
    for (code, text), _ in rows_of.most_common():
        code_of[text] = code if code_of.setdefault(text, code) == code else ""
        if POSTAL_OF_FIPS[code[:2]] in states:
            text_of.setdefault(code, text)
    return CountyTexts(text_of, code_of, elsewhere, frozenset(unread))


def _county_code(text: str, stated: str, states: Sequence[str]) -> str:
    """Return the code of a county; empty where none is understood, or where its text names another state."""
    found = {county_in_text(text, state) for state in ([stated] if stated else states)} - {None}
    code = found.pop() or "" if len(found) == 1 else ""
    return "" if stated and POSTAL_OF_FIPS.get(code[:2]) != stated else code


def census_people(
    people: Population, keys: Sequence[Variable], table: CodedTable, beside: Variable | None = None
) -> tuple[CodedTable, IntArray]:
    """Return the cells of a census as rows with the key fields of a file, and the people of each.

    A code of the census becomes the file's own text where the file has one for it, such as 1 for M. Key fields that
    the census does not have are left out. ``beside`` is the column of states, with which names of counties are read.
    """
    read = {variable.name: _reading(variable, table, beside, people.states) for variable in keys}
    cells = by_ethnicity(people).cells
    if {"race", "ethnicity"} <= set(cells):
        hispanic = cells["ethnicity"] == HISPANIC
        cells = cells.assign(race_ethnicity=cells["race"].astype(str).where(~hispanic, HISPANIC))
    if "zip5" in cells and any(name == "zip3" for name, _ in read.values()):
        cells = cells.assign(zip3=cells["zip5"].astype(str).str[:3])
    unknown = [variable.name for variable in keys if read[variable.name][0] not in cells]
    keys = [variable for variable in keys if variable.name not in unknown]
    names = [read[variable.name][0] for variable in keys]
    if not keys:
        raise InputError(
            f"population {people.name} has no {', '.join(unknown)}. A census has only sex, race, ethnicity, age, "
            f"county, state and ZIP code. Use another population, or the records of the file."
        )
    cells = cells.groupby(names, sort=True, observed=True)["people"].sum().reset_index()
    columns = {}
    for variable, name in zip(keys, names, strict=True):
        texts = read[variable.name][1]
        columns[variable.name] = CodedColumn.of([texts.get(str(code), str(code)) for code in cells[name]])
    return CodedTable(columns), cells["people"].to_numpy().astype(np.int64)


def _reading(
    variable: Variable, table: CodedTable, beside: Variable | None = None, states: Sequence[str] = ()
) -> tuple[str, dict[str, str]]:
    """Return the census's name of what a variable shows, and for each of its codes the file's own text."""
    name = _CENSUS.get(variable.kind, "")
    if name not in ("sex", *RACE_FIELDS, "state", "county"):
        return name, {}
    if name == "county":
        counties = read_counties(variable, table, beside, states)
        _refuse_unread(variable, len(counties.unread))
        return name, dict(counties.text_of)
    held = table[variable.name]
    reading = read_field(name, FieldColumn(variable.name, dict(variable.codes)), held.values)
    _refuse_unread(variable, sum(meaning is None for meaning in reading.meanings))
    meanings = zip(map(str, reading.meanings), held.values, strict=True)
    return reading.field, {code: value for meaning, value in meanings for code in classes_of(meaning)}


def _refuse_unread(variable: Variable, unread: int) -> None:
    if unread:
        example = '{ Frankln = "Franklin" }' if variable.kind == "county" else '{ 1 = "M" }'
        raise InputError(
            f"{variable.name}: {unread:,} distinct value{'s are' if unread > 1 else ' is'} not understood as "
            f"{variable.kind}, so that nobody of the census has them: give codes, such as codes = {example}, or "
            "declare the texts that stand for a missing value."
        )


# What a level of a kind shows, as the name of a field of the census.
_FIELDS: Mapping[tuple[str, str], str] = {
    ("sex", "value"): "sex",
    **{(name, "value"): name for name in RACE_FIELDS},
    ("state", "value"): "state",
    ("county", "value"): "county",
    ("county", "state"): "state",
    ("zip", "five digits"): "zip5",
    ("zip", "three digits"): "zip3",
    ("birth_date", "day"): "birth_date",
    ("birth_date", "month"): "birth_month",
    ("birth_date", "year"): "birth_year",
    ("year", "value"): "birth_year",
}
_COLUMNS = [
    *("attacker", "state", "linkage_key", "records", "total_risk", "largest_chance", "price_usd"),
    *("status", "reason"),
]


def released_fields(
    variables: tuple[Variable, ...], levels: Mapping[str, str]
) -> tuple[dict[str, FieldColumn], list[str]]:
    """Return the fields of a census that a release shows, and the key fields that no census has in that form."""
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


def county_codes(project: Project, variables: Sequence[Variable], table: CodedTable) -> dict[str, str]:
    """Return the county of each text of a file whose population is a census; empty for one of counties of two states.

    A release that shows no state needs them: its names of counties do not say theirs.
    """
    county = next((v for v in variables if v.kind == "county" and v.is_searched), None)
    if county is None or project.population.source != "census":
        return {}
    states = [state.postal for state in find_states(project.population.states)]
    beside = next((variable for variable in variables if variable.kind == "state"), None)
    return dict(read_counties(county, table, beside, states).code_of)


def linkage_of(
    project: Project,
    variables: tuple[Variable, ...],
    levels: Mapping[str, str],
    released: Path,
    population: str = "",
    counties: Mapping[str, str] | None = None,
) -> dict[str, Any] | None:
    """Return what someone who knows everyone, and a holder of the voter list, gets out of a released file.

    There is one of the ``rows`` per attacker and state; None without a census, or where it has no field of the release.
    ``counties`` are the codes of the texts of counties (:func:`county_codes`).
    """
    fields, left_out = released_fields(variables, levels)
    if project.population.source != "census" or not fields:
        return None
    if "county" in fields and counties and "state" not in fields:
        fields["county"] = replace(fields["county"], codes=counties)
    from policy_sim.study.record_file import RecordFile
    from policy_sim.study.study import Study

    try:
        file = RecordFile(released, list(fields), mapping=ColumnMapping(fields))
        scored = file.score(Study(population or project.population.name), states=list(project.population.states))
    except PolicySimError as error:
        return {"rows": [], "left_out": left_out, "notes": [f"not linked: {error}"]}
    frame = scored.to_frame()[_COLUMNS]
    rows = [
        {name: None if pd.isna(value) else value for name, value in row.items()} for row in frame.to_dict("records")
    ]
    notes = [str(note) for note in scored.notes[1:]]
    return {"rows": rows, "left_out": left_out, "notes": notes, "counties": dict(counties or {})}
