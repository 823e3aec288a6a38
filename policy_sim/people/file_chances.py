"""Where the people of a file come from: how likely those of each county, or of each three-digit ZIP code, are in it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from policy_sim.people.county_tables import YEARS_OF_AGE, Listing
from policy_sim.people.names import county_code, county_names
from policy_sim.people.places import has_place, is_by_zip, place_codes
from policy_sim.people.population import AnyPopulation, Population, in_memory
from policy_sim.people.zips import PeopleByZip, ZipShares, with_zip_codes
from policy_sim.words.arrays import FloatArray
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.fields import Field, Granularities
from policy_sim.words.states import POSTAL_OF_FIPS, STATES

_WORDS = {"county": ("county", "counties"), "zip3": ("three-digit ZIP code", "three-digit ZIP codes")}
_FIPS, _ZIP3 = re.compile(r"\d{5}"), re.compile(r"\d{3}")


@dataclass(frozen=True, eq=False)
class FileChances:
    """The places that a file's people come from: of one state, or of several together.

    Attributes
    ----------
    place : ``county`` or ``zip3``.
    states : Postal codes.
    codes, names : Each place, and how a reader knows it.
    people : Who lives in each; shape (places,).
    in_file : How many of them are in the file; shape (places,).
    stated : The places as they were named, where these were made of them.
    """

    place: str
    states: tuple[str, ...]
    codes: tuple[str, ...]
    names: tuple[str, ...]
    people: FloatArray
    in_file: FloatArray
    stated: FileChances | None = None

    @property
    def chance(self) -> FloatArray:
        """The chance ``h`` (0..1) that a person of each place is in the file."""
        chance: FloatArray = self.in_file / self.people
        return chance

    @property
    def one_chance(self) -> float | None:
        """The chance of everyone who lives in the places, where it is the same in each."""
        chance = self.chance
        return float(chance[0]) if np.ptp(chance) <= 1e-12 * chance[0] else None

    @property
    def title(self) -> str:
        """The places with the share of the file from each, the largest first.

        >>> number = np.array([3.0, 1.0])
        >>> FileChances("county", ("OH",), ("39003", "39011"), ("Allen", "Auglaize"), 9 * number, number).title
        'Allen 75%, Auglaize 25%'
        """
        if self.stated is not None:
            return self.stated.title
        shares = self.in_file / self.in_file.sum()
        order = np.argsort(-shares, kind="stable").tolist()
        return ", ".join(f"{self.names[place]} {100 * shares[place]:.3g}%" for place in order)

    @property
    def places_title(self) -> str:
        """How many places of which kind, such as ``1 three-digit ZIP code``."""
        if self.stated is not None:
            return self.stated.places_title
        single, plural = _WORDS[self.place]
        return f"{len(self.codes)} {single if len(self.codes) == 1 else plural}"

    def living_there(self, population: AnyPopulation) -> AnyPopulation:
        """Return those people of a population who live in the places, or in a county of which a place is a part."""
        if isinstance(population, PeopleByZip):
            counties = self._living_in(population.county_population, "county", self.by_county(population))
            return population.of_counties(counties)
        assert isinstance(population, Population)  # of all others no file from somewhere is made
        return self._living_in(population, self.place, self._by_code)

    def by_key(
        self, people: AnyPopulation, key: Granularities, listing: Listing | None, listed: float
    ) -> tuple[AnyPopulation, Listing | None, float | None]:
        """Return the people to merge by a key, who of them is on a list and in the file, and one chance of all.

        ``people``: :meth:`living_there`. Without a ``listing`` everyone has the chance ``listed`` to be on the list.
        The chance to be in the file is one of all, or each place's own in the listing.
        """
        if isinstance(people, PeopleByZip) and self.place == "zip3":
            if is_by_zip(key[Field.GEOGRAPHY]):
                return self._within(people), listing, float(self.chance.max())
            return people, _with_file(listing, listed, "county", self.by_county(people)), None
        chance = self.one_chance
        if chance is not None:
            return people, listing, chance
        return people, _with_file(listing, listed, self.place, self._by_code), None

    def listing(self, shares: Mapping[str, float]) -> Listing:
        """Return a list that holds a share (0..1) of the people of each state, wherever in it they live."""
        chance = np.array([shares[POSTAL_OF_FIPS[code[:2]]] for code in self.codes])
        return Listing(self.codes, np.repeat(chance[:, None], YEARS_OF_AGE, axis=1), np.zeros(len(chance)))

    def by_county(self, population: PeopleByZip) -> dict[str, float]:
        """Return the chance that a person of each county is in the file, whatever part of the county they live in."""
        if self.place == "county":
            return self._by_code
        zips = population.zips
        counties = population.county_population.counties
        whole = np.bincount(zips.county, weights=zips.share * self._of_parts(zips), minlength=len(counties))
        held = set(_counties_of(population.county_population, self.states))
        return {name: float(h) for name, h in zip(counties, whole, strict=True) if h > 0 and name in held}

    def as_counties(self, population: AnyPopulation) -> FileChances:
        """Return the counties that a file from three-digit ZIP codes comes from; itself where it comes from counties.

        A population by county has ZIP codes by the make-up of its counties only; of any other, places stay as they are.
        """
        if self.place == "county" or not isinstance(population, PeopleByZip):
            return self
        chances, people = self.by_county(population), people_by_place(population, self.states[0], "county")
        residents = np.array([people[code] for code in chances])
        in_file = residents * np.array(list(chances.values()))
        return FileChances("county", self.states, tuple(chances), tuple(chances), residents, in_file, self)

    def _within(self, people: PeopleByZip) -> PeopleByZip:
        """Return the people with the parts of counties in the places alone: others live in none.

        Where chances differ, a person lives in a part as often as one of the file with the largest chance. Each then
        falls by itself: who lives in a part is no longer a fixed number.
        """
        zips, chance = people.zips, self._of_parts(people.zips)
        held = chance > 0
        share = zips.share[held] * (chance[held] / chance.max())
        residents = zips.residents if self.one_chance is not None else np.full_like(zips.residents, np.inf)
        of_class = zips.composition
        composition = None if of_class is None else of_class[held] * (chance[held] / chance.max())[:, None]
        return PeopleByZip(
            people.county_population,
            replace(
                zips,
                county=zips.county[held],
                zip5=zips.zip5[held],
                share=share,
                residents=residents,
                composition=composition,
            ),
        )

    @property
    def _by_code(self) -> dict[str, float]:
        return dict(zip(self.codes, self.chance.tolist(), strict=True))

    def _of_parts(self, zips: ZipShares) -> FloatArray:
        """Return the chance of each part of a county to be in the file by its three-digit ZIP code."""
        prefixes, code = np.unique(zips.zip5.astype("U3"), return_inverse=True)
        chance: FloatArray = np.array([self._by_code.get(str(prefix), 0.0) for prefix in prefixes])[code.reshape(-1)]
        return chance

    def _living_in(self, population: Population, place: str, chances: Mapping[str, float]) -> Population:
        population = population.in_states(self.states)
        codes, names = place_codes(population, place)
        return population.of_cells(np.isin(names, list(chances))[codes])


def _with_file(listing: Listing | None, listed: float, place: str, chances: Mapping[str, float]) -> Listing:
    if listing is None:
        listing = Listing.alike(listed)
    return replace(listing, in_file=chances, place=place)


@dataclass(frozen=True, eq=False)
class FilePlaces:
    """The places that a file's people come from, by state: those that were asked about first."""

    by_state: Mapping[str, FileChances]

    @property
    def states(self) -> tuple[str, ...]:
        """Postal codes."""
        return tuple(self.by_state)

    @property
    def people(self) -> int:
        """People of the whole file."""
        return round(sum(self.people_of(state) for state in self.by_state))

    def people_of(self, state: str) -> float:
        """Return the people of the file who live in a state."""
        return float(self.by_state[state].in_file.sum())

    @property
    def only(self) -> FileChances:
        """The places of a file of one state; of several, an InputError."""
        if len(self.by_state) > 1:
            raise InputError(
                f"this question takes a file of one state at a time, not of {' and '.join(self.by_state)}: ask it of "
                "each state, with its places."
            )
        return next(iter(self.by_state.values()))

    @property
    def title(self) -> str:
        """The places with their shares of the whole file, the largest first; of several states, state by state."""
        if len(self.by_state) == 1:
            return self.only.title
        parts = (f"{STATES[state].name}: {self._title_of(state)}" for state in self.by_state)
        return "; ".join(parts)

    def _title_of(self, state: str) -> str:
        chances = self.by_state[state].stated or self.by_state[state]
        shares = chances.in_file / self.people
        order = np.argsort(-shares, kind="stable").tolist()
        return ", ".join(f"{chances.names[place]} {100 * shares[place]:.3g}%" for place in order)

    @property
    def places_title(self) -> str:
        """How many places of which kind: ``5 counties``, or ``3 counties in Ohio and 2 counties in Michigan``."""
        if len(self.by_state) == 1:
            return self.only.places_title
        return " and ".join(f"{own.places_title} in {STATES[state].name}" for state, own in self.by_state.items())

    def number(self) -> int:
        """Return how many places were named."""
        return sum(len((own.stated or own).codes) for own in self.by_state.values())

    def together(self, population: AnyPopulation) -> FileChances:
        """Return the counties of all states as one, for a release that does not show the state."""
        if len(self.by_state) == 1:
            return self.only
        parts = [self._by_county(own, population) for own in self.by_state.values()]
        people, in_file = (np.concatenate([getattr(own, name) for own in parts]) for name in ("people", "in_file"))
        codes, names = (tuple(name for own in parts for name in getattr(own, kind)) for kind in ("codes", "names"))
        return FileChances("county", self.states, codes, names, people, in_file)

    @staticmethod
    def _by_county(chances: FileChances, population: AnyPopulation) -> FileChances:
        by_county = chances.as_counties(population)
        if by_county.place == "county":
            return by_county
        raise InputError(
            f"a file of several states from three-digit ZIP codes needs a population by county, which {population.name}"
            " is not, where a policy does not show the state: name counties."
        )


