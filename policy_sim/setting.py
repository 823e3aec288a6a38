"""What a study is made of: a population, voter lists, and who holds them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from policy_sim.attackers import GENERAL, Attacker, Constraints, covered, held_back, voter
from policy_sim.attackers.listed import listed_people
from policy_sim.errors import UnknownNameError
from policy_sim.policies.policy import Policy
from policy_sim.population.cells import Population
from policy_sim.population.elsewhere import AnyPopulation, in_memory
from policy_sim.population.merge import DAYS_PER_YEAR
from policy_sim.population.places import has_place
from policy_sim.population.shown import as_shown
from policy_sim.sources.adversaries import load_adversary
from policy_sim.sources.policies import load_policy
from policy_sim.sources.populations import load_population
from policy_sim.sources.registered_voters import load_coverage
from policy_sim.sources.shipped import newest_population
from policy_sim.sources.study_lists import study_lists
from policy_sim.sources.zip_lists import with_zip3_list

if TYPE_CHECKING:
    from policy_sim.sources.engine.engine import Engine

__all__ = ["ATTACKERS", "Setting"]

ATTACKERS = ("general", "voter")


@dataclass(frozen=True)
class Setting:
    """A population and the voter lists of one vintage, found when they are first needed.

    The fields are the parameters of :class:`policy_sim.api.Study`, which asks the questions.
    """

    population: str | Population | None = None
    lists: str | None = None
    days_per_year: float = DAYS_PER_YEAR
    zip3: str = "computed"
    adversary: str | Constraints | None = None
    coverage: str = "everyone"
    spread: bool = False
    database: str | None = None
    engine: str | Engine | None = None
    as_of: dt.date | None = None

    @cached_property
    def counted(self) -> AnyPopulation:
        """The population, loaded once, or left where it lies and merged by the engine."""
        if self.engine is None:
            return (
                self.population
                if isinstance(self.population, Population)
                else load_population(self.population or newest_population())
            )
        from policy_sim.sources.engine.population_file import population_of_engine

        return population_of_engine(self.population, self.engine)

    @property
    def people(self) -> Population:
        """The population in memory.

        Raises
        ------
        InputError : an engine merges it.
        """
        return in_memory(self.counted)

    @cached_property
    def voter(self) -> Attacker:
        """The attacker who holds each state's voter list, as far as the adversary can have it."""
        return self._within_reach(self.anyone)

    @cached_property
    def anyone(self) -> Attacker:
        """VOTER with every list that there is, whoever he may be."""
        vintage, lists = study_lists(self.lists, self.database, self.as_of)
        return voter(lists, vintage)

    def _within_reach(self, attacker: Attacker) -> Attacker:
        """The attacker with the lists that the study's adversary can have."""
        if self.adversary is None:
            return attacker
        who = load_adversary(self.adversary) if isinstance(self.adversary, str) else self.adversary
        return held_back(attacker, who, listed_people(self.counted), self.counted.counties_by_state())

    @cached_property
    def voters(self) -> tuple[Attacker, ...]:
        """VOTER, and beside it the attacker whose lists hold only those whom the coverage says."""
        coverage = load_coverage(self.coverage, self.voter.newest_vintage)
        return (self.voter,) if coverage is None else (self.voter, covered(self.voter, coverage))

    def _policies(self, wanted: Sequence[str | Policy]) -> list[Policy]:
        """The policies, as far as the population shows what they ask for."""
        chosen = [load_policy(policy) if isinstance(policy, str) else policy for policy in wanted]
        counted = self.counted
        if isinstance(counted, Population) and not has_place(counted, "zip3"):
            return chosen  # no list of small ZIP areas helps: merging says what is missing
        listed = [with_zip3_list(policy, self.zip3, counted.provenance.date) for policy in chosen]
        return [as_shown(policy, counted) for policy in listed] if isinstance(counted, Population) else listed

    def _attackers(self, wanted: Sequence[str | Attacker]) -> list[Attacker]:
        found: list[Attacker] = []
        for attacker in wanted:
            if isinstance(attacker, Attacker):
                found.append(attacker)
            elif attacker.casefold() in ATTACKERS:
                found += (GENERAL,) if attacker.casefold() == "general" else self.voters
            else:
                raise UnknownNameError("attacker", attacker, ATTACKERS)
        return found
