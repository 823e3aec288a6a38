"""Parts of a population: every cell is in one part, and the parts are named in their order."""

from __future__ import annotations

import pandas as pd
import pytest

from policy_sim.errors import InputError, UnknownNameError
from policy_sim.population.cells import check_cells
from policy_sim.population.partition import AGE_BANDS, SPLITS, split_people
from policy_sim.population.population import Population, Provenance

PROVENANCE = Provenance("made", "made for a test", "nobody", "2020-04-01", "by hand", 1.0, 0.0, 0.0)
CELLS = pd.DataFrame(
    [
        ("OH", "39001", "M", 17, 1, "white", 4_999),
        ("OH", "39003", "F", 18, 1, "asian", 5_000),
        ("WV", "54001", "F", 85, 5, "black", 7),
    ],
    columns=["state", "county", "sex", "age", "age_width", "race", "people"],
)
PEOPLE = Population(check_cells(CELLS, "made"), PROVENANCE)


@pytest.mark.parametrize("field", SPLITS)
def test_every_cell_is_in_a_part_that_has_a_name(field):
    split = split_people(PEOPLE, field)
    assert len(split.codes) == len(CELLS)
    assert ((split.codes >= 0) & (split.codes < len(split.names))).all()
    assert len(set(split.names)) == len(split.names)


def test_an_age_belongs_to_the_band_that_it_begins_in():
    assert [AGE_BANDS[code] for code in split_people(PEOPLE, "age").codes] == [0, 18, 85]


def test_cells_of_one_county_are_in_one_part():
    assert len(set(split_people(PEOPLE, "county").codes.tolist())) == 3


def test_what_is_missing_or_not_known_is_one_line():
    without = Population(check_cells(CELLS.drop(columns="race"), "made"), PROVENANCE)
    with pytest.raises(InputError, match=r"^population made has no race"):
        split_people(without, "race")
    with pytest.raises(UnknownNameError, match="breakdown"):
        split_people(PEOPLE, "income")
