"""The recipe of each shipped population: its tables, the fit, and the error of the fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from policy_sim.building.fits import (
    fit_decennial,
    fit_estimates,
    fit_redistricting,
    state_rng,
    with_ages,
)
from policy_sim.building.official_tables import HISPANIC, read_decennial, with_ages_by_race
from policy_sim.building.tables import (
    joint_of_year,
    read_estimates,
    read_redistricting,
    since_census,
)
from policy_sim.files.manifest import MANIFEST_NAME, with_facts
from policy_sim.files.paths import data_dir
from policy_sim.files.toml import shipped_table
from policy_sim.files.writing import replace_files, sha256_of
from policy_sim.people.merge import AGES
from policy_sim.people.store import (
    cells_of,
    content_digest,
    hispanic_to_parquet,
    in_cells,
    population_facts,
    to_parquet,
)
from policy_sim.people.zips import counties_without_parts
from policy_sim.words.arrays import IntArray
from policy_sim.words.errors import SourceError, UnknownNameError
from policy_sim.words.states import POSTAL_OF_FIPS

_KENTUCKY = "21"


@dataclass(frozen=True)
class Recipe:
    """How a population is made: the words of ``data/population_recipes.toml``, and functions.

    ``tables``: file in the folder -> its official tables. ``read``: the tables of each state, by FIPS code. ``fit``:
    one state's tables as whole people by origin, shape (2, counties, 2, 103, 7). ``counted``: from one state's tables
    the people whose county, sex, age class and race are together in a published count, and of those whose origin is
    there too. ``joint``: the counted tables
    of county, sex, age and race, some with origin, by FIPS code of the state, which ship in place of the fit.
    """

    title: str
    date: str
    how: str
    how_of_origin: str
    notes: tuple[str, ...]
    tables: Mapping[str, str]
    read: Callable[[Path], Mapping[str, Any]]
    fit: Callable[[Any, np.random.Generator], IntArray]
    counted: Callable[[Any], tuple[int, int]] = lambda tables: (0, 0)  # noqa: ARG005
    joint: Callable[[Path], Mapping[str, IntArray]] = lambda folder: {}  # noqa: ARG005


def _words(method: str, year: int) -> dict[str, Any]:
    """Return the words of a recipe; the tables of a year's own follow those of the method."""
    table = shipped_table("population_recipes.toml")[method]
    of_year = table.get(str(year), {})

    def filled(text: str) -> str:
        return text.format(year=year, since_census=since_census(year), **of_year)

    words = {name: filled(table[name]) for name in ("title", "date", "how", "how_of_origin")}
    tables = {filled(file): filled(text) for file, text in (of_year or table)["tables"].items()}
    return words | {"notes": tuple(map(filled, table["notes"])), "tables": tables}


def _decennial(year: int) -> Recipe:
    return Recipe(
        **_words("decennial", year),
        read=lambda folder: with_ages_by_race(read_decennial(folder, year), folder, year),
        fit=fit_decennial,
        # Tables P12A and P12I together count the White by origin.
        counted=lambda census: (int(census.white.sum() + census.black.sum()), int(census.white.sum())),
        joint=lambda folder: joint_of_year(folder, year),
    )


def _estimates(year: int) -> Recipe:
    words = _words("estimates", year)
    return Recipe(
        **words | {"tables": words["tables"] | _words("redistricting", 2020)["tables"]},
        read=partial(read_estimates, year=year),
        fit=fit_estimates,
    )


RECIPES: Mapping[str, Recipe] = {
    "us-2000": _decennial(2000),
    "us-2010": _decennial(2010),
    "us-2020": Recipe(**_words("redistricting", 2020), read=read_redistricting, fit=fit_redistricting),
    "us-2022": _estimates(2022),
}


# Build the shipped populations from a folder of official tables: the same tables give the same file.
#
# Each state has its own seed, so a state built alone equals its part of the nation.


# Suffix of the name of a population made without the counted joint tables.
FITTED = "-fitted"
_PUBLISHER = "U.S. Census Bureau (tables); policy_sim (fit)"
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Built:
    """A built population: its file, its entry in the manifest, and how it compares with the shipped one."""

    path: Path
    facts: dict[str, Any]
    verdict: str


@dataclass(frozen=True)
class Fitted:
    """A fitted population: cells of county, sex, age and race, and the Hispanics of each cell.

    ``counted``: counted people of each state (postal code), and those whose origin is counted too.
    """

    cells: pd.DataFrame
    hispanic: IntArray
    counted: dict[str, tuple[int, int]]


def _recipe(name: str) -> Recipe:
    if name not in RECIPES:
        raise UnknownNameError("population that can be built", name, RECIPES)
    return RECIPES[name]


def fit_states(
    name: str, source: Path, states: Sequence[str] = (), progress: Progress = lambda _: None, *, with_joint: bool = True
) -> Fitted:
    """Fit a population, such as ``us-2010``, in some states (two-digit FIPS codes) or all.

    ``with_joint``: whether to use the counted table of county, sex, age and race of the states that have one. If not,
    the function fits them like the others, in order to measure the fit.
    """
    recipe = _recipe(name)
    tables = recipe.read(source)
    joint = recipe.joint(source) if with_joint else {}
    people, counties, counted = [], [], {}
    for state in states or tables:
        rng, whole = state_rng(name, state), joint.get(state)
        together, with_origin = recipe.counted(tables[state])
        if whole is None:
            people.append(recipe.fit(tables[state], rng))
        else:
            people.append(with_ages(tables[state], whole, rng))
            together = int(whole.sum())
            with_origin = together if whole.shape == people[-1].shape else with_origin
        counted[POSTAL_OF_FIPS[state]] = together, with_origin
        counties += tables[state].counties
        progress(state)
    by_origin = np.concatenate(people, axis=1)
    everyone = by_origin.sum(axis=0)
    return Fitted(cells_of(everyone, tuple(counties)), in_cells(by_origin[HISPANIC], everyone), counted)


