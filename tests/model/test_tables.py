from __future__ import annotations

import pandas as pd

from policy_sim.model.measure import NOBODY, Bounds, Measure
from policy_sim.model.profile import Cost, RiskProfile, TrustDifferential
from policy_sim.model.tables import cost_frame, profile_frame, trust_frame


def profile(policy="a", values=None, status="ok", **more):
    values = {} if values is None else {Measure.of(name): Bounds(*ends) for name, ends in values.items()}
    facts = {"state": "OH", "attacker": "voter", "population": "made", "lists": "2026", "linkage_key": "birth=year"}
    return RiskProfile(policy=policy, status=status, reason="", inhabitants=1000, values=values, **{**facts, **more})


RISK = Measure.of("total-risk")
ONE = profile("a", {"total-risk": (50, 100), "claims": (80, 80), "correct-claims": (20, 40)})
NONE = profile("b", status="not_sold")


def test_people_over_the_share_is_the_state_on_every_row():
    frame = profile_frame([ONE, profile("b", {"total-risk": (5, 5)})], [RISK])
    assert (frame["people"] / frame["share"]).tolist() == [1000.0, 1000.0]
    assert (frame["people_high"] / frame["share_high"]).tolist() == [1000.0, 1000.0]


def test_precision_is_a_share_and_has_no_people():
    (row,) = profile_frame([ONE], [Measure.of("precision")]).to_dict("records")
    assert (row["share"], row["share_high"]) == (0.25, 0.5)
    assert pd.isna(row["people"])


def test_a_figure_that_is_not_there_is_missing_beside_its_status():
    for frame in (profile_frame([NONE], [RISK]), trust_frame([TrustDifferential(ONE, NONE, RISK)])):
        (row,) = frame.to_dict("records")
        assert row["status"] == "not_sold"
        assert pd.isna(row["people" if "people" in row else "ratio"])


def test_less_than_a_billionth_of_a_person_is_nobody():
    (row,) = cost_frame([Cost(profile(values={"total-risk": (1e-12, 2)}), 8.0, "ok")]).to_dict("records")
    assert row["total_risk"] == 0
    assert (row["total_risk_high"], row["usd_per_reidentification_high"]) == (2, 4)


def test_variances_add_the_ends_of_an_interval():
    sure = profile("a", {"total-risk": (50, 50)}, variances={RISK: Bounds(4.0, 4.0)})
    frame = profile_frame([sure], [RISK])
    assert "people_from" not in profile_frame([ONE], [RISK])
    low, high = frame["people_from"][0], frame["people_to"][0]
    assert low + high == 100
    assert abs((high - low) / (2 * 1.959964 * 2) - 1) < 1e-6
    assert frame["share_to"][0] * 1000 == high


def test_a_billionth_of_a_person_is_still_a_figure():
    frame = cost_frame([Cost(profile(values={"total-risk": (NOBODY, 2)}), 8.0, "ok")])
    assert frame["total_risk"].tolist() == [NOBODY]
