"""Synthetic people: the requested number, drawn from the cells without replacement."""

from __future__ import annotations

import datetime as dt
import tracemalloc

import numpy as np
import pandas as pd
import pytest

from policy_sim.analyses.attack import synthesize
from policy_sim.analyses.attack.made_up_people import draw_cells
from policy_sim.errors import InputError
from policy_sim.population.cells import check_cells
from policy_sim.population.population import Population, Provenance
from policy_sim.study import Study

DAY = dt.date(2020, 4, 1)
COLUMNS = ["state", "county", "sex", "age", "age_width", "people"]


def population(rows) -> Population:
    cells = check_cells(pd.DataFrame(rows, columns=COLUMNS), "made")
    return Population(cells, Provenance("made", "t", "", "2020-04-01", "", 1, 0, 0))


SMALL = population([("OH", "39001", "M", 20, 1, 6), ("OH", "39001", "F", 30, 5, 3), ("OH", "39003", "F", 0, 1, 1)])


def test_everyone_is_made_once_in_random_order():
    table = synthesize(SMALL, np.random.default_rng(1), DAY)
    assert len(table) == 10
    counted = table.groupby(["county", "sex"], observed=True).size()
    assert counted.to_dict() == {("39001", "M"): 6, ("39001", "F"): 3, ("39003", "F"): 1}
    assert table["synthetic"].all()
    assert table.loc[table["county"] == "39003", "age"].tolist() == [0]
    orders = {tuple(synthesize(SMALL, np.random.default_rng(seed), DAY)["sex"]) for seed in range(5)}
    assert len(orders) > 1


def test_draws_are_without_replacement_and_everyone_is_as_likely():
    """Seeded; 4,000 draws of 4 of 10: each cell's mean within 4.5 standard errors, none above its people."""
    rng, rounds = np.random.default_rng(2), 4000
    drawn = np.array([np.bincount(draw_cells(SMALL, 4, rng), minlength=3) for _ in range(rounds)])
    held = SMALL.cells["people"].to_numpy()
    assert (drawn.sum(axis=1) == 4).all()
    assert (drawn <= held).all()
    share = held / 10
    error = np.sqrt(4 * share * (1 - share) * (10 - 4) / (10 - 1) / rounds)
    assert (np.abs(drawn.mean(axis=0) - 4 * share) < 4.5 * error).all()


def test_a_crowd_of_more_than_a_thousand_million():
    crowd = population([("OH", "39001", "M", 20, 1, 10**9), ("OH", "39003", "F", 20, 1, 3 * 10**9)])
    women = np.concatenate([draw_cells(crowd, 1000, np.random.default_rng(seed)) for seed in range(4)])
    assert len(women) == 4000
    assert women.mean() == pytest.approx(0.75, abs=4.5 * np.sqrt(0.75 * 0.25 / 4000))


def test_ten_of_the_largest_state_are_not_made_from_all_of_it():
    """California's 39.5 million people took 11 GB; its cells and ten people take some megabytes."""
    study = Study("us-2020")
    study.people.in_states(["CA"])
    tracemalloc.start()
    table = study.synthesize("CA", people=10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(table) == 10
    assert peak < 100e6


@pytest.mark.parametrize("people", [-5, 0, 2.5, True])
def test_fewer_than_one_person_is_refused(people):
    with pytest.raises(InputError, match=r"^people = \S+: give a whole number from 1 to 1,000,000,000\.$"):
        Study("us-2020").synthesize("WY", people=people)


def test_more_people_than_there_are_is_refused():
    with pytest.raises(
        InputError, match=r"^people = 576,852 is more than the 576,851 people of WY in us-2020. Give a smaller"
    ):
        Study("us-2020").synthesize("WY", people=576_852)
