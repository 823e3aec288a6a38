"""Build the shipped populations from a folder of official tables: same tables, same file.

Each state draws from a seed of its own, so that a state built alone equals its part of the nation.
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
from policy_sim.io.files import replace_files, sha256_of
from policy_sim.io.manifest import MANIFEST_NAME, with_facts
from policy_sim.io.paths import data_dir
from policy_sim.io.population_store.parquet import cells_of, content_digest, to_parquet
from policy_sim.io.population_store.shipped import population_facts

__all__ = ["Built", "build_population", "fit_states", "made_with"]

_PUBLISHER = "U.S. Census Bureau (tables); policy_sim (fit)"
Progress = Callable[[str], None]


def _silent(_state: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Built:
    """A population as built: where it is, what the manifest says of it, and whether it is the shipped one."""

    path: Path
    facts: dict[str, Any]
    verdict: str


def _recipe(name: str) -> Recipe:
    if name not in RECIPES:
        raise UnknownNameError("population that can be built", name, RECIPES)
    return RECIPES[name]


def fit_states(
    name: str, source: Path, states: Sequence[str] = (), progress: Progress = _silent
) -> tuple[pd.DataFrame, int]:
    """Fit a population; return its cells, and how many of the people are counted.

    Parameters
    ----------
    name : Which population, such as ``us-2010``.
    source : The folder of official tables.
    states : Two-digit FIPS codes; all by default.
    progress : Told each state when it is done.

    Raises
    ------
    UnknownNameError : no such recipe.
    SourceError : the folder lacks a table, or a table is damaged.
    """
    recipe = _recipe(name)
    tables = recipe.read(source)
    people, counties, counted = [], [], 0
    for state in states or tables:
        people.append(recipe.fit(tables[state], state_rng(name, state)))
        counties += tables[state].counties
        counted += recipe.counted(tables[state])
        progress(state)
    return cells_of(np.concatenate(people), tuple(counties)), counted


def build_population(name: str, source: Path, out: Path, progress: Progress = _silent) -> Built:
    """Fit a population, write it to ``out/populations`` and describe it in ``out/manifest.toml``.

    Raises
    ------
    UnknownNameError, SourceError : as :func:`fit_states`.
    OutputError : the files cannot be written; the old ones are kept.
    """
    recipe = _recipe(name)
    sources = [_described(source / file, text) for file, text in recipe.tables.items()]
    cells, counted = fit_states(name, source, progress=progress)
    people = int(cells["people"].sum())
    measured = recipe.measured(source)
    path = out / "populations" / f"{name}.parquet"
    content = to_parquet(cells)
    facts = {
        "title": recipe.title,
        "publisher": _PUBLISHER,
        "date": recipe.date,
        "how": recipe.how,
        "file": path.relative_to(out).as_posix(),
        "cells": len(cells),
        "people": people,
        "counted": counted / people,
        "estimated": 0.0,
        "modelled": 1 - counted / people,
        "sha256": sha256_of(content),
        "content_sha256": content_digest(cells),
        "sources": [*sources, *recipe.facts],
        "notes": [*recipe.notes, *measured],
        "made_with": made_with(),
    }
    shipped = population_facts() if (data_dir() / MANIFEST_NAME).is_file() else {}
    replace_files({path: content, out / MANIFEST_NAME: with_facts(out, "populations", name, facts)})
    return Built(path, facts, _verdict(facts, shipped.get(name)))


def made_with() -> list[str]:
    """Name the libraries, with their versions, on which the bytes of a built file depend."""
    return [f"{package} {version(package)}" for package in ("numpy", "pyarrow")]


def _verdict(facts: dict[str, Any], shipped: dict[str, Any] | None) -> str:
    """Say how a built population compares with the shipped one of that name."""
    if shipped is None:
        return "no population of this name ships"
    if shipped["sha256"] == facts["sha256"]:
        return "the shipped file, byte for byte"
    if shipped["content_sha256"] == facts["content_sha256"]:
        return f"the same cells as the shipped file, written by other libraries ({', '.join(shipped['made_with'])})"
    return "not the cells of the shipped file: tables or libraries differ (see its sources and made_with)"


def _described(path: Path, text: str) -> str:
    """Say which tables a file holds, and its checksum."""
    try:
        digest = sha256_of(path)
    except OSError as error:
        raise SourceError(
            f"{path}: cannot be read ({error.strerror or error}). "
            "Name the folder of official tables; see docs/populations.md."
        ) from error
    return f"{text} ({path.name}, sha256 {digest})"
