"""The errors of each recipe: the recipe applied to a state with a counted joint table, without that table.

The code compares a recipe with every available state and census to which it applies. The errors go into
``data/model_error.toml`` and decide the default population (docs/populations.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from policy_sim.building.fit_errors import errors_of_fit, misplaced_share, zip_errors_of_fit
from policy_sim.building.fits import fit_decennial, fit_estimates, fit_redistricting
from policy_sim.building.held_out import GAPS, like_2020, like_2022, like_ages_of
from policy_sim.building.official_tables import read_decennial
from policy_sim.building.recipes import state_rng
from policy_sim.building.tables import JOINT_TABLES, JointTable
from policy_sim.words.arrays import IntArray

__all__ = ["HeldOutError", "held_out_errors", "to_facts"]


Fit = Callable[[Path, JointTable, np.random.Generator], IntArray]

# Estimates of the ages of each race that the recipe of 2020 gets: of July of the census year in 2000, and of five years
# after the census in 2010. Those of 2019 that it has in 2020 are nine months before the census.
_ESTIMATES = {2000: 2000, 2010: 2015}
# Census whose people by part of a county in a ZIP code area are counted.
_ZIP_YEAR = 2010


@dataclass(frozen=True)
class HeldOutError:
    """One recipe, applied to one state and census without its joint table.

    Attributes
    ----------
    populations : Shipped populations made with the recipe.
    held_out : The state and the census.
    misplaced : Share of the people in a wrong cell of county, sex, age and race, 0 to 1.
    relative : Linkage key -> measure -> fitted over counted, less 1.
    how : How this measurement differs from others of the same recipe, state and census.
    """

    populations: tuple[str, ...]
    held_out: JointTable
    misplaced: float
    relative: Mapping[str, Mapping[str, float]]
    how: str = ""

    @property
    def measured(self) -> str:
        """The state and census of the measurement, in words."""
        return f"{self.held_out.name} {self.held_out.year}, fitted without its joint table{self.how}"


def _as_counted(folder: Path, held_out: JointTable, rng: np.random.Generator) -> IntArray:
    return fit_decennial(read_decennial(folder, held_out.year)[held_out.state], rng)


def _as_2020(folder: Path, held_out: JointTable, rng: np.random.Generator) -> IntArray:
    return fit_redistricting(like_2020(folder, held_out, _ESTIMATES[held_out.year]), rng)


_RECIPES: tuple[tuple[tuple[str, ...], Fit, tuple[int, ...]], ...] = (
    (("us-2000",), _as_counted, (2000,)),
    (("us-2010",), _as_counted, (2010,)),
    (("us-2020",), _as_2020, (2000, 2010)),
)


def held_out_errors(folder: Path) -> Iterator[HeldOutError]:
    """Measure every recipe on every state and census that it does not use."""
    for populations, fit, years in _RECIPES:
        for held_out in JOINT_TABLES:
            if held_out.year in years:
                rng = state_rng(f"us-{held_out.year}", held_out.state)
                counted = held_out.counted(folder)
                fitted = like_ages_of(counted, fit(folder, held_out, rng))
                yield _with_zip(_error(populations, held_out, fitted, counted), fitted, counted, folder)
    yield from _as_2022(folder)


def _with_zip(error: HeldOutError, fitted: IntArray, counted: IntArray, folder: Path) -> HeldOutError:
    """Add the keys with a ZIP code, for the census that counts the parts of counties."""
    if error.held_out.year != _ZIP_YEAR:
        return error
    census = read_decennial(folder, error.held_out.year)[error.held_out.state]
    zip_errors = zip_errors_of_fit(fitted, counted, census.counties, f"us-{_ZIP_YEAR}")
    return replace(error, relative={**error.relative, **_by_key(zip_errors)})


def _by_key(errors: Iterable[tuple[str, str, float]]) -> dict[str, dict[str, float]]:
    relative: dict[str, dict[str, float]] = {}
    for key, measure, error in errors:
        relative.setdefault(key, {})[measure] = error
    return relative


def _as_2022(folder: Path) -> Iterator[HeldOutError]:
    """Measure the recipe of 2022 on Texas 2010, with a fit that is ten years old and with one of the same day."""
    (texas,) = [table for table in JOINT_TABLES if (table.name, table.year) == ("Texas", 2010)]
    counted = texas.counted(folder)
    for gap in GAPS:
        fitted = fit_estimates(like_2022(folder, gap), state_rng("us-2010", texas.state))
        yield replace(_error(("us-2022",), texas, fitted, counted), how=f", from a fit {gap} years old")


def _error(populations: tuple[str, ...], held_out: JointTable, fitted: IntArray, counted: IntArray) -> HeldOutError:
    relative = _by_key(errors_of_fit(fitted, counted))
    return HeldOutError(populations, held_out, misplaced_share(fitted, counted), relative)


def to_facts(errors: list[HeldOutError]) -> str:
    """Write errors as the blocks of ``data/model_error.toml``."""
    return "\n".join(map(_block, errors))


def _block(error: HeldOutError) -> str:
    names = ", ".join(f'"{name}"' for name in error.populations)
    lines = [
        "[[error]]",
        f"populations = [{names}]",
        f'measured = "{error.measured}"',
        f"misplaced = {error.misplaced:.6f}",
    ]
    for key, measures in error.relative.items():
        figures = ", ".join(f'"{measure}" = {relative:.6f}' for measure, relative in measures.items())
        lines.append(f'relative."{key}" = {{ {figures} }}')
    return "\n".join(lines) + "\n"
