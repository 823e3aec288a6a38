"""Files of people with several rows: nobody is among fewer people by any part of their rows, in any order of rows."""

from __future__ import annotations

import pytest
from pinned import pinned

from benchmarks.longitudinal import smallest_by_hand, tried, write_rows


@pytest.mark.slow
@pytest.mark.parametrize("seed", pinned(range(0, 300, 30), range(300)))
def test_every_part_of_a_persons_rows_is_of_as_many_people(seed):
    assert tried(seed)[1] == []


def test_the_recount_finds_who_is_alone_by_two_rows(tmp_path):
    """Each row is of two people; both rows of the first are of nobody else."""
    rows = [("a", "30"), ("a", "40"), ("b", "30"), ("b", "50"), ("c", "40"), ("c", "50"), ("d", "30"), ("d", "50")]
    write_rows(tmp_path / "f.csv", [[who, age, "F", "441", "2020"] for who, age in rows])
    assert [smallest_by_hand(tmp_path / "f.csv", known) for known in ("1", "2", "all")] == [2, 1, 1]
