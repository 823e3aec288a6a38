"""Places and races of cells as codes, for every granularity that the cells' columns can produce."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, partial
from itertools import compress, pairwise, product
from types import MappingProxyType
from typing import NamedTuple, TypeVar, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.files.area_tables import area_table
from policy_sim.people.population import CATEGORIES, ETHNICITIES, AnyPopulation, Population
from policy_sim.policies.files import list_policies, policies_with_two_forms
from policy_sim.policies.policy import Conditions, Policy, PolicyByState, SmallPlaces
from policy_sim.words.arrays import BoolArray, IntArray
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.fields import (
    RACE_ALONE,
    CensusView,
    Field,
    Granularities,
    RaceComparison,
    census_views,
    is_area,
    race_comparison,
    shows_ethnicity,
)

_People = TypeVar("_People", bound=AnyPopulation)  # of one kind, as it comes

_WITHOUT_ZIP = "-without-zip"
_ZIP_PLACES = ("zip3", "zip5", "county_zip3", "county_zip5")
# A part of a county in one ZIP code, or in three digits of it: what it is without the county.
_WITHOUT_COUNTY = {"county_zip3": "zip3", "county_zip5": "zip5"}


def is_by_zip(place: str) -> bool:
    """Tell whether a granularity of geography follows from ZIP codes: digits of them, or areas made of them."""
    return place in _ZIP_PLACES or is_area(place)


def able_to_show(population: _People, keys: Iterable[Granularities]) -> _People:
    """Return the population by ethnicity, where it can be had so and a key shows ethnicity; else the population.

    Whatever is aligned with the cells of one is not with those of the other.
    """
    return by_ethnicity(population) if any(map(shows_ethnicity, keys)) else population


def by_ethnicity(population: _People) -> _People:
    """Return the population in cells by ethnicity too, where it can be had so."""
    return cast(_People, getattr(population, "with_ethnicity", population))


def codes_of_key(population: Population, key: Granularities) -> list[IntArray]:
    """Return what a key shows of the people of each cell besides the age and the place: for each field a code, >= 0."""
    _check_columns(population, key, (column for view in census_views(key).values() for column in view.columns))
    return seen_codes(population.cells, key)


def _check_columns(population: Population, key: Granularities, columns: Iterable[str]) -> None:
    for name in columns:
        if name not in population.cells:
            raise InputError(
                f"population {population.name} has no {name}, which the linkage key {key} needs: choose a "
                f"policy without it or a population with it."
            )


def seen_codes(cells: pd.DataFrame, key: Granularities) -> list[IntArray]:
    """Return the codes of :func:`codes_of_key` for a table that has the columns."""
    return [class_codes(cells, view) for view in census_views(key).values()]


def class_codes(cells: pd.DataFrame, view: CensusView) -> IntArray:
    """Return the class that a view shows of each row; who is apart comes after all others."""
    column = cells[view.column].cat
    names = [str(name) for name in column.categories]
    classes = view.class_of(names)
    others = 1 + max(classes.values(), default=-1)
    by_code = np.array([classes.get(name, others) for name in names], dtype=np.int64)
    codes: IntArray = by_code[column.codes.to_numpy()]
    if view.apart:
        name, value = view.apart
        codes = np.where((cells[name] == value).to_numpy(), others + 1, codes)
    return codes


@dataclass(frozen=True, eq=False)
class ComparedClass:
    """The people of one class of a release whose race a list asks in another way, and whom their records may be.

    ``released``, ``candidates``: of each cell, whether its people are; who is released is a candidate.
    """

    released: BoolArray
    candidates: BoolArray

    def part(self, split: Split | None) -> Split:
        """Return the released people among the candidates as parts: those of a split, or one; others have none."""
        codes = np.where(self.released, 0 if split is None else split.codes, -1)
        return Split("released", ("released",) if split is None else split.names, codes[self.candidates])


def compared_classes(population: Population, key: Granularities) -> list[ComparedClass]:
    """Return the classes of a release whose race a list asks in another way, of those that have people."""
    comparison = race_comparison(key)
    assert comparison is not None  # race is asked in two ways
    _check_columns(population, key, ("race", "ethnicity"))
    cells = population.cells
    races = tuple(str(race) for race in cells["race"].cat.categories)
    kind = cells["race"].cat.codes.to_numpy() * 2 + (cells["ethnicity"] == ETHNICITIES[1]).to_numpy()
    number = {pair: at for at, pair in enumerate(product(races, ETHNICITIES))}
    classes = []
    for kinds in compared_kinds(races, comparison):
        released, candidates = (np.isin(kind, [number[pair] for pair in side]) for side in kinds)
        if released.any():
            classes.append(ComparedClass(released, candidates))
    return classes


class ComparedKinds(NamedTuple):
    """Race and ethnicity of the people of one class of a release, and of those whom their records may be."""

    released: list[tuple[str, str]]
    candidates: list[tuple[str, str]]


@cache
def compared_kinds(races: tuple[str, ...], comparison: RaceComparison) -> list[ComparedKinds]:
    """Return the classes of a release of race that a list asks in another way, by race and ethnicity.

    A record may be whoever the list can show of the people of its class, whether there are such people or not.

    >>> [kinds.released for kinds in compared_kinds(("white",), RaceComparison("race_ethnicity", "value"))]
    [[('white', 'not_hispanic')], [('white', 'hispanic')]]
    """
    pairs = list(product(races, ETHNICITIES))
    kinds = pd.DataFrame(pairs, columns=["race", "ethnicity"]).astype({"race": pd.CategoricalDtype(list(races))})
    released, listed = (class_codes(kinds, view) for view in comparison.views)
    classes = []
    for number in np.unique(released):
        own = released == number
        sides = (compress(pairs, side) for side in (own, np.isin(listed, listed[own])))
        classes.append(ComparedKinds(*map(list, sides)))
    return classes


def has_place(population: AnyPopulation, place: str) -> bool:
    """Tell whether the population's columns can produce a granularity of geography."""
    columns = set(population.columns)
    if place in ("nation", "state"):
        return True
    if place in _WITHOUT_COUNTY:
        return "county" in columns and has_place(population, _WITHOUT_COUNTY[place])
    return place in columns or ((place == "zip3" or is_area(place)) and "zip5" in columns)


