"""Build the shipped populations from a folder of official tables: the same tables give the same file.

Each state has its own seed, so a state built alone equals its part of the nation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from policy_sim.building.recipes import RECIPES, Recipe, state_rng
from policy_sim.errors import SourceError, UnknownNameError
from policy_sim.files.paths import data_dir
from policy_sim.io.files import replace_files, sha256_of
from policy_sim.io.manifest import MANIFEST_NAME, with_facts
from policy_sim.io.population_store.parquet import cells_of, content_digest, to_parquet
from policy_sim.io.population_store.shipped import population_facts
from policy_sim.population.ages import AGES
from policy_sim.states import POSTAL_OF_FIPS

__all__ = ["FITTED", "Built", "build_population", "fit_states", "made_with"]

# Suffix of the name of a population made without the counted joint tables.
FITTED = "-fitted"
_PUBLISHER = "U.S. Census Bureau (tables); policy_sim (fit)"
Progress = Callable[[str], None]


def _silent(_state: str) -> None:
    """Report no progress."""


@dataclass(frozen=True)
class Built:
    """A built population: its file, its entry in the manifest, and how it compares with the shipped one."""

    path: Path
    facts: dict[str, Any]
    verdict: str


def _recipe(name: str) -> Recipe:
    if name not in RECIPES:
        raise UnknownNameError("population that can be built", name, RECIPES)
    return RECIPES[name]


def fit_states(
    name: str, source: Path, states: Sequence[str] = (), progress: Progress = _silent, *, with_joint: bool = True
) -> tuple[pd.DataFrame, dict[str, int]]:
    """Fit a population; return its cells, and the number of counted people of each state (postal code).

    Parameters
    ----------
    name : Which population, such as ``us-2010``.
    source : The folder of official tables.
    states : Two-digit FIPS codes; all by default.
    progress : Called with each finished state.
    with_joint : Whether to use the counted table of county, sex, age and race of the states that have one. If not,
        the function fits them like the others, in order to measure the fit.

    Raises
    ------
    UnknownNameError : a recipe that does not exist.
    SourceError : the folder lacks a table, or a table is damaged.
    """
    recipe = _recipe(name)
    tables = recipe.read(source)
    joint = recipe.joint(source) if with_joint else {}
    people, counties, counted = [], [], {}
    for state in states or tables:
        rng, whole = state_rng(name, state), joint.get(state)
        if whole is None:
            people.append(recipe.fit(tables[state], rng))
            counted[POSTAL_OF_FIPS[state]] = recipe.counted(tables[state])
        else:
            people.append(recipe.whole(tables[state], whole, rng))
            counted[POSTAL_OF_FIPS[state]] = int(whole.sum())
        counties += tables[state].counties
        progress(state)
    return cells_of(np.concatenate(people), tuple(counties)), counted


def build_population(
    name: str, source: Path, out: Path, progress: Progress = _silent, *, with_joint: bool = True
) -> Built:
    """Fit a population, write it to ``out/populations`` and describe it in ``out/manifest.toml``.

    Parameters
    ----------
    name, source, progress, with_joint : As in :func:`fit_states`. The name of a population without joint tables is
        ``NAME-fitted``.
    out : The folder, such as ``data``.

    Raises
    ------
    UnknownNameError, SourceError : as :func:`fit_states`.
    OutputError : the files cannot be written; the old ones stay.
    """
    recipe = _recipe(name)
    sources = [_described(source / file, text) for file, text in recipe.tables.items()]
    cells, by_state = fit_states(name, source, progress=progress, with_joint=with_joint)
    people, counted = int(cells["people"].sum()), sum(by_state.values())
    measured = recipe.measured(source)
    joint = recipe.joint(source) if with_joint else {}
    ages = [POSTAL_OF_FIPS[state] for state, table in sorted(joint.items()) if table.shape[2] == len(AGES)]
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
        "sources": [*sources, *recipe.facts],
        "notes": [*recipe.notes, *measured],
        "made_with": made_with(),
        **({"counted_ages": ages} if ages else {}),
        **_counted_by_state(cells, by_state),
    }
    shipped = population_facts() if (data_dir() / MANIFEST_NAME).is_file() else {}
    replace_files({path: content, out / MANIFEST_NAME: with_facts(out, "populations", name, facts)})
    return Built(path, facts, _verdict(facts, shipped.get(name)))


def _counted_by_state(cells: pd.DataFrame, counted: dict[str, int]) -> dict[str, dict[str, float]]:
    """Return the counted share of each state, 0 to 1; nothing for a state without counted people."""
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
    if shipped["sha256"] == facts["sha256"]:
        return "the shipped file, byte for byte"
    if shipped["content_sha256"] == facts["content_sha256"]:
        return f"the same cells as the shipped file, written by other libraries ({', '.join(shipped['made_with'])})"
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
