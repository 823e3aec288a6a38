"""From options to a study: what was asked, and how every output says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from policy_sim.api import Study
    from policy_sim.study import Comparison

__all__ = ["Asked", "ask"]


@dataclass(frozen=True)
class Asked:
    """The studies that a command is to make, one a population."""

    studies: tuple[Study, ...]
    policies: tuple[str, ...]
    attackers: tuple[str, ...]
    states: tuple[str, ...]
    g: tuple[int, ...]

    @property
    def study(self) -> Study:
        """The first study; most commands take one population."""
        return self.studies[0]

    @cached_property
    def comparisons(self) -> tuple[Comparison, ...]:
        """Every study's comparison."""
        return tuple(
            study.compare(self.policies, self.attackers, self.states or None, self.g) for study in self.studies
        )

    def trust_rows(self) -> pd.DataFrame:
        """Trust differentials of every later policy over the first."""
        from policy_sim.frames import trust_frame

        below, *above = self.policies
        found = [d for c in self.comparisons for policy in above for d in c.trust(policy, below)]
        return trust_frame(found)

    def cost_rows(self) -> pd.DataFrame:
        """Costs of the VOTER profiles, if that attacker was asked for."""
        from policy_sim.frames import cost_frame

        pairs = zip(self.studies, self.comparisons, strict=True) if "voter" in self.attackers else ()
        return cost_frame(cost for study, comparison in pairs for cost in study.cost_of(comparison))

    def change_rows(self) -> pd.DataFrame:
        """Changes of every later population against the first; no rows where there is one."""
        from policy_sim.change import change_frame, changes

        first, *later = self.comparisons
        return change_frame(change for comparison in later for change in changes(first, comparison))

    @property
    def notes(self) -> list[str]:
        """Which people, lists and options: one line each, below every table."""
        lines = [f"population: {study.people.provenance.describe()}" for study in self.studies]
        if "voter" in self.attackers:
            lines.append(f"voter lists: vintage {self.study.voter.vintage}")
        lines.append(
            f"options: everyone is listed and linked; {self.study.days_per_year:g} equally likely birthdays a year; "
            f"age stands for year of birth"
        )
        return lines

    def manifest(self, command: str) -> dict[str, Any]:
        """What a run manifest says of this question."""
        from policy_sim.cli.output import run_manifest, sha256_of
        from policy_sim.sources.paths import voter_policies_dir
        from policy_sim.sources.policies import list_policies

        shipped = list_policies()
        inputs = {f"population {s.people.name}": s.people.provenance.sha256 for s in self.studies}
        inputs |= {f"policy {name}": sha256_of(shipped[name]) for name in self.policies if name in shipped}
        if "voter" in self.attackers:
            inputs["voter lists"] = sha256_of(*sorted(voter_policies_dir().glob("??.toml")))
        options: Mapping[str, Any] = {
            "population": [study.people.name for study in self.studies],
            "lists": self.study.voter.vintage if "voter" in self.attackers else None,
            "policies": list(self.policies),
            "attackers": list(self.attackers),
            "states": list(self.states) or "all",
            "g": list(self.g),
            "days_per_year": self.study.days_per_year,
            "seed": None,  # no figure here is drawn at random
        }
        return run_manifest(command, options, inputs) | {"notes": self.notes}


def ask(
    populations: tuple[str, ...] = (),
    lists: str | None = None,
    preset: str | None = None,
    policies: tuple[str, ...] = (),
    attackers: tuple[str, ...] = (),
    states: tuple[str, ...] = (),
    g: tuple[int, ...] = (),
    days_per_year: float | None = None,
) -> Asked:
    """Turn options into studies; a preset fills what was not given.

    Raises
    ------
    UnknownNameError : a state, population, vintage, policy or preset that is not known.
    """
    from policy_sim.api import ATTACKERS, POLICIES, Study
    from policy_sim.sources.presets import load_preset
    from policy_sim.states import find_states
    from policy_sim.study import DEFAULT_G

    base = load_preset(preset) if preset else None
    names: tuple[str | None, ...] = populations or (base.population if base else None,)
    days = days_per_year or (base.days_per_year if base else 365.0)
    studies = tuple(Study(name, lists or (base.lists if base else None), days) for name in names)
    return Asked(
        studies,
        policies or (base.policies if base else POLICIES),
        tuple(name.casefold() for name in attackers) or ATTACKERS,
        tuple(state.postal for state in find_states(states)),
        g or (base.g if base else DEFAULT_G),
    )
