"""The populations that come with the program.

``data/manifest.toml`` gives, for each, who published the figures, how it was made, how much of it is
counted, and its checksum.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from policy_sim.files.paths import data_dir
from policy_sim.io.toml_files import shipped_table
from policy_sim.population.population import Population, Provenance

__all__ = ["default_population", "list_populations", "load_shipped", "population_facts", "provenance_of"]


_DEFAULT = "us-2020"


def population_facts(folder: Path | None = None) -> dict[str, dict[str, Any]]:
    """Return the manifest's facts about each shipped population, oldest first.

    Raises
    ------
    SourceError : the manifest is missing or is not TOML.
    """
    path = (folder or data_dir()) / "manifest.toml"
    manifest = shipped_table(path)
    facts: dict[str, dict[str, Any]] = manifest.get("populations", {})
    return dict(sorted(facts.items(), key=lambda item: item[1]["date"]))


def list_populations() -> tuple[str, ...]:
    """Return the names of the shipped populations, oldest first."""
    return tuple(population_facts())


def default_population() -> str:
    """Return the name of the population that is used where none is named.

    Of the two newest, the one whose recipe misplaces fewer people of states that were held out of it
    (docs/populations.md): newer alone is no reason.
    """
    return _DEFAULT


def provenance_of(name: str, facts: dict[str, Any]) -> Provenance:
    """Turn the manifest's entry into the note that every output carries."""
    copied = ("title", "publisher", "date", "how", "counted", "estimated", "modeled", "sha256")
    return Provenance(
        name=name,
        sources=tuple(facts["sources"]),
        notes=tuple(facts["notes"]),
        counted_by_state=tuple(facts.get("counted_by_state", {}).items()),
        counted_ages=tuple(facts.get("counted_ages", ())),
        **{key: facts[key] for key in copied},
    )


def load_shipped(name: str) -> Population:
    """Load a shipped population by one of the names of :func:`list_populations`.

    Raises
    ------
    SourceError : its file is missing or damaged.
    """
    from policy_sim.io.population_store.parquet import read_cells

    facts = population_facts()[name]
    return Population(read_cells(data_dir() / facts["file"], facts["sha256"]), provenance_of(name, facts))
