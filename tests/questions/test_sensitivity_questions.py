"""The effect of each assumption, from Python."""

from __future__ import annotations

import pytest

from policy_sim import Study
from policy_sim.errors import InputError, UnknownNameError


def test_the_largest_change_of_each_figure_comes_first():
    answer = Study("us-2010", 2026).sensitivity("DE", "safe-harbor", "general", 1)
    assert {swing.state for swing in answer} == {"DE"}
    for measure in {swing.measure for swing in answer}:
        reaches = [swing.reach for swing in answer if swing.measure == measure]
        assert reaches == sorted(reaches, reverse=True)


def test_what_is_not_known_is_one_line():
    with pytest.raises(UnknownNameError, match="state"):
        Study("us-2010", 2026).sensitivity("ZZ")
    with pytest.raises(InputError, match="in the file"):
        Study("us-2010", 2026).sensitivity("DE", in_file=-1)
