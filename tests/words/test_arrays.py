from __future__ import annotations

import numpy as np

from policy_sim.formulas.histogram import SizeHistogram
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray


def _kind(alias):
    (kind,) = alias.__args__[1].__args__
    return np.dtype(kind)


def test_names_stand_for_the_widths_that_they_promise():
    assert _kind(IntArray) == np.int64
    assert _kind(FloatArray) == np.float64
    assert _kind(BoolArray) == np.bool_


def test_a_count_holds_more_people_than_32_bits_do():
    assert np.iinfo(_kind(IntArray)).max > 8 * 10**9
    sizes = SizeHistogram.of({3_000_000_000: 2})
    assert (sizes.size.dtype, sizes.records) == (_kind(IntArray), 6_000_000_000)
