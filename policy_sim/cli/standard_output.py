"""Write all of the standard output."""

from __future__ import annotations

import sys

__all__ = ["put"]


def put(content: str | bytes) -> None:
    """Write the whole text to standard output; an unbuffered stream may write only a part and report no error."""
    if not sys.stdout:  # closed by whoever started us
        return
    if isinstance(content, str):
        content = content.encode(sys.stdout.encoding or "utf-8", errors="replace")
    sys.stdout.flush()
    rest = memoryview(content)
    while rest:
        rest = rest[sys.stdout.buffer.write(rest) :]
    sys.stdout.buffer.flush()
