"""Codes packed into whole numbers and back."""

import numpy as np
import pytest

from policy_sim.io.engine.packing import Packing


@pytest.mark.parametrize("missing", [(False, False, False), (True, False, True), (True, True, True)])
def test_every_class_has_its_own_number_and_no_number_is_left_over(missing):
    packing = Packing((2, 3, 4), missing)
    ranges = [range(0 if lost else 1, number + 1) for number, lost in zip((2, 3, 4), missing, strict=True)]
    codes = np.array(np.meshgrid(*ranges)).reshape(3, -1).T.astype(np.int32)
    (keys,) = packing.pack(codes).values()
    assert sorted(keys.tolist()) == list(range(packing.possible))
    np.testing.assert_array_equal(packing.unpack([keys]), codes)


def test_by_hand():
    """Second of three sexes' values, third age: (2 - 1) + 3 * (3 - 1) = 7; with missing sexes 2 + 4 * 2 = 10."""
    codes = np.array([[2, 3]], dtype=np.int32)
    assert Packing((3, 5), (False, False)).pack(codes)["key0"].tolist() == [7]
    assert Packing((3, 5), (True, False)).pack(codes)["key0"].tolist() == [10]


def test_fields_that_do_not_fit_one_number_take_more():
    packing = Packing((2**30, 2**30, 2**30, 5), (True, False, False, False))
    assert [[digit.field for digit in word] for word in packing.words] == [
        [0, 1],
        [2, 3],
    ]  # 2^60 fits 62 bits, 2^90 does not
    codes = np.array([[2**30, 1, 2**30, 5], [0, 2**30, 7, 1]], dtype=np.int32)
    np.testing.assert_array_equal(packing.unpack(list(packing.pack(codes).values())), codes)


def test_no_values_at_all():
    packing = Packing((0, 0), (True, True))
    assert packing.possible == 1
    assert packing.unpack([np.zeros(0, dtype=np.int64)]).shape == (0, 2)
