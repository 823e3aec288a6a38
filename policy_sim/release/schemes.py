"""Schemes of categories: ladders of words and codes that are known, or of how common each value is.

A scheme is recognized by the values of a column. What a vocabulary does not know becomes ``other``, what stands for a
missing value becomes ``unknown``; neither disappears.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from policy_sim.files.paths import data_dir
from policy_sim.files.toml import damaged_if_wrong, shipped_table
from policy_sim.records.column_kinds import ColumnValues
from policy_sim.records.formats import CodedColumn
from policy_sim.records.vocabularies import is_mark, name_words, plain, vocabulary
from policy_sim.release.ladders import GONE, Hierarchy
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.states import POSTAL_OF_FIPS, STATES

COMMON = "common values"
OTHER, UNKNOWN = "other", "unknown"
_SHARES = (1, 2, 5, 10, 20)  # per cent of the records below which a value is one of the others
_MOST_STEPS = 5
_ENOUGH = 0.8  # of the records and of the values: below, a vocabulary is not proposed
_FEWEST = 3  # values, in two classes or more
_IN_BLOCK = {"C4A": "C43", "Z3A": "Z39"}  # categories that the tabular list has in a block of other letters

Place = Callable[[str], tuple[str, ...] | None]


@dataclass(frozen=True)
class Scheme:
    """A vocabulary of :data:`SCHEMES`: what it is of, its levels from fine to coarse, and where its classes are from.

    ``place`` returns the classes of a text, from fine to coarse; None for a text that the vocabulary does not have.
    ``order`` is the place of each spelling where the vocabulary has an order.
    """

    name: str
    title: str
    levels: tuple[str, ...]
    source: str
    place: Place = field(repr=False)
    order: Mapping[str, int] = field(default_factory=dict, repr=False)
    names: frozenset[str] = frozenset()
    classes: frozenset[str] = field(default=frozenset(), repr=False)


@cache
def schemes() -> Mapping[str, Scheme]:
    """Return the vocabularies of ``data/vocabularies/ladders.toml`` by name."""
    path = data_dir() / "vocabularies" / "ladders.toml"
    with damaged_if_wrong(path):
        return {name: _scheme(name, table) for name, table in shipped_table(path).items()}


def check_scheme(name: str) -> str:
    """Return the name of a scheme, checked."""
    if name and name != COMMON and name not in schemes():
        raise UnknownNameError("scheme of a ladder", name, (COMMON, *schemes()))
    return name


def _scheme(name: str, table: Mapping[str, Any]) -> Scheme:
    ranged: Mapping[str, Callable[[str], Place]] = {"icd_10_cm": _icd_10_cm, "drg": _drg}
    words = table.get("classes", "")
    place = ranged[name](table["ranges"]) if name in ranged else _by_words(words, table.get("codes", ""))
    lines = words.splitlines()
    classes = frozenset(part.strip() for line in lines for part in line.split("|")[0].split(" > ") if part.strip())
    spelled = [part.strip() for line in lines if table.get("ordered") for part in line.split("|")[1:]]
    order = {spelling: at for at, spelling in reversed(list(enumerate(spelled)))}
    facts = (table["title"], tuple(table["levels"]), table["source"])
    return Scheme(name, *facts, place, order, frozenset(table.get("names", "").split()), classes)


def _by_words(text: str, codes: str) -> Place:
    """Return the classes of words; a code such as 29-1141 is known by its first two digits."""
    paths: dict[str, tuple[str, ...]] = {}
    for line in filter(None, text.splitlines()):
        classes, *spellings = (part.strip() for part in line.split("|"))
        path = tuple(part.strip() for part in reversed(classes.split(" > ")))
        paths |= dict.fromkeys(spellings, path)
    for state in STATES.values():  # a state is also known by its name
        if state.postal.casefold() in paths and "ct" in paths:
            paths[plain(state.name)] = paths[state.postal.casefold()]
    is_code = re.compile(codes) if codes else None

    def place(value: str) -> tuple[str, ...] | None:
        word = plain(value)
        if is_code is not None:
            return paths.get(value.strip()[:2] if is_code.fullmatch(value.strip()) else word)
        if "ct" in paths and (postal := POSTAL_OF_FIPS.get(word.removesuffix(" 0").zfill(2))):
            word = postal.casefold()
        return paths.get(word)

    return place


def _ranges(text: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the parts of each title: their first and their last codes."""
    lines = re.sub(r"\n +", " ", text.strip()).splitlines()
    titles = (line.rsplit(": ", 1) for line in lines)
    return [(title, [(part.split("-")[0], part.split("-")[-1]) for part in parts.split()]) for title, parts in titles]


