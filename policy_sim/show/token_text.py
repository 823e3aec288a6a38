"""The table of what linkage tokens risk."""

from __future__ import annotations

import pandas as pd

from policy_sim.show.numbers import people, percent, status_word
from policy_sim.show.text_table import Column, layout, ranges
from policy_sim.show.theme import attacker_title

_FIGURES = (
    (("named,", "knows file"), "named"),
    (("named,", "does not"), "untold"),
)


def token_table(rows: pd.DataFrame) -> str:
    """Write the people named by size of the file, one block for each place, attacker and design."""
    blocks = []
    for (state, attacker, design), part in rows.groupby(["state", "attacker", "design"], sort=False):
        head = f"{state}, {attacker_title(attacker)}, token {design} ({part['fields'].iloc[0]})"
        if part["named_low"].isna().all():
            reason = str(part["reason"].iloc[0])
            blocks.append(f"{head}\n{status_word(part['status'].iloc[0])}: {reason}")
            continue
        columns = [
            Column(("share", name[1]), ranges(part, f"{stem}_low_share", f"{stem}_high_share", percent))
            for name, stem in _FIGURES
        ]
        columns[:0] = [Column(name, ranges(part, f"{stem}_low", f"{stem}_high", people)) for name, stem in _FIGURES]
        columns.append(Column(("token", "repeated"), _shares(part, "repeated")))
        columns.append(Column(("clear fields", "alone"), _shares(part, "clear_only")))
        columns.append(Column(("with", "the key"), _shares(part, "with_key")))
        sizes = Column(("people", "in the file"), tuple(map(people, part["people"])))
        blocks.append(f"{head}\n{layout([sizes], columns)}")
    return "\n\n".join(blocks)


def _shares(part: pd.DataFrame, name: str) -> tuple[str, ...]:
    return tuple(percent(figure / size) for figure, size in zip(part[name], part["people"], strict=True))
