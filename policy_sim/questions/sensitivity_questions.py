"""The question what each assumption is worth."""

from __future__ import annotations

from policy_sim.arguments import one_state
from policy_sim.questions.question import (
    ATTACKERS,
    DEFAULT_RULES,
    POLICIES,
    Attackers,
    GroupSizes,
    InFileLike,
    Policies,
    Question,
)
from policy_sim.questions.setting import Setting
from policy_sim.questions.study_answers import SensitivityAnswer
from policy_sim.states import State

__all__ = ["SensitivityQuestions"]


class SensitivityQuestions(Setting):
    """What the figures rest on."""

    def sensitivity(
        self,
        state: str | State,
        policies: Policies = POLICIES,
        attackers: Attackers = ATTACKERS,
        g: GroupSizes | None = None,
        *,
        rules: str = DEFAULT_RULES,
        in_file: InFileLike = None,
    ) -> SensitivityAnswer:
        """Change one assumption at a time in one state, and rank what that does to each figure.

        Parameters
        ----------
        state : Postal code, FIPS code or name.
        policies, attackers, g, rules, in_file : As for :meth:`compare`.

        Returns
        -------
        One swing per figure and assumption that moves it, the largest first; shares (0..1) of the state's people.

        Raises
        ------
        InputError, UnknownNameError : as for :meth:`compare`.
        """
        from policy_sim.analyses.sensitivity import sensitivity
        from policy_sim.io.populations.assumptions import load_assumptions

        question = Question.of(policies, attackers, one_state(state), g, rules, in_file)
        (place,) = question.states or ()
        who = self._attackers(question)
        swings = sensitivity(
            self.people,
            self._policies(question),
            who,
            place,
            load_assumptions(self.people, who),
            g=question.g,
            days_per_year=self.days_per_year,
        )
        return SensitivityAnswer(swings, provenance=self._from(question, "sensitivity"))
