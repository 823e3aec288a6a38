"""The manifest of the shipped data: what each file is, its sources and its checksum."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from policy_sim.errors import SourceError
from policy_sim.io.files import replace_file
from policy_sim.io.toml_table import toml_table

__all__ = ["MANIFEST_NAME", "to_toml", "update_manifest", "with_facts"]

MANIFEST_NAME = "manifest.toml"
_HEADER = (
    "# What the files in this folder are, where they come from, and their checksums.\n"
    "# Written by the commands that make the files, such as `policy-sim population build`.\n"
)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        items = "".join(f"    {_value(item)},\n" for item in value)
        return f"[\n{items}]" if items else "[]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int | float):
        return repr(value)
    msg = f"a manifest contains text, numbers and lists, not {type(value).__name__}"
    raise TypeError(msg)


def to_toml(table: Mapping[str, Any], path: tuple[str, ...] = ()) -> str:
    """Write nested tables of text, numbers and lists as TOML."""
    plain = {key: value for key, value in table.items() if not isinstance(value, Mapping)}
    text = ""
    if path and plain:
        text += f"\n[{'.'.join(path)}]\n"
    text += "".join(f"{key} = {_value(value)}\n" for key, value in plain.items())
    for key, value in table.items():
        if isinstance(value, Mapping):
            text += to_toml(value, (*path, key))
    return text


def update_manifest(folder: Path, kind: str, name: str, facts: Mapping[str, Any]) -> Path:
    """Write :func:`with_facts` into the folder's manifest, and return its path.

    Raises
    ------
    SourceError : the existing manifest cannot be read.
    OutputError : the manifest cannot be written.
    """
    path = folder / MANIFEST_NAME
    replace_file(path, with_facts(folder, kind, name, facts))
    return path


def with_facts(folder: Path, kind: str, name: str, facts: Mapping[str, Any]) -> bytes:
    """Return the folder's manifest with the facts of one file added or replaced.

    Raises
    ------
    SourceError : the existing manifest cannot be read.
    """
    path = folder / MANIFEST_NAME
    document: dict[str, Any] = {}
    if path.exists():
        try:
            document = toml_table(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise SourceError(f"{path}: cannot be read ({error}). Correct it or remove it.") from error
    document[kind] = dict(sorted({**document.get(kind, {}), name: dict(facts)}.items()))
    return (_HEADER + to_toml(document)).encode()
