"""What is known of 2020, read from the official tables."""

import numpy as np
import pytest

from policy_sim.building.redistricting_tables import read_ages_2020, read_counted_2020, regions_of_old_counties
from policy_sim.errors import SourceError


def test_the_regions_of_connecticut_hold_each_old_county_whole():
    shares = regions_of_old_counties()
    assert len(shares) == 8
    for county, regions in shares.items():
        assert county.startswith("09")
        assert sum(regions.values()) == pytest.approx(1)
        assert all(0 < share <= 1 for share in regions.values())
    assert len({region for regions in shares.values() for region in regions}) == 9


def test_a_folder_without_the_tables_is_refused(tmp_path):
    with pytest.raises(SourceError, match="pl94"):
        read_counted_2020(tmp_path)


@pytest.mark.slow
def test_everyone_of_the_census_is_counted_in_one_half_and_has_an_age(shared):
    """331,449,281 people lived in the 50 states and DC on April 1, 2020 (Bureau, apportionment tables)."""
    counties, counted = read_counted_2020(shared / "census")
    assert counted.shape == (len(counties), 2, 2, 7)
    assert counted.sum() == 331_449_281
    assert (counted >= 0).all()
    ages = read_ages_2020(shared / "census", counties)
    assert ages.shape == (len(counties), 2, 86)
    in_connecticut = np.array([county.startswith("09") for county in counties])
    assert ages[~in_connecticut].sum() == pytest.approx(counted[~in_connecticut].sum(), rel=1e-4)
    np.testing.assert_allclose(ages[in_connecticut].sum(axis=(1, 2)), 1)  # shares of ages: regions are no counties
