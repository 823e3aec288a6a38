"""Who is really on the voter lists: residents by county and age, and records of people who moved away or died.

A list has more records than the people who say that they are registered, and some counties and ages more than others.
Of the records of a county the active ones, at most one for each adult, are taken as listed residents; the others are
stale. How likely residents of each age are to be listed follows real lists that were counted by age, scaled to the
listed residents of the county (MODEL.md section 15).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from types import MappingProxyType
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from policy_sim.attackers.agreement import AGREEMENT_FILE, agreement, errors_note
from policy_sim.attackers.county_records import AGES, WITHOUT_REGISTRATION, CountyRecords, county_records, joined
from policy_sim.attackers.coverage import (
    ADULTS,
    COVERAGES,
    SURVEYS,
    VOTING_AGE,
    WITH_ERRORS,
    Coverage,
    load_registered_voters,
    people_of,
    survey_of_people,
)
from policy_sim.people.county_tables import YEARS_OF_AGE, Listing
from policy_sim.people.merge import FEW_STATES
from policy_sim.people.population import AnyPopulation, Population, in_memory
from policy_sim.voter_lists.registration import (
    FOLDER,
    AgeShape,
    load_age_shape,
    load_registration,
    whole_or_none,
)
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.fields import Granularities
from policy_sim.words.text import percent_words

_ALL_ACTIVE = 0.995


@dataclass(frozen=True, eq=False)
class CountyCoverage:
    """Who is on the voter lists of the counties of a population; made by :func:`county_coverage`.

    Attributes
    ----------
    records : The records of the counties, their adults by year of age from 18 to 119, and what is particular of them.
    active : Records of each county that are taken as those of residents, before they are capped; shape (counties,).
    chance : Chance (0..1) that a resident is listed, by county and class of ages; shape (counties, classes).
    listed, stale : Listed residents, and records of nobody there, whole; shape (counties,).
    year : The election whose records are taken.
    population : Name and day of the people.
    shape : The classes of ages, and how they were found.
    """

    records: CountyRecords = field(repr=False)
    active: IntArray = field(repr=False)
    chance: FloatArray = field(repr=False)
    listed: IntArray = field(repr=False)
    stale: IntArray = field(repr=False)
    year: int
    population: tuple[str, str]
    shape: AgeShape = field(repr=False)

    @property
    def county(self) -> tuple[str, ...]:
        """The five-digit FIPS code of each county."""
        return self.records.county

    @property
    def state(self) -> tuple[str, ...]:
        """The postal code of each county."""
        return self.records.state

    @property
    def adults(self) -> IntArray:
        """People by county and year of age from 18 to 119, whole; shape (counties, ages)."""
        return self.records.adults

    @property
    def reported(self) -> tuple[tuple[int | None, int | None, int | None], ...]:
        """Registered, active and inactive records as the county reported them; None where it did not."""
        return tuple(zip(*map(whole_or_none, self.records.reported.T), strict=True))

    @property
    def flag(self) -> tuple[str, ...]:
        """What is particular about each county's numbers, in words of the data; empty if nothing is."""
        over = zip(self.records.flag, self._over, strict=True)
        return tuple(joined([flag, "capped" if is_over else ""], "+") for flag, is_over in over)

    @property
    def note(self) -> tuple[str, ...]:
        """The same in a sentence."""
        whole = self.adults.sum(axis=1)
        over = [
            f"{active:,} active records for {adults:,} adults: capped" if is_over else ""
            for active, adults, is_over in zip(self.active, whole, self._over, strict=True)
        ]
        return tuple(joined([note, more], "; ") for note, more in zip(self.records.note, over, strict=True))

    @property
    def _over(self) -> list[bool]:
        over: list[bool] = (self.active > self.adults.sum(axis=1)).tolist()
        return over

    @property
    def chance_by_age(self) -> FloatArray:
        """Chance (0..1) that a resident is listed, by county and year of age from 18 to 119; shape (counties, ages)."""
        chance: FloatArray = self.chance[:, self.shape.class_of(AGES)]
        return chance

    @property
    def listed_by_age(self) -> FloatArray:
        """Expected listed residents by county and year of age; those of a county add up to ``listed``."""
        listed: FloatArray = self.adults * self.chance_by_age
        return listed

    @property
    def stale_by_age(self) -> FloatArray:
        """Expected stale records by county and year of age: spread over the ages as the listed residents are."""
        listed = self.listed_by_age
        whole = listed.sum(axis=1, keepdims=True)
        share = np.divide(listed, whole, out=np.zeros_like(listed), where=whole > 0)
        stale: FloatArray = self.stale[:, None] * share
        return stale

    @cached_property
    def listing(self) -> Listing:
        """Who is on the lists, for merging: nobody under 18 is."""
        chance = np.zeros((len(self.county), YEARS_OF_AGE))
        chance[:, AGES] = self.chance_by_age
        left = np.divide(self.stale, self.listed, out=np.zeros(len(self.stale)), where=self.listed > 0)
        return Listing(self.county, chance, left)

    def by_state(self, *, stale: bool = False) -> dict[str, float]:
        """Return the listed residents of each state, with its stale records or without."""
        sums: dict[str, float] = {}
        for state, number in zip(self.state, self.listed + stale * self.stale, strict=True):
            sums[state] = sums.get(state, 0.0) + float(number)
        return sums

    def differs(self, other: CountyCoverage, rows: IntArray) -> bool:
        """Whether some counties have other listed residents or stale records by another coverage of the same people."""
        numbers = ((self.listed, other.listed), (self.stale, other.stale))
        return not all(np.array_equal(own[rows], others[rows]) for own, others in numbers)

    def exceeds(self, other: CountyCoverage, rows: IntArray) -> bool:
        """Whether counties together have no fewer listed residents than by another, nor a smaller share of records."""
        (own, own_stale), (others, others_stale) = (
            (int(each.listed[rows].sum()), int(each.stale[rows].sum())) for each in (self, other)
        )
        return own >= others and own * others_stale >= others * own_stale

    def rows_of(self, states: Iterable[str]) -> IntArray:
        """Return the places of the counties of some states (postal codes)."""
        return np.flatnonzero(np.isin(self.state, list(states)))

    def notes(self) -> list[str]:
        """Say what was counted, when, and what is assumed, one line each."""
        name, day = self.population
        counts = load_registration()
        share = percent_words(float(self.stale.sum() / max((self.listed + self.stale).sum(), 1)))
        lines = [
            f"records: {counts.title}, November {self.year} ({counts.publisher}); adults: {name}, {day or 'no date'}",
            f"assumed: active records, at most one for each adult, are residents; the other records ({share}) are of "
            "people who moved away or died. A county that reports only active records has no others here",
            "assumed: residents of each age are listed in the proportions of two lists together, scaled to the listed "
            f"residents of each county, and at most all of them; sexes and races alike ({self.shape.title}: "
            f"{self.shape.source})",
            "assumed: records of people who left have the ages of the listed residents",
        ]
        used = set(self.state)
        if day[:4].isdecimal() and int(day[:4]) != self.year:
            lines.append(
                f"years: records of {self.year} over adults of {day[:4]}: where a county has grown in between, too "
                "many of its residents count as listed, and where it has shrunk, too few"
            )
        if all_active := self.all_active:
            lines.append(
                f"{', '.join(all_active)} reported (nearly) no inactive records: how many records there are of people "
                "who left is not known, and next to none are counted"
            )
        lines += [
            f"{place} has no voter registration: its file is assumed to hold as many residents of each county as say "
            f"that they are registered ({survey_of_people(self.year).title}), and no records of people who left"
            for place in sorted(used & set(WITHOUT_REGISTRATION))
        ]
        if "AK" in used:
            lines.append("AK reports one number for the state: its boroughs are assumed to have the same rate")
        return lines

    @cached_property
    def all_active(self) -> list[str]:
        """The states that reported nearly all of their records as active."""
        sums: dict[str, list[int]] = {}
        for state, (registered, active, _) in zip(self.state, self.reported, strict=True):
            if registered is not None and active is not None:
                counted = sums.setdefault(state, [0, 0])
                counted[0] += registered
                counted[1] += active
        return sorted(state for state, (registered, active) in sums.items() if active > _ALL_ACTIVE * registered)


