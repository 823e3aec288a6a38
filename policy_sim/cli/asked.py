"""From options to a study: what was asked, and how every output says so."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from policy_sim.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from policy_sim.api import Study
    from policy_sim.sources.engine.engine import Engine
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
    mode: str = "paper"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What the policies are called, also those given as files."""
        from policy_sim.sources.policies import load_policy

        return tuple(load_policy(policy).name for policy in self.policies)

    @property
    def study(self) -> Study:
        """The first study: what all of them share, such as the lists."""
        return self.studies[0]

    @property
    def only_study(self) -> Study:
        """The one study of a command that takes one population."""
        if len(self.studies) > 1:
            raise InputError("this takes one --population: ask for them one at a time.")
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

        below, *above = self.names
        found = [d for c in self.comparisons for policy in above for d in c.trust(policy, below)]
        return trust_frame(found)

    def cost_rows(self) -> pd.DataFrame:
        """Costs of the VOTER profiles, if that attacker was asked for."""
        from policy_sim.frames import cost_frame

        pairs = zip(self.studies, self.comparisons, strict=True) if "voter" in self.attackers else ()
        return cost_frame(cost for study, comparison in pairs for cost in study.cost_of(comparison))

    def curve_rows(self, g_max: int) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Shares g-distinct over g in one state, and trust differentials of every later policy over the first."""
        import pandas as pd

        from policy_sim.frames import curve_frame, trust_curve_frame

        curves = curve_frame(self.only_study.curves(self.states[0], self.policies, self.attackers, g_max))
        below, *above = self.names
        # One policy alone has no trust differential: no rows, but the same columns.
        return curves, pd.concat(
            [trust_curve_frame(curves, policy, below) for policy in above]
            or [trust_curve_frame(curves, below, below).head(0)],
            ignore_index=True,
        )

    def breakdown_rows(self, by: str) -> pd.DataFrame:
        """Every measure of the first study, parted by ``by``."""
        from policy_sim.breakdown import breakdown_frame

        if self.study.spread:
            raise InputError("--by takes no --interval: ask for one of them.")
        parts = self.only_study.break_down(by, self.policies, self.attackers, self.states or None, self.g)
        return breakdown_frame(parts)

    def change_rows(self) -> pd.DataFrame:
        """Changes of every later population against the first; no rows where there is one."""
        from policy_sim.change import change_frame, changes

        first, *later = self.comparisons
        return change_frame(change for comparison in later for change in changes(first, comparison))

    def county_changes(self) -> tuple[pd.DataFrame, list[str]]:
        """Changes by county of every later population against the first, and what the areas are."""
        import pandas as pd

        from policy_sim.breakdown import breakdown_frame
        from policy_sim.change import area_change_frame
        from policy_sim.sources.census.facts import common_areas

        if self.study.spread:
            raise InputError("--by takes no --interval: ask for them one at a time.")
        areas, note = common_areas([study.people.provenance.day for study in self.studies])
        first, *later = (
            breakdown_frame(study.break_down("county", self.policies, self.attackers, self.states or None, self.g))
            for study in self.studies
        )
        return pd.concat([area_change_frame(first, rows, areas) for rows in later], ignore_index=True), [note]

    @property
    def notes(self) -> list[str]:
        """Which people, lists and options: one line each, below every table."""
        lines = [f"population: {study.counted.provenance.describe()}" for study in self.studies]
        if "voter" in self.attackers:
            lines.append(f"voter lists: {self.study.voter.describe_lists()}{self._database()}")
        lines.append(
            f"options: {self._listed()}; {self.study.days_per_year:g} equally likely birthdays a year; "
            f"age stands for year of birth"
        )
        if self.study.spread:
            lines.append(
                "intervals: 95 %, over how people fall into birthdays alone; numerator and denominator of a ratio as "
                "independent; other sources of error: policy-sim sensitivity STATE"
            )
        return lines + self._rules()

    def _rules(self) -> list[str]:
        """Which form of the HIPAA rules, where it is not the paper's."""
        from policy_sim.sources.policies import MODES, load_policy
        from policy_sim.sources.zip_lists import ZIP3_LISTS

        lines = [f"rules: {MODES[self.mode]}"] if self.mode != "paper" else []
        small = [load_policy(policy).conditions.small_places for policy in self.policies]
        if any(places is not None and places.place == "zip3" for places in small):
            lines.append(f"ZIP codes: 000 stands for {ZIP3_LISTS[self.study.zip3]}")
        return lines + self._left_out()

    def _left_out(self) -> list[str]:
        """What a population cannot show of a policy."""
        from policy_sim.population.cells import Population
        from policy_sim.population.shown import shown_note
        from policy_sim.sources.policies import load_policy

        counted = [study.counted for study in self.studies]
        notes = [
            shown_note(load_policy(policy), people)
            for people in counted
            if isinstance(people, Population)
            for policy in self.policies
        ]
        return [note for note in notes if note]

    def _database(self) -> str:
        from policy_sim.sources.study_lists import database_name

        name = database_name(self.study.database)
        return f", from {name}" if name else ""

    def _listed(self) -> str:
        """Whom the lists hold, and what holds the attacker back."""
        text = "everyone is listed and linked"
        if "voter" in self.attackers:
            text += "".join(f"; {a.name}: {a.coverage.title}" for a in self.study.voters if a.coverage)
            text += f"; voter: {self.study.voter.title}" if self.study.adversary else ""
        return text

    def _inputs(self) -> dict[str, str]:
        """The sha256 of every file that the figures are made from, and of what the lists say, wherever from."""
        from policy_sim.cli.output import sha256_of
        from policy_sim.sources.adversaries import list_adversaries
        from policy_sim.sources.paths import data_dir
        from policy_sim.sources.policies import list_policies
        from policy_sim.sources.study_lists import lists_digest

        shipped = list_policies()
        inputs = {f"population {s.counted.name}": s.counted.provenance.sha256 for s in self.studies}
        inputs |= {
            f"policy {name}": sha256_of(shipped.get(given, Path(given)))
            for name, given in zip(self.names, self.policies, strict=True)
            if given in shipped or given.endswith(".toml")  # a policy in a line is its own name
        }
        if "voter" not in self.attackers:
            return inputs
        inputs["voter lists"] = lists_digest((self.study.anyone.lists or {}).values())
        if isinstance(who := self.study.adversary, str):
            inputs[f"adversary {Path(who).stem}"] = sha256_of(list_adversaries().get(who, Path(who)))
        if self.study.coverage == "registered":
            inputs["registered voters"] = sha256_of(data_dir() / "registered_voters.toml")
        return inputs

    def manifest(self, command: str) -> dict[str, Any]:
        """What a run manifest says of this question."""
        from policy_sim.cli.output import run_manifest

        options: Mapping[str, Any] = {
            "population": [study.counted.name for study in self.studies],
            "engine": None if self.study.engine is None else str(self.study.engine),
            "lists": self.study.voter.vintage if "voter" in self.attackers else None,
            "policies": list(self.names),
            "mode": self.mode,
            "zip3": self.study.zip3,
            "attackers": list(self.attackers),
            "adversary": Path(self.study.adversary).stem if isinstance(self.study.adversary, str) else None,
            "coverage": self.study.coverage,
            "states": list(self.states) or "all",
            "g": list(self.g),
            "days_per_year": self.study.days_per_year,
            "interval": 0.95 if self.study.spread else None,
            "seed": None,  # no figure here is drawn at random
        }
        return run_manifest(command, options, self._inputs()) | {"notes": self.notes}


