"""What a command is doing, on standard error, once it has taken more than two seconds."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Self

import click

__all__ = ["Progress"]

_SILENT_SECONDS = 2.0
_LEAST_SECONDS = 1.0
_REPEAT_SECONDS = 10.0


class Progress:
    """Tells the current step after two seconds, then when it changes (at most once a second) or every ten seconds.

    >>> with Progress() as progress:
    ...     progress("counting the classes")
    """

    def __init__(self) -> None:
        self._step = ""
        self._changed = threading.Event()
        self._finished = threading.Event()
        self._start = time.monotonic()
        self._thread = threading.Thread(target=self._tell, daemon=True)

    def __call__(self, step: str) -> None:
        """Say what is being done now."""
        self._step = step
        self._changed.set()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._finished.set()
        self._changed.set()
        self._thread.join()

    def _tell(self) -> None:
        self._finished.wait(_SILENT_SECONDS)
        while not self._finished.is_set():
            if self._step:
                click.echo(f"{time.monotonic() - self._start:4.0f} s  {self._step} ...", err=True)
            self._changed.clear()
            self._finished.wait(_LEAST_SECONDS)
            self._changed.wait(_REPEAT_SECONDS)
