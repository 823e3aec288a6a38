from __future__ import annotations

import pandas as pd
import pytest

from policy_sim.errors import InputError
from policy_sim.records.error_tree import error_tree
from policy_sim.records.sampling_study import Simulation, simulate


def test_error_tree_finds_what_was_put_in():
    rows = [
        (fraction, model, 2.0 if model == "bad" and fraction < 0.1 else 0.01)
        for fraction in (0.05, 0.5)
        for model in ("bad", "good")
        for _ in range(20)
    ]
    errors = pd.DataFrame(rows, columns=["fraction", "model", "relative_error"]).assign(measure="uniqueness")
    tree = error_tree(Simulation(errors, 100, 20, 0), depth=2)
    assert tree.runs == 80
    assert tree.mean_relative_error == pytest.approx((2 + 3 * 0.01) / 4)
    leaf = tree
    while leaf.question is not None:
        leaf = leaf.yes if leaf.yes.mean_relative_error > leaf.no.mean_relative_error else leaf.no
    assert (leaf.runs, leaf.mean_relative_error) == (20, pytest.approx(2.0))
    assert "2.000 (20 runs)" in "\n".join(tree.lines())


def test_error_tree_of_nothing_says_so():
    done = simulate([1, 2, 3, 4], (0.5,), 2, models=["argus"])
    with pytest.raises(InputError, match="no relative error"):
        error_tree(done, measure="prosecutor")
