"""Populations by name: those that ship, those fetched or loaded, and the user's own files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from policy_sim.errors import UnknownNameError
from policy_sim.io.population_store.shipped import list_populations, load_shipped
from policy_sim.population.population import Population

__all__ = ["load_population"]

_OWN_FILES = (".parquet", ".csv")


def load_population(name_or_path: str | Path) -> Population:
    """Load a shipped, fetched or loaded population by name, or the user's own from a file.

    Parameters
    ----------
    name_or_path : A name that ``policy-sim population list`` or ``policy-sim census list`` gives, or the
        path of a ``.parquet`` or ``.csv`` file with the columns of :mod:`policy_sim.population.population`.

    Raises
    ------
    UnknownNameError : no population has this name.
    SchemaError : the user's file breaks the schema; every problem at once.
    SourceError : a file is missing or damaged.
    """
    text = str(name_or_path)
    if Path(text).suffix.lower() in _OWN_FILES:
        from policy_sim.io.populations.own_population import read_own_population

        return read_own_population(Path(text))
    names = list_populations()
    if text in names:
        return load_shipped(text)
    if text.endswith("-zip") and text.removesuffix("-zip") in names:
        from policy_sim.io.populations.zip_population import load_zip_population

        return load_zip_population(text, load_shipped(text.removesuffix("-zip")))
    return _load_kept(text, names)


def _load_kept(name: str, shipped: Iterable[str]) -> Population:
    """Load what ``policy-sim census`` fetched or loaded under a name."""
    from policy_sim.io.population_store.cache import PopulationCache
    from policy_sim.io.populations.kept import load_kept

    names = PopulationCache().names()
    if name not in names:
        from policy_sim.io.populations.zip_population import ZIP_POPULATIONS

        raise UnknownNameError("population", name, {*shipped, *names, *ZIP_POPULATIONS})
    return load_kept(name)
