"""People of counties placed in ZIP code areas: by hand and by conservation."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy_sim.errors import InputError
from policy_sim.population.cells import check_cells
from policy_sim.population.population import Population, Provenance
from policy_sim.population.zip_areas import deal_out, in_zip_areas, share_out, small_zip3

PROVENANCE = Provenance("made", "made for a test", "nobody", "2010-04-01", "by hand", 1.0, 0.0, 0.0)
CELLS = pd.DataFrame(
    [
        ("OH", "39001", "M", 30, 1, "white", 400),
        ("OH", "39001", "F", 30, 1, "white", 600),
        ("OH", "39003", "F", 31, 1, "asian", 1),
        ("WV", "54001", "F", 31, 1, "black", 7),
    ],
    columns=["state", "county", "sex", "age", "age_width", "race", "people"],
)
PEOPLE = Population(check_cells(CELLS, "made"), PROVENANCE)
PARTS = pd.DataFrame(
    [("39001", "44101", 750), ("39001", "44102", 245), ("39003", "44101", 1), ("54001", "25001", 7)],
    columns=["county", "zip5", "people"],
)


def test_every_cell_and_every_part_keeps_its_people():
    made = in_zip_areas(PEOPLE, PARTS).cells
    by_cell = made.groupby(["county", "sex", "age", "race"], observed=True)["people"].sum()
    assert sorted(by_cell) == [1, 7, 400, 600]
    by_part = made.groupby(["county", "zip5"], observed=True)["people"].sum()
    # 1,000 people live in the county, 995 in its two areas: the other 5 are shared out as 750 to 245.
    assert by_part.to_dict() == {
        ("39001", "44101"): 754,
        ("39001", "44102"): 246,
        ("39003", "44101"): 1,
        ("54001", "25001"): 7,
    }
    assert (made["people"] > 0).all()


def test_areas_have_the_make_up_of_their_county_but_for_chance():
    made = in_zip_areas(PEOPLE, PARTS).cells
    men = made[(made["zip5"] == "44102") & (made["sex"] == "M")]["people"].sum()
    # Hypergeometric: 246 drawn of 1,000 of whom 400 are men: mean 98.4, standard deviation 6.7; five of them.
    assert abs(men - 98.4) < 33.5


def test_a_state_is_placed_alike_alone_and_with_others():
    alone = in_zip_areas(PEOPLE.in_states(["OH"]), PARTS).cells
    together = in_zip_areas(PEOPLE, PARTS).in_states(["OH"]).cells
    pd.testing.assert_frame_equal(alone.astype(str), together.astype(str))


def test_a_county_without_a_part_says_so():
    with pytest.raises(InputError, match="54001"):
        in_zip_areas(PEOPLE, PARTS[PARTS["county"] != "54001"])
    with pytest.raises(InputError, match="has no county"):
        in_zip_areas(Population(PEOPLE.cells.drop(columns="county"), PROVENANCE), PARTS)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=8), st.lists(st.integers(1, 50), min_size=1, max_size=8))
def test_dealing_out_loses_nobody(people, weights):
    cells = np.array(people)
    room = share_out(int(cells.sum()), np.array(weights))
    assert room.sum() == cells.sum()
    cell, place, count = deal_out(cells, room, np.random.default_rng(0))
    np.testing.assert_array_equal(np.bincount(cell, weights=count, minlength=len(cells)), cells)
    np.testing.assert_array_equal(np.bincount(place, weights=count, minlength=len(room)), room)


@given(st.integers(0, 10_000), st.lists(st.integers(1, 1000), min_size=1, max_size=20))
def test_shares_are_within_one_of_exact(whole, weights):
    shares = share_out(whole, np.array(weights))
    exact = whole * np.array(weights) / sum(weights)
    assert shares.sum() == whole
    assert (np.abs(shares - exact) < 1 + 1e-9).all()


def test_exactly_twenty_thousand_is_small_and_one_more_is_not():
    zips = ["03601", "03602", "10001", "10002", "99901"]
    assert small_zip3(zips, [12_000, 8_000, 20_000, 1, 0]) == {"036": 20_000, "999": 0}
