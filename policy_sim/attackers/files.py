"""Files about attackers: adversaries, amounts of money, and how many adults are registered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from policy_sim.attackers.adversary import PURPOSES, Constraints
from policy_sim.attackers.coverage import ADULTS, COVERAGES, Coverage
from policy_sim.attackers.stakes import AMOUNT_KINDS, READINGS, DollarAmount
from policy_sim.files.paths import data_dir
from policy_sim.files.toml import TomlTable, read_toml_file, shipped_files, shipped_table
from policy_sim.voter_lists.list_field import BUYERS
from policy_sim.words.arguments import number
from policy_sim.words.errors import InputError, SchemaError, UnknownNameError
from policy_sim.words.states import STATES

__all__ = [
    "RegisteredVoters",
    "amount_of",
    "list_adversaries",
    "load_adversary",
    "load_amounts",
    "load_coverage",
    "load_registered_voters",
]


# Adversary profiles from TOML: those that ship, and the user's own files.


def list_adversaries() -> dict[str, Path]:
    """Return the profiles that ship: name to file."""
    return shipped_files("adversaries")


def load_adversary(name_or_path: str) -> Constraints:
    """Return an adversary by the name it ships under, or from a TOML file."""
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


# Gains, costs and penalties of attacks, from ``data/economics``.


_MOST_USD = 1e12


@cache
def load_amounts() -> Mapping[str, DollarAmount]:
    """Return every amount that ships, by name, in the order of the files."""
    amounts: dict[str, DollarAmount] = {}
    for kind in AMOUNT_KINDS:
        problems: list[str] = []
        path = data_dir() / "economics" / f"{kind}.toml"
        top = TomlTable(shipped_table(path), problems)
        for name in top.raw:
            if name in amounts:
                problems.append(f"{name} is in two files. Give each amount its own name.")
            amounts[name] = _amount(top.table(name), name, kind)
        if problems:
            raise SchemaError(f"data/economics/{path.name}", problems)
    return MappingProxyType(amounts)


def amount_of(usd_or_name: str | float, kind: str) -> tuple[float, str]:
    """Return dollars and where they come from, of a number or the name of an amount.

    ``usd_or_name``: dollars, or the name of a shipped amount; an amount with two ends counts as its higher end.

    Examples
    --------
    >>> amount_of(300, "gains"), amount_of("ransom-2009", "gains")[0]
    ((300.0, 'assumed: $300'), 1.2)
    """
    if isinstance(usd_or_name, bool) or not isinstance(usd_or_name, str | int | float):
        raise InputError(
            f"an amount of {kind} is a number of US dollars or the name of an amount, "
            f"not a {type(usd_or_name).__name__}."
        )
    if isinstance(usd_or_name, int | float):
        usd_or_name = number(f"an amount of {kind}", usd_or_name, 0, _MOST_USD)
        return float(usd_or_name), f"assumed: ${usd_or_name:,.10g}"
    try:
        return amount_of(float(usd_or_name), kind)
    except ValueError:
        pass
    names = [name for name, amount in load_amounts().items() if amount.kind == kind]
    if usd_or_name not in names:
        raise UnknownNameError(f"amount of {kind}", usd_or_name, names)
    amount = load_amounts()[usd_or_name]
    if amount.usd_high is None:
        raise InputError(f"no source gives the amount of {usd_or_name}: give a number of dollars.")
    return amount.usd_high, amount.cite()


def _amount(table: TomlTable, name: str, kind: str) -> DollarAmount:
    ends = [table.number(key) if key in table else None for key in ("usd_low", "usd_high", "cap_usd")]
    low, high, cap = ends
    if (low is None) != (high is None) or (low is not None and high is not None and low > high):
        table.problem("usd_low", "and usd_high must both be present, in order, or both be absent.")
    texts = {key: table.text(key, required=key in ("what", "per", "date", "source")) for key in _TEXTS}
    read = table.choice("read", READINGS, required=True)
    table.done(also=("usd_low", "usd_high", "cap_usd"))
    what, per, date, source, address, note = (texts[key] for key in _TEXTS)
    return DollarAmount(name, kind, what, per, low, high, cap, date, source, address, read, note)


_TEXTS = ("what", "per", "date", "source", "address", "note")


# Registered voters by state and survey, and the coverage of the lists that follows.


@dataclass(frozen=True)
class RegisteredVoters:
    """One survey's count of registered voters by state (postal code).

    ``used_for`` names the vintages of lists for which the survey is taken.
    """

    name: str
    title: str
    publisher: str
    read_at: str
    year: int
    note: str
    used_for: tuple[str, ...]
    by_state: Mapping[str, int]


@cache
def load_registered_voters() -> Mapping[str, RegisteredVoters]:
    """Return the surveys that ship, by name."""
    where = data_dir() / "registered_voters.toml"
    problems: list[str] = []
    top = TomlTable(shipped_table(where), problems)
    surveys = {name: _survey(top.table(name), name) for name in top.raw}
    if problems:
        raise SchemaError(f"data/{where.name}", problems)
    return MappingProxyType(surveys)


def load_coverage(name: str, vintage: str) -> Coverage | None:
    """Return who is on the lists of a vintage; none for ``everyone``."""
    if name not in COVERAGES:
        raise UnknownNameError("coverage", name, COVERAGES)
    if name == "everyone":
        return None
    if name == "adults":
        return ADULTS
    surveys = load_registered_voters().values()
    newest = max(surveys, key=lambda survey: survey.year)
    survey = next((candidate for candidate in surveys if vintage in candidate.used_for), newest)
    return Coverage(
        "registered", f"registered voters ({survey.title})", survey.by_state, note=survey.note, year=survey.year
    )


def _survey(table: TomlTable, name: str) -> RegisteredVoters:
    counts = table.table("registered", required=True)
    by_state = {state: int(counts.number(state)) for state in counts.raw if state in STATES}
    counts.done(also=tuple(STATES))
    survey = RegisteredVoters(
        name,
        table.text("title", required=True),
        table.text("publisher", required=True),
        table.text("read_at"),
        int(table.number("year")),
        table.text("note"),
        table.texts("used_for"),
        MappingProxyType(by_state),
    )
    table.done()
    return survey
