"""The maps of a comparison: total risk, trust differential and cost per re-identification, by state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from policy_sim.render.classes import Classes, log_classes, quantile_classes
from policy_sim.render.numbers import dollars, percent, ratio, short_dollars, short_percent, short_ratio
from policy_sim.render.statemap import state_map
from policy_sim.render.theme import COST, RISK, TRUST, attacker_title, policy_title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["cost_map", "total_risk_map", "trust_map"]


def total_risk_map(
    profiles: pd.DataFrame,
    policy: str,
    attacker: str,
    footer: Sequence[str] = (),
    classes: Classes | None = None,
) -> Figure:
    """Draw total risk as a share of each state's people.

    Parameters
    ----------
    profiles : Rows of one population; those of other policies, attackers and measures are left out.
    classes : Limits and colours, so that several maps can share them; quantiles by default.
    """
    wanted = (profiles["measure"] == "total-risk") & (profiles["policy"] == policy) & (profiles["attacker"] == attacker)
    values = _values(profiles[wanted], "share")
    return state_map(
        values,
        classes or quantile_classes(_known(values), RISK),
        percent,
        write_short=short_percent,
        title=f"Total risk: {policy_title(policy)} × {attacker_title(attacker)}",
        subtitle="Expected correct re-identifications, as a share of everyone in the state",
        legend_title="share of the population; darker: more",
        footer=footer,
    )


def trust_map(trust: pd.DataFrame, attacker: str, footer: Sequence[str] = (), classes: Classes | None = None) -> Figure:
    """Draw the trust differential of total risk, in classes of equal steps on a logarithmic scale.

    Parameters
    ----------
    trust : Rows of one population and one pair of policies; those of other attackers and measures are
        left out.
    """
    rows = trust[(trust["measure"] == "total-risk") & (trust["attacker"] == attacker)]
    above, below = (
        policy_title(str(rows[name].iloc[0])) if len(rows) else "?"
        for name in ("numerator_policy", "denominator_policy")
    )
    values = _values(rows, "ratio")
    return state_map(
        values,
        classes or log_classes(_known(values), TRUST),
        ratio,
        write_short=short_ratio,
        title=f"Trust differential: {above} over {below} × {attacker_title(attacker)}",
        subtitle=f"Times as many expected re-identifications under {above} as under {below}",
        legend_title="ratio of total risks, logarithmic steps; darker: more",
        footer=footer,
    )


def cost_map(cost: pd.DataFrame, policy: str, footer: Sequence[str] = (), classes: Classes | None = None) -> Figure:
    """Draw the price of the state's list over its expected re-identifications; free lists stand out.

    Parameters
    ----------
    cost : Rows of one population; those of other policies are left out.
    """
    values = _values(cost[cost["policy"] == policy], "usd_per_reidentification")
    return state_map(
        values,
        classes or log_classes(_known(values[values["status"] != "free"]), COST),
        dollars,
        write_short=short_dollars,
        title=f"Cost per re-identification: {policy_title(policy)} × VOTER",
        subtitle="Price of the state's voter list over the expected number of correct re-identifications",
        legend_title="US dollars, logarithmic steps; darker: cheaper",
        footer=footer,
    )


def _values(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return what ``state_map`` takes; the lower end of an interval first, whichever end it was."""
    ends = [rows[end] if end in rows else rows[name] for end in (name, f"{name}_high")]
    both = pd.concat(ends, axis=1).astype("Float64")
    return pd.DataFrame(
        {"state": rows["state"], "value": both.min(axis=1), "value_high": both.max(axis=1), "status": rows["status"]}
    )


def _known(values: pd.DataFrame) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return values["value"].dropna().to_numpy(dtype=float)
