"""Figures as files: PNG and SVG, the same bytes each time, and never half written."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypeVar

from policy_sim.files.writing import replaced
from policy_sim.show import theme
from policy_sim.show.numbers import plain
from policy_sim.show.theme import with_titles

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

    from matplotlib.figure import Figure


T = TypeVar("T")
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


# Figures drawn by several processes at once: Python draws on one processor alone.
#
# A new process takes as long to import matplotlib as to draw two figures. Started before the figures are computed, it
# is ready when they are.


class Drawers:
    """Processes that draw and write together: the caller's own and some more.

    ``helpers``: processes besides this one, >= 0; by default one less than there are processors, up to ``most``.
    ``most``: largest default number of helpers; more of them cost more memory than they save time.

    >>> with Drawers(helpers=0) as drawers:
    ...     drawers.save([], Path("."))
    []
    """

    def __init__(self, helpers: int | None = None, most: int = 2) -> None:
        many = min(most, _processors() - 1) if helpers is None else helpers
        self._pool = _started(many) if many else None

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

    def begin(self, alone: Callable[[], T]) -> Callable[[], T]:
        """Begin in a helper, and return what waits for it; what no helper begins, or ends, the caller does."""
        if self._pool is None:
            return alone
        from concurrent.futures.process import BrokenProcessPool  # a helper was killed, often out of memory

        try:
            started = self._pool.submit(alone)
        except BrokenProcessPool:
            return alone

        def done() -> T:
            try:
                return alone() if started.cancel() else started.result()
            except BrokenProcessPool:
                return alone()

        return done

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.__exit__(kind, error, trace)


def _processors() -> int:
    """How many processors this process may use; a container or a batch job may have fewer than its machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _started(many: int) -> ProcessPoolExecutor | None:
    """Return processes that import what drawing needs at once, or None where the machine allows none."""
    from policy_sim.words.workers import worker_processes

    try:
        pool = worker_processes(many)
        for _ in range(many):
            pool.submit(_warm)
    except OSError:
        return None
    return pool


def _warm() -> None:
    import policy_sim.show.distribution
    import policy_sim.show.save  # noqa: F401


def _drawers_save(drawing: Drawing, stem: str, folder: Path, formats: Sequence[str]) -> list[Path]:
    return save_figure(drawing(), folder / stem, formats)
