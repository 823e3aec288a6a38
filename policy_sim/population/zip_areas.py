"""People of counties placed in ZIP code areas: a model where no census counts both.

A census counts the people of each part of a ZIP code area in a county, but not their age, sex and
race together. The people of a county are therefore assigned to its parts at random, each part
getting as many as were counted: every part has, but for chance, the county's make-up, every person
is placed once, and every county cell and every part keep their people.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.errors import InputError
from policy_sim.population.population import Population

__all__ = ["deal_out", "in_zip_areas", "share_out", "small_zip3"]


# The rule of 45 CFR 164.514(b)(2)(i)(B): more people than this, or the prefix becomes 000.
ZIP3_MOST = 20_000


def small_zip3(zip5: Sequence[str], people: Sequence[int] | IntArray, most: int = ZIP3_MOST) -> dict[str, int]:
    """Return the three-digit ZIP areas of ``most`` people or fewer, with their people, sorted.

    Parameters
    ----------
    zip5 : Five-digit codes; one may be on several rows, whose people are added up.
    people : People of each row.
    most : A prefix of exactly this many people is small: "contains more than 20,000 people" is the rule.

    Examples
    --------
    >>> small_zip3(["03601", "03602", "10001"], [12_000, 8_000, 20_001])
    {'036': 20000}
    """
    prefixes, prefix = np.unique(np.asarray(zip5, dtype="U3"), return_inverse=True)
    sums = np.bincount(prefix, weights=people).astype(np.int64)
    return {str(name): int(count) for name, count in zip(prefixes, sums, strict=True) if count <= most}


def share_out(whole: int, weights: IntArray | FloatArray) -> IntArray:
    """Share out ``whole`` people by weights: whole numbers that add up, by largest remainder.

    >>> share_out(10, np.array([1, 1, 1])).tolist()
    [4, 3, 3]
    """
    exact = whole * (weights / weights.sum())
    shares: IntArray = np.floor(exact).astype(np.int64)
    first = np.argsort(shares - exact, kind="stable")
    shares[first[: whole - int(shares.sum())]] += 1
    return shares


def deal_out(people: IntArray, room: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
    """Deal the people of cells out to places at random, until each place is full.

    Parameters
    ----------
    people : People of each cell.
    room : People of each place; adds up to those of the cells.
    rng : Source of chance.

    Returns
    -------
    Cell, place and people (> 0) of each non-empty part. Sums over places are ``people``, over cells
    ``room``.
    """
    places = np.repeat(np.arange(len(room), dtype=np.min_scalar_type(len(room))), room)
    rng.shuffle(places)
    code = np.repeat(np.arange(len(people)) * len(room), people)
    code += places
    counts = np.bincount(code)
    held = np.flatnonzero(counts)
    cell, place = np.divmod(held, len(room))
    return cell, place, counts[held]


def in_zip_areas(population: Population, parts: pd.DataFrame, seed: int = 0) -> Population:
    """Return a county population with a column ``zip5`` besides ``county``.

    Parameters
    ----------
    population : Cells by county.
    parts : ``county``, ``zip5`` and ``people`` of each part of a ZIP code area in a county. People of
        a county outside every part are shared out over its parts.
    seed : The same seed places the same people alike, whichever states are asked for.

    Returns
    -------
    Cells by state, county, ZIP code and the population's other columns; the provenance is the
    population's own, for the caller to complete.

    Raises
    ------
    InputError : the population has no counties, or a county with people has no part.
    """
    if "county" not in population.cells:
        raise InputError(f"population {population.name} has no county: ZIP codes are placed by county.")
    cells = population.cells
    codes, by_county = cells["county"].cat.codes.to_numpy(), cells["people"].to_numpy(np.int64)
    names = [str(name) for name in cells["county"].cat.categories]
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(len(names) + 1))
    zips = np.unique(parts["zip5"].to_numpy(dtype=str))
    rooms = dict(_rooms(parts, zips))
    rows, zip_codes, people = [], [], []
    for number, name in enumerate(names):
        row = order[ends[number] : ends[number + 1]]
        if not len(row):
            continue
        zip_code, weight = _room(rooms, name, population)
        rng = np.random.default_rng([seed, int(name)])
        room = share_out(int(by_county[row].sum()), weight)
        cell, place, count = deal_out(by_county[row], room, rng)
        rows.append(row[cell])
        zip_codes.append(zip_code[place])
        people.append(count)
    divided = cells.drop(columns="people").take(np.concatenate(rows)).reset_index(drop=True)
    divided["zip5"] = pd.Categorical.from_codes(np.concatenate(zip_codes), pd.Index(zips))
    divided["people"] = np.concatenate(people)
    return replace(population, cells=divided)


def _rooms(parts: pd.DataFrame, zips: NDArray[np.str_]) -> Iterator[tuple[str, tuple[IntArray, IntArray]]]:
    """Each county's ZIP codes, as places among ``zips``, and the people of each."""
    held = parts[parts["people"] > 0].sort_values(["county", "zip5"], kind="stable")
    code = np.searchsorted(zips, held["zip5"].to_numpy(dtype=str))
    people = held["people"].to_numpy(np.int64)
    for county, rows in held.reset_index(drop=True).groupby("county", observed=True).indices.items():
        yield str(county), (code[rows], people[rows])


def _room(
    rooms: Mapping[str, tuple[IntArray, IntArray]], county: str, population: Population
) -> tuple[IntArray, IntArray]:
    if county not in rooms:
        raise InputError(
            f"county {county} of population {population.name} is in no part of a ZIP code area: "
            f"its counties are not those of the parts."
        )
    return rooms[county]
