"""Single years of age for people that a census counted in classes of ages by ZIP code area."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from policy_sim.people.merge import OPEN_AGE
from policy_sim.people.population import CATEGORIES, Population
from policy_sim.people.store import Entry, PopulationCache
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import InputError

_SEED = 2020
_OLDEST = 1000  # an open class has everybody above


def with_single_years(counted: pd.DataFrame, base: Population, seed: int = _SEED) -> pd.DataFrame:
    """Return cells in single years of age: each class of a county's parts is divided as the county's people are.

    Every person of a cell is given a year of its class by chance, in the proportions of the people of ``base`` of the
    same county, sex, race and, where both are by it, origin; where it has nobody of them, of the same state; and where
    that has nobody, of the state's people whatever their sex and race. A class that nobody of the state is in stays
    whole.

    Parameters
    ----------
    counted : Cells with ``state``, ``county``, ``age`` (years), ``age_width`` (years), ``people`` (whole), and any
        other columns of a population.
    base : People by county and finer ages, each of which lies in one class.
    seed : Of the random numbers: the same seed gives the same cells.

    Returns
    -------
    Cells with the columns of ``counted``. People of every cell of it are kept, whole, by all of its columns but age.

    Raises
    ------
    InputError : if the base has nobody in a state of the cells.

    Source: a multinomial draw, as the single years of the shipped populations are dealt (docs/populations.md).
    """
    who = [name for name in CATEGORIES if name in counted]
    if "ethnicity" in who:
        base = base.with_ethnicity
    known = base.in_states(sorted(set(counted["state"].astype(str)))).cells
    held = [name for name in who if name in known]
    rng, parts = np.random.default_rng(seed), []
    groups: Any = counted.groupby(["age", "age_width"], observed=True)
    for (low, width), rows in groups:
        last = _OLDEST if low >= OPEN_AGE else low + width
        inside = known[(known["age"] >= low) & (known["age"] < last)]
        ages, age = np.unique(inside[["age", "age_width"]].to_numpy(np.int64), axis=0, return_inverse=True)
        if len(ages) < 2:
            parts.append(rows)
            continue
        chances = np.zeros((len(rows), len(ages)))
        for by in (["state", "county", *held], ["state", *held], ["state"]):
            _fill(chances, rows, inside, by, age.reshape(-1))
        parts.append(_drawn(rows, ages, chances, rng))
    cells: pd.DataFrame = pd.concat(parts, ignore_index=True)[list(counted.columns)]
    return cells


def _fill(chances: FloatArray, rows: pd.DataFrame, inside: pd.DataFrame, by: list[str], age: IntArray) -> None:
    """Give rows without chances those of the people with the same values of some columns."""
    keys = pd.MultiIndex.from_frame(inside[by].astype(str))
    group, names = pd.factorize(keys)
    weights = np.bincount(
        group * chances.shape[1] + age, inside["people"].to_numpy(), len(names) * chances.shape[1]
    ).reshape(-1, chances.shape[1])
    place = pd.MultiIndex.from_frame(rows[by].astype(str))
    found = pd.Index(names).get_indexer(place)
    empty = (found >= 0) & (chances.sum(axis=1) == 0)
    chances[empty] = weights[found[empty]] / weights[found[empty]].sum(axis=1, keepdims=True)


def _drawn(rows: pd.DataFrame, ages: IntArray, chances: FloatArray, rng: np.random.Generator) -> pd.DataFrame:
    """Return the cells of the ages that the people of each row are given."""
    dealt = chances.sum(axis=1) > 0
    drawn = rng.multinomial(rows["people"].to_numpy(np.int64)[dealt], chances[dealt])
    row, year = np.nonzero(drawn)
    cells = rows[dealt].iloc[row].copy()
    cells["age"], cells["age_width"], cells["people"] = ages[year, 0], ages[year, 1], drawn[row, year]
    every: pd.DataFrame = pd.concat([cells, rows[~dealt]])
    return every


def build_by_zip(base: Population, fetched: Population, cache: PopulationCache, name: str = "") -> Entry:
    """Build a population by county and ZIP code area from a fetched one, with single years of age, and save it.

    ``base``: whose single years of age are taken, such as ``us-2020``. ``fetched``: people by county and ZIP code
    area, as they were saved. ``name``: of the new population; by default the other's, and ``-years``.
    """
    kept, entry = fetched.name, cache.entry(fetched.name)
    if not {"county", "zip5"} <= set(fetched.columns):
        raise InputError(f"{kept} is not by county and ZIP code area: fetch the geography zcta-county.")
    if base.provenance.date != entry.date:
        raise InputError(
            f"{base.name} is of {base.provenance.date}, {kept} of {entry.date}: take the population of its census."
        )
    cells = with_single_years(fetched.cells, base)
    origin: dict[str, Any] = {"kind": "single years", "base": base.name, "kept": kept}
    made = replace(
        entry,
        name=name or f"{kept}-years",
        title=f"{entry.title}, single years as in {base.name}",
        how=f"{entry.how}; single years of age are drawn as the people of {base.name} of the same county, sex and race",
        ages="single years, modeled inside 23 classes",
        notes=(*(note for note in entry.notes if not note.startswith("Ages are in the 23")), _NOTE.format(base.name)),
        origin=origin,
    )
    return cache.put(made, cells)


_NOTE = (
    "Counted: county, ZIP code area, sex, race and 23 classes of ages together. Modeled: single years inside a class, "
    "drawn as the people of {} of the same county, sex and race; those of a ZIP code area are taken to be alike."
)
