"""Codes for a missing value: which values they mean, and which of them occur nowhere.

A code that is a whole number means this number however it is written: 99 also means 99.0, as programs write a
column of whole numbers in which something is missing. Zeros before a number make another code: 099 is not 99.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ibis.expr.types as ir

__all__ = ["is_missing", "unused_codes"]

_WHOLE = re.compile(r"([+-]?(?:0|[1-9]\d*))(?:\.0+)?")


def is_missing(value: ir.Column, codes: Sequence[str]) -> ir.BooleanValue:
    """Tell of each value whether it is null or one of the codes."""
    kind = value.type()
    written = value if kind.is_string() else value.cast("string")
    wholes = sorted({match[1] for code in codes if (match := _WHOLE.fullmatch(code))})
    lost: ir.BooleanValue = value.isnull() | written.isin([*codes, *wholes])
    if wholes and kind.is_string():
        return lost | written.re_search(rf"^({'|'.join(map(re.escape, wholes))})\.0+$")
    if wholes and kind.is_numeric():
        return lost | value.cast("float64").isin([float(whole) for whole in wholes])
    return lost


def unused_codes(codes: Iterable[str], lost: Iterable[str]) -> list[str]:
    """Return the codes, but not the empty one, that none of the missing values is.

    Examples
    --------
    >>> unused_codes(["", "99", "?", "-9"], ["99.0", "NA"])
    ['?', '-9']
    """
    texts = set(lost)
    numbers = {_number(text) for text in texts} - {None}
    return [code for code in dict.fromkeys(codes) if code and code not in texts and _number(code) not in numbers]


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
