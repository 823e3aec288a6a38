"""An exploration next to one policy: what is on the frontier, what does better, what is best."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from policy_sim.words.arguments import short
from policy_sim.words.errors import InputError

if TYPE_CHECKING:
    from policy_sim.model.explore.search import Exploration

_SAME = 1e-12  # as a share: the same information, added up in another order


def judged(
    exploration: Exploration, alone: pd.DataFrame, risk: str = "total_risk"
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Judge every row of an exploration against one policy.

    ``alone``: the policy measured in each state, as :func:`~.search.measured_alone` does. ``risk``: ``total_risk``, or
    ``distinct_<g>`` with a g of the exploration. Returns the rows with two columns more, ``frontier`` (no policy of the
    state keeps more at no more risk) and ``better`` (keeps more than the one, at no more risk); and one row per state
    for the one.
    """
    baseline = exploration.beside(alone)
    rows = exploration.rows.assign(
        frontier=on_frontier(exploration.rows, risk), better=better_than(exploration.rows, baseline, risk)
    )
    return rows, baseline


def best_of(rows: pd.DataFrame, baseline: pd.DataFrame, risk: str = "total_risk") -> pd.DataFrame:
    """Return one row per state: of the better policies that of most utility, then least risk, then simplest.

    ``rows``, ``baseline``: as :func:`judged` returns them. A state without a better policy has none (missing columns)
    and ``status`` ``none better``.
    """
    named = rows[rows["better"]].assign(words=lambda rows: rows["policy"].str.len())
    order = named.sort_values(["utility", risk, "words"], ascending=[False, True, True], kind="stable")
    first = order.drop_duplicates("state").drop(columns=["frontier", "better", "words"])
    beside = baseline[["state", risk, f"{risk}_share", "utility"]]
    beside = beside.rename(columns={name: f"than_{name}" for name in beside.columns if name != "state"})
    number = rows.groupby("state", observed=True)["better"].sum().rename("better_policies").reset_index()
    merged = beside.merge(number, on="state", how="left").merge(first, on="state", how="left")
    merged["better_policies"] = merged["better_policies"].fillna(0).astype("int64")
    merged["status"] = merged["policy"].notna().map({True: "ok", False: "none better"})
    return merged.sort_values("state", ignore_index=True)


def on_frontier(rows: pd.DataFrame, risk: str = "total_risk", utility: str = "utility") -> pd.Series:
    """Tell of each row whether no other of its state has more utility at no more risk, or less risk at no less.

    Rows that are equal in both are on the frontier together.

    ``rows``: one row per policy and state, with ``state`` and the columns ``risk`` and ``utility``.
    """
    frontier = pd.Series(data=False, index=rows.index)
    for _, part in rows.groupby("state", sort=False, observed=True):
        ordered = part.sort_values([risk, utility], ascending=[True, False], kind="stable")
        best = ordered[utility].cummax()
        before = best.shift(fill_value=-np.inf)
        reached = ordered[utility] > before
        # equal in both to the one that reached it
        same = (ordered[utility] == best) & (ordered[risk] == ordered[risk].where(reached).ffill())
        frontier.loc[ordered.index] = reached | same
    return frontier


def better_than(rows: pd.DataFrame, baseline: pd.DataFrame, risk: str = "total_risk") -> pd.Series:
    """Tell of each row whether it has more utility than the baseline of its state, at no more risk.

    ``rows``: one row per policy and state. ``baseline``: one row per state, with the same columns.
    """
    if baseline["state"].duplicated().any() or set(rows["state"]) - set(baseline["state"]):
        raise InputError("a comparison needs one baseline row for each state.")
    below = baseline.set_index("state")
    limit, least = rows["state"].map(below[risk]), rows["state"].map(below["utility"])
    return (rows[risk] <= limit) & (rows["utility"] > least * (1 + _SAME))


def between(rows: pd.DataFrame, low: float, high: float, risk: str = "total_risk") -> pd.Series:
    """Tell of each row whether its risk, as a share of the state, lies from ``low`` to ``high``.

    Benitez & Malin 2010 (Discussion) let a policy maker set such a range of identifiability.
    """
    ends: tuple[Any, Any] = (low, high)
    numbers = all(isinstance(end, Real) and not isinstance(end, bool) for end in ends)
    if not numbers or not 0 <= low <= high <= 1:
        raise InputError(
            f"risk between {short(low)} and {short(high)}: give two shares of the population, 0 <= LOW <= HIGH <= 1."
        )
    return rows[f"{risk}_share"].between(low, high)
