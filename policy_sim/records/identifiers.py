"""What identifies a person, recognized by the values of a column: the eighteen kinds of 45 CFR 164.514(b)(2)(i).

Two kinds of evidence. A text may be an identifier by its own form (an e-mail address); one such value is enough. Or
the column may hold one (nine digits may be a Social Security number, or an invoice); then most of its values must fit,
and a person decides. A written file is searched for both again.
"""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from policy_sim.files.toml import shipped_table
from policy_sim.records.vocabularies import MARKS, is_mark, is_ordinary, is_town, plain, vocabulary, words


@dataclass(frozen=True)
class Hit:
    """Identifiers that a column holds: what they are called, in the plural, and in how many values and records.

    ``letter`` is the paragraph of 45 CFR 164.514(b)(2)(i) that removes them. They are ``certain`` where the form of the
    values tells: a person cannot mean something else by them.
    """

    called: str
    letter: str
    values: int
    records: int
    certain: bool

    def __str__(self) -> str:
        """Say what was found, and in how many records; never a value."""
        return f"{self.called} ({self.records:,} record{'s' if self.records != 1 else ''})"


class _Shapes(dict[int, str]):
    """What stands for a letter in a shape: A, a or 9; every other character is itself."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = (
            "9" if character.isdecimal() else "A" if character.isupper() else "a" if character.isalpha() else character
        )
        return self[code]


_OF_LETTER = _Shapes()


def shape(text: str) -> str:
    """Return a text with A for each capital letter, a for each other letter and 9 for each digit."""
    return text.translate(_OF_LETTER)


def shapes(texts: Sequence[str], records: NDArray[np.int64], most: int = 3) -> tuple[str, ...]:
    """Return the commonest shapes of values, with letters shortened, so that no value can be read from them."""
    whole: Counter[str] = Counter()
    for text, number in zip(texts, records.tolist(), strict=True):
        whole[shape(text[:60]).strip()] += number
    count: Counter[str] = Counter()
    for text, number in whole.items():
        short = re.sub(r"([Aa])\1+", r"\1\1", text)
        words = short.count(" ") + 1
        short = re.sub(r"Aa+", "Aa", re.sub(r"aa+", "aa", short))
        count[short if words <= 4 and len(short) <= 24 else f"text of {'some' if words < 10 else 'many'} words"] += (
            number
        )
    return tuple(text for text, _ in count.most_common(most))


@dataclass(frozen=True)
class _Pattern:
    """What texts of a form are called, the paragraph that removes them, and a test that most of them pass too."""

    called: str
    letter: str
    form: re.Pattern[str]
    test: str = ""


@cache
def _patterns(table: str) -> tuple[_Pattern, ...]:
    """Return the patterns of a table of ``data/vocabularies/identifiers.toml``."""
    case = re.IGNORECASE if table == "forms" else re.NOFLAG
    return tuple(
        _Pattern(entry["called"], entry["letter"], re.compile("".join(entry["pattern"]), case), entry.get("test", ""))
        for entry in shipped_table("vocabularies/identifiers.toml")[table]
    )


def _without_lookaround(pattern: str) -> str:
    """Return a pattern that matches whatever a pattern matches, and is one for the fast search of Arrow."""
    return re.sub(r"\(\?<?[!=](?:[^()\[]|\[[^\]]*\])*\)", "", pattern)


_FEW_CHARACTERS = 2_000  # of all texts: below, the fast search takes longer to start than the plain one to end


def _of_forms(texts: Sequence[str]) -> Iterator[tuple[_Pattern, list[int]]]:
    """Yield each form of a value with the places of the values that have it."""
    if sum(map(len, texts)) < _FEW_CHARACTERS:
        for pattern in _patterns("forms"):
            yield pattern, [at for at, text in enumerate(texts) if pattern.form.search(text)]
        return
    import pyarrow as pa
    import pyarrow.compute as pc

    fast = {pattern: _without_lookaround(pattern.form.pattern) for pattern in _patterns("forms")}
    array = pa.array(texts, pa.string())
    any_of = "|".join(f"(?:{pattern})" for pattern in fast.values())
    places = np.flatnonzero(pc.match_substring_regex(array, any_of, ignore_case=True).to_numpy(zero_copy_only=False))
    part = array.take(pa.array(places))
    for pattern, quick in fast.items() if len(places) else ():
        matched = pc.match_substring_regex(part, quick, ignore_case=True).to_numpy(zero_copy_only=False)
        yield pattern, [at for at in places[matched].tolist() if pattern.form.search(texts[at])]


def identifiers_in(texts: Sequence[str], records: NDArray[np.int64]) -> tuple[Hit, ...]:
    """Return the identifiers that a column's values, each in some records, are or may be; the certain ones first."""
    texts = [text.strip() for text in texts]
    hits: list[Hit] = []
    for pattern, places in _of_forms(texts):
        hits += _hit(pattern.called, pattern.letter, places, records, certain=True)
    places = [at for at, text in enumerate(texts) if text.count(":") > 1 and _has_ip6(text)]
    hits += _hit("IP addresses", "O", places, records, certain=True)
    hits += _whole_columns(texts, records)
    hits += names_in(texts, records)
    merged: dict[str, Hit] = {}
    for hit in hits:
        merged.setdefault(hit.called, hit)
    return tuple(sorted(merged.values(), key=lambda hit: (not hit.certain, -hit.records)))


