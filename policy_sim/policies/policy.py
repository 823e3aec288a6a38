"""A policy: what a custodian releases, as a granularity for each field."""

from __future__ import annotations

from dataclasses import dataclass

from policy_sim.fields import Granularities

__all__ = ["Policy"]


@dataclass(frozen=True)
class Policy:
    """What a release shows of each person, and the rule that says so.

    ``releases`` is the granularity of each field; a field left out is not released.
    """

    name: str
    title: str
    releases: Granularities
    citation: str
