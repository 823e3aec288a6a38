"""How far the fit of a population moves each measure, as facts that ship with the project.

:mod:`policy_sim.building.held_out_errors` measures them; a recipe may have been compared with several states.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache

from policy_sim.granularity import Granularities
from policy_sim.io.paths import data_dir

__all__ = ["ModelError", "largest_errors", "model_errors"]


@dataclass(frozen=True)
class ModelError:
    """Relative error of one measure of some populations on one linkage key, and where it was measured.

    ``relative`` is what the fit gives over what was counted, less 1.
    """

    populations: tuple[str, ...]
    key: str
    measure: str
    relative: float
    measured: str

    @property
    def releases(self) -> Granularities:
        """The linkage key measured."""
        return Granularities.parse(self.key)


@cache
def model_errors() -> tuple[ModelError, ...]:
    """Return every measured error (``data/model_error.toml``)."""
    facts = tomllib.loads((data_dir() / "model_error.toml").read_text(encoding="utf-8"))
    return tuple(
        ModelError(tuple(error["populations"]), key, measure, relative, error["measured"])
        for error in facts["error"]
        for key, measures in error["relative"].items()
        for measure, relative in measures.items()
    )


def largest_errors(population: str) -> tuple[ModelError, ...]:
    """Return the error of largest size of each key and measure of one population; none if it was not measured."""
    largest: dict[tuple[str, str], ModelError] = {}
    for error in model_errors():
        name = error.key, error.measure
        if population in error.populations and (
            name not in largest or abs(error.relative) > abs(largest[name].relative)
        ):
            largest[name] = error
    return tuple(largest.values())
