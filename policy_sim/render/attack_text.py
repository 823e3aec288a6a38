"""Attacks and break-even points as text: a table, and what follows from it in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from policy_sim.render import theme
from policy_sim.render.numbers import Formatter, dollars, people, percent, status_word
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
        _texts(rows, "price_date", ("price", "seen")),
        _texts(rows, "price_source", ("price,", "source")),
    ]
    return "\n".join([layout(_keys(rows), columns, width), *wrapped(verdict_lines(rows), width)])


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
        _texts(rows, "price_date", ("price", "seen")),
        _texts(rows, "price_source", ("price,", "source")),
    ]
    return "\n".join([layout(_keys(rows), columns, width), *wrapped(verdict_lines(rows), width)])


def verdict_lines(rows: pd.DataFrame) -> list[str]:
    """Say for how many states an attack pays, per policy and attacker.

    Where none pays, it says so and under which assumptions they are read: the amounts stand in the notes below.
    """
    lines = []
    for (policy, attacker), part in rows.groupby(["policy", "attacker"], sort=False):
        states = part["state"].nunique()
        by_state = part.groupby("state", sort=False)["verdict"].agg(set)
        pays = int(sum("pays" in verdicts for verdicts in by_state))
        unclear = int(sum("pays" not in v and "depends on the price" in v for v in by_state))
        none = int(sum(verdicts == {"no list"} for verdicts in by_state))
        head = f"{theme.policy_title(str(policy))}, {theme.attacker_title(str(attacker))}"
        if pays:
            text = f"an attack pays in {pays} of {_states(states)}"
        else:
            text = (
                f"no attack pays in {'this state' if states == 1 else f'any of {_states(states)}'} with these amounts"
            )
        text += f"; in {unclear} it depends on a price that is unknown" if unclear else ""
        text += f"; in {none} there is no list" if none else ""
        lines.append(f"{head}: {text}.")
    return lines


def _states(number: int) -> str:
    return f"{number} state{'' if number == 1 else 's'}"


def _keys(rows: pd.DataFrame) -> list[Column]:
    names = [name for name in ("state", "policy", "attacker", "unknown_fields") if rows[name].notna().any()]
    return [_texts(rows, name, ("", name.replace("_", " "))) for name in names]


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
