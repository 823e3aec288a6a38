"""How much of the people a resource holds: of which ages, and which share of those.

Benitez & Malin 2010 link everyone. A voter list holds people of 18 and over who registered, a birth index those
born in some years; MODEL.md section 7 takes each of them as listed at random with the probability ``c``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, RootModel

from policy_sim.files.schema import FACTS, Text, Words, checked, noun_of, one_of, table_of
from policy_sim.files.toml import shipped_table
from policy_sim.people.county_tables import YEARS_OF_AGE, Listing
from policy_sim.people.population import AnyPopulation
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities
from policy_sim.words.states import POSTAL_OF_FIPS, STATES

VOTING_AGE = 18
# Where shares between two ends are tried, from the greatest to the least.
WEIGHTS = tuple(2.0**-step for step in range(1, 13))
WITH_ERRORS = "registered-with-errors"
COVERAGES = ("everyone", "adults", "survey", "registered", WITH_ERRORS)
_SURVEY_OF_PEOPLE = "cps-"
SURVEYS = "registered_voters.toml"  # people who say that they are registered, by state


@dataclass(frozen=True)
class Coverage:
    """Whom a resource holds.

    Parameters
    ----------
    name : One of :data:`COVERAGES` for voter lists; the name of the resource for another.
    title : What it is, with source and year.
    registered : Listed people by state; none where a share is given. Each of them is as likely to be listed as any
        other of these ages.
    least_age, most_age : Ages of the people who may be on it, in years; nobody under voting age by default.
    born : First and last year of birth of the people who may be on it; none: any. An age counts if everyone
        of that age was born in these years.
    least_share, most_share : The share (0..1) of those people who are listed lies between these two.
    note : What to know of the numbers.
    year : When the listed people were counted; none where no one says.
    """

    name: str
    title: str
    registered: Mapping[str, int] | None = field(default=None, repr=False, compare=False)
    least_age: int = VOTING_AGE
    most_age: int | None = None
    born: tuple[int, int] | None = None
    least_share: float = 1.0
    most_share: float = 1.0
    note: str = field(default="", repr=False, compare=False)
    year: int | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not 0 <= self.least_share <= self.most_share <= 1:
            raise InputError(f"share = {self.least_share:g} to {self.most_share:g}: give two shares (0..1) in order.")
        for name, ends in (("ages", (self.least_age, self.most_age)), ("years of birth", self.born)):
            if ends is not None and ends[1] is not None and ends[0] > ends[1]:
                raise InputError(f"{name} = {ends[0]} to {ends[1]}: give the smaller number first.")

    @property
    def is_known(self) -> bool:
        """Whether the share is one number."""
        return self.least_share == self.most_share

    @property
    def ends(self) -> tuple[Coverage, Coverage]:
        """The coverage with the least and with the greatest share."""
        if self.is_known:
            return self, self
        return replace(self, most_share=self.least_share), replace(self, least_share=self.most_share)

    @property
    def between(self) -> tuple[Coverage, ...]:
        """Coverages with shares between the two ends, each half as far from the least as the one before.

        The people who are alone with their values are most numerous with some share between, not at an end: with few
        listed there are few people, and with many listed few of them are alone.
        """
        if self.is_known:
            return ()
        shares = [self.least_share + weight * (self.most_share - self.least_share) for weight in WEIGHTS]
        return tuple(replace(self, least_share=share, most_share=share) for share in shares)

    def alternatives(self, population: AnyPopulation, state: str) -> tuple[Coverage, ...]:  # noqa: ARG002
        """Return what nobody can rule out in its place: a state's figures have a range over these and itself."""
        return ()

    def on_key(self, view: Granularities) -> Coverage:  # noqa: ARG002
        """Return who can be found on the list by the fields of a key; everyone on it, unless values have errors."""
        return self

    def knows(self, state: str) -> bool:
        """Whether the number of people on the state's list is known."""
        return self.registered is None or state in self.registered

    def share(self, state: str, adults: float) -> float:
        """Return the share (0..1) of a state's people of these ages who are listed; never more than all of them.

        Of a share that is not known it is the greatest.
        """
        if self.registered is None or not adults:
            return self.most_share
        return min(1.0, self.registered[state] / adults) * self.most_share

    def shares(self, population: AnyPopulation, states: Iterable[str]) -> NDArray[np.float64]:
        """Return the share (0..1) of the people of these ages who are listed, state by state; shape (states,)."""
        people = people_of(population, self).people_by_state()
        return np.array([self.share(state, people.get(state, 0)) for state in states])

    def listing(self, population: AnyPopulation) -> Listing | None:  # noqa: ARG002
        """Return with what chance people of each county and age are listed; None where a state has one share."""
        return None

    def records(self, population: AnyPopulation) -> dict[str, float]:
        """Return how many records each state's list has; a state for which there is no figure is left out.

        Of a share that is not known it is the greatest.
        """
        people = people_of(population, self).people_by_state()
        return {state: number * self.share(state, number) for state, number in people.items() if self.knows(state)}

    def remarks(self, population: AnyPopulation, states: Iterable[str]) -> list[str]:  # noqa: ARG002
        """Say what to know of the numbers for these people in these states, one line each."""
        return [self.note[0].lower() + self.note[1:].rstrip(".")] if self.note else []

    def files(self, population: AnyPopulation, states: Iterable[str]) -> list[str]:  # noqa: ARG002
        """Return the files of ``data/`` that hold the numbers."""
        return [] if self.registered is None else [SURVEYS]

    def ages_in(self, population: AnyPopulation) -> tuple[int, int | None]:
        """Return the least and the greatest age of those who may be listed, on the population's day."""
        if self.born is None:
            return self.least_age, self.most_age
        year = population.provenance.date[:4]
        if not (year.isdecimal() and len(year) == len("2020")):
            raise InputError(
                f"population {population.name} has no date, so it is unknown who was born in {self.born[0]} to "
                f"{self.born[1]}. Describe {self.title} by ages."
            )
        # Someone aged a in a year was born a years before it, or one more.
        least, most = int(year) - self.born[1], int(year) - 1 - self.born[0]
        return max(self.least_age, least, 0), most if self.most_age is None else min(self.most_age, most)


