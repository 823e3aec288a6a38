"""Marks: what the text of a cell of a table says, a count or which counts it hides."""

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
NUMBER = re.compile(r"\d{1,12}|\d{1,3}([, \u00a0\u202f]\d{3}){1,3}", re.A)
_SIGNS = "†‡§¶#^⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈ"
_FOLLOWED = re.compile(rf"((?:{NUMBER.pattern}))\s*(?:[*]{{2,}}|[{_SIGNS}]+|[(\[]\s*[\d.,]+\s*%?\s*[)\]])", re.A)
_BELOW = re.compile(r"(<=|≤|<|under|below|fewer than|less than)\s*(\d+)|(\d+) or (?:fewer|less)", re.I)
_RANGE = re.compile(r"(\d+)\s*(?:-|–|—|to)\s*(\d+)", re.I)
_ABOVE = re.compile(r"(>=|≥|>)\s*(\d+)|(\d+)\s*\+")


class Reading(NamedTuple):
    """What the text of a cell says: a count, or which values the mark leaves; ``mark`` names an unclear one."""

    status: str
    value: int | None = None
    least: int = 0
    greatest: int | None = None
    mark: str = ""


def read_mark(text: str, marks: Mapping[str, str]) -> Reading | None:
    """Return what a text says; None where it is neither a count nor a known mark.

    ``marks``: what further marks mean, one of :data:`MEANINGS`, or the counts that they hide, such as 1-4.

    >>> [read_mark(text, {})[:4] for text in ("1,040", "<11", "*")]
    [('published', 1040, 0, None), ('primary', None, 0, 10), ('primary', None, 0, None)]
    """
    word = text.casefold().strip()
    name = word or BLANK
    declared = {mark.casefold(): meaning for mark, meaning in marks.items()}
    if name in declared:
        status = MEANINGS.get(declared[name])
        return Reading(status, 0 if status == ZERO else None) if status else read_mark(declared[name], {})
    endings = [mark[1:] for mark, meaning in declared.items() if is_pattern(mark, meaning)]
    word = next((word.removesuffix(end).strip() for end in endings if word.endswith(end)), word)
    whole = re.sub(r"\.0+$", "", word)  # as programs write counts beside empty cells
    if NUMBER.fullmatch(whole):
        value = int(re.sub(r"\D", "", whole))
        return Reading(PUBLISHED if value else ZERO, value)
    if match := _BELOW.fullmatch(word):
        return Reading(PRIMARY, greatest=int(match[2] or match[3]) - (match[1] not in ("<=", "≤", None)))
    if match := _RANGE.fullmatch(word):
        return Reading(PRIMARY, least=int(match[1]), greatest=int(match[2]))
    if match := _ABOVE.fullmatch(word):
        return Reading(PRIMARY, least=int(match[2] or match[3]) + (match[1] == ">"))
    if word in _HIDDEN_MARKS:
        return Reading(PRIMARY)
    return Reading(UNCLEAR, mark=name) if word in _UNCLEAR_MARKS else None


def is_pattern(mark: str, meaning: str) -> bool:
    """Whether a mark is a number with an ending that says nothing of the count, such as ``N**`` meaning ``N``."""
    return len(mark) > 1 and mark[:1].casefold() == meaning.casefold() == "n"


def bare_counts(columns: dict[str, list[str]], marks: Mapping[str, str], notes: list[str]) -> dict[str, list[str]]:
    """Read counts that a footnote mark or a percentage in brackets follows; what follows is not written."""
    bare = dict[str, list[str]]()
    for name, texts in columns.items():
        distinct = dict.fromkeys(texts)
        matches = {text: match for text in distinct if (match := _FOLLOWED.fullmatch(text)) and not _reads(text, marks)}
        rest = [text for text in distinct if text not in matches]
        numbers = [match[1] for match in matches.values()]
        if not numbers or not all(_reads(text, marks) for text in [*rest, *numbers] if text):
            bare[name] = texts
            continue
        bare[name] = [matches[text][1] if text in matches else text for text in texts]
        notes.append(
            f"Read as counts in {name!r}, such as {next(iter(matches))!r} as {numbers[0]}: what follows is left out."
        )
    return bare


def _reads(text: str, marks: Mapping[str, str]) -> bool:
    return read_mark(text, marks) is not None
