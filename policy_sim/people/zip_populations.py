"""Populations by ZIP code that are made from a shipped one when they are asked for.

``us-2020-zip`` is one draw of people by the make-up of their county; ``us-2020-zcta`` has the people of ``us-2020``,
who live in ZIP code areas by age and by race or origin as the areas are counted
(:mod:`policy_sim.people.composition`).
"""

from __future__ import annotations

from dataclasses import replace

from policy_sim.files.toml import shipped_table
from policy_sim.files.writing import sha256_of
from policy_sim.people.composition import composition_file
from policy_sim.people.population import Population, Provenance
from policy_sim.people.store import ShippedPopulation, load_shipped
from policy_sim.people.zips import COMPOSED, in_zip_areas, parts_file, shares_of, zip_parts

COMPOSED_POPULATIONS = tuple(f"{base}{COMPOSED}" for base in ("us-2010", "us-2020", "us-2022"))


def load_composed_population(name: str) -> ShippedPopulation:
    """Return the people of a shipped population under the name of one of :data:`COMPOSED_POPULATIONS`."""
    base = load_shipped(name.removesuffix(COMPOSED))
    return base.under(composed_provenance(name, base.provenance))


def composed_provenance(name: str, base: Provenance) -> Provenance:
    """Return the note that every output of ``name`` carries, from that of the shipped population."""
    path, words = composition_file(str(shares_of(base.name))), shipped_table("population_recipes.toml")
    how = words["zip_composition"][path.stem[-4:]]
    source = f"Census {path.stem[-4:]}, adults by race and origin by ZIP code area (zip/{path.name})"
    return replace(
        base,
        name=name,
        title=f"{base.title}; ZIP code areas by age and race as they are counted",
        how=f"{base.how} {how['how']}",
        sources=(*base.sources, source),
        notes=(*how["notes"], *base.notes),
        sha256=sha256_of(base.sha256.encode(), path),
    )


def load_zip_population(name: str, base: Population) -> Population:
    """Return ``base`` by county and ZIP code, under its own name and provenance."""
    parts = zip_parts(base.name)
    population = in_zip_areas(base, parts)
    narrow = population.cells.astype({"age": "int16", "age_width": "int16", "people": "int32"})
    return Population(narrow, zip_provenance(name, base.provenance), population.hispanic)


def zip_provenance(name: str, base: Provenance) -> Provenance:
    """Return the note that every output of ``name`` carries, from that of the county population."""
    path, words = parts_file(base.name), shipped_table("population_recipes.toml")["zip"]
    return replace(
        base,
        name=name,
        title=f"{base.title}, and ZIP code area (modeled from the county's make-up)",
        how=f"{base.how} {words['how']}",
        counted=0.0,
        estimated=0.0,
        modeled=1.0,
        counted_by_state=(),
        counted_ages=(),
        sources=(*base.sources, f"Census {base.name[-4:]}, ZIP code tabulation areas by county (zip/{path.name})"),
        notes=(*words["notes"], *words[base.name]["notes"], *base.notes),
        sha256=sha256_of(base.sha256.encode(), path),
    )
