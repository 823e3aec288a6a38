"""The formulas of lists with residents by county and age and with stale records, next to lists drawn person by person.

The whole is ``python -m benchmarks.listed_people``, 200 runs of three states; this is a pinned tenth.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pinned import pinned

from benchmarks.listed_people import BIRTH, MEASURES, STATES, check, effect, nation


@pytest.mark.slow
@pytest.mark.parametrize("state", pinned(STATES[-1:], STATES))
def test_the_formulas_lie_in_the_intervals_of_simulated_lists(state):
    attacks = check(state, pinned(10, 200))
    assert {attack.case.policy.name for attack in attacks} == set(BIRTH)
    assert {attack.measure for attack in attacks} == set(MEASURES)
    assert [attack.to_frame() for attack in attacks if not attack.agrees] == []


@pytest.mark.slow
def test_the_page_has_the_tables():
    page = (Path(__file__).resolve().parents[3] / "docs" / "listed-people.md").read_text(encoding="utf-8")
    assert nation().strip() in page
    for line in effect(("WY",)).splitlines():
        assert line in page
