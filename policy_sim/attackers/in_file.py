"""How many people are in the released file, and where they come from, for an attacker who knows its target is in it.

A hospital or a registry holds a part of the people, and a neighbor may know that the target is a patient. The attacker
then compares the target with the people of the file only (docs/model.md).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from policy_sim.people.file_chances import FilePlaces, file_places
from policy_sim.people.names import county_code, county_in_text, name_and_state
from policy_sim.people.population import AnyPopulation
from policy_sim.words.arrays import FloatArray
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError
from policy_sim.words.states import (
    POSTAL_OF_FIPS,
    STATES,
    State,
    find_state,
    neighbors,
    state_named,
    state_title,
    whole_name,
)

_MOST = 1_000_000_000  # more than the people of any state
_NEARLY = 0.005  # shares of a file that add up to within this of 1 are rounded shares of all of it


@dataclass(frozen=True)
class Catchment:
    """The places that the people of a file come from, in one state or several. Make one with :meth:`of`.

    ``places``: names or codes of counties, or three-digit ZIP codes, each with its share (0..1) of the whole file; None
    where the place has its people's part of what is left. A state stands before its place: ``MI: Monroe``.

    >>> Catchment.of("Allen, Lucas=40%").places
    (('Allen', None), ('Lucas', 0.4))
    >>> Catchment.of("OH: Lucas=60%, Wood; MI: Monroe").places
    (('OH: Lucas', 0.6), ('OH: Wood', None), ('MI: Monroe', None))
    """

    places: tuple[tuple[str, float | None], ...]

    def __post_init__(self) -> None:
        names = [name.casefold() for name, _ in self.places]
        if not names or not all(name.rpartition(":")[2].strip() for name in names):
            raise InputError(
                f'{_asked()}: name counties or three-digit ZIP codes, such as "Allen,Lucas" or '
                '"OH: Lucas, Wood; MI: Monroe".'
            )
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"{_asked()}: {name!r} is named twice. Name each place once.")
        stated = [(name, share) for name, share in self.places if share is not None]
        for name, share in stated:
            if not 0 < share <= 1:
                raise InputError(
                    f"{_asked()}: the share of {name} is {share:g}: give a share above 0 and up to 1 (0.4, 40%)."
                )
        total, every = sum(share for _, share in stated), len(stated) == len(self.places)
        if total > 1 + _NEARLY:
            raise InputError(f"{_asked()}: the shares add up to {100 * total:.4g}%, more than 100%.")
        if every and total < 1 - _NEARLY:
            raise InputError(
                f"{_asked()}: the shares add up to {100 * total:.4g}%: name a place without a share for the rest."
            )
        if not every and total > 1 - 1e-9:
            rest = next(name for name, share in self.places if share is None)
            raise InputError(f"{_asked()}: the shares add up to 100%: nothing is left for {rest}.")

    @classmethod
    def of(cls, places: CatchmentLike) -> Catchment | None:
        """Return the places that are meant: ``"Allen,Lucas=0.4"``, names, or shares (or None) by name."""
        if places is None or isinstance(places, Catchment):
            return places
        if isinstance(places, str):
            return cls(tuple(place for part in places.split(";") if part.strip() for place in _of_state(part)))
        if isinstance(places, Mapping):
            pairs = [(str(name), share) for name, share in places.items()]
            if all(share is None or isinstance(share, Real) for _, share in pairs):
                return cls(tuple((_with_state(name), None if share is None else float(share)) for name, share in pairs))
        elif isinstance(places, Iterable):
            names = list(places)
            if all(isinstance(name, str) for name in names):
                return cls(tuple((_with_state(name), share) for name, share in map(_place, names)))
        raise InputError(f'{_asked()}: give places, such as "Allen,Lucas=0.4" or {{"Allen": 0.6, "Lucas": 0.4}}.')

    @property
    def value(self) -> dict[str, float | None]:
        """What makes the same places again with :meth:`of`."""
        return dict(self.places)

    def states_with(self, states: Sequence[str] | None) -> tuple[str, ...]:
        """Return the states of the places: those asked about first, then those that the places name."""
        named = [own for name, _ in self.places if (own := _state_of(name))]
        return tuple(dict.fromkeys([*(states or ()), *named]))

    def by_state(self, states: Sequence[str] | None) -> dict[str, tuple[Place, ...]]:
        """Return the places of each state, without the state in their names, and where each stands in ``places``.

        A place that names no state is of the only one that is asked about, or that has such a county.
        """
        reach = self.states_with(states)
        if not reach:
            raise InputError(
                f'{_asked()}: name the state, such as OH, or write it before its places: "OH: Lucas, Wood; MI: Monroe".'
            )
        held: dict[str, list[Place]] = {state: [] for state in reach}
        for at, (name, share) in enumerate(self.places):
            held[_state_of(name) or _only_state(name, reach)].append(Place(_bare(name), share, at))
        for state, own in held.items():
            if not own:
                raise InputError(
                    f"{_asked()}: no place is in {STATES[state].name}. Leave the state out, or name its places: "
                    f'"{state}: ...".'
                )
        return {state: tuple(own) for state, own in held.items()}

    def shared_names(self, states: Sequence[str] | None) -> str:
        """Say which county names, given without a state, a bordering state has too; empty if none does."""
        words = []
        for state, places in self.by_state(states).items():
            for place in places:
                stated = _state_of(self.places[place.at][0])
                others = [near for near in neighbors(state) if county_code(near, place.name)]
                if others and not stated:
                    have = "has" if len(others) == 1 else "have"
                    near = state_title(whole_name(others))
                    words.append(
                        f"{place.name} is {STATES[state].name}'s; {near} {have} one too (to mean that, write "
                        f"{others[0]}: {place.name})"
                    )
        return "; ".join(words)


class Place(NamedTuple):
    """A place of a state: its name or code, its share (0..1) of the file, and its position in the catchment."""

    name: str
    share: float | None
    at: int


def _of_state(text: str) -> list[tuple[str, float | None]]:
    """Read the places between two semicolons, of the state before a colon; ``Monroe, MI`` is one place."""
    head, colon, rest = text.partition(":")
    state = find_state(head.strip()).postal if colon else ""
    places: list[tuple[str, float | None]] = []
    for name, share in map(_place, (rest if colon else text).split(",")):
        behind = None if state else _state_behind(name)
        if behind is not None and places and not _state_of(places[-1][0]):
            before, own = places.pop()
            name, share = f"{behind.postal}: {before}", own if share is None else share
        places.append((f"{state}: {name}" if state else _with_state(name), share))
    return places


def _state_behind(text: str) -> State | None:
    """Return the state that a text between two commas is: a postal code in capitals, or a name that no county has."""
    state = state_named(text)
    if state is None or text.isdigit():
        return None
    is_county = any(county_code(postal, text) for postal in STATES)
    return state if text == state.postal or (len(text) > len(state.postal) and not is_county) else None


def _with_state(name: str) -> str:
    """Return a name with the state that it names before it: ``Monroe, MI`` as ``MI: Monroe``."""
    bare, own = name_and_state(name.strip())
    return f"{own.postal}: {bare}" if own else bare


def _state_of(name: str) -> str:
    """Return the postal code of the state that a name or a code of a county says; empty if it says none."""
    own = name_and_state(name)[1]
    return own.postal if own else POSTAL_OF_FIPS.get((county_in_text(name) or "")[:2], "")


def _bare(name: str) -> str:
    return county_in_text(name) or name_and_state(name)[0] if _state_of(name) else name


def _only_state(name: str, reach: Sequence[str]) -> str:
    if len(reach) == 1:
        return reach[0]
    states = [state for state in reach if county_code(state, name)]
    if len(states) == 1:
        return states[0]
    called = " and ".join(STATES[state].name for state in states or reach)
    problem = f"is a county of {called}" if states else f"is no county of {called} by its name alone"
    raise InputError(f'{_asked()}: {name} {problem}: write its state too, such as "{reach[-1]}: {name}".')


def _asked() -> str:
    """Name the argument that says where the file comes from."""
    return ask("places", option="--from")


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
    """A file of a share of each state's people, or of a number of them; with places, of all states together.

    Make one with :meth:`of`.

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
                raise InputError(
                    f"{_asked()} needs {ask('amount', option='--in-file')}: how many people are in the file."
                )
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
                f"{ask('in_file')}: a file of {self.people:,} people is more than the {people:,.0f} people of {place}. "
                "Give a smaller number, or a share such as 0.01."
            )
        return self.people / people

    def settled(self, population: AnyPopulation, states: Sequence[str]) -> tuple[InFile, FilePlaces | None]:
        """Return the file with its number of people, and how likely those of each place are in it.

        Without places both are as they are: the file itself, and None.
        """
        if self.catchment is None:
            return self, None
        places = file_places(population, self.catchment.by_state(states), self.people, self.share)
        return replace(self, share=None, people=max(places.people, 2)), places

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


def without_places(file: InFile | None, what: str) -> None:
    """Refuse a file from some places where only one that is spread over the state is computed; ``what`` says where."""
    if file is not None and file.catchment is not None:
        raise InputError(f"{what} takes a file that is spread over the whole state: leave {_asked()} out.")


def shares_in_file(file: InFile | None, inhabitants: Mapping[str, int], states: Iterable[str]) -> FloatArray | None:
    """Return the chance of being in the file in each state, shape (states,); None without a file."""
    if file is None:
        return None
    return np.array([file.share_of(inhabitants[state], state) for state in states], dtype=np.float64)