# What else may be assumed of the records, by the name of the assumption.
ALL_RESIDENTS = "all-residents"
ASSUMED: Mapping[str, str] = MappingProxyType(
    {
        "no-stale": "no records of people who left",
        ALL_RESIDENTS: "all records as those of residents, at most one for each adult",
        "ages-nj": "ages as on the list of New Jersey alone",
        "ages-pa": "ages as on the list of Pennsylvania alone",
        "ages-alike": "people of all ages alike",
    }
)


def county_coverage(population: AnyPopulation, year: int, assumed: str = "") -> CountyCoverage:
    """Return who is on the lists of a population's counties, by the records of one election.

    ``population``: people by county and age. ``year``: an election whose records were counted
    (:attr:`~.Registration.years`). ``assumed``: one of :data:`ASSUMED`, in place of what is assumed else; empty:
    nothing.

    >>> from policy_sim import Study
    >>> delaware = county_coverage(Study("us-2020").people.in_states(["DE"]), 2024)
    >>> delaware.county, int((delaware.listed + delaware.stale).sum())
    (('10001', '10003', '10005'), 788441)
    """
    people = in_memory(population)
    if "county" not in people.columns:
        raise InputError(f"population {people.name} has no county: records are counted by county.")
    by_year, year = _RECORDS.setdefault(people, {}), load_registration().election(year)
    if year not in by_year:
        by_year[year] = county_records(people, year)
    held, shape = by_year[year], _age_shape(assumed)
    adults, records = held.adults, held.records
    active = records if assumed == ALL_RESIDENTS else held.active
    listed: IntArray = np.minimum(np.minimum(active, records), adults.sum(axis=1))
    return CountyCoverage(
        held,
        active,
        scaled(np.add.reduceat(adults, shape.starts - VOTING_AGE, axis=1), shape.rate, listed),
        listed,
        np.zeros_like(listed) if assumed == "no-stale" else records - listed,
        year,
        (people.name, people.provenance.date),
        shape,
    )


