from __future__ import annotations

import numpy as np
import pytest

from policy_sim.estimators import FiniteClasses
from policy_sim.estimators.finite_classes import fit_finite_classes
from policy_sim.groups.size_histogram import SizeHistogram

SIZES = {1: 5, 2: 8, 3: 9, 4: 8, 5: 7}


@pytest.mark.parametrize("sizes", [{1: 9}, {9: 1}])
def test_a_sample_without_a_pair_or_with_one_class_has_no_answer(sizes):
    fitted = FiniteClasses().estimate(sizes, 100)
    assert (fitted.uniques, fitted.marketer_risk) == (None, None)
    assert "more than one class" in fitted.status


def test_the_fit_has_the_classes_seen_and_more():
    fit = fit_finite_classes(SizeHistogram.of(SIZES))
    assert fit.classes >= 37
    assert fit.kappa > 0


def test_a_sample_of_equal_classes_gives_their_number_back():
    """The fit finds 500 equally likely classes from 2,000 draws, which miss about nine of them."""
    drawn = np.random.default_rng(2).multinomial(2_000, np.full(500, 1 / 500))
    fit = fit_finite_classes(SizeHistogram.from_classes(drawn))
    assert fit.classes == pytest.approx(500, rel=0.03)
    assert fit.kappa > 10


def test_uniques_become_fewer_as_people_join_a_fixed_number_of_classes():
    uniques = [FiniteClasses().estimate(SIZES, people).uniques for people in (400, 100_000)]
    assert uniques == sorted(uniques, reverse=True)
    assert uniques[-1] < 0.1


def test_nearly_the_whole_population_is_nearly_counted():
    fitted = FiniteClasses().estimate(SIZES, 116)
    assert fitted.marketer_risk == pytest.approx(37 / 116, abs=1 / 116)
