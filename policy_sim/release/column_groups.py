"""Columns that are asked about together, such as measurements and scales, once nothing speaks against them.

Each column is tried by itself and beside the others, as the release attack does and beyond: a column with any doubt
is in no group, and is named with its doubt. Nothing here decides; a person answers for each group.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from policy_sim.records.census_values import RACE_FIELDS
from policy_sim.records.column_kinds import ColumnKind, tells_by_name
from policy_sim.records.dates import read_dates, read_years
from policy_sim.records.formats import CodedTable
from policy_sim.records.identifiers import MERELY_POSSIBLE, identifiers_by_name, identifiers_in
from policy_sim.records.vocabularies import (
    STATE_WORDS,
    county_codes,
    is_mark,
    is_ordinary,
    is_town,
    name_words,
    plain,
    vocabulary,
    words,
)
from policy_sim.release.attack.closed_lists import FLAG, age_span, is_run, mentions
from policy_sim.release.attack.columns import attack_column, doubts_of
from policy_sim.release.attack.numbers import ALL_DIFFERENT
from policy_sim.release.attack.report import Claim, Word
from policy_sim.release.attack.together import tied, undoes
from policy_sim.release.attack.written import WrittenColumn
from policy_sim.release.number_shapes import (
    are_days,
    are_degrees,
    are_labels,
    are_parts_of_dates,
    are_weekdays,
    are_zip3,
    are_zip_codes,
    follows,
    has_check_digit,
    is_calendar,
    is_function_of_a_number,
    lie_evenly,
    may_be_shifted_ages,
    share_of,
    steps_of,
)
from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import InputError
from policy_sim.words.telling import each

GROUPS: Mapping[str, str] = {
    "flags": "columns of yes and no",
    "scales": "small scales of numbers",
    "amounts": "amounts",
    "measurements": "numeric measurements",
    "concept ids": "concept ids",
    "categories": "lists of a few words",
}
"""Each group, and what a question about it calls its columns."""

_PLAIN_KINDS = ("number", "code", "constant")
_IN_TIME = ("age", "age_months", "age_days", "birth_date", "birth_year")
_ABOUT_PEOPLE = ("sex", *RACE_FIELDS, "age", "birth_date", "birth_year", "zip5", "zip3")
_NUMBER = re.compile(r"[<>≤≥]? ?[-+]?(?:\d+(?:[.,]\d+)?|[.,]\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_AMOUNT = re.compile(r"[$€£]? ?\d{1,3}(?:,\d{3})+(?:\.\d\d)?|[$€£] ?\d+(?:\.\d+)?", re.ASCII)
_MIXED = re.compile(r"[A-Za-z]{1,4}-?\d[A-Za-z0-9-]*", re.ASCII)
_SCALE, _LIST, _LONG = 20, 40, 40  # values of a scale and of a list, characters of a word
_FEW, _ENOUGH, _TWICE = 10, 20, 2  # records; records for a test of shape; records of each word of a list
_NEARLY_ALL, _MOST, _HALF, _SOME = 0.95, 0.9, 0.5, 0.15
_SAMPLE = 20_000  # rows in which columns are compared
_OLD, _OLDEST, _ADULT = 90, 120, 20
_ID_DIGITS, _LONG_DIGITS = 6, 9
_IN_ORDER, _REGULAR = 0.99, 0.6
_DAY_ORIGINS = ((10_000, 25_000), (20_000, 62_000), (690_000, 760_000), (2_430_000, 2_480_000))
_PARTS_OF_YEAR = (12.0, 52.18, 365.25)
_REPEATED, _COMPARED, _DETERMINED = 1.5, 40, 3  # rows of a person; columns compared, and those of which all tell
_FEW_OF_ONE, _FINE, _CENTS = 3, 3, 2
_WIDE, _FIRST_YEAR, _LAST_YEAR = 15, 1900, 2040
_THREE_DIGITS, _GLUED = 100, 4
_ROMAN = ("ii", "iii", "iv", "vi", "vii", "viii", "ix")
_FAMILY = 7  # flags that are numbered in a row


@dataclass(frozen=True, eq=False)
class _Others:
    """Columns with which one is compared: those that a rule covers, by field; identifiers; those of few values.

    ``ordered`` has the numbers of ages and years and the days of dates, one per row in the sample.
    """

    about: Sequence[tuple[str, WrittenColumn]]
    persons: Sequence[WrittenColumn]
    short: Sequence[WrittenColumn]
    ordered: Mapping[str, FloatArray]


@dataclass(frozen=True)
class Tried:
    """What came of trying a column: the group that asks about it, or the doubt for which no group does."""

    group: str = ""
    doubt: str = ""


def tried_columns(table: CodedTable, kinds: Mapping[str, ColumnKind]) -> dict[str, Tried]:
    """Return for each column of a file that nobody has decided on and no rule covers what came of trying it."""
    columns = {name: WrittenColumn(name, tuple(table[name].values), table[name].codes) for name in kinds}
    about = [_coarser(columns[name], kind) for name, kind in kinds.items() if kind.accepted and kind.reason != FLAG]
    short = [column for column in columns.values() if 1 < len(column.texts) <= _SCALE][:_COMPARED]
    persons = [columns[name] for name, kind in kinds.items() if kind.kind == "direct identifier"]
    ordered = {name: _in_order(columns[name], kind) for name, kind in kinds.items() if _has_order(kind)}
    others = _Others(about, persons, short, ordered)
    tried = {}
    for name, kind in each(kinds.items(), "trying what no rule covers"):
        if kind.accepted or kind.kind in ("direct identifier", "free text", "empty"):
            continue
        tried[name] = _tried(columns[name], kind, others)
    flags = [name for name, kind in kinds.items() if kind.reason == FLAG]
    return tried | _numbered_flags(columns, flags, tried)


def _coarser(column: WrittenColumn, kind: ColumnKind) -> tuple[str, WrittenColumn]:
    """Return the field of a column that a rule makes coarser, with the years of its dates."""
    field = kind.field or kind.kind
    if kind.kind == "date" or kind.field == "birth_date":
        years = [str(year or "") for year in read_years(column.texts)]
        field, column = "year", _with_texts(column, years)
    return field, column


def _has_order(kind: ColumnKind) -> bool:
    return kind.kind in ("date", "year") or kind.field in _IN_TIME


def _in_order(column: WrittenColumn, kind: ColumnKind) -> FloatArray:
    """Return the number, or the day, of each sampled row of a column; NaN where it has none."""
    column = _sampled(column)
    if kind.kind == "date" or kind.field == "birth_date":
        try:
            days = read_dates(column.name, column.texts)[0]
        except InputError:  # which of day and month is first is asked elsewhere
            return np.full(len(column.codes), np.nan)
        return np.array([np.nan, *(day.toordinal() if day else np.nan for day in days)])[column.codes]
    return _rows_of(column)


def _rows_of(column: WrittenColumn) -> FloatArray:
    """Return the number of each row; NaN where it is none."""
    texts = [text.strip() for text in column.texts]
    return np.array([np.nan, *(_number(text) if _NUMBER.fullmatch(text) else np.nan for text in texts)])[column.codes]


def _with_texts(column: WrittenColumn, texts: Sequence[str]) -> WrittenColumn:
    place = {text: at for at, text in enumerate(dict.fromkeys(text for text in texts if text), 1)}
    number = np.array([0, *(place.get(text, 0) for text in texts)], dtype=np.int64)
    return WrittenColumn(column.name, tuple(place), number[column.codes])


def _tried(column: WrittenColumn, kind: ColumnKind, others: _Others) -> Tried:
    if kind.kind not in _PLAIN_KINDS:
        return Tried(doubt=kind.reason)
    values = _Values(column)
    tests: tuple[Callable[[], str], ...] = (
        lambda: _by_name(column.name, is_flag=len(values.texts) <= _TWICE),
        lambda: _by_attack(column, is_amount=values.is_amount),
        values.doubt,
        lambda: _beside(values, others),
    )
    for test in tests:
        if doubt := test():
            return Tried(doubt=doubt)
    group = values.group()
    return Tried(group) if group else Tried(doubt=f"{len(values.texts):,} different values, some in one record only")


# What a column's name, and the attack on the column alone, speak against.


def _by_name(name: str, *, is_flag: bool) -> str:
    """Return what a name says that a group of columns must not hold; places and ages are asked about one by one."""
    tokens = set(name_words(name).split())
    if {token.rstrip("0123456789") for token in tokens} & words("groups", "places"):
        return "its name may mean a place, an institution or a device"
    for field in ("zip5", "zip3", "county", "tract", "birth_date", "birth_year", "age"):
        if mentions(name, field):
            return f"its name says {field.replace('_', ' ')}"
    if is_flag and tells_by_name(name_words(name)):
        return "its name may tell a place, an age or a part of a date"
    named = identifiers_by_name(name_words(name))
    if named is not None and named.letter == "R":
        return f"its name suggests {named.called}"
    is_age = any(re.fullmatch(r"l?age[a-z]?\d*", token) for token in tokens)
    return "its name may mean an age" if is_age else ""


def _by_attack(column: WrittenColumn, *, is_amount: bool) -> str:
    """Return what the attack finds in a column that leaves as it is under Safe Harbor, and what it doubts.

    Amounts are nearly all different, as numbers of people are: what their lengths say is looked at elsewhere.
    """
    claim = Claim(
        rule="safe-harbor", dates="year", places=("state", "zip3"), oldest=_OLD, words={column.name: Word("nobody")}
    )
    kind, findings = attack_column(column, claim)
    if findings:
        return findings[0].what
    if kind not in ("", FLAG):
        return f"its values may be those of {kind}"
    doubt = doubts_of(column, kind, claim)
    return "" if is_amount and doubt.startswith(ALL_DIFFERENT) else doubt


# The values of a column.


class _Values:
    """The texts of a column that are no mark of a missing value, with their records and their numbers."""

    def __init__(self, column: WrittenColumn) -> None:
        self.column = column
        self.at = [at for at, text in enumerate(column.texts) if not is_mark(text.strip())]
        self.texts = [column.texts[at].strip() for at in self.at]
        self.records = column.records[self.at]
        self.filled = int(self.records.sum())

    @cached_property
    def numbers(self) -> FloatArray | None:
        """The number that each text is; None where one is none."""
        if not all(_NUMBER.fullmatch(text) or _AMOUNT.fullmatch(text) for text in self.texts):
            return None
        numbers = np.array([_number(text) for text in self.texts])
        return numbers if np.isfinite(numbers).all() else None  # 1e400 is more than a float can hold

    @cached_property
    def are_whole(self) -> bool:
        return self.numbers is not None and bool((self.numbers == np.round(self.numbers)).all())

    def says(self, meaning: str) -> bool:
        """Tell whether the name has a word of that meaning, such as ``units``, as it is or glued to a letter or two."""
        own = words("groups", meaning)
        tokens = set(name_words(self.column.name).split())
        tokens |= {re.sub(r"^(l|ln|log)(?=\w{4})", "", token) for token in tokens}
        return any(t in own or any(len(w) > _GLUED and t.startswith(w) for w in own) for t in tokens)

    @cached_property
    def is_amount(self) -> bool:
        """Whether the name or the form of the values says that they are sums of money."""
        return self.says("amounts") or all(map(_AMOUNT.fullmatch, self.texts))

    @cached_property
    def is_other_than_age(self) -> bool:
        """Whether the name says what the numbers count, and that is neither years nor days."""
        return self.is_amount or self.says("units")

    @cached_property
    def are_concepts(self) -> bool:
        """Whether the numbers are those of a vocabulary of concepts: named so, and each of many records."""
        is_named = re.search(r"(^| )concept ids?$", name_words(self.column.name)) is not None
        return is_named and self.are_whole and len(self.texts) <= max(self.filled / _FEW, 1)

    def group(self) -> str:
        """Return the group of a column without a doubt; nothing where its values are rare words."""
        if self.numbers is None:
            is_list = len(self.texts) <= _LIST and all(len(text) <= _LONG for text in self.texts)
            return "categories" if is_list and bool((self.records >= _TWICE).all()) else ""
        if set(map(str.casefold, self.texts)) <= {"0", "1", "0.0", "1.0"}:
            return "flags"
        if self.are_concepts:
            return "concept ids"
        if len(self.texts) <= _SCALE:
            return "scales"
        return "amounts" if self.is_amount else "measurements"

    def doubt(self) -> str:
        """Return what the values may be other than a measurement."""
        if self.filled < _FEW:
            return "too few records to try it"
        if self.numbers is None and any(" " in text and _has_state(text) for text in self.texts):
            return "its values may be parts of states"
        if self.numbers is None and not all(map(_is_of_ordinary_words, self.texts)) and not self._is_answered():
            return "its values may be names, such as those of employers or places"
        if self.numbers is None and not self.says("lists") and _are_mixed(self.texts):
            return "its values may be codes of people, places or devices"
        if len(self.texts) <= _TWICE:
            rare = int(self.records.min(initial=self.filled))
            if rare < _FEW_OF_ONE:
                return f"one of its values is in {rare:,} of {self.filled:,} records"
            if self.numbers is None or float(np.abs(self.numbers).max()) < _THREE_DIGITS:
                return ""
        spans = [age_span(text) for text in self.texts]
        if self.numbers is not None:
            return next(self._doubts(self.numbers), "")
        is_old = any(span and _OLD <= span[0] <= _OLDEST and not span[1] for span in spans)
        return "its values may be classes of ages, some of 90 and over" if is_old and all(spans) else ""

    def _is_answered(self) -> bool:
        """Tell whether words are answers that many gave to what the name asks, and none is on a list of names."""
        is_common = len(self.texts) <= _SCALE and bool((self.records >= _FEW).all())
        return is_common and self.says("lists") and not any(map(_has_listed_name, self.texts))

    def _doubts(self, numbers: FloatArray) -> Iterator[str]:
        nearly_all = len(self.texts) >= _NEARLY_ALL * self.filled
        digits = self._digits(numbers)
        if are_labels(self.texts) or self._are_sparse(numbers):
            yield "its values may identify people, accounts or things"
        if not self.are_concepts and len(numbers) <= _SCALE and self._are_codes(numbers):
            yield "its values may be codes of people, places or devices"
        if all(number % 1 == 0 and f"{int(number):05}" in county_codes() for number in digits):
            yield "its values may be codes of counties"
        if self.places and share_of((numbers >= _FIRST_YEAR) & (numbers < _LAST_YEAR)) >= _MOST:
            yield "its values may be dates as years with decimals"
        if are_zip_codes(digits) and not self._are_round(digits):
            yield "its values may be ZIP codes"
        if not self.are_concepts and are_zip3(self.texts, numbers, self.records):
            yield "its values may be three digits of ZIP codes"
        if are_parts_of_dates(digits) or is_calendar(digits, self.records) or are_weekdays(numbers, self.records):
            yield "its values may be parts of dates"
        if lie_evenly(digits, self.records):
            yield "its values are spread evenly, like days since a start or numbers given out by lot"
        if not self.is_amount and is_function_of_a_number(numbers, self.texts):
            yield "its values may be a function of numbers that identify people, accounts or things"
        if are_degrees(numbers, self.places):
            yield "its values may be degrees of latitude or longitude"
        if not self.is_other_than_age and self._are_ages(numbers):
            yield "its values may be ages, some of 90 and over"
        if are_days(self.texts, numbers):
            yield "its values may be ages or dates, counted in days"
        if any(share_of((numbers >= low) & (numbers < high)) >= _MOST for low, high in _DAY_ORIGINS) and (
            len(self.texts) > _SCALE and not self._are_round(numbers)
        ):
            yield "its values may be dates as numbers of days"
        if self.places <= _CENTS and not self.are_concepts:
            lengths = [len(str(abs(int(number)))) for number in digits]
            most = max(map(lengths.count, set(lengths))) / len(lengths)
            long = _LONG_DIGITS if self.is_amount and not nearly_all else _ID_DIGITS + self.places // 2
            is_long = most >= _MOST and min(lengths) >= long and (self.are_whole or nearly_all)
            if (is_long or has_check_digit(digits)) and not self._are_round(digits):
                yield "its values may identify people, accounts or things"
            if not self.is_amount and self._is_of_panel():
                yield "each of its values has as many rows, or they are next to each other, as those of a person are"
            is_uneven = (self.is_amount or self.says("durations")) and most < 1 - _SOME
            if self.are_whole and nearly_all and not is_uneven:
                yield "nearly all of its values are different, as numbers of people are"
        is_sorted = self._is_in_order(numbers) and not self.says("durations")  # as files of survival times are
        if is_run(self.column) or self._is_regular(numbers) or is_sorted:
            yield "its values run through the file, as the numbers of its records do"
        bare = [re.sub(r"\D", "", text) for text in self.texts]
        hits = identifiers_in([*dict.fromkeys(bare)], np.ones(len(set(bare)), dtype=np.int64))
        if grave := [hit for hit in hits if hit.called not in MERELY_POSSIBLE]:
            yield f"its values may be {grave[0].called}"

    def _are_codes(self, numbers: FloatArray) -> bool:
        """Tell whether a few whole numbers of three digits or more are no doses or round amounts."""
        is_long = self.are_whole and float(numbers.min()) >= _THREE_DIGITS
        return is_long and not self.is_other_than_age and not self._are_round(numbers, 10)

    def _is_of_panel(self) -> bool:
        """Tell whether many values have several rows each: as many for all, or without a row between them."""
        if len(self.texts) < _ENOUGH or self.filled < _TWICE * len(self.texts):
            return False
        common = np.bincount(self.records[self.records > 1], minlength=1).max()
        codes = self.column.codes[self.column.codes > 0]
        blocks = 1 + int((np.diff(codes) != 0).sum())
        return bool(common >= _MOST * len(self.texts)) or blocks <= (1 + _SOME) * len(self.texts)

    def _are_round(self, numbers: FloatArray, to: int = 100) -> bool:
        return share_of(numbers % to == 0) >= _HALF

    @cached_property
    def places(self) -> int:
        """The decimal places of the number with the most."""
        return max((len(text.partition(".")[2]) for text in self.texts), default=0)

    def _digits(self, numbers: FloatArray) -> FloatArray:
        """Return the numbers without their decimal point, where all are written to the same few places."""
        return np.round(numbers * 10.0**self.places) if 0 < self.places <= _FINE and not self.are_whole else numbers

    def _are_sparse(self, numbers: FloatArray) -> bool:
        """Tell whether numbers lie far apart and yet come again, as labels do and rounded measurements do not."""
        if len(numbers) < _ENOUGH or self.are_concepts or (numbers % 1 != 0).any() or self._are_round(numbers, 5):
            return False
        is_wide = numbers.max() - numbers.min() >= _WIDE * len(numbers)
        return bool(is_wide and np.median(self.records) >= 2 and self.filled >= _REPEATED * len(numbers))

    def _are_ages(self, numbers: FloatArray) -> bool:
        """Tell whether numbers reach from youth to over 90, with few records there, as ages do."""
        numbers = -numbers if numbers.max() <= 0 else numbers
        if len(numbers) <= _SCALE:
            is_old = numbers.max() <= _OLDEST and bool((numbers > _OLD).any()) and numbers.min() >= _ADULT
            return bool(is_old and self.are_whole and (numbers % 5 != 0).any())
        return self._reach_old_age(numbers)

    def may_be_ages_in_parts(self) -> bool:
        """Tell whether numbers reach as far as ages in months, in days or in any other unit do."""
        if self.numbers is None or len(self.texts) <= _SCALE or self.is_other_than_age:
            return False
        if self.are_whole and any(self._reach_old_age(self.numbers / unit) for unit in _PARTS_OF_YEAR):
            return True
        steps = steps_of(self.numbers, self.places)
        return steps is not None and self._reach_old_age(steps)

    def _reach_old_age(self, years: FloatArray) -> bool:
        if years.min() < 0 or not _OLD <= years.max() <= _OLDEST:
            return False
        old = float(self.records[years >= _OLD].sum()) / self.filled
        grown = float(self.records[years >= _ADULT].sum()) / self.filled
        return old <= _SOME and grown >= _HALF

    def _is_regular(self, numbers: FloatArray) -> bool:
        """Tell whether different numbers lie nearly evenly, as a running number does, with noise too."""
        if len(numbers) < max(_ENOUGH, _MOST * self.filled):
            return False
        gaps = np.diff(np.sort(numbers))
        middle = gaps[: max(int(_NEARLY_ALL * len(gaps)), 1)]
        return bool(middle.std() < _REGULAR * middle.mean()) if middle.mean() > 0 else False

    def _is_in_order(self, numbers: FloatArray) -> bool:
        """Tell whether many different numbers follow the order of the rows."""
        if len(numbers) < max(_ENOUGH, _HALF * self.filled):
            return False
        of_text = np.full(len(self.column.texts) + 1, np.nan)
        of_text[np.array(self.at) + 1] = numbers
        rows = of_text[self.column.codes]
        at = np.flatnonzero(~np.isnan(rows))
        ranks = np.argsort(np.argsort(rows[at], kind="stable"), kind="stable")
        return bool(abs(np.corrcoef(np.arange(len(at)), ranks)[0, 1]) >= _IN_ORDER)


def _number(text: str) -> float:
    bare = text.lstrip("<>≤≥$€£ ")
    if _AMOUNT.fullmatch(text):
        return float(bare.replace(",", ""))
    return float(bare.replace(",", "."))


def _has_state(text: str) -> bool:
    """Tell whether a text has the name of a state among other words, such as ``NE Ohio``."""
    return plain(text) not in STATE_WORDS and any(len(word) > 3 and word in STATE_WORDS for word in plain(text).split())


def _are_mixed(texts: Sequence[str]) -> bool:
    """Tell whether texts are letters and digits in turn, or numbers after letters that are not always the same.

    >>> _are_mixed(["v7", "k9"]), _are_mixed(["a1f9", "b7c2"]), _are_mixed(["T1", "T2"]), _are_mixed(["0-5yrs"])
    (True, True, False, False)
    """
    bare = [match[0] for text in texts if (match := _MIXED.fullmatch(text))]
    if len(bare) < _HALF * len(texts):
        return False
    return len({re.match(r"[A-Za-z]+", text)[0] for text in bare}) > 1  # type: ignore[index]


def _has_listed_name(text: str) -> bool:
    """Tell whether a text has a first name, a last name or a town that no text about patients has in another sense."""
    tokens = [plain(word) for word in re.findall(r"[^\W\d_]{4,}", text)]
    lists = ("first_names", "last_names")
    return any(
        (any(token in vocabulary(name) for name in lists) or is_town(token)) and not is_ordinary(token)
        for token in tokens
    )


def _is_of_ordinary_words(text: str) -> bool:
    """Tell whether no word of a text may be a name: it is ordinary, or in lower case and no one's last name.

    >>> [_is_of_ordinary_words(text) for text in ("stage II", "12+ yrs", "Walmart", "NE Ohio", "okafor")]
    [True, True, False, False, False]
    """
    for word in re.findall(r"[^\W\d_]{2,}", text):
        folded = plain(word)
        is_name = not word.islower() or folded in vocabulary("last_names") or is_town(folded)
        if is_name and not is_ordinary(folded) and folded not in _ROMAN:
            return False
    return True


# A column beside the others.


def _beside(values: _Values, others: _Others) -> str:
    """Return what a column tells of another one that a rule makes coarser or leaves out."""
    column = _sampled(values.column)
    about = [(field, _sampled(other)) for field, other in others.about]
    if "age" not in dict(about) and values.may_be_ages_in_parts():
        return "its values may be ages in months, days or another unit, some of 90 years and over"
    if values.numbers is not None:
        no_age = "age" not in dict(about) and not values.is_other_than_age
        measured = values.says("measures")
        if no_age and may_be_shifted_ages(values.numbers, values.records, only_flat=measured):
            return "its values may be ages that somebody shifted"
        own = _rows_of(column)
        for name, rows in others.ordered.items():
            if name != column.name and follows(own, rows):
                return f"it is nearly in the order of {name}"
    for field, other in about:
        if field == "age" and values.numbers is not None and _is_near(column, other):
            return f"its values are nearly those of {other.name}"
        if field in ("year", "birth_year", "age", "zip5", "zip3", "county", "state", "date"):
            says = undoes(column, other, as_many=True)
            if says and ("contains" in says or 2 * len(column.texts) <= column.filled):  # what is unique tells nothing
                return f"it determines {other.name}"
    people = [other for field, other in about if field in _ABOUT_PEOPLE]
    if tied(column, people) or _is_of_people(values, column, others):
        return "each of its values goes with one kind of person, as the number of a person does"
    for person in map(_sampled, others.persons):
        if _HALF * len(person.texts) <= len(column.texts) and undoes(column, person, as_many=True):
            return f"it determines {person.name}"
    return ""


def _is_of_people(values: _Values, column: WrittenColumn, others: _Others) -> bool:
    """Tell whether many whole numbers with several rows each determine three other columns, as those of people do."""
    if not values.are_whole or len(values.texts) < _ENOUGH or values.filled < _REPEATED * len(values.texts):
        return False
    short = (_sampled(other) for other in others.short if other.name != column.name)
    return sum(bool(undoes(column, other, as_many=False)) for other in short) >= _DETERMINED


def _sampled(column: WrittenColumn) -> WrittenColumn:
    """Return the column in some rows, the same of every column, with the texts that occur there."""
    if len(column.codes) <= _SAMPLE:
        return column
    codes = column.codes[np.sort(np.random.default_rng(0).choice(len(column.codes), _SAMPLE, replace=False))]
    held = np.unique(codes[codes > 0])
    place = np.zeros(len(column.texts) + 1, dtype=np.int64)
    place[held] = np.arange(1, len(held) + 1)
    return WrittenColumn(column.name, tuple(column.texts[at - 1] for at in held.tolist()), place[codes])


def _is_near(column: WrittenColumn, other: WrittenColumn) -> bool:
    """Tell whether the numbers of two columns differ by at most one in nearly every row."""
    one, two = _rows_of(column), _rows_of(other)
    both = ~np.isnan(one) & ~np.isnan(two)
    if not both.any() or len(np.unique(two[both])) <= _FEW:
        return False
    return any(share_of(np.abs(one / unit - two)[both] <= 1) >= _MOST for unit in (1.0, *_PARTS_OF_YEAR))


def _numbered_flags(
    columns: Mapping[str, WrittenColumn], flags: Sequence[str], tried: Mapping[str, Tried]
) -> dict[str, Tried]:
    """Return what came of trying many flags that are numbered in a row: a person is asked about them.

    Where they tell nearly all rows apart, as the digits of a number do, that is a doubt.
    """
    families: dict[str, list[str]] = {}
    for name in flags:
        families.setdefault(re.sub(r"\d+", "#", name), []).append(name)
    outcome: dict[str, Tried] = {}
    for names in families.values():
        if len(names) < _FAMILY:
            continue
        rows = np.stack([_sampled(columns[name]).codes for name in names])
        is_telling = len(np.unique(rows, axis=1).T) >= _NEARLY_ALL * rows.shape[1]
        doubt = "beside its neighbors it tells nearly all rows apart" if is_telling else ""
        for name in names:
            if doubt or not tried.get(name, Tried()).doubt:
                outcome[name] = Tried("" if doubt else "flags", doubt)
    return outcome
