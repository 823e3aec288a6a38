"""Make the shipped files about ZIP code areas from the Bureau's figures.

The module makes three files, with the same bytes each time: two with the people of each part of a ZIP code tabulation
area (ZCTA) in a county (Census 2010 and Census 2020), and one with the three-digit prefixes of 20,000 people or fewer
by census, computed by :func:`policy_sim.people.zips.small_zip3`.

Run it with ``python -m policy_sim.building.make_zip_areas FOLDER``; the folder has the Bureau's figures as
``zcta_county_<year>.csv.gz`` and ``zcta_<year>_population.csv.gz``.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd
import tomli_w

from policy_sim.files.manifest import update_manifest
from policy_sim.files.paths import data_dir
from policy_sim.files.toml import shipped_table
from policy_sim.files.writing import replace_file, sha256_of
from policy_sim.people.zips import ZIP3_MOST, small_zip3
from policy_sim.words.errors import SourceError

CENSUSES = (2010, 2020)
_PUERTO_RICO = "72"
_PART_COLUMNS = {2010: ("zcta", "county_fips", "population"), 2020: ("zcta5", "county_fips", "population")}
_AREA_TABLES = tuple(f"zcta_{year}_population.csv.gz" for year in CENSUSES)
# Sorted ZIP codes share their first digits with the code above: half the bytes of a plain column.
_WRITER: dict[str, Any] = {
    "compression": "zstd",
    "compression_level": 19,
    "use_dictionary": ["county"],
    "column_encoding": {"zip5": "DELTA_BYTE_ARRAY", "people": "BYTE_STREAM_SPLIT"},
}
_HEADER = (
    "# Three-digit ZIP code prefixes that hold so few people that Safe Harbor shows 000 in their place,\n"
    "# with their people, by census: sums over ZIP code tabulation areas. A prefix of only post-office\n"
    "# boxes has no such area and is not here. Written by `python -m policy_sim.building.make_zip_areas`.\n"
)


def build_zip(tables: Path, folder: Path | None = None) -> list[Path]:
    """Write the files of ``data/zip`` and their entries in the manifest; return their paths."""
    home = folder or data_dir()
    parts = [_write_parts(tables, home, year) for year in CENSUSES]
    prefixes = home / "zip" / "zip3_computed.toml"
    replace_file(prefixes, (_HEADER + tomli_w.dumps(_prefixes(tables))).encode())
    title = f"Three-digit ZIP prefixes of {ZIP3_MOST:,} people or fewer, Census 2010 and 2020"
    _describe(home, prefixes, title, [tables / name for name in _AREA_TABLES])
    return [*parts, prefixes]


def _write_parts(tables: Path, home: Path, year: int) -> Path:
    """Write the parts of ZIP code areas in counties at one census; return the file."""
    path, source = home / "zip" / f"zcta_county_{year}.parquet", tables / f"zcta_county_{year}.csv.gz"
    table = _read(source, _PART_COLUMNS[year])
    table = table.rename(columns={"county_fips": "county", "zcta": "zip5", "zcta5": "zip5", "population": "people"})
    _check_areas(table, source, tables / f"zcta_{year}_population.csv.gz")
    held = table[(table["people"] > 0) & ~table["county"].str.startswith(_PUERTO_RICO)]
    parts = held[["county", "zip5", "people"]].sort_values(["county", "zip5"], ignore_index=True)
    replace_file(path, parts.astype({"people": "int32"}).to_parquet(index=False, **_WRITER))
    title = f"People of each part of a ZIP code tabulation area in a county, Census {year}"
    _describe(home, path, title, [source], _words_of_parts(year))
    return path


def _words_of_parts(year: int) -> dict[str, object]:
    """Return how the people of parts were made where the Bureau publishes none."""
    words: dict[str, object] = shipped_table("population_recipes.toml")["zip_parts"].get(str(year), {})
    return words


def _check_areas(parts: pd.DataFrame, source: Path, areas: Path) -> None:
    """Compare the sums of the parts with the published people of each area (2010: without Puerto Rico)."""
    published = _read(areas, ("zcta", "population")).groupby("zcta")["population"].sum()
    wrong = parts.groupby("zip5")["people"].sum().reindex(published.index) != published
    if wrong.any():
        raise SourceError(f"{source.name}: parts of {wrong.idxmax()} do not add up to its people.")


def _describe(
    home: Path, path: Path, title: str, sources: list[Path], more: Mapping[str, object] = MappingProxyType({})
) -> None:
    """Write the entry of one file in the manifest."""
    facts = {
        "title": title,
        "publisher": "U.S. Census Bureau (counts); policy_sim (sums)",
        "file": path.relative_to(home).as_posix(),
        **more,
        "sha256": sha256_of(path),
        "sources": [f"{source.name} (sha256 {sha256_of(source)})" for source in sources],
    }
    update_manifest(home, "zip", path.stem, facts)


def _prefixes(tables: Path) -> dict[str, object]:
    entries: dict[str, object] = {"most": ZIP3_MOST}
    for year in CENSUSES:
        name = f"zcta_{year}_population.csv.gz"
        table = _read(tables / name, ("zcta", "population"))
        small = small_zip3(table["zcta"].tolist(), table["population"].to_numpy())
        entries[f"census-{year}"] = {
            "citation": f"Census {year}, population of ZIP code tabulation areas",
            "prefixes": list(small),
            "people": list(small.values()),
        }
    return entries


def _read(path: Path, columns: tuple[str, ...]) -> pd.DataFrame:
    try:
        table = pd.read_csv(path, dtype={"zcta": str, "zcta5": str, "county_fips": str}, usecols=list(columns))
    except (OSError, ValueError) as error:
        raise SourceError(f"{path}: cannot be read ({error}); give the folder of the Bureau's figures.") from error
    return table


def main(arguments: list[str]) -> None:
    """Build the files from the folder in the first argument."""
    if len(arguments) != 1:
        raise SourceError(
            "name the folder of the Bureau's figures: python -m policy_sim.building.make_zip_areas FOLDER"
        )
    for path in build_zip(Path(arguments[0])):
        sys.stdout.write(f"{path.name}: {path.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main(sys.argv[1:])
