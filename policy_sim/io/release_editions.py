"""Editions of the guidelines from ``data/release_questions``: steps and questions, with their sources."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from policy_sim.errors import UnknownNameError
from policy_sim.io.toml_files import damaged_if_wrong, shipped_files, shipped_table
from policy_sim.release_project.questionnaire import Edition, ReleaseQuestion, Step

__all__ = ["list_editions", "load_edition"]


def list_editions() -> dict[str, Path]:
    """Return the shipped editions: name to file.

    >>> sorted(list_editions())
    ['ipc-2016', 'ipc-2025']
    """
    return shipped_files("release_questions")


def load_edition(name: str) -> Edition:
    """Return an edition by name.

    Raises
    ------
    UnknownNameError : no edition has that name.
    SourceError : its file is damaged.
    """
    shipped = list_editions()
    if name not in shipped:
        raise UnknownNameError("edition of the guidelines", name, shipped)
    with damaged_if_wrong(shipped[name]):
        table = shipped_table(shipped[name])
        steps = tuple(Step(**entry) for entry in table.pop("steps"))
        questions = tuple(_question(entry) for entry in table.pop("questions"))
        return Edition(**{**table, "also": tuple(table["also"])}, steps=steps, questions=questions)


def _question(table: dict[str, Any]) -> ReleaseQuestion:
    table["consider"] = tuple(table.get("consider", ()))
    table["when"] = {key: tuple(values) for key, values in table.get("when", {}).items()}
    return ReleaseQuestion(**table)