def _drg(text: str) -> Place:
    groups = {
        number: title
        for title, parts in _ranges(text)
        for low, high in parts
        for number in range(int(low), int(high) + 1)
    }

    def place(value: str) -> tuple[str, ...] | None:
        digits = value.strip().removesuffix(".0")
        title = groups.get(int(digits)) if digits.isascii() and digits.isdigit() and len(digits) <= 3 else None
        return None if title is None else (title,)

    return place


def _icd_10_cm(text: str) -> Place:
    """Return category, block and chapter; of blocks inside each other the narrowest counts."""
    chapters = _ranges(text)

    def place(value: str) -> tuple[str, ...] | None:
        code = value.strip().upper()
        if code.replace(".", "", 1).casefold() not in vocabulary("icd_10_cm"):
            return None
        category = code[:3]
        for title, parts in chapters:
            sorts_as = _IN_BLOCK.get(category, category)
            inside = [part for part in parts if part[0] <= sorts_as <= part[1]]
            if inside:
                low, high = max(inside, key=lambda part: (part[0], [-ord(letter) for letter in part[1]]))
                return (category, low if low == high else f"{low} to {high}", title)
        return None

    return place


def scheme_ladder(name: str, values: Sequence[str], scheme: str, records: Mapping[str, int]) -> Hierarchy:
    """Return the ladder of a column by a scheme: the value, the scheme's classes, nothing.

    ``records`` are the numbers of records with each value, which the scheme :data:`COMMON` needs.
    """
    if check_scheme(scheme) == COMMON:
        return _common_ladder(name, values, records)
    of_name = schemes()[scheme]
    places = [of_name.place(value) or (UNKNOWN if is_mark(value) else OTHER,) * len(of_name.levels) for value in values]
    levels = [(level, [place[at] for place in places]) for at, level in enumerate(of_name.levels)]
    return steps_ladder(name, values, levels, [of_name.order.get(plain(value), -1) for value in values])


def order_of_words(values: Sequence[str]) -> tuple[float, ...]:
    """Return the order of values that a vocabulary with an order has, every one of them; empty where none does."""
    words = [plain(value) for value in values]
    for scheme in schemes().values():
        if scheme.order and len(words) >= _FEWEST and all(word in scheme.order for word in words):
            return tuple(scheme.order[word] for word in words)
    return ()


def steps_ladder(
    name: str,
    values: Sequence[str],
    levels: Sequence[tuple[str, Sequence[str]]],
    order: Sequence[float] = (),
) -> Hierarchy:
    """Return the ladder of the values and of those levels that merge some of what the one before keeps apart."""
    held: list[tuple[str, Sequence[str]]] = [("value", values)]
    for level, labels in levels:
        if 1 < len(set(labels)) < len(set(held[-1][1])):
            held.append((level, labels))
    held.append(("nothing", (GONE,) * len(values)))
    order = order if max(order, default=-1) >= 0 else ()
    return Hierarchy(
        name, tuple(values), tuple(tuple(labels) for _, labels in held), tuple(n for n, _ in held), tuple(order)
    )


