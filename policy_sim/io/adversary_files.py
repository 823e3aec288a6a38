"""Adversary profiles from TOML: those that ship, and the user's own files."""

from __future__ import annotations

from pathlib import Path

from policy_sim.attackers.adversary import PURPOSES, Constraints
from policy_sim.errors import SchemaError, UnknownNameError
from policy_sim.io.toml_files import read_toml_file, shipped_files
from policy_sim.io.toml_table import TomlTable
from policy_sim.voter_lists.buyers import BUYERS

__all__ = ["list_adversaries", "load_adversary"]


def list_adversaries() -> dict[str, Path]:
    """Return the profiles that ship: name to file."""
    return shipped_files("adversaries")


def load_adversary(name_or_path: str) -> Constraints:
    """Return an adversary by the name it ships under, or from a TOML file.

    Raises
    ------
    UnknownNameError : no shipped profile has that name.
    SchemaError : the file is not a profile; every problem at once.
    """
    shipped = list_adversaries()
    if name_or_path not in shipped and not name_or_path.endswith(".toml"):
        raise UnknownNameError("adversary", name_or_path, shipped)
    path = shipped.get(name_or_path, Path(name_or_path))
    problems: list[str] = []
    raw = read_toml_file(path, name_or_path)
    adversary = _parse(TomlTable(raw, problems), path.stem)
    if problems or adversary is None:
        raise SchemaError(name_or_path, problems)
    return adversary


def _parse(table: TomlTable, name: str) -> Constraints | None:
    title = table.text("title", required=True)
    buyer = table.texts("buyer", BUYERS)
    purpose = table.choice("purpose", PURPOSES, required=True)
    money = table.number("money_usd") if "money_usd" in table else None
    days = table.number("days") if "days" in table else None
    per_request = table.number("days_per_request", 1.0)
    willing = [table.flag(key) for key in ("misrepresents", "breaks_agreements", "breaks_law")]
    table.done(also=("money_usd", "days"))
    if not buyer:
        table.problem("buyer", f"is missing; name at least one of {', '.join(BUYERS)}.")
    if table.problems:
        return None
    return Constraints(name, title, buyer, purpose, money, days, per_request, *willing)
