"""One policy measured from the cells: for policies that are no point of the lattice, and as a check on it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from policy_sim.analyses.policy_tables import policy_columns
from policy_sim.analyses.release_entropy import entropy_bits
from policy_sim.attackers.in_file import InFile, shares_in_file
from policy_sim.groups import Chances
from policy_sim.policies.policy import Policy
from policy_sim.population.merge import DAYS_PER_YEAR, merge
from policy_sim.population.population import AnyPopulation

__all__ = ["measured_alone"]


def measured_alone(
    population: AnyPopulation,
    policy: Policy,
    states: Sequence[str],
    *,
    g: Sequence[int] = (1, 3, 5, 10),
    days_per_year: float = DAYS_PER_YEAR,
    in_file: InFile | None = None,
) -> pd.DataFrame:
    """Return the columns of an exploration for one policy, but ``utility``: one row per state.

    Raises
    ------
    InputError : the population lacks a column that the policy needs.
    """
    groups = merge(population, policy.releases, states, days_per_year=days_per_year, conditions=policy.conditions)
    chances = Chances(np.ones(len(states)), shares_in_file(in_file, population.people_by_state(), states))
    people = np.column_stack([chances.total_risk(groups), chances.g_distinct(groups, g)])
    inhabitants = population.people_by_state()
    released = np.array([inhabitants[state] for state in states]) * chances.linkable
    rows = pd.DataFrame([policy_columns(policy)] * len(states))
    rows.insert(0, "state", list(states))
    for number, name in enumerate(("total_risk", *(f"distinct_{size}" for size in g))):
        rows[name] = people[:, number]
        rows[f"{name}_share"] = people[:, number] / released
    rows["utility_bits"] = entropy_bits(groups)
    return rows
