"""Delimited text of any source: which sign separates its values, and its rows."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

# Of two signs that fit equally well, the one that is rarer in prose separates.
SEPARATORS = "\t|;,"
_QUOTED = re.compile(r'"[^"]*"')


def separator_of(text: str) -> str:
    r"""Return the separator of a text: the sign that occurs in the most lines, outside quotes.

    Of several, the one that is most often in the first line that has any of them. A comma where there is none.

    >>> separator_of("county;rate, %\nAdams;1,5\n"), separator_of("one\ntwo\n")
    (';', ',')
    """
    lines = _QUOTED.sub("", text).splitlines()
    first = next((line for line in lines if any(sign in line for sign in SEPARATORS)), ",")
    return max(SEPARATORS, key=lambda sign: (sum(sign in line for line in lines), first.count(sign)))


def text_rows(text: str, separator: str) -> Iterator[list[str]]:
    """Yield the rows of a text, without blanks around values.

    Raises ``csv.Error`` at what cannot be read.
    """
    for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
        yield [value.strip() for value in row]