def ask(
    populations: tuple[str, ...] = (),
    lists: str | None = None,
    preset: str | None = None,
    policies: tuple[str, ...] = (),
    attackers: tuple[str, ...] = (),
    states: tuple[str, ...] = (),
    g: tuple[int, ...] = (),
    days_per_year: float | None = None,
    adversary: str | None = None,
    coverage: str = "everyone",
    database: str | None = None,
    as_of: dt.date | None = None,
    mode: str | None = None,
    zip3: str | None = None,
    engine: str | None = None,
    *,
    spread: bool = False,
) -> Asked:
    """Turn options into studies; a preset fills what was not given.

    Raises
    ------
    UnknownNameError : a state, population, vintage, policy or preset that is not known.
    InputError : an engine that is not known.
    """
    from policy_sim.api import ATTACKERS, POLICIES, REGULATION_POPULATION, Study
    from policy_sim.sources.policies import in_mode
    from policy_sim.sources.presets import load_preset
    from policy_sim.states import find_states
    from policy_sim.study import DEFAULT_G

    if days_per_year is not None and not math.isfinite(days_per_year):
        raise InputError(f"--days-per-year {days_per_year} must be a number of 1 or more, such as 365.25.")
    base = load_preset(preset) if preset else None
    by_zip = REGULATION_POPULATION if mode == "regulation" else None
    names: tuple[str | None, ...] = populations or (base.population if base else by_zip,)
    days = days_per_year or (base.days_per_year if base else 365.0)
    vintage = lists or (base.lists if base and not as_of else None)
    opened = _opened(engine) if engine else None
    studies = tuple(
        Study(name, vintage, days, zip3 or "computed", adversary, coverage, spread, database, opened, as_of)
        for name in names
    )
    given = policies or (base.policies if base else POLICIES)
    return Asked(
        studies,
        tuple(in_mode(policy, mode or "paper") for policy in given),
        tuple(name.casefold() for name in attackers) or ATTACKERS,
        tuple(state.postal for state in find_states(states)),
        g or (base.g if base else DEFAULT_G),
        mode or "paper",
    )


def _opened(name: str) -> Engine:
    """Open an engine until the command ends, telling what it does when it takes long."""
    import click

    from policy_sim.cli.progress import Progress
    from policy_sim.sources.engine.opening import open_engine

    command = click.get_current_context()
    return command.with_resource(open_engine(name, progress=command.with_resource(Progress())))
