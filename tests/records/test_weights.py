"""A file without records has no share, and says why."""

from __future__ import annotations

import numpy as np
import pytest

from policy_sim.estimators.base import constant_rate_inverse
from policy_sim.records.classes import Classes
from policy_sim.records.profile import marginal
from policy_sim.records.tables import weighted_figures
from policy_sim.records.weights import WeightedRisk, expected_inverse, weighted_risk
from policy_sim.words.errors import InputError


def test_no_records():
    nothing = np.zeros(0)
    empty = Classes(("a",), np.zeros((0, 1), dtype=np.int32), np.zeros(0, dtype=np.int64), (0,))
    table = weighted_figures(WeightedRisk(empty, nothing, nothing, nothing, 0))
    assert set(table["status"]) == {"undefined"}
    assert table["share"].isna().all()


# Risk by survey weights: by hand, and against the estimator of one rate.


@pytest.mark.parametrize("probability", [0.001, 0.1, 0.5, 0.9, 1.0])
def test_one_weight_for_all_is_mu_argus(probability):
    size = np.array([1, 2, 3, 10, 60])
    ours = expected_inverse(size, size / probability)
    np.testing.assert_allclose(ours, constant_rate_inverse(size, probability), rtol=1e-10)


def test_classes_by_hand():
    rows = [("F", "30", "2.5"), ("F", "30", "1.5"), ("M", "30", "10"), ("M", "41", "1")]
    classes = Classes.of_rows(rows, ("sex", "age", "w"))
    weights = np.array([float(text) for text in sorted({row[2] for row in rows})])
    risk = weighted_risk(classes, weights, "w")
    assert sorted(zip(risk.classes.sizes.tolist(), risk.people.tolist(), strict=True)) == [
        (1, 1.0),
        (1, 10.0),
        (2, 4.0),
    ]
    assert risk.unique == pytest.approx(1 + 0.1)  # the man of 41 stands for himself alone
    assert risk.expected == pytest.approx(1 - 0.1 * np.log(0.1) / 0.9 + 2 * expected_inverse(2, 4.0).item())
    assert risk.below_one == 0


@pytest.mark.parametrize("weights", [[0.0, 1.0], [-1.0, 1.0], [np.nan, 1.0], [np.inf, 1.0]])
def test_a_weight_that_is_none_is_refused(weights):
    classes = Classes.of_rows([("F", "1"), ("M", "2")], ("sex", "w"))
    with pytest.raises(InputError, match="above 0"):
        weighted_risk(classes, np.array(weights), "w")


def test_a_record_without_a_weight_is_refused():
    with pytest.raises(InputError, match="1 records have no weight"):
        weighted_risk(Classes.of_rows([("F", "1"), ("M", None)], ("sex", "w")), np.array([1.0]), "w")


# Merging along fields against counting records, for classes in rows and for a counter each.


def test_more_records_than_half_a_width_holds():
    classes = Classes(("a", "b"), np.array([[1, 1], [1, 2], [2, 1]], dtype=np.int32), np.array([2**31, 5, 7]), (2, 2))
    merged = marginal(classes, np.arange(3)).on((0,))
    assert merged.sizes.tolist() == [2**31 + 5, 7]
