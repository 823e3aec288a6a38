"""Release checks from TOML: rules on small cells, with their sources."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from policy_sim.analyses.disclosure_rules import CellSize, ReleaseCheck, Scoring
from policy_sim.errors import SourceError, UnknownNameError
from policy_sim.io.paths import data_dir

__all__ = ["list_release_checks", "load_release_check"]


def list_release_checks() -> dict[str, Path]:
    """Return the shipped checks: name to file."""
    return {path.stem: path for path in sorted((data_dir() / "release_checks").glob("*.toml"))}


def load_release_check(name: str) -> ReleaseCheck:
    """Return a check by name.

    Raises
    ------
    UnknownNameError : no check has that name.
    SourceError : its file is damaged.
    """
    shipped = list_release_checks()
    if name not in shipped:
        raise UnknownNameError("release check", name, shipped)
    try:
        table = tomllib.loads(shipped[name].read_text(encoding="utf-8"))
        kind = table.pop("kind")
        facts = {key: _frozen(value) for key, value in table.items()}
        return CellSize(name=name, **facts) if kind == "cell-size" else Scoring(name=name, **facts)
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise SourceError(f"{shipped[name]}: cannot be read ({error}). Install policy-sim again.") from error


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value
