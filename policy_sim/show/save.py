"""Figures as files: PNG and SVG, the same bytes each time, and never half written."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from policy_sim.files.writing import replaced
from policy_sim.show import theme
from policy_sim.show.numbers import plain
from policy_sim.show.theme import with_titles
from policy_sim.words.workers import Helpers

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
    """Write ``stem.png`` and ``stem.svg``, each next to its place first and then renamed into it."""
    paths = [stem.with_name(f"{stem.name}.{form}") for form in formats]
    for path, form in zip(paths, formats, strict=True):
        with replaced(path) as draft:
            _write(figure, draft, form)
            if form == "svg":
                draft.write_text(with_titles(draft.read_text(encoding="utf-8")), encoding="utf-8")
    return paths


def save_figures(figures: Iterable[tuple[str, Figure]], folder: Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Write named figures into a folder, one in memory at a time, under names that every disk takes."""
    taken: set[str] = set()
    return [path for name, figure in figures for path in save_figure(figure, folder / file_stem(name, taken), formats)]


def png_bytes(figure: Figure) -> bytes:
    """Return the figure as a PNG, the same bytes that :func:`save_figure` writes."""
    image = io.BytesIO()
    _write(figure, image, "png")
    return image.getvalue()


def drawn(drawing: Drawing) -> bytes:
    """Draw a figure as a PNG."""
    return png_bytes(drawing())


def file_stem(name: str, taken: set[str]) -> str:
    """Return a file name for a figure, with a number where it is taken, and take it."""
    name = _NOT_IN_NAMES.sub("-", name).strip("-")
    numbered = (name if number == 1 else f"{name}-{number}" for number in count(1))
    own = next(candidate for candidate in numbered if candidate.casefold() not in taken)
    taken.add(own.casefold())
    return own


def _write(figure: Figure, target: Path | io.BytesIO, form: str) -> None:
    from matplotlib.text import Text

    # The default level of compression takes three times as long for 5% fewer bytes.
    options: dict[str, Any] = {"pil_kwargs": {"compress_level": 3}} if form == "png" else {}
    for text in figure.findobj(Text):  # names of policies and populations come from files: no XML may hold every letter
        if isinstance(text, Text) and plain(text.get_text()) != text.get_text():
            text.set_text(plain(text.get_text()))
    with theme.styled():
        figure.savefig(target, format=form, dpi=theme.DPI, metadata=dict(_METADATA.get(form, {})), **options)


# Figures drawn by several processes at once: Python draws on one processor alone.
#
# A new process takes as long to import matplotlib as to draw two figures. Started before the figures are computed, it
# is ready when they are.


class Drawers(Helpers):
    """Processes that draw figures together: the caller's own and some more.

    >>> with Drawers(0) as drawers:
    ...     drawers.save([], Path("."))
    []
    """

    def __init__(self, helpers: int | None = None, most: int = 2) -> None:
        super().__init__(helpers, most, ["policy_sim.show.distribution", __name__])

    def save(
        self, drawings: Iterable[tuple[str, Drawing]], folder: Path, formats: Sequence[str] = FORMATS
    ) -> list[Path]:
        """Draw and write named figures into a folder, the same bytes as one process writes."""
        taken: set[str] = set()
        begun = [
            self.begin(partial(_drawers_save, drawing, file_stem(name, taken), folder, formats))
            for name, drawing in drawings
        ]
        # the helpers begin with the first figure, this process with the last
        paths = [finish() for finish in reversed(begun)]
        return [path for group in reversed(paths) for path in group]


def _drawers_save(drawing: Drawing, stem: str, folder: Path, formats: Sequence[str]) -> list[Path]:
    return save_figure(drawing(), folder / stem, formats)
