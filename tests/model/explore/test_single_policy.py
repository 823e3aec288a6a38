from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from policy_sim.model.explore.search import explore, measured_alone
from policy_sim.people.population import Population, Provenance, check_cells
from policy_sim.policies.policy import Policy
from policy_sim.words.fields import Granularities


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(7)
    rows = [
        (state, county, sex, age, 1, race, int(rng.integers(1, 5)))
        for state, county in (("OH", "39001"), ("OH", "39003"), ("WY", "56001"))
        for sex in "MF"
        for age in range(0, 60, 3)
        for race in ("white", "black")
        if rng.random() < 0.5
    ]
    cells = pd.DataFrame(rows, columns=["state", "county", "sex", "age", "age_width", "race", "people"])
    return Population(check_cells(cells, "made"), Provenance("made", "made", "", "2020-04-01", "", 1, 0, 0))


@pytest.mark.parametrize(
    ("shown", "columns"),
    [
        (Granularities(birth="year", gender="value", geography="county"), ["age", "sex", "county"]),
        (Granularities(birth="year", race="value", geography="state"), ["age", "race"]),
        (Granularities(gender="value", geography="state"), ["sex"]),
    ],
)
def test_figures_are_those_of_the_groups_counted_by_hand(shown, columns, people):
    """By year of birth no bin is hidden: a group is one value, and total risk the number of groups."""
    found = measured_alone(people, Policy("mine", "t", shown, "c"), ["OH", "WY"], g=[1, 4]).set_index("state")
    for state, row in found.iterrows():
        part = people.cells[people.cells["state"] == state]
        sizes = part.groupby(columns, observed=True)["people"].sum().to_numpy()
        whole = sizes.sum()
        assert row["total_risk"] == pytest.approx(len(sizes))
        assert row["total_risk_share"] == pytest.approx(len(sizes) / whole)
        for g in (1, 4):
            assert row[f"distinct_{g}"] == pytest.approx(sizes[sizes <= g].sum())
        assert row["utility_bits"] == pytest.approx(-np.sum(sizes / whole * np.log2(sizes / whole)))


def test_a_policy_that_shows_the_state_alone_has_no_bits_and_one_guess(people):
    policy = Policy("state", "t", Granularities(geography="state"), "c")
    (row,) = measured_alone(people, policy, ["OH"], g=[1]).to_dict("records")
    assert (row["utility_bits"], row["total_risk"], row["distinct_1"]) == (0, pytest.approx(1), 0)


def test_without_sizes_the_columns_are_those_of_an_exploration(people):
    found = measured_alone(people, Policy("state", "t", Granularities(geography="state"), "c"), ["OH"])
    assert set(found) == set(explore(people, ["OH"]).rows) - {"utility"}
