"""Show the current step of a slow command on standard error."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar

__all__ = ["Progress"]

_TERMINAL_SECONDS = 2.0  # of silence before a terminal shows the step
_FILE_SECONDS = 30.0  # of silence between the lines that a file or a pipe gets


class Progress:
    """Show the current step on standard error: nothing for quick work, one moving line for slow work.

    A terminal shows a line with the step and the time after two seconds, and clears it at the end. A file or
    a pipe gets one plain line at most every thirty seconds, so that the log of quick work stays empty.

    Parameters
    ----------
    console : Where to write; standard error by default.
    silence : Seconds before the first sign of life; by default two on a terminal, else thirty.

    Examples
    --------
    >>> with Progress() as progress:
    ...     progress("counting the classes")
    ...     progress("fetching tables", completed=3, total=51)
    """

    def __init__(self, console: Console | None = None, silence: float | None = None) -> None:
        self._own_console = console
        self._interactive = sys.stderr.isatty() if console is None else console.is_terminal
        self._silence = silence if silence is not None else _TERMINAL_SECONDS if self._interactive else _FILE_SECONDS
        self._bar: Bar | None = None
        self._step, self._completed = "", 0
        self._total: int | None = None
        self._start = self._last = time.monotonic()
        self._lock = threading.Lock()
        self._timer = threading.Timer(self._silence, self._begin)
        self._timer.daemon = True

    def __call__(self, step: str, completed: int | None = None, total: int | None = None) -> None:
        """Set the current step; ``completed`` of ``total`` parts fill a bar, where both are known."""
        with self._lock:
            self._step, self._completed, self._total = step.replace("\n", " "), completed or 0, total
            if self._bar is not None:
                self._update(self._bar)
            elif not self._interactive and time.monotonic() - self._last >= self._silence:
                self._line()

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        self._timer.join()
        if self._bar is not None:
            self._bar.stop()

    def _begin(self) -> None:
        """Show what has been hidden so far."""
        with self._lock:
            if self._interactive:
                self._bar = self._new_bar()
                self._update(self._bar)
                self._bar.start()
            elif self._step and time.monotonic() - self._last >= self._silence:
                self._line()

    def _new_bar(self) -> Bar:
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        text = TextColumn("{task.description}", markup=False)  # a file name may have brackets
        bar = Progress(
            SpinnerColumn(),
            text,
            BarColumn(bar_width=24),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
        )
        bar.add_task("", total=None)
        return bar

    def _update(self, bar: Bar) -> None:
        (task,) = bar.task_ids
        bar.update(task, description=self._plain, completed=self._completed, total=self._total)

    def _line(self) -> None:
        self._last = time.monotonic()
        line = f"{self._last - self._start:4.0f} s  {self._plain} ..."
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    @property
    def _plain(self) -> str:
        from policy_sim.render.plain import plain

        return plain(self._step)

    @property
    def _console(self) -> Console:
        """Standard error, unless a console was given. Rich takes long to import: quick work never does."""
        from rich.console import Console

        return self._own_console or Console(stderr=True)