def _hit(called: str, letter: str, at: Sequence[int], records: NDArray[np.int64], *, certain: bool) -> list[Hit]:
    return [Hit(called, letter, len(at), int(records[list(at)].sum()), certain)] if len(at) else []


_IP6_WITHIN = re.compile(r"(?<![^\W_])[0-9A-Fa-f:]+(?![^\W_])")


def _has_ip6(text: str) -> bool:
    """Tell whether a text has an address of the sixth version, or what is written like one, and no ratio such as 1::2.

    A time or the address of a device has no part of four digits, and a place in a genome no two colons together.
    """
    if _is_ip6(text):
        return True
    parts = [part for part in _IP6_WITHIN.findall(text) if any(len(group) >= 4 for group in part.split(":"))]
    return any(_is_ip6(part) or ("::" in part and part.count(":") > 2) for part in parts)


def _is_ip6(text: str) -> bool:
    try:
        return ipaddress.ip_address(text.split("%")[0]).version == 6
    except ValueError:
        return False


_DIGITS = re.compile(r"\d+(?:[.]0+)?")
_MOST = 0.8


def _number(text: str) -> str:
    return text.split(".")[0] if _DIGITS.fullmatch(text) else re.sub(r"[ -]", "", text)


def passes(test: str, text: str) -> bool:
    """Tell whether a number passes a test: one of python-stdnum, unless it stands here."""
    from importlib import import_module

    own = {"npi": _npi, "phone": _phone, "vin": _vin}.get(test)
    return own(text) if own else bool(import_module(f"stdnum.{test}").is_valid(text))


def _npi(text: str) -> bool:
    return len(text) == 10 and text[:1] in "12" and passes("luhn", "80840" + text)


def _phone(text: str) -> bool:
    import phonenumbers

    try:
        return bool(phonenumbers.is_valid_number(phonenumbers.parse(text, "US")))
    except phonenumbers.NumberParseException:
        return False


def _vin(text: str) -> bool:
    """Tell whether the ninth of the seventeen characters is the check digit of a vehicle identification number."""
    if not re.fullmatch(r"[A-HJ-NPR-Z0-9]{17}", text):
        return False
    letters = dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", map(int, "12345678123457923456789"), strict=True))
    weights = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
    rest = sum(w * (int(c) if c.isdigit() else letters[c]) for c, w in zip(text, weights, strict=True)) % 11
    return text[8] == ("X" if rest == 10 else str(rest))


_MOST_TESTED = 2_000  # values of one form that a slow test reads; the form itself is looked for in all


