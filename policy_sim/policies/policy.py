"""A policy: what a custodian releases, as a granularity for each field and conditions on values."""

from __future__ import annotations

from dataclasses import dataclass

from policy_sim.fields import Granularities
from policy_sim.policies.conditions import NO_CONDITIONS, Conditions

__all__ = ["Policy", "Rule"]


@dataclass(frozen=True)
class Rule:
    """One rule of a policy, in a sentence, and the paragraph that it is read from."""

    says: str
    citation: str


@dataclass(frozen=True)
class Policy:
    """What a release shows of each person, and the rules that say so.

    ``releases`` is the granularity of each field; a field left out is not released. ``conditions``
    make exceptions for the oldest people and for small places. ``as_written`` names the policy that
    states the same rule as the regulation does, where this one is a simplification.
    """

    name: str
    title: str
    releases: Granularities
    citation: str
    conditions: Conditions = NO_CONDITIONS
    rules: tuple[Rule, ...] = ()
    as_written: str = ""
