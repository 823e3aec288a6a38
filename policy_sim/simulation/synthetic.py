"""Synthetic people as a table, for demonstrations: every row says that it is made up."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd

from policy_sim.simulation.names import made_up_names
from policy_sim.simulation.people import People

__all__ = ["synthetic_table"]

_PLACES = ("state", "county", "tract", "zip3", "zip5")


def synthetic_table(people: People, rng: np.random.Generator, census_day: dt.date) -> pd.DataFrame:
    """Return one row a person: made-up name, birth date, age, sex, race and place.

    Parameters
    ----------
    people : Made from a population.
    rng : Draws the names and the order of the rows.
    census_day : The day on which everyone has the age that the census gives them.

    Returns
    -------
    Shuffled rows; the column ``synthetic`` is true in each.
    """
    cells = people.population.cells.iloc[people.cell]
    table = pd.DataFrame({"name": made_up_names(len(people), rng)})
    table["birth_date"] = _birth_dates(people, census_day)
    table["age"] = people.age
    for name in ("sex", "race", *_PLACES):
        if name in cells:
            table[name] = cells[name].to_numpy()
    table["synthetic"] = True
    return table.iloc[rng.permutation(len(table))].reset_index(drop=True)


def _birth_dates(people: People, census_day: dt.date) -> pd.Series:
    """Day 0 of age a is the day after the birthday-to-be a + 1 years before the census day."""
    oldest = int(people.age.max(initial=0))
    birthday = census_day.replace(day=min(census_day.day, 28)) if census_day.month == 2 else census_day
    start = [np.datetime64(birthday.replace(year=birthday.year - age - 1), "D") for age in range(oldest + 1)]
    return pd.Series(np.array(start)[people.age] + (1 + people.day).astype("timedelta64[D]"))
