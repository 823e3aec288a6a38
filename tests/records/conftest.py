"""A small population in which every person can be counted, and a file of all of them."""

import itertools

import numpy as np
import pandas as pd
import pytest

from policy_sim.people.population import Population, Provenance, check_cells
from policy_sim.records.classes import Classes

PLACES = (("OH", "39001"), ("OH", "39003"), ("KY", "21001"))
AGES = ((0, 1), (1, 1), (20, 1), (21, 1), (22, 1), (89, 1), (90, 1), (100, 5), (105, 5), (110, 1))


def _small_population(seed=0):
    rng = np.random.default_rng(seed)
    rows = [
        (*place, age, width, sex, race, int(people))
        for place, (age, width), sex, race in itertools.product(PLACES, AGES, "MF", ("white", "asian"))
        if (people := rng.integers(0, 6))
    ]
    names = ["state", "county", "age", "age_width", "sex", "race", "people"]
    note = Provenance("small", "for tests", "us", "2020-04-01", "drawn", 1.0, 0.0, 0.0)
    return Population(check_cells(pd.DataFrame(rows, columns=names), "small"), note)


def _everyone_as_a_file(population, fields):
    """One record a person; the values of each field as text."""
    cells = population.cells
    text = {name: cells[name].astype(str) for name in fields}
    rows = [tuple(row) for row in zip(*text.values(), strict=True)]
    records = [row for row, people in zip(rows, cells["people"], strict=True) for _ in range(people)]
    classes = Classes.of_rows(records, fields)
    return classes, {name: sorted(set(text[name])) for name in fields}


@pytest.fixture(scope="session")
def small_population():
    """Draw a population of two states by a seed."""
    return _small_population


@pytest.fixture(scope="session")
def everyone_as_a_file():
    """Make a file of everybody in a population: its classes, and each field's values."""
    return _everyone_as_a_file
