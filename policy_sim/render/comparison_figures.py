"""Every figure of a comparison, one after the other."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from policy_sim.attackers import VOTER
from policy_sim.render.distribution import distribution_figure
from policy_sim.render.maps.comparison_maps import cost_map, total_risk_map, trust_map
from policy_sim.render.maps.release_map import release_map
from policy_sim.render.ranks import rank_figure
from policy_sim.render.save import Drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["comparison_drawings", "comparison_figures"]


def comparison_figures(*frames: Any, **options: Any) -> Iterator[tuple[str, Figure]]:
    """Draw the figures of :func:`comparison_drawings`, one after the other."""
    for name, drawing in comparison_drawings(*frames, **options):
        yield name, drawing()


def comparison_drawings(
    profiles: pd.DataFrame,
    trust: pd.DataFrame,
    cost: pd.DataFrame,
    footer: Sequence[str] = (),
    restricted: Collection[str] = (),
) -> Iterator[tuple[str, Drawing]]:
    """Return what draws the maps and the paper's figure types, each with the name its file gets.

    Names are ``map-total-risk-POLICY-ATTACKER``, ``map-trust-ATTACKER`` (with the policy, where
    there are several), ``map-times-POLICY-ATTACKER`` for the states' own releases, ``map-cost-POLICY`` (with the
    attacker, where it is not VOTER),
    ``distribution`` and ``ranks``; with several populations each name ends in that of the population.
    Figures without rows are left out.

    Parameters
    ----------
    profiles, trust, cost : Tidy frames as the commands write them.
    footer : Whose census, which lists, which options; one line each.
    restricted : States whose list only some buyers may have.
    """
    names = list(profiles["population"].unique())
    for name in names:
        ending = f"-{name}" if len(names) > 1 else ""
        notes = [f"figure of: {name}", *footer] if len(names) > 1 else footer
        risks, ratios, prices = (_of_population(frame, str(name)) for frame in (profiles, trust, cost))
        for stem, drawing in _drawings(risks, ratios, prices, notes, restricted):
            yield stem + ending, drawing


def _ratio_maps(trust: pd.DataFrame, footer: Sequence[str]) -> Iterator[tuple[str, Drawing]]:
    """One map per attacker and policy over the first; that of the states' own releases has words of its own."""
    if trust.empty:
        return
    several = len(trust["numerator_policy"].unique()) > 1
    for policy, attacker in trust[["numerator_policy", "attacker"]].drop_duplicates().itertuples(index=False):
        rows = trust[trust["numerator_policy"] == policy]
        if policy == "release:newest":
            yield (
                f"map-times-{rows['denominator_policy'].iloc[0]}-{attacker}",
                partial(release_map, rows, attacker, footer),
            )
        else:
            name = f"map-trust-{policy}-{attacker}" if several else f"map-trust-{attacker}"
            yield name, partial(trust_map, rows, str(attacker), footer)


def _cost_maps(cost: pd.DataFrame, footer: Sequence[str], restricted: Collection[str]) -> Iterator[tuple[str, Drawing]]:
    """One map per policy for the voter lists, and one per policy and other file that an attacker holds."""
    for policy, attacker in cost[["policy", "attacker"]].drop_duplicates().itertuples(index=False):
        lists = attacker == VOTER
        name = f"map-cost-{policy}" if lists else f"map-cost-{policy}-{attacker}"
        hatched = restricted if lists else ()
        yield name, partial(cost_map, cost, str(policy), footer, restricted=hatched, attacker=str(attacker))


def _of_population(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    return frame[frame["population"] == name] if "population" in frame else frame


def _drawings(
    profiles: pd.DataFrame,
    trust: pd.DataFrame,
    cost: pd.DataFrame,
    footer: Sequence[str],
    restricted: Collection[str],
) -> Iterator[tuple[str, Drawing]]:
    total = profiles[profiles["measure"] == "total-risk"]
    for policy, attacker in total[["policy", "attacker"]].drop_duplicates().itertuples(index=False):
        yield f"map-total-risk-{policy}-{attacker}", partial(total_risk_map, profiles, policy, attacker, footer)
    yield from _ratio_maps(trust, footer)
    yield from _cost_maps(cost, footer, restricted)
    if (profiles["measure"] == "g-distinct").any():
        yield "distribution", partial(distribution_figure, profiles, footer)
        yield "ranks", partial(rank_figure, profiles, footer)
