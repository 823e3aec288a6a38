"""Years as text, there and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy_sim.state_releases.year_ranges import year_ranges, years_of


@given(st.sets(st.integers(1900, 2100), min_size=1))
def test_the_text_of_years_gives_the_years_back(years):
    assert years_of(year_ranges(years)) == years


def test_no_years_are_no_text():
    assert year_ranges([]) == ""


@pytest.mark.parametrize("text", ["", "20", "2000-", "2001-2000", "2000, 2000", "2005, 2001", "2000-2004, 2003", "all"])
def test_what_is_not_years_is_refused(text):
    with pytest.raises(ValueError, match="years"):
        years_of(text)
