from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from policy_sim.errors import UnknownNameError
from policy_sim.results.curve import Curve


def curve(policy, shares, state="OH", high=None, status="ok"):
    low = None if shares is None else np.array(shares)
    end = low if high is None else np.array(high)
    return Curve(state, policy, "voter", "made", "2026", "birth=year", status, "", low, end, records=100.0)


def test_one_row_a_group_size_from_one_on():
    frame = curve("a", [0.1, 0.4, 1.0]).to_frame()
    assert frame["g"].tolist() == [1, 2, 3]
    assert frame["share"].tolist() == frame["share_high"].tolist() == [0.1, 0.4, 1.0]


def test_without_a_list_there_is_a_reason_and_no_zero():
    one = curve("a", None, status="not_sold")
    assert one.each() == ()
    (row,) = one.to_frame().to_dict("records")
    assert row["status"] == "not_sold"
    assert pd.isna(row["g"])
    assert pd.isna(row["share"])


def test_each_is_one_curve_or_two_ends():
    assert len(curve("a", [0.1, 0.2]).each()) == 1
    low, high = curve("a", [0.1, 0.2], high=[0.3, 0.5], status="interval").each()
    assert (low.tolist(), high.tolist()) == ([0.1, 0.2], [0.3, 0.5])


def test_a_status_that_does_not_exist_is_refused():
    with pytest.raises(UnknownNameError, match="sold"):
        curve("a", [0.1], status="sold")
