"""Conditions on what a class tells of its members: diversity, closeness and presence, and what a whole file tells.

Every formula takes the counts of a sensitive column by class and returns one figure per class.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np

from policy_sim.records.formats import CodedColumn
from policy_sim.release.ladders import Hierarchy
from policy_sim.show.numbers import given
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray
from policy_sim.words.errors import InputError, UnknownNameError

_ROUNDING = 1e-9  # figures are sums of shares; where it matters, a class on the edge of a limit fails
_DENSE = 4_000_000  # counts of classes by values that are laid out as a table rather than sorted


@dataclass(frozen=True, eq=False)
class SensitiveColumn:
    """The value of each row in a sensitive column: 0 for a missing one, then the values by size as numbers.

    ``tree`` has the class of each value at each level below the root of its hierarchy, shape (levels, 1 + values); for
    a column without hierarchy, each value is its own class.
    """

    codes: IntArray = field(repr=False)
    tree: IntArray = field(repr=False)

    @classmethod
    def of(cls, column: CodedColumn, ladder: Hierarchy | None = None) -> SensitiveColumn:
        """Read a column; texts that are not numbers come before the numbers, in the order of the column."""
        numbers = np.nan_to_num([number_of(text) for text in column.values], nan=-np.inf)
        order = np.argsort(numbers, kind="stable")
        rank = np.zeros(len(column.values) + 1, dtype=np.int64)
        rank[order + 1] = np.arange(1, len(order) + 1)
        tree = np.arange(len(rank), dtype=np.int64)[None]
        if ladder is not None:
            place = ladder.over([column.values[at] for at in order])
            below = [level for level in range(ladder.height + 1) if len(set(ladder.labels[level])) > 1]
            levels = [np.where(place > 0, ladder.groups(level)[0][place] + 1, 0) for level in below]
            tree = np.array(levels, dtype=np.int64).reshape(len(below), len(place))
        return cls(rank[column.codes], tree)

    def take(self, rows: BoolArray | IntArray) -> SensitiveColumn:
        """Return some rows."""
        return replace(self, codes=self.codes[rows])

    def by_class(self, of_row: IntArray, classes: int, person: IntArray | None = None) -> ClassValues:
        """Count the values by the class of each row; with a ``person`` of each row, each person's values once."""
        values, codes = self.tree.shape[1], self.codes
        if person is None:
            return ClassValues.counted(of_row * values + codes, np.ones(len(codes)), classes, self.tree)
        triples = np.unique(np.stack([of_row, person, codes]), axis=1)
        with_value = np.unique(triples[:2, triples[2] > 0], axis=1)[0]
        held = ClassValues.counted(triples[0] * values + triples[2], np.ones(triples.shape[1]), classes, self.tree)
        return replace(held, bearers=np.bincount(with_value, minlength=classes).astype(np.int64))


def number_of(text: str) -> float:
    """Return the number that a text is; NaN for any other text, and for what is not finite."""
    with suppress(ValueError):
        number = float(text)
        return number if math.isfinite(number) else math.nan
    return math.nan


