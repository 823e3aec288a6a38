"""The question, as a call.

>>> from policy_sim import Study
>>> study = Study(population="us-2020", lists="2026")  # doctest: +SKIP
>>> study.compare(states=["OH"]).to_frame()            # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from policy_sim.attackers import GENERAL, Attacker, voter
from policy_sim.errors import UnknownNameError
from policy_sim.policies.policy import Policy
from policy_sim.population.cells import Population
from policy_sim.population.merge import DAYS_PER_YEAR
from policy_sim.profile import Cost, Curve
from policy_sim.sources.policies import load_policy
from policy_sim.sources.populations import load_population, newest_population
from policy_sim.sources.voter_lists import list_vintages, load_voter_lists
from policy_sim.states import find_states
from policy_sim.study import DEFAULT_G, Comparison, compare, costs, curves

__all__ = ["ATTACKERS", "POLICIES", "Study"]

POLICIES = ("safe-harbor", "limited-dataset")
ATTACKERS = ("general", "voter")


@dataclass(frozen=True)
class Study:
    """A population and the voter lists of one vintage, ready to be asked.

    Parameters
    ----------
    population : A name (``us-2020``; the newest by default), a file, or a Population.
    lists : The vintage of the voter lists (``2026``; the newest by default).
    days_per_year : Equally likely birthdays in a year; 365 as Benitez & Malin 2010.

    Raises
    ------
    UnknownNameError : no such population or vintage.
    """

    population: str | Population | None = None
    lists: str | None = None
    days_per_year: float = DAYS_PER_YEAR

    @cached_property
    def people(self) -> Population:
        """The population, loaded once."""
        if isinstance(self.population, Population):
            return self.population
        return load_population(self.population or newest_population())

    @cached_property
    def voter(self) -> Attacker:
        """The attacker who holds each state's voter list."""
        vintage = self.lists or list_vintages()[-1]
        return voter(load_voter_lists(vintage), vintage)

    def compare(
        self,
        policies: Sequence[str | Policy] = POLICIES,
        attackers: Sequence[str | Attacker] = ATTACKERS,
        states: Sequence[str] | None = None,
        g: Sequence[int] = DEFAULT_G,
    ) -> Comparison:
        """Return a risk profile for each state, policy and attacker; ``.to_frame()`` gives tidy rows."""
        return compare(
            self.people,
            self._policies(policies),
            self._attackers(attackers),
            states=_postal(states),
            g=g,
            days_per_year=self.days_per_year,
        )

    def cost(
        self, policies: Sequence[str | Policy] = POLICIES, states: Sequence[str] | None = None
    ) -> tuple[Cost, ...]:
        """Return what each re-identification costs the VOTER attacker, by state and policy."""
        return self.cost_of(self.compare(policies, ("voter",), states))

    def cost_of(self, comparison: Comparison) -> tuple[Cost, ...]:
        """Return the costs of the VOTER profiles of a comparison already made."""
        return costs(comparison, self.people, self.voter)

    def curves(
        self,
        state: str,
        policies: Sequence[str | Policy] = POLICIES,
        attackers: Sequence[str | Attacker] = ATTACKERS,
        g_max: int = 20_000,
    ) -> tuple[Curve, ...]:
        """Return the share g-distinct for g = 1 to ``g_max`` in one state."""
        return curves(
            self.people,
            self._policies(policies),
            self._attackers(attackers),
            states=_postal([state]),
            g_max=g_max,
            days_per_year=self.days_per_year,
        )

    def _policies(self, wanted: Sequence[str | Policy]) -> list[Policy]:
        return [load_policy(policy) if isinstance(policy, str) else policy for policy in wanted]

    def _attackers(self, wanted: Sequence[str | Attacker]) -> list[Attacker]:
        found = []
        for attacker in wanted:
            if isinstance(attacker, Attacker):
                found.append(attacker)
            elif attacker.casefold() in ATTACKERS:
                found.append(GENERAL if attacker.casefold() == "general" else self.voter)
            else:
                raise UnknownNameError("attacker", attacker, ATTACKERS)
        return found


def _postal(states: Sequence[str] | None) -> list[str] | None:
    return [state.postal for state in find_states(states)] if states else None
