"""Marketer risk by hand: a class matched at random, and a file of four records."""

import itertools

import numpy as np
import pytest

from policy_sim.analyses.reproduction.dankar import Dankar2010
from policy_sim.records.classes import Classes


@pytest.mark.parametrize("people", [1, 2, 3, 5])
def test_a_random_matching_has_one_correct_pair_on_average(people):
    orders = list(itertools.permutations(range(people)))
    counted = sum(sum(at == who for at, who in enumerate(order)) for order in orders) / len(orders)
    assert Dankar2010().answer({"kind": "one-to-one", "people": people}).value == pytest.approx(counted) == 1


def test_marketer_over_journalist_risk():
    """Classes of 1 and 3 in the release, 2 and 6 among the people: (1/2 + 3/6) / 4 = 1/4, over 1/2."""
    answer = Dankar2010().answer({"kind": "example", "people": [2, 6], "released": [1, 3]})
    assert answer.value == pytest.approx(1 / 4 / (1 / 2))


def test_a_file_is_counted_and_without_it_there_is_a_reason():
    adult = Classes(
        ("age", "education", "race", "sex"),
        np.array([[1, 1, 1, 1], [2, 1, 1, 2], [3, 2, 2, 2]], dtype=np.int32),
        np.array([2, 1, 1]),
        (3, 2, 2, 2),
    )
    ask = {"kind": "file", "file": "adult"}
    given, missing = Dankar2010(adult), Dankar2010()
    assert given.answer({**ask, "take": "records"}).value == 4
    assert given.answer({**ask, "take": "values", "field": "age"}).value == 3
    assert given.answer({**ask, "take": "marketer"}).value == pytest.approx(3 / 4)
    assert missing.answer({**ask, "take": "records"}).value is None
    assert "adult.csv" in missing.answer({**ask, "take": "records"}).reason
    assert given.answer({**ask, "file": "secret", "take": "records"}).value is None
