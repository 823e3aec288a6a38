"""The question of how much each assumption changes the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from policy_sim.errors import InputError
from policy_sim.io.policy_files import RULES, in_other_form
from policy_sim.policies.policy import Policy
from policy_sim.questions.question import (
    ATTACKERS,
    DEFAULT_RULES,
    POLICIES,
    Attackers,
    GroupSizes,
    InFileLike,
    Policies,
    Question,
    States,
)
from policy_sim.questions.setting import Setting

if TYPE_CHECKING:
    from policy_sim.analyses.changed_assumptions import Form
    from policy_sim.questions.analysis_answers import SensitivityAnswer

__all__ = ["SensitivityQuestions"]


class SensitivityQuestions(Setting):
    """Questions about the assumptions behind the figures."""

    def sensitivity(
        self,
        states: States = None,
        policies: Policies = POLICIES,
        attackers: Attackers = ATTACKERS,
        g: GroupSizes | None = None,
        *,
        rules: str = DEFAULT_RULES,
        in_file: InFileLike = None,
        tell: Callable[[int], None] | None = None,
    ) -> SensitivityAnswer:
        """Change one assumption at a time, and rank how much each figure changes.

        Among the assumptions are the form of the rules, who is on the list, and how many are in the file.

        Parameters
        ----------
        states, policies, attackers, g, rules, in_file : As for :meth:`compare`.
        tell : Called with the number of assumptions changed so far.

        Returns
        -------
        One row per state, figure and assumption that changes it, the largest first; shares (0..1) of the state's
        people, or of those in the file.

        Raises
        ------
        InputError, UnknownNameError : as for :meth:`compare`.

        Examples
        --------
        >>> from policy_sim import Study
        >>> study = Study("us-2010", 2026)
        >>> rows = study.sensitivity("DE", "county", "general", 1, rules="paper").to_frame()
        >>> set(rows["state"])
        {'DE'}
        """
        from policy_sim.analyses.sensitivity import sensitivity
        from policy_sim.io.populations.assumptions import load_assumptions
        from policy_sim.questions.analysis_answers import SensitivityAnswer

        if tell is not None and not callable(tell):
            raise InputError("tell: give a function that takes the number of assumptions changed.")
        question = Question.of(policies, attackers, states, g, rules, in_file)
        who, people = self._attackers(question), self.people_for(question)
        swings = sensitivity(
            people,
            self._policies(question),
            who,
            question.states or people.states,
            load_assumptions(people, who, self._other_form(question)),
            g=question.g,
            days_per_year=self.days_per_year,
            in_file=question.in_file,
            tell=tell,
        )
        return SensitivityAnswer(swings, provenance=self._from(question, "sensitivity"))

    def _other_form(self, question: Question) -> Form | None:
        """The question's policies in the other form of the rules; None where none of them has two."""
        from policy_sim.analyses.changed_assumptions import Form

        rules = "paper" if question.rules == "regulation" else "regulation"
        names = tuple(
            policy if isinstance(policy, Policy) else in_other_form(policy, question.rules)
            for policy in question.policies
        )
        if names == question.policies:
            return None
        other = replace(question, policies=names, rules=rules)
        return Form(f"rules-{rules}", RULES[rules], self.people_for(other), self._policies(other))
