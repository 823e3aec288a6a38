"""Synthetic people as a table, for demonstrations: every row says that it is made up."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd

from policy_sim.analyses.attack.made_up_names import made_up_names
from policy_sim.analyses.attack.made_up_people import People, born, draw_cells
from policy_sim.errors import InputError
from policy_sim.population.population import Population

__all__ = ["synthesize"]

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

    Parameters
    ----------
    population : Whose people they resemble.
    rng : Draws who is among them, their ages, birthdays and names.
    census_day : The day on which everyone has the age that the census gives them.
    people : How many, drawn without replacement; everyone by default. Only these are made.
    days_per_year : Equally likely birthdays, whole.

    Returns
    -------
    Texts of few values are categorical; the column ``synthetic`` is true in each row.

    Raises
    ------
    InputError : fewer than one person, more than there are, or a year of fractional length.
    """
    cell = draw_cells(population, _how_many(population, people), rng)
    parts = [cell[low : low + _ROWS_AT_ONCE] for low in range(0, len(cell), _ROWS_AT_ONCE)]
    tables = [_table(born(population, part, rng, days_per_year), rng, census_day) for part in parts]
    return pd.concat(tables, ignore_index=True)


def _how_many(population: Population, people: int | None) -> int:
    everyone = population.people
    if people is None:
        return everyone
    if isinstance(people, bool) or int(people) != people or people < 1:
        raise InputError(f"people = {people} must be a whole number of 1 or more.")
    if people > everyone:
        raise InputError(
            f"people = {people:,} is more than the {everyone:,} people of {', '.join(population.states)} in "
            f"{population.name}. Give a smaller number, or none to get everyone."
        )
    return int(people)


def _table(people: People, rng: np.random.Generator, census_day: dt.date) -> pd.DataFrame:
    cells = people.population.cells
    table = pd.DataFrame({"name": made_up_names(len(people), rng)})
    table["birth_date"] = _birth_dates(people, census_day)
    table["age"] = people.age.astype(np.int16)
    for name in ("sex", "race", *_PLACES):
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
