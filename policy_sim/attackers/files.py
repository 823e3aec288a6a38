"""Files about attackers: adversaries, amounts of money, and how many adults are registered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import AfterValidator, Field, RootModel, model_validator

from policy_sim.attackers.adversary import AMOUNT_KINDS, PURPOSES, READINGS, Constraints, DollarAmount
from policy_sim.files.schema import (
    Flag,
    MaybeNumber,
    Number,
    StrictTable,
    Text,
    Words,
    checked,
    lines_error,
    noun_of,
    one_of,
    word,
    words_of,
)
from policy_sim.files.toml import read_toml_file, shipped_files, shipped_table
from policy_sim.voter_lists.list_field import BUYERS
from policy_sim.words.arguments import number
from policy_sim.words.errors import InputError, SchemaError, UnknownNameError
from policy_sim.words.states import STATES

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
    table = checked(_AdversaryTable, read_toml_file(path, name_or_path), name_or_path)
    return noun_of(Constraints, table, name=path.stem)


def _someone(buyers: tuple[str, ...]) -> tuple[str, ...]:
    if not buyers:
        raise ValueError(f"is missing; name at least one of {', '.join(BUYERS)}.")
    return buyers


_Buyers: Any = words_of(BUYERS)


class _AdversaryTable(StrictTable):
    title: Text
    buyer: Annotated[_Buyers, AfterValidator(_someone)] = Field((), validate_default=True)
    purpose: word(PURPOSES)  # type: ignore[valid-type]
    money_usd: MaybeNumber = None
    days: MaybeNumber = None
    days_per_request: Number = 1.0
    misrepresents: Flag = False
    breaks_agreements: Flag = False
    breaks_law: Flag = False


# Gains, costs and penalties of attacks, from ``data/economics``.


_MOST_USD = 1e12


class _AmountTable(StrictTable):
    usd_low: MaybeNumber = None
    usd_high: MaybeNumber = None
    cap_usd: MaybeNumber = None
    what: Text
    per: Text
    date: Text
    source: Text
    address: Text = ""
    note: Text = ""
    read: word(READINGS)  # type: ignore[valid-type]

    @model_validator(mode="after")
    def _ends_in_order(self) -> _AmountTable:
        low, high = self.usd_low, self.usd_high
        if (low is None) != (high is None) or (low is not None and high is not None and low > high):
            raise lines_error(["usd_low and usd_high must both be present, in order, or both be absent."])
        return self


@cache
def load_amounts() -> Mapping[str, DollarAmount]:
    """Return every amount that ships, by name, in the order of the files."""
    amounts: dict[str, DollarAmount] = {}
    for kind in AMOUNT_KINDS:
        where = f"economics/{kind}.toml"
        tables = checked(RootModel[dict[str, _AmountTable]], shipped_table(where), f"data/{where}").root
        if twice := amounts.keys() & tables:
            lines = [f"{name} is in two files. Give each amount its own name." for name in sorted(twice)]
            raise SchemaError(f"data/{where}", lines)
        amounts |= {name: noun_of(DollarAmount, table, name=name, kind=kind) for name, table in tables.items()}
    return MappingProxyType(amounts)


def amount_of(usd_or_name: str | float, kind: str) -> tuple[float, str]:
    """Return dollars and where they come from, of a number or the name of a shipped amount (its higher end).

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


class _SurveyTable(StrictTable):
    registered: dict[Annotated[str, AfterValidator(one_of(tuple(STATES)))], int]
    title: Text
    publisher: Text
    read_at: Text = ""
    year: int
    note: Text = ""
    used_for: Words = ()


@cache
def load_registered_voters() -> Mapping[str, RegisteredVoters]:
    """Return the surveys that ship, by name."""
    where = "registered_voters.toml"
    tables = checked(RootModel[dict[str, _SurveyTable]], shipped_table(where), f"data/{where}").root
    return MappingProxyType(
        {
            name: noun_of(RegisteredVoters, table, name=name, by_state=MappingProxyType(table.registered))
            for name, table in tables.items()
        }
    )
