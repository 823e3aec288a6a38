"""The populations that ship.

``data/manifest.toml`` says of each who published the figures, how it was made, how much of it is
counted, and its checksum.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from policy_sim.errors import SourceError
from policy_sim.population.cells import Population, Provenance
from policy_sim.sources.paths import data_dir

__all__ = ["list_populations", "load_shipped", "newest_population", "population_facts", "provenance_of"]


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


def load_shipped(name: str) -> Population:
    """Load a shipped population by one of the names of :func:`list_populations`.

    Raises
    ------
    SourceError : its file is missing or damaged.
    """
    from policy_sim.sources.population_files import read_cells

    facts = population_facts()[name]
    return Population(read_cells(data_dir() / facts["file"], facts["sha256"]), provenance_of(name, facts))