@dataclass(frozen=True, eq=False)
class ClassValues:
    """How many records of each class have each value of a sensitive column.

    One entry per class and value that occur together, by class, then by value. ``bearers`` are the records of each
    class with a value, or the people. ``overall`` counts the values of the whole file if the classes are only some of
    it.
    """

    of_class: IntArray
    value: IntArray
    records: IntArray
    bearers: IntArray
    tree: IntArray = field(repr=False)
    overall: IntArray | None = field(default=None, repr=False)

    @classmethod
    def counted(cls, pair: IntArray, weights: FloatArray | IntArray, classes: int, tree: IntArray) -> ClassValues:
        """Count weighted entries, whose ``pair`` is their class times the number of codes, plus their value's code."""
        values = tree.shape[1]
        if classes * values <= _DENSE:
            table = np.bincount(pair, weights=weights, minlength=classes * values)
            entries = np.flatnonzero(table)
            counts = table[entries]
        else:
            entries, again = np.unique(pair, return_inverse=True)
            counts = np.bincount(again, weights=weights, minlength=len(entries))
        of_class, value, records = entries // values, entries % values, np.rint(counts).astype(np.int64)
        bearers = np.bincount(of_class, weights=np.where(value > 0, records, 0), minlength=classes)
        return cls(of_class, value, records, np.rint(bearers).astype(np.int64), tree)

    @property
    def classes(self) -> int:
        """Number of classes, those without records included."""
        return len(self.bearers)

    def merged(self, group: IntArray, classes: int) -> ClassValues:
        """Return the counts of coarser classes: ``group`` is that of each class, or -1 to leave a class out."""
        into = group[self.of_class]
        is_kept = into >= 0
        pair = into[is_kept] * self.tree.shape[1] + self.value[is_kept]
        return replace(ClassValues.counted(pair, self.records[is_kept], classes, self.tree), overall=self.overall)

    def only(self, classes: BoolArray) -> ClassValues:
        """Return the same classes, of which all but some have no records."""
        is_kept = classes[self.of_class]
        own = (self.of_class[is_kept], self.value[is_kept], self.records[is_kept])
        return ClassValues(*own, np.where(classes, self.bearers, 0), self.tree, self.overall)

    def totals(self) -> IntArray:
        """Return how many records have each value in all classes together."""
        return np.bincount(self.value, weights=self.records, minlength=self.tree.shape[1]).astype(np.int64)

    def distinct(self) -> IntArray:
        """Return the number of different values of each class; a missing value is none."""
        return np.bincount(self.of_class[self.value > 0], minlength=self.classes)

    def effective(self) -> FloatArray:
        """Return the effective number of values of each class, the exponential of its entropy.

        Returns
        -------
        ``exp(-sum(n_v / n * log(n_v / n)))`` of ``n_v`` records with a value and ``n`` in the class: 1 for a class of
        one value, ``m`` for ``m`` values that are equally frequent, 0 for a class without a value. Shape (classes,).
        It is never more than :meth:`distinct`. Of two classes of at least ``l``, the class of both has at least ``l``.

        Examples
        --------
        A class has values twice, once and once: entropy 1.5 bits, so 2 to the power 1.5.

        >>> column = SensitiveColumn.of(CodedColumn.of(["a", "a", "b", "c"]))
        >>> column.by_class(np.zeros(4, dtype=np.int64), 1).effective().round(4).tolist()
        [2.8284]

        References
        ----------
        Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007), ACM TKDD 1:3, definition 4.1.
        """
        of_class, share = self._shares()
        entropy = np.bincount(of_class, weights=-share * np.log(share), minlength=self.classes)
        return np.where(self.bearers > 0, np.exp(entropy), 0.0)

    def _shares(self) -> tuple[IntArray, FloatArray]:
        """Return class and share of each entry with a value, among those of the class."""
        has_value = self.value > 0
        of_class, records = self.of_class[has_value], self.records[has_value]
        return of_class, records / np.bincount(of_class, weights=records, minlength=self.classes)[of_class]

    def tail_ratio(self, l: int) -> FloatArray:  # noqa: E741
        """Return how much more frequent the most frequent value is than the ``l``-th and all rarer ones together.

        Parameters
        ----------
        l : 1 or more.

        Returns
        -------
        ``r_1 / (r_l + r_(l+1) + ... + r_m)`` for counts ``r_1 >= r_2 >= ... >= r_m``; infinite for a class of fewer
        than ``l`` values. Shape (classes,). Recursive (c, l)-diversity asks for less than ``c``.

        Examples
        --------
        Counts 5, 3, 1, 1: 5 / (3 + 1 + 1) for l = 2, and 5 / (1 + 1) for l = 3.

        >>> column = SensitiveColumn.of(CodedColumn.of(list("aaaaabbbcd")))
        >>> held = column.by_class(np.zeros(10, dtype=np.int64), 1)
        >>> held.tail_ratio(2).tolist(), held.tail_ratio(3).tolist()
        ([1.0], [2.5])

        References
        ----------
        Machanavajjhala et al. (2007), ACM TKDD 1:3, definition 4.2.
        """
        has_value = self.value > 0
        order = np.lexsort((-self.records[has_value], self.of_class[has_value]))
        of_class, records = self.of_class[has_value][order], self.records[has_value][order]
        starts = np.searchsorted(of_class, np.arange(self.classes))
        place = np.arange(len(of_class)) - starts[of_class]
        tail = np.bincount(of_class, weights=np.where(place >= l - 1, records, 0), minlength=self.classes)
        return np.where(tail > 0, self.most_common() / np.where(tail > 0, tail, 1), np.inf)

    def most_common(self) -> IntArray:
        """Return how many records of each class, or people, have its most frequent value."""
        most = np.zeros(self.classes, dtype=np.int64)
        has_value = self.value > 0
        np.maximum.at(most, self.of_class[has_value], self.records[has_value])
        return most

    def distance(self, kind: str) -> FloatArray:
        """Return the distance of each class's distribution from that of all records, as earth mover's distance.

        Parameters
        ----------
        kind : ``equal``: any two values are 1 apart. ``numeric``: two of ``m`` values are apart by the steps between
            them in order, over ``m - 1``. ``hierarchical``: by the levels up to their first common class, over the
            levels up to the root.

        Returns
        -------
        0 (the same distribution) to 1. Shape (classes,); 0 for a class without records. A missing value is a value of
        its own, the first in order and a class of its own at each level. The class of two others is never farther than
        the farther one.

        Examples
        --------
        Salaries 3 to 11 thousand, once each, and a class with 3, 4 and 5: distance 0.375 (Li et al., section 5).

        >>> column = SensitiveColumn.of(CodedColumn.of([str(n) for n in range(3, 12)]))
        >>> column.by_class(np.repeat([0, 1], [3, 6]), 2).distance("numeric").round(4).tolist()
        [0.375, 0.1875]

        References
        ----------
        Li, Li and Venkatasubramanian (2007), t-closeness, ICDE, section 5.
        """
        overall = self.totals() if self.overall is None else self.overall
        if not len(self.of_class) or not overall.sum():
            return np.zeros(self.classes)
        shares = self.records / np.bincount(self.of_class, weights=self.records, minlength=self.classes)[self.of_class]
        if kind == "numeric":
            return self._distance_in_order(shares, overall)
        tree = self.tree if kind == "hierarchical" else np.arange(self.tree.shape[1])[None]
        total = np.zeros(self.classes)
        for level in tree:
            total += self._excess(level, shares, overall / overall.sum())
        return total / max(len(tree), 1)

    def _excess(self, level: IntArray, shares: FloatArray, overall: FloatArray) -> FloatArray:
        """Return half the absolute differences of each class from the file, in groups of values."""
        groups = int(level.max()) + 1
        pairs, again = np.unique(self.of_class * groups + level[self.value], return_inverse=True)
        mine = np.bincount(again, weights=shares, minlength=len(pairs))
        excess = np.maximum(mine - np.bincount(level, weights=overall, minlength=groups)[pairs % groups], 0)
        return np.bincount(pairs // groups, weights=excess, minlength=self.classes).astype(np.float64)

    def _distance_in_order(self, shares: FloatArray, overall: IntArray) -> FloatArray:
        used = np.flatnonzero(overall)
        steps = len(used) - 1
        if steps < 1:
            return np.zeros(self.classes)
        file = np.cumsum(overall[used])[:-1] / overall.sum()  # the share of the file up to each value but the last
        sums = np.concatenate([[0.0], np.cumsum(file)])
        place = np.searchsorted(used, self.value)
        starts = np.r_[True, self.of_class[1:] != self.of_class[:-1]]
        run = np.cumsum(shares)
        first = np.maximum.accumulate(np.where(starts, np.arange(len(run)), 0))
        level = run - (run[first] - shares[first])  # the share of the class up to each of its values
        until = np.append(place[1:], steps)
        until[np.append(starts[1:], True)] = steps
        moved = _area(level, np.minimum(place, steps), until, file, sums)
        total = np.bincount(self.of_class, weights=moved, minlength=self.classes)
        total[self.of_class[starts]] += sums[np.minimum(place[starts], steps)]  # below its first value it has nothing
        return total / steps


def _area(level: FloatArray, start: IntArray, end: IntArray, file: FloatArray, sums: FloatArray) -> FloatArray:
    """Return the sum of ``|level - file|`` from ``start`` to before ``end``; ``file`` rises, ``sums`` are its sums."""
    turn = np.clip(np.searchsorted(file, level), start, end)
    below = level * (turn - start) - (sums[turn] - sums[start])
    above = (sums[end] - sums[turn]) - level * (end - turn)
    area: FloatArray = below + above
    return area


# The measures of a condition, with what each asks of every class.
MEASURES_OF_CLASSES = {
    "distinct": "at least {l} different values of {of} in every class",
    "entropy": "at least {l} effective values of {of} in every class (entropy)",
    "recursive": "recursive ({c}, {l})-diversity of {of} in every class",
    "closeness": "no class farther than {t} from the whole file of {of} ({distance} distance)",
    "presence": "presence of {shares} among the people with the values of a class",
}
DISTANCES = ("equal", "numeric", "hierarchical")


@dataclass(frozen=True)
class ClassCondition:
    """A condition on every released class, beside its size: one of :data:`MEASURES_OF_CLASSES`.

    All but ``presence`` are of a sensitive column. ``distinct`` and ``entropy`` ask for ``l`` values, ``recursive`` is
    (c, l)-diversity, and ``t`` the largest distance of ``closeness`` (0..1), by one of :data:`DISTANCES`. For
    ``presence``, ``most`` and ``least`` are shares (0..1) of the people who have the values of a class, including
    classes of which nobody is in the file.

    References
    ----------
    Machanavajjhala et al. (2007), ACM TKDD 1:3; Li et al. (2007), ICDE; Nergiz, Atzori and Clifton (2007), Hiding the
    presence of individuals from shared databases, SIGMOD, for presence.
    """

    measure: str
    of: str = ""
    l: float = 0  # noqa: E741
    c: float = 0
    t: float = 1
    distance: str = "equal"
    most: float = 1
    least: float = 0

    def __post_init__(self) -> None:
        if self.measure not in MEASURES_OF_CLASSES:
            raise UnknownNameError("measure of a condition", self.measure, MEASURES_OF_CLASSES)
        if self.distance not in DISTANCES:
            raise UnknownNameError("distance of a condition", self.distance, DISTANCES)
        where = f"condition {self.measure}"
        if (self.measure == "presence") == bool(self.of):
            raise InputError(f"{where}: presence is of no column; every other measure names one in of.")
        if self.measure in ("distinct", "entropy", "recursive") and not self.l >= 1:
            raise InputError(f"{where}: give l, 1 or more, such as l = 3.")
        if self.measure in ("distinct", "recursive") and self.l != int(self.l):
            raise InputError(f"{where}: l = {self.l} is not a whole number.")
        if (self.measure == "recursive") != (self.c > 0):
            raise InputError(
                f"{where}: recursive diversity needs c above 0, such as c = 2, and no other measure has c."
            )
        if (self.measure == "closeness") != (0 <= self.t < 1):
            raise InputError(
                f"{where}: closeness needs t from 0 to below 1, such as t = 0.2, and no other measure has t."
            )
        if not 0 <= self.least <= self.most <= 1 or (self.measure == "presence") == (self.most == 1 and not self.least):
            raise InputError(f"{where}: presence needs most, from 0 to below 1, or least; no other measure has them.")

    @property
    def fewest(self) -> int:
        """The fewest values that a class needs whatever else it holds; adding records to a class keeps it met."""
        return math.ceil(self.l - _ROUNDING) if self.of and self.measure != "closeness" else 0

    def fails(self, records: IntArray, people: IntArray, held: Mapping[str, ClassValues]) -> BoolArray:
        """Return which classes do not meet the condition; ``people`` has at least the records of each class."""
        if self.measure == "presence":
            share = records / np.maximum(people, 1)
            ruled_out = (share < self.least - _ROUNDING) & (people > 0)
            # people whom the file rules out stay ruled out, whatever else is suppressed
            fails: BoolArray = np.full(len(records), True) if ruled_out.any() else share > self.most + _ROUNDING
            return fails
        values = held[self.of]
        if self.measure == "closeness":
            return np.asarray(values.distance(self.distance) > self.t + _ROUNDING, dtype=np.bool_)
        fails = np.asarray(values.distinct() < self.fewest, dtype=np.bool_)
        if self.fewest > 1:  # a value that everybody has who has one
            fails |= values.most_common() >= values.bearers
        if self.measure == "entropy":
            fails |= values.effective() < self.l * (1 - _ROUNDING)
        if self.measure == "recursive":
            fails |= values.tail_ratio(int(self.l)) >= self.c * (1 - _ROUNDING)
        return fails

    def describe(self) -> str:
        """Say the condition in words."""
        shares = [f"at least {given(self.least)}"] * bool(self.least) + [f"at most {given(self.most)}"] * (
            self.most < 1
        )
        numbers = {name: given(getattr(self, name)) for name in ("l", "c", "t")}
        return MEASURES_OF_CLASSES[self.measure].format(**vars(self) | numbers, shares=" and ".join(shares))


def sensitive_risk(
    field: str,
    column: CodedColumn,
    group: IntArray,
    *,
    ordered: bool = False,
    whose: IntArray | None = None,
    ladder: Hierarchy | None = None,
) -> dict[str, str | float] | None:
    """Measure one sensitive column by the class of each row, and the person if given; None where there is no record.

    That is the fewest values and the smallest effective number of values in a class, the largest distance from the
    file, and how many records are ``told``: in classes with one value that all its bearers share. Values that are
    ``ordered`` are numbers, with distances along their order; otherwise they are by the ``ladder``, or all equal.
    """
    if not len(group):
        return None
    classes = int(group.max()) + 1
    held = SensitiveColumn.of(column, ladder).by_class(group, classes, whose)
    sizes = np.bincount(held.of_class, weights=held.records, minlength=classes).astype(np.int64)
    nonempty = sizes > 0
    kind = "numeric" if ordered else "equal" if ladder is None else "hierarchical"
    is_disclosed = (held.most_common() == held.bearers) & (held.bearers > 0)
    return {
        "field": field,
        "distinct": int(held.distinct()[nonempty].min()),
        "entropy": float(held.effective()[nonempty].min()),
        "closeness": float(held.distance(kind).max()),
        "told": int(held.bearers[is_disclosed].sum()),
        "records": int(sizes.sum()),
    }
