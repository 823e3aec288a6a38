"""Numbers of combinations: equal exactly for equal codes, and few, however many combinations are possible."""

from __future__ import annotations

import numpy as np
import pytest

from policy_sim.formulas import histogram as numbering
from policy_sim.formulas.histogram import SizeHistogram, number_combinations
from policy_sim.words.errors import InputError


@pytest.mark.parametrize(("dense", "sparse"), [(8_000_000, 100_000_000), (50, 100_000_000), (50, 60)])
def test_rows_have_one_number_exactly_when_all_their_codes_agree(monkeypatch, dense, sparse):
    monkeypatch.setattr(numbering, "_DENSE", dense)
    monkeypatch.setattr(numbering, "_SPARSE", sparse)
    codes = [np.random.default_rng(seed).integers(0, 7, 400) for seed in range(4)]
    number = number_combinations(codes)
    rows = list(zip(*(code.tolist() for code in codes), strict=True))
    assert len(set(zip(rows, number.tolist(), strict=True))) == len(set(rows)) == len(set(number.tolist()))
    assert [row for _, row in sorted(zip(number.tolist(), rows, strict=True))] == sorted(rows), "in the codes' order"


def test_possible_combinations_need_not_fit_into_an_integer():
    codes = [np.array([0, 2**20, 2**20, 5])] * 4  # 2**80 combinations, of which three occur
    number = number_combinations(codes)
    assert number[1] == number[2]
    assert len(set(number.tolist())) == 3
    assert number.max() < 8_000_000


def test_no_rows_give_no_numbers():
    assert number_combinations([np.zeros(0, dtype=np.int64)]).tolist() == []


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
    assert SizeHistogram.of({3_000_000_000: 2}).records == 6_000_000_000  # more than 32 bits hold
    assert SizeHistogram.from_classes([]) == empty


@pytest.mark.parametrize(
    ("make", "wrong", "said"),
    [
        *(
            (SizeHistogram.of, (wrong,), "class")
            for wrong in ({0: 1}, {-1: 2}, {1: -1}, {1.5: 1}, {1: 0.5}, {"a": 1}, {1: float("nan")})
        ),
        (SizeHistogram.of, ([1, 2, 3],), "from_classes"),
        (SizeHistogram, (np.array([2, 1]), np.array([1, 1])), "ascending"),
        (SizeHistogram, (np.array([2, 1]), np.array([1])), "pair up"),
        (SizeHistogram.from_classes, ([1, -2],), "negative"),
    ],
)
def test_what_are_no_classes_is_refused(make, wrong, said):
    with pytest.raises(InputError, match=said):
        make(*wrong)


def test_cannot_be_changed():
    sample = SizeHistogram.of(EXAMPLE)
    with pytest.raises(ValueError, match="read-only"):
        sample.size[0] = 5
