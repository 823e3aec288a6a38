"""A reproduction as tidy rows."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from policy_sim.analyses.reproduction.printed_figure import Paper, Row

__all__ = ["reproduction_frame"]


def reproduction_frame(paper: Paper, rows: Iterable[Row]) -> pd.DataFrame:
    """Return one row per printed figure.

    ``basis`` says what an agreement is worth and is missing where there is none. ``ours`` is in the figure's unit and
    missing where it cannot be computed; ``deviation`` is relative to the printed figure, missing also where that is
    0; ``tolerance`` is the share that is allowed.
    """
    names = [
        "paper",
        "id",
        "where",
        "what",
        "printed",
        "unit",
        "ours",
        "deviation",
        "verdict",
        "basis",
        "reason",
        "tolerance",
        "secondary",
        "assumed",
    ]
    table = pd.DataFrame(
        [
            (
                *(paper.name, row.figure.id, row.figure.where, row.figure.what, row.figure.printed, row.figure.unit),
                *(row.ours, row.deviation, row.verdict.value, row.basis and row.basis.value, row.reason),
                *(paper.tolerances[row.figure.tolerance].share, row.figure.secondary, row.figure.assumed),
            )
            for row in rows
        ],
        columns=names,
        dtype=object,
    )
    kinds = {"ours": "Float64", "deviation": "Float64", "tolerance": "Float64", "secondary": "boolean"}
    return table.astype({name: kinds.get(name, "string") for name in names})
