"""The profile of a file: its classes, its prosecutor risk, and the fields that cause it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from policy_sim.records.classes import MISSING_RULES, Classes, RecordSizes, agreeing, class_sizes, number_groups
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError, NotEstimableError

# Every combination of the key fields: its classes, and the records that it makes unique.
#
# The walk goes from all fields down to single fields. It merges each combination from the smallest one that contains
# it, so it reads the large class table only once per omitted field.


# Largest memory of a level: one byte per unique record and combination.
_MOST_FLAGS = 500_000_000
_MOST_FIELDS = 16
# With more combinations, or more classes over all of them, the walk takes minutes and gigabytes.
MOST_COMBINATIONS = 4_095
_MOST_WORK = 250_000_000
# Under wildcards, each combination compares every pattern of missing values with every other pattern.
_MOST_WILD_WORK = 100_000_000


@dataclass(frozen=True, eq=False)
class Combination:
    """Some of the key fields: the classes on them alone, and the records that are unique on them.

    ``classes`` is None under wildcards, where records form no classes; ``average`` is the mean over records of 1/size;
    ``minimal`` are the records unique on these fields and on no subset of them (minimal sample uniques), if counted.
    """

    fields: tuple[str, ...]
    classes: int | None
    uniques: int
    average: float | None
    minimal: int | None = None


def walk_combinations(
    classes: Classes, rule: str = "own", most: int = MOST_COMBINATIONS
) -> Iterator[tuple[Combination, Chosen, BoolArray]]:
    """Yield every non-empty combination of the fields, from all fields to single fields.

    With it come the places of its fields, and which unique records are unique on it and on no subset. A missing value
    agrees with its like under the rule ``own``, and with any value under ``wildcard``: under both, records that agree
    on more fields agree on fewer.
    """
    check_size(classes, rule, most)
    q = len(classes.fields)
    yield from walked_nodes(q, _wild(classes) if rule == "wildcard" and any(classes.missing) else _tame(classes))


def walked_nodes(q: int, measured: Measured) -> Iterator[tuple[Combination, Chosen, BoolArray]]:
    """Yield every combination of so many fields, each measured, as :func:`walk_combinations`."""
    level = {tuple(range(q)): measured(tuple(range(q)), [])} if q else {}
    while level:
        width = len(next(iter(level))) - 1
        below = {}
        for chosen in combinations(range(q), width) if width else ():
            below[chosen] = measured(
                chosen, [node.merged for whole, node in level.items() if set(chosen) <= set(whole)]
            )
        for chosen, node in level.items():
            minimal = node.alone
            for part in combinations(chosen, width):
                minimal = minimal & ~below[part].alone if part else minimal
            yield replace(node.combination, minimal=int(minimal.sum())), chosen, minimal
        level = below


class Node(NamedTuple):
    """A combination, which unique records are unique on it, and its classes, from which others are merged."""

    combination: Combination
    alone: BoolArray
    merged: Listed | Counted | None


Measured: TypeAlias = "Callable[[Chosen, Sequence[Listed | Counted | None]], Node]"


def _tame(classes: Classes) -> Measured:
    """Measure combinations whose missing values agree with their like, each from the smallest one that contains it."""
    uniques = np.flatnonzero(classes.sizes == 1)

    def measured(chosen: Chosen, holders: Sequence[Listed | Counted | None]) -> Node:
        held = [merged for merged in holders if merged is not None]
        merged = min(held, key=lambda merged: merged.entries).on(chosen) if held else marginal(classes, uniques)
        names, average = tuple(classes.fields[i] for i in chosen), merged.number / max(classes.records, 1)
        alone = int(np.count_nonzero(merged.sizes == 1))
        combination = Combination(names, merged.number, alone, average if classes.records else None)
        return Node(combination, np.asarray(merged.sizes[merged.place] == 1), merged)

    return measured


def _wild(classes: Classes) -> Measured:
    """Measure combinations whose missing values agree with all, each from the whole file: what agrees is no class."""
    uniques = np.flatnonzero(agreeing(classes) == 1)

    def measured(chosen: Chosen, _: Sequence[Listed | Counted | None]) -> Node:
        merged, group = classes.merged(chosen)
        sizes = agreeing(merged)
        alone = sizes == 1
        average = float((merged.sizes / sizes).sum()) / classes.records if classes.records else None
        combination = Combination(merged.fields, None, int(merged.sizes[alone].sum()), average)
        return Node(combination, alone[group[uniques]], None)

    return measured


def check_size(classes: Classes, rule: str = "own", most: int = MOST_COMBINATIONS) -> None:
    """Raise an error if a walk over the combinations would take more than a few minutes."""
    q, number = len(classes.fields), 2 ** len(classes.fields) - 1
    if q > _MOST_FIELDS or number > most:
        raise NotEstimableError(
            f"{number:,} combinations of {q} fields are more than {min(most, 2**_MOST_FIELDS - 1):,}: choose fewer "
            f"fields, or raise the limit on combinations (at most {2**_MOST_FIELDS - 1:,})."
        )
    uniques = int(np.count_nonzero(classes.sizes == 1))
    if math.comb(q, q // 2) * uniques > _MOST_FLAGS:
        raise NotEstimableError(
            f"{number:,} combinations of {q} fields over {uniques:,} unique records are too many: choose fewer fields."
        )
    patterns = len(np.unique(classes.codes > 0, axis=0)) if rule == "wildcard" and any(classes.missing) else 0
    work, limit = (patterns, _MOST_WILD_WORK) if patterns else (1, _MOST_WORK)
    if most <= MOST_COMBINATIONS and work * number * classes.number > limit:
        wild = f", with values missing in {patterns} ways," if patterns else ""
        raise NotEstimableError(
            f"{number:,} combinations over {classes.number:,} classes{wild} are too many: choose fewer fields."
        )


# The classes on some of the key fields, merged from the classes on more of them, in two forms. :class:`Listed` has one
# row per class that occurs. :class:`Counted` has one counter per possible class: to leave a field out is then a sum
# along an axis, which is many times faster than grouping rows. It is used wherever the counters are few.


Chosen = tuple[int, ...]
WholeNumbers: TypeAlias = NDArray[np.int32] | IntArray

# Up to this many counters per class that occurs are faster than one row.
_COUNTERS_A_CLASS = 4


@dataclass(frozen=True, eq=False)
class Listed:
    """The classes that occur: their codes in each field from 0 up, by its position, and sizes.

    ``lengths`` has the number of codes of every field of the file; ``place`` the row of each followed class of it.
    """

    columns: Mapping[int, NDArray[Any]]
    lengths: tuple[int, ...]
    sizes: WholeNumbers
    place: WholeNumbers

    @property
    def number(self) -> int:
        """Classes that occur."""
        return len(self.sizes)

    @property
    def entries(self) -> int:
        """Numbers that a merge has to read."""
        return len(self.sizes)

    def few(self, chosen: Chosen) -> bool:
        """Return whether one counter per possible class on the chosen fields is faster than rows."""
        return math.prod(self.lengths[i] for i in chosen) <= _COUNTERS_A_CLASS * self.number

    def on(self, chosen: Chosen) -> Listed | Counted:
        """Merge the classes that agree in the chosen fields, into counters where they are few."""
        # The last field first, as in the order in which an engine gives its classes: memory is then walked through.
        fields = chosen[::-1]
        columns, lengths = [self.columns[i] for i in fields], tuple(self.lengths[i] for i in fields)
        largest = int(self.sizes.sum())
        if self.few(chosen):
            cell = np.zeros(self.number, dtype=np.int64)
            for column, length in zip(columns, lengths, strict=True):
                cell *= length
                cell += column
            sums = np.bincount(cell, weights=self.sizes, minlength=math.prod(lengths))
            return Counted(fields, _narrow(sums, largest).reshape(lengths), _narrow(cell[self.place], sums.size))
        group, number = number_groups(columns, [length - 1 for length in lengths], self.number)
        row = np.zeros(number, dtype=np.int64)
        row[group] = np.arange(self.number)
        sums = np.bincount(group, weights=self.sizes, minlength=number)
        held = {i: column[row] for i, column in zip(fields, columns, strict=True)}
        return Listed(held, self.lengths, _narrow(sums, largest), _narrow(group[self.place], number))


@dataclass(frozen=True, eq=False)
class Counted:
    """Number of records in every possible class, 0 where it does not occur; one axis per field, by its position.

    ``place`` has the flat index of the counter of each followed class.
    """

    fields: Chosen
    counts: WholeNumbers
    place: WholeNumbers

    @property
    def sizes(self) -> WholeNumbers:
        """Number of records by flat index of the counter."""
        return self.counts.reshape(-1)

    @property
    def number(self) -> int:
        """Classes that occur."""
        return int(np.count_nonzero(self.counts))

    @property
    def entries(self) -> int:
        """Numbers that a merge has to read."""
        return self.counts.size

    def on(self, chosen: Chosen) -> Counted:
        """Add up the classes that agree in the chosen fields."""
        counts, place = self.counts, self.place
        for axis in reversed([at for at, field in enumerate(self.fields) if field not in chosen]):
            below = math.prod(counts.shape[axis + 1 :])
            over = place // below  # the place is (higher axes, this axis, lower axes); numpy's % is slow
            place = over // counts.shape[axis] * below + (place - over * below)
            counts = counts.sum(axis=axis, dtype=counts.dtype)
        return Counted(tuple(field for field in self.fields if field in chosen), counts, place)


def marginal(classes: Classes, followed: IntArray) -> Listed | Counted:
    """Return the classes of a file on all its fields, ready for merging."""
    fields = tuple(range(len(classes.fields)))
    lengths = tuple(classes.values[i] + 1 - classes.least[i] for i in fields)
    # a level of the walk has hundreds of copies, so their integers are as narrow as the codes allow
    columns = {i: (classes.codes[:, i] - classes.least[i]).astype(np.min_scalar_type(lengths[i])) for i in fields}
    listed = Listed(columns, lengths, classes.sizes, followed)
    return listed.on(fields) if listed.few(fields) else listed


def _narrow(numbers: NDArray[Any], largest: int) -> WholeNumbers:
    """Use half the width if it can hold the largest number: reads and divisions are then twice as fast."""
    return numbers.astype(np.int32) if largest < 2**31 else numbers.astype(np.int64)


# Minimal sample uniques and their scores (SUDA).
#
# A minimal sample unique of a record is a set of fields on which the record is unique, while it is not unique on any
# subset. A record stands out more if the sets are smaller and there are more of them: its score is ``sum (m - |M|)!``
# over its minimal sample uniques M of the m fields.


@dataclass(frozen=True, eq=False)
class SudaScores:
    """Scores of a file's records, by class; 0 where they are not alone.

    ``shares`` (0..1) of all scores come from sets with each field; they add up to more than 1, because a set counts for
    each of its fields. ``uniques`` and ``pairs`` are the records alone in their class, and in classes of two.
    """

    fields: tuple[str, ...]
    score: IntArray
    shares: dict[str, float]
    uniques: int
    pairs: int
    records: int

    def by_score(self) -> tuple[IntArray, IntArray]:
        """Distinct scores above 0, descending, and the number of records with each."""
        scores, records = np.unique(self.score[self.score > 0], return_counts=True)
        return scores[::-1], records[::-1].astype(np.int64)

    def dis(self, fraction: float) -> FloatArray:
        """Data intrusion simulation: the chance (0..1) that a match is correct, by class; 0 where the score is 0.

        References
        ----------
        Skinner and Elliot (2002), JRSS B 64; Elliot, Manning and Ford (2002), International Journal of
        Uncertainty, Fuzziness and Knowledge-Based Systems 10, for the score.
        """
        chance = np.zeros(len(self.score))
        scored = self.score > 0
        if not scored.any():
            return chance
        correct = self.uniques * fraction / (self.uniques * fraction + self.pairs * (1 - fraction))
        power = 1 + (8 - len(self.fields)) / 20
        weight = self.score[scored].astype(np.float64) ** -power
        wrong = self.uniques / correct - self.uniques
        chance[scored] = 1 / (1 + wrong * weight / weight.sum())
        return chance


def suda_scores(
    classes: Classes,
    rule: str = "own",
    most: int = MOST_COMBINATIONS,
    progress: Callable[[str], object] = lambda _: None,
) -> tuple[SudaScores, list[Combination]]:
    """Score every record, and return the combinations of the walk."""
    sizes = agreeing(classes) if rule == "wildcard" else classes.sizes
    nodes, pairs = walk_combinations(classes, rule, most), int(classes.sizes[sizes == 2].sum())
    return scored(classes.fields, nodes, sizes == 1, pairs, classes.records, progress)


def scored(
    fields: Sequence[str],
    nodes: Iterator[tuple[Combination, Chosen, BoolArray]],
    alone: BoolArray,
    pairs: int,
    records: int,
    progress: Callable[[str], object] = lambda _: None,
) -> tuple[SudaScores, list[Combination]]:
    """Score the records that are ``alone`` by the combinations of a walk; ``pairs`` of all are in classes of two."""
    m = len(fields)
    score = np.zeros(int(alone.sum()), dtype=np.int64)
    of_field = np.zeros(m)
    walked: list[Combination] = []
    for combination, chosen, minimal in nodes:
        progress(f"walking the combinations of fields: {len(walked) + 1:,} of {2**m - 1:,}")
        points = math.factorial(m - len(chosen))
        score += points * minimal
        of_field[list(chosen)] += points * (combination.minimal or 0)
        walked.append(combination)
    total = int(score.sum())
    shares = {name: float(part) / total for name, part in zip(fields, of_field, strict=True) if total}
    of_class = np.zeros(len(alone), dtype=np.int64)
    of_class[alone] = score
    return SudaScores(tuple(fields), of_class, shares, len(score), pairs, records), walked


# Prosecutor risk: the attacker knows that the person is in the file.
#
# The attacker picks the right record in a class of f with probability 1/f. Averages are over *records*: in a mean over
# classes, one large safe class would count as much as one unique record.


_HELP = "write a risk such as 0.09 or 1/11, or the smallest class, such as k=11"


@dataclass(frozen=True)
class Threshold:
    """The largest acceptable risk, and the smallest class that meets it.

    ``risk`` (0..1) is the limit for averages; ``k`` is the limit for the class of a record.
    """

    text: str
    risk: float
    k: int

    @classmethod
    def parse(cls, text: str, name: str = "threshold") -> Threshold:
        """Read a decimal, a fraction, or ``k=``.

        A decimal of two or more digits that equals 1/k after rounding means k, as in the sources.
        """
        text = text.strip()
        try:
            if text.startswith("k="):
                k = int(text[2:])
                risk = Fraction(1, k)
            else:
                risk = Fraction(text)
                k = _smallest_class(text, risk)
        except (ValueError, ZeroDivisionError):
            raise InputError(f"{ask(name, text)} is not a risk: {_HELP}.") from None
        if not 0 < risk <= 1:
            raise InputError(f"{ask(name, text)} is not above 0 and at most 1: {_HELP}.")
        return cls(text, float(risk), k)


def _smallest_class(text: str, risk: Fraction) -> int:
    if risk <= 0:
        return 0
    nearest = round(1 / risk)
    digits = len(text.partition(".")[2])
    if digits >= 2 and round(Fraction(1, max(nearest, 1)), digits) == risk:
        return nearest
    return math.ceil(1 / risk)


@dataclass(frozen=True)
class ProsecutorRisk:
    """The risks of a file if the attacker knows who is in it; None if there are no records.

    ``maximum`` is that of a record in the ``smallest`` class, ``average`` the mean of ``1/f`` over records, which is
    classes divided by records, and ``strict_average`` the maximum if it is above the cut-off, else the average.
    ``uniques`` are alone in their class, and the risk of ``at_risk`` records is above the threshold.
    """

    records: int
    smallest: int | None
    maximum: float | None
    average: float | None
    strict_average: float | None
    uniques: int
    unique_share: float | None
    at_risk: int
    at_risk_share: float | None


def prosecutor_risk(sizes: RecordSizes, threshold: Threshold, cutoff: Threshold) -> ProsecutorRisk:
    """Return maximum, average and strict average risk.

    References
    ----------
    El Emam and Arbuckle (2013), chapter 2, where the maximum is printed as max(k) for max(1/k);
    Information and Privacy Commissioner of Ontario (2016), step 4.
    """
    n, uniques = sizes.number, sizes.uniques
    at_risk = int(sizes.records[sizes.size < threshold.k].sum())
    if not n:
        return ProsecutorRisk(0, None, None, None, None, 0, None, 0, None)
    smallest = int(sizes.size[0])
    maximum = 1 / smallest
    strict = maximum if smallest < cutoff.k else sizes.average
    return ProsecutorRisk(n, smallest, maximum, sizes.average, strict, uniques, uniques / n, at_risk, at_risk / n)


# A field with nearly all different values looks like a name or number of the person.
_IDENTIFIER_SHARE = 0.95
_FEW_RECORDS = 10


@dataclass(frozen=True, eq=False)
class FieldRisk:
    """The risk that one field adds: the classes on it alone, and on all fields without it (None for the only field).

    ``values`` and ``missing`` count its distinct values, and the records without one; ``score_share`` (0..1) of all
    SUDA scores come from sets with this field.
    """

    name: str
    values: int
    missing: int
    alone: Combination
    without: Combination | None
    score_share: float | None = None


@dataclass(frozen=True, eq=False)
class FileProfile:
    """Every figure for one file and one set of key fields.

    ``classes`` is None under wildcards, where sizes belong to records and there are no classes. If ``combinations``
    and ``suda`` are None, ``reason`` says why. Every figure follows the rule of ``sizes`` for missing values.
    """

    fields: tuple[str, ...]
    sizes: RecordSizes
    classes: int | None
    risk: ProsecutorRisk
    threshold: Threshold
    cutoff: Threshold
    by_field: tuple[FieldRisk, ...]
    combinations: tuple[Combination, ...] | None
    suda: SudaScores | None
    reason: str = ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should check: fields that look like identifiers."""
        n = self.sizes.number + self.sizes.excluded
        return tuple(
            f"field {field.name!r} has a different value in nearly every record: is it an identifier? Leave it out."
            for field in self.by_field
            if n >= _FEW_RECORDS and field.values >= _IDENTIFIER_SHARE * n
        )

    @property
    def rule(self) -> str:
        """How missing values are treated, in words."""
        left_out = f" ({self.sizes.excluded:,} records)" if self.sizes.rule == "exclude" else ""
        return MISSING_RULES[self.sizes.rule] + left_out


