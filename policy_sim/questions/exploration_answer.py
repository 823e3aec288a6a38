"""What a search of the lattice of policies answers: it knows what it was judged against, and draws itself."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import pandas as pd

from policy_sim.analyses.lattice_search import Judged
from policy_sim.io.policy_files import in_rules, load_policy
from policy_sim.policies.policy import Policy
from policy_sim.population.places import without_zip
from policy_sim.states import unknown_state

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from policy_sim.provenance import AnswerProvenance

__all__ = ["ExplorationAnswer", "exploration"]


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
        limited = without_zip(written, self.provenance.study.people)
        drawn = self.all_rows[self.all_rows["policy"] == str(limited.releases)].assign(policy=limited.name)
        return pd.concat([self.baseline, drawn], ignore_index=True)

    def plot(self, state: str | None = None) -> Figure:
        """Draw risk against utility in one state, with the frontier.

        Parameters
        ----------
        state : Postal code, FIPS code or name; the first of the answer by default.

        Returns
        -------
        A matplotlib figure, which a notebook shows.

        Raises
        ------
        UnknownNameError : the answer has no such state.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> type(study.explore("DE").plot("DE")).__name__
        'ShownFigure'
        """
        from policy_sim.arguments import one_state
        from policy_sim.render.frontier_figure import frontier_figure

        states = list(dict.fromkeys(self.rows["state"]))
        code = states[0] if state is None and states else one_state(state)
        if code not in states:
            raise unknown_state("state of this answer", code, states)
        rows, marks = (frame[frame["state"] == code] for frame in (self.rows, self.marks))
        return frontier_figure(rows, marks, self.risk, self.provenance.figure_notes)

    def map(self) -> Figure:
        """Draw the best policy of every state.

        Returns
        -------
        A matplotlib figure, which a notebook shows.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> type(study.explore("DE").map()).__name__
        'ShownFigure'
        """
        from policy_sim.render.frontier_figure import best_policy_map

        return best_policy_map(self.best(), self.than, self.risk, self.provenance.figure_notes)


def _fields(result: Any) -> dict[str, Any]:
    return {entry.name: getattr(result, entry.name) for entry in fields(result)}


def exploration(judged: Judged, than: Policy, provenance: AnswerProvenance) -> ExplorationAnswer:
    """Return an exploration that knows what it was judged against and where it comes from."""
    return ExplorationAnswer(**_fields(judged), baseline_policy=than, all_rows=judged.rows, provenance=provenance)
