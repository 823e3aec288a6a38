"""The folder of a release: the released file, its figures, the project and the dossier, whole or not at all."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from policy_sim.errors import InputError, OutputError, SourceError
from policy_sim.io.scratch import BUSY, HeldFolder, hidden_prefix, locked_folder, sweep

__all__ = [
    "FIGURES",
    "PROJECT",
    "check_free",
    "figures_text",
    "held_beside",
    "output_name",
    "put_in_place",
    "read_figures",
]

FIGURES = "release.json"
PROJECT = "project.toml"


def read_figures(out: Path) -> dict[str, Any]:
    """Return the figures of a release folder.

    Raises
    ------
    SourceError : there are none, or they are damaged.
    """
    try:
        figures: dict[str, Any] = json.loads((out / FIGURES).read_text(encoding="utf-8"))
        figures["output"]["sha256"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise SourceError(f"{out}: no {FIGURES} of a release. Name the folder that 'run' wrote.") from None
    return figures


def figures_text(figures: Mapping[str, Any]) -> str:
    """Return figures as ``release.json`` holds them; numbers of numpy are as Python's."""
    return json.dumps(figures, indent=2, default=_plain) + "\n"


def output_name(file: Path) -> str:
    """Return the name of the released file: Parquet stays Parquet, everything else becomes CSV.

    >>> output_name(Path("visits.parquet")), output_name(Path("visits.csv.gz"))
    ('release.parquet', 'release.csv')
    """
    return "release.parquet" if file.suffix.casefold() in (".parquet", ".pq") else "release.csv"


def check_free(out: Path) -> None:
    """Refuse a folder that holds something else than a release.

    Raises
    ------
    InputError : the name is taken.
    """
    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and not (out / FIGURES).exists())):
        raise InputError(f"{out}: contains something other than a release. Choose another folder.")


def held_beside(out: Path) -> HeldFolder:
    """Return a folder next to ``out`` to work in, which goes away whatever happens.

    Raises
    ------
    OutputError : it cannot be made, or another run writes ``out``.
    """
    parent, hidden = out.resolve().parent, hidden_prefix(out)
    try:
        parent.mkdir(parents=True, exist_ok=True)
        with locked_folder(parent):
            if any(sweep(place, hidden) for place in (parent, out)):
                raise OutputError(f"{out}: {BUSY}. Nothing was written. Choose another folder.")
            return HeldFolder(parent, hidden)
    except OSError as error:
        raise OutputError(f"{out}: {error.strerror or error}. Nothing was written.") from error


def put_in_place(work: Path, out: Path, aside: Path) -> None:
    """Give the finished folder its name; an earlier release goes aside first, and back if that fails."""
    before = aside / "before"
    if out.exists():
        out.rename(before)
    try:
        work.rename(out)
    except OSError:
        if before.exists():
            before.rename(out)
        raise
    shutil.rmtree(before, ignore_errors=True)


def _plain(value: Any) -> Any:
    """Return a number of numpy as one of Python's."""
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{type(value).__name__} has no place in a file of figures")
