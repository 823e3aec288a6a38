"""A file without records has no share, and says why."""

import numpy as np

from policy_sim.records.classes import Classes
from policy_sim.records.weight_table import weighted_figures
from policy_sim.records.weighted import WeightedRisk


def test_no_records():
    nothing = np.zeros(0)
    empty = Classes(("a",), np.zeros((0, 1), dtype=np.int32), np.zeros(0, dtype=np.int64), (0,))
    table = weighted_figures(WeightedRisk(empty, nothing, nothing, nothing, 0))
    assert set(table["status"]) == {"undefined"}
    assert table["share"].isna().all()
