"""The formulas of lists with residents by county and age and with stale records, next to lists drawn person by person.

The whole is ``python -m benchmarks.listed_people``, 200 runs of three states; this is a pinned tenth.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pinned import pinned

from benchmarks.listed_people import DAYS, MEASURES, STATES, check, effect, groups_of, merged, tables
from policy_sim.attackers.county_coverage import county_coverage
from policy_sim.people.store import load_shipped


@pytest.mark.slow
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("days", [DAYS, 1])
def test_the_formulas_lie_in_the_intervals_of_simulated_lists(state, days):
    checked = check(state, days, pinned(20, 200))
    assert [row.measure for row in checked] == list(MEASURES)
    assert [row for row in checked if not row.agrees] == []


@pytest.mark.slow
def test_the_page_has_the_tables():
    page = (Path(__file__).resolve().parents[3] / "docs" / "listed-people.md").read_text(encoding="utf-8")
    for table in tables().strip().split("\n\n"):
        assert table.strip() in page
    for line in effect(("WY",)).splitlines():
        assert line in page


def test_the_groups_hold_every_adult_and_every_record():
    adults = load_shipped("us-2020").in_states(["DE"]).of_age(18)
    coverage = county_coverage(adults, 2024)
    groups = groups_of(adults, coverage, DAYS)
    place = merged(adults, coverage)[0]
    listed = np.bincount(place, weights=(groups.people * groups.listed)[:, 0])
    stale = np.bincount(place, weights=(groups.stale * groups.stale_chance)[:, 0])
    assert groups.people.sum() == adults.people
    np.testing.assert_allclose(listed, coverage.listed, rtol=1e-12)
    np.testing.assert_allclose(stale, coverage.stale, rtol=1e-12)
