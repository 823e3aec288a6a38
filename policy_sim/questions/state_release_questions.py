"""Questions about what a state itself releases."""

from __future__ import annotations

from policy_sim.analyses.comparison import compare
from policy_sim.arguments import one_state
from policy_sim.attackers import GENERAL
from policy_sim.policies.policy import Policy
from policy_sim.questions.question import GroupSizes, Question
from policy_sim.questions.setting import Setting
from policy_sim.results import RiskProfile
from policy_sim.states import State

__all__ = ["StateReleaseQuestions"]


class StateReleaseQuestions(Setting):
    """Questions about the files that each state releases."""

    def own_release(self, state: str | State, g: GroupSizes | None = None) -> tuple[Policy, RiskProfile]:
        """Return what a state's own newest file shows, and its risk for an attacker who knows everyone.

        Parameters
        ----------
        state : Postal code, FIPS code or name.
        g : Group sizes of g-distinct, 1 or more; 1, 3, 5 and 10 by default.

        Returns
        -------
        The policy, with its terms as remarks, and the profile: expected people, and shares (0..1) of the state's
        people. The profile of a state without a recorded release has the status ``unknown`` and no figure.

        Raises
        ------
        UnknownNameError : a state that is not known.
        InputError : the population cannot answer for a place that the file shows.

        Examples
        --------
        >>> from policy_sim import Study
        >>> policy, profile = Study("us-2010").own_release("NC", 1)
        >>> policy.title, round(profile.share("total-risk").low, 3)
        ('North Carolina, inpatient file of 2020', 0.293)
        """
        question = Question.of("release:newest", GENERAL.name, one_state(state), g)
        policies = self._policies(question)
        compared = compare(
            self.people_for(question),
            policies,
            [GENERAL],
            states=question.states,
            g=question.g,
            days_per_year=self.days_per_year,
        )
        (profile,) = compared.profiles
        ends = policies[0].in_state(profile.state)
        return (policies[0] if ends is None else ends[1]), profile
