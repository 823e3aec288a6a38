from __future__ import annotations

import numpy as np
import pytest

from policy_sim.sources.model_error import errors_of_fit, kentucky_errors, model_errors


def test_equal_tables_have_no_error():
    table = np.random.default_rng(1).integers(0, 50, (3, 2, 23, 7))
    assert all(error == 0 for _, _, error in errors_of_fit(table, table))


def test_one_person_by_hand():
    """A state of one county and class: 2 people counted, 3 fitted, by year of birth in a class of 5 years."""
    counted = np.zeros((1, 2, 23, 1), dtype=np.int64)
    fitted = counted.copy()
    counted[0, 0, 0, 0], fitted[0, 0, 0, 0] = 2, 3
    found = {(key, measure): error for key, measure, error in errors_of_fit(fitted, counted)}
    held = [5 * (1 - 0.8**n) for n in (3, 2)]
    key = "gender+race+birth=year+geography=state"
    assert found[key, "total-risk"] == pytest.approx(held[0] / held[1] - 1)
    assert found[key, "10-distinct"] == pytest.approx(0.5)


def test_the_shipped_errors_are_those_measured(shared):
    shipped = {(e.key, e.measure): e.relative for e in model_errors() if not e.typical}
    measured = {(key, measure): error for key, measure, error in kentucky_errors(shared / "census")}
    assert shipped.keys() == measured.keys()
    for name, error in measured.items():
        assert shipped[name] == pytest.approx(error, abs=1e-6)
