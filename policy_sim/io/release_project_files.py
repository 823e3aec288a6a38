"""Release projects from TOML, read strictly: every problem of a file at once, and no key ignored."""

from __future__ import annotations

import datetime as dt
import tomllib
from pathlib import Path, PurePath
from typing import Any

from policy_sim.deidentify.treatments import ROLES, UNDECIDED, Variable
from policy_sim.deidentify.user_analyses import STATISTICS, UserAnalysis
from policy_sim.errors import PolicySimError, SchemaError, SourceError
from policy_sim.io.hierarchy_files import read_hierarchy
from policy_sim.io.release_editions import list_editions, load_edition
from policy_sim.io.toml_table import TomlTable, not_toml, toml_table
from policy_sim.release_project.project import (
    AIMS,
    SOURCES,
    FileSettings,
    Look,
    PopulationSettings,
    Project,
    ReleaseSettings,
    TargetSettings,
)
from policy_sim.release_project.questionnaire import Answer, Edition

__all__ = ["load_project", "parse_project"]


def load_project(path: Path) -> Project:
    """Read a project file.

    Raises
    ------
    SourceError : it cannot be read.
    SchemaError : it breaks its schema; every problem is named.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or 'not UTF-8'}).") from error
    return parse_project(text, str(path), path.parent)


def parse_project(text: str, where: str, folder: Path) -> Project:
    """Read a project from its text; files that it names lie in ``folder``.

    Raises
    ------
    SchemaError : it breaks its schema; every problem is named.
    """
    try:
        raw = toml_table(text)
    except tomllib.TOMLDecodeError as error:
        raise SchemaError(where, [not_toml(error, text)]) from error
    problems: list[str] = []
    table = TomlTable(raw, problems)
    title = table.text("title", required=True)
    name = table.choice("edition", list(list_editions()), "ipc-2016")
    edition = load_edition(name)
    file = _file(table.table("file", required=True))
    variables, undecided, classified, looks = _variables(table.table("variables"), folder, problems)
    answers = _answers(table.table("answers"), edition, problems)
    settings = _settings(table.table("settings"))
    target, population = _target(table.table("target"), problems), _population(table.table("population"))
    analyses = _analyses(table, problems)
    results = table.table("results").raw
    table.done()
    if problems:
        raise SchemaError(where, problems)
    return Project(
        title,
        edition,
        file,
        variables,
        undecided,
        answers,
        target,
        population,
        settings,
        analyses,
        classified,
        results,
        looks,
    )


def _file(table: TomlTable) -> FileSettings:
    settings = FileSettings(
        table.text("location", required=True),
        tuple(dict.fromkeys(["", *table.texts("missing")])),
        table.text("separator"),
        table.text("person"),
        table.date("day"),
        table.text("sheet"),
    )
    table.done()
    return settings


def _variables(
    tables: TomlTable, folder: Path, problems: list[str]
) -> tuple[tuple[Variable, ...], tuple[str, ...], dict[str, str], dict[str, Look]]:
    variables, undecided, classified, looks = [], [], {}, {}
    for name in tables.raw:
        table = tables.table(name)
        role = table.choice("role", [UNDECIDED, *ROLES], UNDECIDED)
        by, on = table.text("by"), table.date("on")
        if by or on:
            classified[name] = ", ".join(str(part) for part in (by, on) if part)
        settings: dict[str, Any] = {
            "kind": table.text("kind") or "category",
            "treatment": table.text("treatment"),
            "levels": table.texts("levels"),
            "widths": _whole_numbers(table, "widths"),
            "lengths": _whole_numbers(table, "lengths"),
            "top": _whole_number(table, "top"),
            "bottom": _whole_number(table, "bottom"),
            "purpose": table.text("purpose"),
            "codes": _codes(table.table("codes")),
            "accepted": table.flag("accepted"),
            "may_be": table.texts("may_be"),
        }
        looks[name] = Look(table.text("looks"), table.choice("guess", ["", *ROLES], ""))
        if form := table.text("format"):
            settings["format"] = form
        reason, hierarchy = table.text("reason"), table.text("hierarchy")
        table.done(["top", "bottom", "widths", "lengths"])
        if role == UNDECIDED:
            undecided.append(name)
            continue
        try:
            if hierarchy:
                settings |= {"rows": read_hierarchy(folder / hierarchy), "kind": "table"}
            variables.append(Variable(name, role, reason, **settings))
        except PolicySimError as error:
            problems.append(f"variables.{name}: {error}")
    return tuple(variables), tuple(undecided), classified, looks


def _answers(tables: TomlTable, edition: Edition, problems: list[str]) -> dict[str, Answer]:
    answers: dict[str, Answer] = {}
    for name in tables.raw:
        table = tables.table(name)
        value = table.raw.get("value", "")
        text = value.isoformat() if isinstance(value, dt.date) else str(value)
        answer = Answer(text, table.text("by"), table.date("on"), table.text("evidence"))
        table.done(["value"])
        try:
            edition.question(name).check(text)
        except PolicySimError as error:
            problems.append(f"answers.{name}: {error}")
            continue
        answers[name] = answer
    return answers


def _settings(table: TomlTable) -> ReleaseSettings:
    settings = ReleaseSettings(
        limit=table.number("limit", 0.05),
        loss=table.choice("loss", ("geometric", "arithmetic"), "geometric"),
        local=table.flag("local"),
        shift_days=int(table.number("shift_days", 180)),
        sample=table.number("sample", 1.0),
        seed=int(table.number("seed", 0)),
        key_file=table.text("key_file"),
    )
    if PurePath(settings.key_file).is_absolute() or ".." in PurePath(settings.key_file).parts:
        table.problem("key_file", "leaves the folder of the project. Name a file in that folder, such as release.key.")
    table.done()
    return settings


def _target(table: TomlTable, problems: list[str]) -> TargetSettings:
    aim = table.choice("aim", list(AIMS), "threshold")
    texts = {name: table.text(name) for name in ("policy", "measure", "threshold", "cutoff", "sizes")}
    table.done()
    try:
        return TargetSettings(aim, **{name: text for name, text in texts.items() if text})
    except PolicySimError as error:
        problems.append(f"target: {error}")
        return TargetSettings()


def _population(table: TomlTable) -> PopulationSettings:
    source = table.choice("source", list(SOURCES), "none")
    settings = PopulationSettings(source, table.text("name") or "us-2020", table.texts("states"))
    table.done()
    return settings


def _analyses(table: TomlTable, problems: list[str]) -> tuple[UserAnalysis, ...]:
    analyses = []
    for analysis in table.tables("analyses"):
        name = analysis.text("name", required=True)
        statistic = analysis.choice("statistic", list(STATISTICS), "count", required=True)
        of, by, value = analysis.text("of"), analysis.texts("by"), analysis.text("value")
        analysis.done()
        try:
            analyses.append(UserAnalysis(name, statistic, of, by, value))
        except PolicySimError as error:
            problems.append(str(error))
    return tuple(analyses)


def _codes(table: TomlTable) -> tuple[tuple[str, str], ...]:
    return tuple((code, table.text(code)) for code in table.raw)


def _whole_numbers(table: TomlTable, key: str) -> tuple[int, ...]:
    value = table.raw.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, int) and not isinstance(item, bool) for item in value):
        table.problem(key, "is not a list of whole numbers such as [5, 10].")
        return ()
    return tuple(value)


def _whole_number(table: TomlTable, key: str) -> int | None:
    value = table.raw.get(key)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool):
        table.problem(key, "is not a whole number, such as 90.")
        return None
    return value
