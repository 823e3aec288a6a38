"""What a study answers: results that know their provenance and draw themselves.

Each class is a result of :mod:`policy_sim.model` or of an analysis, with two things more: ``provenance``
(:class:`~policy_sim.study.provenance.AnswerProvenance`) and figures, which a notebook shows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from policy_sim.model.breakdown import Parts
from policy_sim.model.costs import Costs, Curves, TrustDifferentials
from policy_sim.model.disclosure_rules import Checks
from policy_sim.model.measure import Rows
from policy_sim.model.sensitivity import Swings
from policy_sim.model.simulation.linking import Attacks
from policy_sim.words.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    import geopandas as gpd
    from matplotlib.figure import Figure

    from policy_sim.study.provenance import AnswerProvenance

__all__ = [
    "AttackAnswer",
    "BreakdownAnswer",
    "CheckAnswer",
    "CostAnswer",
    "CurveAnswer",
    "RowsAnswer",
    "SensitivityAnswer",
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
        from policy_sim.show.maps.state_map import cost_map

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
        from policy_sim.show.maps.state_map import trust_map

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
        from policy_sim.show.curves import curve_figure

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


# What a study answers from analyses of their own, imported only where one is asked for.
#
# As :mod:`policy_sim.study.answers`: results that know their provenance and draw themselves.


class BreakdownAnswer(SeveralAnswers, Parts):
    """Who bears the risk: every measure by race, age, sex, county or size of the county.

    Examples
    --------
    >>> from policy_sim import Study
    >>> study = Study("us-2010", 2026)
    >>> sorted(set(study.break_down("sex", "county", "general", "DE", 1).to_frame()["value"]))
    ['F', 'M']
    """

    def to_geo_frame(self) -> gpd.GeoDataFrame:
        """Return :meth:`to_frame` of a breakdown by county with the shape of each county, for maps of your own.

        The shapes are those of 2010 in EPSG:5070; Alaska, Hawaii and Puerto Rico are moved in next to the 48 states.
        A county that the boundaries of 2010 lack has none.

        Raises
        ------
        InputError : a breakdown by anything but county.
        """
        from policy_sim.files.boundaries import with_shapes

        rows = self.to_frame()
        if set(rows["by"]) != {"county"}:
            raise InputError("only a breakdown by county has shapes: break_down('county', ...).")
        return with_shapes(rows, "county", "value")

    def figures(self) -> dict[str, Figure]:
        """Draw the breakdown: maps of counties, or bars; by name. Several states are added up.

        Returns
        -------
        Matplotlib figures by name.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> len(study.break_down("sex", "county", "general", "DE", 1).figures())
        1
        """
        from policy_sim.show.change_figure import breakdown_figures

        rows = self.to_frame()
        alone = (rows["by"] == "county").all() or len(rows["state"].unique()) == 1
        drawn = breakdown_figures(rows if alone else self.over_states(), self.provenance.figure_notes)
        return dict(drawn)

    def plot(self) -> Figure:
        """Draw the first of :meth:`figures`.

        Returns
        -------
        A matplotlib figure, which a notebook shows.

        Raises
        ------
        InputError : nothing has a figure.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> type(study.break_down("sex", "county", "general", "DE", 1).plot()).__name__
        'ShownFigure'
        """
        for figure in self.figures().values():
            return figure
        raise InputError("the breakdown has no figures to draw, because no attacker has a list in these states.")


class SensitivityAnswer(SeveralAnswers, Swings):
    """What each assumption is worth in one state.

    Examples
    --------
    >>> from policy_sim import Study
    >>> study = Study("us-2010", 2026)
    >>> set(study.sensitivity("DE", "county", "general", 1, rules="paper").to_frame()["state"])
    {'DE'}
    """

    def plot(self) -> Figure:
        """Draw the changes as a tornado: the largest on top.

        Returns
        -------
        A matplotlib figure, which a notebook shows.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> type(study.sensitivity("DE", "county", "general", 1, rules="paper").plot()).__name__
        'ShownFigure'
        """
        from policy_sim.show.tornado import tornado_figure

        return tornado_figure(self.to_frame(), self.provenance.figure_notes)


class AttackAnswer(SeveralAnswers, Attacks):
    """Simulated attacks next to the formulas.

    Examples
    --------
    >>> from policy_sim import Study
    >>> study = Study("us-2010", 2026)
    >>> repr(study.simulate("DE", "county", "general", runs=2)).split()[0]
    'AttackAnswer:'
    """


class CheckAnswer(SeveralAnswers, Checks):
    """What release checks would withhold.

    Examples
    --------
    >>> from policy_sim import Study
    >>> study = Study("us-2010", 2026)
    >>> set(study.check_release("county", "DE").to_frame()["state"])
    {'DE'}
    """
