"""Tell how far long work is, without an argument through every function between."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

_Item = TypeVar("_Item")
_SECONDS = 1.0  # between two signs of life

_tell: ContextVar[Callable[[str], object] | None] = ContextVar("_tell", default=None)


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
            tell(f"{step}: {what} {at:,} of {len(items):,}")
            told = time.monotonic()
        yield item
