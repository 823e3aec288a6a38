"""What a study answers: results that know their provenance and draw themselves.

Each class is a result of :mod:`policy_sim.results` or of an analysis, with two things more: ``provenance``
(:class:`~policy_sim.provenance.AnswerProvenance`) and figures, which a notebook shows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Self

import pandas as pd

from policy_sim.analyses.attack import Attacks
from policy_sim.analyses.breakdown import Parts
from policy_sim.analyses.disclosure_rules import Checks
from policy_sim.analyses.lattice_search import Judged
from policy_sim.analyses.sensitivity import Swings
from policy_sim.errors import InputError, UnknownNameError
from policy_sim.io.policy_files import in_rules, load_policy
from policy_sim.policies.policy import Policy
from policy_sim.results import Costs, Curves, Rows, TrustDifferentials

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from policy_sim.provenance import AnswerProvenance

__all__ = [
    "AttackAnswer",
    "BreakdownAnswer",
    "CheckAnswer",
    "CostAnswer",
    "CurveAnswer",
    "ExplorationAnswer",
    "RowsAnswer",
    "SensitivityAnswer",
    "TrustAnswer",
    "one_of",
]


class _Several:
    """A collection of results that knows where it comes from."""

    provenance: AnswerProvenance

    def __new__(cls, items: Iterable[Any] = (), *, provenance: AnswerProvenance) -> Self:
        answers = super().__new__(cls, items)  # type: ignore[call-arg]
        answers.provenance = provenance
        return answers

    def _carried(self) -> dict[str, Any]:
        return {"provenance": self.provenance}


class CostAnswer(_Several, Costs):
    """What each re-identification costs whoever buys the list, in US dollars, by state and policy."""

    def map(self, policy: str | None = None) -> Figure:
        """Draw the cost per re-identification of every state.

        Parameters
        ----------
        policy : One of the answer; the last by default.

        Returns
        -------
        A matplotlib figure, which a notebook shows.

        Raises
        ------
        UnknownNameError : the answer has no such policy.
        """
        from policy_sim.render.maps.comparison_maps import cost_map

        name = one_of("policy", policy, [cost.profile.policy for cost in self])
        provenance = self.provenance
        rows = self.to_frame()
        who = str(rows["attacker"].iloc[0])
        restricted = provenance.restricted_states if provenance.question.has_lists else ()
        return cost_map(rows, name, provenance.figure_notes, restricted=restricted, attacker=who)


class TrustAnswer(_Several, TrustDifferentials):
    """How much more one policy gives away than another, by state, attacker and measure."""

    def map(self, attacker: str | None = None) -> Figure:
        """Draw the trust differential of total risk of every state.

        Parameters
        ----------
        attacker : One of the answer; the last by default.

        Raises
        ------
        UnknownNameError : the answer has no such attacker.
        """
        from policy_sim.render.maps.comparison_maps import trust_map

        name = one_of("attacker", attacker, [trust.numerator.attacker for trust in self])
        return trust_map(self.to_frame(), name, self.provenance.figure_notes)


class CurveAnswer(_Several, Curves):
    """The share of people g-distinct for every g in one state."""

    def plot(self) -> Figure:
        """Draw the curves of every policy and attacker over g.

        Returns
        -------
        A matplotlib figure, which a notebook shows.
        """
        from policy_sim.render.curves import curve_figure

        return curve_figure(self.to_frame(), self.provenance.figure_notes)


class BreakdownAnswer(_Several, Parts):
    """Who bears the risk: every measure by race, age, sex, county or size of the county."""

    def figures(self) -> dict[str, Figure]:
        """Draw the breakdown: maps of counties, or bars; by name. Several states are added up."""
        from policy_sim.render.breakdown_figure import breakdown_figures

        rows = self.to_frame()
        alone = (rows["by"] == "county").all() or len(rows["state"].unique()) == 1
        drawn = breakdown_figures(rows if alone else self.over_states(), self.provenance.figure_notes)
        return dict(drawn)

    def plot(self) -> Figure:
        """Draw the first of :meth:`figures`.

        Raises
        ------
        InputError : nothing has a figure.
        """
        for figure in self.figures().values():
            return figure
        raise InputError("the breakdown has no figure to draw: no attacker has a list in these states.")


class SensitivityAnswer(_Several, Swings):
    """What each assumption is worth in one state."""

    def plot(self) -> Figure:
        """Draw the changes as a tornado: the largest on top."""
        from policy_sim.render.tornado import tornado_figure

        return tornado_figure(self.to_frame(), self.provenance.figure_notes)


class AttackAnswer(_Several, Attacks):
    """Simulated attacks beside the formulas."""


class CheckAnswer(_Several, Checks):
    """What release checks would withhold."""


@dataclass(frozen=True, repr=False, eq=False)
class RowsAnswer(Rows):
    """An answer that is a table and nothing else."""

    provenance: AnswerProvenance = field(kw_only=True)


@dataclass(frozen=True, repr=False)
class ExplorationAnswer(Judged):
    """Every policy of the lattice, judged against one; with its provenance and figures."""

    baseline_policy: Policy = field(kw_only=True)
    all_rows: pd.DataFrame = field(kw_only=True, compare=False)
    provenance: AnswerProvenance = field(kw_only=True, compare=False)

    @property
    def marks(self) -> pd.DataFrame:
        """What figures mark: the policy ``than`` and the Limited Dataset, one row per state."""
        limited = load_policy(in_rules("limited-dataset", self.provenance.question.rules))
        drawn = self.all_rows[self.all_rows["policy"] == str(limited.releases)].assign(policy=limited.name)
        return pd.concat([self.baseline, drawn], ignore_index=True)

    def plot(self, state: str | None = None) -> Figure:
        """Draw risk against utility in one state, with the frontier.

        Parameters
        ----------
        state : Postal code, FIPS code or name; the first of the answer by default.

        Raises
        ------
        UnknownNameError : the answer has no such state.
        """
        from policy_sim.arguments import one_state
        from policy_sim.render.frontier_figure import frontier_figure

        states = list(dict.fromkeys(self.rows["state"]))
        code = states[0] if state is None and states else one_state(state)
        if code not in states:
            raise UnknownNameError("state of this answer", code, states)
        rows, marks = (frame[frame["state"] == code] for frame in (self.rows, self.marks))
        return frontier_figure(rows, marks, self.risk, self.provenance.figure_notes)

    def map(self) -> Figure:
        """Draw the best policy of every state."""
        from policy_sim.render.frontier_figure import best_policy_map

        return best_policy_map(self.best(), self.than, self.risk, self.provenance.figure_notes)


def _fields(result: Any) -> dict[str, Any]:
    return {entry.name: getattr(result, entry.name) for entry in fields(result)}


def exploration(judged: Judged, than: Policy, provenance: AnswerProvenance) -> ExplorationAnswer:
    """Return an exploration that knows what it was judged against and where it comes from."""
    return ExplorationAnswer(**_fields(judged), baseline_policy=than, all_rows=judged.rows, provenance=provenance)


def one_of(kind: str, name: str | None, choices: list[str]) -> str:
    """Return a name of the answer; the last by default."""
    names = list(dict.fromkeys(choices))
    if not names:
        raise InputError("the answer is empty: there is nothing to draw.")
    if name is None:
        return names[-1]
    if name not in names:
        raise UnknownNameError(f"{kind} of this answer", str(name), names)
    return name
