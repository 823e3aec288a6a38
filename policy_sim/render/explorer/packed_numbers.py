"""Whole numbers as bytes of seven bits each, small ones in one byte: for shapes and parts of counties."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["signed", "varints"]


def varints(numbers: Iterable[int]) -> bytes:
    """Write numbers >= 0, seven bits to a byte, the smallest first; the high bit says that more follow.

    >>> list(varints([5, 300]))
    [5, 172, 2]
    """
    out = bytearray()
    for number in numbers:
        left = number
        while left > 127:
            out.append(left & 127 | 128)
            left >>= 7
        out.append(left)
    return bytes(out)


def signed(number: int) -> int:
    """Return a number >= 0 that stands for a number of either sign: 0, -1, 1, -2 are 0, 1, 2, 3.

    >>> [signed(number) for number in (0, -1, 1, -2)]
    [0, 1, 2, 3]
    """
    return -2 * number - 1 if number < 0 else 2 * number
