"""Changes of a voter list from a TOML file: one key an item."""

from __future__ import annotations

from pathlib import Path

from policy_sim.errors import SchemaError
from policy_sim.io.toml_files import read_toml_file
from policy_sim.io.toml_table import shortened
from policy_sim.voter_lists.amendments import CHANGEABLE

__all__ = ["read_changes"]


def read_changes(path: Path) -> dict[str, str]:
    """Return the changes of a file such as ``birth = "date"``, ``price = 0``.

    Raises
    ------
    SchemaError : it is not TOML, or a key or value is not one of a change; every problem at once.
    """
    raw = read_toml_file(path)
    problems = [
        f"{shortened(key)} is not an item of a voter list. Use one of {', '.join(CHANGEABLE)}."
        for key in raw
        if key not in CHANGEABLE
    ]
    problems += [
        f"{key} = {shortened(repr(value))} is not a text or a number."
        for key, value in raw.items()
        if key in CHANGEABLE and (isinstance(value, bool) or not isinstance(value, (str, int, float)))
    ] + [
        f"{shortened(key)} is a number of more than 15 digits."
        for key, value in raw.items()
        if isinstance(value, int) and abs(value) > 10**15
    ]
    if problems:
        raise SchemaError(str(path), problems)
    return {key: str(value) for key, value in raw.items()}
