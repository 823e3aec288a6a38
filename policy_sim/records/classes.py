"""The classes of a file: records that agree in every key field, as whole numbers only.

A class has one code per field and no values. The code is the position of the value among the field's sorted values,
and 0 stands for a missing value. Nothing in this package can print a record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from policy_sim.formulas.exact_matches import matches_interval
from policy_sim.formulas.histogram import SizeHistogram, different, without_gaps
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import IncompatibleError, InputError, NotEstimableError, UnknownNameError

# Counters, one per possible combination, that take less time than a sort of those that occur.
_FEW, _COUNTERS_A_ROW = 50_000, 8
_LARGEST = 2**62
_BLOCK = 2**18  # keys: what is made of them stays near the processor


@dataclass(frozen=True, eq=False)
class Classes:
    """Every class of a file: its code in each field, shape (classes, fields), and its size.

    A code is 0 for missing, otherwise 1 to the number of the field's ``values`` in the file.
    """

    fields: tuple[str, ...]
    codes: NDArray[np.int32] = field(repr=False)
    sizes: IntArray = field(repr=False)
    values: tuple[int, ...]

    def __post_init__(self) -> None:
        if self.codes.shape != (len(self.sizes), len(self.fields)) or len(self.values) != len(self.fields):
            raise InputError(
                f"codes of shape {self.codes.shape} do not fit {len(self.sizes)} classes of {len(self.fields)} fields."
            )

    @classmethod
    def of_rows(cls, rows: Sequence[Sequence[object]], fields: Sequence[str]) -> Classes:
        """Return the classes of records given as rows; ``None`` is a missing value."""
        columns = list(zip(*rows, strict=True)) if rows else [()] * len(fields)
        value_lists = [sorted({str(v) for v in column if v is not None}) for column in columns]
        place = [{value: code for code, value in enumerate(names, 1)} for names in value_lists]
        codes = np.array(
            [[0 if v is None else place[i][str(v)] for i, v in enumerate(row)] for row in rows], dtype=np.int32
        ).reshape(len(rows), len(fields))
        distinct, sizes = np.unique(codes, axis=0, return_counts=True)
        return cls(tuple(fields), distinct, sizes.astype(np.int64), tuple(len(names) for names in value_lists))

    @cached_property
    def records(self) -> int:
        """Number of records in all classes."""
        return int(self.sizes.sum())

    @property
    def number(self) -> int:
        """Number of classes."""
        return len(self.sizes)

    @cached_property
    def histogram(self) -> SizeHistogram:
        """Number of classes of each size."""
        return SizeHistogram.from_classes(self.sizes)

    @cached_property
    def missing(self) -> tuple[int, ...]:
        """Number of records that miss each field."""
        return tuple(int(self.sizes[self.codes[:, i] == 0].sum()) for i in range(len(self.fields)))

    @cached_property
    def least(self) -> tuple[int, ...]:
        """The lowest code that a record may have in each field: 1 if none misses it."""
        return tuple(int(number > 0 and not lost) for number, lost in zip(self.values, self.missing, strict=True))

    def complete(self) -> Classes:
        """Return the classes with no missing field."""
        full = (self.codes > 0).all(axis=1)
        return self if full.all() else Classes(self.fields, self.codes[full], self.sizes[full], self.values)

    def only(self, fields: Sequence[str]) -> Classes:
        """Return the classes of the same records on some of the fields."""
        return self.merged([self.fields.index(name) for name in fields])[0]

    def merged(self, at: Sequence[int]) -> tuple[Classes, IntArray]:
        """Return the classes of the same records on the fields at some places, and in which of them each class is."""
        group, number = number_groups([self.codes[:, i] for i in at], [self.values[i] for i in at], self.number)
        sizes = np.bincount(group, weights=self.sizes, minlength=number).astype(np.int64)
        row = np.zeros(number, dtype=np.int64)
        row[group] = np.arange(self.number)
        fields, values = tuple(self.fields[i] for i in at), tuple(self.values[i] for i in at)
        return Classes(fields, self.codes[row][:, list(at)], sizes, values), group

    @cached_property
    def _in_order(self) -> tuple[Packing, NDArray[Any], NDArray[Any]] | None:
        """Each class as one number, in order, with its size; None where one number does not hold it."""
        packing = Packing(self.values, tuple(not least for least in self.least))
        if len(packing.words) > 1:
            return None
        (keys,), sizes = packing.pack(self.codes).values(), self.sizes
        if (keys[1:] < keys[:-1]).any():
            order = np.argsort(keys)
            keys, sizes = keys[order], sizes[order]
        return packing, keys, sizes

    def sizes_on(self, fields: Sequence[str]) -> tuple[IntArray, IntArray]:
        """Return the sizes of the classes on some of the fields, and how many classes have each; either may repeat."""
        if self._in_order is None:
            merged = self.only(fields).sizes
            return merged, np.ones(len(merged), dtype=np.int64)
        packing, keys, sizes = self._in_order
        return packing.sizes_of(keys, sizes, [self.fields.index(name) for name in fields])


def number_groups(columns: Sequence[NDArray[Any]], values: Sequence[int], rows: int) -> tuple[IntArray, int]:
    """Number the distinct combinations of codes 0, 1, ... without gaps.

    Each column has a field's codes, 0 to its number of values; ``rows`` is their length, even if there are no columns.
    """
    group, size, counters = np.zeros(rows, dtype=np.int64), 1, max(_FEW, _COUNTERS_A_ROW * rows)
    for column, number in zip(columns, values, strict=True):
        if size * (number + 1) >= _LARGEST:
            group, size = without_gaps(group, size, counters)
        group *= number + 1
        group += column
        size *= number + 1
    return without_gaps(group, size, counters)


def runs(keys: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Sort fewer than 2**31 keys where they are, and return each that occurs with its number; both small in memory."""
    keys.sort()
    starts = np.empty(len(keys) + 1, dtype=np.int32)
    number, last = 0, None
    for at in range(0, len(keys), _BLOCK):
        part = keys[at : at + _BLOCK]
        new = np.append(part[0] != last, part[1:] != part[:-1])
        last, places = part[-1], np.flatnonzero(new)
        end = number + len(places)
        starts[number:end], keys[number:end] = places + at, part[places]
        number = end
    starts[number] = len(keys)
    return keys[:number], np.diff(starts[: number + 1])


