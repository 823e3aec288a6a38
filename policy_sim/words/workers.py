"""Processes that help a run and end with it, however it ends."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from multiprocessing import connection, get_context, parent_process
from types import ModuleType, TracebackType
from typing import Any, Self, TypeVar

T = TypeVar("T")
_hiding_main = threading.Lock()


class Helpers:
    """Processes that work next to a run; what none of them begins, or ends, the run does itself.

    ``helpers``: how many, >= 0; by default one less than there are processors, up to ``most``: more of them cost more
    memory than they save time. ``modules``: what each imports at once, so that it is ready when there is work.
    """

    def __init__(self, helpers: int | None = None, most: int = 2, modules: Sequence[str] = ()) -> None:
        many = min(most, _processors() - 1) if helpers is None else helpers
        self._pool = _started(many, modules) if many else None

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
            self._pool.end()  # what was begun was waited for, or is not wanted


def _processors() -> int:
    """How many processors this process may use; a container or a batch job may have fewer than its machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _started(many: int, modules: Sequence[str]) -> _Workers | None:
    """Return processes that import modules at once, or None where the machine allows none."""
    try:
        pool = worker_processes(many)
        for _ in range(many):
            pool.submit(_import, tuple(modules))
    except OSError:
        return None
    return pool


def _import(modules: Sequence[str]) -> None:
    for name in modules:
        import_module(name)


def worker_processes(
    many: int, start: Callable[..., object] | None = None, arguments: tuple[Any, ...] = ()
) -> _Workers:
    """Return ``many`` processes, each of which calls ``start`` first and ends when this process ends.

    They start from a clean interpreter: forking a process that has threads can deadlock. They do not import the main
    script, so it needs no ``if __name__ == "__main__":`` guard, and tasks are functions of this package.
    """
    return _Workers(many, mp_context=get_context("spawn"), initializer=_begin, initargs=(start, arguments))


class _Workers(ProcessPoolExecutor):
    """Processes that, where their block ends by an error or a stop, finish nothing of what is left to do.

    A stop from the keyboard reaches them through the caller alone: each would print where it was stopped.
    """

    def submit(self, task: Callable[..., T], /, *arguments: Any, **options: Any) -> Future[T]:
        """Take a task; processes that start with the first one inherit that the keyboard's stop is held back.

        The caller is stopped when they have started: one that got nothing of its first message would print that.
        """
        mask = getattr(signal, "pthread_sigmask", None)
        if mask is None or threading.current_thread() is not threading.main_thread():
            return self._submit(task, *arguments, **options)
        stops: list[int] = []  # another thread may take a signal that this one holds back
        handler = signal.signal(signal.SIGINT, lambda number, _: stops.append(number))
        held = mask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return self._submit(task, *arguments, **options)
        finally:
            mask(signal.SIG_SETMASK, held)
            signal.signal(signal.SIGINT, handler or signal.SIG_DFL)
            if stops:
                signal.raise_signal(signal.SIGINT)

    def _submit(self, task: Callable[..., T], /, *arguments: Any, **options: Any) -> Future[T]:
        with _main_hidden():
            return super().submit(task, *arguments, **options)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.shutdown(cancel_futures=True)
        else:
            self.end()

    def end(self) -> None:
        """End the processes, whatever they do."""
        for process in list((self._processes or {}).values()):
            process.terminate()
        self.shutdown(cancel_futures=True)


@contextmanager
def _main_hidden() -> Iterator[None]:
    """Hide the main script from processes that start meanwhile: without a main guard, each would run it again."""
    with _hiding_main:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main


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
