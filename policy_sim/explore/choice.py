"""Choosing among policies: the frontier, those better than a given one, those of a wanted risk."""

from __future__ import annotations

import numpy as np
import pandas as pd

from policy_sim.errors import InputError

__all__ = ["better_than", "between", "on_frontier"]


def on_frontier(rows: pd.DataFrame, risk: str = "total_risk", utility: str = "utility") -> pd.Series:
    """Tell of each row whether no other of its state has more utility at no more risk, or less risk at no less.

    Rows that are equal in both stand on the frontier together.

    Parameters
    ----------
    rows : One row a policy and state, with ``state`` and the columns ``risk`` and ``utility``.
    """
    wanted = pd.Series(data=False, index=rows.index)
    for _, part in rows.groupby("state", sort=False, observed=True):
        ordered = part.sort_values([risk, utility], ascending=[True, False], kind="stable")
        best = ordered[utility].cummax()
        before = best.shift(fill_value=-np.inf)
        reached = ordered[utility] > before
        # equal in both to the one that reached it
        same = (ordered[utility] == best) & (ordered[risk] == ordered[risk].where(reached).ffill())
        wanted.loc[ordered.index] = reached | same
    return wanted


def better_than(rows: pd.DataFrame, baseline: pd.DataFrame, risk: str = "total_risk") -> pd.Series:
    """Tell of each row whether it has more utility than the baseline of its state, at no more risk.

    Parameters
    ----------
    rows : One row a policy and state.
    baseline : One row a state, with the same columns.

    Raises
    ------
    InputError : a state has no baseline, or two.
    """
    if baseline["state"].duplicated().any() or set(rows["state"]) - set(baseline["state"]):
        raise InputError("a comparison needs one baseline row for each state.")
    below = baseline.set_index("state")
    limit, least = rows["state"].map(below[risk]), rows["state"].map(below["utility"])
    return (rows[risk] <= limit) & (rows["utility"] > least)


def between(rows: pd.DataFrame, low: float, high: float, risk: str = "total_risk") -> pd.Series:
    """Tell of each row whether its risk, as a share of the state, lies from ``low`` to ``high``.

    Benitez & Malin 2010 (Discussion) let a policy maker set such a range of identifiability.

    Raises
    ------
    InputError : ends not between 0 and 1, or in the wrong order.
    """
    if not 0 <= low <= high <= 1:
        raise InputError(f"--risk-between {low:g} {high:g}: give two shares of the population, 0 <= LOW <= HIGH <= 1.")
    return rows[f"{risk}_share"].between(low, high)
