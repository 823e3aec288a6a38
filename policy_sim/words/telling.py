"""Tell how far long work is, without an argument through every function between."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

_Item = TypeVar("_Item")
_SECONDS = 1.0  # between two signs of life

_tell: ContextVar[Callable[[str], object] | None] = ContextVar("_tell", default=None)


class Step(str):
    """What long work is doing, and the ``share`` of it that is done (0..1), None where nobody knows."""

    __slots__ = ("share",)
    share: float | None

    def __new__(cls, text: str, share: float | None = None) -> Step:
        """Return the text with its share."""
        step = super().__new__(cls, text)
        step.share = share
        return step


@contextmanager
def telling(progress: Callable[[str], object]) -> Iterator[None]:
    """Have :func:`each` say to ``progress`` how far it is, while the block lasts."""
    before = _tell.set(progress)
    try:
        yield
    finally:
        _tell.reset(before)


def each(items: Collection[_Item], step: str, what: str = "column") -> Iterator[_Item]:
    """Yield items, and say at most once a second which of them comes next, in words such as ``column 120 of 500``."""
    told, tell = time.monotonic(), _tell.get()
    for at, item in enumerate(items, 1):
        if tell is not None and time.monotonic() - told > _SECONDS:
            tell(Step(f"{step}: {what} {at:,} of {len(items):,}", (at - 1) / len(items)))
            told = time.monotonic()
        yield item


def each_part(parts: Iterable[_Item], step: str, rows: Callable[[_Item], int], number: float = 0) -> Iterator[_Item]:
    """Yield parts of a file, and say at most once a second how many rows are done, in words such as ``20,000 rows``.

    ``number``: how many parts there are, about; 0 where nobody knows.
    """
    told, tell, done = time.monotonic(), _tell.get(), 0
    for at, part in enumerate(parts, 1):
        yield part
        done += rows(part)
        if tell is not None and time.monotonic() - told > _SECONDS:
            tell(Step(f"{step}: {done:,} rows", min(at / number, 1.0) if number else None))
            told = time.monotonic()
