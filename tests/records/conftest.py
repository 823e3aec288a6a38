"""A small population in which every person can be counted, and a file of all of them."""

import datetime as dt
import itertools

import numpy as np
import pytest
from small_people import population_of

from policy_sim.records.census_groups import file_cells
from policy_sim.records.census_values import ColumnMapping
from policy_sim.records.classes import Classes

PLACES = (("OH", "39001"), ("OH", "39003"), ("KY", "21001"))
AGES = ((0, 1), (1, 1), (20, 1), (21, 1), (22, 1), (89, 1), (90, 1), (100, 5), (105, 5), (110, 1))


@pytest.fixture(scope="session")
def small_population():
    """People of two states, as many as are drawn."""
    rng = np.random.default_rng(0)
    rows = [
        (*place, sex, *age, race, int(people))
        for place, age, sex, race in itertools.product(PLACES, AGES, "MF", ("white", "asian"))
        if (people := rng.integers(0, 6))
    ]
    return population_of(rows, date="2020-04-01", name="small")


@pytest.fixture(scope="session")
def everyone_as_a_file(small_population):
    """Make a file of everybody in the population, one record a person: its classes, and each field's texts."""

    def made(fields):
        people = small_population.cells
        texts = people[list(fields)].astype(str)
        records = texts.loc[texts.index.repeat(people["people"])].itertuples(index=False, name=None)
        return Classes.of_rows(list(records), fields), {name: sorted(set(texts[name])) for name in fields}

    return made


@pytest.fixture
def everyone(small_population, everyone_as_a_file):
    classes, values = everyone_as_a_file(("age", "sex", "race", "county"))
    return small_population, file_cells(classes, values, ColumnMapping(), (), dt.date(2020, 4, 1))
