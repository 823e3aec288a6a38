"""People made one by one, released by areas and linked: a tenth of what benchmarks/area_releases.py counts."""

from __future__ import annotations

import pytest

from benchmarks.area_releases import FAR, POLICIES, rows_of


@pytest.mark.slow
def test_links_counted_person_by_person_are_those_that_the_formulas_expect():
    rows = list(rows_of("WY", POLICIES[2:4], runs=4))
    assert {(row["attacker"], row["knows"]) for row in rows} == {
        *(("general", "file"), ("general", "people"), ("voter", "file"), ("voter", "people"))
    }
    assert max(abs(row["errors"]) for row in rows) <= FAR
