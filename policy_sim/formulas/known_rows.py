"""A person with several rows: how many people have what an attacker knows of the rows of one.

The attacker knows one row of its target, two, or all of them. Rows are alike where they agree in every key field; who
knows ``m`` rows of a person knows a multiset of ``m`` classes of rows, and its target hides among the people who have
these rows too. Whoever has fewer rows is known by all of them. MODEL.md section 23.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from policy_sim.formulas.histogram import without_gaps
from policy_sim.words.arrays import IntArray
from policy_sim.words.errors import NotEstimableError, UnknownNameError

KNOWN = {
    "1": "one row of a person",
    "2": "any two rows of a person",
    "all": "all rows of a person",
}
MOST_PAIRS = 20_000_000
_LARGEST = 2**62


@dataclass(frozen=True, eq=False)
class KnownRows:
    """What may be known of each person: the ``group`` of people who have it, and the ``person``; each pair once.

    Groups are numbered from 0 to below ``number``, and each occurs; ``people`` counts the persons of a file, numbered
    from 0.
    """

    group: IntArray = field(repr=False)
    person: IntArray = field(repr=False)
    number: int
    people: int

    @cached_property
    def sizes(self) -> IntArray:
        """Number of people in each group."""
        return np.bincount(self.group, minlength=self.number).astype(np.int64)

    def least(self, sizes: IntArray | None = None) -> IntArray:
        """Return the size of the smallest group of each person, by default in people of the file; shape (people,)."""
        least = np.full(self.people, np.iinfo(np.int64).max)
        np.minimum.at(least, self.person, (self.sizes if sizes is None else sizes)[self.group])
        return least

    def members(self, sizes: IntArray) -> IntArray:
        """Return of how many people each group is a smallest one; the first of several that are; shape (number,)."""
        order = np.lexsort((self.group, sizes[self.group], self.person))
        first = np.r_[True, np.diff(self.person[order]) != 0][: len(order)]
        return np.bincount(self.group[order][first], minlength=self.number).astype(np.int64)


def known_rows(row_class: IntArray, person: IntArray, known: str = "all", most: int = MOST_PAIRS) -> KnownRows:
    """Return which people have what an attacker may know of each.

    Parameters
    ----------
    row_class : The class of each row on the key fields, a whole number >= 0; shape (rows,).
    person : The person of each row, from 0 without gaps; shape (rows,).
    known : How many rows of its target the attacker knows, one of :data:`KNOWN`: any one, any two, or all.
    most : Most pairs of rows, different in a person, that are counted for two.

    Returns
    -------
    The groups of people; none depends on the order of the rows. The smallest group of a person is never larger where
    more rows are known, and everyone in a group of all rows has every part of them.

    Raises
    ------
    UnknownNameError : ``known`` is none of the three.
    NotEstimableError : more pairs than ``most``.

    Examples
    --------
    Two people have the rows 0 and 1, one has 0 twice, one has 1 alone. Any one row is of three people; the row 0 twice
    is of one.

    >>> rows, person = np.array([0, 1, 1, 0, 0, 0, 1]), np.array([0, 0, 1, 1, 2, 2, 3])
    >>> [int(known_rows(rows, person, m).least().min()) for m in ("1", "2", "all")]
    [3, 1, 1]
    >>> known_rows(rows, person, "all").least().tolist()
    [2, 2, 1, 1]

    References
    ----------
    MODEL.md section 23.
    """
    if known not in KNOWN:
        raise UnknownNameError("number of known rows", known, KNOWN)
    people = int(person.max(initial=-1)) + 1
    classes, _ = without_gaps(row_class, int(row_class.max(initial=-1)) + 1)
    order = np.lexsort((classes, person))
    classes, person = classes[order], person[order]
    if known == "all":
        group, number = _multisets(classes, person, people)
        return KnownRows(group, np.arange(people), number, people)
    first = np.r_[True, (classes[1:] != classes[:-1]) | (person[1:] != person[:-1])][: len(classes)]
    starts = np.flatnonzero(first)
    several = np.diff(np.r_[starts, len(classes)]) > 1
    classes, person = classes[starts], person[starts]
    if known == "1":
        return KnownRows(classes, person, int(classes.max(initial=-1)) + 1, people)
    _check_pairs(person, people, several, most)
    width = int(classes.max(initial=-1)) + 2
    singles = classes * width  # of one row; a second row is the remainder, from 1
    pairs = [(singles, person), ((singles + classes + 1)[several], person[several])]
    pairs += [(singles[low] + classes[high] + 1, person[low]) for low, high in two_of_a_person(person)]
    group, number = without_gaps(np.concatenate([key for key, _ in pairs]), width * width)
    return KnownRows(group, np.concatenate([whose for _, whose in pairs]), number, people)


def _check_pairs(person: IntArray, people: int, several: np.ndarray, most: int) -> None:
    different = np.bincount(person, minlength=people)
    pairs = int((different * (different - 1) // 2).sum()) + int(several.sum())
    if pairs > most:
        raise NotEstimableError(
            f"the rows of a person make {pairs:,} different pairs, more than the {most:,} that are counted. Count for "
            "an attacker who knows all rows of a person: people who share all of their rows share any two."
        )


def two_of_a_person(person: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the places of any two of a person's entries, which follow each other, the first before the second."""
    low, step = np.arange(len(person)), 1
    while len(low):
        low = low[low + step < len(person)]
        low = low[person[low + step] == person[low]]
        yield low, low + step
        step += 1


def _multisets(classes: IntArray, person: IntArray, people: int) -> tuple[IntArray, int]:
    """Number the people by the classes of all their rows, which are sorted by person and class.

    People with more rows come first, so that those with a row at a place are a slice; the groups of those who have no
    more rows stay as they are, and the number of rows tells them from the others.
    """
    rows = np.bincount(person, minlength=people)
    order = np.argsort(-rows, kind="stable")
    start = (np.cumsum(rows) - rows)[order]
    with_row = np.searchsorted(-rows[order], -np.arange(rows.max(initial=0)), side="left")  # people with a row there
    group, possible = np.zeros(people, dtype=np.int64), 1
    width = int(classes.max(initial=-1)) + 1
    for at, many in enumerate(with_row.tolist()):
        if possible * width >= _LARGEST:
            group[:many], possible = without_gaps(group[:many], possible)
        group[:many] = group[:many] * width + classes[start[:many] + at]
        possible *= width
    group = np.unique(np.stack([rows[order], group]), axis=1, return_inverse=True)[1].ravel()
    of_person = np.empty(people, dtype=np.int64)
    of_person[order] = group
    return of_person, int(group.max(initial=-1)) + 1


def smallest_groups(row_class: IntArray, person: IntArray, most: int = MOST_PAIRS) -> dict[str, IntArray | None]:
    """Return for one, two and all known rows the smallest group of each person; None for two where pairs are too many.

    ``person`` may be any whole numbers; shape (people,), in their order. See :func:`known_rows`.

    >>> {m: least.tolist() for m, least in smallest_groups(np.array([5, 5, 9]), np.array([7, 8, 8])).items()}
    {'1': [2, 1], '2': [2, 1], 'all': [1, 1]}
    """
    whose = np.unique(person, return_inverse=True)[1].astype(np.int64)
    least: dict[str, IntArray | None] = {}
    for known in KNOWN:
        try:
            least[known] = known_rows(row_class, whose, known, most).least()
        except NotEstimableError:
            least[known] = None
    return least