def _age_shape(assumed: str) -> AgeShape:
    """Return how likely people of each age are to be listed next to others."""
    shape = load_age_shape()
    if assumed == "ages-alike":
        return replace(shape, rate=np.ones_like(shape.rate))
    name = assumed.removeprefix("ages-").upper()
    return replace(shape, rate=np.minimum(shape.by_list[name], 1.0)) if name in shape.by_list else shape


@dataclass(frozen=True)
class RegisteredCoverage(Coverage):
    """Who is on the voter lists by county and age, with records of people who left: those of the election ``year``.

    ``survey``: the rate of each state, which is taken where a population has no counties. ``assumed``: one of
    :data:`ASSUMED`; empty where nothing else is assumed. ``has_errors``: whether values of the release and the list
    differ for some people; ``agreement``: the share (0..1) for whom none of a key does, where that is settled
    (:meth:`on_key`). The others are those of :class:`~policy_sim.attackers.coverage.Coverage`.
    """

    survey: Coverage = field(kw_only=True)
    assumed: str = field(default="", kw_only=True)
    has_errors: bool = field(default=False, kw_only=True)
    agreement: float = field(default=1.0, kw_only=True)

    def on_key(self, view: Granularities) -> RegisteredCoverage:
        """Return the coverage with the share of the listed residents whose values of a key agree with the list."""
        return replace(self, agreement=agreement(view)) if self.has_errors else self

    @property
    def others(self) -> Iterator[RegisteredCoverage]:
        """What else may be assumed: each of :data:`ASSUMED` by itself, and the records of the election before."""
        yield from map(self._assuming, ASSUMED)
        yield from self._earlier

    def alternatives(self, population: AnyPopulation, state: str) -> tuple[Coverage, ...]:
        """Return the ends of a range: all records as those of residents, and the records of the election before.

        The second is left out where the state had more residents on the list then, and they were a larger share of the
        records: the coverage itself is then the lower end. (Without stale records there are more right links than with
        them, so that this is no lower end.) Neither is there where it is no different. None where something is assumed
        already, or the people are not by county: a survey has no records.
        """
        own = None if self.assumed else self.of(population)
        if own is None:
            return ()
        rows = own.rows_of([state])
        others = [(end, end.of(population)) for end in self.range_ends]
        return tuple(
            end
            for end, counted in others
            if counted is not None and counted.differs(own, rows) and (end.assumed or not counted.exceeds(own, rows))
        )

    @property
    def range_ends(self) -> tuple[RegisteredCoverage, ...]:
        """All records as those of residents, and the records of the election before, if there are any."""
        return self._assuming(ALL_RESIDENTS), *self._earlier

    def _assuming(self, name: str) -> RegisteredCoverage:
        title = f"registered voters: {ASSUMED[name]}"
        return replace(self, name=f"{self.name}-{name}", title=title, assumed=name)

    @property
    def _earlier(self) -> Iterator[RegisteredCoverage]:
        earlier = [year for year in load_registration().years if self.year is not None and year < self.year]
        if earlier:
            yield replace(self, name=f"{self.name}-{earlier[-1]}", title=_title(earlier[-1]), year=earlier[-1])

    def of(self, population: AnyPopulation) -> CountyCoverage | None:
        """Return who is on the lists of a population's counties, worked out once for each; None without counties."""
        people = population if isinstance(population, Population) else population.county_population
        if people is None or "county" not in people.columns or not any(map(self.knows, people.states)):
            return None
        people = people.without_ethnicity  # a list does not ask
        by_assumption = _COVERAGES.setdefault(people, {})
        assert self.year is not None
        assumption = (self.year, self.assumed)
        if assumption not in by_assumption:
            counted = [state for state in people.states if self.knows(state)]
            whole = people if len(counted) == len(people.states) else people.in_states(counted)
            by_assumption[assumption] = county_coverage(whole, *assumption)
        return by_assumption[assumption]

    def knows(self, state: str) -> bool:
        """Whether anybody counted the records of the state, or asked its people."""
        return state in _counted_states() or state in WITHOUT_REGISTRATION

    def listing(self, population: AnyPopulation) -> Listing | None:
        """Return with what chance people are listed; nobody in a state where nobody counted.

        A record whose values differ is not found, and is in the way of others as a record of somebody who left is.
        """
        by_county = self.of(population)
        if by_county is None or self.agreement == 1:
            return None if by_county is None else by_county.listing
        listing, found = by_county.listing, self.agreement
        return replace(listing, chance=listing.chance * found, stale=(listing.stale + 1 - found) / found)

    def records(self, population: AnyPopulation) -> dict[str, float]:
        """Return the records of each state's list: of residents, and of people who left."""
        by_county = self.of(population)
        return self.survey.records(population) if by_county is None else by_county.by_state(stale=True)

    def shares(self, population: AnyPopulation, states: Iterable[str]) -> NDArray[np.float64]:
        """Return the listed residents over the adults, state by state."""
        by_county = self.of(population)
        if by_county is None:
            return self.agreement * self.survey.shares(population, states)
        listed, adults = by_county.by_state(), people_of(population, self).people_by_state()
        return np.array([min(1.0, listed.get(state, 0.0) / max(adults.get(state, 0), 1)) for state in states])

    def remarks(self, population: AnyPopulation, states: Iterable[str]) -> list[str]:
        """Say what to know of the numbers for these people in these states, one line each."""
        in_question = {state for state in states if self.knows(state)}
        if not in_question:
            return []
        if isinstance(population, Population) and len(in_question) * FEW_STATES <= len(population.states):
            population = population.in_states(sorted(in_question))  # the others take no time
        by_county = self.of(population)
        if by_county is None:
            return [
                f"population {population.name} has no counties: as many of a state's adults are listed as say so in a "
                f"survey ({self.survey.title}), at every age alike, and no records are of people who left"
            ]
        lines = [*super().remarks(population, in_question), RANGE]
        lines += [errors_note()] if self.has_errors else []
        if all_active := [state for state in by_county.all_active if state in in_question]:
            lines.append(
                f"{', '.join(all_active)} reported (nearly) no inactive records in {by_county.year}: how many are of "
                "people who left is unknown, and next to none are counted"
            )
        lines += [
            f"{state} registers nobody: as many residents are listed as say so in a survey "
            f"({survey_of_people(by_county.year).title})"
            for state in WITHOUT_REGISTRATION
            if state in in_question
        ]
        return lines

    def files(self, population: AnyPopulation, states: Iterable[str]) -> list[str]:
        """Return the files of ``data/`` that hold the numbers."""
        if self.of(population) is None:
            return [SURVEYS]
        own = [f"{FOLDER}/{name}" for name in ("by_county.parquet", "registration.toml")]
        own += [str(AGREEMENT_FILE)] if self.has_errors else []
        return [*own, SURVEYS] if set(states) & set(WITHOUT_REGISTRATION) else own