def _whole_columns(texts: Sequence[str], records: NDArray[np.int64]) -> list[Hit]:
    if len(texts) < 2:
        return []
    sample = [_number(text) for text in texts[:: max(len(texts) // 100, 1)]]
    patterns = [
        pattern
        for pattern in _patterns("columns")
        if sum(map(bool, map(pattern.form.fullmatch, sample))) >= _HALF * len(sample)
    ]
    numbers = [_number(text) for text in texts] if patterns else []
    for pattern in patterns:
        at = [place for place, text in enumerate(numbers) if pattern.form.fullmatch(text)]
        if len(at) < _MOST * len(texts):
            continue
        tried = at[:: max(len(at) // _MOST_TESTED, 1)]
        if pattern.test and sum(passes(pattern.test, numbers[place]) for place in tried) < _MOST * len(tried):
            continue
        return _hit(pattern.called, pattern.letter, at, records, certain=False)
    return []


_COMMA_NAME = re.compile(r"[^\W\d][\w'’.-]*(?: [\w'’.-]+){0,2}, ?[^\W\d][\w'’.-]*(?: [\w'’.-]+){0,2}")
_WORDS = re.compile(r"[^\W\d_][\w'’.-]*(?: [^\W\d_][\w'’.-]*){0,3}")
_HALF, _FEW, _RARE = 0.5, 0.1, 2
RARE_NAMES, LONE_NAMES = "names of people in rare values", "first or last names"
# What so many harmless columns may be too that it makes no column an identifier.
MERELY_POSSIBLE = (RARE_NAMES, "long numbers", "license or plate numbers", "places as a geohash gives them")


def names_in(texts: Sequence[str], records: NDArray[np.int64]) -> list[Hit]:
    """Return whether values of a column are names of people, by the Census Bureau's lists of frequent names.

    A family name, a comma and a first name, or a first and a family name in either order, count by themselves where
    most values of several words are such. Single words may be names where most of them are on a list, unless all
    of them answer a question and repeat, such as Good, Fair and Poor.
    """
    sample = texts[:: max(len(texts) // 100, 1)]
    if len(texts) > _MOST_TESTED and not any(text[:1].isalpha() for text in sample):  # numbers name nobody
        return []
    first, last = vocabulary("first_names"), vocabulary("last_names")
    harmless, titles = words("people", "answers"), words("people", "titles")
    full, single, several, alone, answers = [], [], 0, 0, 0
    for at, text in enumerate(texts):
        if not _COMMA_NAME.fullmatch(text) and not _WORDS.fullmatch(text):
            continue
        if text.split("-")[0] in MARKS:  # NA-code names nobody
            continue
        named = [word for word in plain(text.replace("'", "").replace("’", "")).split() if word not in titles]
        if len(named) == 1:
            alone += 1
            answers += named[0] in harmless and records[at] > 1
            if named[0] in first or named[0] in last:
                single.append(at)
        elif named:
            several += 1
            long = [word for word in named if len(word) > 1]
            if all(len(word) < 3 or is_ordinary(word) for word in long):  # in person, white rose
                continue
            is_first = sum(word in first for word in long)
            is_last = sum(word in last for word in long)
            if (long and len(long) <= 3 and is_first and is_last == len(long)) or (
                "," in text and is_first and is_last
            ):
                full.append(at)
    hits = []
    in_full = int(records[full].sum()) if full else 0
    if len(full) > _HALF * max(several, 1) and in_full > _FEW * int(records.sum()):
        hits += _hit("names of people", "A", full, records, certain=len(full) >= 3)
    else:
        hits += _hit(RARE_NAMES, "A", [at for at in full if records[at] <= _RARE], records, certain=False)
    if alone >= 3 and answers < alone and len(single) > _MOST * alone and alone + several > _HALF * len(texts):
        hits += _hit(LONE_NAMES, "A", single, records, certain=False)
    return hits


def identifiers_by_name(name: str) -> Hit | None:
    """Return what the words of a column's name suggest; None where they suggest no identifier."""
    suggested = (pattern for pattern in _patterns("names") if pattern.form.search(name))
    return next((Hit(pattern.called, pattern.letter, 0, 0, certain=False) for pattern in suggested), None)


def towns_in(texts: Sequence[str], records: NDArray[np.int64]) -> list[Hit]:
    """Return whether most values of a column are towns or counties."""
    sample = texts[:: max(len(texts) // 100, 1)]
    if sum(map(is_town, sample)) < _HALF * len(sample):
        return []
    lettered = [at for at, text in enumerate(texts) if re.search(r"[^\W\d]{3}", text)]
    towns = [at for at, is_town in zip(lettered, map(is_town, [texts[at] for at in lettered]), strict=True) if is_town]
    enough = len(towns) >= 3 and len(towns) >= _MOST * len(texts)
    return _hit("towns or counties", "B", towns, records, certain=False) if enough else []


# Numbers that are no identifiers.


_MONEY = re.compile(r"[(-]?[$€£]? ?(?:\d{1,3}(?:,\d{3})*|\d+)(?:\.\d\d)?\)?", re.ASCII)
_CENTS = re.compile(r"\.\d\d\)?$", re.ASCII)
_NEARLY_ALL = 0.9  # of the amounts show that they are some


def are_amounts(texts: Sequence[str]) -> bool:
    """Tell whether texts are sums of money: nearly all with cents, or with a currency sign and thousands.

    >>> are_amounts(["$25,424.25", "$982.10"]), are_amounts(["$4402220", "$4402221"]), are_amounts(["4402220", "4"])
    (True, False, False)
    """
    filled = [text.strip() for text in texts if not is_mark(text)]
    shown = [text for text in filled if _CENTS.search(text) or ("," in text and any(sign in text for sign in "$€£"))]
    return bool(filled) and all(map(_MONEY.fullmatch, filled)) and len(shown) >= _NEARLY_ALL * len(filled)