def profile_classes(
    classes: Classes,
    rule: str,
    threshold: Threshold,
    cutoff: Threshold,
    most: int = MOST_COMBINATIONS,
    progress: Callable[[str], object] = lambda _: None,
) -> FileProfile:
    """Profile a file whose classes are in memory."""
    sizes = class_sizes(classes, rule)
    judged = classes.complete() if rule == "exclude" else classes
    suda, walked, reason = None, None, ""
    try:
        if most:
            suda, walked = suda_scores(judged, rule, most, progress)
        else:
            reason = "no combinations and scores: left out"
    except NotEstimableError as why:
        reason = f"no combinations and scores: {why}"

    def sizes_of(names: Sequence[str]) -> RecordSizes:
        if len(names) == len(classes.fields):
            return sizes
        if rule == "wildcard":
            return class_sizes(judged.only(names), rule)
        size, number = judged.sizes_on(names)
        return RecordSizes.of(size, size * number, 0, rule)

    fields = classes.fields, classes.values, classes.missing
    return profile_sizes(*fields, sizes_of, threshold, cutoff, reason, suda, walked)


def profile_sizes(
    fields: Sequence[str],
    values: Sequence[int],
    missing: Sequence[int],
    sizes_of: Callable[[Sequence[str]], RecordSizes],
    threshold: Threshold,
    cutoff: Threshold,
    reason: str,
    suda: SudaScores | None = None,
    walked: Sequence[Combination] | None = None,
) -> FileProfile:
    """Profile a file from the sizes of the classes on some fields: an engine counts them where they are too many."""
    by_names = {frozenset(combination.fields): combination for combination in walked or ()}

    def combination(names: Sequence[str]) -> Combination:
        if stored := by_names.get(frozenset(names)):
            return stored
        sizes = sizes_of(names)
        return Combination(tuple(names), sizes.classes, sizes.uniques, sizes.average)

    risks = []
    for name, number, lost in zip(fields, values, missing, strict=True):
        others = [other for other in fields if other != name]
        share = suda.shares.get(name) if suda else None
        risks.append(FieldRisk(name, number, lost, combination([name]), combination(others) if others else None, share))
    sizes, every = sizes_of(fields), None if walked is None else tuple(walked)
    risk = prosecutor_risk(sizes, threshold, cutoff)
    return FileProfile(tuple(fields), sizes, sizes.classes, risk, threshold, cutoff, tuple(risks), every, suda, reason)
