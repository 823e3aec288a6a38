"""A file of records against the census: each record's chance of a correct match.

A record is in a group of ``n`` people, in which the key distinguishes ``b`` equally likely bins. The attacker matches
it correctly with probability ``(b/n)(1 - (1 - 1/b)**n)``: the group's total risk divided by its people. The linkage
key is the meet, field by field, of what the file shows and what the attacker's resource shows.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.attackers.coverage import Coverage, list_records, people_of
from policy_sim.files.area_tables import area_table
from policy_sim.formulas.bins import occupied_bins
from policy_sim.formulas.histogram import number_combinations
from policy_sim.formulas.listed_groups import ListedGroups
from policy_sim.people.county_tables import YEARS_OF_AGE, Listing
from policy_sim.people.merge import DAYS_PER_YEAR, age_classes
from policy_sim.people.names import county_in_text, state_of_zips
from policy_sim.people.places import (
    able_to_show,
    codes_of_key,
    compared_kinds,
    is_by_zip,
    place_codes,
    seen_codes,
)
from policy_sim.people.population import CATEGORIES, ETHNICITIES, Population, in_memory
from policy_sim.people.zips import PeopleByZip
from policy_sim.records.area_groups import Areas, classes_of_cells, matches_in_areas
from policy_sim.records.census_values import (
    BIRTH_FIELDS,
    RACE_FIELDS,
    ColumnMapping,
    Reading,
    known_field,
    overlapping,
    possible_people,
    read_ages,
    read_field,
    with_open_class,
)
from policy_sim.records.classes import Classes
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Field, Granularities, census_views, is_area, listed_view, race_comparison
from policy_sim.words.states import POSTAL_OF_FIPS, STATES

_NONE = -1
_ENTRIES = ("listed", "squared", "stale")  # of a list, added up in a group
# The last class of the census is 110 and over; in other populations a last class of over five years is open.
_OPEN_AGE, _WIDEST_CLOSED = 110, 5
_PLACES = ("county", "tract", "zip3", "zip5")
_FROM = {"county": ("tract", 5), "zip3": ("zip5", 3)}


@dataclass(frozen=True, eq=False)
class FileCells:
    """The classes of a file as cells of the census.

    ``rows`` has one row per class with the columns that the file shows (``state`` always; ``sex``, ``race``,
    ``age``, and a place) and ``records``. ``outside`` gives the reason why a class has no cell; it is empty where a
    class has one. ``top`` is the age from which the file shows one class. ``notes`` list the corrections made while
    reading, and ``unread`` counts the values of each field that the program does not understand.
    """

    rows: pd.DataFrame = field(repr=False)
    outside: NDArray[np.object_] = field(repr=False)
    top: int | None = None
    notes: tuple[str, ...] = ()
    unread: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class GroupedPeople:
    """The census group of each class of the file: its people n and bins b; nobody where a class has no group.

    ``chance`` (0..1) is that of a correct match with a record of the class. ``group`` numbers the groups, to add up
    classes in the same one; -1 where there is none. ``room`` is the most people that a group may have: where people
    live in ZIP code areas by chance, more than are expected, and ``people`` are then a record's own and the others
    expected.
    """

    people: IntArray | FloatArray
    bins: FloatArray
    chance: FloatArray
    group: IntArray
    room: IntArray


def people_of_groups(
    cells: FileCells,
    population: Population | PeopleByZip,
    key: Granularities,
    days_per_year: float = DAYS_PER_YEAR,
    listing: Listing | None = None,
) -> GroupedPeople:
    """Find each class's group under a linkage key, with ``days_per_year`` equally likely birthdays.

    The chance of a class is that of a match against a list of everyone, or of those on the list of a ``listing``: the
    total risk of the group, divided by its people.
    """
    linkage_key, key = key, listed_view(key)
    areas = None
    if isinstance(population, PeopleByZip) and is_by_zip(key[Field.GEOGRAPHY]):
        people_by_zip = population.with_ethnicity
        counted = people_by_zip.county_population
        areas, of_cell, of_file = _areas(cells, people_by_zip, key)
    else:
        counted = population.county_population if isinstance(population, PeopleByZip) else population
        counted = able_to_show(counted, [linkage_key])
        of_cell, of_file = _place_codes(cells, counted, key)
    ages = _AgeClasses.of(counted.cells, key[Field.BIRTH], cells.top, days_per_year)
    of_cell |= dict(zip(census_views(key), codes_of_key(counted, key), strict=True))
    of_cell["class"], bins = ages.of_cells(counted.cells)
    years = cells.rows["age"].to_numpy() if "age" in cells.rows else np.zeros(len(cells.rows), dtype=object)
    of_file["class"] = ages.of_years(years) if key[Field.BIRTH] != "none" else np.zeros(len(years), dtype=np.int64)
    names = list(of_cell)
    people = pd.DataFrame(of_cell).assign(people=counted.cells["people"].to_numpy(), bins=bins)
    if listing is not None:
        chance, stale = listing.of_cells(counted.cells)
        people["listed"] = people["people"] * chance
        people["squared"], people["stale"] = people["listed"] * chance, people["listed"] * stale
    sums = {name: (name, "sum") for name in ("people", *_ENTRIES) if name in people}
    groups = people.groupby(names, sort=False).agg(**sums, bins=("bins", "first")).reset_index()
    file = pd.DataFrame(of_file)
    file.loc[cells.outside != "", "class"] = _NONE
    file["kind"], kinds = _kinds(cells.rows, counted.cells, linkage_key)
    lines = file.reset_index(names="row").merge(kinds, on="kind")
    if areas is not None:
        lines = areas.groups(lines, groups, [name for name in names if name not in ("county", "of_class")])
        room, b, group = _of_rows(lines, len(file), "room")
        living, with_own, matches = matches_in_areas(lines, b)
        return GroupedPeople(with_own, b, _per_person(matches, living), group, room)
    groups["group"] = np.arange(len(groups))
    lines = lines.merge(groups, on=names, validate="many_to_one")
    n, b, group = _of_rows(lines, len(file), "people")
    expected = occupied_bins(n, b)
    if listing is not None:
        listed, squared, stale = (
            np.bincount(lines["row"], lines[name], len(file)).astype(np.float64) for name in _ENTRIES
        )
        row, whole = np.arange(len(file)), n.astype(np.float64)
        expected = ListedGroups(row, whole, b, listed, squared, stale, whole, listed, len(file)).total_risk()
    return GroupedPeople(n, b, _per_person(expected, n), group, n)


def _per_person(expected: FloatArray, people: IntArray | FloatArray) -> FloatArray:
    return np.divide(expected, people, out=np.zeros(len(people)), where=people > 0)


def _of_rows(lines: pd.DataFrame, rows: int, people: str) -> tuple[IntArray, FloatArray, IntArray]:
    """Return the people, the bins and the group of each row: several groups of people are one, with all of them."""
    n = np.bincount(lines["row"], weights=lines[people], minlength=rows).astype(np.int64)
    b, group = np.ones(rows), np.full(rows, _NONE, dtype=np.int64)
    b[lines["row"]], group[lines["row"]] = lines["bins"], lines["group"]
    several = lines[lines.duplicated("row", keep=False)].groupby("row")["group"].agg(tuple)
    if len(several):
        group[several.index] = lines["group"].max() + 1 + pd.factorize(several)[0]
    return n, b, group


def _kinds(rows: pd.DataFrame, cells: pd.DataFrame, key: Granularities) -> tuple[IntArray, pd.DataFrame]:
    """Return a number for who the people of each row may be, and what the key shows of the people of each number.

    The table has one line for each number and class of people: several where a value may mean several races, and none
    where nobody in the population has the values.
    """
    held = [name for name in dict.fromkeys((*CATEGORIES, *RACE_FIELDS)) if name in rows]
    codes = [pd.factorize(rows[name], use_na_sentinel=False)[0].astype(np.int64) for name in held]
    numbers = number_combinations(codes) if codes else np.zeros(len(rows), dtype=np.int64)
    _, first, kind = np.unique(numbers, return_index=True, return_inverse=True)
    races = [str(race) for race in cells["race"].cat.categories] if "race" in cells else []
    people = pd.DataFrame(
        [
            {**row, "kind": number, "race": race, "ethnicity": ethnicity}
            for number, row in enumerate(rows.iloc[first].to_dict("records"))
            for race, ethnicity in _whom(row, races, key)
        ],
        columns=["kind", *CATEGORIES],
    )
    views = census_views(listed_view(key))
    needed = {name: cells[name].cat.categories for view in views.values() for name in view.columns}
    for name, values in needed.items():
        people = people[people[name].isin(values)]
    people = people.astype({name: pd.CategoricalDtype(values) for name, values in needed.items()})
    seen = {field_.value: codes for field_, codes in zip(views, seen_codes(people, listed_view(key)), strict=True)}
    return kind.astype(np.int64), pd.DataFrame(seen, index=people.index).assign(kind=people["kind"]).drop_duplicates()


def _whom(values: Mapping[Any, object], races: Sequence[str], key: Granularities) -> list[tuple[str, str]]:
    """Return the race and the ethnicity of whom a list may show as the person of a record with these values."""
    people, comparison = possible_people(values, races), race_comparison(key)
    if comparison is None:
        return people
    # a record of race alone says nothing of the ethnicity
    own = {
        (race, ethnicity) for race, origin in people for ethnicity in (ETHNICITIES if origin == "None" else (origin,))
    }
    classes = [kinds for kinds in compared_kinds(tuple(races), comparison) if own & set(kinds.released)]
    return list(dict.fromkeys(candidate for kinds in classes for candidate in kinds.candidates))


def _place_codes(
    cells: FileCells, population: Population, key: Granularities
) -> tuple[dict[str, IntArray], dict[str, IntArray]]:
    """Return whole numbers for the place that the key shows, in the population and in the file."""
    of_cell, of_file = {}, {}
    place_of_key = key[Field.GEOGRAPHY]
    if is_area(place_of_key):
        of_cell[place_of_key], of_file[place_of_key] = _area_codes(cells, population, place_of_key)
    for name in [*(["state"] if place_of_key != "nation" else []), *(name for name in _PLACES if name == place_of_key)]:
        source, digits = (name, None) if name in population.cells else _FROM.get(name, ("", None))
        if source not in population.cells:
            raise InputError(
                f"population {population.name} has no {name}, which the linkage key {key} needs: leave that field out "
                f"or choose a population with it, such as us-2020-zcta for ZIP codes."
            )
        column = population.cells[source].cat
        texts = [str(text)[:digits] for text in column.categories]
        place = {text: code for code, text in enumerate(dict.fromkeys(texts))}
        of_cell[name] = np.array([place[text] for text in texts])[column.codes.to_numpy()]
        source, digits = (name, None) if name in cells.rows else _FROM[name]
        cell_texts = cells.rows[source]
        of_file[name] = np.array([place.get(str(text)[:digits], _NONE) for text in cell_texts], dtype=np.int64)
    return of_cell, of_file


def _area_codes(cells: FileCells, population: Population, place: str) -> tuple[IntArray, IntArray]:
    """Return the number of the area of each cell of the population and each class of the file, by name or ZIP code."""
    of_cell, names = place_codes(population, place)
    number = {str(name): code for code, name in enumerate(names) if name}
    return of_cell, np.array([number.get(text, _NONE) for text in _areas_of_file(cells, place)], dtype=np.int64)


def _areas(
    cells: FileCells, people: PeopleByZip, key: Granularities
) -> tuple[Areas, dict[str, IntArray], dict[str, IntArray]]:
    """Return the areas that a key shows, the county and class of each cell, and the area of each class of the file."""
    counted, place = people.county_population, key[Field.GEOGRAPHY]
    states = counted.cells["state"].cat
    of_cell = {"state": states.codes.to_numpy().astype(np.int64), **classes_of_cells(counted)}
    state_of_county = np.full(len(counted.counties), _NONE)
    state_of_county[of_cell["county"]] = of_cell["state"]
    areas = Areas.of(people, place, state_of_county)
    codes = {str(name): code for code, name in enumerate(states.categories)}
    of_file = {
        "state": np.array([codes.get(str(state), _NONE) for state in cells.rows["state"]], dtype=np.int64),
        "place": np.array([areas.names.get(text, _NONE) for text in _areas_of_file(cells, place)], dtype=np.int64),
    }
    return areas, of_cell, of_file


def _alike_in_states(coverage: Coverage, people: PeopleByZip) -> Listing:
    """Return a list that holds everyone of a state with the same chance."""
    states = [state for state in people.states if coverage.knows(state)]
    share = dict(zip(states, coverage.shares(people, states), strict=True))
    counties = tuple(map(str, people.county_population.counties))
    chance = np.array([share.get(POSTAL_OF_FIPS[code[:2]], 0.0) for code in counties])
    return Listing(counties, np.repeat(chance[:, None], YEARS_OF_AGE, axis=1), np.zeros(len(counties)))


def _areas_of_file(cells: FileCells, place: str) -> list[str]:
    """Return the ZIP code, its first three digits or the area of each class of the file."""
    texts = cells.rows[place if place in cells.rows else "zip5"].astype(str)
    if place in cells.rows:
        return texts.tolist()
    if is_area(place):
        return texts.map(dict(area_table(place).of_zip)).astype(str).tolist()
    return texts.str[:3].tolist()


@dataclass(frozen=True, eq=False)
class _AgeClasses:
    """The age classes in a key, for census cells and for single years.

    A cell wider than the key's classes has its own class. An age without people still has its class: there may be
    nobody of age 20, but people of age 22, and both ages belong to 20 to 24.
    """

    lower: IntArray
    width: IntArray
    visible: IntArray
    bins: FloatArray
    granularity: str
    top: int | None

    @classmethod
    def of(cls, cells: pd.DataFrame, granularity: str, top: int | None, days_per_year: float) -> _AgeClasses:
        pairs = cells[["age", "age_width"]].drop_duplicates().sort_values("age").to_numpy(np.int64)
        lower, width = pairs[:, 0], pairs[:, 1]
        if granularity != "none" and (lower[1:] < (lower + width)[:-1]).any():
            raise InputError("the population's age classes overlap, so an age has no single class.")
        if granularity == "none":
            top = None
        if top is not None and ((lower < top) & (lower + width > top)).any():
            raise InputError(f"ages from {top} on are one class, but no age class of the population begins at {top}.")
        visible, bins = age_classes(lower, width, granularity, days_per_year)
        if top is not None:
            visible, bins = np.where(lower >= top, top, visible), np.where(lower >= top, 1.0, bins)
        return cls(lower, width, visible, bins, granularity, top)

    def of_cells(self, cells: pd.DataFrame) -> tuple[IntArray, FloatArray]:
        place = np.searchsorted(self.lower, cells["age"].to_numpy())
        return self.visible[place], self.bins[place]

    def of_years(self, years: NDArray[np.object_]) -> IntArray:
        """Return the class of each age in years; -1 where the age is unknown."""
        year_codes = np.array([_NONE if year is None else year for year in years], dtype=np.int64)
        own, _ = age_classes(year_codes, np.ones_like(year_codes), self.granularity)
        if self.top is not None:
            own = np.where(year_codes >= self.top, self.top, own)
        if len(self.lower):
            place = np.maximum(np.searchsorted(self.lower, year_codes, side="right") - 1, 0)
            end = self.lower + self.width
            if self.lower[-1] >= _OPEN_AGE or self.width[-1] > _WIDEST_CLOSED:
                end[-1] = np.iinfo(np.int64).max
            own = np.where((year_codes >= self.lower[place]) & (year_codes < end[place]), self.visible[place], own)
        return np.where(year_codes < 0, _NONE, own)


# Place the classes of a file in the cells of the census, with a reason for those that have no cell.


def file_cells(
    classes: Classes,
    values: Mapping[str, Sequence[str]],
    mapping: ColumnMapping,
    states: Sequence[str],
    date: dt.date,
    ages: Container[int] | None = None,
) -> FileCells:
    """Place every class of a file in a census cell.

    ``values`` are those of each field as text, in the order of their codes. Only classes of the given ``states`` have
    cells, or of any if there are none; if no field shows the state, give the one of all records. Ages are taken on
    ``date``, unless the mapping gives a day. ``ages``: where the age classes of the population begin, and an open class
    of the file such as 90+ with one of them; by default anywhere.
    """
    outside = np.full(classes.number, "", dtype=object)
    rows: dict[str, NDArray[np.object_]] = {}
    notes: list[str] = []
    unread: dict[str, int] = {}
    top: int | None = None
    named = _named_counties(classes, values, mapping, states)
    for at, name in enumerate(classes.fields):
        reading = _apart(read_ages(name, mapping.column(name), values[name], mapping.reference_date or date))
        meanings = np.array([None, *reading.meanings], dtype=object)[classes.codes[:, at]]
        if reading.field == "county":
            meanings = named
        reason = np.array([f"{name} is missing", *reading.reasons], dtype=object)[classes.codes[:, at]]
        unknown = pd.isna(meanings) & ((reading.field != "state") | pd.isna(named))  # a county may say its state
        _say(outside, unknown, reason)
        if (opened := _opened(name, mapping, values[name])) is not None:
            in_class = np.array([age == opened for age in meanings], dtype=bool)
            if ages is None or opened in ages:
                top, people = opened, int(classes.sizes[in_class].sum())
                notes.append(f"{name}: {opened} and over is one class, which {people:,} records have")
            else:
                unknown |= in_class
                _say(outside, in_class, np.full(classes.number, _NO_CLASS.format(name, opened), dtype=object))
                meanings[in_class] = None
        rows["age" if reading.field in BIRTH_FIELDS else reading.field] = meanings
        notes += reading.notes
        lost = unknown & ~np.isin(reason, ("", f"{name} is missing"))
        unread[name] = len(set(classes.codes[lost, at].tolist()))
    rows["state"] = _states(rows, outside, states, classes.number)
    if states:
        elsewhere = ~np.isin(rows["state"].astype(str), list(states))
        _say(outside, elsewhere, np.array([_other_state(state) for state in rows["state"]], dtype=object))
    rows["records"] = classes.sizes.astype(object)
    table = pd.DataFrame(rows).astype({"records": np.int64})
    tops = [mapping.column(name).top for name in classes.fields if known_field(name) in BIRTH_FIELDS]
    top = next((age for age in tops if age is not None), top)
    if top is not None and "age" in table:
        # Objects, because a list of numbers and None would become numbers and NaN.
        table["age"] = pd.Series([age if age is None else min(age, top) for age in table["age"]], dtype=object)
    return FileCells(table, outside, top, tuple(notes), unread)


_NO_CLASS = "{}: {} and over is one class, but no age class of the population begins there"


def _opened(name: str, mapping: ColumnMapping, texts: Sequence[str]) -> int | None:
    """Return the age from which the file's own oldest class is open, where the mapping does not say."""
    column = mapping.column(name)
    if known_field(name) != "age" or column.top is not None:
        return None
    return with_open_class(column, [column.codes.get(text, text) for text in texts]).top


