"""Files of several states against people drawn one by one; all twelve stand in ``benchmarks/catchments.py``."""

from __future__ import annotations

import pytest
from pinned import pinned

from benchmarks.catchments import CATCHMENTS, TOO_FAR, figures_of
from policy_sim import Study


@pytest.mark.slow
@pytest.mark.parametrize(("people", "places"), pinned(CATCHMENTS[1:2], CATCHMENTS))
def test_people_drawn_in_several_states_are_named_as_the_whole_expects(people, places):
    figures = list(figures_of(Study("us-2020", 2026), people, places))
    assert {figure.measure for figure in figures} == {"total-risk", "1-distinct", "claims"}
    assert len(figures) == 10
    assert all(abs(figure.errors) < TOO_FAR for figure in figures)