def place_codes(population: Population, place: str) -> tuple[IntArray, NDArray[np.str_]]:
    """Return each cell's place as a code, and the name of each code.

    Three-digit ZIP areas are read from ZIP codes where the cells have no column of their own; a part
    of a county in one ZIP code is named ``county/zip5``, or ``county/zip3``.
    """
    if not has_place(population, place):
        raise InputError(
            f"population {population.name} has no {place.replace('county_', 'county with ')}, which a policy "
            f"by {place} needs: choose a policy without it or a population with it, such as us-2020-zcta."
        )
    cells = population.cells
    if place in cells:
        column = cells[place].cat
        return column.codes.to_numpy().astype(np.int64), np.asarray(column.categories, dtype=str)
    codes, names = place_codes(population, _WITHOUT_COUNTY.get(place, "zip5"))
    if place == "zip3" or is_area(place):
        shown = area_table(place).areas_of(names) if is_area(place) else names.astype("U3")
        areas, area = np.unique(shown, return_inverse=True)
        return area[codes], areas
    counties, county_names = place_codes(population, "county")
    pairs, pair = np.unique(counties * len(names) + codes, return_inverse=True)
    county, area = np.divmod(pairs, len(names))
    return pair, np.char.add(np.char.add(county_names[county], "/"), names[area])


def visible_places(population: Population, place: str, small: SmallPlaces | None = None) -> IntArray:
    """Return the code of what is seen of each cell's place; small places share one code, after the last.

    The code of small places is one for the whole population: distinguish states in addition.
    """
    codes, names = place_codes(population, place)
    if small is None:
        return codes
    judged, labels = place_codes(population, small.place)
    is_small = np.isin(labels, list(small_place_names(population, small)))
    return np.where(is_small[judged], len(names), codes)


def small_place_names(population: Population, small: SmallPlaces) -> frozenset[str]:
    """Return the small places: those listed, or those that the population counts few people in."""
    if small.listed is not None:
        return small.listed
    if small.place == "county" and "county" in population.columns:
        return frozenset(population.counties[population.people_by_county <= small.most].tolist())
    codes, names = place_codes(population, small.place)
    people = np.bincount(codes, weights=population.cells["people"], minlength=len(names))
    return frozenset(names[people <= small.most].tolist())


def judged_on_everyone(conditions: Conditions, population: AnyPopulation) -> Conditions:
    """Name the small places by everyone who lives there: a policy hides them whoever holds a list.

    ZIP codes by the make-up of counties, and an engine, name theirs when they merge.
    """
    small = conditions.small_places
    if small is None or not isinstance(population, Population):
        return conditions
    return replace(conditions, small_places=replace(small, listed=small_place_names(population, small)))


