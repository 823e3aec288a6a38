"""The target of a released file, the classes to suppress in order to meet it, and the risk of a file counted again.

The risk of a record is one divided by the size of its class, in records of the file or people of the population.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from policy_sim.formulas.histogram import different
from policy_sim.formulas.known_rows import KNOWN, KnownRows, known_rows
from policy_sim.formulas.match_levels import upper_percentile
from policy_sim.records.classes import number_groups
from policy_sim.records.formats import CodedTable
from policy_sim.records.profile import Threshold
from policy_sim.release.conditions import ClassCondition, ClassValues, SensitiveColumn
from policy_sim.release.ladders import Hierarchy
from policy_sim.show.numbers import bare
from policy_sim.words.arrays import BoolArray, IntArray
from policy_sim.words.errors import InputError, UnknownNameError

MEASURES = ("maximum", "average", "strict-average")
SIZES = {"file": "records of the file", "population": "people of the population"}
NOTHING: Mapping[str, ClassValues] = MappingProxyType({})
_ROUNDING = 1e-12  # a mean is a sum of fractions, so it may differ from the threshold in the last digits


@dataclass(frozen=True)
class RiskTarget:
    """The largest risk that the released file may have, by one of :data:`MEASURES`.

    The ``threshold`` is a class size for records, a decimal for means; under the strict average, no record may have
    more risk than the ``cutoff``. The size of a class counts records of the ``file``, or people of the ``population``:
    an average over these is the marketer risk. ``conditions`` are what else every released class has to meet, such as a
    number of sensitive values. Where people have several rows, classes are of the people who have what an attacker
    knows of one: one of :data:`~policy_sim.formulas.known_rows.KNOWN`.
    """

    measure: str
    threshold: Threshold
    cutoff: Threshold | None = None
    sizes: str = "file"
    conditions: tuple[ClassCondition, ...] = ()
    known: str = ""  # each row is a person

    def __post_init__(self) -> None:
        if self.measure not in MEASURES:
            raise UnknownNameError("measure of risk", self.measure, MEASURES)
        if self.sizes not in SIZES:
            raise UnknownNameError("size of a class", self.sizes, SIZES)
        if (self.measure == "strict-average") != (self.cutoff is not None):
            raise InputError("a strict average needs a cut-off, such as 0.33, and no other measure has one.")
        if self.known not in ("", *KNOWN):
            raise UnknownNameError("number of known rows", self.known, KNOWN)

    @classmethod
    def parse(cls, measure: str, threshold: str, cutoff: str | None = None, sizes: str = "file") -> RiskTarget:
        """Read the thresholds from text, as :class:`~policy_sim.records.profile.Threshold` does."""
        return cls(measure, Threshold.parse(threshold), Threshold.parse(cutoff) if cutoff else None, sizes)

    @property
    def least(self) -> int:
        """The smallest class that may be released; 1 if only a mean counts."""
        if self.measure == "maximum":
            return self.threshold.k
        return self.cutoff.k if self.cutoff else 1

    @property
    def needs_population(self) -> bool:
        """Whether people who are not in the file count."""
        return self.sizes == "population" or self.of_presence

    @property
    def of_presence(self) -> bool:
        """Whether a condition is on the share of the people who are in the file."""
        return any(condition.measure == "presence" for condition in self.conditions)

    def size_of(self, records: IntArray, people: IntArray) -> IntArray:
        """Return the sizes that count; the population holds at least the records."""
        return records if self.sizes == "file" else np.maximum(people, records)

    @property
    def growing(self) -> RiskTarget:
        """The part of the target that a class still meets whatever records are added to it.

        A size, a mean and a number of different values are such. Entropy and recursive diversity imply a number of
        values; closeness and presence imply nothing, because a class that meets them may not do so together with one
        that does not.
        """
        fewest = (
            ClassCondition("distinct", condition.of, l=condition.fewest)
            for condition in self.conditions
            if condition.fewest
        )
        return replace(self, conditions=tuple(fewest)) if self.conditions else self

    def suppressed(
        self,
        records: IntArray,
        people: IntArray,
        held: Mapping[str, ClassValues] = NOTHING,
        members: IntArray | None = None,
    ) -> BoolArray:
        """Return which classes to suppress so that the rest meets the target; all of them if nothing does.

        Classes are suppressed from the smallest up; empty ones do not count. For classes of the file that gives the
        fewest records possible: to suppress a smaller class lowers the mean by more and costs fewer records. For the
        population the order is by gain per record, which may suppress one class more than needed.

        ``held`` has the sensitive values of the classes, as :attr:`conditions` need them. Classes that do not meet a
        condition are suppressed, then the others are looked at again, because closeness compares them with the records
        that are left; that suppresses no class for nothing, but another choice might suppress fewer records.
        """
        size = self.size_of(records, people)
        suppressed, before = size < self.least, -1
        while before != (before := int(suppressed.sum())):
            left = np.where(suppressed, 0, records)
            for condition in self.conditions:
                values = {} if not condition.of else {condition.of: held[condition.of].only(left > 0)}
                suppressed = suppressed | condition.fails(left, np.maximum(people, records), values)
            if self.measure != "maximum":
                left = np.where(suppressed, 0, records if members is None else members)
                suppressed = suppressed | self._above_mean(left, np.maximum(size, 1))
        return np.asarray(suppressed & (records > 0), dtype=np.bool_)

    def _above_mean(self, records: IntArray, size: IntArray) -> BoolArray:
        """Return the smallest classes; without them the mean is not above the threshold."""
        order = np.argsort(size, kind="stable")
        # how much each class adds to the sum of risks above the threshold
        excess = (records / size - self.threshold.risk * (1 + _ROUNDING) * records)[order]
        left = np.concatenate([[0.0], np.cumsum(excess[::-1])])[::-1]  # after the first i classes are suppressed
        enough = np.flatnonzero(left <= _ROUNDING * max(float(records.sum()), 1.0))
        suppressed = np.zeros(len(size), dtype=np.bool_)
        suppressed[order[: enough[0]]] = True
        return suppressed

    def is_met(
        self,
        records: IntArray,
        people: IntArray,
        held: Mapping[str, ClassValues] = NOTHING,
        members: IntArray | None = None,
    ) -> bool:
        """Return whether classes meet the target as they are; a file without records does not."""
        return bool((records > 0).any()) and not self.suppressed(records, people, held, members).any()

    def describe(self) -> str:
        """Say the target in words."""
        mean = f"{'marketer' if self.sizes == 'population' else 'mean'} risk at most {bare(self.threshold.risk)}"
        size = f"no class of fewer than {self.least:,} {SIZES[self.sizes]}"
        if self.known:
            size = f"nobody among fewer than {self.least:,} people by {KNOWN[self.known]}"
        parts = [mean] * (self.measure != "maximum") + [size] * (self.measure != "average")
        return "; ".join([", and ".join(parts), *(condition.describe() for condition in self.conditions)])


def measured_risk(measure: str, records: IntArray, size: IntArray, cutoff: Threshold | None = None) -> float | None:
    """Return a file's risk by one measure; None for a file without records.

    References
    ----------
    El Emam and Arbuckle (2013), chapter 2; Information and Privacy Commissioner of Ontario (2016), step 4; for the
    population, Dankar and El Emam (2010).
    """
    released = records > 0
    records, size = records[released], size[released]
    if not len(records):
        return None
    highest = 1 / int(size.min())
    if measure == "maximum" or (cutoff is not None and int(size.min()) < cutoff.k):
        return highest
    return float((records / size).sum()) / float(records.sum())


def percentile_of_risk(records: IntArray, size: IntArray, share: float = 0.95) -> float | None:
    """Return the percentile of the records' risks, 1 over the size of their class; None for a file without records.

    Where exactly ``1 - share`` have that risk or a larger one, it is theirs.

    >>> size = np.array([1, 10])
    >>> percentile_of_risk(np.array([2, 38]), size), percentile_of_risk(np.array([2, 39]), size)
    (1.0, 0.1)
    """
    released = records > 0
    return upper_percentile(1 / size[released], records[released], share) if released.any() else None


@dataclass(frozen=True)
class ReleaseRisk:
    """The classes of a released file of so many ``records``, or people where the person of each row is known.

    ``sizes`` are the records, or people, of each class; ``people`` are those of the population. ``held`` has the
    sensitive values of each class, and ``others`` the people of each class of the population of which nobody is in the
    file. Where people have several rows, ``known`` says who is in which classes, by what an attacker knows of one; the
    size of a person is then that of their smallest class.
    """

    records: int
    rows: int
    sizes: IntArray = field(repr=False)
    people: IntArray = field(repr=False)
    held: Mapping[str, ClassValues] = field(default_factory=dict, repr=False)
    others: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False)
    known: KnownRows | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Leave empty classes out; the population holds at least the records."""
        released, people = self.sizes > 0, np.maximum(self.people, self.sizes)
        object.__setattr__(self, "people", people[released])
        object.__setattr__(self, "sizes", self.sizes[released])

    def _by_size(self, sizes: IntArray) -> tuple[IntArray, IntArray]:
        """Return records, or people, and the size of the class of each of them."""
        if self.known is None:
            return self.sizes, sizes
        distinct, place = different(self.known.least(sizes))
        return np.bincount(place, minlength=len(distinct)).astype(np.int64), distinct

    def measures(self, cutoff: Threshold) -> dict[str, float | None]:
        """Return the figures of risk by name, over the records, or people, of the file; None for a file without rows.

        ``uniques`` are alone in their class; ``population_...`` and ``marketer`` are for classes
        of the people of the population.
        """
        records, people = self._by_size(self.sizes), self._by_size(self.people)
        return {
            "records": self.records,
            "rows": self.rows,
            "classes": len(self.sizes),
            "smallest": int(records[1].min()) if len(records[1]) else None,
            "uniques": self.uniques,
            "maximum": measured_risk("maximum", *records),
            "average": measured_risk("average", *records),
            "strict_average": measured_risk("strict-average", *records, cutoff),
            "population_smallest": int(people[1].min()) if len(people[1]) else None,
            "population_maximum": measured_risk("maximum", *people),
            "marketer": measured_risk("average", *people),
            "percentile_95": percentile_of_risk(*records),
            "population_percentile_95": percentile_of_risk(*people),
        }

    @property
    def uniques(self) -> int:
        """Number of records, or people, alone in their class."""
        records, size = self._by_size(self.sizes)
        return int(records[size == 1].sum())

    def share_above(self, limit: Threshold, sizes: str = "file") -> float | None:
        """Return the share (0..1) of the records whose risk is above a limit; None for a file without rows.

        Risks are compared as class sizes: with a limit of 0.33, a class of three is not above it.

        >>> ReleaseRisk(10, 10, np.array([3, 3, 4]), np.array([3, 3, 4])).share_above(Threshold.parse("0.25"))
        0.6
        """
        records, size = self._by_size(self.sizes if sizes == "file" else self.people)
        return float(records[size < limit.k].sum() / records.sum()) if records.sum() else None

    def members(self, target: RiskTarget) -> IntArray | None:
        """Return how many people have each class as a smallest of theirs; None where each row is a person."""
        return None if self.known is None else self.known.members(target.size_of(self.sizes, self.people))

    def meets(self, target: RiskTarget) -> bool:
        """Return whether the file meets a target."""
        members = self.members(target)
        if not len(self.others):
            return target.is_met(self.sizes, self.people, self.held, members)
        none = np.zeros(len(self.others), dtype=np.int64)
        group, classes = np.arange(len(self.sizes)), len(self.sizes) + len(none)
        held = {name: values.merged(group, classes) for name, values in self.held.items()}
        members = None if members is None else np.append(members, none)
        return target.is_met(np.append(self.sizes, none), np.append(self.people, self.others), held, members)

    def risk(self, target: RiskTarget) -> float | None:
        """Return the risk by a target's measure; None for a file without rows."""
        return measured_risk(target.measure, *self._by_size(target.size_of(self.sizes, self.people)), target.cutoff)


