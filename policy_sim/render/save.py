"""Figures as files: PNG and SVG, the same bytes each time, and never half written."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from policy_sim.io.files import replaced
from policy_sim.render import theme
from policy_sim.render.hover import with_titles
from policy_sim.render.plain import plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FORMATS", "Drawing", "file_stem", "png_bytes", "save_figure", "save_figures"]

FORMATS = ("png", "svg")
# Draws one figure; it can be sent to another process: a function of a module, or a partial of one.
Drawing: TypeAlias = "Callable[[], Figure]"
_NOT_IN_NAMES = re.compile(r"[^\w.=+-]+")
# What would otherwise say when, and by which version, a file was made.
_METADATA: Mapping[str, Mapping[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def save_figure(figure: Figure, stem: Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Write ``stem.png`` and ``stem.svg``, each next to its place first and then renamed into it.

    Raises
    ------
    OutputError : a file could not be written; what was there before is still there.
    """
    return [_save(figure, stem.with_name(f"{stem.name}.{form}"), form) for form in formats]


def save_figures(figures: Iterable[tuple[str, Figure]], folder: Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Write named figures into a folder; takes an iterator, so that only one figure is in memory.

    Names hold those of policies, which may be anything: what not every disk takes becomes a dash, and
    names that would then be the same, or differ by capitals alone, are numbered.
    """
    taken: set[str] = set()
    return [path for name, figure in figures for path in save_figure(figure, folder / file_stem(name, taken), formats)]


def png_bytes(figure: Figure) -> bytes:
    """Return the figure as a PNG, the same bytes that :func:`save_figure` writes."""
    image = io.BytesIO()
    _write(figure, image, "png")
    return image.getvalue()


def file_stem(name: str, taken: set[str]) -> str:
    """Return a file name for a figure, with a number where it is taken, and take it."""
    name = _NOT_IN_NAMES.sub("-", name).strip("-")
    numbered = (name if number == 1 else f"{name}-{number}" for number in count(1))
    own = next(candidate for candidate in numbered if candidate.casefold() not in taken)
    taken.add(own.casefold())
    return own


def _save(figure: Figure, path: Path, form: str) -> Path:
    with replaced(path) as draft:
        _write(figure, draft, form)
        if form == "svg":
            draft.write_text(with_titles(draft.read_text(encoding="utf-8")), encoding="utf-8")
    return path


def _write(figure: Figure, target: Path | io.BytesIO, form: str) -> None:
    # The default level of compression takes three times as long for 5% fewer bytes.
    options: dict[str, Any] = {"pil_kwargs": {"compress_level": 3}} if form == "png" else {}
    _clean(figure)
    with theme.styled():
        figure.savefig(target, format=form, dpi=theme.DPI, metadata=dict(_METADATA.get(form, {})), **options)


def _clean(figure: Figure) -> None:
    """Take out of every text what no XML may hold: names of policies and populations come from files."""
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        if isinstance(text, Text) and plain(text.get_text()) != text.get_text():
            text.set_text(plain(text.get_text()))
