"""Find columns that are sent and repeat one that a release left out, replaced or made coarser, under any name.

Only values of fewer than :data:`FEW` people count: a copy of yes and no tells nobody apart.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from policy_sim.records.dates import ISO, read_dates
from policy_sim.release.attack.closed_lists import without_point
from policy_sim.release.attack.together import determines
from policy_sim.release.attack.written import WrittenColumn
from policy_sim.show.numbers import percent
from policy_sim.words.arrays import AnyIntArray, BoolArray, FloatArray, IntArray
from policy_sim.words.errors import InputError

FEW = 11
"""People: a value that fewer of the file have singles them out."""
_LOOKED_AT = 1_000  # rows, drawn
_SHIFTS = 3  # other rows that each is compared with, for what chance does
_BEYOND_CHANCE = 10
_SOME, _HALF, _NEARLY_ALL = 0.05, 0.5, 0.98  # of the rows looked at
_FEWEST = 3  # rows that repeat a value
_SHORTEST = 3  # letters or digits of a part
_DISTINCT = 10  # numbers, before a line through them means anything
_LONGEST = 40  # letters of a value whose parts are looked for: longer ones are texts
_WORD = re.compile(r"[^\W_]+")
_NO_DIGIT = re.compile(r"\D", re.ASCII)
_DECIMAL = re.compile(r"[-+]?\d{1,15}(?:\.\d{1,17})?", re.ASCII)
_MOST_DIGITS = 15


class People:
    """The person of each row of a file, from 0; shape (rows,)."""

    def __init__(self, whose: IntArray) -> None:
        self.whose = np.unique(whose, return_inverse=True)[1].astype(np.int64)

    def is_few(self, column: WrittenColumn) -> BoolArray:
        """Tell for each row whether fewer than :data:`FEW` people have its value; False without one."""
        if not len(self.whose):
            return np.zeros(0, dtype=np.bool_)
        width = int(self.whose.max()) + 1
        pairs = np.unique(column.codes.astype(np.int64) * width + self.whose) // width
        people = np.bincount(pairs, minlength=len(column.texts) + 1)
        return np.asarray((people[column.codes] < FEW) & (column.codes > 0))


class Text:
    """A value as it is compared: letters and digits in any case, its words in any order, its number."""

    def __init__(self, text: str) -> None:
        self.plain = without_point(text.strip())

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Its words without leading zeros."""
        folded = unicodedata.normalize("NFKD", self.plain.casefold())
        folded = "".join(letter for letter in folded if not unicodedata.combining(letter))
        return tuple(word.lstrip("0") or "0" for word in _WORD.findall(folded))

    @cached_property
    def joined(self) -> str:
        """Its letters and digits."""
        return "".join(_WORD.findall(unicodedata.normalize("NFKD", self.plain.casefold())))

    @cached_property
    def bag(self) -> frozenset[str]:
        """Its words, if there are several."""
        return frozenset(self.words) if len(self.words) > 1 else frozenset()

    def is_whole(self, hidden: Text) -> bool:
        """Tell whether it is or contains a hidden value, also backwards or with its words in another order."""
        own, other = self.joined, hidden.joined
        if own == other or (len(other) > 1 and own == other[::-1]):
            return True
        return (len(other) >= _SHORTEST and other in own) or bool(hidden.bag and hidden.bag <= self.bag)

    def is_part(self, hidden: Text) -> bool:
        """Tell whether it is a part of a hidden value, with or without letters around its digits, or its initials."""
        own, other = self.joined, hidden.joined
        if not own or len(other) > _LONGEST:
            return False
        digits = _NO_DIGIT.sub("", own)
        if (len(own) >= _SHORTEST and own in other) or (len(digits) >= _SHORTEST and digits in other):
            return True
        letters = "".join(filter(str.isalpha, own))
        return len(letters) > 1 and sorted(letters) == sorted(word[0] for word in hidden.words)


