from __future__ import annotations

import numpy as np

from policy_sim.render.explorer.packed_numbers import signed, varints


def test_numbers_are_read_back():
    numbers = [0, 1, 127, 128, 16_383, 16_384, 2**31]
    value, shift, found = 0, 0, []
    for byte in varints(numbers):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            found.append(value)
            value = shift = 0
    assert found == numbers


def test_signs_are_folded_one_to_one():
    assert sorted(signed(number) for number in range(-100, 101)) == list(np.arange(201))
