"""The states."""

from __future__ import annotations

import pytest

from policy_sim.words.errors import UnknownNameError
from policy_sim.words.states import STATES, find_state, find_states, unknown_state


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


_ALLOWED = "Write a two-letter code such as OH or a name such as Ohio."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Ohoi", f"state 'Ohoi' is not known. Did you mean 'Ohio'? {_ALLOWED}"),
        ("new jersy", f"state 'new jersy' is not known. Did you mean 'New Jersey'? {_ALLOWED}"),
        ("ZZ", f"state 'ZZ' is not known. {_ALLOWED}"),
    ],
)
def test_the_message_names_the_nearest_state_and_what_to_write(text, message):
    with pytest.raises(UnknownNameError) as error:
        find_state(text)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("text", "held", "end"),
    [
        ("PR", STATES.keys() - {"PR"}, "'PR' is not known. Known: every state except PR."),
        ("TX", ["OH", "DE"], "'TX' is not known. Known: DE, OH."),
        ("Ohoi", STATES.keys() - {"PR"}, f"'Ohoi' is not known. Did you mean 'Ohio'? {_ALLOWED}"),
        ("Bretange", ["Bretagne", "Corse"], "Did you mean 'Bretagne'? Known: Bretagne, Corse."),
    ],
)
def test_the_message_about_a_missing_state_lists_what_is_shorter(text, held, end):
    error = unknown_state("state in population ours:", text, held)
    assert str(error).startswith("state in population ours: ")
    assert str(error).endswith(end)
    assert error.choices == tuple(sorted(held))
