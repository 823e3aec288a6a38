"""The measured effect of disclosure-avoidance noise, as facts that come with the program.

The Bureau published the same cells of Kentucky's 2010 census twice: as counted, and through the noise
system it was building for 2020 (demonstration of July 2020). Every measure was computed on both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from policy_sim.granularity import Granularities
from policy_sim.io.population_store.cache import Entry
from policy_sim.io.toml_files import shipped_table
from policy_sim.population.population import Provenance

__all__ = ["NoiseEffect", "carries_noise", "noise_effects", "noise_of"]

_NOISY_CENSUS = "2020"
_RARE = "gender+race+birth=year+geography=county"


@dataclass(frozen=True)
class NoiseEffect:
    """One measure on the same cells, without and with noise: shares of the people, 0 to 1."""

    key: str
    measure: str
    counted: float
    noised: float

    @property
    def releases(self) -> Granularities:
        """The linkage key measured."""
        return Granularities.parse(self.key)


@cache
def noise_effects() -> tuple[NoiseEffect, ...]:
    """Return every measured effect (``data/census_noise.toml``)."""
    return tuple(NoiseEffect(**effect) for effect in shipped_table("census_noise.toml")["effect"])


def carries_noise(entry: Entry) -> bool:
    """Tell whether a saved population is a 2020 census, whose counts below the state carry noise."""
    return entry.counted > 0 and entry.date.startswith(_NOISY_CENSUS)


def noise_of(population: Provenance) -> str:
    """Say in one line what the noise of Census 2020 does to the figures of a population; empty where it has none.

    In a table of that census small cells are emptied, and unique people undercounted. A population that is fitted to
    its counts by race has cells of ours, and the noise only through those counts.
    """
    if not population.date.startswith(_NOISY_CENSUS):
        return ""
    if not population.counted:
        text = (
            "counts by county and race contain the noise of Census 2020. Ages are modeled, so rare people are not "
            "undercounted as they are in that census's tables by age"
        )
        return text if population.modeled else ""
    (unique,) = (e for e in noise_effects() if (e.key, e.measure) == (_RARE, "1-distinct"))
    return (
        "small cells of Census 2020 are not exact, so unique people are undercounted. In Kentucky 2010, such noise "
        f"changed 1-distinct by county, birth year, sex and race from {unique.counted:.2%} to {unique.noised:.2%}. "
        "Texas has 20,139 cells of one person in 2020 and had 37,728 in 2010 (docs/census.md)"
    )
