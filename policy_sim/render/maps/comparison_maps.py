"""The maps of a comparison: total risk, trust differential and cost per re-identification, by state."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from policy_sim.attackers import VOTER, bought_by
from policy_sim.render.maps.map_classes import Classes, log_classes, quantile_classes
from policy_sim.render.maps.state_map import state_map
from policy_sim.render.numbers import (
    LEAST_COMPACT,
    LEAST_SHORT_SHARE,
    LEAST_SHORT_USD,
    dollars,
    ratio,
    short_dollars,
    short_percent,
    short_ratio,
)
from policy_sim.render.theme import COST, RISK, TRUST, attacker_title, policy_title
from policy_sim.render.titles import attacker_words, span_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["cost_map", "known_values", "total_risk_map", "trust_map", "values_of"]


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
    classes : Limits and colors, so that several maps can share them; quantiles by default.
    """
    selection = (
        (profiles["measure"] == "total-risk") & (profiles["policy"] == policy) & (profiles["attacker"] == attacker)
    )
    values = values_of(profiles[selection], "share")
    span = span_words(_ends(values), short_percent)
    who, name = attacker_words(attacker), policy_title(policy)
    return state_map(
        values,
        classes or quantile_classes(known_values(values), RISK, least=LEAST_SHORT_SHARE),
        short_percent,
        title=_sentence(f"{who} would match {span} of a state's people under {name}", span, name),
        subtitle=f"Total risk, {name} × {attacker_title(attacker)}: expected correct matches, with luck among "
        "equals, as a share of everyone in the state",
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
    values = values_of(rows, "ratio")
    span = span_words(_ends(values), ratio)
    return state_map(
        values,
        classes or log_classes(known_values(values), TRUST, least=LEAST_COMPACT),
        short_ratio,
        title=_sentence(
            f"{attacker_words(attacker)} would match {span} times as many people under {above} as under {below}",
            span,
            above,
        ),
        subtitle=f"Trust differential, {above} over {below} × {attacker_title(attacker)}: ratio of the expected "
        "correct matches",
        legend_title="ratio of total risks, logarithmic steps; darker: more",
        footer=footer,
    )


def cost_map(
    cost: pd.DataFrame,
    policy: str,
    footer: Sequence[str] = (),
    classes: Classes | None = None,
    restricted: Collection[str] = (),
    attacker: str = VOTER,
) -> Figure:
    """Draw the price of the state's list, or of another file, over its expected re-identifications.

    Free lists stand out.

    Parameters
    ----------
    cost : Rows of one population; those of other policies and attackers are left out.
    attacker : Who buys; VOTER buys the state's voter list.
    restricted : States whose list only some buyers may have.
    """
    rows = cost[cost["policy"] == policy]
    rows = rows[rows["attacker"] == attacker] if "attacker" in rows else rows
    values, goods = values_of(rows, "usd_per_reidentification"), bought_by([attacker])
    paid = values[values["status"] != "free"]
    span, free, name = span_words(_ends(paid), dollars), len(values) - len(paid), policy_title(policy)
    lists = f"; {free} {'list is' if free == 1 else 'lists are'} free" if free else ""
    words = f"a re-identification under {name} costs the buyer of a {goods} {span}{lists}"
    if not span and free:
        where = "1 state" if free == 1 else f"{free} states"
        words = f"a re-identification under {name} costs nothing in {where}, where the {goods} is free"
    return state_map(
        values,
        classes or log_classes(known_values(paid), COST, least=LEAST_SHORT_USD),
        short_dollars,
        title=_sentence(words, span or lists, name),
        subtitle=f"Cost per re-identification, {name} × {attacker_title(attacker)}: price of the {goods} over "
        "expected correct re-identifications",
        legend_title="US dollars, logarithmic steps; darker: cheaper",
        footer=footer,
        restricted=restricted,
    )


def _sentence(words: str, figures: str, policy: str) -> str:
    """Begin with a capital; where no state has a figure, say that instead."""
    return f"{words[0].upper()}{words[1:]}" if figures else f"No state has a figure under {policy}"


def _ends(values: pd.DataFrame) -> list[float]:
    return [*values["value"], *values["value_high"]]


def values_of(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return what ``state_map`` takes; the lower end of an interval first, whichever end it was."""
    ends = [rows[end] if end in rows else rows[name] for end in (name, f"{name}_high")]
    both = pd.concat(ends, axis=1).astype("Float64")
    return pd.DataFrame(
        {"state": rows["state"], "value": both.min(axis=1), "value_high": both.max(axis=1), "status": rows["status"]}
    )


def known_values(values: pd.DataFrame) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return what classes are made for: an interval is in a class only if it fits."""
    return values.loc[values["status"] != "interval", "value"].dropna().to_numpy(dtype=float)
