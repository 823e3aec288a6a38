"""What a study answers: results that know their provenance and draw themselves.

Each class is a result of :mod:`policy_sim.results` or of an analysis, with two things more: ``provenance``
(:class:`~policy_sim.provenance.AnswerProvenance`) and figures, which a notebook shows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from policy_sim.errors import InputError, UnknownNameError
from policy_sim.results import Costs, Curves, Rows, TrustDifferentials

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from policy_sim.provenance import AnswerProvenance

__all__ = [
    "CostAnswer",
    "CurveAnswer",
    "RowsAnswer",
    "SeveralAnswers",
    "TrustAnswer",
    "one_of",
]


class SeveralAnswers:
    """What makes a collection of results an answer: it knows where it comes from."""

    provenance: AnswerProvenance

    def __new__(cls, items: Iterable[Any] = (), *, provenance: AnswerProvenance) -> Self:  # noqa: D102
        answers = super().__new__(cls, items)  # type: ignore[call-arg]
        answers.provenance = provenance
        return answers

    def _carried(self) -> dict[str, Any]:
        return {"provenance": self.provenance}


class CostAnswer(SeveralAnswers, Costs):
    """What each re-identification costs whoever buys the list, in US dollars, by state and policy.

    Examples
    --------
    >>> from policy_sim import Study
    >>> study = Study("us-2010", 2026)
    >>> answer = study.compare(["safe-harbor", "limited-dataset"], ["general", "voter"], "DE", 1, rules="paper")
    >>> answer.costs().to_frame()["state"].unique().tolist()
    ['DE']
    """

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

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> answer = study.compare(["safe-harbor", "limited-dataset"], ["general", "voter"], "DE", 1, rules="paper")
        >>> type(answer.costs().map()).__name__
        'ShownFigure'
        """
        from policy_sim.render.maps.comparison_maps import cost_map

        name = one_of("policy", policy, [cost.profile.policy for cost in self])
        provenance = self.provenance
        rows = self.to_frame()
        who = str(rows["attacker"].iloc[0])
        restricted = provenance.restricted_states if provenance.question.has_lists else ()
        return cost_map(rows, name, provenance.figure_notes, restricted=restricted, attacker=who)


class TrustAnswer(SeveralAnswers, TrustDifferentials):
    """How much more one policy gives away than another, by state, attacker and measure.

    Examples
    --------
    >>> from policy_sim import Study
    >>> study = Study("us-2010", 2026)
    >>> answer = study.compare(["safe-harbor", "limited-dataset"], ["general", "voter"], "DE", 1, rules="paper")
    >>> len(answer.trust("limited-dataset", "safe-harbor"))
    4
    """

    def map(self, attacker: str | None = None) -> Figure:
        """Draw the trust differential of total risk of every state.

        Parameters
        ----------
        attacker : One of the answer; the last by default.

        Returns
        -------
        A matplotlib figure, which a notebook shows.

        Raises
        ------
        UnknownNameError : the answer has no such attacker.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> answer = study.compare(["safe-harbor", "limited-dataset"], ["general", "voter"], "DE", 1, rules="paper")
        >>> type(answer.trust("limited-dataset", "safe-harbor").map()).__name__
        'ShownFigure'
        """
        from policy_sim.render.maps.comparison_maps import trust_map

        name = one_of("attacker", attacker, [trust.numerator.attacker for trust in self])
        return trust_map(self.to_frame(), name, self.provenance.figure_notes)


class CurveAnswer(SeveralAnswers, Curves):
    """The share of people g-distinct for every g in one state.

    Examples
    --------
    >>> from policy_sim import Study
    >>> study = Study("us-2010", 2026)
    >>> len(study.curves("DE", "county", "general", 10).to_frame())
    10
    """

    def plot(self) -> Figure:
        """Draw the curves of every policy and attacker over g.

        Returns
        -------
        A matplotlib figure, which a notebook shows.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> type(study.curves("DE", "county", "general", 50).plot()).__name__
        'ShownFigure'
        """
        from policy_sim.render.curves import curve_figure

        return curve_figure(self.to_frame(), self.provenance.figure_notes)


@dataclass(frozen=True, repr=False, eq=False)
class RowsAnswer(Rows):
    """An answer that is a table and nothing else.

    Examples
    --------
    >>> from policy_sim import Study
    >>> study = Study("us-2010", 2026)
    >>> type(study.marginal_effects("county", "DE")).__name__
    'RowsAnswer'
    """

    provenance: AnswerProvenance = field(kw_only=True)


def one_of(kind: str, name: str | None, choices: list[str]) -> str:
    """Return a name of the answer; the last by default."""
    names = list(dict.fromkeys(choices))
    if not names:
        raise InputError("the answer is empty: there is nothing to draw.")
    if name is None:
        return names[-1]
    if not isinstance(name, str) or name not in names:
        raise UnknownNameError(f"{kind} of this answer", str(name), names)
    return name