_NOTE = (
    "Active records of a county, at most one for each adult, are taken as its listed residents, of each age in the "
    "proportions of the lists of New Jersey and Pennsylvania; all other records as those of people who left"
)
RANGE: Final = (
    "ranges of figures with a voter list, where they are given, are from the least to the most of three: the figure, "
    "with every record as that of a resident, and with the records of the federal election before. They are no "
    "intervals of chance"
)
_COVERAGES: WeakKeyDictionary[Any, dict[tuple[int, str], CountyCoverage]] = WeakKeyDictionary()
# What every assumption about the records of an election starts from, by its year.
_RECORDS: WeakKeyDictionary[Population, dict[int, CountyRecords]] = WeakKeyDictionary()


def load_coverage(name: str, vintage: str) -> Coverage | None:
    """Return who is on the lists of a vintage; none for ``everyone``."""
    if name not in COVERAGES:
        raise UnknownNameError("coverage", name, COVERAGES)
    if name == "everyone":
        return None
    if name == "adults":
        return ADULTS
    surveys = load_registered_voters().values()
    latest = max(surveys, key=lambda survey: survey.year)
    survey = next((candidate for candidate in surveys if vintage in candidate.used_for), latest)
    of_states = Coverage(
        "survey", f"registered voters ({survey.title})", survey.by_state, note=survey.note, year=survey.year
    )
    if name == "survey":
        return of_states
    counts = load_registration()
    year = counts.nearest(int(vintage[:4])) if vintage[:4].isdecimal() else max(counts.years)
    note = f"{_NOTE} ({counts.title})"
    title = f"{_title(year)}{', whose values differ for some in the release' if name == WITH_ERRORS else ''}"
    return RegisteredCoverage(name, title, note=note, year=year, survey=of_states, has_errors=name == WITH_ERRORS)