def class_of_rows(table: CodedTable, fields: Sequence[str]) -> tuple[IntArray, int]:
    """Return the class of each row on some fields, and the number of classes; all rows are one class on no field."""
    columns = [table[name] for name in fields if name in table.names]
    if not columns:
        return np.zeros(table.rows, dtype=np.int64), min(table.rows, 1)
    return number_groups(
        [column.codes.astype(np.int64) for column in columns], [len(column.values) for column in columns], table.rows
    )


def counted_by_text(table: CodedTable, fields: Sequence[str], numbers: IntArray) -> dict[tuple[str, ...], int]:
    """Return the sum of a number of each row over the rows with each combination of texts in some fields."""
    group, classes = class_of_rows(table, fields)
    first = np.zeros(classes, dtype=np.int64)
    first[group[::-1]] = np.arange(table.rows)[::-1]
    texts = [table[name].texts()[first] for name in fields]
    sums = np.bincount(group, weights=numbers, minlength=classes).astype(np.int64)
    return dict(zip(zip(*texts, strict=True), sums.tolist(), strict=True))


def recounted(
    table: CodedTable,
    fields: Sequence[str],
    whose: IntArray | None = None,
    people_by_text: Mapping[tuple[str, ...], int] | None = None,
    sensitive: Mapping[str, Hierarchy | None] | None = None,
    known: str = "1",
) -> ReleaseRisk:
    """Count the classes of a released file from its texts alone, whatever made it.

    ``whose`` numbers the person of each row; by default each row is a person. Where a person has several, classes are
    by what is ``known`` of one. Of ``sensitive`` columns, with the hierarchy of each or None, the values of each class
    are counted too.
    """
    number, classes = class_of_rows(table, fields)
    sizes, records, group, of_people = np.bincount(number, minlength=classes), table.rows, number, None
    if whose is not None:
        whose = np.unique(whose, return_inverse=True)[1].astype(np.int64)
        of_people = known_rows(number, whose, known or "1")
        sizes, records = of_people.sizes, of_people.people
        group = of_people.group[whose] if known == "all" else number
    sizes = sizes.astype(np.int64)
    people, others = sizes, np.zeros(0, dtype=np.int64)
    if people_by_text is not None and (whose is None or known in ("", "1")):
        in_file = counted_by_text(
            table, fields, np.ones(table.rows, dtype=np.int64)
        )  # classes in the order of their numbers
        people = np.array([people_by_text.get(key, 0) for key in in_file], dtype=np.int64)
        people = np.maximum(people, sizes)
        others = np.array([many for key, many in people_by_text.items() if key not in in_file], dtype=np.int64)
    held = {
        name: SensitiveColumn.of(table[name], ladder).by_class(group, len(sizes), whose)
        for name, ladder in (sensitive or {}).items()
    }
    return ReleaseRisk(records, table.rows, sizes, people, held, others, of_people)
