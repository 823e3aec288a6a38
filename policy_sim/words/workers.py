"""Processes that help a run and end with it, however it ends."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import connection, get_context, parent_process
from types import TracebackType
from typing import Any, TypeVar

T = TypeVar("T")


def worker_processes(
    many: int, start: Callable[..., object] | None = None, arguments: tuple[Any, ...] = ()
) -> ProcessPoolExecutor:
    """Return ``many`` processes, each of which calls ``start`` first and ends when this process ends.

    They start from a clean interpreter: forking a process that has threads can deadlock.
    """
    return _Workers(many, mp_context=get_context("spawn"), initializer=_begin, initargs=(start, arguments))


class _Workers(ProcessPoolExecutor):
    """Processes that, where their block ends by an error or a stop, finish nothing of what is left to do.

    A stop from the keyboard reaches them through the caller alone: each would print where it was stopped.
    """

    def submit(self, task: Callable[..., T], /, *arguments: Any, **options: Any) -> Future[T]:
        """Take a task; processes that start with the first one inherit that the keyboard's stop is ignored."""
        if threading.current_thread() is not threading.main_thread():
            return super().submit(task, *arguments, **options)
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            return super().submit(task, *arguments, **options)
        finally:
            signal.signal(signal.SIGINT, before)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            for process in list((self._processes or {}).values()):
                process.terminate()
        self.shutdown(cancel_futures=True)


def _begin(start: Callable[..., object] | None, arguments: tuple[Any, ...]) -> None:
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    if start is not None:
        start(*arguments)


def _end_with_the_parent() -> None:
    """End this worker when its parent ends in any way: a killed parent cannot stop its workers."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
