"""What a bit of each field is worth to a study: utility as a weighted sum of what each field tells by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from policy_sim.analyses.release_entropy import entropy_bits
from policy_sim.arrays import FloatArray
from policy_sim.errors import InputError
from policy_sim.granularity import Field, Granularities, field_word
from policy_sim.policies.policy import Policy
from policy_sim.population.merge import merge
from policy_sim.population.population import AnyPopulation

__all__ = ["FieldWeights"]


@dataclass(frozen=True)
class FieldWeights:
    """The worth of a bit of each field, 0 or more.

    Fields tell things that overlap (older people are more often women), so that the sum of what each tells by itself
    is a little more than what all tell together: weights of 1 do not give the entropy of the release.

    Attributes
    ----------
    worth : By field; every field has one.
    """

    worth: Mapping[Field, float]

    def __post_init__(self) -> None:
        for field in Field:
            worth = self.worth.get(field, 1.0)
            if not (np.isfinite(worth) and worth >= 0):
                raise InputError(f"weight of {field} is {worth}: give a number of 0 or more.")
        full = {field: float(self.worth.get(field, 1.0)) for field in Field}
        if not any(full.values()):
            raise InputError("every field has weight 0, so no policy is better than another.")
        object.__setattr__(self, "worth", MappingProxyType(full))

    def __str__(self) -> str:
        return ", ".join(f"{field_word(field)} {worth:g}" for field, worth in self.worth.items())

    def bits_of(
        self, population: AnyPopulation, policies: Sequence[Policy], states: Sequence[str], days_per_year: float = 365.0
    ) -> FloatArray:
        """Return the weighted bits of each policy in each state; shape (policies, states).

        The entropy of what each field alone shows of a person of the state, times its weight, added up.
        """
        stored_bits: dict[tuple[object, ...], FloatArray] = {}

        def alone(policy: Policy, field: Field) -> FloatArray:
            granularities = {"geography": "state", field.value: policy.releases[field]}
            if granularities["geography"] == "nation":
                granularities["geography"] = "state"
            key = Granularities(granularities)
            conditions = policy.conditions.on(key)
            if (key, conditions) not in stored_bits:
                groups = merge(population, key, states, days_per_year=days_per_year, conditions=conditions)
                stored_bits[key, conditions] = entropy_bits(groups)
            return stored_bits[key, conditions]

        return np.array(
            [sum(worth * alone(policy, field) for field, worth in self.worth.items() if worth) for policy in policies]
        )