def file_chances(
    population: AnyPopulation,
    state: str,
    places: Sequence[tuple[str, float | None]],
    people: int | None,
    share: float | None = None,
) -> FileChances:
    """Return how likely the people of each place of one state are in a file, as :func:`file_places` does."""
    return file_places(population, {state: places}, people, share).only


def file_places(
    population: AnyPopulation,
    places: Mapping[str, Sequence[tuple[Any, ...]]],
    people: int | None,
    share: float | None = None,
) -> FilePlaces:
    """Return how likely the people of each place are in a file of so many people, or of a share of those places.

    ``places``: by state, counties by name or code, or three-digit ZIP codes, each with its share of the whole file.
    What is left after all shares is dealt over the places without one, of all states, by their people.
    """
    if not isinstance(population, Population | PeopleByZip):
        raise InputError("a file from named places needs the people in memory: leave out the engine.")
    held = {state: _residents(population, state, [name for name, *_ in own]) for state, own in places.items()}
    residents = np.concatenate([own.people for own in held.values()])
    total = float(people) if people is not None else float(share or 0.0) * float(residents.sum())
    in_file = total * _shares([fixed for own in places.values() for _, fixed, *_ in own], residents)
    by_state, first = {}, 0
    for state, own in held.items():
        chances = replace(own, in_file=in_file[first : first + len(own.codes)])
        first += len(own.codes)
        for name, number, living in zip(chances.names, chances.in_file.tolist(), own.people.tolist(), strict=True):
            if number > living * (1 + 1e-12):
                raise InputError(
                    f"a file with {number:,.0f} people from {name} is more than the {living:,.0f} people who live "
                    "there: give a smaller file, or more places."
                )
        of_zip = chances.place == "zip3"
        by_state[state] = (
            chances.as_counties(with_zip_codes(population)) if of_zip and _by_county(population) else chances
        )
    return FilePlaces(by_state)


