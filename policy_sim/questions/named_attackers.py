"""Attackers by name: GENERAL, VOTER, and whoever holds a resource that ships or that a file describes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from policy_sim.attackers import ATTACKERS, Attacker
from policy_sim.errors import InputError, UnknownNameError
from policy_sim.files.paths import kind_of
from policy_sim.io.resource_files import list_resources, load_resource, resource_holder

__all__ = ["attacker_name", "joined_name", "parts_of", "resource_holders"]


def attacker_name(text: str | Path) -> str:
    """Return the name of an attacker in one form: a known name, the name of a resource file, or several with ``+``.

    Raises
    ------
    UnknownNameError : no attacker and no resource has that name.

    Examples
    --------
    >>> attacker_name(" VOTER"), attacker_name("texas-birth-index"), attacker_name("ours.toml")
    ('voter', 'texas-birth-index', 'ours.toml')
    >>> attacker_name("VOTER+texas-birth-index")
    'voter+texas-birth-index'
    """
    name = str(text).strip()
    if "+" in name and kind_of(Path(name)) != "file":
        return "+".join(attacker_name(part) for part in name.split("+"))
    if name.endswith(".toml"):
        return name
    names = (*ATTACKERS, *list_resources())
    if name.casefold() not in names:
        raise UnknownNameError("attacker", name, names)
    return name.casefold()


def parts_of(name: str) -> list[str]:
    """Return the attackers whose resources one name joins: itself, where it joins none.

    >>> parts_of("voter+texas-birth-index"), parts_of("general")
    (['voter', 'texas-birth-index'], ['general'])
    """
    return [name] if kind_of(Path(name)) == "file" else name.split("+")


def resource_holders(names: Iterable[str | Attacker]) -> dict[str, Attacker]:
    """Return the attackers who hold a resource, by the name or file that was given for each.

    Raises
    ------
    SchemaError : a file that is not a resource; every problem at once.
    InputError : a resource by the name of another attacker.
    """
    file_names = [part for name in names if isinstance(name, str) for part in parts_of(name) if part not in ATTACKERS]
    held = {name: resource_holder(load_resource(name)) for name in file_names}
    for name, attacker in held.items():
        if attacker.name in ATTACKERS:
            raise InputError(f"{name}: a resource cannot be named {attacker.name!r}. Choose another name.")
    return held


def joined_name(name: str, held: Mapping[str, Attacker]) -> str:
    """Return what an attacker is called: the names of its resources, and not of their files.

    Parameters
    ----------
    name : As :func:`attacker_name` gives it.
    held : As :func:`resource_holders` gives them.
    """
    return "+".join(held[part].name if part in held else part for part in parts_of(name))