def occurring(numbers: IntArray) -> IntArray:
    """Return which whole numbers from 0 up occur, in order: of small ones a tenth of the time of numpy's own way."""
    return np.flatnonzero(np.bincount(numbers))


# The codes of a record written as few whole numbers, inside an engine and outside it.
#
# A field is a digit: its code where some record misses the field, else its code less 1, so that no
# number stands for a class that cannot be. The first field is the lowest digit.


_SLICE = 2**8
_COUNTERS_A_CLASS = 4  # faster than a sort


@dataclass(frozen=True)
class Digit:
    """Where a field stands: its position, the code of its lowest digit, how many digits, and what one is worth."""

    field: int
    least: int
    digits: int
    scale: int


def kind_of_key(word: Sequence[Digit]) -> tuple[str, str]:
    """Return half the width where it holds the key, as numpy and as engines call it: it is counted faster."""
    return ("int32", "INT") if word and word[-1].scale * word[-1].digits < 2**31 else ("int64", "BIGINT")


def _digit(keys: NDArray[Any], digit: Digit, top: Digit) -> NDArray[Any]:
    """Return one digit of each key; numpy's % is slow, and so is every step that changes nothing."""
    above: NDArray[Any] = keys // digit.scale if digit.scale > 1 else keys
    if digit.scale * digit.digits == top.scale * top.digits:
        return above
    rest: NDArray[Any] = above - above // digit.digits * digit.digits
    return rest


def _together(digits: Sequence[Digit]) -> list[Digit]:
    """Return digits with those that follow each other as one, which takes one division in place of several."""
    joined: list[Digit] = []
    for digit in digits:
        if joined and joined[-1].scale * joined[-1].digits == digit.scale:
            last = joined.pop()
            digit = replace(last, digits=last.digits * digit.digits)
        joined.append(digit)
    return joined


def _sums(number: NDArray[Any], sizes: NDArray[Any], least: int) -> IntArray:
    """Return the sum of the sizes of each number from 0 up, of at least so many."""
    weights = sizes if len(sizes) and sizes.max() > 1 else None
    return np.bincount(number, weights, least).astype(np.int64, copy=False)


