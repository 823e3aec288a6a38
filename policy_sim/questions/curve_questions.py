"""The question of every group size at once."""

from __future__ import annotations

from policy_sim.analyses.comparison import curves
from policy_sim.arguments import one_state, whole_number
from policy_sim.questions.question import (
    ATTACKERS,
    DEFAULT_RULES,
    POLICIES,
    Attackers,
    InFileLike,
    Policies,
    Question,
)
from policy_sim.questions.setting import Setting
from policy_sim.questions.study_answers import CurveAnswer
from policy_sim.states import State

__all__ = ["CurveQuestions"]

_MOST_CURVE = 10_000_000


class CurveQuestions(Setting):
    """How risk grows with the size of a group."""

    def curves(
        self,
        state: str | State,
        policies: Policies = POLICIES,
        attackers: Attackers = ATTACKERS,
        g_max: int = 20_000,
        *,
        rules: str = DEFAULT_RULES,
        in_file: InFileLike = None,
    ) -> CurveAnswer:
        """Return the share g-distinct for g = 1 to ``g_max`` in one state.

        Parameters
        ----------
        state : Postal code, FIPS code or name.
        policies, attackers, rules, in_file : As for :meth:`compare`.
        g_max : Largest group size, 1 or more.

        Returns
        -------
        One curve per policy and attacker: shares (0..1) of the state's people.

        Raises
        ------
        InputError, UnknownNameError : as for :meth:`compare`.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> len(study.curves("DE", "county", "general", 100).to_frame())
        100
        """
        question = Question.of(policies, attackers, one_state(state), rules=rules, in_file=in_file)
        swept = curves(
            self.people_for(question),
            self._policies(question),
            self._attackers(question),
            states=question.states,
            g_max=whole_number("g_max", g_max, 1, _MOST_CURVE),
            days_per_year=self.days_per_year,
            in_file=question.in_file,
        )
        return CurveAnswer(swept, provenance=self._from(question, "curve"))
