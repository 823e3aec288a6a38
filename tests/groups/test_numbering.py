"""Numbers of combinations: equal exactly for equal codes, and few, however many combinations are possible."""

from __future__ import annotations

import numpy as np
import pytest

from policy_sim.groups import numbering
from policy_sim.groups.numbering import number_combinations


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
