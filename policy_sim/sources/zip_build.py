"""Make the shipped facts about ZIP code areas from the Bureau's figures.

Two files come out, the same bytes each time: the people of each part of a ZIP code tabulation area
(ZCTA) in a county (Census 2010), and the three-digit prefixes of 20,000 people or fewer by census,
computed by :func:`policy_sim.population.zips.small_zip3`.

Run it with ``python -m policy_sim.sources.zip_build FOLDER``; the folder holds the Bureau's figures as
``zcta_county_2010.csv.gz`` and ``zcta_<year>_population.csv.gz``.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import pandas as pd

from policy_sim.errors import SourceError
from policy_sim.population.zips import ZIP3_MOST, small_zip3
from policy_sim.sources.manifest import to_toml, update_manifest
from policy_sim.sources.paths import data_dir
from policy_sim.sources.population_files import replace_file

__all__ = ["build_zip", "main"]

CENSUSES = (2010, 2020)
_PUERTO_RICO = "72"
_PART_TABLES = ("zcta_county_2010.csv.gz",)
_AREA_TABLES = tuple(f"zcta_{year}_population.csv.gz" for year in CENSUSES)
_HEADER = (
    "# Three-digit ZIP code prefixes that hold so few people that Safe Harbor shows 000 in their place,\n"
    "# with their people, by census: sums over ZIP code tabulation areas. A prefix of only post-office\n"
    "# boxes has no such area and is not here. Written by `python -m policy_sim.sources.zip_build`.\n"
)


def build_zip(tables: Path, folder: Path | None = None) -> list[Path]:
    """Write the files of ``data/zip`` and their entries in the manifest; return their paths.

    Raises
    ------
    SourceError : a table is missing, or its parts do not add up to its areas.
    OutputError : a file cannot be written.
    """
    home = folder or data_dir()
    parts, prefixes = home / "zip" / "zcta_county_2010.parquet", home / "zip" / "zip3_computed.toml"
    table = _read(tables / "zcta_county_2010.csv.gz", ("zcta", "county_fips", "population", "zcta_population"))
    wrong = table.groupby("zcta")["population"].sum() != table.groupby("zcta")["zcta_population"].first()
    if wrong.any():
        raise SourceError(f"zcta_county_2010.csv.gz: parts of {wrong.idxmax()} do not add up to its people.")
    held = table[(table["population"] > 0) & ~table["county_fips"].str.startswith(_PUERTO_RICO)]
    made = held.rename(columns={"county_fips": "county", "zcta": "zip5", "population": "people"})
    made = made[["county", "zip5", "people"]].sort_values(["county", "zip5"], ignore_index=True)
    replace_file(parts, made.astype({"people": "int32"}).to_parquet(index=False, compression="zstd"))
    replace_file(prefixes, (_HEADER + to_toml(_prefixes(tables))).encode())
    for path, title, names in (
        (parts, "People of each part of a ZIP code tabulation area in a county, Census 2010", _PART_TABLES),
        (prefixes, f"Three-digit ZIP prefixes of {ZIP3_MOST:,} people or fewer, Census 2010 and 2020", _AREA_TABLES),
    ):
        facts = {
            "title": title,
            "publisher": "U.S. Census Bureau (counts); policy_sim (sums)",
            "file": path.relative_to(home).as_posix(),
            "sha256": _sha256(path),
            "sources": [f"{name} (sha256 {_sha256(tables / name)})" for name in names],
        }
        update_manifest(home, "zip", path.stem, facts)
    return [parts, prefixes]


def _prefixes(tables: Path) -> dict[str, object]:
    found: dict[str, object] = {"most": ZIP3_MOST}
    for year in CENSUSES:
        name = f"zcta_{year}_population.csv.gz"
        table = _read(tables / name, ("zcta", "population"))
        small = small_zip3(table["zcta"].tolist(), table["population"].to_numpy())
        found[f"census-{year}"] = {
            "citation": f"Census {year}, population of ZIP code tabulation areas",
            "prefixes": list(small),
            "people": list(small.values()),
        }
    return found


def _read(path: Path, columns: tuple[str, ...]) -> pd.DataFrame:
    try:
        table = pd.read_csv(path, dtype={"zcta": str, "county_fips": str}, usecols=list(columns))
    except (OSError, ValueError) as error:
        raise SourceError(f"{path}: cannot be read ({error}); give the folder of the Bureau's figures.") from error
    return table


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main(arguments: list[str]) -> None:
    """Build from the folder named first."""
    if len(arguments) != 1:
        raise SourceError("name the folder of the Bureau's figures: python -m policy_sim.sources.zip_build FOLDER")
    for path in build_zip(Path(arguments[0])):
        sys.stdout.write(f"{path.name}: {path.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main(sys.argv[1:])