def _common_ladder(name: str, values: Sequence[str], records: Mapping[str, int]) -> Hierarchy:
    """Return the ladder in which ever more of the rare values are one class."""
    total = max(sum(records.get(value, 0) for value in values), 1)
    levels = []
    is_other = [plain(value) == OTHER for value in values]
    rest = f"{OTHER} or rare" if any(is_other) else OTHER  # "Other" and "other" sound alike
    for share in _SHARES:
        rare = [own or 100 * records.get(value, 0) < share * total for value, own in zip(values, is_other, strict=True)]
        if sum(rare) > 1:
            labels = [
                UNKNOWN if is_mark(value) else rest if is_rare else value
                for value, is_rare in zip(values, rare, strict=True)
            ]
            levels.append((f"values of {share}% or more", labels))
    return steps_ladder(name, values, levels)


def proposed_scheme(values: ColumnValues, *, fields: Sequence[str] = ()) -> dict[str, object]:
    """Return the scheme that a column's values suggest, and why; only those in ``fields`` if any are given.

    A vocabulary is certain if it has every value, of three values and two classes or more, and is proposed if it has
    80% of the values and of the records. Codes of two digits need the column's name too. Otherwise ever more of the
    rare values become one class.
    """
    texts = [text for text in values.looked_at if not is_mark(text)]
    best: tuple[float, Scheme] | None = None
    for scheme in schemes().values():
        if fields and scheme.name not in fields:
            continue
        share = _share_known(values, texts, scheme, is_named=bool(fields))
        if share >= _ENOUGH and (best is None or share > best[0]):
            best = share, scheme
    if best is None:
        why = "proposed, because no vocabulary has its values: rare ones become 'other', in steps"
        return {"scheme": COMMON, "ladder_is": why}
    share, scheme = best
    why = f"every value is known: {scheme.title}"
    if share < 1:
        unknown = f"{sum(scheme.place(text) is None for text in texts):,} of {len(texts):,}"
        why = f"proposed, because most values are known: {scheme.title}; {unknown} are not, and become 'other'"
    return {"scheme": scheme.name, "ladder_is": why}


_HIERARCHICAL = re.compile(r"(?=.*\d)[A-Za-z]{0,2}\d[\dA-Za-z]*([.-][\dA-Za-z]+)*")
_EDUCATION_YEARS = frozenset(["educ", "education", "school", "schooling"])
_CODES = frozenset(["num", "number", "code", "level", "category"])  # numbers of levels, not of years
_AMOUNTS = re.compile("(size|count|children|kids|persons|people|members|rooms|visits|days|weeks|hours)$")
_YEAR = re.compile("(18|19|20)[0-9]{2}")
_EDUCATION_LIMITS = ((9.0, 12.0, 13.0, 16.0, 17.0), (12.0, 13.0, 16.0), (13.0,))
_NO_AMOUNT = 1e7
_NOT_SURE = "proposed; change it if the classes make no sense"


def proposed_ladder(values: ColumnValues, kind: str) -> dict[str, object]:
    """Return what a new project says of a column's ladder: the settings of it, and in ``ladder_is`` what it rests on.

    Kinds with a ladder of their own get nothing here. First letters are proposed for codes of three letters and
    digits or more that share their beginnings; a code of whole numbers may be an amount where they follow each other
    and their frequency has one peak.
    """
    if kind == "state":
        return proposed_scheme(values, fields=("state",))
    if kind in ("race", "ethnicity", "race_ethnicity"):
        return {"scheme": COMMON, "ladder_is": "proposed: rare values become 'other', in steps"}
    if kind not in ("code", "number", "clinical") or not values.texts:
        return {}
    proposal = proposed_scheme(values)
    if proposal["scheme"] != COMMON:
        return proposal
    if kind == "number" and all(_YEAR.fullmatch(text.strip()) or is_mark(text) for text in values.looked_at):
        return {"kind": "year", "ladder_is": f"all numbers may be years: {_NOT_SURE}"}
    limits = _proposed_limits(values, kind)
    if limits:
        why = f"numbers in classes between round limits near the quantiles: {_NOT_SURE}"
        return {"kind": "number", "limits": [list(part) for part in limits], "ladder_is": why}
    if kind == "code" and _is_hierarchical(values):
        return {"lengths": [3, 1], "ladder_is": f"codes by their first letters: {_NOT_SURE}"}
    return proposal


