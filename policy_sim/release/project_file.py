"""A project file on disk: made for a file of records, and its answers, roles and settings changed one by one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from policy_sim.files.writing import locked_folder, replace_file
from policy_sim.policies.files import load_policy
from policy_sim.records.census_values import ColumnMapping, alike_name, column_place, name_in_file
from policy_sim.records.check import names_person, sounds_like_person
from policy_sim.records.column_kinds import ColumnValues, column_kind
from policy_sim.records.engines.sources import is_database, scheme_of
from policy_sim.records.formats import CodedTable, column_values, read_coded, refuse_counts
from policy_sim.records.mapping import load_mapping
from policy_sim.release.files import (
    load_project,
    new_project_text,
    parse_project,
    read_text,
    with_keys,
    without_table,
)
from policy_sim.release.project import Project, StepState, load_edition
from policy_sim.words.arguments import day, name_of, short, text
from policy_sim.words.errors import InputError, OutputError


class ProjectFile:
    """The file of a release project; every change is checked first and then written."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(name_of("path", path, "'visits.toml'"))
        self.project = load_project(self.path)

    @classmethod
    def new(
        cls,
        file: str | Path,
        path: str | Path,
        *,
        title: str = "",
        edition: str = "ipc-2016",
        mapping: str | Path | None = None,
        policy: str = "",
        sheet: str = "",
    ) -> Self:
        """Write a new project: every column is undecided, with what it looks like; its day is today's.

        Parameters
        ----------
        file : The file of records.
        path : The project file to write; it must not exist.
        title : What the release is called; by default the file's name.
        edition : ``ipc-2016`` or ``ipc-2025``.
        mapping : What the file's columns and codes mean, as ``dataset check`` writes it.
        policy : The policy that the release is to conform to, such as ``safe-harbor``: as the regulation states it,
            with ages computed today. By default the release aims at a threshold of risk.
        sheet : The sheet with the records, where the file is a workbook with several.

        Raises
        ------
        OutputError : the project file exists, or cannot be written.
        UnknownNameError : no such policy.
        SourceError, InputError : the file cannot be read.
        """
        location = name_of("file", file, "'visits.csv'")
        if is_database(str(location)):
            raise InputError(
                f"{scheme_of(str(location))}: a release is made from a file of records, .csv, .xlsx or .parquet, not "
                f"from a database. Export the table to a file first."
            )
        file, path = Path(location), Path(name_of("path", path, "'visits.toml'"))
        columns_known = ColumnMapping()
        if mapping is not None:
            columns_known = load_mapping(Path(name_of("mapping", mapping, "'visits-mapping.toml'")))
        edition, title, policy = name_of("edition", edition, "'ipc-2016'"), text("title", title), text("policy", policy)
        if path.exists():
            raise OutputError(f"{path} already exists. Choose another name.")
        load_edition(edition)
        if policy:
            load_policy(policy)  # an unknown name is an error here, not at the first run
        columns_known = replace(columns_known, sheet=text("sheet", sheet) or columns_known.sheet)
        table = read_coded(file, columns_known.missing, columns_known.separator or "", columns_known.sheet)
        refuse_counts(file.name, table)
        columns = {name: column_values(name, table[name]) for name in table.names}
        columns_known = _named_as_in(table, columns_known, file.name)
        columns_known = replace(columns_known, person=columns_known.person or _person(columns))
        place, today = _relative(file, path.parent), dt.date.today()
        written = new_project_text(path.name, title or file.stem, edition, place, columns, columns_known, policy, today)
        parse_project(written, str(path), path.parent)
        replace_file(path, written.encode())
        return cls(path)

    def status(self) -> tuple[StepState, ...]:
        """Return where every step of the edition stands, and what is missing."""
        return self.project.states

    def answer(
        self, question: str, value: str, *, by: str = "", evidence: str = "", on: dt.date | str | None = None
    ) -> Project:
        """Write an answer into the project file; an earlier one is replaced.

        Parameters
        ----------
        question : Its name.
        value : The answer.
        by, evidence, on : Who says so, on what it rests, and when.

        Raises
        ------
        UnknownNameError : no such question, or none of its choices.
        InputError : an answer of another kind.
        """
        name = name_of("question", question, "'invasion'")
        value = self.project.edition.question(name).check(name_of(name, value, "'medium'"))
        return self._set(["answers", name], {"value": value, **_who(by, on), "evidence": text("evidence", evidence)})

    def classify(
        self, column: str, role: str, reason: str, *, by: str = "", on: dt.date | str | None = None, **settings: Any
    ) -> Project:
        """Write the role of a column into the project file.

        Parameters
        ----------
        column : The column.
        role : ``direct``, ``key``, ``sensitive`` or ``other``.
        reason : Why.
        by, on : Who says so, and when.
        settings : Any of the other keys of a variable, such as ``kind`` or ``treatment``.

        Raises
        ------
        SchemaError : a role, kind or setting that does not go with the others.
        """
        column = name_of("column", column, "'age'")
        column = alike_name(column, self.columns) or column
        decision = {"role": name_of("role", role, "'key'"), "reason": text("reason", reason), **_who(by, on)}
        return self._set(["variables", column], {"accepted": None, **settings, **decision})

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that the project names, classified or not."""
        return tuple(self.project.looks)

    def accept_guesses(self, *, by: str, on: dt.date | str | None = None) -> tuple[str, ...]:
        """Accept the guess about each undecided column that has one: the values show it, or the column is dropped.

        A column whose name alone suggests what it is has no guess, and stays out of the release. ``by`` is who answers
        for the guesses, ``on`` when; the columns are returned in the order of the file.

        Raises
        ------
        InputError : nobody answers for them.
        """
        if not text("by", by):
            raise InputError("accepted guesses need the name of the person who answers for them, such as 'A. Officer'.")
        who = _who(by, on)
        with locked_folder(self.path.parent):
            self.project = load_project(self.path)
            guesses = {name: look for name in self.project.undecided if (look := self.project.looks[name]).guess}
            changes: dict[tuple[str, ...], dict[str, Any]] = {}
            for name, look in guesses.items():
                reason = f"accepted guess: {look.text.split('; values look like')[0]}"
                decision = {"role": look.guess, "reason": reason, "accepted": True, **who}
                changes["variables", name] = decision
            if changes:
                self._change(changes)
            return tuple(guesses)

    def set(self, table: str, **values: Any) -> Project:
        """Change keys of one of the tables ``file``, ``target``, ``population`` or ``settings``.

        Parameters
        ----------
        table : ``file``, ``target``, ``population`` or ``settings``.
        values : The keys of the table and their values.

        Raises
        ------
        SchemaError : a key or value that the table does not have.
        """
        return self._set([name_of("table", table, "'settings'")], values)

    def _set(self, keys: list[str], values: dict[str, Any]) -> Project:
        """Change keys of a table while no other run does: answers given at once are all kept."""
        checked = {
            key: None if isinstance(value, str) and not value else _toml_value(key, value)
            for key, value in values.items()
        }
        with locked_folder(self.path.parent):
            return self._change({tuple(keys): checked})

    def _change(self, changes: dict[tuple[str, ...], dict[str, Any]]) -> Project:
        before = read_text(self.path)
        if {keys[0] for keys in changes} - {"answers", "results"}:  # what was run is no longer this project
            before = without_table(before, "results")
        written = with_keys(before, changes)
        self.project = parse_project(written, str(self.path), self.path.parent)
        replace_file(self.path, written.encode())
        return self.project


def _who(by: str, on: dt.date | str | None) -> dict[str, Any]:
    """Return who says so and when, checked."""
    return {"by": text("by", by), "on": None if on is None else day("on", on)}


def _toml_value(key: str, value: Any) -> Any:
    """Return a value that a project file can hold."""
    if value is None or isinstance(value, str | bool | int | float | dt.date):
        return value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, dict):
        return {text("a key", name): _toml_value(key, item) for name, item in value.items() if item is not None}
    if not isinstance(value, list | tuple) or any(item is None for item in value):
        raise InputError(f"{key} = {short(value)}: give a text, a number, a day, or a list of them.")
    return [_toml_value(key, item) for item in value]


def _person(columns: Mapping[str, ColumnValues]) -> str:
    """Return the column that identifies a person with several rows; empty where none seems to."""
    kinds = {name: column_kind(values) for name, values in columns.items() if sounds_like_person(name)}
    for name, kind in sorted(kinds.items(), key=lambda item: item[1].reason.endswith("a name")):  # numbers before names
        if names_person(name, kind) and columns[name].records.max(initial=0) > 1:
            return name
    return ""


def _named_as_in(table: CodedTable, mapping: ColumnMapping, file: str) -> ColumnMapping:
    """Return a mapping whose columns are written as in the file; one that the file lacks stays as it is."""
    person = table.names[column_place(file, mapping.person, table.names)] if mapping.person else ""
    fields = {
        name: replace(entry, column=name_in_file(file, entry.column, table.names))
        for name, entry in mapping.fields.items()
    }
    return replace(mapping, fields=fields, person=person)


def _relative(file: Path, folder: Path) -> str:
    """Return a file's place as seen from a folder where it lies inside it, and its whole place elsewhere."""
    with suppress(ValueError):
        return file.resolve().relative_to(folder.resolve()).as_posix()
    return file.resolve().as_posix()