def build_population(
    name: str, source: Path, out: Path, progress: Progress = lambda _: None, *, with_joint: bool = True
) -> Built:
    """Fit a population, write it to ``out/populations`` and describe it in ``out/manifest.toml``."""
    recipe = _recipe(name)
    sources = [_described(source / file, text) for file, text in recipe.tables.items()]
    fitted = fit_states(name, source, progress=progress, with_joint=with_joint)
    _refuse_lost_places(name, fitted.cells)
    cells, by_state = fitted.cells, {state: everyone for state, (everyone, _) in fitted.counted.items()}
    people, counted = int(cells["people"].sum()), sum(by_state.values())
    joint = recipe.joint(source) if with_joint else {}
    ages = [POSTAL_OF_FIPS[state] for state, table in sorted(joint.items()) if table.shape[-2] == len(AGES)]
    name = name if with_joint else f"{name}{FITTED}"
    path = out / "populations" / f"{name}.parquet"
    content = to_parquet(cells)
    facts = {
        "title": recipe.title if with_joint else f"{recipe.title}; every state fitted, to measure the fit",
        "publisher": _PUBLISHER,
        "date": recipe.date,
        "how": recipe.how,
        "file": path.relative_to(out).as_posix(),
        "cells": len(cells),
        "people": people,
        "counted": counted / people,
        "estimated": 0.0,
        "modeled": 1 - counted / people,
        "sha256": sha256_of(content),
        "content_sha256": content_digest(cells),
        "sources": sources,
        "notes": list(recipe.notes),
        "made_with": made_with(),
        **({"counted_ages": ages} if ages else {}),
        **_counted_by_state(cells, by_state),
    }
    split = hispanic_to_parquet(fitted.hispanic)
    split_path = path.with_name(f"{name}-hispanic.parquet")
    facts["ethnicity"] = {
        "file": split_path.relative_to(out).as_posix(),
        "how": recipe.how_of_origin,
        "hispanic": int(fitted.hispanic.sum()),
        "counted": sum(with_origin for _, with_origin in fitted.counted.values()) / people,
        "sha256": sha256_of(split),
        "content_sha256": sha256_of(fitted.hispanic.astype("<i8").tobytes()),
    }
    shipped = population_facts() if (data_dir() / MANIFEST_NAME).is_file() else {}
    manifest = with_facts(out, "populations", name, facts)
    replace_files({path: content, split_path: split, out / MANIFEST_NAME: manifest})
    return Built(path, facts, _verdict(facts, shipped.get(name)))


def _refuse_lost_places(name: str, cells: pd.DataFrame) -> None:
    """Refuse a population with a county in no ZIP code area: a key by ZIP code would lose its people."""
    lost = counties_without_parts(name, cells["county"].unique().astype(str))
    if lost:
        raise SourceError(
            f"{name}: no ZIP code area reaches {len(lost)} of its counties ({', '.join(lost[:3])}). Add their parts to "
            "data/zip, or their towns to data/planning_regions.toml."
        )


def _counted_by_state(cells: pd.DataFrame, counted: dict[str, int]) -> dict[str, dict[str, float]]:
    """Return the counted share of each state, 0 to 1; nothing where nobody is counted."""
    if not any(counted.values()):
        return {}
    people = cells.groupby("state", observed=True)["people"].sum()
    return {"counted_by_state": {state: counted[state] / int(people[state]) for state in sorted(counted)}}


def made_with() -> list[str]:
    """Return the libraries and versions on which the bytes of a built file depend."""
    return [f"{package} {version(package)}" for package in ("numpy", "pyarrow")]


def _verdict(facts: dict[str, Any], shipped: dict[str, Any] | None) -> str:
    """Say how a built population compares with the shipped population of that name."""
    if shipped is None:
        return "no population of this name ships"
    ours, theirs = ((entry, entry.get("ethnicity", {})) for entry in (facts, shipped))
    same = {
        name: [side.get(name) == other.get(name) for side, other in zip(ours, theirs, strict=True)]
        for name in ("sha256", "content_sha256")
    }
    if all(same["sha256"]):
        return "the shipped file, byte for byte"
    if all(same["content_sha256"]):
        return f"the same cells as the shipped file, written by other libraries ({', '.join(shipped['made_with'])})"
    if same["content_sha256"][0]:
        return "the cells of the shipped file, with other Hispanics in them"
    return "not the cells of the shipped file: tables or libraries differ (see its sources and made_with)"


def _described(path: Path, text: str) -> str:
    """Return the tables in a file, and its checksum."""
    try:
        digest = sha256_of(path)
    except OSError as error:
        raise SourceError(
            f"{path}: cannot be read ({error.strerror or error}). "
            "Name the folder of official tables; see docs/populations.md."
        ) from error
    return f"{text} ({path.name}, sha256 {digest})"
