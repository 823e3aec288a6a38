"""The publisher's best policy in every state, as a map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from policy_sim.render import theme
from policy_sim.render.frontier_figure import best_policy_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["game_map"]


def game_map(solutions: pd.DataFrame, footer: Sequence[str] = (), penalty: str = "without") -> Figure:
    """Color each state by the publisher's best policy, and write the detail that it keeps.

    Parameters
    ----------
    solutions : One row per state and penalty with ``state, penalty, policy, utility``.
    footer : Whose census, which lists, which amounts; one line each.
    penalty : ``without`` or ``with``.
    """
    rows = solutions[solutions["penalty"] == penalty]
    return best_policy_figure(
        rows.assign(policy=rows["policy"].astype("string").map(theme.policy_title, na_action="ignore")),
        f"The policy that pays the publisher most if the recipient attacks whenever that pays, {penalty} a penalty",
        "Numbers: the detail that the policy keeps, as a share of full sex, race, date of birth and place",
        footer,
        none="releases nothing, or depends on an unknown price",
    )
