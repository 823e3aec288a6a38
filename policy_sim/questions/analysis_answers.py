"""What a study answers from analyses of their own, imported only where one is asked for.

As :mod:`policy_sim.questions.study_answers`: results that know their provenance and draw themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from policy_sim.analyses.attack import Attacks
from policy_sim.analyses.breakdown import Parts
from policy_sim.analyses.disclosure_rules import Checks
from policy_sim.analyses.sensitivity import Swings
from policy_sim.errors import InputError
from policy_sim.questions.study_answers import SeveralAnswers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["AttackAnswer", "BreakdownAnswer", "CheckAnswer", "SensitivityAnswer"]


class BreakdownAnswer(SeveralAnswers, Parts):
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
        raise InputError("the breakdown has no figures to draw, because no attacker has a list in these states.")


class SensitivityAnswer(SeveralAnswers, Swings):
    """What each assumption is worth in one state."""

    def plot(self) -> Figure:
        """Draw the changes as a tornado: the largest on top."""
        from policy_sim.render.tornado import tornado_figure

        return tornado_figure(self.to_frame(), self.provenance.figure_notes)


class AttackAnswer(SeveralAnswers, Attacks):
    """Simulated attacks next to the formulas."""


class CheckAnswer(SeveralAnswers, Checks):
    """What release checks would withhold."""
