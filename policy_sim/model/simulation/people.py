"""The ZIP code areas in which made-up people live: those of each county are assigned to its areas again in each run.

An area gets as many people of a county as were counted there; which of them is chance, whatever their age, sex and
race. Nothing here shares code with the means over that chance (:mod:`policy_sim.people.zips` has the shares).
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.people.composition import class_of
from policy_sim.people.file_chances import FileChances
from policy_sim.people.merge import values_in_a_year
from policy_sim.people.places import codes_of_key, is_by_zip, place_codes
from policy_sim.people.population import CATEGORIES, Population
from policy_sim.people.zips import ZipShares, share_out
from policy_sim.policies.policy import Conditions, SmallPlaces
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import InputError
from policy_sim.words.fields import YEARS_IN_A_CLASS, Field, Granularities


@dataclass(frozen=True, eq=False)
class Homes:
    """Where each person lives.

    ``zips``: the parts of every county by ZIP code area. ``part``: the part that each person lives in, as a place among
    those of ``zips``; shape (people,).
    """

    zips: ZipShares
    part: IntArray

    def shown(self, place: str, small: SmallPlaces | None) -> IntArray:
        """Return the place of each person as a key shows it, a number; small three-digit ZIP codes share one.

        ``place``: ``zip3``, ``zip5``, ``county_zip3``, ``county_zip5``, or areas.
        """
        prefix = self.zips.zip5.astype("U3")
        names = self.zips.shown(place)
        if small is not None:
            hidden = sorted(self.zips.small if small.listed is None else small.listed)
            names = np.where(np.isin(prefix, hidden), "", names)
        if place.startswith("county"):  # as the census parts them: small areas of two counties stay two places
            names = np.char.add(np.char.add(self.zips.county.astype(np.str_), " "), names)
        return np.unique(names, return_inverse=True)[1].reshape(-1)[self.part].astype(np.int64)


def deal_homes(county: IntArray, zips: ZipShares, rng: np.random.Generator, of_class: IntArray | None = None) -> Homes:
    """Deal people out to the ZIP code areas of their counties.

    ``county``: each person's county, as ``zips`` numbers them; shape (people,). ``rng``: source of chance.
    ``of_class``: each person's class, where chances depend on it: then people are dealt out one by one.

    >>> zips = ZipShares(np.array([0, 0]), np.array(["43001", "43002"]), np.array([0.75, 0.25]), np.array([8.0]), {})
    >>> homes = deal_homes(np.zeros(8, dtype=np.int64), zips, np.random.default_rng(1))
    >>> np.bincount(homes.part).tolist()
    [6, 2]
    """
    if of_class is not None and zips.composition is not None:
        return _deal_by_class(county, of_class, zips, zips.composition, rng)
    order = np.argsort(county, kind="stable")
    numbers, first = np.unique(county[order], return_index=True)
    ends, part = [*first.tolist()[1:], len(county)], np.empty(len(county), dtype=np.int64)
    for number, low, high in zip(numbers.tolist(), first.tolist(), ends, strict=True):
        parts = np.flatnonzero(zips.county == number)
        home = np.repeat(parts, share_out(high - low, zips.share[parts]))
        rng.shuffle(home)
        part[order[low:high]] = home
    return Homes(zips, part)


def _deal_by_class(
    county: IntArray, of_class: IntArray, zips: ZipShares, chances: FloatArray, rng: np.random.Generator
) -> Homes:
    pair = county * chances.shape[1] + of_class
    order = np.argsort(pair, kind="stable")
    numbers, first = np.unique(pair[order], return_index=True)
    ends, part = [*first.tolist()[1:], len(county)], np.empty(len(county), dtype=np.int64)
    for number, low, high in zip(numbers.tolist(), first.tolist(), ends, strict=True):
        of_county, each = divmod(number, chances.shape[1])
        parts = np.flatnonzero(zips.county == of_county)
        chance = chances[parts, each]
        part[order[low:high]] = rng.choice(parts, high - low, p=chance / chance.sum())
    return Homes(zips, part)


# People made one by one from a population's cells, and the key that each of them shows.
#
# Nothing here shares code with the formulas: a person has an age and a birthday, and shows what the
# key asks for. That is what makes the attack a test of the model.


# The most people among whom numpy draws without replacement cell by cell.
_MOST_BY_CELL = 10**9


@dataclass(frozen=True, eq=False)
class People:
    """One element a person: the cell they are counted in, their age in years, their day of the year.

    ``homes`` are their ZIP code areas, where these were drawn: None where the cells tell them, or nothing does.
    """

    population: Population
    cell: IntArray
    age: IntArray
    day: IntArray
    days_per_year: int
    homes: Homes | None = None

    def __len__(self) -> int:
        return len(self.cell)

    def with_others(self, others: People) -> People:
        """Return these people and others of the same cells after them."""
        homes = self.homes
        if homes is not None and others.homes is not None:
            homes = replace(homes, part=np.concatenate([homes.part, others.homes.part]))
        cell, age, day = (
            np.concatenate([getattr(self, name), getattr(others, name)]) for name in ("cell", "age", "day")
        )
        return replace(self, cell=cell, age=age, day=day, homes=homes)


def chances_by_person(people: People, chances: FileChances) -> FloatArray:
    """Return the chance of each person to be in a file, by where they live; shape (people,)."""
    by_name = dict(zip(chances.codes, chances.chance.tolist(), strict=True))
    if chances.place == "zip3" and people.homes is not None:
        names, place = people.homes.zips.zip5.astype("U3"), people.homes.part
    else:
        codes, names = place_codes(people.population, chances.place)
        place = codes[people.cell]
    return np.array([by_name.get(str(name), 0.0) for name in names])[place]


def make_people(
    population: Population, rng: np.random.Generator, days_per_year: float = 365, zips: ZipShares | None = None
) -> People:
    """Return everyone of a population, with an age inside their class and a birthday drawn evenly.

    ``zips``: the ZIP code areas of the counties, to which the people of each are assigned; None: nobody lives in one.
    """
    cells = population.cells
    people = born(population, np.repeat(np.arange(len(cells)), cells["people"]), rng, days_per_year)
    if zips is None:
        return people
    of_class = None if zips.composition is None else class_of(cells)[people.cell]
    return replace(people, homes=deal_homes(_codes(cells["county"])[people.cell], zips, rng, of_class))


def draw_cells(population: Population, people: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """Return the cells of this many people drawn at random without replacement, in random order.

    ``people``: how many, 0 to everyone; only these are made.
    """
    held = population.cells["people"].to_numpy(np.int64)
    everyone = int(held.sum())
    if people == everyone:
        drawn = held
    elif everyone < _MOST_BY_CELL:
        drawn = rng.multivariate_hypergeometric(held, people, method="marginals")
    else:
        place = np.searchsorted(np.cumsum(held), rng.choice(everyone, people, replace=False), side="right")
        drawn = np.bincount(place, minlength=len(held))
    cell = np.repeat(np.arange(len(held), dtype=np.int32), drawn)
    rng.shuffle(cell)
    return cell


def born(
    population: Population, cell: NDArray[np.integer], rng: np.random.Generator, days_per_year: float = 365
) -> People:
    """Return the people of these cells, with an age inside their class and a birthday drawn evenly."""
    if days_per_year % 1:
        raise InputError(
            f"days-per-year = {days_per_year} must be a whole number when people are simulated one by one."
        )
    cells = population.cells
    width = cells["age_width"].to_numpy(np.int64)[cell]
    age = cells["age"].to_numpy(np.int64)[cell] + rng.integers(0, width)
    days = int(days_per_year)
    return People(population, cell.astype(np.int64, copy=False), age, rng.integers(0, days, len(cell)), days)


def shown_key(people: People, view: Granularities, conditions: Conditions) -> IntArray:
    """Return one number per person, equal for two people exactly if they show the same key.

    ``view`` and ``conditions`` are those of the linkage key; everyone is of one state.
    """
    key = _birth(people, view[Field.BIRTH], conditions.top_age, conditions.shift_days)
    for codes in codes_of_key(people.population, view):
        key = _also(key, codes[people.cell])
    if view[Field.GEOGRAPHY] not in ("nation", "state"):
        key = _also(key, _place(people, view[Field.GEOGRAPHY], conditions))
    return key


def _birth(people: People, granularity: str, top_age: int | None, shift_days: int | None = None) -> IntArray:
    if granularity == "none":
        return np.zeros(len(people), dtype=np.int64)
    if granularity in YEARS_IN_A_CLASS:
        age_class = people.age // YEARS_IN_A_CLASS[granularity]
    else:
        parts = int(values_in_a_year(granularity, people.days_per_year))
        if shift_days is not None:  # windows instead of days
            parts = max(min(parts, int(people.days_per_year / (2 * shift_days + 1))), 1)
        age_class = people.age * parts + people.day * parts // people.days_per_year
    return age_class if top_age is None else np.where(people.age < top_age, age_class, -1) + 1


def _place(people: People, place: str, conditions: Conditions) -> IntArray:
    if people.homes is not None and is_by_zip(place):
        return people.homes.shown(place, conditions.small_places)
    codes, names = place_codes(people.population, place)
    small = conditions.small_places
    if small is not None:
        judged, labels = place_codes(people.population, small.place)
        crowd = np.bincount(judged, people.population.cells["people"], len(labels))
        hidden = crowd <= small.most if small.listed is None else np.isin(labels, sorted(small.listed))
        codes = np.where(hidden[judged], len(names), codes)
    return codes[people.cell]


def _codes(column: pd.Series) -> IntArray:
    return column.cat.codes.to_numpy().astype(np.int64)


def _also(key: IntArray, code: IntArray) -> IntArray:
    return key * (int(code.max(initial=0)) + 1) + code


# Made-up names: syllables put together, so that nobody's name is used on purpose.


_FIRST = ("Ba", "Ce", "Do", "Fi", "Gu", "Ha", "Je", "Ki", "Lo", "Mu", "Na", "Pe", "Qui", "Ro", "Su", "Ta", "Ve", "Wi")
_MIDDLE = ("bra", "che", "dri", "flo", "gnu", "kla", "mne", "pri", "sto", "thu", "vla", "zwe")
_LAST = ("ban", "cot", "del", "fen", "gor", "hil", "lum", "mar", "nix", "pod", "rus", "tov", "wyn", "zek")


def made_up_names(number: int, rng: np.random.Generator) -> NDArray[np.str_]:
    """Return this many given and family names; two people may share one."""
    words = _words()
    first_name, family = (rng.integers(0, len(words), number) for _ in range(2))
    return np.char.add(np.char.add(words, " ")[first_name], words[family])


@cache
def _words() -> NDArray[np.str_]:
    """Every word of a first, a middle and a last syllable: 3,024."""
    return np.array([first + middle + last for first in _FIRST for middle in _MIDDLE for last in _LAST])


_PLACES = ("state", "county", "tract", "zip3", "zip5")
# Rows made at a time; bounds the memory next to the table itself.
_ROWS_AT_ONCE = 500_000


def synthesize(
    population: Population,
    rng: np.random.Generator,
    census_day: dt.date,
    *,
    people: int | None = None,
    days_per_year: float = 365,
) -> pd.DataFrame:
    """Return synthetic people in random order, one row per person: name, birth date, age, sex, race and place.

    ``people``: how many, drawn without replacement; everyone by default. Only these are made. The column ``synthetic``
    is true in each row.
    """
    everyone = population.people
    if people is not None and people > everyone:
        raise InputError(
            f"people = {people:,} is more than the {everyone:,} people of {', '.join(population.states)} in "
            f"{population.name}. Give a smaller number, or none to get everyone."
        )
    cell = draw_cells(population, everyone if people is None else people, rng)
    parts = [cell[low : low + _ROWS_AT_ONCE] for low in range(0, len(cell), _ROWS_AT_ONCE)]
    tables = [_table(born(population, part, rng, days_per_year), rng, census_day) for part in parts]
    return pd.concat(tables, ignore_index=True)


def _table(people: People, rng: np.random.Generator, census_day: dt.date) -> pd.DataFrame:
    cells = people.population.cells
    table = pd.DataFrame({"name": made_up_names(len(people), rng)})
    table["birth_date"] = _birth_dates(people, census_day)
    table["age"] = people.age.astype(np.int16)
    for name in (*CATEGORIES, *_PLACES):
        if name in cells:
            table[name] = cells[name].array.take(people.cell)
    table["synthetic"] = True
    return table


def _birth_dates(people: People, census_day: dt.date) -> pd.Series:
    """Day 0 of age a is the day after the birthday-to-be a + 1 years before the census day."""
    oldest = int(people.age.max(initial=0))
    birthday = census_day.replace(day=min(census_day.day, 28)) if census_day.month == 2 else census_day
    start = [np.datetime64(birthday.replace(year=birthday.year - age - 1), "D") for age in range(oldest + 1)]
    return pd.Series(np.array(start)[people.age] + (1 + people.day).astype("timedelta64[D]"))
