"""Every public name says what it is; every class of ``policy_sim`` shows itself in an example, which is run."""

from __future__ import annotations

import inspect

import pytest
from hostile_doors import front_doors, public_members

import policy_sim

DOORS = front_doors()


@pytest.mark.parametrize("name", DOORS)
def test_each_door_and_its_members_say_what_they_are(name):
    door = DOORS[name]
    members = public_members(door) if inspect.isclass(door) else ()
    assert not [member for member, _, function in members if not (function.__doc__ or "").strip()]
    assert (door.__doc__ or "").strip()


@pytest.mark.parametrize("name", [name for name in policy_sim.__all__ if inspect.isclass(DOORS[name])])
def test_each_class_shows_itself(name):
    assert ">>>" in DOORS[name].__doc__
