"""The publisher's game as a table, in words, and as a page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import pandas as pd

from policy_sim.render import theme
from policy_sim.render.attack_text import signed_dollars
from policy_sim.render.numbers import Formatter, compact, people, percent
from policy_sim.render.price_sources import source_columns, source_lines
from policy_sim.render.text_table import Column, layout, wrapped
from policy_sim.states import STATES

__all__ = ["game_page", "game_table", "game_words"]

_FIGURES: tuple[tuple[str, tuple[str, str], Formatter], ...] = (
    ("utility", ("detail", "kept"), percent),
    ("payoff_usd", ("publisher's", "payoff"), signed_dollars),
    ("attacked", ("attacked", "records"), people),
    ("matched", ("correct", "matches"), people),
    ("precision", ("right, of", "attacked"), percent),
)
_AFTER: tuple[tuple[str, tuple[str, str], Formatter], ...] = (
    ("deterred_share", ("of the best", "payoff"), percent),
    ("gain_over_baseline_usd", ("better than", "Safe Harbor by"), signed_dollars),
    ("price_usd", ("price of", "the list"), signed_dollars),
)
_STYLE = "body{font:16px/1.5 system-ui,sans-serif;color:#222;max-width:46rem;margin:2rem auto;padding:0 1rem}"


def game_table(rows: pd.DataFrame, width: int | None = None) -> str:
    """Write one line per state and penalty, then the result in words."""
    keys = [_texts(rows, "state", ("", "state")), _texts(rows, "penalty", ("", "penalty"))]
    columns = [_texts(rows, "policy", ("", "best policy"))]
    columns += [_numbers(rows, *figure) for figure in _FIGURES]
    columns += [_texts(rows, "deterred_policy", ("best that no", "attack answers"))]
    columns += [_numbers(rows, *figure) for figure in _AFTER]
    columns += [_texts(rows, "price_status", ("price", "status")), *source_columns(rows)]
    return "\n".join([layout(keys, columns, width), "", *wrapped([*game_words(rows), *source_lines(rows)], width)])


def game_words(rows: pd.DataFrame) -> list[str]:
    """Return what follows from the solutions: one sentence per state, or sums over the states where there are many."""
    lines = []
    for penalty in dict.fromkeys(rows["penalty"]):
        part = rows[rows["penalty"] == penalty]
        head = f"{str(penalty).capitalize()} a penalty"
        lines += _few(part, head) if part["state"].nunique() <= 5 else _many(part, head)
    return lines


def _few(rows: pd.DataFrame, head: str) -> list[str]:
    lines = []
    for row in rows.to_dict("records"):
        where = STATES[str(row["state"])].name if str(row["state"]) in STATES else str(row["state"])
        if pd.isna(row["policy"]):
            lines.append(f"{head}, {where}: no policy is known to be the best ({row['reason'] or 'none pays'}).")
            continue
        text = f"{head}, {where}: the publisher does best with {theme.policy_title(str(row['policy']))}"
        text += f" ({percent(float(row['utility']))} of the detail)"
        text += _answer(row)
        if not pd.isna(row["gain_over_baseline_usd"]) and row["gain_over_baseline_usd"]:
            text += f" That is {signed_dollars(float(row['gain_over_baseline_usd']))} more than with Safe Harbor."
        if not pd.isna(row["deterred_share"]) and row["deterred_policy"] != row["policy"]:
            text += (
                f" The best policy under which no attack pays, {theme.policy_title(str(row['deterred_policy']))}, "
                f"brings {percent(float(row['deterred_share']))} of that payoff."
            )
        lines.append(text)
    return lines


def _answer(row: dict[object, object]) -> str:
    if not row["attacked"]:
        return "; no attack pays."
    return (
        f"; the recipient attacks {compact(float(str(row['attacked'])))} of {compact(float(str(row['records'])))} "
        f"records and names {compact(float(str(row['matched'])))} correctly."
    )


def _many(rows: pd.DataFrame, head: str) -> list[str]:
    solved = rows[rows["policy"].notna()]
    counts = solved["policy"].value_counts()
    named = ", ".join(f"{theme.policy_title(str(policy))} in {number}" for policy, number in counts.items())
    quiet = int((solved["attacked"] == 0).sum())
    better = int((solved["gain_over_baseline_usd"] > 0).sum())
    lines = [f"{head}: of {len(rows)} states, the publisher does best with {named or 'nothing'}."]
    lines.append(
        f"{head}: in {quiet} states no attack pays under the best policy; in {better} the best policy beats "
        f"Safe Harbor."
    )
    if len(solved) < len(rows):
        lines.append(f"{head}: in {len(rows) - len(solved)} states no policy is known to be the best.")
    return lines


def game_page(rows: pd.DataFrame, notes: Sequence[str]) -> str:
    """Return one page in words: the game, the result, and what it rests on."""
    rules = (
        "The publisher of a file chooses what the file shows of each person. The recipient then buys the state's "
        "voter list and attacks the records for which an attempt pays, or does nothing. The publisher gains more from "
        "a record that shows more detail, and loses money for each person who is re-identified. It knows what the "
        "recipient will do and chooses the policy with the highest payoff."
    )
    body = [f"<h1>The publisher's game</h1><p>{escape(rules)}</p><h2>Result</h2>"]
    body += [f"<p>{escape(line)}</p>" for line in game_words(rows)]
    body += ["<h2>Made from</h2><ul>", *(f"<li>{escape(note)}</li>" for note in notes), "</ul>"]
    head = '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>The publisher\'s game</title>'
    view = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    return f"{head}{view}<style>{_STYLE}</style></head><body>\n" + "\n".join(body) + "\n</body></html>\n"


def _texts(rows: pd.DataFrame, name: str, head: tuple[str, str]) -> Column:
    cells = tuple("" if pd.isna(value) else _cut(str(value)) for value in rows[name])
    return Column(head, cells, right=False)


def _cut(text: str, most: int = 44) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _numbers(rows: pd.DataFrame, name: str, head: tuple[str, str], write: Formatter) -> Column:
    return Column(head, tuple("" if pd.isna(value) else write(float(value)) for value in rows[name]))
