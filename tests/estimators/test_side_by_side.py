from __future__ import annotations

import pytest

from policy_sim.errors import InputError, UnknownNameError
from policy_sim.estimators import Argus, Bootstrap, Zayatz, estimate_all, model_spread
from policy_sim.estimators.base import Estimate

SIZES = {1: 60, 2: 20, 3: 9, 8: 2}


def test_each_row_is_what_the_model_alone_gives_in_the_order_asked_for():
    rows = estimate_all(SIZES, 900, models=["zayatz", "argus"])
    assert rows == [Zayatz().estimate(SIZES, 900), Argus().estimate(SIZES, 900)]


def test_intervals_come_only_where_asked_for():
    (without,) = estimate_all(SIZES, 900, models=["zayatz"])
    (with_interval,) = estimate_all(SIZES, 900, models=["zayatz"], bootstrap=Bootstrap(replicates=20))
    assert without.interval is None
    low, high = with_interval.interval
    assert low <= high
    assert with_interval.uniqueness == without.uniqueness


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(UnknownNameError, match="zaytz"):
        estimate_all(SIZES, 900, models=["zaytz"])
    with pytest.raises(InputError, match="smaller than the sample"):
        estimate_all(SIZES, 12)


def test_spread_leaves_out_models_without_a_figure():
    rows = [Estimate("a", "ok", uniqueness=0.3), Estimate("b", "no"), Estimate("c", "ok", uniqueness=0.0)]
    assert model_spread(rows, "uniqueness") == (0.0, 0.3)
    assert model_spread(rows, "marketer_risk") is None
