"""The measured effect of disclosure-avoidance noise, as facts that come with the program.

The Bureau published the same cells of Kentucky's 2010 census twice: as counted, and through the noise
system it was building for 2020 (demonstration of July 2020). Every measure was computed on both.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache

from policy_sim.granularity import Granularities
from policy_sim.io.paths import data_dir
from policy_sim.io.population_store.cache import Entry

__all__ = ["NoiseEffect", "carries_noise", "noise_effects"]

_NOISY_CENSUS = "2020"


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
    with (data_dir() / "census_noise.toml").open("rb") as file:
        facts = tomllib.load(file)
    return tuple(NoiseEffect(**effect) for effect in facts["effect"])


def carries_noise(entry: Entry) -> bool:
    """Tell whether a saved population is a 2020 census, whose counts below the state carry noise."""
    return entry.counted > 0 and entry.date.startswith(_NOISY_CENSUS)