def as_shown(policy: Policy, population: Population) -> Policy:
    """Return the policy with county and ZIP code as ZIP code, where the population tells no counties."""
    place = policy.releases[Field.GEOGRAPHY]
    if place not in _WITHOUT_COUNTY or not has_place(population, "zip5") or has_place(population, "county"):
        return policy
    if isinstance(policy, PolicyByState):
        return policy.mapped(lambda policy_of_state: as_shown(policy_of_state, population))
    small = policy.conditions.small_places
    if small is not None and not has_place(population, small.place):
        return policy
    return replace(policy, releases=policy.releases.replace(geography=_WITHOUT_COUNTY[place]))


def shown_note(policy: Policy, population: Population) -> str:
    """Say in a line what :func:`as_shown` leaves out of a policy, or nothing.

    A list that holds counties shares no more than the state with a release by ZIP code.
    """
    if as_shown(policy, population) is policy:
        return ""
    return (
        f"{policy.name}: population {population.name} has ZIP codes but no counties, so that its parts of counties "
        "are measured as whole ZIP code areas, and counties are not linked: the risk is understated"
    )


def without_zip(policy: Policy, population: AnyPopulation) -> Policy:
    """Return the policy with its ZIP codes shown as the county, or the state, where the population has no ZIP codes.

    Three-digit ZIP codes become the state, as they reach over counties; a ZIP code inside a county becomes the
    county, if the population has counties. Small ZIP areas are no condition then. The name and every row's reason
    say so.
    """
    place = policy.releases[Field.GEOGRAPHY]
    if not is_by_zip(place) or has_place(population, place) or has_place(population, "zip5"):
        return policy
    coarser = "county" if place != "zip3" and has_place(population, "county") else "state"
    why = f"measured by {coarser}, not by ZIP code, which population {population.name} cannot show here"
    return replace(
        policy,
        name=f"{policy.name}{_WITHOUT_ZIP}",
        releases=policy.releases.replace(geography=coarser),
        conditions=replace(policy.conditions, small_places=None),
        left_out="; ".join(filter(None, (policy.left_out, f"{why}: the risk is understated"))),
    )


def as_counted(policy: Policy, population: AnyPopulation) -> Policy:
    """Return a shipped policy as far as a population can show it: race alone without ethnicity, and without ZIP codes.

    Race alone keeps the name; every row's reason says so. Only the two rules are measured without their ZIP codes: of
    other policies, merging says what the population lacks.
    """
    if policy.name.removesuffix(_WITHOUT_ZIP) not in list_policies():
        return policy
    if policy.releases[Field.RACE] in RACE_ALONE and "ethnicity" not in population.columns:
        policy = replace(
            policy,
            releases=policy.releases.replace(race=RACE_ALONE[policy.releases[Field.RACE]]),
            left_out=f"measured with race alone: population {population.name} has no ethnicity",
        )
    return without_zip(policy, population) if policy.name in policies_with_two_forms() else policy


def as_counted_note(policy: Policy, population: AnyPopulation) -> str:
    """Say in a line what :func:`as_counted` changes of a policy, or nothing."""
    left_out = as_counted(policy, population).left_out
    return left_out and f"{policy.name}: {left_out}"


# Counties change: which stood at a date, and their common areas, the smallest unions of counties that exist at several
# dates: comparing them moves nobody and needs no assumption.


def census_day(year: int) -> date:
    """The day of a decennial census: April 1."""
    return date(year, 4, 1)


@dataclass(frozen=True)
class Part:
    """People who lived in county ``old`` before a change and in ``new`` after it.

    ``people`` is None where nobody printed how many.
    """

    old: str
    new: str
    people: int | None = None


@dataclass(frozen=True)
class CountyChange:
    """One change: from a day on, the counties of the parts' old codes are those of their new codes."""

    day: date
    what: str
    parts: tuple[Part, ...]

    @property
    def old(self) -> frozenset[str]:
        """Counties before."""
        return frozenset(part.old for part in self.parts)

    @property
    def new(self) -> frozenset[str]:
        """Counties after."""
        return frozenset(part.new for part in self.parts)

    def shares(self, *, forward: bool) -> dict[str, dict[str, float]] | None:
        """Where each county's people go: shares 0 to 1 that add up to 1, or None if unknown.

        A county that goes to one place only needs no figure.
        """
        successors: dict[str, dict[str, int | None]] = {}
        for part in self.parts:
            start, end = (part.old, part.new) if forward else (part.new, part.old)
            successors.setdefault(start, {})[end] = part.people
        shares: dict[str, dict[str, float]] = {}
        for start, people_of in successors.items():
            people = [1] if len(people_of) == 1 else [number for number in people_of.values() if number is not None]
            if len(people) < len(people_of):
                return None
            shares[start] = {end: number / sum(people) for end, number in zip(people_of, people, strict=True)}
        return shares


