"""The chance of one record: by hand, against every throw, and at its limits."""

import itertools

import numpy as np
import pytest

from policy_sim.binning import match_chance, occupied_bins
from policy_sim.errors import InputError


def test_one_bin_is_one_of_the_crowd():
    assert match_chance([1, 75, 300], 1).tolist() == [1.0, 1 / 75, 1 / 300]


def test_everyone_in_the_file_is_total_risk_per_record():
    n = np.array([1, 3, 200, 5000])
    np.testing.assert_allclose(match_chance(n, 365, 0.65), occupied_bins(n, 365, 0.65) / n, rtol=1e-15)


@pytest.mark.parametrize(("people", "bins"), [(2, 2), (3, 2), (4, 3)])
def test_matches_every_throw_counted(people, bins):
    """Every way to fall into bins, to be in the file and to be listed, with its weight."""
    held, listed, right, records = 0.3, 0.6, 0.0, 0.0
    for throw in itertools.product(range(bins), repeat=people):
        for state in itertools.product(range(4), repeat=people):  # bit 0: in the file, bit 1: listed
            weight = float(bins) ** -people
            for each in state:
                weight *= (held if each & 1 else 1 - held) * (listed if each & 2 else 1 - listed)
            records += weight * sum(each & 1 for each in state)
            for mine in range(people):
                if state[mine] == 3:
                    equals = sum(throw[j] == throw[mine] and state[j] == 3 for j in range(people))
                    right += weight / equals
    assert match_chance(people, bins, listed, held).item() == pytest.approx(right / records, rel=1e-12)


def test_limits_of_the_share_in_the_file():
    assert match_chance(1000, 1, 0.7, in_file=0).item() == 0.7
    assert match_chance(1000, 1, 0.7, in_file=1e-12).item() == pytest.approx(0.7, rel=1e-8)
    assert match_chance(0, 365).item() == 0.0
    shares = np.linspace(0.01, 1, 50)
    assert (np.diff(match_chance(200, 365, 1, shares)) < 0).all(), "the smaller the file, the surer the match"


@pytest.mark.parametrize("wrong", [{"coverage": 1.5}, {"in_file": -0.1}, {"bins": 0.5}, {"people": 1.5}])
def test_arguments_outside_their_range(wrong):
    with pytest.raises(InputError):
        match_chance(**{"people": 3, "bins": 2} | wrong)
