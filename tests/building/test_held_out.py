from __future__ import annotations

import numpy as np

from policy_sim.building.held_out import like_ages_of
from policy_sim.population.ages import AGES, CLASS_STARTS

FITTED = np.random.default_rng(0).integers(0, 9, (4, 2, len(AGES), 7))


def test_a_table_of_single_ages_stays_as_it_is():
    assert like_ages_of(np.zeros((4, 2, len(AGES), 7), dtype=np.int64), FITTED) is FITTED


def test_classes_hold_their_ages_and_nobody_is_lost():
    found = like_ages_of(np.zeros((4, 2, len(CLASS_STARTS), 7), dtype=np.int64), FITTED)
    starts = CLASS_STARTS.tolist()
    for place, (first, after) in enumerate(zip(starts, [*starts[1:], 10**6], strict=True)):
        ages = (np.asarray(AGES) >= first) & (np.asarray(AGES) < after)
        np.testing.assert_array_equal(found[:, :, place], FITTED[:, :, ages].sum(axis=2))
    np.testing.assert_array_equal(found.sum(axis=2), FITTED.sum(axis=2))
