"""People with several rows against a population that has each person once: which of its rows finds a person best."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from policy_sim.formulas.known_rows import MOST_PAIRS, two_of_a_person
from policy_sim.records.classes import Classes, number_groups
from policy_sim.records.person_classes import PersonClasses
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray
from policy_sim.words.errors import NotEstimableError

_HOW = {
    "1": "any one of a person's rows is known",
    "2": "any two of a person's rows are known; a key field missing in one is taken from the other",
    "all": "all of a person's rows are known; a key field missing in one is taken from the others if they agree",
}


@dataclass(frozen=True, eq=False)
class PersonRows:
    """The key values by which each person can be looked up in a population: one entry per person and class.

    A population has each person once, with one value in each field: a further row adds only what another row lacks.
    """

    classes: Classes
    entry_class: IntArray = field(repr=False)
    person: IntArray = field(repr=False)

    @classmethod
    def of(cls, people: PersonClasses, *, complete: bool = False, most: int = MOST_PAIRS) -> PersonRows:
        """Return the entries of people, by how many of their rows are known.

        ``complete``: entries that lack a key field are left out.

        Raises
        ------
        NotEstimableError : two rows are known, and people who lack a field have more pairs of rows than ``most``.
        """
        order = np.argsort(people.person, kind="stable")
        codes, person = people.classes.codes[people.entry_class[order]], people.person[order]
        if people.known == "all":
            codes = _filled_by_all(codes, person, people.people)
        elif people.known == "2":
            codes, person = _filled_by_another(codes, person, most)
        if complete:
            full = (codes > 0).all(axis=1)
            codes, person = codes[full], person[full]
        fields, values = people.classes.fields, people.classes.values
        group, number = number_groups(list(codes.T), values, len(codes))
        distinct = np.zeros((number, len(fields)), dtype=np.int32)
        distinct[group] = codes
        sizes = np.bincount(group, minlength=number).astype(np.int64)
        return cls(Classes(fields, distinct, sizes, values), group, person)

    def best(self, chance: FloatArray, usable: BoolArray) -> tuple[IntArray, IntArray]:
        """Return the people, and the class in which each has the greatest ``chance`` (per class).

        A ``usable`` class comes before others; of several with the same chance, the first.
        """
        at = self.entry_class
        order = np.lexsort((at, -chance[at], ~usable[at], self.person))
        first = np.r_[True, np.diff(self.person[order]) != 0][: len(order)]
        return self.person[order][first], at[order][first]

    def most(self, chance: FloatArray, usable: BoolArray) -> IntArray:
        """Return how many people have their greatest chance in each class; shape (classes,)."""
        chosen = self.best(chance, usable)[1]
        return np.bincount(chosen, minlength=self.classes.number).astype(np.int64)

    def in_place_of_best(self, chance: FloatArray, usable: BoolArray, place: IntArray) -> PersonRows:
        """Return the ``usable`` entries of each person in the ``place`` (per class) of their best class."""
        person, chosen = self.best(chance, usable)
        of_person = np.full(int(self.person.max(initial=-1)) + 1, -1, dtype=np.int64)
        of_person[person] = place[chosen]
        return self._kept(usable[self.entry_class] & (place[self.entry_class] == of_person[self.person]))

    def only(self, classes: BoolArray) -> PersonRows:
        """Return the entries in some of the classes."""
        return self._kept(classes[self.entry_class])

    def _kept(self, entries: BoolArray) -> PersonRows:
        return PersonRows(self.classes, self.entry_class[entries], self.person[entries])


def described(people: PersonClasses, person: str) -> str:
    """Say how people are counted where they are looked up in a population."""
    return (
        f"people are counted, not rows: {int(people.rows.sum()):,} rows of {people.people:,} people, identified by "
        f"{person!r}, {people.several:,} of them with several; {_HOW[people.known]}. A person counts once, by the row "
        "with the greatest chance of a correct match"
    )


def _filled_by_all(codes: NDArray[np.int32], person: IntArray, people: int) -> NDArray[np.int32]:
    """Fill the fields that a row lacks with the only value that the person's other rows have."""
    filled = codes.copy()
    for at in range(codes.shape[1]):
        known = codes[:, at] > 0
        least, most = np.full(people, np.iinfo(np.int32).max), np.zeros(people, dtype=np.int32)
        np.minimum.at(least, person[known], codes[known, at])
        np.maximum.at(most, person[known], codes[known, at])
        filled[:, at] = np.where(~known & (least == most)[person], most[person], codes[:, at])
    return filled


def _filled_by_another(codes: NDArray[np.int32], person: IntArray, most: int) -> tuple[NDArray[np.int32], IntArray]:
    """Add each row that lacks a field, filled from each other row of the person; rows are in the order of people."""
    lacks = (codes == 0).any(axis=1)
    people = int(person.max(initial=-1)) + 1
    lacking = np.bincount(person, weights=lacks, minlength=people)
    pairs = int(lacking @ (np.bincount(person, minlength=people) - 1))
    if pairs > most:
        raise NotEstimableError(
            f"the rows of people who lack a key field make {pairs:,} pairs, more than the {most:,} that are tried. "
            "Score for an attacker who knows one row of a person, or all."
        )
    parts, whose = [codes], [person]
    for low, high in two_of_a_person(person):
        for row, other in ((low, high), (high, low)):
            own, from_other = codes[row[lacks[row]]], codes[other[lacks[row]]]
            parts.append(np.where(own == 0, from_other, own))
            whose.append(person[row[lacks[row]]])
    return np.concatenate(parts), np.concatenate(whose)
