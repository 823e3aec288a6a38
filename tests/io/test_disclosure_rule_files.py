"""The rules on small cells that ship, and a name that does not."""

from __future__ import annotations

import pytest

from policy_sim.errors import UnknownNameError
from policy_sim.io.disclosure_rule_files import list_release_checks, load_release_check


@pytest.mark.parametrize("name", list_release_checks())
def test_every_shipped_rule_can_be_read_and_used_as_a_key(name):
    rule = load_release_check(name)
    assert rule.name == name
    assert hash(rule) == hash(load_release_check(name))


def test_an_unknown_name_lists_those_that_exist():
    with pytest.raises(UnknownNameError) as caught:
        load_release_check("no-such-rule")
    assert all(name in str(caught.value) for name in list_release_checks())
