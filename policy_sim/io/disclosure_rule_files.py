"""Release checks from TOML: rules on small cells, with their sources."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from policy_sim.analyses.disclosure_rules import CellSize, ReleaseCheck, Scoring
from policy_sim.errors import UnknownNameError
from policy_sim.io.toml_files import damaged_if_wrong, shipped_files, shipped_table

__all__ = ["list_release_checks", "load_release_check"]


def list_release_checks() -> dict[str, Path]:
    """Return the shipped checks: name to file."""
    return shipped_files("release_checks")


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
    with damaged_if_wrong(shipped[name]):
        table = shipped_table(shipped[name])
        kind = table.pop("kind")
        facts = {key: _frozen(value) for key, value in table.items()}
        return CellSize(name=name, **facts) if kind == "cell-size" else Scoring(name=name, **facts)


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value
