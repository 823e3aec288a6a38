"""The people of a population divided by who they are: race, sex, age band, county, size of the county."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from policy_sim.arrays import IntArray
from policy_sim.errors import InputError, UnknownNameError
from policy_sim.population.cells import RACES, SEXES
from policy_sim.population.population import Population

__all__ = ["AGE_BANDS", "COUNTY_SIZES", "SPLITS", "Split", "split_people"]


# Lower ages of the bands; a cell belongs to the band of its lower age.
AGE_BANDS = (0, 18, 25, 35, 45, 55, 65, 75, 85)
# Least people of each class of county.
COUNTY_SIZES = (0, 5_000, 10_000, 20_000, 50_000, 100_000, 250_000, 500_000, 1_000_000)


@dataclass(frozen=True, eq=False)
class Split:
    """Which part each cell of a population belongs to.

    ``names`` are those of the parts, in the order in which they are shown; ``codes`` has the place of each
    cell's part among them, shape (cells,). Where whole counties are parts, ``of_county`` has the part of each county of
    the population, 0 for one without people; else it is None.
    """

    field: str
    names: tuple[str, ...]
    codes: IntArray
    of_county: IntArray | None = None


def split_people(population: Population, field: str) -> Split:
    """Divide the cells by one of :data:`SPLITS`.

    Raises
    ------
    UnknownNameError : no such field.
    InputError : the population lacks the column.
    """
    if field not in SPLITS:
        raise UnknownNameError("breakdown", field, SPLITS)
    return SPLITS[field](population)


def _column(population: Population, name: str) -> IntArray:
    """Return the place of each cell's value among the column's categories."""
    if name not in population.cells:
        raise InputError(f"population {population.name} has no {name}: choose one that has, or another breakdown.")
    return population.cells[name].cat.codes.to_numpy().astype(np.int64)


def _named(population: Population, name: str, order: tuple[str, ...]) -> Split:
    codes = _column(population, name)
    categories = [str(value) for value in population.cells[name].cat.categories]
    present = tuple(value for value in order if value in categories)
    place = np.array([present.index(value) for value in categories], dtype=np.int64)
    return Split(name, present, place[codes])


def _race(population: Population) -> Split:
    return _named(population, "race", RACES)


def _sex(population: Population) -> Split:
    return _named(population, "sex", SEXES)


def _age(population: Population) -> Split:
    limits = (*AGE_BANDS[1:], None)
    values = tuple(
        f"{low}-{high - 1}" if high else f"{low} and over" for low, high in zip(AGE_BANDS, limits, strict=True)
    )
    codes = np.searchsorted(AGE_BANDS, population.cells["age"].to_numpy(), side="right") - 1
    return Split("age", values, codes.astype(np.int64))


def _county(population: Population) -> Split:
    codes = _column(population, "county")
    names = tuple(str(value) for value in population.cells["county"].cat.categories)
    return Split("county", names, codes, np.arange(len(names)))


def _county_size(population: Population) -> Split:
    county = _column(population, "county")
    people = np.bincount(county, weights=population.cells["people"].to_numpy())
    size = np.searchsorted(COUNTY_SIZES, people, side="right") - 1
    limits = (*COUNTY_SIZES[1:], None)
    values = tuple(
        f"{low:,} to {high - 1:,}" if high else f"{low:,} and more"
        for low, high in zip(COUNTY_SIZES, limits, strict=True)
    )
    return Split("county-size", values, size[county], np.maximum(size, 0))


SPLITS: Mapping[str, Callable[[Population], Split]] = MappingProxyType(
    {"race": _race, "age": _age, "sex": _sex, "county": _county, "county-size": _county_size}
)
