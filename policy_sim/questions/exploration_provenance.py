"""Where the figures of a search of the lattice come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from policy_sim.arguments import text
from policy_sim.caveats import PLACED_BY_CHANCE
from policy_sim.io.policy_files import RULES
from policy_sim.io.run_manifest import run_manifest
from policy_sim.provenance import AnswerProvenance

__all__ = ["ExplorationProvenance"]


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
        from policy_sim.io.zip_lists import ZIP3_LISTS

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
        inputs = {f"population {people.name}": people.provenance.sha256}
        return run_manifest(command or self.analysis, parameters, inputs) | {"notes": self.notes}
