"""A small population in which every person can be counted, a file of all of them, and an engine."""

import datetime as dt
import itertools

import numpy as np
import pytest
from small_people import population_of

from policy_sim.records.census_groups import file_cells
from policy_sim.records.census_values import ColumnMapping
from policy_sim.records.classes import Classes
from policy_sim.records.engines.expressions import quietly
from policy_sim.records.engines.readable_file import open_engine

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


@pytest.fixture
def everyone(small_population):
    """The population, and a file of everybody in it: one record a person."""
    fields, people = ("age", "sex", "race", "county"), small_population.cells
    texts = people[list(fields)].astype(str)
    records = texts.loc[texts.index.repeat(people["people"])].itertuples(index=False, name=None)
    values = {name: sorted(set(texts[name])) for name in fields}
    cells = file_cells(Classes.of_rows(list(records), fields), values, ColumnMapping(), (), dt.date(2020, 4, 1))
    return small_population, cells


@pytest.fixture(scope="module")
def engine():
    with open_engine(memory="500MB", threads=2) as opened:
        yield opened


@pytest.fixture(autouse=True)
def _quiet():
    """What an engine's libraries say of each other's versions is no fault, as in :meth:`Engine.plainly`."""
    with quietly():
        yield
