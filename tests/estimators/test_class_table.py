"""Classes with what they hold: counted by hand, and refused where shapes do not fit."""

import numpy as np
import pytest

from policy_sim.errors import InputError
from policy_sim.estimators import ClassTable


def test_records_gathered_by_hand():
    table = ClassTable.from_records([[1, 0], [0, 2], [1, 0], [1, 1]])
    assert sorted(zip(map(tuple, table.codes.tolist()), table.size.tolist(), strict=True)) == [
        ((0, 2), 1),
        ((1, 0), 2),
        ((1, 1), 1),
    ]
    assert table.fields == ("field 1", "field 2")


def test_empty_classes_stay_in_the_table_and_out_of_the_sizes():
    table = ClassTable.from_records([[0], [1], [1]]).with_sizes(np.array([0, 3]))
    assert table.sizes.to_dict() == {3: 1}
    assert len(table.size) == 2


@pytest.mark.parametrize("codes", [[1, 2], [[0.5]], [[]], np.zeros((2, 0), dtype=int)])
def test_codes_of_another_kind(codes):
    with pytest.raises(InputError, match="whole numbers"):
        ClassTable.from_records(codes)


def test_shapes_and_signs():
    with pytest.raises(InputError, match="need"):
        ClassTable(np.zeros((2, 1), dtype=int), np.ones(3, dtype=int), ("a",))
    with pytest.raises(InputError, match="negative"):
        ClassTable(np.array([[-1]]), np.array([1]), ("a",))
    with pytest.raises(InputError, match="at least one field"):
        ClassTable(np.zeros((1, 0), dtype=int), np.array([1]), ())
