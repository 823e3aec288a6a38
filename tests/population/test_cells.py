"""A table of cells is checked once and tells everything that is wrong."""

from __future__ import annotations

import pandas as pd
import pytest

from policy_sim.errors import SchemaError
from policy_sim.population.cells import check_cells

GOOD = pd.DataFrame(
    {
        "state": ["OH", "OH", "TX"],
        "county": ["39001", "39003", "48001"],
        "age": [30, 31, 30],
        "age_width": [1, 1, 1],
        "people": [4, 0, 2],
    }
)


def test_empty_cells_are_dropped_and_text_is_categorical():
    cells = check_cells(GOOD, "made")
    assert len(cells) == 2
    assert cells["state"].dtype == "category"


def test_every_problem_is_told_at_once():
    bad = GOOD.assign(people=[-1, 2.5, None], age=["x", 1, 2], shoe=1)
    bad = pd.concat([bad, bad.iloc[[0]]])
    with pytest.raises(SchemaError) as caught:
        check_cells(bad, "people.csv")
    problems = "\n".join(caught.value.problems)
    assert "4 rows have people" in problems
    assert "first in row 1" in problems
    assert "age that is not a whole number" in problems
    assert "shoe" in problems
    assert "appear twice" in problems


def test_missing_columns_are_named():
    with pytest.raises(SchemaError, match="columns age_width, people are missing"):
        check_cells(GOOD.drop(columns=["people", "age_width"]), "people.csv")


def test_a_table_of_zeros_is_not_a_population():
    with pytest.raises(SchemaError, match="the population is empty"):
        check_cells(GOOD.assign(people=0), "zeros")
