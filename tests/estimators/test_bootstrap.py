from __future__ import annotations

import pytest

from policy_sim.errors import InputError
from policy_sim.estimators.base import Answer
from policy_sim.estimators.bootstrap import Bootstrap, class_bootstrap, percentile_interval
from policy_sim.groups.size_histogram import SizeHistogram


def test_interval_holds_the_middle_of_the_values():
    assert percentile_interval([float(x) for x in range(101)], 0.9) == pytest.approx((5.0, 95.0))
    assert percentile_interval([3.0] * 20, 0.5) == (3.0, 3.0)


def test_a_tenth_may_fail_and_no_more():
    assert percentile_interval([None] * 10 + [1.0] * 90, 0.9) == (1.0, 1.0)
    assert percentile_interval([None] * 11 + [1.0] * 89, 0.9) is None


@pytest.mark.parametrize("wrong", [{"replicates": 19}, {"level": 0.0}, {"level": 1.0}, {"seed": -1}])
def test_what_makes_no_interval_is_refused(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        Bootstrap(**wrong)


def test_every_draw_has_as_many_classes_as_the_sample():
    sample, drawn = SizeHistogram.of({1: 30, 2: 10, 9: 2}), []

    def answer(again, people):
        drawn.append((again.number, again.records, people))
        return Answer(uniques=float(people), marketer_risk=None)

    uniqueness, marketer = class_bootstrap(answer, sample, 680, Bootstrap(replicates=25))
    assert {number for number, _, _ in drawn} == {42}
    assert all(people == 10 * records for _, records, people in drawn)  # 68 records of 680 people
    assert len({records for _, records, _ in drawn}) > 1
    assert uniqueness == (1.0, 1.0)
    assert marketer is None
