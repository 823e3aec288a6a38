"""The planning regions that are Connecticut's counties since 2022: their towns, and who lives in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from policy_sim.files.toml import shipped_table


@dataclass(frozen=True)
class PlanningRegion:
    """A planning region: its five-digit code, its name, and the ZIP code areas of each of its towns."""

    code: str
    name: str
    towns: Mapping[str, tuple[str, ...]]

    @property
    def areas(self) -> tuple[str, ...]:
        """The ZIP code areas of its towns."""
        return tuple(area for areas in self.towns.values() for area in areas)


@cache
def planning_regions() -> tuple[PlanningRegion, ...]:
    """Return the planning regions of Connecticut, by code (``data/planning_regions.toml``)."""
    return tuple(
        PlanningRegion(
            region["code"],
            region["name"],
            MappingProxyType({town: tuple(areas) for town, areas in region["towns"].items()}),
        )
        for region in shipped_table("planning_regions.toml")["region"]
    )


@cache
def people_by_region() -> Mapping[tuple[str, str], int]:
    """Return the people of 2020 by old county and planning region, counted by town."""
    codes = {region.code for region in planning_regions()}
    changes = shipped_table("county_changes.toml")["change"]
    pairs = {
        (part["old"], part["new"]): part["people"]
        for change in changes
        for part in change["parts"]
        if part["new"] in codes
    }
    return MappingProxyType(pairs)
