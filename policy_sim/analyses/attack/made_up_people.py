"""People made one by one from a population's cells, and the key that each of them shows.

Nothing here shares code with the formulas: a person has an age and a birthday, and shows what the
key asks for. That is what makes the attack a test of the model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.analyses.attack.made_up_homes import Homes, deal_homes
from policy_sim.arrays import IntArray
from policy_sim.errors import InputError
from policy_sim.granularity import Field, Granularities
from policy_sim.policies.policy import Conditions
from policy_sim.population.places import broad_race, place_codes
from policy_sim.population.population import Population
from policy_sim.population.visible_ages import YEARS_IN_A_CLASS, values_in_a_year
from policy_sim.population.zip_shares import ZIP_PLACES, ZipShares

__all__ = ["People", "born", "draw_cells", "make_people", "shown_key"]

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


def make_people(
    population: Population, rng: np.random.Generator, days_per_year: float = 365, zips: ZipShares | None = None
) -> People:
    """Return everyone of a population, with an age inside their class and a birthday drawn evenly.

    Parameters
    ----------
    zips : The ZIP code areas of the counties, to which the people of each are assigned; None: nobody lives in one.

    Raises
    ------
    InputError : a year of fractional length: a person is born on a whole day.
    """
    cells = population.cells
    people = born(population, np.repeat(np.arange(len(cells)), cells["people"]), rng, days_per_year)
    if zips is None:
        return people
    return replace(people, homes=deal_homes(_codes(cells["county"])[people.cell], zips, rng))


def draw_cells(population: Population, people: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """Return the cells of this many people drawn at random without replacement, in random order.

    Parameters
    ----------
    population : Whose people; a person is as likely to be drawn as any other.
    people : How many, 0 to everyone; only these are made.
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
    """Return the people of these cells, with an age inside their class and a birthday drawn evenly.

    Raises
    ------
    InputError : a year of fractional length: a person is born on a whole day.
    """
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
    key = _birth(people, view[Field.BIRTH], conditions.top_age)
    cells = people.population.cells
    if view[Field.GENDER] != "none":
        key = _also(key, _codes(cells["sex"])[people.cell])
    if view[Field.RACE] != "none":
        race = cells["race"]
        codes = broad_race(race) if view[Field.RACE] == "broad" else _codes(race)
        key = _also(key, codes[people.cell])
    if view[Field.GEOGRAPHY] not in ("nation", "state"):
        key = _also(key, _place(people, view[Field.GEOGRAPHY], conditions))
    return key


def _birth(people: People, granularity: str, top_age: int | None) -> IntArray:
    if granularity == "none":
        return np.zeros(len(people), dtype=np.int64)
    if granularity in YEARS_IN_A_CLASS:
        age_class = people.age // YEARS_IN_A_CLASS[granularity]
    else:
        parts = int(values_in_a_year(granularity, people.days_per_year))
        age_class = people.age * parts + people.day * parts // people.days_per_year
    return age_class if top_age is None else np.where(people.age < top_age, age_class, -1) + 1


def _place(people: People, place: str, conditions: Conditions) -> IntArray:
    if people.homes is not None and place in ZIP_PLACES:
        return people.homes.shown(place, conditions.small_places)
    codes, names = place_codes(people.population, place)
    small = conditions.small_places
    if small is not None:
        judged, labels = place_codes(people.population, small.place)
        crowd = np.bincount(judged[people.cell], minlength=len(labels))
        hidden = crowd <= small.most if small.listed is None else np.isin(labels, sorted(small.listed))
        codes = np.where(hidden[judged], len(names), codes)
    return codes[people.cell]


def _codes(column: pd.Series) -> IntArray:
    return column.cat.codes.to_numpy().astype(np.int64)


def _also(key: IntArray, code: IntArray) -> IntArray:
    return key * (int(code.max(initial=0)) + 1) + code
