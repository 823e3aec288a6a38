"""What the text of a cell says: a count, a mark that hides one, or a mark whose meaning the file does not settle."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from policy_sim.tables.table import MISSING, PRIMARY, PUBLISHED, ZERO

HIDDEN, UNCLEAR = "hidden", "unclear"
MEANINGS = {HIDDEN: PRIMARY, ZERO: ZERO, MISSING: MISSING}
BLANK, ABSENT = "blank", "absent"  # names of the mark that is no text, and of a combination without a row
_HIDDEN_MARKS = {"*", "**", "***", "(*)", "suppressed", "hidden", "s", "(s)", "supp", "withheld", "redacted", "masked"}
_UNCLEAR_MARKS = {"", "-", "--", "–", "—", ".", "..", "...", "…", "na", "n/a", "nan", "null", "none", "x"}
NUMBER = re.compile(r"\d+|\d{1,3}([, \u00a0\u202f]\d{3})+")
_BELOW = re.compile(r"(<=|≤|<|under|below|fewer than|less than)\s*(\d+)", re.I)
_RANGE = re.compile(r"(\d+)\s*(?:-|–|—|to)\s*(\d+)", re.I)
_ABOVE = re.compile(r"(>=|≥|>)\s*(\d+)")


class Reading(NamedTuple):
    """What the text of a cell says: a count, or which values the mark leaves; ``mark`` names an unclear one."""

    status: str
    value: int | None = None
    least: int = 0
    greatest: int | None = None
    mark: str = ""


def read_mark(text: str, marks: Mapping[str, str]) -> Reading | None:
    """Return what a text says; None where it is neither a count nor a known mark.

    ``marks``: what further marks mean, one of :data:`MEANINGS`.

    >>> [read_mark(text, {})[:4] for text in ("1,040", "<11", "*")]
    [('published', 1040, 0, None), ('primary', None, 0, 10), ('primary', None, 0, None)]
    """
    word = text.casefold().strip()
    name = word or BLANK
    declared = {mark.casefold(): meaning for mark, meaning in marks.items()}
    if name in declared:
        status = MEANINGS[declared[name]]
        return Reading(status, 0 if status == ZERO else None)
    whole = re.sub(r"\.0+$", "", word)  # as programs write counts beside empty cells
    if NUMBER.fullmatch(whole):
        value = int(re.sub(r"\D", "", whole))
        return Reading(PUBLISHED if value else ZERO, value)
    if match := _BELOW.fullmatch(word):
        return Reading(PRIMARY, greatest=int(match[2]) - (match[1] not in ("<=", "≤")))
    if match := _RANGE.fullmatch(word):
        return Reading(PRIMARY, least=int(match[1]), greatest=int(match[2]))
    if match := _ABOVE.fullmatch(word):
        return Reading(PRIMARY, least=int(match[2]) + (match[1] == ">"))
    if word in _HIDDEN_MARKS:
        return Reading(PRIMARY)
    return Reading(UNCLEAR, mark=name) if word in _UNCLEAR_MARKS else None
