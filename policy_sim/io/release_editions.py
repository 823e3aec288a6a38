"""Editions of the guidelines from ``data/release_questions``: steps and questions, with their sources."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from policy_sim.errors import SourceError, UnknownNameError
from policy_sim.io.paths import data_dir
from policy_sim.releasing.questionnaire import Edition, ReleaseQuestion, Step

__all__ = ["list_editions", "load_edition"]


def list_editions() -> dict[str, Path]:
    """Return the shipped editions: name to file.

    >>> sorted(list_editions())
    ['ipc-2016', 'ipc-2025']
    """
    return {path.stem: path for path in sorted((data_dir() / "release_questions").glob("*.toml"))}


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
    try:
        table = tomllib.loads(shipped[name].read_text(encoding="utf-8"))
        steps = tuple(Step(**entry) for entry in table.pop("steps"))
        questions = tuple(_question(entry) for entry in table.pop("questions"))
        edition = Edition(**{**table, "also": tuple(table["also"])}, steps=steps, questions=questions)
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise SourceError(f"{shipped[name]}: cannot be read ({error}). Install policy-sim again.") from error
    return edition


def _question(table: dict[str, Any]) -> ReleaseQuestion:
    table["consider"] = tuple(table.get("consider", ()))
    table["when"] = {key: tuple(values) for key, values in table.get("when", {}).items()}
    return ReleaseQuestion(**table)