def share_words(coverage: Coverage | None) -> str:
    """Say which share of the people who could be in a file are in it.

    >>> share_words(Coverage("births", "people born here", least_age=0, least_share=0.5, most_share=0.8))
    '50% to 80% of them'
    >>> share_words(Coverage("births", "people born here", {"TX": 5}, least_age=0, least_share=0.0))
    'unknown share of them, at most 5 in TX'
    """
    if coverage is None:
        return "all of them"
    if (coverage.least_share, coverage.most_share) == (0.0, 1.0):
        most = ", ".join(f"{number:,} in {state}" for state, number in (coverage.registered or {}).items())
        return f"unknown share of them{f', at most {most}' if most else ''}"
    if coverage.is_known:
        return f"{100 * coverage.most_share:g}% of them"
    return f"{100 * coverage.least_share:g}% to {100 * coverage.most_share:g}% of them"


def share_of_text(coverage: Coverage, text: str) -> Coverage:
    """Return a coverage with the share that a text gives: ``0.6``, ``0.3-0.7`` or ``unknown``.

    >>> share_of_text(Coverage("births", "people born here", least_age=0), "0.3-0.7").least_share
    0.3
    """
    ends = ("0", "1") if text == "unknown" else tuple(text.split("-", 1))
    try:
        least, most = float(ends[0]), float(ends[-1])
    except ValueError:
        raise InputError(f"share={text} is not a share from 0 to 1, a range such as 0.3-0.7, or unknown.") from None
    return replace(coverage, registered=None, least_share=least, most_share=most)


# Registered voters by state and survey, and the coverage of the lists that follows.


@dataclass(frozen=True)
class RegisteredVoters:
    """One survey's count of registered voters by state (postal code).

    ``used_for`` names the vintages of lists for which the survey is taken.
    """

    name: str
    title: str
    publisher: str
    read_at: str
    year: int
    note: str
    used_for: tuple[str, ...]
    by_state: Mapping[str, int]


_SurveyTable: Any = table_of(
    RegisteredVoters,
    without=("name", "by_state"),
    types=FACTS,
    registered=(dict[Annotated[str, AfterValidator(one_of(tuple(STATES)))], int], ...),
    read_at=(Text, ""),
    note=(Text, ""),
    used_for=(Words, ()),
)


@cache
def load_registered_voters() -> Mapping[str, RegisteredVoters]:
    """Return the surveys that ship, by name."""
    tables = checked(RootModel[dict[str, _SurveyTable]], shipped_table(SURVEYS), f"data/{SURVEYS}").root
    return MappingProxyType(
        {
            name: noun_of(RegisteredVoters, table, name=name, by_state=MappingProxyType(table.registered))
            for name, table in tables.items()
        }
    )


def survey_of_people(year: int) -> RegisteredVoters:
    """Return the survey of people that is nearest to a year; of two, the later."""
    surveys = [survey for name, survey in load_registered_voters().items() if name.startswith(_SURVEY_OF_PEOPLE)]
    return min(surveys, key=lambda survey: (abs(survey.year - year), -survey.year))


ADULTS = Coverage("adults", f"everyone aged {VOTING_AGE} and over")


def people_of(population: AnyPopulation, coverage: Coverage | None) -> AnyPopulation:
    """Return the people of a population who may be listed; everyone without a coverage."""
    return population if coverage is None else population.of_age(*coverage.ages_in(population))


def list_records(population: AnyPopulation, coverage: Coverage | None = None) -> dict[str, float]:
    """Return how many records each state's list has: one for everyone, or those of the coverage."""
    if coverage is not None:
        return coverage.records(population)
    return {state: float(number) for state, number in population.people_by_state().items()}


def listed_shares(population: AnyPopulation, coverage: Coverage | None, states: Iterable[str]) -> NDArray[np.float64]:
    """Return the share (0..1) of the people of its ages who are on each state's list; 1 without a coverage."""
    state_names = list(states)
    return np.ones(len(state_names)) if coverage is None else coverage.shares(population, state_names)


