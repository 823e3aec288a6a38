"""Questions about what an attack costs and whether it pays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from policy_sim.arguments import switch, whole_number
from policy_sim.attackers import VOTER
from policy_sim.attackers.stakes import Stakes
from policy_sim.provenance import AnswerProvenance
from policy_sim.questions.question import DEFAULT_RULES, POLICIES, Attackers, InFileLike, Policies, Question, States
from policy_sim.questions.setting import Setting
from policy_sim.questions.stakes_amounts import COST, GAIN, stakes_of
from policy_sim.questions.study_answers import RowsAnswer

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from policy_sim.analyses.economics.attack_plan import AttackPlans

__all__ = ["AttackPlanAnswer", "EconomicQuestions"]

_MOST_POINTS = 1_000_000


@dataclass(frozen=True, repr=False, eq=False)
class AttackPlanAnswer(RowsAnswer):
    """Attacks of a rational buyer: one row per attack, and their curves.

    Examples
    --------
    >>> from policy_sim import Study
    >>> study = Study("us-2010", 2026)
    >>> study.attack("DE", "safe-harbor", rules="paper").to_frame()["state"].tolist()
    ['DE']
    """

    plans: AttackPlans = field(kw_only=True)

    def curves(self, points: int = 200) -> pd.DataFrame:
        """Return the yield, precision and profit of each attack over the number of records attacked.

        Parameters
        ----------
        points : About how many rows per attack, 2 to 1,000,000.

        Returns
        -------
        The rows; records, shares (0..1) and US dollars.

        Raises
        ------
        InputError : not a whole number in that range.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> len(study.attack("DE", "safe-harbor", rules="paper").curves(10)) >= 2
        True
        """
        from policy_sim.analyses.economics.attack_tables import attack_curve_frame

        return attack_curve_frame(self.plans, whole_number("points", points, 2, _MOST_POINTS))

    def plot(self) -> Figure:
        """Draw the curves of every attack.

        Returns
        -------
        A matplotlib figure, which a notebook shows.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> type(study.attack("DE", "safe-harbor", rules="paper").plot()).__name__
        'ShownFigure'
        """
        from policy_sim.render.attack_figure import attack_figure

        stakes = self.plans[0].stakes if self.plans else Stakes(0)
        words = f"A match brings ${stakes.gain_usd:,.10g}, an attempt costs ${stakes.cost_per_attempt_usd:,.10g}"
        return attack_figure(self.curves(), words, self.provenance.figure_notes)


class EconomicQuestions(Setting):
    """What an attack yields, costs and pays."""

    def attack(
        self,
        states: States = None,
        policies: Policies = POLICIES,
        attackers: Attackers = VOTER,
        *,
        gain: str | float = GAIN,
        cost_per_attempt: str | float = COST,
        loss_per_wrong: float = 0.0,
        penalty: str | float = 0.0,
        chance_caught: float = 0.0,
        rules: str = DEFAULT_RULES,
        in_file: InFileLike = None,
        sees_list: bool = False,
    ) -> AttackPlanAnswer:
        """Return the attack of a rational buyer: which records it attacks, and its profit.

        Parameters
        ----------
        states, policies, attackers, rules, in_file : As for :meth:`compare`; VOTER by default.
        gain, cost_per_attempt, loss_per_wrong, penalty, chance_caught : As for
            :func:`~policy_sim.questions.stakes_amounts.stakes_of`.
        sees_list : Assume that the attacker sees the list before it chooses which records to attack.

        Returns
        -------
        One row per state, policy and attacker: records attacked, expected correct matches, precision, profit in US
        dollars and a verdict. ``curves()`` has the whole curve.

        Raises
        ------
        InputError, UnknownNameError : as for :meth:`compare`; an amount that is not known.

        Examples
        --------
        >>> from policy_sim import Study
        >>> Study("us-2010", 2026).attack("DE", "safe-harbor").to_frame()["verdict"].tolist()
        ['pays']
        """
        from policy_sim.analyses.economics.attack_plan import attack_plans
        from policy_sim.analyses.economics.attack_tables import attack_plan_frame

        stakes, notes = stakes_of(gain, cost_per_attempt, loss_per_wrong, penalty, chance_caught)
        question = Question.of(policies, attackers, states, None, rules, in_file)
        plans = attack_plans(
            self.people_for(question),
            self._policies(question),
            self._attackers(question),
            stakes,
            states=question.states,
            in_file=question.in_file,
            sees_list=switch("sees_list", sees_list),
            days_per_year=self.days_per_year,
        )
        if sees_list:
            notes = (*notes, "order: the attacker has the list and sees how many people on it have a record's values")
        origin = self._priced(question, "attack", stakes, notes)
        return AttackPlanAnswer(attack_plan_frame(plans), "Attacks", provenance=origin, plans=plans)

    def break_even(
        self,
        states: States = None,
        policies: Policies = POLICIES,
        attackers: Attackers = VOTER,
        *,
        gain: str | float = GAIN,
        cost_per_attempt: str | float = COST,
        loss_per_wrong: float = 0.0,
        penalty: str | float = 0.0,
        chance_caught: float = 0.0,
        rules: str = DEFAULT_RULES,
        in_file: InFileLike = None,
        sizes: bool = True,
    ) -> RowsAnswer:
        """Return whether an attack pays in each state, and from which gain, price and file size.

        Parameters
        ----------
        states, policies, attackers, gain, cost_per_attempt, loss_per_wrong, penalty, chance_caught, rules, in_file :
            As for :meth:`attack`.
        sizes : Also find the smallest file for which an attack pays.

        Returns
        -------
        One row per state, policy and attacker; US dollars with the price's status, date and source.

        Raises
        ------
        InputError, UnknownNameError : as for :meth:`attack`.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> study.break_even("DE", "safe-harbor", rules="paper", sizes=False).to_frame()["state"].tolist()
        ['DE']
        """
        from policy_sim.analyses.economics.break_even import break_even_frame

        stakes, notes = stakes_of(gain, cost_per_attempt, loss_per_wrong, penalty, chance_caught)
        question = Question.of(policies, attackers, states, None, rules, in_file)
        rows = break_even_frame(
            self.people_for(question),
            self._policies(question),
            self._attackers(question),
            stakes,
            states=question.states,
            in_file=question.in_file,
            days_per_year=self.days_per_year,
            sizes=switch("sizes", sizes),
        )
        origin = self._priced(question, "break-even", stakes, notes)
        return RowsAnswer(rows, "When attacks pay", provenance=origin)

    def _priced(self, question: Question, analysis: str, stakes: Stakes, notes: tuple[str, ...]) -> AnswerProvenance:
        """The provenance of an answer about money: its amounts are in the manifest and the notes."""
        return AnswerProvenance((self,), question, analysis, stakes.amounts, notes)
