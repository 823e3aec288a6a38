"""Attackers by name: GENERAL, VOTER, and whoever holds a resource that ships or that a file describes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from policy_sim.attackers import ATTACKERS, Attacker
from policy_sim.errors import InputError, UnknownNameError
from policy_sim.io.resource_files import list_resources, load_resource, resource_holder

__all__ = ["attacker_name", "resource_holders"]


def attacker_name(given: str | Path) -> str:
    """Return the name of an attacker in one form: a known name, or the name of a resource file.

    Raises
    ------
    UnknownNameError : no attacker and no resource has that name.

    Examples
    --------
    >>> attacker_name(" VOTER"), attacker_name("texas-birth-index"), attacker_name("ours.toml")
    ('voter', 'texas-birth-index', 'ours.toml')
    """
    name = str(given).strip()
    if name.endswith(".toml"):
        return name
    known = (*ATTACKERS, *list_resources())
    if name.casefold() not in known:
        raise UnknownNameError("attacker", name, known)
    return name.casefold()


def resource_holders(names: Iterable[str | Attacker]) -> dict[str, Attacker]:
    """Return the attackers who hold a resource, by the name or file that was given for each.

    Raises
    ------
    SchemaError : a file that is not a resource; every problem at once.
    InputError : a resource by the name of another attacker.
    """
    given = [name for name in names if isinstance(name, str) and name not in ATTACKERS]
    held = {name: resource_holder(load_resource(name)) for name in given}
    for name, attacker in held.items():
        if attacker.name in ATTACKERS:
            raise InputError(f"{name}: a resource cannot be named {attacker.name!r}. Choose another name.")
    return held