def _proposed_limits(values: ColumnValues, kind: str) -> tuple[tuple[float, ...], ...]:
    texts = [text for text in values.looked_at if not is_mark(text)]
    numbers = [as_number(text) for text in texts]
    read = [number for number in numbers if number is not None]
    if len(read) < _ENOUGH * len(texts) or len(read) < _FEWEST:
        return ()
    if max(map(abs, read)) >= _NO_AMOUNT:  # more often the number of a person or a thing: its limits would tell parts
        return ()
    words = set(name_words(values.name).split())
    if words & _EDUCATION_YEARS and all(0 <= n <= 25 for n in read):
        return number_limits(values) if words & _CODES else _EDUCATION_LIMITS
    return number_limits(values) if kind == "number" or _is_amount(values) else ()


def _is_amount(values: ColumnValues) -> bool:
    """Tell whether few whole numbers may be amounts: five or more in a row, with one peak or the name of an amount."""
    counts = {as_number(text): int(n) for text, n in zip(values.looked_at, values.records, strict=False)}
    numbers = sorted(number for number in counts if number is not None)
    if len(numbers) < 5 or numbers != [numbers[0] + at for at in range(len(numbers))]:
        return False
    if _AMOUNTS.search(name_words(values.name)):
        return True
    heights = [counts[number] for number in numbers]
    peak = heights.index(max(heights))
    return heights[:peak] == sorted(heights[:peak]) and heights[peak:] == sorted(heights[peak:], reverse=True)


def _is_hierarchical(values: ColumnValues) -> bool:
    """Tell whether values are codes of three letters and digits or more, many of which begin alike."""
    codes = [text.strip() for text in values.looked_at if not is_mark(text)]
    return (
        all(len(code) >= 3 and _HIERARCHICAL.fullmatch(code) for code in codes)
        and len({code[:3] for code in codes}) < _ENOUGH * len(codes)
        and len({code[:1] for code in codes}) > 1
    )


def _share_known(values: ColumnValues, texts: Sequence[str], scheme: Scheme, *, is_named: bool) -> float:
    """Return the share of the values and of the records that a vocabulary knows, the smaller of the two."""
    digits = all(text.strip()[:1].isdigit() for text in texts)
    if scheme.names and digits and not is_named and not set(name_words(values.name).split()) & scheme.names:
        return 0.0
    places = [scheme.place(text) for text in values.looked_at]
    marks = [is_mark(text) for text in values.looked_at]
    is_known = [place is not None and not mark for place, mark in zip(places, marks, strict=True)]
    if sum(is_known) < _FEWEST or len({place for place in places if place}) < 2:
        return 0.0
    filled = 1 - values.share(marks)
    return min(sum(is_known) / max(len(texts), 1), values.share(is_known) / filled if filled else 0.0)


def labels_of_scheme(scheme: str, original: CodedColumn, hierarchy: Sequence[Sequence[str]] = ()) -> frozenset[str]:
    """Return the classes of a vocabulary or hierarchy that no value of the file's column spells: only it writes them.

    A word that the file holds may be a person's name, whatever vocabulary has it: Jordan, Georgia, West.
    """
    classes = frozenset(label for row in hierarchy for label in row[1:])
    classes |= schemes()[scheme].classes if scheme not in ("", COMMON) else frozenset()
    held = {plain(value) for value in original.values}
    return frozenset(label for label in classes if plain(label) not in held)


