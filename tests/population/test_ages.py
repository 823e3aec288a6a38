"""Ages and classes of the census tables: every age is in exactly one class."""

from __future__ import annotations

import numpy as np

from policy_sim.population.ages import AGE_WIDTHS, AGES, CLASS_AGES, CLASS_STARTS, class_of_age


def test_the_first_and_last_age_of_every_class():
    ends = [*(CLASS_STARTS[1:] - 1), 110]
    assert class_of_age(CLASS_STARTS).tolist() == class_of_age(np.array(ends)).tolist() == list(range(23))


def test_ages_follow_each_other_without_a_gap():
    assert (AGES[1:] == AGES[:-1] + AGE_WIDTHS[:-1]).all()


def test_the_classes_share_out_every_age_once():
    assert np.concatenate(CLASS_AGES).tolist() == list(range(len(AGES)))
    assert AGES[CLASS_AGES[4]].tolist() == [18, 19]
    assert AGES[CLASS_AGES[-1]].tolist() == [*range(85, 101), 105, 110]
