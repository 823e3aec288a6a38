"""Figures drawn by several processes at once: Python draws on one processor alone.

A new process takes as long to import matplotlib as to draw two figures. Started before the figures are computed, it
is ready when they are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from policy_sim.render.save import FORMATS, Drawing, file_stem, png_bytes, save_figure

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor
__all__ = ["Drawers"]
_Drawn = TypeVar("_Drawn")


class Drawers:
    """Processes that save figures together: the caller's own and some more.

    Parameters
    ----------
    helpers : Processes besides this one, >= 0; by default one less than there are processors, up to ``most``.
    most : Largest default number of helpers; more of them cost more memory than they save time.

    Examples
    --------
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
        """Draw and write named figures into a folder, the same bytes as one process writes.

        Raises
        ------
        OutputError : a file could not be written; what was there before is still there.
        """
        taken: set[str] = set()
        begun = [self._begun(_save, drawing, file_stem(name, taken), folder, formats) for name, drawing in drawings]
        # the helpers begin with the first figure, this process with the last
        paths = [finish() for finish in reversed(begun)]
        return [path for group in reversed(paths) for path in group]

    def begin(self, drawing: Drawing) -> Callable[[], bytes]:
        """Begin to draw a figure, and return what waits for its PNG: the bytes of :func:`~policy_sim.render.png_bytes`.

        What no helper has begun by then is drawn by the caller's own process.
        """
        return self._begun(_png, drawing)

    def _begun(self, draw: Callable[..., _Drawn], *arguments: Any) -> Callable[[], _Drawn]:
        """Begin in a helper, and return what waits for it; what no helper begins, or ends, the caller draws."""
        alone = partial(draw, *arguments)
        if self._pool is None:
            return alone
        from concurrent.futures.process import (
            BrokenProcessPool,
        )  # a helper was killed, often out of memory

        try:
            started = self._pool.submit(draw, *arguments)
        except BrokenProcessPool:
            return alone

        def done() -> _Drawn:
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
    from policy_sim.workers import worker_processes

    try:
        pool = worker_processes(many)
        for _ in range(many):
            pool.submit(_warm)
    except OSError:
        return None
    return pool


def _warm() -> None:
    import policy_sim.render.comparison_figures
    import policy_sim.render.shown_figure  # noqa: F401


def _png(drawing: Drawing) -> bytes:
    return png_bytes(drawing())


def _save(drawing: Drawing, stem: str, folder: Path, formats: Sequence[str]) -> list[Path]:
    return save_figure(drawing(), folder / stem, formats)