def _by_county(population: AnyPopulation) -> bool:
    """Tell whether a population has ZIP codes by the make-up of its counties only."""
    return with_zip_codes(population) is not population


def _residents(population: AnyPopulation, state: str, places: Sequence[str]) -> FileChances:
    """Return the places of a state with the people who live there, and nobody in the file yet."""
    kinds = {"zip3" if _ZIP3.fullmatch(name) else "county" for name in places}
    if len(kinds) > 1:
        raise InputError(f"{ask('places', option='--from')}: give counties or three-digit ZIP codes, not both.")
    (place,) = kinds
    population = with_zip_codes(population) if place == "zip3" else population
    if not has_place(population, place):
        raise InputError(f"population {population.name} has no {place}: a file cannot come from one of them.")
    by_code = people_by_place(population, state, place)
    named = [_zip3(name, state, by_code) if place == "zip3" else _county(name, state, by_code) for name in places]
    codes = tuple(code for code, _ in named)
    for code, name in named:
        if codes.count(code) > 1:
            raise InputError(f"{ask('places', option='--from')}: {name} is named twice. Name each place once.")
    people = np.array([by_code[code] for code in codes])
    return FileChances(place, (state,), codes, tuple(name for _, name in named), people, np.zeros(len(people)))


def middle_zip3(population: AnyPopulation, state: str, people: float) -> str | None:
    """Return the three-digit ZIP code of a state in which, by size, the middle person lives.

    Of those with at least twice ``people``; None where there is none, or no ZIP code is known.
    """
    by_zip = with_zip_codes(population)
    if not isinstance(by_zip, Population | PeopleByZip) or not has_place(by_zip, "zip3"):
        return None
    large = sorted((number, code) for code, number in people_by_place(by_zip, state, "zip3").items())
    large = [(number, code) for number, code in large if number >= 2 * people]
    upto = np.cumsum([number for number, _ in large])
    return large[int(np.searchsorted(upto, upto[-1] / 2))][1] if large else None


