"""How far the fit of a population moves each measure, as facts that ship with the project.

Kentucky 2010 is fitted without its joint table of county, sex, age class and race, and compared with it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from policy_sim.fields import Field, Granularities
from policy_sim.groups import Groups, g_distinct, total_risk
from policy_sim.population.closeness import CLASS_WIDTHS
from policy_sim.sources.paths import data_dir

__all__ = ["ModelError", "errors_of_fit", "kentucky_errors", "model_errors"]

_G = (1, 3, 5, 10)
_MEASURES = ("total-risk", *(f"{g}-distinct" for g in _G))
_KEYS = tuple(
    f"gender+race+birth={birth}+geography={place}" for birth in ("date", "year") for place in ("county", "state")
)


@dataclass(frozen=True)
class ModelError:
    """Relative error of one measure of some populations on one linkage key, and where it was measured.

    ``relative`` is what the fit gives over what was counted, less 1; where ``typical`` it is the size of
    the error in the median state, whose sign is not known.
    """

    populations: tuple[str, ...]
    key: str
    measure: str
    relative: float
    typical: bool
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
        ModelError(tuple(error["populations"]), key, measure, relative, error["typical"], error["measured"])
        for error in facts["error"]
        for key, measures in error["relative"].items()
        for measure, relative in measures.items()
    )


def errors_of_fit(fitted: NDArray[np.int64], counted: NDArray[np.int64]) -> Iterator[tuple[str, str, float]]:
    """Yield key, measure and relative error of a fitted table against the counted one.

    Parameters
    ----------
    fitted, counted : Whole people, shape (counties, 2, 23, races). Births are equally likely inside a class
        of age, on both sides alike.
    """
    for key in _KEYS:
        releases = Granularities.parse(key)
        days = 365 if releases[Field.BIRTH] == "date" else 1
        sides = []
        for table in (fitted, counted):
            cells = table if releases[Field.GEOGRAPHY] == "county" else table.sum(axis=0, keepdims=True)
            bins = np.broadcast_to(CLASS_WIDTHS[:, None] * days, cells.shape)
            groups = Groups.of(cells.ravel(), bins.ravel())
            sides.append([float(total_risk(groups)[0]), *g_distinct(groups, _G)[0].tolist()])
        for measure, ours, theirs in zip(_MEASURES, *sides, strict=True):
            yield key, measure, ours / theirs - 1


def kentucky_errors(folder: Path) -> list[tuple[str, str, float]]:
    """Measure the errors on the tables in a folder."""
    from policy_sim.population.decennial import people_by_class
    from policy_sim.sources.population_recipes import state_rng
    from policy_sim.sources.population_tables import read_decennial, read_kentucky

    kentucky = "21"
    census = read_decennial(folder, 2010)[kentucky]
    fitted = people_by_class(census, state_rng("us-2010", kentucky))
    return list(errors_of_fit(fitted, read_kentucky(folder, census.counties)))
