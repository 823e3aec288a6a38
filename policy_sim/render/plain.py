"""Text that any page can hold: names come from files, and may have control characters in them."""

from __future__ import annotations

import re

__all__ = ["plain"]

# Controls (C0 but for the line feed, DEL, C1), lone surrogates and noncharacters: XML 1.0 forbids most, terminals obey
# some.
_UNPRINTABLE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")


def plain(text: str) -> str:
    """Put the replacement character where a character cannot be printed; a line feed stays.

    >>> plain("ours" + chr(27)) == "ours" + chr(0xFFFD)
    True
    """
    return _UNPRINTABLE.sub("\ufffd", text)
