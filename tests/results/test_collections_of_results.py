from __future__ import annotations

import numpy as np
import pytest

from policy_sim.errors import UnknownNameError
from policy_sim.results.collections_of_results import Costs, Curves
from policy_sim.results.curve import Curve


def curve(policy, shares, state="OH", high=None, status="ok"):
    low = None if shares is None else np.array(shares)
    end = low if high is None else np.array(high)
    return Curve(state, policy, "voter", "made", "2026", "birth=year", status, "", low, end, records=100.0)


BOTH = Curves([curve("a", [0.02, 0.5]), curve("b", [0.005, 0.25]), curve("a", [0.5, 1.0], "TX")])


def test_a_collection_is_a_tuple_and_the_table_of_its_parts():
    assert tuple(BOTH) == BOTH
    assert isinstance(BOTH[:2], Curves)
    assert len(BOTH.to_frame()) == sum(len(one.to_frame()) for one in BOTH) == 6
    assert set(BOTH[2:].to_frame()["state"]) == {"TX"}


def test_a_ratio_needs_one_person_below():
    """Of 100 people b names half a person alone, and 25 among two: only the second has a ratio, 0.5 over 0.25."""
    rows = BOTH[:2].trust("a", "b")
    assert rows["status"].tolist() == ["undefined", "ok"]
    assert rows["ratio"].isna().tolist() == [True, False]
    assert rows["ratio"][1] == rows["ratio_high"][1] == 2.0


def test_a_policy_over_itself_is_one_and_an_unknown_one_is_named():
    assert BOTH[2:].trust("a", "a")["ratio"].tolist() == [1.0, 1.0]
    with pytest.raises(UnknownNameError, match="policy of these curves"):
        BOTH.trust("a", "c")


def test_no_cost_is_an_empty_table_with_its_columns():
    assert Costs().to_frame().empty
    assert "usd_per_reidentification" in Costs().to_frame().columns
