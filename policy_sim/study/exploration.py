"""What a search of the lattice of policies answers: what it was judged against, where it comes from, its figures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from policy_sim.files.manifest import run_manifest
from policy_sim.model.explore.frontier import Judged
from policy_sim.people.places import as_counted
from policy_sim.policies.files import RULES, in_rules, load_policy
from policy_sim.policies.policy import Policy
from policy_sim.study.provenance import PLACED_BY_CHANCE, AnswerProvenance
from policy_sim.words.arguments import text
from policy_sim.words.fields import Granularities, shows_ethnicity
from policy_sim.words.states import unknown_state

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from policy_sim.study.provenance import AnswerProvenance


@dataclass(frozen=True)
class ExplorationProvenance(AnswerProvenance):
    """What a search of the lattice was made from.

    Parameters
    ----------
    policies : How many policies were measured in each state.
    """

    policies: int = 0

    @property
    def notes(self) -> list[str]:
        """Which people, policies and options: one line each."""
        from policy_sim.people.names import ZIP3_LISTS

        people = self.study.people
        lines = [
            f"population: {people.provenance.describe(self.question.states or ())}",
            f"search: {self.policies:,} policies per state; the attacker knows everyone (GENERAL); "
            f"{self.study.days_per_year:g} equally likely birthdays a year",
            self._utility,
            f"rules: {RULES[self.question.rules]}",
            *self._file,
        ]
        if self.options["keep"]:
            oldest = "; people aged 90 and over may be in one class" if "birth" in self.options["keep"] else ""
            lines.append(f"kept: policies that release at least {self.options['keep']}{oldest}")
        if self.options["age_classes"]:
            lines.append(
                "age classes: any division of ages, with single years by quarter, month or date if that helps; the "
                "best division for each choice of sex, race and place"
            )
        if "zip3" in people.cells or "zip5" in people.cells:
            lines.append(f"ZIP codes: 000 replaces {ZIP3_LISTS[self.study.zip3]}")
        if any(study.places_by_county(self.question) for study in self.studies):
            lines += [
                "places: the search shows states and counties; ZIP codes only in the policy to do better than",
                f"ZIP codes: 000 replaces {ZIP3_LISTS[self.study.zip3]}",
                PLACED_BY_CHANCE,
            ]
        return lines

    @property
    def _utility(self) -> str:
        if self.options["weights"] is None:
            return "utility: entropy of the released values, as a share of the finest policy's"
        return (
            f"utility: weighted sum ({self.options['weights']}) of the bits in each field, as a share of the finest "
            f"policy's"
        )

    def manifest(self, command: str = "", **options: Any) -> dict[str, Any]:
        """Return what made the answer, as :meth:`AnswerProvenance.manifest` does."""
        command, people = text("command", command), self.study.people
        parameters = {
            "population": people.name,
            "states": list(self.question.states or ()) or "all",
            "than": self.options["than"],
            "rules": self.question.rules,
            "zip3": self.study.zip3,
            "risk": self.options["risk"],
            "keep": self.options["keep"],
            "weights": self.options["weights"],
            "age_classes": self.options["age_classes"],
            "in_file": None if self.question.in_file is None else self.question.in_file.value,
            "risk_between": None,
            "days_per_year": self.study.days_per_year,
            **options,
            "seed": None,
        }
        inputs = people.provenance.checksums(ethnicity=self.reads_ethnicity)
        return run_manifest(command or self.analysis, parameters, inputs) | {"notes": self.notes}

    @property
    def reads_ethnicity(self) -> bool:
        """Whether the policy to do better than shows ethnicity, or the policies that are searched must."""
        keep = self.options["keep"]
        return super().reads_ethnicity or (keep is not None and shows_ethnicity(Granularities.parse(keep)))


@dataclass(frozen=True, repr=False)
class ExplorationAnswer(Judged):
    """Every policy of the lattice, judged against one; with its provenance and figures.

    Examples
    --------
    >>> from policy_sim import Study
    >>> study = Study("us-2010", 2026)
    >>> study.explore("DE").than
    'safe-harbor'
    """

    baseline_policy: Policy = field(kw_only=True)
    all_rows: pd.DataFrame = field(kw_only=True, compare=False)
    provenance: AnswerProvenance = field(kw_only=True, compare=False)

    @property
    def marks(self) -> pd.DataFrame:
        """What figures mark: the policy ``than`` and the limited data set, as the lattice shows it, by state."""
        written = load_policy(in_rules("limited-dataset", self.provenance.question.rules))
        limited = as_counted(written, self.provenance.study.people)
        drawn = self.all_rows[self.all_rows["policy"] == str(limited.releases)].assign(policy=limited.name)
        return pd.concat([self.baseline, drawn], ignore_index=True)

    def plot(self, state: str | None = None) -> Figure:
        """Draw risk against utility in one state, with the frontier.

        ``state``: postal code, FIPS code or name; the first of the answer by default.
        """
        from policy_sim.show.frontier_figure import frontier_figure
        from policy_sim.words.arguments import one_state

        states = list(dict.fromkeys(self.rows["state"]))
        code = states[0] if state is None and states else one_state(state)
        if code not in states:
            raise unknown_state("state of this answer", code, states)
        rows, marks = (frame[frame["state"] == code] for frame in (self.rows, self.marks))
        return frontier_figure(rows, marks, self.risk, self.provenance.figure_notes)

    def map(self) -> Figure:
        """Draw the best policy of every state."""
        from policy_sim.show.frontier_figure import best_policy_map

        return best_policy_map(self.best(), self.than, self.risk, self.provenance.figure_notes)
