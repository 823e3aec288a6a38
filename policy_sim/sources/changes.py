"""Changes of a voter list from a TOML file: one key an item."""

from __future__ import annotations

import tomllib
from pathlib import Path

from policy_sim.attackers.changes import CHANGEABLE
from policy_sim.errors import SchemaError
from policy_sim.sources.toml_table import not_toml

__all__ = ["read_changes"]


def read_changes(path: Path) -> dict[str, str]:
    """Return the changes of a file such as ``birth = "date"``, ``price = 0``.

    Raises
    ------
    SchemaError : it is not TOML, or a key or value is not one of a change; every problem at once.
    """
    try:
        text = path.read_text(encoding="utf-8")
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SchemaError(str(path), [f"{not_toml(error, text)}."]) from error
    except (OSError, UnicodeDecodeError) as error:
        raise SchemaError(str(path), [f"cannot be read as TOML: {getattr(error, 'strerror', '') or error}."]) from error
    problems = [
        f"{key} is not an item of a voter list; known: {', '.join(CHANGEABLE)}." for key in raw if key not in CHANGEABLE
    ]
    problems += [
        f"{key} = {value!r} is not a text or a number."
        for key, value in raw.items()
        if isinstance(value, bool) or not isinstance(value, (str, int, float))
    ]
    if problems:
        raise SchemaError(str(path), problems)
    return {key: str(value) for key, value in raw.items()}
