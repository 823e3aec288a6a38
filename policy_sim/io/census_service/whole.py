"""Check the rows of an answer: every count a whole number, every place a code."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

__all__ = ["MOST_PEOPLE", "wrong_with"]

MOST_PEOPLE = 10_000_000_000  # in one place; more than live on earth
_CODE = re.compile(r"\d{1,11}", re.ASCII)


def wrong_with(rows: object, variables: Sequence[str], geography: Mapping[str, str]) -> str:
    """Return what is wrong with the rows of an answer; empty if nothing is.

    Parameters
    ----------
    rows : One mapping for each place, from a column's name to its value.
    variables : Columns that must be whole numbers from 0 to :data:`MOST_PEOPLE`.
    geography : The request's ``for`` and ``in``: their places must be codes in digits.
    """
    if not isinstance(rows, list) or not rows:
        return "no rows"
    codes = _code_columns(geography)
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            return f"row {number} is not a row"
        for name in variables:
            value = row.get(name)
            if type(value) is not int or not 0 <= value <= MOST_PEOPLE:
                return f"row {number} has no count for {name}"
        for name in codes:
            if not isinstance(code := row.get(name), str) or not _CODE.fullmatch(code):
                return f"row {number} has no code for {name}"
    return ""


def _code_columns(geography: Mapping[str, str]) -> list[str]:
    """Return the columns that name the place: the kind requested, and those that contain it.

    >>> _code_columns({"for": "tract:*", "in": "state:10 county:*"})
    ['tract', 'state', 'county']
    """
    kind = geography["for"].rpartition(":")[0]
    return [kind, *re.findall(r"([a-z]+):", geography.get("in", ""))]