def _shares(stated: Sequence[float | None], people: FloatArray) -> FloatArray:
    """Return the share of the file from each place: those given, and the rest by people.

    >>> _shares([0.4, None, None], np.array([9.0, 1.0, 2.0])).round(3).tolist()
    [0.4, 0.2, 0.4]
    """
    fixed = np.array([0.0 if share is None else share for share in stated])
    rest = np.where([share is None for share in stated], people, 0.0)
    if not rest.any():
        return np.asarray(fixed / fixed.sum(), dtype=np.float64)
    shares: FloatArray = fixed + (1 - fixed.sum()) * rest / rest.sum()
    return shares


def people_by_place(population: AnyPopulation, state: str, place: str) -> dict[str, float]:
    """Return the people of each county, or of each three-digit ZIP code's part of the state."""
    population = with_zip_codes(population) if place == "zip3" else population
    counted = population.county_population if isinstance(population, PeopleByZip) else in_memory(population)
    if place == "zip3" and isinstance(population, PeopleByZip):
        zips, counties = population.zips, counted.counties
        held = np.isin(counties, _counties_of(counted, [state]))[zips.county]
        prefixes, prefix = np.unique(zips.zip5[held].astype("U3"), return_inverse=True)
        sums = np.bincount(prefix.reshape(-1), weights=(zips.share * zips.residents[zips.county])[held])
        return dict(zip(prefixes.tolist(), sums.tolist(), strict=True))
    counted = counted.in_states([state])
    codes, names = place_codes(counted, place)
    sums = np.bincount(codes, weights=counted.cells["people"].to_numpy(), minlength=len(names))
    return {str(name): float(number) for name, number in zip(names, sums, strict=True) if number}


def _counties_of(population: Population, states: Sequence[str]) -> list[str]:
    """Return the codes of the counties of some states that have people."""
    return [str(code) for code in population.in_states(states).cells["county"].unique()]


def _county(text: str, state: str, people: Mapping[str, float]) -> tuple[str, str]:
    """Return the code and the name of a county of the state."""
    names = {code: name for code, name in county_names(state).items() if code in people}
    code = text if _FIPS.fullmatch(text) else county_code(state, text)
    if code is not None and code in people:
        return code, names.get(code, code)
    if _FIPS.fullmatch(text):
        raise InputError(f"{ask('places', option='--from')}: {_no_county(text, state)}")
    allowed = "Give a county of the state by name or five-digit FIPS code."
    raise UnknownNameError(f"county of {state}", text, names.values(), allowed=allowed)


def _no_county(text: str, state: str) -> str:
    """Say what five digits are that are no county of the state, and what to give.

    >>> _no_county("26115", "OH")
    '26115 is Monroe, Michigan, not a county of Ohio. Write "MI: 26115", or a county of Ohio.'
    """
    home, other = STATES[state].name if state in STATES else state, POSTAL_OF_FIPS.get(text[:2], "")
    name = county_names(other).get(text) if other else None
    if name is not None and other != state:
        place = f"{name}, {STATES[other].name}"
        return f'{text} is {place}, not a county of {home}. Write "{other}: {text}", or a county of {home}.'
    return (
        f"{text} is not a county of {home} in this population. Give a county by name or five-digit FIPS code. If it "
        f"is a ZIP code, give its first three digits: {text[:3]}."
    )


def _zip3(text: str, state: str, people: Mapping[str, float]) -> tuple[str, str]:
    if text in people:
        return text, f"ZIP {text}"
    raise UnknownNameError(f"three-digit ZIP code of {state}", text, people)
