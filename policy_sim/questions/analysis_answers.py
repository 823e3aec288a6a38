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
    import geopandas as gpd
    from matplotlib.figure import Figure

__all__ = ["AttackAnswer", "BreakdownAnswer", "CheckAnswer", "SensitivityAnswer"]


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
        from policy_sim.io.boundaries import with_shapes

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
        from policy_sim.render.breakdown_figure import breakdown_figures

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
        from policy_sim.render.tornado import tornado_figure

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
