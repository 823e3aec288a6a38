"""How many people are in the released file, and where they come from, for an attacker who knows its target is in it.

A hospital or a registry holds a part of the people, and a neighbor may know that the target is a patient. The attacker
then compares the target with the people of the file only (docs/model.md).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from policy_sim.people.file_chances import FileChances, file_chances
from policy_sim.people.population import AnyPopulation
from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import InputError

_MOST = 1_000_000_000  # more than the people of any state
_NEARLY = 0.005  # shares of a file that add up to within this of 1 are rounded shares of all of it


@dataclass(frozen=True)
class Catchment:
    """The places that the people of a file come from. Make one with :meth:`of`.

    ``places``: names or five-digit codes of counties, or three-digit ZIP codes, each with its share (0..1) of the file;
    None where the place has its people's part of what is left.

    >>> Catchment.of("Allen, Lucas=40%").places
    (('Allen', None), ('Lucas', 0.4))
    """

    places: tuple[tuple[str, float | None], ...]

    def __post_init__(self) -> None:
        names = [name.casefold() for name, _ in self.places]
        if not names or not all(names):
            raise InputError(
                'where the file comes from: name counties or three-digit ZIP codes, such as "Allen,Lucas".'
            )
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"where the file comes from: {name!r} is named twice. Name each place once.")
        stated = [(name, share) for name, share in self.places if share is not None]
        for name, share in stated:
            if not 0 < share <= 1:
                raise InputError(
                    f"share of the file from {name} = {share:g}: give a share above 0 and up to 1 (0.4, 40%)."
                )
        total, every = sum(share for _, share in stated), len(stated) == len(self.places)
        if total > 1 + _NEARLY:
            raise InputError(f"the shares of the file by place add up to {100 * total:.4g}%: they can be 100% at most.")
        if every and total < 1 - _NEARLY:
            raise InputError(
                f"the shares of the file by place add up to {100 * total:.4g}%: name a place without a share for the "
                "rest."
            )
        if not every and total > 1 - 1e-9:
            rest = next(name for name, share in self.places if share is None)
            raise InputError(f"the shares of the file by place add up to 100%: nothing is left for {rest}.")

    @classmethod
    def of(cls, places: CatchmentLike) -> Catchment | None:
        """Return the places that are meant: ``"Allen,Lucas=0.4"``, names, or shares (or None) by name."""
        if places is None or isinstance(places, Catchment):
            return places
        if isinstance(places, str):
            return cls(tuple(_place(text) for text in places.split(",")))
        if isinstance(places, Mapping):
            pairs = [(str(name), share) for name, share in places.items()]
            if all(share is None or isinstance(share, Real) for _, share in pairs):
                return cls(tuple((name.strip(), None if share is None else float(share)) for name, share in pairs))
        elif isinstance(places, Iterable):
            names = list(places)
            if all(isinstance(name, str) for name in names):
                return cls(tuple(_place(name) for name in names))
        raise InputError(
            'where the file comes from: give places, such as "Allen,Lucas=0.4" or {"Allen": 0.6, "Lucas": 0.4}.'
        )

    @property
    def value(self) -> dict[str, float | None]:
        """What makes the same places again with :meth:`of`."""
        return dict(self.places)


def _place(text: str) -> tuple[str, float | None]:
    name, mark, share = (part.strip() for part in text.partition("="))
    if not mark:
        return name, None
    try:
        return name, float(share.removesuffix("%")) / (100 if share.endswith("%") else 1)
    except ValueError:
        raise InputError(f"share of the file from {name} = {share!r}: give a share such as 0.4 or 40%.") from None


CatchmentLike: TypeAlias = str | Iterable[str] | Mapping[str, float | None] | Catchment | None


@dataclass(frozen=True)
class InFile:
    """A file of a share of each state's people, or of a number of them. Make one with :meth:`of`.

    Parameters
    ----------
    share : Chance, above 0 and up to 1, that a person of the state is in the file; none where a number is given. With
        places it is that of a person who lives in them.
    people : People in the file of each state, 2 or more; none where a share is given.
    catchment : Where they come from; None: from all over the state.
    records, per_person : Records of the file, and how many there are of each person, where ``people`` is counted so.

    Examples
    --------
    >>> InFile.of(0.01).share_of(1_000_000), InFile.of(11_000).share_of(1_000_000)
    (0.01, 0.011)
    """

    share: float | None = None
    people: int | None = None
    catchment: Catchment | None = None
    records: int | None = None
    per_person: float | None = None

    def __post_init__(self) -> None:
        if (self.share is None) == (self.people is None):
            raise InputError("give the size of a file as a share of the people or as a number, not both.")
        if self.share is not None and not 0 < self.share <= 1:
            raise InputError(f"in the file = {self.share:g}: give a share above 0 and up to 1, such as 0.01.")
        if self.people is not None and not 1 < self.people <= _MOST:
            raise InputError(f"in the file = {self.people:,}: give 2 to {_MOST:,} people, or a share up to 1.")

    @classmethod
    def of(cls, amount: InFileLike, places: CatchmentLike = None) -> InFile | None:
        """Return the file that is meant; None for None, which is everyone without such knowledge.

        ``amount``: a share (0.01; 1 is everyone), or a whole number of people above 1 (11000). ``places``: where they
        come from (:meth:`Catchment.of`).

        >>> InFile.of(18_000, "Allen,Lucas=0.4").catchment.places
        (('Allen', None), ('Lucas', 0.4))
        """
        catchment = Catchment.of(places)
        if amount is None or isinstance(amount, InFile):
            if amount is None and catchment is not None:
                raise InputError("where the file comes from needs how many people are in it: give their number too.")
            return amount if amount is None or catchment is None else replace(amount, catchment=catchment)
        what = "give a share of the people above 0 and up to 1, such as 0.01, or a whole number of people, such as"
        if isinstance(amount, bool) or not isinstance(amount, Real) or not math.isfinite(amount) or amount <= 0:
            value_text = amount if isinstance(amount, Real) else type(amount).__name__
            raise InputError(f"in the file = {value_text}: {what} 11000.")
        value = float(amount)
        if value <= 1:
            return cls(share=value, catchment=catchment)
        if value % 1:
            raise InputError(f"in the file = {value:g}: {what} {math.floor(value)}.")
        return cls(people=int(value), catchment=catchment)

    @classmethod
    def of_records(cls, records: int, per_person: float | None = None, places: CatchmentLike = None) -> InFile:
        """Return the file of so many records, of which each person has ``per_person``; one each by default.

        >>> InFile.of_records(25_000, 1.25).people
        20000
        """
        multiple = 1.0 if per_person is None else per_person
        if not (math.isfinite(multiple) and multiple >= 1):
            raise InputError(f"records per person = {multiple:g}: give a number of 1 or more, such as 1.4.")
        if not 1 < records <= _MOST:
            raise InputError(f"records = {records:,}: give 2 to {_MOST:,} records.")
        people = max(round(records / multiple), 1)
        return cls(people=people, catchment=Catchment.of(places), records=records, per_person=per_person)

    def share_of(self, people: float, place: str = "the state") -> float:
        """Return the share of a state's people who are in the file."""
        if self.people is None:
            assert self.catchment is None  # whoever knows the people of the places has made it a number
            return float(self.share or 0.0)
        if self.people > people:
            raise InputError(
                f"a file of {self.people:,} people is more than the {people:,.0f} people of {place}: give a smaller "
                "number, or a share such as 0.01."
            )
        return self.people / people

    def settled(self, population: AnyPopulation, states: Sequence[str]) -> tuple[InFile, FileChances | None]:
        """Return the file with its number of people, and how likely those of each place are in it.

        Without places both are as they are: the file itself, and None.
        """
        if self.catchment is None:
            return self, None
        chances = file_chances(population, one_state_of(states), self.catchment.places, self.people, self.share)
        count = round(float(chances.in_file.sum()))
        return replace(self, share=None, people=max(count, 2)), chances

    @property
    def title(self) -> str:
        """The file in words.

        >>> InFile.of(0.01).title, InFile.of(11000).title
        ("1% of each state's people", '11,000 people of each state')
        """
        if self.people is None:
            return f"{100 * (self.share or 0.0):.6g}% of each state's people"
        return f"{self.people:,} people of each state"

    @property
    def counting(self) -> str:
        """How the people were counted from records; empty where they were not.

        >>> InFile.of_records(25_000, 1.25).counting, InFile.of(20_000).counting
        ('25,000 records at 1.25 per person', '')
        """
        if self.records is None:
            return ""
        if self.per_person is None:
            return (
                f"{self.records:,} records, counted as one per person: where people have several, give how many, and "
                "the file has fewer people"
            )
        return f"{self.records:,} records at {self.per_person:g} per person"

    @property
    def value(self) -> float | int | dict[str, Any]:
        """The number that makes the same file again with :meth:`of`; with places and records, each by its name."""
        size = self.people if self.people is not None else float(self.share or 0.0)
        if self.catchment is None and self.records is None:
            return size
        more = {"records": self.records, "per_person": self.per_person}
        places = {} if self.catchment is None else {"places": self.catchment.value}
        return {"size": size, **{name: number for name, number in more.items() if number is not None}, **places}


InFileLike: TypeAlias = float | InFile | Any | None
# The file of the comparison's first table, next to everyone.
SMALL_FILE = InFile(share=0.01)


def one_state_of(states: Sequence[str] | None) -> str:
    """Return the only state of a question about a file from some places."""
    if states is None or len(states) != 1:
        raise InputError("a file that comes from some places is of one state: name the state, such as OH.")
    return states[0]


def without_places(file: InFile | None, what: str) -> None:
    """Refuse a file from some places where only one that is spread over the state is computed; ``what`` says where."""
    if file is not None and file.catchment is not None:
        raise InputError(f"{what} takes a file that is spread over the whole state: leave out where it comes from.")


def shares_in_file(file: InFile | None, inhabitants: Mapping[str, int], states: Iterable[str]) -> FloatArray | None:
    """Return the chance of being in the file in each state, shape (states,); None without a file."""
    if file is None:
        return None
    return np.array([file.share_of(inhabitants[state], state) for state in states], dtype=np.float64)
