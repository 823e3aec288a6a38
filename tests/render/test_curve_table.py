"""Curves for the eye."""

from __future__ import annotations

import numpy as np
import pandas as pd

from policy_sim.render.curve_table import curve_table
from policy_sim.results import Curve
from policy_sim.results.result_tables import curve_frame, trust_curve_frame, with_trust


def rows(*, known: bool = True) -> pd.DataFrame:
    curves = []
    for policy, shares in (("safe-harbor", [0.0, 0.25, 0.5]), ("limited-dataset", [0.5, 0.75, 1.0])):
        for attacker in ("general", "voter"):
            listed = np.array(shares) if known or attacker == "general" else None
            facts = ("OH", policy, attacker, "us-2000", "2008", "", "unknown" if listed is None else "ok", "")
            curves.append(Curve(*facts, low=listed, high=listed, records=1000))
    return with_trust(curve_frame(curves), trust_curve_frame(curves, "limited-dataset", "safe-harbor"))


def test_one_row_a_round_g_and_the_last_with_shares_and_ratios():
    lines = curve_table(rows()).splitlines()
    assert [line.split()[0] for line in lines[3:6]] == ["1", "2", "3"]
    assert lines[3].split()[1:] == ["0%", "0%", "50%", "50%", "undefined", "undefined"]
    assert lines[4].split()[1:] == ["25%", "25%", "75%", "75%", "3", "3"]
    assert lines[6] == "trust diff.: people g-distinct over those under Safe Harbor"


def test_a_profile_without_a_list_is_a_word():
    lines = curve_table(rows(known=False)).splitlines()
    assert lines[4].split()[1:] == ["25%", "unknown", "75%", "unknown", "3"]
    none = rows(known=False)
    assert "any" in curve_table(none[none["attacker"] == "voter"])


def test_the_denominator_has_no_ratio_and_no_row_is_lost():
    made = rows()
    assert len(made) == 12
    below = made[made["policy"] == "safe-harbor"]
    assert below[["ratio", "ratio_status", "denominator_policy"]].isna().all().all()
    above = made[(made["policy"] == "limited-dataset") & (made["attacker"] == "voter")]
    assert list(above["ratio_status"]) == ["undefined", "ok", "ok"]
    assert above["ratio"].isna().tolist() == [True, False, False]
