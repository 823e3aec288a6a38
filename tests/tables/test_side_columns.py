"""A pinned tenth of the tables with side columns: none that is READY gives a small count away."""

from __future__ import annotations

import pytest

from benchmarks.side_columns import KINDS, tried

NOT_READY = {"labels", "labels_of_parts", "labels_bare"}  # are often refused: then nothing is written


@pytest.mark.parametrize("kind", KINDS)
def test_no_small_count_follows_from_a_table_that_is_ready(kind):
    outcomes = [tried(kind, seed) for seed in range(3)]
    assert [out for _, _, out in outcomes] == [[]] * 3
    assert kind in NOT_READY or any(word == "READY" for word, _, _ in outcomes)