def repeated(
    sent: WrittenColumn,
    hidden: WrittenColumn,
    rows: BoolArray,
    shown: Sequence[str] | None = None,
    *,
    is_identifier: bool,
) -> str:
    """Say how a column that is sent repeats a hidden one; empty where it does not.

    Parameters
    ----------
    sent, hidden : Columns with the same rows.
    rows : The rows in which both values are of few people; shape (rows,).
    shown : What is released in place of the hidden value, row by row: no copy of it tells more.
    is_identifier : Whether the hidden column identifies people by itself: then some copies among other values count,
        and also a code with a list of its own.
    """
    at = np.flatnonzero(rows)
    if len(at) > _LOOKED_AT:
        at = np.sort(np.random.default_rng(0).choice(at, _LOOKED_AT, replace=False))
    if len(at) < _FEWEST:
        return ""
    ours, theirs = _texts(sent, at), _texts(hidden, at)
    if shown is not None:
        more = [not Text(shown[row]).is_whole(own) for row, own in zip(at.tolist(), ours, strict=True)]
        ours, theirs, at = _those(ours, more), _those(theirs, more), at[more]
    if len(at) < _FEWEST:
        return ""
    least = _SOME if is_identifier else _HALF
    if share := _beyond_chance([Text.is_whole], ours, theirs, least):
        return f"contains {hidden.name} in {_share_text(share)}"
    if share := _beyond_chance([Text.is_whole, Text.is_part], ours, theirs, _HALF):
        return f"contains a part of {hidden.name} in {_share_text(share)}"
    if _on_a_line(_numbers(ours), _numbers(theirs)):
        return f"is {hidden.name} by a sum or a multiple"
    both = (sent.codes > 0) & (hidden.codes > 0)
    one, other = sent.codes[both], hidden.codes[both]
    if is_identifier and rows.sum() >= _HALF * both.sum() and _may_be_one_to_one(one, other):
        return f"goes with {hidden.name} one to one, like another number for the same people"
    return ""


def _may_be_one_to_one(ours: AnyIntArray, theirs: AnyIntArray) -> bool:
    """Tell whether values go one to one, which means nothing where each is in one row only."""
    numbers = [int((np.bincount(codes) > 0).sum()) for codes in (ours, theirs)]
    if min(numbers) < (1 - _SOME) * max(numbers) or len(ours) - max(numbers) < _DISTINCT:
        return False
    return determines(ours, theirs) and determines(theirs, ours)


def _texts(column: WrittenColumn, at: IntArray) -> list[Text]:
    known: dict[int, Text] = {}
    codes = column.codes[at].tolist()
    for code in codes:
        if code not in known:
            known[code] = Text(column.texts[code - 1])
    return [known[code] for code in codes]


def _those(texts: list[Text], more: Sequence[bool]) -> list[Text]:
    return [text for text, is_more in zip(texts, more, strict=True) if is_more]


def _share_text(share: float) -> str:
    return "all rows looked at" if share == 1 else f"{percent(share)} of the rows looked at"


def _beyond_chance(
    ways: Sequence[Callable[[Text, Text], bool]], ours: list[Text], theirs: list[Text], least: float
) -> float:
    """Return the share of rows in which a value repeats that of its own row, if other rows' values are hardly so."""
    order = np.random.default_rng(0).permutation(len(theirs)).tolist()

    def hits(other: Sequence[Text]) -> int:
        pairs = zip(ours, other, strict=True)
        return sum(any(way(a, b) for way in ways) for a, b in pairs)

    own = hits(theirs)
    if own < max(_FEWEST, least * len(ours)):
        return 0.0
    mixed = [theirs[place] for place in order]
    place_of = np.argsort(order).tolist()
    chance = 0
    for shift in range(1, _SHIFTS + 1):
        turned = [mixed[(place + shift) % len(mixed)] for place in place_of]
        chance += hits(turned)
    return own / len(ours) if own * _SHIFTS >= _BEYOND_CHANCE * chance else 0.0


def _numbers(texts: Sequence[Text]) -> FloatArray:
    """Return days, or the number in each text; NaN without one."""
    try:
        dates, _ = read_dates("", [text.plain for text in texts], ISO)
    except InputError:
        dates = []
    if dates and sum(day is not None for day in dates) >= _NEARLY_ALL * len(texts):
        return np.array([np.nan if day is None else day.toordinal() for day in dates])
    return np.array([_number(text.plain) for text in texts], dtype=np.float64)


def decimal_of(text: str) -> float:
    """Return the number that a text is, NaN where it is none: 12e45 is a code."""
    return float(text) if _DECIMAL.fullmatch(text) else np.nan


def _number(text: str) -> float:
    if (number := decimal_of(text)) == number:  # NaN is not itself
        return number
    digits = _NO_DIGIT.sub("", text)
    return float(digits) if 0 < len(digits) <= _MOST_DIGITS else np.nan


def _on_a_line(ours: FloatArray, theirs: FloatArray) -> bool:
    """Tell whether nearly all numbers are one number times the others, plus one number."""
    both = np.isfinite(ours) & np.isfinite(theirs)
    if both.sum() < _NEARLY_ALL * len(both) or len(np.unique(theirs[both])) < _DISTINCT:
        return False
    x, y = theirs[both], ours[both]
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    apart = np.diff(x) != 0
    slope = float(np.median(np.diff(y)[apart] / np.diff(x)[apart]))
    rest = y - slope * x
    near = np.abs(rest - np.median(rest)) <= 1e-9 * np.maximum(1, np.abs(y))
    return slope != 0 and float(near.mean()) >= _NEARLY_ALL
