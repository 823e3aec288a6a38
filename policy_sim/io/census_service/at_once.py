"""A few jobs at a time, in threads that an interrupted program does not wait for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import TypeVar

__all__ = ["do_at_once"]

_Job = TypeVar("_Job")


def do_at_once(work: Callable[[_Job], object], jobs: Sequence[_Job], most: int) -> Iterator[None]:
    """Do every job, at most ``most`` at a time; yield once for each finished job.

    When a job fails, no new one starts, those that run finish, and its exception is raised. An
    interruption (Ctrl-C) waits for nothing: a pool of the standard library would first wait for every
    time-out of the service.
    """
    waiting: SimpleQueue[_Job] = SimpleQueue()
    results: SimpleQueue[BaseException | None] = SimpleQueue()
    stop = Event()
    for job in jobs:
        waiting.put(job)

    def run() -> None:
        while not stop.is_set():
            try:
                job = waiting.get_nowait()
            except Empty:
                return
            try:
                work(job)
            except BaseException as failure:
                stop.set()
                results.put(failure)
            else:
                results.put(None)

    workers = [Thread(target=run, daemon=True) for _ in range(min(most, len(jobs)))]
    for worker in workers:
        worker.start()
    try:
        for _ in jobs:
            failure = results.get()
            if failure is not None:
                for worker in workers:
                    worker.join()
                raise failure
            yield
    finally:
        stop.set()