@dataclass(frozen=True)
class CountyHistory:
    """The counties of one day and every change around it, in order of time."""

    day: date
    base: frozenset[str]
    changes: tuple[CountyChange, ...]

    def __post_init__(self) -> None:
        if any(a.day > b.day for a, b in pairwise(self.changes)):
            raise InputError("county changes must be in order of time.")

    def counties(self, day: date) -> frozenset[str]:
        """Every county that stood on a day."""
        codes = set(self.base)
        for change in self.changes:
            if self.day < change.day <= day:
                codes = (codes - change.old) | change.new
        for change in reversed(self.changes):
            if day < change.day <= self.day:
                codes = (codes - change.new) | change.old
        return frozenset(codes)

    def between(self, start: date, end: date) -> tuple[CountyChange, ...]:
        """Changes between two days, in the order in which they are met from ``start``."""
        if start <= end:
            return tuple(change for change in self.changes if start < change.day <= end)
        return tuple(change for change in reversed(self.changes) if end < change.day <= start)

    def common_areas(self, days: Sequence[date]) -> dict[str, str]:
        """Map every county of these days to an area that has the same borders on each of them.

        An area is named by its smallest county code. Counts summed by area can be compared between
        the days without an assumption.
        """
        area: dict[str, str] = {}

        def root(code: str) -> str:
            while area.setdefault(code, code) != code:
                code = area[code]
            return code

        for change in self.between(min(days), max(days)):
            codes = sorted(change.old | change.new)
            for code in codes[1:]:
                first, other = sorted((root(codes[0]), root(code)))
                area[other] = first
        counties = frozenset().union(*(self.counties(day) for day in days))
        return {county: root(county) for county in sorted(counties)}


# The people of a population divided by who they are: race, sex, age band, county, size of the county.


# Lower ages of the bands; a cell belongs to the band of its lower age.
AGE_BANDS = (0, 18, 25, 35, 45, 55, 65, 75, 85)
# Least people of each class of county.
COUNTY_SIZES = (0, 5_000, 10_000, 20_000, 50_000, 100_000, 250_000, 500_000, 1_000_000)


@dataclass(frozen=True, eq=False)
class Split:
    """Which part each cell of a population belongs to.

    ``names`` are those of the parts, in the order in which they are shown; ``codes`` has the place of each
    cell's part among them, shape (cells,). Where whole counties are parts, ``of_county`` has the part of each county of
    the population, 0 for one without people; else it is None.
    """

    field: str
    names: tuple[str, ...]
    codes: IntArray
    of_county: IntArray | None = None


def split_people(population: Population, field: str) -> Split:
    """Divide the cells by one of :data:`SPLITS`."""
    if field not in SPLITS:
        raise UnknownNameError("breakdown", field, SPLITS)
    return SPLITS[field](population)


def _column(population: Population, name: str) -> IntArray:
    """Return the place of each cell's value among the column's categories."""
    if name not in population.cells:
        raise InputError(f"population {population.name} has no {name}: choose one that has, or another breakdown.")
    return population.cells[name].cat.codes.to_numpy().astype(np.int64)


def _named(population: Population, name: str) -> Split:
    codes = _column(population, name)
    categories = [str(value) for value in population.cells[name].cat.categories]
    present = tuple(value for value in CATEGORIES[name] if value in categories)
    place = np.array([present.index(value) for value in categories], dtype=np.int64)
    return Split(name, present, place[codes])


def _age(population: Population) -> Split:
    values = (*(f"{low}-{high - 1}" for low, high in pairwise(AGE_BANDS)), f"{AGE_BANDS[-1]} and over")
    codes = np.searchsorted(AGE_BANDS, population.cells["age"].to_numpy(), side="right") - 1
    return Split("age", values, codes.astype(np.int64))


def _county(population: Population) -> Split:
    codes = _column(population, "county")
    names = tuple(str(value) for value in population.cells["county"].cat.categories)
    return Split("county", names, codes, np.arange(len(names)))


def _county_size(population: Population) -> Split:
    county = _column(population, "county")
    people = np.bincount(county, weights=population.cells["people"].to_numpy())
    size = np.searchsorted(COUNTY_SIZES, people, side="right") - 1
    bands = (f"{low:,} to {high - 1:,}" for low, high in pairwise(COUNTY_SIZES))
    values = (*bands, f"{COUNTY_SIZES[-1]:,} and more")
    return Split("county-size", values, size[county], np.maximum(size, 0))


SPLITS: Mapping[str, Callable[[Population], Split]] = MappingProxyType(
    {
        "race": partial(_named, name="race"),
        "ethnicity": partial(_named, name="ethnicity"),
        "age": _age,
        "sex": partial(_named, name="sex"),
        "county": _county,
        "county-size": _county_size,
    }
)