def _apart(reading: Reading) -> Reading:
    """Return a reading without the values that may be several races of which others tell some apart."""
    if reading.field not in RACE_FIELDS:
        return reading
    lost = overlapping([None if meaning is None else str(meaning) for meaning in reading.meanings])
    reasons = [
        "its race may be one that other values distinguish" if meaning in lost else reason
        for meaning, reason in zip(reading.meanings, reading.reasons, strict=True)
    ]
    return replace(
        reading, meanings=[None if meaning in lost else meaning for meaning in reading.meanings], reasons=reasons
    )


def _other_state(state: str | None) -> str:
    of_record = STATES.get(state or "")
    return f"live in {of_record.name}, another state than those named" if of_record else "in no known state"


def _named_counties(
    classes: Classes, values: Mapping[str, Sequence[str]], mapping: ColumnMapping, states: Sequence[str]
) -> NDArray[np.object_]:
    """Return the code of each class's county, by its name or code, in the class's state or the one that is given."""
    place = {known_field(name): (at, name) for at, name in enumerate(classes.fields)}
    if "county" not in place:
        return np.full(classes.number, None, dtype=object)
    at, name = place["county"]
    column = mapping.column(name)
    texts = np.array(["", *(column.codes.get(text, text) for text in values[name])], dtype=object)[classes.codes[:, at]]
    of_class = np.full(classes.number, states[0] if len(states) == 1 else "", dtype=object)
    if "state" in place:
        at, name = place["state"]
        meanings = read_field(name, mapping.column(name), values[name]).meanings
        of_class = np.array(["", *(meaning or "" for meaning in meanings)], dtype=object)[classes.codes[:, at]]
    code_of = cache(county_in_text)
    return np.array([code_of(text, state) for state, text in zip(of_class, texts, strict=True)], dtype=object)


