from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from policy_sim.analyses.lattice_search.search import StateTables, explore, lattice_of
from policy_sim.population.cells import check_cells
from policy_sim.population.population import Population, Provenance


def people(*without):
    rng = np.random.default_rng(2)
    rows = [
        (state, county, sex, age, 1, race, int(rng.integers(1, 6)))
        for state, county in (("OH", "39001"), ("OH", "39003"), ("WY", "56001"))
        for sex in "MF"
        for age in (0, 7, 30, 31, 95)
        for race in ("white", "black", "asian")
    ]
    cells = pd.DataFrame(rows, columns=["state", "county", "sex", "age", "age_width", "race", "people"])
    cells = cells.drop(columns=list(without))
    keys = [name for name in cells.columns if name != "people"]
    cells = cells.groupby(keys, as_index=False, sort=False)["people"].sum()
    return Population(check_cells(cells, "made"), Provenance("made", "made", "", "2020-04-01", "", 1, 0, 0))


def test_the_finest_table_of_a_state_holds_its_people_once():
    whole = people()
    tables = StateTables(whole, lattice_of(whole), 365)
    for state, expected in whole.cells.groupby("state", observed=True)["people"].sum().items():
        table, (gender, race, place) = tables.of(state)
        assert table.sum() == expected
        assert table.shape[:3] == tuple(axis.partitions[0].size for axis in (gender, race, place))
        assert np.count_nonzero(table) == (whole.cells["state"] == state).sum()


@pytest.mark.parametrize("without", [("race",), ("sex",), ("county",)])
def test_a_field_that_the_population_lacks_is_shown_by_no_policy(without):
    name = {"sex": "gender", "county": "geography"}.get(*without, *without)
    shown = explore(people(*without), ["WY"], g=[1]).rows[name].unique()
    assert set(shown) <= {"none", "nation", "state"}


def test_risk_lies_between_one_and_everyone_and_a_larger_group_names_no_fewer():
    rows = explore(people(), g=[1, 3, 10]).rows
    assert rows["total_risk_share"].between(0, 1).all()
    assert (rows["total_risk"] >= 1 - 1e-9).all()
    assert (np.diff(rows[["distinct_1", "distinct_3", "distinct_10"]].to_numpy(), axis=1) >= -1e-9).all()
    assert rows.groupby("state", observed=True)["utility"].max().tolist() == [1.0, 1.0]


def test_rows_of_other_policies_count_for_the_most_utility():
    found = explore(people(), ["WY"], g=[1])
    assert found.with_rows(found.rows.head(0)) is found
    richer = found.rows.head(1).assign(policy="mine", utility_bits=2 * found.rows["utility_bits"].max())
    both = found.with_rows(richer.drop(columns="utility"))
    assert len(both.rows) == len(found.rows) + 1
    assert both.rows["utility"].max() == both.rows["utility"].iloc[-1] == 1
    assert both.rows["utility"].iloc[:-1].max() == pytest.approx(0.5)


def test_places_that_only_one_view_distinguishes_stay_apart():
    """Two views, of which neither is finer: by the one 1 and 2 are alike, by the other 1 and 3."""
    rows = [
        ("OH", county, zip3, "F", 30, 1, 1)
        for county, zip3 in (("39001", "430"), ("39001", "431"), ("39003", "430"), ("39003", "431"))
    ]
    columns = ["state", "county", "zip3", "sex", "age", "age_width", "people"]
    cells = check_cells(pd.DataFrame(rows, columns=columns), "made")
    whole = Population(cells, Provenance("made", "made", "", "2020-04-01", "", 1, 0, 0))
    tables = StateTables(whole, lattice_of(whole), 365)
    table, _ = tables.of("OH")
    assert table.shape[2] == 4
    assert sorted(table[table > 0].tolist()) == [1, 1, 1, 1]
