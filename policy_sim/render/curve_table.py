"""Curves over g for the eye: one row per g, round values only."""

from __future__ import annotations

import pandas as pd

from policy_sim.render.numbers import Formatter, compact, interval, percent, status_word
from policy_sim.render.text_table import Column, layout
from policy_sim.render.theme import attacker_title, policy_title

__all__ = ["curve_table"]

# What the eye is shown; the rows have every g.
_ROUND = [step * 10**power for power in range(8) for step in (1, 2, 5)]


def curve_table(rows: pd.DataFrame) -> str:
    """Write one row per g: the share g-distinct under each policy and attacker, then the trust differentials.

    Parameters
    ----------
    rows : One state, as :func:`policy_sim.results.result_tables.with_trust` gives it; a profile without a
        list has one row and no g.
    """
    sizes = (
        sorted({int(g) for g in rows["g"].dropna()} & {*_ROUND, int(rows["g"].max())})
        if rows["g"].notna().any()
        else []
    )
    columns = [
        Column(
            (f"g-distinct: {policy_title(str(policy))}", attacker_title(str(attacker))), _cells(part, sizes, "share")
        )
        for (policy, attacker), part in rows.groupby(["policy", "attacker"], sort=False)
    ]
    columns += [
        Column(
            (f"trust diff.: {policy_title(str(policy))}", attacker_title(str(attacker))), _cells(part, sizes, "ratio")
        )
        for (policy, attacker), part in rows[rows["ratio_status"].notna()].groupby(["policy", "attacker"], sort=False)
    ]
    table = layout([Column(("g",), tuple(f"{g:,}" for g in sizes) or ("any",))], columns)
    below = rows["denominator_policy"].dropna().unique()
    return "\n".join(
        [table, *(f"trust diff.: people g-distinct over those under {policy_title(name)}" for name in below)]
    )


def _cells(part: pd.DataFrame, sizes: list[int], name: str) -> tuple[str, ...]:
    write: Formatter = percent if name == "share" else compact
    status = "status" if name == "share" else "ratio_status"
    by_size = part[part["g"].notna()].set_index("g")
    if by_size.empty:
        return (status_word(part["status"].iloc[0]),) * max(len(sizes), 1)
    at_sizes = by_size.reindex(sizes)
    return tuple(
        status_word(word) if pd.isna(low) else interval(low, high, write)
        for low, high, word in zip(at_sizes[name], at_sizes[f"{name}_high"], at_sizes[status], strict=True)
    )