def _states(
    rows: Mapping[str, NDArray[np.object_]], outside: NDArray[np.object_], states: Sequence[str], number: int
) -> NDArray[np.object_]:
    """Return the state of each class: that of its own field, that of its county, or the given one."""
    place = rows.get("county", rows.get("tract"))
    if place is not None:
        of_place = np.array([POSTAL_OF_FIPS.get(str(code)[:2]) for code in place], dtype=object)
        _say(outside, pd.isna(of_place), "the county is in no state")
        if "state" in rows:
            own = rows["state"]
            _say(outside, ~pd.isna(own) & (of_place != own), "the county lies in another state")
        return of_place
    if "state" in rows:
        return rows["state"]
    if (by_area := next(filter(is_area, rows), None)) is not None:
        state_of = area_table(by_area).state_of
        return np.array([state_of.get(str(area)) for area in rows[by_area]], dtype=object)
    if len(states) != 1 and (codes := rows.get("zip5", rows.get("zip3"))) is not None:
        of_zip = np.array([_state_of_zip(code) for code in codes], dtype=object)
        _say(outside, pd.isna(of_zip), "the ZIP code is in no known state")
        return of_zip
    if len(states) != 1:
        raise InputError(
            f"no field shows the state: add {ask('states', 'OH', option='--state')}, or a field state or county."
        )
    return np.full(number, states[0], dtype=object)


