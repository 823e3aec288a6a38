"""Attacks and break-even points as text: a table, and what follows from it in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from policy_sim.render import theme
from policy_sim.render.numbers import Formatter, dollars, people, percent, status_word
from policy_sim.render.price_sources import source_columns, source_lines
from policy_sim.render.text_table import Column, layout, wrapped

__all__ = ["attack_table", "break_even_table", "signed_dollars", "verdict_lines"]


def signed_dollars(value: float) -> str:
    """Write dollars that may be a loss.

    >>> signed_dollars(12.5), signed_dollars(-3000)
    ('$12.50', '−$3,000')
    """
    return f"−{dollars(-value)}" if value < 0 else dollars(value)


def attack_table(rows: pd.DataFrame, width: int | None = None) -> str:
    """Write one line per attack: the best stop, what it leaves, and the verdict."""
    columns = [
        _figures(rows, "records", ("in the file", "records"), people),
        _figures(rows, "attacked", ("attacked", "records"), people),
        _figures(rows, "matched", ("correct", "matches"), people),
        _figures(rows, "precision", ("right, of", "attacked"), percent),
        _figures(rows, "least_chance", ("chance of", "the last"), percent),
        _figures(rows, "profit_before_price_usd", ("profit", "before price"), signed_dollars),
        _prices(rows),
        _figures(rows, "profit_usd", ("profit", "after it"), signed_dollars),
        _texts(rows, "verdict", ("", "verdict")),
        *source_columns(rows),
    ]
    return "\n".join(
        [layout(_keys(rows), columns, width), *wrapped([*verdict_lines(rows), *source_lines(rows)], width)]
    )


def break_even_table(rows: pd.DataFrame, width: int | None = None) -> str:
    """Write one line per attack: whether it pays, and the gain, price and size of file at which it begins to."""
    columns = [
        _texts(rows, "verdict", ("", "verdict")),
        _figures(rows, "precision", ("right, of", "attacked"), percent),
        _figures(rows, "profit_usd", ("", "profit"), signed_dollars),
        _figures(rows, "break_even_gain_usd", ("break-even", "gain"), dollars),
        _figures(rows, "precision_at_break_even", ("right, of", "attacked there"), percent),
        _figures(rows, "break_even_price_usd", ("break-even", "price"), dollars),
        _figures(rows, "break_even_records", ("smallest file", "records"), people),
        _prices(rows),
        *source_columns(rows),
    ]
    return "\n".join(
        [layout(_keys(rows), columns, width), *wrapped([*verdict_lines(rows), *source_lines(rows)], width)]
    )


def verdict_lines(rows: pd.DataFrame) -> list[str]:
    """Say for how many states an attack pays, per policy and attacker, and for which gain, cost and file."""
    lines = []
    for (policy, attacker), part in rows.groupby(["policy", "attacker"], sort=False):
        states = part["state"].nunique()
        by_state = part.groupby("state", sort=False)["verdict"].agg(set)
        pays = int(sum("pays" in verdicts for verdicts in by_state))
        unclear = int(sum("pays" not in v and "depends on the price" in v for v in by_state))
        none = int(sum(verdicts == {"no list"} for verdicts in by_state))
        head = f"{theme.policy_title(str(policy))}, {theme.attacker_title(str(attacker))}"
        where = "this state" if states == 1 else f"{_states(states)}"
        if pays:
            text = f"an attack pays in {where if states == 1 else f'{pays} of {where}'}"
        elif unclear == states:
            text = f"whether an attack pays in {where} depends on a price that {_why_no_price(part)}"
        else:
            text = f"no attack pays in {where if states == 1 else f'any of {where}'}"
        if unclear and unclear < states:
            text += f"; in {unclear} it depends on a price that {_why_no_price(part)}"
        text += f"; in {none} there is no list" if none else ""
        lines.append(f"{head}: {text}. Assumed: {_assumed(part)}.")
        closed = part[part["restricted_to"].notna() & (part["verdict"] == "pays")]
        if len(closed):
            lines.append(f"  Not for the public: {_buyers(closed)}.")
    return lines


def _why_no_price(rows: pd.DataFrame) -> str:
    statuses = set(rows.loc[rows["verdict"] == "depends on the price", "price_status"])
    if statuses == {"not_modeled"}:
        return "is not modeled, since nobody sells everyone"
    return "no source gives, or of which only a lower bound is known" if "at_least" in statuses else "no source gives"


def _assumed(rows: pd.DataFrame) -> str:
    """Say for which file, gains and costs a verdict holds: they are the same in all rows."""
    first = rows.iloc[0]
    shares = rows["in_file"].astype(float)
    parts = [f"a correct match gains {dollars(float(first['gain_usd']))}"]
    parts.append(f"an attempt costs {dollars(float(first['cost_per_attempt_usd']))}")
    if first["loss_per_wrong_usd"]:
        parts.append(f"a wrong name loses {dollars(float(first['loss_per_wrong_usd']))}")
    if first["penalty_usd"] and first["chance_caught"]:
        parts.append(
            f"the fine per person named is {dollars(float(first['penalty_usd']))}, with chance "
            f"{percent(float(first['chance_caught']))}"
        )
    if (shares == 1).all():
        parts.append("everyone is released")
    elif len(set(shares)) == 1:
        parts.append(f"the file holds {percent(float(shares.iloc[0]))} of the people, and the attacker knows who")
    else:
        parts.append("the file holds as many people of each state, and the attacker knows who")
    return ", ".join(parts)


def _buyers(rows: pd.DataFrame) -> str:
    """Name the states whose lists only some may have, and who."""
    by_buyer = rows.drop_duplicates("state").groupby("restricted_to", sort=False)["state"].agg(" ".join)
    return "; ".join(f"{states} (only for {buyer})" for buyer, states in by_buyer.items())


def _states(number: int) -> str:
    return f"{number} state{'' if number == 1 else 's'}"


def _keys(rows: pd.DataFrame) -> list[Column]:
    names = [name for name in ("state", "policy", "attacker", "unknown_fields") if rows[name].notna().any()]
    return [_texts(rows, name, ("", "unknown" if name == "unknown_fields" else name)) for name in names]


def _texts(rows: pd.DataFrame, name: str, head: Sequence[str]) -> Column:
    cells = tuple("" if pd.isna(value) else _cut(str(value)) for value in rows[name])
    return Column(tuple(head), cells, right=False)


def _cut(text: str, most: int = 40) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _figures(rows: pd.DataFrame, name: str, head: Sequence[str], write: Formatter) -> Column:
    return Column(tuple(head), tuple("" if pd.isna(value) else write(float(value)) for value in rows[name]))


def _prices(rows: pd.DataFrame) -> Column:
    cells = []
    for usd, status in zip(rows["price_usd"], rows["price_status"], strict=True):
        text = status_word(status) if pd.isna(usd) else dollars(float(usd))
        cells.append(f"≥ {text}" if status == "at_least" else text)
    return Column(("price of", "the list"), tuple(cells))
