"""What is known of July 1, 2022: margins that agree with each other."""

import numpy as np
import pytest

from policy_sim.building.estimates_tables import _to_regions, read_margins
from policy_sim.errors import SourceError


def test_counties_that_did_not_change_are_put_in_their_new_places():
    table = np.array([[1.0], [2.0]])
    moved = _to_regions(table, ["10001", "10003"], ["10003", "10001"], "10")
    assert moved.tolist() == [[2.0], [1.0]]


def test_a_folder_without_the_tables_is_refused(tmp_path):
    with pytest.raises(SourceError):
        read_margins(tmp_path, 2022)


@pytest.mark.slow
def test_the_three_margins_of_every_county_agree(shared):
    """333,287,557 people on July 1, 2022 (Bureau, vintage 2022)."""
    counties, ages, races, origins = read_margins(shared / "census", 2022)
    assert ages.shape == (len(counties), 2, 18)
    assert ages.sum() == 333_287_557
    np.testing.assert_array_equal(ages.sum(axis=2), races.sum(axis=2))
    np.testing.assert_array_equal(ages.sum(axis=2), origins.sum(axis=2))
