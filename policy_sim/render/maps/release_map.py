"""The map of what states release: total risk under each state's own file, as a multiple of a textbook policy's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from policy_sim.render.maps.comparison_maps import known_values, values_of
from policy_sim.render.maps.map_classes import log_classes
from policy_sim.render.maps.state_map import state_map
from policy_sim.render.numbers import LEAST_COMPACT, short_ratio
from policy_sim.render.theme import TRUST, attacker_title, policy_title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["release_map"]


def release_map(trust: pd.DataFrame, attacker: str, footer: Sequence[str] = ()) -> Figure:
    """Draw how many times the total risk of a textbook policy each state's own release has.

    Parameters
    ----------
    trust : Trust differentials of one population and one pair of policies: the states' releases over a policy.
        Rows of other attackers and measures are left out. A state without a release is hatched.
    attacker : Who links.
    footer : Whose census, which releases, under which agreement and at what price; one line each.
    """
    rows = trust[(trust["measure"] == "total-risk") & (trust["attacker"] == attacker)]
    below = policy_title(str(rows["denominator_policy"].iloc[0])) if len(rows) else "?"
    values = values_of(rows, "ratio")
    return state_map(
        values,
        log_classes(known_values(values), TRUST, least=LEAST_COMPACT),
        short_ratio,
        title=_sentence(values, below),
        subtitle=f"Total risk under each state's own newest inpatient file, divided by that under {below} × "
        f"{attacker_title(attacker)}; dates of care and diagnoses are not counted",
        legend_title=f"times {below}, logarithmic steps; darker: more",
        footer=footer,
    )


def _sentence(values: pd.DataFrame, below: str) -> str:
    """Say in how many states the release surely has more risk, and where it has most."""
    with_value = values.dropna(subset=["value"])
    if with_value.empty:
        return "No state has a figure for its own release"
    more = int((with_value["value"] > 1).sum())
    top = with_value.sort_values("value").iloc[-1]
    if not more:
        return f"No state's own file has more risk than {below}"
    times = f"{short_ratio(float(top['value']))} times as much in {top['state']}"
    if len(with_value) == 1:
        return f"The state's own file has more risk than {below}: {times}"
    return f"In {more} of {len(with_value)} states, the state's own file has more risk than {below}: {times}"