def number_limits(values: ColumnValues) -> tuple[tuple[float, ...], ...]:
    """Return limits of classes of numbers, the finest first: round ones near the quantiles, each list part of the last.

    The coarsest limit lies near the median; each step halves the classes at a round number: a multiple of 1, 2 or
    5 times a power of ten that is no wider than half of the distance of the quartiles there.
    """
    numbers = sorted(
        (number, int(records))
        for text, records in zip(values.looked_at, values.records, strict=False)
        if (number := as_number(text)) is not None
    )
    if len(numbers) < _FEWEST:
        return ()
    steps: list[tuple[float, ...]] = []
    while len(steps) < _MOST_STEPS:
        limits = steps[-1] if steps else ()
        ends = itertools.pairwise([-math.inf, *limits, math.inf])
        parts = ([pair for pair in numbers if low <= pair[0] < high] for low, high in ends)
        more = [limit for part in parts if (limit := _round_limit(part)) is not None]
        if not more:
            break
        steps.append(tuple(sorted([*limits, *more])))
    return tuple(reversed(steps))


def _round_limit(part: Sequence[tuple[float, int]]) -> float | None:
    """Return the round number near the median that parts some numbers; None where there is nothing to part."""
    if len(part) < _FEWEST:
        return None
    seen = np.cumsum([records for _, records in part])
    low, median, high = (part[at][0] for at in np.searchsorted(4 * seen, seen[-1] * np.arange(1, 4)))
    span = (high - low) / 2 or (part[-1][0] - part[0][0]) / 4
    step = max(
        (m * 10.0**e for e, m in itertools.product(range(-6, 15), (1, 2, 5)) if m * 10.0**e <= span), default=1e-6
    )
    if all(float(number).is_integer() for number, _ in part):
        step = max(step, 1.0)
    near = round(median / step)
    choices = [round(at * step, 9) for at in (near, near + 1, near - 1)]
    return next((limit for limit in choices if part[0][0] < limit <= part[-1][0]), None)


def as_number(text: str) -> float | None:
    """Return the number that a text is, in digits; None for any other text.

    >>> as_number(" 1,200.5 "), as_number("1e6"), as_number("nan")
    (1200.5, None, None)
    """
    digits = text.strip()
    if re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?", digits):
        digits = digits.replace(",", "")
    return float(digits) if re.fullmatch(r"[-+]?\d{1,15}(\.\d+)?", digits) else None


def limits_ladder(name: str, values: Sequence[str], limits: Sequence[Sequence[float]]) -> Hierarchy:
    """Return the ladder of numbers in classes between limits, the finest list first; open at both ends."""
    for fine, coarse in itertools.pairwise(limits):
        if not set(coarse) <= set(fine):
            raise InputError(f"limits of {name}: each list must be part of the one before, so that classes nest.")
    numbers = [as_number(value) for value in values]
    whole = all(number is None or number.is_integer() for number in numbers)
    whole = whole and all(float(limit).is_integer() for limit in itertools.chain(*limits))
    levels = []
    for cuts in limits:
        ordered = sorted(set(cuts))
        labels = [
            _between(number, ordered, whole=whole) if number is not None else UNKNOWN if is_mark(value) else OTHER
            for value, number in zip(values, numbers, strict=True)
        ]
        levels.append((f"{len(ordered) + 1} classes", labels))
    least = min((number for number in numbers if number is not None), default=0.0)
    order = [-1.0 if number is None else number - least for number in numbers]
    return steps_ladder(name, values, levels, order)


def _between(number: float, limits: Sequence[float], *, whole: bool) -> str:
    """Return the class of a number in words.

    >>> _between(3, [5, 10], whole=True), _between(7, [5, 10], whole=True), _between(0.75, [0.5, 1.5], whole=False)
    ('under 5', '5 to 9', '0.5 to under 1.5')
    """
    above = sum(limit <= number for limit in limits)
    if above == 0:
        return f"under {_text(limits[0])}"
    if above == len(limits):
        return f"{_text(limits[-1])} or more"
    low, high = limits[above - 1], limits[above]
    if not whole:
        return f"{_text(low)} to under {_text(high)}"
    return _text(low) if high - low == 1 else f"{_text(low)} to {_text(high - 1)}"


def _text(number: float) -> str:
    return f"{number:.9f}".rstrip("0").rstrip(".")
