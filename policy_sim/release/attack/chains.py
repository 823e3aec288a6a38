"""Chains through several columns, or a sum: each row of a person has the numbers of the row before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

_EXACT = 6  # decimals to which numbers are the same
_LINKED, _BY_CHANCE = (
    0.5,
    0.5,
)  # of the numbers are in another row of the person; of that, in rows of a stranger at most
_MOST_LINKS, _FEWEST = 8, 20  # columns in a chain, and rows that one links
_TOO_MANY = 0.1  # of the rows in one chain: numbers that meet by chance


@dataclass(frozen=True, eq=False)
class Chain:
    """The columns of a chain, and the number of the chain of each row."""

    columns: tuple[str, ...]
    codes: IntArray

    def __str__(self) -> str:
        """Name it.

        >>> print(Chain(("prev_sys", "sys"), np.zeros(0, dtype=np.int64)))
        the chain through prev_sys and sys
        """
        *first, last = self.columns
        return f"the chain through {', '.join(first)} and {last}"


def chains(numbers: Mapping[str, FloatArray], people: IntArray, whole: Callable[[str], FloatArray]) -> Iterator[Chain]:
    """Yield the chains that several columns make together, and those that a sum or difference of two makes.

    Parameters
    ----------
    numbers : The numbers of columns, NaN without one, of the rows of some people by whom columns are chosen.
    people : The person of each of these rows.
    whole : Returns the numbers of a column in all rows of the file.
    """
    seen = {name: np.round(of, _EXACT) for name, of in numbers.items()}
    rows = _Rows.of(seen, people)
    share = {(later, "", 0, earlier): rows.share(seen[later], earlier) for later, earlier in permutations(numbers, 2)}
    for one, other in permutations(numbers, 2):
        for sign in (1, -1):
            share[one, other, sign, one] = rows.share(np.round(seen[one] + sign * seen[other], _EXACT), one)
    links: list[tuple[str, str, int, str]] = []
    for link in sorted(share, key=lambda link: (-share[link], link[2] != 0)):
        one, _, sign, earlier = link
        used = {name for column in links for name in (column[0], column[1], column[3])}
        fewer_blanks = not sign and int(np.isnan(seen[one]).sum()) < int(np.isnan(seen[earlier]).sum())
        if share[link] >= _LINKED and not fewer_blanks and not {one, earlier} & used:
            links.append(link)

    def later_of(link: tuple[str, str, int, str]) -> FloatArray:
        return whole(link[0]) + link[2] * whole(link[1]) if link[2] else whole(link[0])

    for some in (links[:_MOST_LINKS], links[:1]):
        if len(some) > 1 or (some and some[0][2]):
            codes = _linked([later_of(link) for link in some], [whole(link[3]) for link in some])
            if codes is not None:
                named = [name for one, other, _, earlier in some for name in (one, other, earlier) if name]
                yield Chain(tuple(dict.fromkeys(named)), codes)
                return


@dataclass(frozen=True, eq=False)
class _Rows:
    """The numbers of some rows with the person of each, so that another row of a person is quickly found."""

    numbers: Mapping[str, FloatArray]
    values: FloatArray
    there: Mapping[str, IntArray]
    whose: IntArray
    strangers: IntArray

    @classmethod
    def of(cls, numbers: Mapping[str, FloatArray], people: IntArray) -> _Rows:
        whose = np.unique(people, return_inverse=True)[1].reshape(-1).astype(np.int64)
        width = int(whose.max(initial=0)) + 1
        values = np.unique(np.concatenate([[0.0], *(of[np.isfinite(of)] for of in numbers.values())]))
        there = {}
        for name, of in numbers.items():
            known = np.isfinite(of)
            there[name] = np.unique(np.searchsorted(values, of[known]) * width + whose[known])
        return cls(numbers, values, there, whose, np.random.default_rng(0).permutation(width)[whose])

    def share(self, later: FloatArray, name: str) -> float:
        """Return the share of numbers that another row of the person has in a column; 0 where a stranger's do too.

        Columns that are the same in half of the rows are copies, and no chain.
        """
        there, width = self.there[name], len(self.whose) and int(self.whose.max()) + 1
        known = np.isfinite(later)
        if known.sum() < _FEWEST or not len(there):
            return 0.0
        alike = (later == self.numbers[name])[known]
        at = np.searchsorted(self.values, later[known]).clip(max=len(self.values) - 1)
        is_one = (self.values[at] == later[known]) & ~alike
        if float(is_one.mean()) < _LINKED or float(alike.mean()) >= _LINKED:
            return 0.0
        share = float((is_one & _is_in(at * width + self.whose[known], there)).mean())
        if share < _LINKED:
            return 0.0
        by_chance = float((is_one & _is_in(at * width + self.strangers[known], there)).mean())
        return share if by_chance <= _BY_CHANCE * share else 0.0


def _is_in(values: IntArray, there: IntArray) -> BoolArray:
    """Tell which values are among others that are in order."""
    return np.asarray(there[np.searchsorted(there, values).clip(max=len(there) - 1)] == values)


def _linked(later: Sequence[FloatArray], earlier: Sequence[FloatArray]) -> IntArray | None:
    """Return the chain of each row, from 0; None where few rows follow one that is the only one with its numbers."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows = len(later[0])
    table = np.round(np.concatenate([np.stack(later, axis=1), np.stack(earlier, axis=1)]), _EXACT)
    known = np.isfinite(table).all(axis=1)
    number = np.full(2 * rows, -1, dtype=np.int64)
    if not known.any():
        return None
    number[known] = np.unique(table[known], axis=0, return_inverse=True)[1].reshape(-1)
    of_later, of_earlier = number[:rows], number[rows:]
    times = np.bincount(of_earlier[of_earlier >= 0], minlength=int(number.max()) + 1)
    row_of = np.full(len(times), -1, dtype=np.int64)
    row_of[of_earlier[of_earlier >= 0]] = np.flatnonzero(of_earlier >= 0)
    at = np.flatnonzero(of_later >= 0)
    at = at[(times[of_later[at]] == 1) & (row_of[of_later[at]] != at)]
    if len(at) < _FEWEST:
        return None
    follows = (np.ones(len(at), dtype=np.int8), (at, row_of[of_later[at]]))
    codes = connected_components(coo_array(follows, shape=(rows, rows)), directed=False)[1]
    is_one = int(np.bincount(codes).max()) > _TOO_MANY * rows
    return None if is_one else codes.astype(np.int64)
