from __future__ import annotations

import doctest
import importlib

import pytest


@pytest.mark.parametrize(
    "module",
    [
        "policy_sim.binning.expectation",
        "policy_sim.binning.spread",
        "policy_sim.binning.spread_to_g",
        "policy_sim.binning.uneven",
        "policy_sim.groups",
    ],
)
def test_examples_in_docstrings_hold(module):
    outcome = doctest.testmod(importlib.import_module(module))
    assert outcome.attempted > 0
    assert outcome.failed == 0