def _state_of_zip(code: object) -> str | None:
    """Return the state in which most people of a ZIP code, or else of its three digits, live."""
    states = state_of_zips()
    return states.get(str(code)) or states.get(str(code)[:3])


def _say(outside: NDArray[np.object_], where: NDArray[np.bool_], reason: NDArray[np.object_] | str) -> None:
    """Set the reason of classes that have none yet."""
    new = where & (outside == "")
    outside[new] = reason[new] if isinstance(reason, np.ndarray) else reason


# The census groups of a file's classes on every linkage key of an attacker; each key is merged once.


_NOBODY = "nobody in the population has these values together"


def _why_nobody(rows: pd.DataFrame) -> NDArray[np.object_]:
    """Say of each class why nobody has its values: most people of its ZIP code live in another state, or any reason."""
    codes = rows.get("zip5", rows.get("zip3"))
    if codes is None:
        return np.full(len(rows), _NOBODY, dtype=object)
    live = [_state_of_zip(code) or state for code, state in zip(codes, rows["state"], strict=True)]
    pairs = zip(live, rows["state"], strict=True)
    return np.array([_NOBODY if own == state else _other_state(own) for own, state in pairs], dtype=object)


@dataclass(frozen=True, eq=False)
class PlacedFile:
    """A file's cells, and their groups by linkage key, of everyone or of the people in a resource.

    ``cells`` mark every class outside the population, ``view`` is the key that the file shows, and ``groups`` are those
    on it; a class outside has none. ``population`` has the people of the states of the records, ``whole`` those to
    search if the key has no state.
    """

    cells: FileCells
    groups: GroupedPeople
    population: Population | PeopleByZip
    view: Granularities
    days_per_year: float
    whole: Population | PeopleByZip
    _merged: dict[tuple[Granularities, tuple[int, int | None] | None, Coverage | None], GroupedPeople] = field(
        default_factory=dict
    )
    _listed: dict[Coverage | None, dict[str, float]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        cells: FileCells,
        population: Population | PeopleByZip,
        view: Granularities,
        days_per_year: float = DAYS_PER_YEAR,
        whole: Population | PeopleByZip | None = None,
    ) -> PlacedFile:
        """Mark the classes with a combination of values that nobody in the population has."""
        groups = people_of_groups(cells, population, view, days_per_year)
        outside = cells.outside.copy()
        nobody = (groups.room == 0) & (outside == "")
        outside[nobody] = _why_nobody(cells.rows[nobody])
        return cls(replace(cells, outside=outside), groups, population, view, days_per_year, whole or population)

    @property
    def records_by_reason(self) -> dict[str, int]:
        """How many records are outside, by the reason."""
        records = pd.Series(self.cells.rows["records"].to_numpy()).groupby(self.cells.outside).sum()
        return {str(reason): int(number) for reason, number in records.items() if reason}

    def on(self, key: Granularities, coverage: Coverage | None) -> GroupedPeople:
        """Return the groups on a key, among the people that a resource covers with a known share."""
        searched = self.whole if key[Field.GEOGRAPHY] == "nation" else self.population
        listing = None if coverage is None else coverage.listing(searched)
        if coverage is not None and listing is None and isinstance(searched, PeopleByZip):
            listing = _alike_in_states(coverage, searched)
        groups = self._of_ages(key, coverage, searched, listing)
        if coverage is None or listing is not None:
            return groups
        states = self.cells.rows["state"].to_numpy()
        states_covered = [str(state) for state in set(states) if coverage.knows(str(state))]
        shares = dict(zip(states_covered, coverage.shares(self.population, states_covered), strict=True))
        # the chance of a class is b (1 - (1 - c/b)^n) / n: total risk with coverage c, divided by the group's people
        n = groups.people
        expected = occupied_bins(n, groups.bins, np.array([shares.get(state, 0.0) for state in states]))
        return replace(groups, chance=_per_person(expected, n))

    def counted(self, coverage: Coverage | None) -> dict[str, float]:
        """Return how many people of each state are in a resource."""
        if coverage not in self._listed:
            self._listed[coverage] = list_records(self.population, coverage)
        return self._listed[coverage]

    def riskiest(self, most: int, *, names: bool = False) -> pd.DataFrame:
        """Return the groups with the largest chance of a correct match, the largest first.

        One row per group has ``group`` (1, 2, ...), ``records``, ``people``, ``bins``, the ``chance`` (0..1) of each
        record and the ``expected`` matches, at most the total risk of the group's people; with ``names`` also its
        values.
        """
        groups, rows = self.groups, self.cells.rows
        inside = np.flatnonzero(groups.group >= 0)
        held = {name: getattr(groups, name)[inside] for name in ("group", "people", "bins", "chance", "room")}
        columns = [name for name in rows if name != "records"] if names else []
        by_group = rows.iloc[inside].assign(**held).groupby("group", sort=False)
        merged = by_group[["people", "bins", "chance", "room", *columns]].first()
        merged["records"] = by_group["records"].sum()
        merged["expected"] = np.minimum(merged["records"], merged["room"]) * merged["chance"]
        ranked = merged.sort_values(["chance", "records"], ascending=[False, False], kind="stable").head(most)
        ranked = ranked.reset_index(drop=True)
        ranked.insert(0, "group", np.arange(1, len(ranked) + 1))
        return ranked[["group", *columns, "records", "people", "bins", "chance", "expected"]]

    def _of_ages(
        self, key: Granularities, coverage: Coverage | None, searched: Population | PeopleByZip, listing: Listing | None
    ) -> GroupedPeople:
        if coverage is None and key == self.view:
            return self.groups
        ages = None if coverage is None else coverage.ages_in(self.population)
        at = (key, ages, None if listing is None else coverage)
        if at not in self._merged:
            among = people_of(searched, coverage)
            among = among if isinstance(among, PeopleByZip) else in_memory(among)
            self._merged[at] = people_of_groups(self.cells, among, key, self.days_per_year, listing)
        return self._merged[at]
