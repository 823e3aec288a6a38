"""An exploration beside one policy: what stands on the frontier, what does better, what is best."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from policy_sim.explore.choice import better_than, between, on_frontier
from policy_sim.explore.search import Exploration
from policy_sim.explore.single import measured_alone
from policy_sim.policies.policy import Policy
from policy_sim.population.cells import Population
from policy_sim.population.merge import DAYS_PER_YEAR

__all__ = ["Judged", "judged"]


@dataclass(frozen=True)
class Judged:
    """The rows of an exploration, judged by one column of risk against a policy ``than``.

    ``rows`` has two columns more: ``frontier`` (no policy of the state keeps more at no more risk) and
    ``better`` (keeps more than ``than``, at no more risk). ``baseline`` has one row a state for ``than``.
    """

    rows: pd.DataFrame
    baseline: pd.DataFrame
    than: str
    risk: str

    def within(self, low: float, high: float) -> Judged:
        """Return the part whose risk, as a share of the state's people, lies from ``low`` to ``high``.

        The frontier is still that of all policies.
        """
        return Judged(self.rows[between(self.rows, low, high, self.risk)], self.baseline, self.than, self.risk)

    def best(self) -> pd.DataFrame:
        """Return one row a state: of the better policies that of most utility, then least risk, then simplest.

        A state without a better policy has none (missing columns) and ``status`` ``none better``.
        """
        named = self.rows[self.rows["better"]].assign(words=lambda rows: rows["policy"].str.len())
        order = named.sort_values(["utility", self.risk, "words"], ascending=[False, True, True], kind="stable")
        first = order.drop_duplicates("state").drop(columns=["frontier", "better", "words"])
        beside = self.baseline[["state", self.risk, f"{self.risk}_share", "utility"]]
        beside = beside.rename(columns={name: f"than_{name}" for name in beside.columns if name != "state"})
        number = self.rows.groupby("state", observed=True)["better"].sum().rename("better_policies").reset_index()
        found = beside.merge(number, on="state", how="left").merge(first, on="state", how="left")
        found["better_policies"] = found["better_policies"].fillna(0).astype("int64")
        found["status"] = found["policy"].notna().map({True: "ok", False: "none better"})
        return found.sort_values("state", ignore_index=True)


def judged(
    found: Exploration,
    population: Population,
    than: Policy,
    *,
    risk: str = "total_risk",
    days_per_year: float = DAYS_PER_YEAR,
) -> Judged:
    """Judge every row of an exploration of the population against a policy, measured the same way.

    Parameters
    ----------
    risk : ``total_risk``, or ``distinct_<g>`` with a g of the exploration.

    Raises
    ------
    InputError : the population lacks a column that the policy needs.
    """
    states = list(dict.fromkeys(found.rows["state"]))
    alone = measured_alone(population, than, states, g=found.g, days_per_year=days_per_year)
    baseline = found.beside(alone)
    rows = found.rows.assign(
        frontier=on_frontier(found.rows, risk),
        better=better_than(found.rows, baseline, risk),
    )
    return Judged(rows, baseline, than.name, risk)
