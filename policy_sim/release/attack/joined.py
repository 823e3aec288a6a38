"""Which columns of a file join the rows of one person: each by itself, each two, and several together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import numpy as np

from policy_sim.formulas.histogram import without_gaps
from policy_sim.words.arrays import AnyIntArray, BoolArray, IntArray

MOST_JOINED = 0.1  # of people of several rows: columns that join the rows of more of them count as the person's
_COUNTED, _COUNTERS_A_ROW = 50_000, 8  # possible groups up to which counters take less time than a sort
_PAIRED = 20  # columns of which each two are tried: those that are the same in all rows of the most people


@dataclass(frozen=True)
class Joined:
    """Columns that join the rows of some ``people``, of those who have several rows.

    All rows of such a person have the same values in these columns, and no other row has them. A blank is a value.
    """

    columns: tuple[str, ...] = ()
    people: int = 0
    several: int = 0

    @property
    def counts(self) -> bool:
        """Whether an attacker is taken to know all rows of a person, because of these columns."""
        return self.people > MOST_JOINED * self.several

    def __str__(self) -> str:
        """Say it in a clause.

        >>> print(Joined(("family", "sex"), 984, 1000))
        family and sex together join the rows of 984 of the 1,000 people who have several
        """
        if not self.columns:
            return "no columns join the rows of a person"
        *first, last = self.columns
        names = f"{', '.join(first)} and {last} together join" if first else f"{last} joins"
        return f"{names} the rows of {self.people:,} of the {self.several:,} people who have several"


def apart(people: AnyIntArray) -> IntArray:
    """Return a number for the person of each row, where 0 says that a row names none: it then counts as one person.

    >>> apart(np.array([2, 0, 0, 1])).tolist()
    [2, 4, 5, 1]
    """
    number: IntArray = people.astype(np.int64)
    return np.where(number > 0, number, number.max(initial=0) + 1 + np.arange(len(number)))


def joined_by(columns: Mapping[str, AnyIntArray], people: IntArray) -> Joined:
    """Return the columns that join the rows of the most people, of those sets that are tried; nobody without any.

    Tried are each column, each two of at most 20, and two sets that grow: from the best of these, and from nothing.
    Columns that are the same in all rows of more people come first. One stays in a set if it joins more people, or if
    it tells more rows apart and is the same in all rows of everyone for whom the set is.

    Parameters
    ----------
    columns : By name, a code of each row from 0 on; shape (rows,).
    people : A number of the person of each row; shape (rows,).

    Examples
    --------
    Two people of a family have two rows each.

    >>> family, sex = np.array([0, 0, 0, 0, 1, 2]), np.array([0, 0, 1, 1, 0, 1])
    >>> joined_by({"family": family, "sex": sex}, np.array([0, 0, 1, 1, 2, 3]))
    Joined(columns=('family', 'sex'), people=2, several=2)
    """
    rows = _Rows.of(people)
    sets = [rows.column(name, codes) for name, codes in columns.items()]
    sets = sorted((one for one in sets if rows.possible(one)), key=lambda one: -int(one.same.sum()))
    best = rows.best(sets, _Set())
    for one, other in combinations(sets[:_PAIRED], 2):
        if one.number * other.number > rows.most(best):
            best = rows.best([rows.both(one, other)], best)
    best = max(best, rows.grown(best, sets), rows.grown(_Set(same=rows.several), sets), key=lambda one: one.joins)
    names = rows.needed(best, sets).names
    return Joined(tuple(name for name in columns if name in names), best.joins, rows.number)


@dataclass(frozen=True, eq=False)
class _Set:
    """Columns together: the group of each row, how many there are, for whom it is the same, and how many it joins."""

    names: tuple[str, ...] = ()
    group: AnyIntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False)
    number: int = 1
    same: BoolArray = field(default_factory=lambda: np.zeros(0, dtype=np.bool_), repr=False)
    joins: int = 0


@dataclass(frozen=True, eq=False)
class _Rows:
    """The person of each row, numbered without gaps, the first row of each, and who has several."""

    whose: IntArray
    first: IntArray
    several: BoolArray

    @cached_property
    def number(self) -> int:
        """Number of people with several rows."""
        return int(self.several.sum())

    @classmethod
    def of(cls, people: IntArray) -> _Rows:
        _, first, whose = np.unique(people, return_index=True, return_inverse=True)
        whose = whose.reshape(-1).astype(np.int64)
        return cls(whose, first, np.bincount(whose, minlength=len(first)) > 1)

    def column(self, name: str, codes: AnyIntArray) -> _Set:
        same = self.several.copy()
        same[self.whose[codes != codes[self.first][self.whose]]] = False
        return self._counted((name,), codes, int(codes.max(initial=0)) + 1, same)

    def both(self, one: _Set, other: _Set) -> _Set:
        """Return two sets as one; where it is the same for too few people, nobody is counted."""
        names, same = (*one.names, *other.names), one.same & other.same
        if not self._enough(int(same.sum())):
            return _Set(names, same=same)
        group = one.group.astype(np.int64) * other.number + other.group
        group, number = without_gaps(group, one.number * other.number, max(_COUNTED, _COUNTERS_A_ROW * len(group)))
        return self._counted(names, group, number, same)

    def grown(self, one: _Set, sets: Iterable[_Set]) -> _Set:
        """Return a set with the columns that let it join more people, or tell more rows apart and lose nobody."""
        for other in sets:
            if one.joins == one.same.sum():
                break
            more = self.both(one, other) if one.names else other
            loses = bool((one.same & ~more.same).any())
            if more.joins > one.joins or (more.joins == one.joins and more.number > one.number and not loses):
                one = more
        return one

    def _counted(self, names: tuple[str, ...], group: AnyIntArray, number: int, same: BoolArray) -> _Set:
        joins = 0
        if self._enough(min(int(same.sum()), number)):
            whose = np.empty(number, dtype=np.int64)
            whose[group] = self.whose  # of one of the rows of each group
            shared = np.zeros(number, dtype=np.bool_)
            shared[group[whose[group] != self.whose]] = True
            joins = int((same & ~shared[group[self.first]]).sum())
        return _Set(names, group, number, same, joins)

    def _enough(self, people: int) -> bool:
        return people > MOST_JOINED * self.number

    def possible(self, one: _Set) -> bool:
        """Whether enough people have one value for columns to join them."""
        return self._enough(int(one.same.sum()))

    def most(self, best: _Set) -> float:
        """Return how many groups two columns must be able to make, to join enough people and more than the best."""
        return max(best.joins, MOST_JOINED * self.number)

    @staticmethod
    def best(sets: Iterable[_Set], best: _Set) -> _Set:
        """Return the set that joins the most people; the first of those that join as many."""
        return max([best, *sets], key=lambda one: one.joins)

    def needed(self, best: _Set, sets: Iterable[_Set]) -> _Set:
        """Return a set without the columns that it does not need to join its people."""
        by_name = {one.names[0]: one for one in sets}
        for name in best.names:
            rest = [by_name[other] for other in best.names if other != name]
            less = rest[0] if rest else _Set()
            for other in rest[1:]:
                less = self.both(less, other)
            if rest and less.joins >= best.joins:
                best = less
        return best
