"""The question of what changed between years: people, list law, sources, prices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from policy_sim.analyses.economics.trends import Moment, change_frame, trend_frame
from policy_sim.attackers import VOTER
from policy_sim.attackers.in_file import InFile
from policy_sim.errors import InputError
from policy_sim.provenance import AnswerProvenance
from policy_sim.questions.question import InFileLike, Question, States
from policy_sim.questions.stakes_amounts import COST, GAIN, stakes_of
from policy_sim.questions.study_answers import RowsAnswer

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["MOMENTS", "TrendAnswer", "trends"]

# Populations and lists of about the same time.
MOMENTS = (("us-2000", "2008"), ("us-2020", "2020"), ("us-2022", "2026"))


@dataclass(frozen=True, repr=False, eq=False)
class TrendAnswer(RowsAnswer):
    """Risk, price and profit over time; ``changes`` has the effects of people, law, sources and price.

    Examples
    --------
    >>> len(trends([("us-2000", "2008"), ("us-2010", "2026")], states="DE").changes)
    1
    """

    changes: pd.DataFrame = field(kw_only=True)

    def plot(self) -> Figure:
        """Draw the largest changes and what they come from.

        Returns
        -------
        A matplotlib figure, which a notebook shows.

        Examples
        --------
        >>> type(trends([("us-2000", "2008"), ("us-2010", "2026")], states="DE").plot()).__name__
        'ShownFigure'
        """
        from policy_sim.render.trend_figure import trend_figure

        return trend_figure(self.changes, self.provenance.figure_notes)


def trends(
    moments: Sequence[tuple[str, str]] = MOMENTS,
    policy: str = "limited-dataset",
    states: States = None,
    *,
    gain: str | float = GAIN,
    cost_per_attempt: str | float = COST,
    rules: str = "regulation",
    coverage: str = "registered",
    in_file: InFileLike = None,
    tell: Callable[[str], None] | None = None,
) -> TrendAnswer:
    """Return risk, price and profit of an attack at several dates, and what changed them.

    Parameters
    ----------
    moments : Pairs of a population and a vintage of the voter lists, two or more, in the order of time.
    policy : One policy.
    states, in_file : As for :meth:`policy_sim.study.Study.compare`.
    rules : ``regulation``, or ``paper``, the form without ZIP codes. Where a population of one moment has no ZIP codes,
        all moments are measured without them, as several populations in one comparison are.
    coverage : Who is assumed to be on the lists, as for :class:`~policy_sim.study.Study`: by default registered adults.
    tell : Called with what is being computed.
    gain, cost_per_attempt : As for :meth:`policy_sim.study.Study.attack`; the same at all times.

    Returns
    -------
    One row per state and moment. ``changes`` has one row per state and step, with the parts of people, law, sources and
    price.

    Raises
    ------
    InputError : fewer than two moments.
    UnknownNameError : a population, vintage, policy or state that is not known.

    Examples
    --------
    >>> answer = trends([("us-2000", "2008"), ("us-2020", "2026")], states="OH")
    >>> len(answer.to_frame()), len(answer.changes)
    (2, 1)
    """
    from policy_sim.io.list_change_files import load_list_changes
    from policy_sim.questions.studies import Studies
    from policy_sim.study import Study

    moments = _pairs(moments)
    if tell is not None and not callable(tell):
        raise InputError("tell: give a function that takes what is being computed.")
    if len(moments) < 2:
        raise InputError(
            f"a trend needs two or more moments, each a population and a vintage of lists; {len(moments)} given."
        )
    stakes, notes = stakes_of(gain, cost_per_attempt)
    studies = tuple(Study(population, lists, coverage=coverage) for population, lists in moments)
    question = Studies(studies, Question.of(policy, VOTER, states, None, rules, in_file)).comparable
    points = [
        Moment(f"{population} {lists}", study.people_for(question), study.voter, study._one_policy(question))
        for study, (population, lists) in zip(studies, moments, strict=True)
    ]
    places, file = question.states, InFile.of(in_file)
    rows = trend_frame(points, stakes, states=places, in_file=file, tell=tell)
    changes = change_frame(points, stakes, states=places, in_file=file, recorded=load_list_changes(), tell=tell)
    lists = ", ".join(f"{moment.name}" for moment in points)
    all_notes = (
        *notes,
        f"moments: {lists}; unknown fields of a list count as withheld; dollars are those of each list's year",
        "law: what the state shows or sells changed. source: a later source tells more of the list, or less, and the "
        "list itself need not have changed; a value that was unknown at either time counts here",
    )
    origin = AnswerProvenance(studies, question, "trends", stakes.amounts, all_notes)
    return TrendAnswer(rows, "Trends", provenance=origin, changes=changes)


def _pairs(moments: object) -> list[tuple[str, str]]:
    """Return pairs of the names of a population and a vintage.

    Raises
    ------
    InputError : anything else.
    """
    items: list[Any] = list(moments) if isinstance(moments, list | tuple) else [None]
    for pair in items:
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(isinstance(name, str) for name in pair):
            raise InputError(
                "moments: give pairs of a population and a vintage of the lists, such as [('us-2000', '2008'), "
                "('us-2020', '2026')]."
            )
    return [(population, lists) for population, lists in items]
