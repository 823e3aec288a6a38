"""Two files made person by person."""

import pytest

from policy_sim import Study
from policy_sim.analyses.attack.paired_files import simulate_paired_files
from policy_sim.analyses.economics.two_releases import FileShares
from policy_sim.errors import InputError
from policy_sim.granularity import Granularities

KEY = Granularities(gender="value", birth="year", geography="state")


def test_files_of_nearly_everyone_leave_hardly_a_pair():
    counted = simulate_paired_files(
        Study("us-2020").people, KEY, (KEY, KEY, KEY), "WY", FileShares(0.9, 0.9, 0.9), runs=2
    )
    assert counted.counts.shape == (5, 2)
    assert (counted.counts[0] < 20).all()
    assert (counted.counts[1] == 0).all(), "nobody is in one file alone"


def test_one_run_has_no_spread():
    with pytest.raises(InputError, match="2 or more"):
        simulate_paired_files(Study("us-2020").people, KEY, (KEY, KEY, KEY), "WY", FileShares(0.1, 0.1, 0.1), runs=1)