# Who is in several resources at once, where nobody knows how far their people are the same.


# As few people in all of them as can be, as if each were drawn for itself, as many as can be.
OVERLAPS = ("least", "independent", "most")


@dataclass(frozen=True)
class JointCoverage(Coverage):
    """People who are in every one of several resources.

    Of resources that hold the shares ``c1`` and ``c2`` of the same people, at least ``c1 + c2 - 1`` of them are in
    both and at most the smaller of the two (the Fréchet bounds): the share lies between. If being in one says
    nothing of being in the other, it is ``c1 c2``.

    ``parts``: the coverage of each resource. ``overlap``: one of :data:`OVERLAPS`, which is assumed; empty: nobody
    knows. ``weight``: a place between the least share (0) and the greatest (1), where it is settled so.
    """

    parts: tuple[Coverage, ...] = ()
    overlap: str = ""
    weight: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.overlap and self.overlap not in OVERLAPS:
            raise InputError(f"overlap = {self.overlap!r} is not one of {', '.join(OVERLAPS)}.")
        if self.overlap and not all(part.is_known for part in self.parts):
            raise InputError("an overlap is assumed of resources with known shares: settle each of them first.")

    @property
    def is_known(self) -> bool:
        """Whether the share of the people in all of them is one number."""
        return bool(self.overlap) or self.weight is not None

    @property
    def ends(self) -> tuple[Coverage, Coverage]:
        """The coverage with the least and with the greatest share."""
        return (self, self) if self.is_known else (replace(self, weight=0.0), replace(self, weight=1.0))

    @property
    def between(self) -> tuple[Coverage, ...]:
        """Coverages with shares between the two ends."""
        return () if self.is_known else tuple(replace(self, weight=weight) for weight in WEIGHTS)

    def knows(self, state: str) -> bool:
        """Whether the number of people on every list of the state is known."""
        return all(part.knows(state) for part in self.parts)

    def ages_in(self, population: AnyPopulation) -> tuple[int, int | None]:
        """Return the ages that every resource may hold."""
        ages = [part.ages_in(population) for part in self.parts]
        most = [greatest for _, greatest in ages if greatest is not None]
        return max(least for least, _ in ages), min(most) if most else None

    def shares(self, population: AnyPopulation, states: Iterable[str]) -> NDArray[np.float64]:
        """Return the share (0..1) of the people of these ages who are in every resource, state by state."""
        state_names = list(states)
        least, most = (
            np.array([part.ends[end].shares(population, state_names) for part in self.parts]) for end in (0, 1)
        )
        return self._in_all(least, most)

    def _in_all(self, least: NDArray[np.float64], most: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the share of people who are in every resource, given those of each; shape without the first."""
        if self.overlap == "independent":
            return np.asarray(np.prod(most, axis=0), dtype=np.float64)
        fewest: NDArray[np.float64] = np.maximum(least.sum(axis=0) - (len(self.parts) - 1), 0.0)
        together: NDArray[np.float64] = most.min(axis=0)
        weight = {"least": 0.0, "most": 1.0}[self.overlap] if self.overlap else self.weight
        return together if weight is None else fewest + weight * (together - fewest)

    def listing(self, population: AnyPopulation) -> Listing | None:
        """Return with what chance people of each county and age are in every resource, where one of them knows it.

        The bounds hold for the people of each county and age. Who left and is in one file is in the others as surely as
        the listed residents are, but no surer than the file with the fewest such records says.
        """
        listings = [listing for part in self.parts if (listing := part.listing(population)) is not None]
        if not listings:
            return None
        county = listings[0].county
        homes = [POSTAL_OF_FIPS[code[:2]] for code in county]
        least, most = (
            np.array([_by_county(part.ends[end], population, county, homes) for part in self.parts]) for end in (0, 1)
        )
        stale = np.min([listing.of_counties(county)[1] for listing in listings], axis=0)
        return Listing(county, self._in_all(least, most), stale)


def _by_county(
    part: Coverage, population: AnyPopulation, county: Sequence[str], homes: Sequence[str]
) -> NDArray[np.float64]:
    """Return the chance to be in a resource by county and year of age; of one share per state, at every age alike."""
    listing = part.listing(population)
    if listing is not None:
        return listing.of_counties(county)[0]
    states = [state for state in dict.fromkeys(homes) if part.knows(state)]
    shares = dict(zip(states, part.shares(population, states), strict=True))
    return np.tile(np.array([shares.get(state, 0.0) for state in homes])[:, None], YEARS_OF_AGE)


def joint_coverage(coverages: Sequence[Coverage | None], overlap: str = "") -> Coverage | None:
    """Return who is in several resources; None where each holds everyone.

    >>> joint_coverage([None, None]) is None
    True
    """
    limited_coverages = tuple(coverage for coverage in coverages if coverage is not None)
    if len(limited_coverages) < 2:
        return limited_coverages[0] if limited_coverages else None
    name, title = (
        "+".join(part.name for part in limited_coverages),
        " who are ".join(part.title for part in limited_coverages),
    )
    return JointCoverage(name, title, parts=limited_coverages, overlap=overlap)
