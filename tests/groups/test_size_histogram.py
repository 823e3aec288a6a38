from __future__ import annotations

import numpy as np
import pytest

from policy_sim.errors import InputError
from policy_sim.groups.size_histogram import SizeHistogram

# the worked example of Dankar et al. 2012, figure 1: 14 records of which 9 are unique
EXAMPLE = {1: 9, 2: 1, 3: 1}


def test_counts_of_the_papers_example():
    sample = SizeHistogram.of(EXAMPLE)
    assert (sample.records, sample.number, sample.uniques) == (14, 11, 9)
    assert [sample.of_size(k) for k in (1, 2, 3, 4)] == [9, 1, 1, 0]


def test_same_from_mapping_classes_and_any_order():
    assert SizeHistogram.of({3: 1, 1: 9, 2: 1, 7: 0}) == SizeHistogram.from_classes([1] * 9 + [3, 2, 0])
    assert SizeHistogram.of(EXAMPLE).to_dict() == EXAMPLE
    assert hash(SizeHistogram.of(EXAMPLE)) == hash(SizeHistogram.of(dict(reversed(EXAMPLE.items()))))
    assert SizeHistogram.of(EXAMPLE) != SizeHistogram.of({1: 14})


def test_an_empty_file_has_no_classes():
    empty = SizeHistogram.of({})
    assert (empty.records, empty.number, empty.uniques) == (0, 0, 0)
    assert SizeHistogram.from_classes([]) == empty


@pytest.mark.parametrize("wrong", [{0: 1}, {-1: 2}, {1: -1}, {1.5: 1}, {1: 0.5}, {"a": 1}, {1: float("nan")}])
def test_refuses_what_is_not_a_count(wrong):
    with pytest.raises(InputError, match="class"):
        SizeHistogram.of(wrong)


def test_refuses_a_list_and_says_what_to_use():
    with pytest.raises(InputError, match="from_classes"):
        SizeHistogram.of([1, 2, 3])


def test_refuses_sizes_out_of_order_and_negative_classes():
    with pytest.raises(InputError, match="ascending"):
        SizeHistogram(np.array([2, 1]), np.array([1, 1]))
    with pytest.raises(InputError, match="pair up"):
        SizeHistogram(np.array([2, 1]), np.array([1]))
    with pytest.raises(InputError, match="negative"):
        SizeHistogram.from_classes([1, -2])


def test_cannot_be_changed():
    sample = SizeHistogram.of(EXAMPLE)
    with pytest.raises(ValueError, match="read-only"):
        sample.size[0] = 5
