"""One policy measured from the cells: for policies that are no point of the lattice, and as a check on it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from policy_sim.analyses.policy_tables import policy_columns
from policy_sim.arrays import FloatArray
from policy_sim.attackers.in_file import InFile, shares_in_file
from policy_sim.groups import Chances, Groups
from policy_sim.policies.policy import Policy
from policy_sim.population.merge import DAYS_PER_YEAR, merge
from policy_sim.population.population import Population

__all__ = ["entropy_bits", "measured_alone"]


def entropy_bits(groups: Groups) -> FloatArray:
    """Return the entropy of what a release shows of a person drawn from each unit, in bits.

    ``log2 N - sum n log2(n / b) / N`` over the groups of n people: which group, and which of its ``b``
    equally likely hidden values. 0 where everyone looks alike.
    """
    n = groups.people.astype(np.float64)
    whole = np.bincount(groups.unit, weights=n, minlength=groups.units)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(n > 0, n * (np.log2(groups.bins) - np.log2(n)), 0.0)
    bits = np.log2(whole) + np.bincount(groups.unit, weights=terms, minlength=groups.units) / whole
    return np.maximum(bits, 0.0)


def measured_alone(
    population: Population,
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
    released = np.bincount(groups.unit, weights=groups.people, minlength=groups.units) * chances.known
    rows = pd.DataFrame([policy_columns(policy)] * len(states))
    rows.insert(0, "state", list(states))
    for number, name in enumerate(("total_risk", *(f"distinct_{size}" for size in g))):
        rows[name] = people[:, number]
        rows[f"{name}_share"] = people[:, number] / released
    rows["utility_bits"] = entropy_bits(groups)
    return rows
