"""Gains, costs and penalties of attacks, from ``data/economics``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from policy_sim.arguments import number
from policy_sim.attackers.dollar_amount import AMOUNT_KINDS, READINGS, DollarAmount
from policy_sim.errors import InputError, SchemaError, UnknownNameError
from policy_sim.files.paths import data_dir
from policy_sim.io.toml_files import shipped_table
from policy_sim.io.toml_table import TomlTable

__all__ = ["amount_of", "load_amounts"]

_MOST_USD = 1e12


@cache
def load_amounts() -> Mapping[str, DollarAmount]:
    """Return every amount that ships, by name, in the order of the files.

    Raises
    ------
    SchemaError : a file is damaged; every problem at once.
    """
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

    Parameters
    ----------
    usd_or_name : Dollars, or the name of a shipped amount; an amount with two ends counts as its higher end.
    kind : What it must be: one of :data:`~policy_sim.attackers.dollar_amount.AMOUNT_KINDS`.

    Raises
    ------
    UnknownNameError : no amount of the kind has the name.
    InputError : the amount is not known.

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