def _blocks(keys: NDArray[Any], left_out: Sequence[Digit], top: Digit) -> Iterator[Sequence[slice]]:
    """Yield parts of sorted keys, such that no class on the fields that are not left out is in two of them.

    A part ends before a multiple of a step. Where a step is large, because high fields are left out, a part has the
    keys of a step whose lower fields are in one range, whatever those left out are.
    """
    *others, last = left_out or [Digit(0, 0, 1, 1)]
    step = last.scale * last.digits
    steps = top.scale * top.digits // step
    within = others[-1].scale * others[-1].digits if others else 1  # where a range may end
    number = min(len(keys) // steps // max(_BLOCK, _SLICE * last.digits), last.scale // within)
    if number > 1:
        bounds = np.array([last.scale // within * at // number * within for at in range(number + 1)], keys.dtype)
        starts = np.arange(last.digits, dtype=keys.dtype)[:, np.newaxis] * last.scale + bounds
        for first in range(0, steps * step, step):
            ends = np.searchsorted(keys, (starts + first).ravel()).reshape(starts.shape)
            yield from ([slice(*of_digit) for of_digit in ends[:, at : at + 2].tolist()] for at in range(number))
        return
    start = 0
    while start < len(keys):
        end = min(start + _BLOCK, len(keys))
        if end < len(keys):
            multiple = keys[end] // step * step
            before = int(np.searchsorted(keys, multiple))
            end = before if before > start else int(np.searchsorted(keys, multiple + keys.dtype.type(step)))
        yield [slice(start, end)]
        start = end


@dataclass(frozen=True)
class Packing:
    """How codes are packed, by the number of values of each field and whether a record may miss it."""

    values: tuple[int, ...]
    missing: tuple[bool, ...]

    @cached_property
    def words(self) -> tuple[tuple[Digit, ...], ...]:
        """The digits of key0, key1, ...: as few whole numbers as hold the codes."""
        words: list[list[Digit]] = [[]]
        scale = 1
        for i, (number, missing) in enumerate(zip(self.values, self.missing, strict=True)):
            digits = max(number + missing, 1)
            if scale * digits > _LARGEST:
                words.append([])
                scale = 1
            words[-1].append(Digit(i, 0 if missing else 1, digits, scale))
            scale *= digits
        return tuple(tuple(word) for word in words)

    @property
    def keys(self) -> tuple[str, ...]:
        """Names of the columns that hold the numbers."""
        return tuple(f"key{at}" for at in range(len(self.words)))

    def sizes_of(
        self, keys: NDArray[Any], sizes: NDArray[Any], chosen: Sequence[int], *, complete: bool = False
    ) -> tuple[IntArray, IntArray]:
        """Return sizes of the classes on some fields, and classes of each; from all classes, their keys in order."""
        (word,) = self.words
        lost = [digit for digit in word if complete and self.missing[digit.field]]
        counted = _together([digit for digit in word if digit.field in chosen])
        left_out = _together([digit for digit in word if digit.field not in chosen])
        scales = list(accumulate((digit.digits for digit in counted), mul, initial=1))
        possible = scales.pop()

        def of_counted(parts: Sequence[slice]) -> tuple[NDArray[Any], NDArray[Any]]:
            block, of_class = (
                np.concatenate([column[part] for part in parts]) if len(parts) > 1 else column[parts[0]]
                for column in (keys, sizes)
            )
            if lost:
                whole = np.all([_digit(block, digit, word[-1]) > 0 for digit in lost], axis=0)
                block, of_class = block[whole], of_class[whole]
            number: Any = 0
            for digit, scale in zip(counted, scales, strict=True):
                part = _digit(block, digit, word[-1])
                number = part if scale == 1 else number + part * scale
            return number, of_class

        def counters(start: int) -> NDArray[Any]:
            return _sums(*of_counted([slice(start, start + _BLOCK)]), possible)

        def sizes_of_block(parts: Sequence[slice]) -> tuple[IntArray, IntArray]:
            number, of_class = of_counted(parts)
            if left_out and len(number):
                number = number - number.min()
                few = number.max() < _COUNTERS_A_CLASS * len(number)
                of_class = _sums(number, of_class, 0) if few else runs(np.repeat(number, of_class))[1]
            classes = np.bincount(of_class)
            size = np.flatnonzero(classes[1:]) + 1
            return size, classes[size]

        with ThreadPoolExecutor() as pool:
            if possible <= _BLOCK:
                counts = sum(pool.map(counters, range(0, len(keys), _BLOCK)), np.zeros(possible, dtype=np.int64))
                return counts[counts > 0], np.ones(np.count_nonzero(counts), dtype=np.int64)
            blocks = list(pool.map(sizes_of_block, _blocks(keys, left_out, word[-1])))
        return np.concatenate([size for size, _ in blocks]), np.concatenate([number for _, number in blocks])

    def pack(self, codes: NDArray[np.int32] | IntArray) -> Mapping[str, NDArray[Any]]:
        """Pack codes of shape (rows, fields) as the engine does."""
        keys = {}
        for key, word in zip(self.keys, self.words, strict=True):
            keys[key] = np.zeros(len(codes), dtype=kind_of_key(word)[0])
            for start in range(0, len(codes), _BLOCK):
                for digit in word:
                    code = codes[start : start + _BLOCK, digit.field].astype(keys[key].dtype)
                    keys[key][start : start + _BLOCK] += (code - digit.least) * digit.scale
        return keys

    def unpack(self, keys: Sequence[NDArray[np.int32] | IntArray]) -> NDArray[np.int32]:
        """Return the codes, of shape (rows, fields)."""
        codes = np.empty((len(keys[0]), len(self.values)), dtype=np.int32, order="F")
        for key, word in zip(keys, self.words, strict=True):
            for start in range(0, len(key), _BLOCK):  # what a block needs beside it stays small
                rest = key[start : start + _BLOCK]
                for digit in word:
                    above = rest // digit.digits
                    codes[start : start + _BLOCK, digit.field] = rest - above * digit.digits + digit.least
                    rest = above
        return codes


# What a missing value means for class sizes: one rule, which every result states.
#
# ``own``, the default: missing is a value like any other, so two records that both miss a field agree in it.
# ``wildcard``: a missing value agrees with every value, so the size of a record is the number of records, itself
# included, that it agrees with; sizes then belong to records, and there are no classes. ``exclude``: a record that
# misses a key field is left out and counted.


MISSING_RULES = {
    "own": "missing is a separate value",
    "wildcard": "a missing value agrees with every value",
    "exclude": "records that miss a key field are left out",
}

_MOST_PATTERNS = 256


@dataclass(frozen=True, eq=False)
class RecordSizes:
    """The distinct sizes, ascending, of the classes in which the records are, and the records in classes of each.

    ``excluded`` records are left out by the ``rule``, one of :data:`MISSING_RULES`. Where people are counted, the
    classes of their rows ``overlap``, and a size is of the smallest class of a person.
    """

    size: IntArray
    records: IntArray
    excluded: int = 0
    rule: str = "own"
    overlap: bool = False

    @classmethod
    def of(cls, size: IntArray, records: IntArray, excluded: int = 0, rule: str = "own") -> RecordSizes:
        """Return the sizes with the records of each added up."""
        distinct, at = different(size)
        sums = np.bincount(at, weights=records, minlength=len(distinct)).astype(np.int64)
        return cls(distinct, sums, excluded, rule)

    @property
    def number(self) -> int:
        """Number of records in the figures."""
        return int(self.records.sum())

    @property
    def uniques(self) -> int:
        """Records that are alone in their class."""
        return int(self.records[self.size == 1].sum())

    @property
    def classes(self) -> int | None:
        """Number of classes; None under wildcards, where records form no classes, and where these overlap."""
        return None if self.rule == "wildcard" or self.overlap else int((self.records // self.size).sum())

    @property
    def average(self) -> float | None:
        """Mean over records of 1/size; None without records."""
        return float((self.records / self.size).sum()) / self.number if self.number else None

    @property
    def histogram(self) -> SizeHistogram:
        """How many classes have each size."""
        if self.rule == "wildcard":
            raise NotEstimableError(
                "with wildcards records have sizes but form no classes; the rules own and exclude make them."
            )
        if self.overlap:
            raise NotEstimableError(
                "people have sizes but form no classes where one or two of their rows are known. Count for an attacker "
                "who knows all of them: who is alone by one or two rows is alone by all."
            )
        return SizeHistogram(self.size, self.records // self.size)


def class_sizes(classes: Classes, rule: str = "own") -> RecordSizes:
    """Return the class size of each record of the file, under a rule for missing values."""
    if rule not in MISSING_RULES:
        raise UnknownNameError("rule for missing values", rule, MISSING_RULES)
    if rule == "exclude":
        complete = classes.complete()
        return RecordSizes.of(complete.sizes, complete.sizes, classes.records - complete.records, rule)
    sizes = classes.sizes if rule == "own" else agreeing(classes)
    return RecordSizes.of(sizes, classes.sizes, 0, rule)


def agreeing(classes: Classes) -> IntArray:
    """Return for each class the number of records that agree with it in all fields that neither misses."""
    present = classes.codes > 0
    if present.all():
        return classes.sizes
    patterns, pattern = np.unique(present, axis=0, return_inverse=True)
    if len(patterns) > _MOST_PATTERNS:
        raise NotEstimableError(
            f"values are missing in {len(patterns):,} combinations of fields, and wildcards are counted for at "
            f"most {_MOST_PATTERNS}: use fewer fields, or the rule own for missing values."
        )
    members = [np.flatnonzero(pattern == p) for p in range(len(patterns))]
    totals = np.zeros(classes.number, dtype=np.int64)
    for ours, mine in enumerate(members):
        for theirs, other in enumerate(members):
            shared = np.flatnonzero(patterns[ours] & patterns[theirs])
            totals[mine] += _matches(classes, mine, other, shared)
    return totals


def _matches(classes: Classes, mine: IntArray, other: IntArray, shared: NDArray[np.intp]) -> IntArray:
    """Return, for each of these classes, the records of the other classes that agree in the shared fields."""
    rows = np.concatenate([mine, other])
    group, number = number_groups(
        [classes.codes[rows, i] for i in shared], [classes.values[i] for i in shared], len(rows)
    )
    counts = np.bincount(group[len(mine) :], weights=classes.sizes[other], minlength=number)
    return counts[group[: len(mine)]].astype(np.int64)


# Link a file with an identified one: journalist and marketer risk, and the shares of uniques, exactly.


@dataclass(frozen=True, eq=False)
class JointSizes:
    """Number of the file's classes with f records, >= 1, and F people in the identified file.

    F is 0 where nobody there has these values; ``population`` has the class sizes of the identified file.
    """

    records: IntArray
    people: IntArray
    classes: IntArray
    population: SizeHistogram

    @classmethod
    def of(cls, file: Classes, population: Classes) -> JointSizes:
        """Pair the classes of two files that share their codes."""
        if (file.fields, file.values) != (population.fields, population.values):
            raise IncompatibleError(
                f"classes on {', '.join(file.fields)} and on {', '.join(population.fields)} do not share their codes."
            )
        people = {tuple(code): int(size) for code, size in zip(population.codes, population.sizes, strict=True)}
        matched_people = np.array([people.get(tuple(code), 0) for code in file.codes], dtype=np.int64)
        pairs, classes = np.unique(np.stack([file.sizes, matched_people]), axis=1, return_counts=True)
        return cls(pairs[0], pairs[1], classes.astype(np.int64), population.histogram)


@dataclass(frozen=True)
class LinkedRisk:
    """Risks of a file of n records whose N people are in an identified file; None where undefined.

    Nobody in the identified file has the values of ``outside`` records: they are not from that population. ``surplus``
    records are beyond the people of their class. ``journalist`` is the largest risk of a record, ``1 / min F``.
    ``marketer``, the ``expected`` matches divided by n, is ``(1/n) sum f/F``: a record outside adds nothing, and a
    class with more records than people has at most as many matches as people. ``lambda1`` and ``lambda2`` are the
    records unique in file and population, over the file's uniques and over its records; ``lambda3`` the population's
    uniques over its people. ``candidates`` are the people who have the values of a record. The correct ``matches`` of
    records that are each matched with another person of their class are between two numbers, with 95%.
    """

    records: int
    people: int
    outside: int
    surplus: int
    journalist: float | None
    marketer: float | None
    expected: float
    lambda1: float | None
    lambda2: float | None
    lambda3: float | None
    candidates: int = 0
    matches: tuple[int, int] | None = None


def linked_risk(joint: JointSizes) -> LinkedRisk:
    """Return journalist and marketer risk and the three shares of uniques.

    Dankar and El Emam (2010), equations 1 and 4 and section 4.2; Dankar et al. (2012), equations 1 to 3.
    """
    f, big, number = joint.records, joint.people, joint.classes
    n, uniques = int(f @ number), int(number[f == 1].sum())
    inside = big > 0
    matched = np.minimum(f, big)[inside] / big[inside]
    expected = float(matched @ number[inside])
    both = int(number[(f == 1) & (big == 1)].sum())
    people = joint.population.records
    return LinkedRisk(
        records=n,
        people=people,
        outside=int((f * number)[~inside].sum()),
        surplus=int((np.maximum(f - big, 0) * number)[inside].sum()),
        journalist=1 / int(big[inside].min()) if inside.any() else None,
        marketer=expected / n if n else None,
        expected=expected,
        lambda1=both / uniques if uniques else None,
        lambda2=both / n if n else None,
        lambda3=joint.population.uniques / people if people else None,
        candidates=int((big * number)[inside].sum()),
        matches=matches_interval(f[inside], big[inside], number[inside]) if inside.any() else None,
    )


# The risk of a survey's records by its weights: how many people of the population each record represents.


@dataclass(frozen=True, eq=False)
class WeightedRisk:
    """What the weights of a file say about the population.

    Each class on the key fields represents ``people``, the sum of its records' weights. ``chance`` (0..1) is that of a
    correct match with a record of the class, E[1/F given f]; ``alone`` that a record alone in its class is alone in the
    population, 0 for larger classes. ``below_one`` records are in classes that represent fewer people than records.
    """

    classes: Classes
    people: FloatArray
    chance: FloatArray
    alone: FloatArray
    below_one: int

    @property
    def expected(self) -> float:
        """Expected number of correct matches if the attacker matches all records at random within their classes."""
        return float(self.classes.sizes @ self.chance)

    @property
    def unique(self) -> float:
        """Expected number of records that are alone with their values in the population."""
        return float(self.alone.sum())


def expected_inverse(size: ArrayLike, people: ArrayLike) -> FloatArray:
    """Return E[1/F given f] of classes of ``size`` records f that represent ``people``.

    F given f is negative binomial with ``p = f / people``: ``(p/f) 2F1(1, 1; f+1; 1-p)``.

    Benedetti and Franconi (1998), NTTS; Franconi and Polettini (2004), PSD, LNCS 3050, 262-272.
    """
    from scipy import special

    f = np.asarray(size, dtype=np.float64)
    p = np.minimum(f / np.asarray(people, dtype=np.float64), 1.0)
    inverse: FloatArray = p / f * special.hyp2f1(1.0, 1.0, f + 1, 1 - p)
    return inverse


def weighted_risk(classes: Classes, weights: FloatArray, weight: str) -> WeightedRisk:
    """Return the risk of a file whose classes also differ by the field ``weight``, with the weight of each code."""
    at = classes.fields.index(weight)
    code = classes.codes[:, at]
    if (code == 0).any():
        lost = int(classes.sizes[code == 0].sum())
        raise InputError(f"{weight}: {lost:,} records have no weight: give each record one, or leave the weights out.")
    if not (np.isfinite(weights) & (weights > 0)).all():
        raise InputError(f"{weight}: each weight must be a number above 0: correct the others.")
    merged, group = classes.merged([place for place in range(len(classes.fields)) if place != at])
    sizes = merged.sizes
    represented = np.bincount(group, weights=classes.sizes * weights[code - 1], minlength=merged.number)
    people: FloatArray = represented.astype(float)
    alone = np.where(sizes == 1, np.minimum(1 / people, 1.0), 0.0)
    below = int(sizes[people < sizes].sum())
    return WeightedRisk(merged, people, expected_inverse(sizes, people), alone, below)
