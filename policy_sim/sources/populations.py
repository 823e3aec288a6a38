"""Populations by name: those that ship, those fetched or loaded, and the user's own files.

``data/manifest.toml`` says of every shipped population who published the figures, how it was made,
how much of it is counted, and its checksum.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from policy_sim.errors import SourceError, UnknownNameError
from policy_sim.population.cells import Population, Provenance
from policy_sim.sources.paths import data_dir

__all__ = ["list_populations", "load_population", "newest_population", "population_facts"]

_OWN_FILES = (".parquet", ".csv")


def population_facts(folder: Path | None = None) -> dict[str, dict[str, Any]]:
    """Return what the manifest says of each shipped population, oldest first.

    Raises
    ------
    SourceError : the manifest is missing or is not TOML.
    """
    path = (folder or data_dir()) / "manifest.toml"
    try:
        manifest = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SourceError(f"{path}: cannot be read ({error}). Install policy-sim again.") from error
    facts: dict[str, dict[str, Any]] = manifest.get("populations", {})
    return dict(sorted(facts.items(), key=lambda item: item[1]["date"]))


def list_populations() -> tuple[str, ...]:
    """Return the names of the shipped populations, oldest first."""
    return tuple(population_facts())


def newest_population() -> str:
    """Return the name of the newest shipped population."""
    return list_populations()[-1]


def provenance_of(name: str, facts: dict[str, Any]) -> Provenance:
    """Turn the manifest's entry into the note that every output carries."""
    kept = ("title", "publisher", "date", "how", "counted", "estimated", "modelled", "sha256")
    return Provenance(
        name=name,
        sources=tuple(facts["sources"]),
        notes=tuple(facts["notes"]),
        **{key: facts[key] for key in kept},
    )


def load_population(name_or_path: str | Path) -> Population:
    """Load a shipped, fetched or loaded population by name, or the user's own from a file.

    Parameters
    ----------
    name_or_path : A name that :func:`list_populations` or ``policy-sim census list`` gives, or the
        path of a ``.parquet`` or ``.csv`` file with the columns of :mod:`policy_sim.population.cells`.

    Raises
    ------
    UnknownNameError : no population has this name.
    SchemaError : the user's file breaks the schema; every problem at once.
    SourceError : a file is missing or damaged.
    """
    text = str(name_or_path)
    if Path(text).suffix.lower() in _OWN_FILES:
        from policy_sim.sources.own_population import read_own_population

        return read_own_population(Path(text))
    known = population_facts()
    if text.endswith("-zip") and text.removesuffix("-zip") in known:
        from policy_sim.sources.zip_population import load_zip_population

        return load_zip_population(text, load_population(text.removesuffix("-zip")))
    if text not in known:
        return _load_kept(text, known)
    from policy_sim.sources.population_files import read_cells

    facts = known[text]
    return Population(read_cells(data_dir() / facts["file"], facts["sha256"]), provenance_of(text, facts))


def _load_kept(name: str, shipped: Iterable[str]) -> Population:
    """Load what ``policy-sim census`` fetched or loaded under a name."""
    from policy_sim.sources.census.cache import PopulationCache
    from policy_sim.sources.census.kept import load_kept

    kept = PopulationCache().names()
    if name not in kept:
        from policy_sim.sources.zip_population import ZIP_POPULATIONS

        raise UnknownNameError("population", name, {*shipped, *kept, *ZIP_POPULATIONS})
    return load_kept(name)