@cache
def _counted_states() -> frozenset[str]:
    return frozenset(load_registration().rows["state"].astype(str))


def _title(year: int) -> str:
    return f"registered voters of November {year} by county and age"


def scaled(adults: IntArray | FloatArray, rate: FloatArray, listed: IntArray | FloatArray) -> FloatArray:
    """Return the chance of each class to be listed: in the proportions of ``rate``, at most 1, and ``listed`` in all.

    ``adults``: people of each class, >= 0; shape (counties, classes). ``rate``: how likely the people of each class are
    to be listed next to each other, above 0; shape (classes,). ``listed``: listed people of each county, from 0 to its
    adults; shape (counties,). Returns chances, shape (counties, classes). What a class cannot take, because all of it
    is listed, the others take.

    Half of the young are listed for each of the old. Of 90 listed among 50 and 50, all old people are, and 40 young.

    >>> scaled(np.array([[50, 50]]), np.array([0.5, 1.0]), np.array([90])).tolist()
    [[0.8, 1.0]]
    """
    full = np.zeros(adults.shape, dtype=np.bool_)
    for _ in range(len(rate) + 1):
        rest = np.where(full, 0.0, adults * rate).sum(axis=1)
        left = listed - np.where(full, adults, 0).sum(axis=1)
        scale = np.divide(left, rest, out=np.zeros(len(adults)), where=rest > 0)
        chance = np.where(full, 1.0, np.maximum(scale, 0.0)[:, None] * rate)
        over = chance > 1
        if not over.any():
            break
        full |= over
    return np.minimum(chance, 1.0)
