"""The classes of a file whose people have several rows: who has what an attacker knows of the rows of a person."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from policy_sim.formulas.histogram import without_gaps
from policy_sim.formulas.known_rows import KnownRows, known_rows
from policy_sim.records.classes import Classes, RecordSizes
from policy_sim.records.profile import (
    MOST_COMBINATIONS,
    Chosen,
    Combination,
    FileProfile,
    Measured,
    Node,
    SudaScores,
    Threshold,
    check_size,
    profile_sizes,
    scored,
    walked_nodes,
)
from policy_sim.words.arrays import BoolArray, IntArray
from policy_sim.words.errors import InputError, NotEstimableError

_MOST_WORK = 100_000_000  # rows sorted, of all combinations


@dataclass(frozen=True, eq=False)
class PersonClasses:
    """The rows of each person by their classes on the key fields: one entry per person and class, with the rows alike.

    ``known`` is how many rows of its target an attacker knows, one of
    :data:`~policy_sim.formulas.known_rows.KNOWN`. ``excluded`` people are left out, because each of their rows misses
    a key field.
    """

    classes: Classes
    entry_class: IntArray = field(repr=False)
    person: IntArray = field(repr=False)
    rows: IntArray = field(repr=False)
    known: str = "all"
    rule: str = "own"
    excluded: int = 0

    @classmethod
    def of(cls, classes: Classes, known: str = "all", rule: str = "own") -> PersonClasses:
        """Return the people of classes whose last field is the person; a row without one is a person of its own.

        Raises
        ------
        InputError : the rule wildcard, under which rows of people form no groups.
        """
        if rule == "wildcard":
            raise InputError(
                "a missing value cannot agree with every value where people have several rows: choose the rule own or "
                "exclude, or count rows by leaving the person out."
            )
        *fields, last = range(len(classes.fields))
        merged, entry_class = classes.merged(fields)
        numbers, rows = classes.codes[:, last].astype(np.int64), classes.sizes
        alone = numbers == 0
        own = int(numbers.max(initial=0)) + 1 + np.arange(int(rows[alone].sum()))
        person = np.concatenate([numbers[~alone], own])
        entry_class = np.concatenate([entry_class[~alone], np.repeat(entry_class[alone], rows[alone])])
        rows = np.concatenate([rows[~alone], np.ones_like(own)])
        everyone = len(np.unique(person))
        if rule == "exclude":
            full = np.all(merged.codes > 0, axis=1)[entry_class]
            person, entry_class, rows = person[full], entry_class[full], rows[full]
        person, people = without_gaps(person, int(person.max(initial=-1)) + 1)
        return cls(merged, entry_class, person, rows, known, rule, everyone - people)

    def of_classes(self, classes: Classes) -> IntArray:
        """Return a person with each of the classes that these people were made of, with the rule own.

        Rows without a person are several people; where they agree in every field, this is the first of them.
        """
        numbers, rows = classes.codes[:, -1], classes.sizes
        alone, known = numbers == 0, int((numbers > 0).sum())
        owner = np.empty(classes.number, dtype=np.int64)
        owner[~alone] = self.person[:known]
        owner[alone] = self.person[known + np.cumsum(rows[alone]) - rows[alone]]
        return owner

    @property
    def people(self) -> int:
        """Number of people in the figures."""
        return int(self.person.max(initial=-1)) + 1

    @property
    def several(self) -> int:
        """Number of people with several rows."""
        return int((np.bincount(self.person, weights=self.rows) > 1).sum())

    @property
    def missing(self) -> tuple[int, ...]:
        """Number of people with a row that misses each field."""
        lost = self.classes.codes[self.entry_class] == 0
        return tuple(len(np.unique(self.person[lost[:, at]])) for at in range(lost.shape[1]))

    def on(self, chosen: Sequence[int]) -> KnownRows:
        """Return who has what is known of a person, of the fields at some places."""
        group = self.classes.merged(list(chosen))[1][self.entry_class]
        if self.known != "all":
            often = np.minimum(self.rows, int(self.known))  # a third row alike tells nothing more
            return known_rows(np.repeat(group, often), np.repeat(self.person, often), self.known)
        width = int(group.max(initial=-1)) + 1
        entry, number = without_gaps(self.person * width + group, self.people * width)
        first = np.zeros(number, dtype=np.int64)
        first[entry] = np.arange(len(entry))
        rows = np.bincount(entry, weights=self.rows, minlength=number).astype(np.int64)
        most = int(rows.max(initial=0)) + 1
        return known_rows(group[first] * most + rows, self.person[first], "all")

    def sizes_on(self, fields: Sequence[str]) -> RecordSizes:
        """Return among how many people each is, by what is known of some fields."""
        least = self.on([self.classes.fields.index(name) for name in fields]).least()
        sizes = RecordSizes.of(least, np.ones_like(least), self.excluded, self.rule)
        return replace(sizes, overlap=self.known != "all")

    def describe(self, person: str) -> str:
        """Say how people are counted."""
        how = {
            "1": "a person's class is the smallest that has people with one of their rows",
            "2": "a person's class is the smallest of people with the same two of their rows",
            "all": "a person's class is everyone with exactly the same rows",
        }
        return (
            f"people are counted, not rows: {int(self.rows.sum()):,} rows of {self.people:,} people, identified by "
            f"{person!r}, {self.several:,} of them with several; {how[self.known]}"
        )


def profile_people(
    people: PersonClasses,
    threshold: Threshold,
    cutoff: Threshold,
    most: int = MOST_COMBINATIONS,
    progress: Callable[[str], object] = lambda _: None,
) -> FileProfile:
    """Profile a file whose people have several rows; every figure counts people."""
    classes = people.classes
    suda, walked, reason = None, None, "" if most else "no combinations and scores: left out"
    try:
        if most:
            suda, walked = _suda(people, most, progress)
    except NotEstimableError as why:
        reason = f"no combinations and scores: {why}"
    fields = classes.fields, classes.values, people.missing
    return profile_sizes(*fields, people.sizes_on, threshold, cutoff, reason, suda, walked)


def _suda(people: PersonClasses, most: int, progress: Callable[[str], object]) -> tuple[SudaScores, list[Combination]]:
    """Score every person: alone on a set of fields, and on no part of it, by what is known of their rows."""
    q = len(people.classes.fields)
    check_size(people.classes, "own", most)
    if (2**q - 1) * len(people.person) > _MOST_WORK and most <= MOST_COMBINATIONS:
        raise NotEstimableError(
            f"{2**q - 1:,} combinations over the rows of {people.people:,} people are too many: choose fewer fields."
        )
    least = people.on(range(q)).least()
    alone = least == 1
    nodes = walked_nodes(q, _measured(people, np.flatnonzero(alone)))
    return scored(people.classes.fields, nodes, alone, int((least == 2).sum()), people.people, progress)


def _measured(people: PersonClasses, uniques: IntArray) -> Measured:
    def measured(chosen: Chosen, _: Sequence[object]) -> Node:
        known = people.on(chosen)
        least = known.least()
        number = known.number if people.known == "all" else None
        alone: BoolArray = least == 1
        sizes, many = np.unique(least, return_counts=True)
        average = math.fsum((many / sizes).tolist()) / len(least) if len(least) else None
        names = tuple(people.classes.fields[at] for at in chosen)
        return Node(Combination(names, number, int(alone.sum()), average), alone[uniques], None)

    return measured
