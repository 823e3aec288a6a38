"""What a brief rests on: the answers of one study, asked once."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from policy_sim.attackers import GENERAL, VOTER
from policy_sim.errors import InputError
from policy_sim.questions.question import InFileLike, Policies, Question
from policy_sim.results import TOTAL_RISK, RiskProfile
from policy_sim.status import Status

if TYPE_CHECKING:
    import pandas as pd

    from policy_sim.analyses.economics.attack_plan import AttackPlan
    from policy_sim.questions.comparison_answer import ComparisonAnswer
    from policy_sim.study import Study
    from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["Evidence"]


@dataclass(frozen=True)
class Evidence:
    """The answers that a brief draws on.

    Parameters
    ----------
    study : Population and voter lists.
    question : Policies, one state or none, and the form of the rules.
    in_file : People in the file, as a share or a number; the small file of one per cent by default.
    date : Day of the brief: ages of facts are counted to it.
    """

    study: Study
    question: Question
    in_file: InFileLike
    date: dt.date

    @classmethod
    def of(
        cls, study: Study, state: str | None, policies: Policies | None, rules: str, in_file: InFileLike, date: dt.date
    ) -> Evidence:
        """Return the evidence for one state, or for the nation."""
        question = Question.of(policies, None, None if state is None else state, 1, rules)
        if question.states is not None and len(question.states) != 1:
            raise InputError("name one state, or US for the nation.")
        return cls(study, question, 0.01 if in_file is None else in_file, date)

    @property
    def state(self) -> str:
        """The postal code of the state; empty for the nation."""
        return self.question.states[0] if self.question.states else ""

    @property
    def policies(self) -> tuple[str, ...]:
        """Names of the policies, as they were measured."""
        return tuple(dict.fromkeys(profile.policy for profile in self.nation))

    @cached_property
    def nation(self) -> ComparisonAnswer:
        """Every state, everyone released."""
        return self.study.compare(self.question.policies, self.question.attackers, None, 1, rules=self.question.rules)

    @cached_property
    def file(self) -> ComparisonAnswer:
        """The state's file, where the attacker knows who is in it."""
        return self.study.compare(
            self.question.policies,
            self.question.attackers,
            self.question.states,
            1,
            rules=self.question.rules,
            in_file=self.in_file,
        )

    @cached_property
    def listed(self) -> VoterList:
        """The state's voter list."""
        return self.study.unrestricted_voter.voter_list(self.state)

    @cached_property
    def attacks(self) -> tuple[AttackPlan, ...]:
        """The best attack on the file under each policy, with the state's voter list."""
        answer = self.study.attack(
            self.state, self.question.policies, VOTER, rules=self.question.rules, in_file=self.in_file
        )
        return tuple(answer.plans)

    @cached_property
    def by_race(self) -> pd.DataFrame:
        """Total risk by race under the last policy, for the attacker who holds everyone."""
        question = self.question
        answer = self.study.break_down("race", question.policies[-1], GENERAL.name, self.state, 1, rules=question.rules)
        rows = answer.to_frame()
        return rows[rows["measure"] == str(TOTAL_RISK)]

    @cached_property
    def curves(self) -> pd.DataFrame:
        """The share of people in groups of ``g`` or fewer, for g = 1 to 1,000."""
        question = self.question
        return self.study.curves(self.state, question.policies, GENERAL.name, 1_000, rules=question.rules).to_frame()

    def rank(self, policy: str, attacker: str) -> tuple[int | None, int]:
        """Return the state's place by total risk as a share, the largest first, and how many states have one figure."""
        shares: dict[str, float] = {}
        for profile in self.nation:
            share = profile.share(TOTAL_RISK) if (profile.policy, profile.attacker) == (policy, attacker) else None
            if share is not None and profile.status == Status.OK:
                shares[profile.state] = share.low
        own = shares.get(self.state)
        return (None if own is None else 1 + sum(share > own for share in shares.values())), len(shares)

    def everyone(self, state: str, policy: str, attacker: str) -> RiskProfile:
        """Return one profile of everyone released."""
        return self.nation.profile(state, policy, attacker)

    def manifest(self, command: str, **options: Any) -> dict[str, Any]:
        """Return what made the brief."""
        return self.file.provenance.manifest(command, date=self.date.isoformat(), **options)
