"""Policies from TOML: those that ship, and the user's own files."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from policy_sim.errors import PolicySimError, SchemaError, UnknownNameError
from policy_sim.fields import GRANULARITIES, Field, Granularities
from policy_sim.policies.policy import Policy
from policy_sim.sources.paths import data_dir

__all__ = ["list_policies", "load_policy"]

_KEYS = ("name", "title", "citation", "fields")


def list_policies() -> dict[str, Path]:
    """Return the policies that ship: name to file."""
    return {path.stem: path for path in sorted((data_dir() / "policies").glob("*.toml"))}


@cache
def load_policy(name_or_path: str) -> Policy:
    """Return a policy by the name it ships under, or from a TOML file.

    Raises
    ------
    UnknownNameError : no shipped policy has that name.
    SchemaError : the file is not a policy; every problem at once.
    """
    shipped = list_policies()
    if name_or_path in shipped:
        return _read(shipped[name_or_path], where=f"policy {name_or_path}")
    if name_or_path.endswith(".toml"):
        return _read(Path(name_or_path), where=name_or_path)
    raise UnknownNameError("policy", name_or_path, shipped)


def _read(path: Path, where: str) -> Policy:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SchemaError(where, [f"cannot be read as TOML: {error}."]) from error
    problems = _problems(table)
    if problems:
        raise SchemaError(where, problems)
    return Policy(table["name"], table["title"], Granularities(table["fields"]), table["citation"])


def _problems(table: dict[str, Any]) -> list[str]:
    problems = [f"{key} is missing." for key in _KEYS if key not in table]
    problems += [
        f"{key} is not a key of a policy; known: {', '.join(_KEYS)}." for key in set(table) - set(_KEYS)
    ]
    problems += [
        f"{key} = {table[key]!r} must be text."
        for key in ("name", "title", "citation")
        if key in table and not isinstance(table[key], str)
    ]
    fields = table.get("fields", {})
    if not isinstance(fields, dict):
        return [*problems, "fields must be a table of field = granularity."]
    for field, granularity in fields.items():
        try:
            Granularities({field: str(granularity)})
        except PolicySimError as error:
            problems.append(f"fields.{field}: {error}")
    if fields and not problems and all(fields.get(f.value, "none") in ("none", "nation") for f in Field):
        problems.append(f"releases nothing; give at least one of {', '.join(GRANULARITIES)}.")
    return problems
