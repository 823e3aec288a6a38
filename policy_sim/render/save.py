"""Figures as files: PNG and SVG, the same bytes each time, and never half written."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from policy_sim.errors import OutputError
from policy_sim.render import theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FORMATS", "save_figure", "save_figures"]

FORMATS = ("png", "svg")
_NOT_IN_NAMES = re.compile(r"[^\w.=+-]+")
# What would otherwise say when, and by which version, a file was made.
_METADATA: Mapping[str, Mapping[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def save_figure(figure: Figure, stem: Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Write ``stem.png`` and ``stem.svg``, each beside its place first and then renamed into it.

    Raises
    ------
    OutputError : a file could not be written; what was there before is still there.
    """
    return [_save(figure, stem.with_name(f"{stem.name}.{form}"), form) for form in formats]


def save_figures(figures: Iterable[tuple[str, Figure]], folder: Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Write named figures into a folder; takes an iterator, so that only one figure is in memory.

    Names hold those of policies, which may be anything: what not every disk takes becomes a dash.
    """
    named = ((_NOT_IN_NAMES.sub("-", name).strip("-"), figure) for name, figure in figures)
    return [path for name, figure in named for path in save_figure(figure, folder / name, formats)]


def _save(figure: Figure, path: Path, form: str) -> Path:
    # The default level of compression takes three times as long for 5 % fewer bytes.
    options: dict[str, Any] = {"pil_kwargs": {"compress_level": 3}} if form == "png" else {}
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with theme.styled():
            figure.savefig(beside, format=form, dpi=theme.DPI, metadata=dict(_METADATA.get(form, {})), **options)
        beside.replace(path)
    except OSError as error:
        raise OutputError(f"{path} could not be written: {error.strerror or error}.") from error
    finally:
        beside.unlink(missing_ok=True)
    return path
