"""Groups of people, and what a release of them reveals, by unit (a state, a county).

>>> groups = Groups.of(people=[200, 3], bins=[365, 2], unit=[0, 1])
>>> g_distinct(groups, [1, 5]).round(2).tolist()
[[115.86, 199.95], [0.75, 3.0]]
>>> total_risk(groups).round(2).tolist()
[154.14, 1.75]
"""

from policy_sim.groups.chances import Chances
from policy_sim.groups.groups import DistinctGroups, Groups
from policy_sim.groups.match_levels import MatchLevels, match_levels
from policy_sim.groups.measures import (
    AnyGroups,
    MeasuredGroups,
    claims,
    g_distinct,
    g_distinct_sweep,
    g_distinct_variance,
    total_risk,
    total_risk_variance,
    unique_people_variance,
)
from policy_sim.groups.parted_groups import PartedGroups
from policy_sim.groups.placed_groups import CountyPartGroups, PlacedGroups

__all__ = [
    "AnyGroups",
    "Chances",
    "CountyPartGroups",
    "DistinctGroups",
    "Groups",
    "MatchLevels",
    "MeasuredGroups",
    "PartedGroups",
    "PlacedGroups",
    "claims",
    "g_distinct",
    "g_distinct_sweep",
    "g_distinct_variance",
    "match_levels",
    "total_risk",
    "total_risk_variance",
    "unique_people_variance",
]
