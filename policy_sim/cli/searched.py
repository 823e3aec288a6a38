"""From the options of ``explore`` to a judged exploration, and how every output of it says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from policy_sim.api import Study
    from policy_sim.explore import Judged
    from policy_sim.policies.policy import Policy

__all__ = ["Searched", "search"]


@dataclass(frozen=True)
class Searched:
    """What was asked of the lattice, and what came out."""

    study: Study
    found: Judged
    than: Policy
    policies: int
    marks: pd.DataFrame
    options: dict[str, Any]

    @property
    def rows(self) -> pd.DataFrame:
        """Every policy and state asked for."""
        return self.found.rows

    @property
    def risk(self) -> str:
        """The column by which policies are judged."""
        return self.found.risk

    @property
    def several(self) -> bool:
        """Whether more than one state was asked for."""
        return len(self.found.baseline) > 1

    def best(self) -> pd.DataFrame:
        """The best policy of each state."""
        return self.found.best()

    def keep(self, kept: str) -> pd.DataFrame:
        """Rows of all policies, of the frontier, or of those that do better."""
        rows = self.rows
        return rows if kept == "all" else rows[rows[kept]]

    def table(self, kept: str) -> str:
        """The kept policies of one state, or the best of each of several."""
        from policy_sim.render.frontier import best_table, policies_table

        if self.several:
            return best_table(self.best(), self.than.name, self.risk)
        return policies_table(self.keep(kept), self.found.baseline, kept, self.risk)

    @property
    def notes(self) -> list[str]:
        """Which people, policies and options: one line each."""
        from policy_sim.sources.zip_lists import ZIP3_LISTS

        lines = [
            f"population: {self.study.people.provenance.describe()}",
            f"lattice: {self.policies:,} policies a state; the attacker holds everyone (GENERAL); "
            f"{self.study.days_per_year:g} equally likely birthdays a year",
            "utility: entropy of what is released, as a share of the finest policy's",
        ]
        if "zip3" in self.study.people.cells or "zip5" in self.study.people.cells:
            lines.append(f"ZIP codes: 000 stands for {ZIP3_LISTS[self.study.zip3]}")
        return lines

    def manifest(self) -> dict[str, Any]:
        """What a run manifest says of this search."""
        from policy_sim.cli.output import run_manifest

        people = self.study.people
        inputs = {f"population {people.name}": people.provenance.sha256}
        return run_manifest("explore", self.options | {"seed": None}, inputs) | {"notes": self.notes}


def search(
    states: tuple[str, ...],
    population: str | None,
    than: str,
    mode: str,
    zip3: str,
    g: int | None,
    risk_between: tuple[float, float] | None,
    days_per_year: float,
) -> Searched:
    """Explore the lattice and judge every policy against ``than``.

    Raises
    ------
    UnknownNameError : a state, population or policy that is not known.
    InputError : a range that is none; a policy that the population cannot be measured under.
    """
    import pandas as pd

    from policy_sim.api import REGULATION_POPULATION, Study
    from policy_sim.sources.policies import in_mode, load_policy
    from policy_sim.states import find_states

    by_zip = REGULATION_POPULATION if mode == "regulation" else None
    study = Study(population or by_zip, days_per_year=days_per_year, zip3=zip3)
    postal = [state.postal for state in find_states(states)]
    risk = "total_risk" if g is None else f"distinct_{g}"
    found, baseline = study.explore(postal, in_mode(than, mode), risk=risk, g=(g,) if g else (1, 3, 5, 10))
    number = found.rows["policy"].nunique()
    finest = found.rows[found.rows["policy"] == str(load_policy("limited-dataset").releases)]
    marks = pd.concat([found.baseline, finest.assign(policy="limited-dataset")], ignore_index=True)
    if risk_between:
        found = found.within(*risk_between)
    options = {
        "population": study.people.name,
        "states": postal or "all",
        "than": baseline.name,
        "mode": mode,
        "zip3": zip3,
        "risk": risk,
        "risk_between": list(risk_between) if risk_between else None,
        "days_per_year": days_per_year,
    }
    return Searched(study, found, baseline, number, marks, options)
