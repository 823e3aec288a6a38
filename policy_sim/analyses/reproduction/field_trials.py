"""What the model says of attacks that were carried out and published."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from policy_sim.analyses.reproduction.printed_figure import Answer, Ask
from policy_sim.attackers.coverage import VOTING_AGE, Coverage, listed_shares
from policy_sim.granularity import Granularities
from policy_sim.groups import AnyGroups, claims, g_distinct, total_risk
from policy_sim.policies.policy import Conditions
from policy_sim.population.merge import DAYS_PER_YEAR, merge, people_of_age
from policy_sim.population.population import AnyPopulation

__all__ = ["FieldTrials"]


@dataclass(frozen=True)
class FieldTrials:
    """The people and lists that the published attacks are compared with.

    Parameters
    ----------
    people : Everyone of 2010, by ZIP code.
    conditions : What Safe Harbor says of small ZIP areas and of the oldest, for these people.
    registered : Who is on the voter lists of 2010.
    county : Gives the people of one county of 2020 by ZIP code, from its code.
    """

    people: AnyPopulation
    conditions: Conditions
    registered: Coverage
    county: Callable[[str], AnyPopulation]

    def answer(self, ask: Ask) -> Answer:
        """Answer one question."""
        methods: dict[str, Callable[[Ask], Answer]] = {
            "claims": self._claims,
            "guess": self._guess,
            "in-file": self._in_file,
            "listed-county": self._listed_county,
            "alone": self._alone,
            "silent": lambda ask: Answer(None, f"The model does not cover this: {ask['why']}"),
        }
        return methods[ask["kind"]](ask)

    @cached_property
    def _claimed(self) -> tuple[float, float, float]:
        """Adults, claims and correct claims, where every state's list shows sex, date of birth and ZIP code."""
        adults = people_of_age(self.people, VOTING_AGE)
        states = [state for state in adults.states if self.registered.knows(state)]
        key = Granularities(gender="value", birth="date", geography="zip5")
        groups = merge(adults, key, states)
        listed = listed_shares(adults, self.registered, states)
        people = adults.people_by_state()
        return (
            float(sum(people[state] for state in states)),
            float(claims(groups, listed).sum()),
            float(g_distinct(groups, [1], listed).sum()),
        )

    def _claims(self, ask: Ask) -> Answer:
        adults, claimed, correct = self._claimed
        return Answer(correct / claimed if ask["take"] == "precision" else claimed / adults)

    def _guess(self, ask: Ask) -> Answer:
        """Correct guesses per record, where a share of every group is in the file and on the list."""
        key = _key(ask)
        groups = merge(self.people, key, conditions=self.conditions.on(key, listed=False))
        share = float(ask["share"])
        return Answer(float(total_risk(groups, share).sum()) / (share * self._everyone))

    def _in_file(self, ask: Ask) -> Answer:
        """Records alone with their values among those in the file."""
        state, share = str(ask["state"]), float(ask["in_file"])
        days = float(ask.get("values_in_a_year", DAYS_PER_YEAR))
        groups = merge(self.people, _key(ask), [state], days_per_year=days)
        alone = g_distinct(_split(groups, float(ask.get("times", 1))), [1], share).sum()
        return Answer(float(alone) / (share * self.people.people_by_state()[state]))

    def _listed_county(self, ask: Ask) -> Answer:
        """Chance of a correct match of a listed person's record."""
        adults = people_of_age(self.county(str(ask["county"])), VOTING_AGE)
        people = sum(adults.people_by_state().values())
        listed = float(ask["listed"]) / people
        return Answer(float(total_risk(merge(adults, _key(ask)), listed).sum()) / (listed * people))

    def _alone(self, ask: Ask) -> Answer:
        return Answer(float(g_distinct(merge(self.people, _key(ask)), [1]).sum()) / self._everyone)

    @cached_property
    def _everyone(self) -> float:
        return float(sum(self.people.people_by_state().values()))


def _key(ask: Ask) -> Granularities:
    return Granularities(gender="value", birth=ask["birth"], geography=ask["geography"])


def _split(groups: AnyGroups, times: float) -> AnyGroups:
    """Return the groups with this many times the bins: another fact distinguishes as many equally likely values."""
    return replace(groups, bins=np.asarray(groups.bins) * times)
