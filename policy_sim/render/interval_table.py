"""The intervals of a comparison for the eye: one row per state."""

from __future__ import annotations

from itertools import product

import pandas as pd

from policy_sim.render.numbers import interval, people, status_word
from policy_sim.render.text_table import Column, layout
from policy_sim.render.theme import attacker_title, policy_title

__all__ = ["interval_table"]


def interval_table(profiles: pd.DataFrame, width: int | None = None) -> str:
    """Write both ends of the interval of total risk, in people.

    Parameters
    ----------
    profiles : Tidy rows with ``people_from`` and ``people_to``; measures other than total risk are left out.
    """
    total = profiles[profiles["measure"] == "total-risk"]
    keys = total[["population", "state"]].drop_duplicates()
    many = len(keys["population"].unique()) > 1
    rows = [f"{state} {population}" if many else str(state) for population, state in keys.itertuples(index=False)]
    columns = []
    for policy, attacker in product(total["policy"].unique(), total["attacker"].unique()):
        part = total[(total["policy"] == policy) & (total["attacker"] == attacker)]
        head = ("total risk, interval: " + policy_title(str(policy)), attacker_title(str(attacker)))
        columns.append(Column(head, tuple(_cell(*row) for row in part[_CELLS].itertuples(index=False))))
    return layout([Column(("",), tuple(rows), right=False)], columns, width)


_CELLS = ["people_from", "people_to", "status"]


def _cell(low: float, high: float, status: object) -> str:
    return status_word(status) if pd.isna(low) else interval(low, high, people)
