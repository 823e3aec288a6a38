"""Populations by ZIP code that need no network: county populations assigned to ZIP code areas.

``us-2010-zip`` and ``us-2020-zip`` are made on demand, from the shipped county population and the people of
each part of a ZIP code tabulation area (ZCTA) in a county: counted in 2010, partly modeled in 2020.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from policy_sim.errors import InputError
from policy_sim.files.paths import data_dir
from policy_sim.io.files import sha256_of
from policy_sim.io.toml_files import damaged_if_wrong
from policy_sim.population.places import has_place
from policy_sim.population.population import AnyPopulation, Population, Provenance
from policy_sim.population.zip_areas import in_zip_areas
from policy_sim.population.zip_shares import PeopleByZip, ZipShares

__all__ = [
    "SUFFIX",
    "ZIP_POPULATIONS",
    "load_zip_population",
    "parts_of",
    "with_zip_codes",
    "zip_note",
    "zip_parts",
    "zip_provenance",
]

SUFFIX = "-zip"
# Census year of the parts available, by the county population that they are joined to.
_PARTS = {"us-2010": "zcta_county_2010.parquet", "us-2020": "zcta_county_2020.parquet"}
ZIP_POPULATIONS = tuple(f"{base}{SUFFIX}" for base in _PARTS)
# Populations whose counties take the shares of the parts of an earlier census.
_EARLIER = {"us-2022": "us-2020"}

_HOW = (
    "The people of each county are assigned to its ZIP code areas at random, so that each area has its counted number "
    "of people. Apart from chance, an area has its county's mix of age, sex and race. County cells and the people of "
    "each area stay exact."
)
_NOTES = (
    "A ZIP code tabulation area is not a ZIP code: codes of post-office boxes and of single buildings have none.",
    "In reality, areas in a county differ by age and race. The random assignment ignores this, so small groups are "
    "slightly too small.",
)
_NOTES_OF_YEAR = {
    "us-2010": ("5,607 people in 153 counties live in no area; they are divided among their county's areas.",),
    "us-2020": (
        "8,530 people in 362 counties live in no area; they are divided among their county's areas.",
        "25.2% of the people live in an area that crosses county lines, and the split is modeled. For 2010, the same "
        "method puts 0.43% of the people in a wrong part.",
    ),
}


def zip_parts(name: str = "us-2010") -> pd.DataFrame:
    """Return the people of each part of a ZIP code area in a county: ``county``, ``zip5``, ``people``.

    Raises
    ------
    InputError : no such table is available for the population.
    SourceError : the file is missing or damaged.
    """
    if name not in _PARTS:
        raise InputError(
            f"population {name}{SUFFIX}: counts of people by ZIP code area and county are not available for {name}, "
            f"only for {', '.join(_PARTS)}. Use {', '.join(ZIP_POPULATIONS)}, or give your own file with a column zip5 "
            f"or zip3."
        )
    path = data_dir() / "zip" / _PARTS[name]
    with damaged_if_wrong(path):
        parts: pd.DataFrame = pd.read_parquet(path)
        return parts


def with_zip_codes(population: AnyPopulation) -> AnyPopulation:
    """Return the population so that it answers for ZIP codes, where it can.

    A county population with shipped parts is not drawn again: its answers by ZIP code are means over the make-up of
    the counties (:class:`~policy_sim.population.zip_shares.PeopleByZip`). Every other population is returned as it
    is, and so is one that has ZIP codes of its own.
    """
    names = {*_PARTS, *_EARLIER}
    if not isinstance(population, Population) or population.name not in names or has_place(population, "zip3"):
        return population
    return PeopleByZip(population, ZipShares.of(population, parts_of(population)))


def parts_of(population: Population) -> pd.DataFrame:
    """Return the parts whose shares a county population takes: ``county``, ``zip5``, ``people``.

    The estimates of 2022 take the shares of 2020. A county that no part is known of, as the planning regions of
    Connecticut, is a part by itself, under its own code.

    Raises
    ------
    InputError : no table is available for the population.
    """
    base = _EARLIER.get(population.name)
    parts = zip_parts(population.name if base is None else base)
    if base is None:
        return parts
    people = population.cells.groupby("county", observed=True)["people"].sum()
    alone = people[~people.index.isin(parts["county"])]
    codes = alone.index.astype(str)
    whole = pd.DataFrame({"county": codes, "zip5": codes, "people": alone.to_numpy()})
    return pd.concat([parts, whole], ignore_index=True)


def zip_note(name: str, states: Sequence[str] = ()) -> str:
    """Say what the ZIP codes of a population rest on besides its own census; nothing where it is that alone.

    Parameters
    ----------
    name : Of the population.
    states : Postal codes of the states in question; none: all.

    Examples
    --------
    >>> zip_note("us-2022", ["OH"])
    "ZIP codes of us-2022: each county's shares are those of us-2020"
    >>> zip_note("us-2020")
    ''
    """
    base = _EARLIER.get(name)
    if base is None:
        return ""
    regions = (
        ". The planning regions of Connecticut have none: there, Safe Harbor is measured by state and the limited data "
        "set by region, and the risk is understated"
    )
    shares = f"ZIP codes of {name}: each county's shares are those of {base}"
    return f"{shares}{regions if not states or 'CT' in states else ''}"


def load_zip_population(name: str, base: Population) -> Population:
    """Return ``base`` by county and ZIP code, under its own name and provenance.

    Parameters
    ----------
    name : Such as ``us-2010-zip``.
    base : The county population of that census.

    Raises
    ------
    InputError : no parts are available for ``base``.
    """
    parts = zip_parts(base.name)
    population = in_zip_areas(base, parts)
    narrow = population.cells.astype({"age": "int16", "age_width": "int16", "people": "int32"})
    return Population(narrow, zip_provenance(name, base.provenance))


def zip_provenance(name: str, base: Provenance) -> Provenance:
    """Return the note that every output of ``name`` carries, from that of the county population."""
    path = data_dir() / "zip" / _PARTS[base.name]
    content = sha256_of(base.sha256.encode(), path)
    return replace(
        base,
        name=name,
        title=f"{base.title}, and ZIP code area (modeled from the county's make-up)",
        how=f"{base.how} {_HOW}",
        counted=0.0,
        estimated=0.0,
        modeled=1.0,
        counted_by_state=(),
        counted_ages=(),
        sources=(*base.sources, f"Census {base.name[-4:]}, ZIP code tabulation areas by county (zip/{path.name})"),
        notes=(*_NOTES, *_NOTES_OF_YEAR[base.name], *base.notes),
        sha256=content,
    )
