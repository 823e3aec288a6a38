"""The states."""

from __future__ import annotations

import pytest

from policy_sim.errors import UnknownNameError
from policy_sim.states import STATES, find_state, find_states


def test_fifty_states_the_district_and_puerto_rico():
    assert len(STATES) == 52
    assert len({state.fips for state in STATES.values()}) == 52
    assert [state.fips for state in STATES.values() if state.postal != "PR"] == sorted(
        state.fips for state in STATES.values() if state.postal != "PR"
    )


@pytest.mark.parametrize("text", ["OH", "oh", "39", "Ohio", " ohio "])
def test_a_state_by_any_of_its_names(text):
    assert find_state(text).postal == "OH"


def test_each_state_once_in_the_order_given():
    assert [state.postal for state in find_states(["TX", "48", "Ohio"])] == ["TX", "OH"]


def test_a_wrong_name_is_told_the_near_one():
    with pytest.raises(UnknownNameError, match="state 'ZZ' is not known"):
        find_state("ZZ")
