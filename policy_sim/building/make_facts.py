"""Make small files of ``data/`` from what others publish: ``python -m policy_sim.building.make_facts WHAT FOLDER``.

WHAT is ``birthdays`` (from births by day), ``vocabularies`` (the lists by which a column is recognized from its values,
from what the packages ``names``, ``simple-icd-10-cm``, ``zipcodes`` and ``wamerican-small`` carry), ``zip`` (from the
Bureau's figures, the people of each part of a ZIP code tabulation area in a county at two censuses, and the three-digit
prefixes of 20,000 people or fewer), ``composition`` (factors of who lives in which of these parts) or ``names`` (how
many names have which frequency). FOLDER has the sources; the same sources give the same bytes.
"""

from __future__ import annotations

import bz2
import calendar
import gzip
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import tomli_w

from policy_sim.building.make_names import make_names
from policy_sim.building.zip_composition import make_composition
from policy_sim.files.manifest import update_manifest
from policy_sim.files.paths import data_dir
from policy_sim.files.toml import shipped_table
from policy_sim.files.writing import replace_file, sha256_of
from policy_sim.people.zips import ZIP3_MOST, small_zip3
from policy_sim.records.vocabularies import vocabulary
from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import SourceError

_COMMAND = "python -m policy_sim.building.make_facts"

# Birthdays.


BIRTHS = {
    "us_births_by_day_1994_2003_nchs.csv.gz": "National Center for Health Statistics, births by day 1994 to 1999",
    "us_births_by_day_2000_2014_ssa.csv.gz": "Social Security Administration, births by day 2000 to 2014",
}
_BIRTHDAYS_HEADER = f"""\
# How often each day of the year is a birthday: births beside the mean day of the same year, averaged over
# the years in which the day exists. Made by: {_COMMAND} birthdays FOLDER
"""


def read_births(path: Path) -> pd.DataFrame:
    """Read births by day: columns ``year``, ``month``, ``date_of_month`` and ``births``."""
    try:
        table = pd.read_csv(path)[["year", "month", "date_of_month", "births"]]
    except (OSError, ValueError, KeyError) as error:
        raise SourceError(f"{path.name} is not a table of births by day ({error}).") from error
    for year, days in table.groupby("year").size().items():
        if days != 365 + calendar.isleap(int(str(year))):
            raise SourceError(f"{path.name}: {year} has {days} days. Use whole years only.")
    return table


def birthday_rates(tables: Sequence[pd.DataFrame]) -> FloatArray:
    """Return the births of each of the 366 days relative to the mean day of the year, over the years of the tables.

    The mean over the years removes the growth of births and the days of the week. February 29 is over the leap years
    only. A year that is in several tables comes from the last one.
    """
    table = pd.concat(tables, ignore_index=True).drop_duplicates(["year", "month", "date_of_month"], keep="last")
    rate = table["births"] / table.groupby("year")["births"].transform("mean")
    means = rate.groupby([table["month"], table["date_of_month"]]).mean()
    return np.asarray(means.sort_index().to_numpy(dtype=np.float64))


def birthdays_toml(folder: Path) -> str:
    """Return the file as text, from the two publications in a folder; for years in both, the later one counts."""
    rates = birthday_rates([read_births(folder / name) for name in BIRTHS])
    months = np.split(rates, np.cumsum([calendar.monthrange(2000, month)[1] for month in range(1, 12)]))
    sources = [f'    "{title} ({name}, sha256 {sha256_of(folder / name)})",' for name, title in BIRTHS.items()]
    lines = [
        'title = "Birthdays in the United States, 1994 to 2014"',
        "sources = [",
        *sources,
        '    "Both as published by FiveThirtyEight (fivethirtyeight/data, births, CC BY 4.0)",',
        "]",
        "",
        "[rate]",
    ]
    for name, month in zip(calendar.month_abbr[1:], months, strict=True):
        lines.append(f"{name.lower()} = [{', '.join(f'{rate:.5f}' for rate in month)}]")
    return _BIRTHDAYS_HEADER + "\n".join(lines) + "\n"


def make_birthdays(folder: Path) -> list[Path]:
    """Write the file of birthdays; return its path."""
    path = data_dir() / "birthdays.toml"
    replace_file(path, birthdays_toml(folder).encode())
    return [path]


# Vocabularies: first and last names that are frequent in the United States, the codes of ICD-10-CM, and towns.


_BUREAU = "U.S. Census Bureau"
_LISTS = {
    "first_names": ("First names", _BUREAU, "1990 Census, frequently occurring first names", "dist.*.first"),
    "last_names": ("Last names", _BUREAU, "1990 Census, frequently occurring surnames", "dist.all.last"),
    "icd_10_cm": (
        "ICD-10-CM, categories and codes without the dot",
        "National Center for Health Statistics",
        "ICD-10-CM, release of April 2026, as the package simple-icd-10-cm 1.5.0 carries it",
        "code-list-April-2026.txt",
    ),
    "towns": (
        "Towns, and the counties of the shipped boundaries",
        "U.S. Postal Service; U.S. Census Bureau",
        "Post office names, as the package zipcodes 1.3.0 carries them",
        "zips.json.bz2",
    ),
    "ordinary_words": (
        "Names of people and towns that are ordinary words of English too",
        "Spell Checker Oriented Word Lists (SCOWL), Copyright 2000-2011 by Kevin Atkinson; permission to use, copy, "
        "modify, distribute and sell these word lists is granted, provided that the copyright notice and this "
        "permission notice appear",
        "SCOWL, American English, size 35, words in lower case that are in the lists of names and towns",
        "american-english-small",
    ),
}


def make_vocabularies(folder: Path) -> list[Path]:
    """Write each list, sorted, one text in lower case per line, and its facts into the manifest; return the paths."""
    paths = []
    for name, (title, publisher, source, pattern) in _LISTS.items():
        files = sorted(folder.glob(pattern))
        texts = sorted(set(_texts(name, files)))
        path = data_dir() / "vocabularies" / f"{name}.txt.gz"
        replace_file(path, gzip.compress("\n".join(texts).encode(), 9, mtime=0))
        facts = {"title": title, "publisher": publisher, "file": f"vocabularies/{path.name}", "texts": len(texts)}
        sources = [f"{source} ({file.name}, sha256 {sha256_of(file)})" for file in files]
        update_manifest(data_dir(), "vocabularies", name, {**facts, "sha256": sha256_of(path), "sources": sources})
        paths.append(path)
    return paths


def _texts(name: str, files: list[Path]) -> Iterator[str]:
    for file in files:
        if name == "ordinary_words":
            listed = set().union(*map(vocabulary, ("first_names", "last_names", "towns")))
            yield from listed & set(re.findall(r"(?m)^[a-z]{3,}$", file.read_text(encoding="utf-8")))
        elif name == "towns":
            yield from (place["city"].casefold() for place in json.loads(bz2.decompress(file.read_bytes())))
        elif name == "icd_10_cm":
            yield from re.findall(r"(?m)^[a-z]\d[0-9a-z]{1,5}$", file.read_text(encoding="utf-8").casefold())
        else:
            yield from (line.split()[0].casefold() for line in file.read_text(encoding="ascii").splitlines())
    if name == "towns":
        counties = pd.read_parquet(data_dir() / "boundaries" / "counties-2010.parquet", columns=["name"])
        yield from counties["name"].str.casefold()


# ZIP code areas: two files of parts by county, and one of the prefixes that :func:`small_zip3` finds small.


_CENSUSES = (2010, 2020)
_PUERTO_RICO = "72"
# Sorted ZIP codes share their first digits with the code above: half the bytes of a plain column.
_WRITER: dict[str, Any] = {
    "compression": "zstd",
    "compression_level": 19,
    "use_dictionary": ["county"],
    "column_encoding": {"zip5": "DELTA_BYTE_ARRAY", "people": "BYTE_STREAM_SPLIT"},
}
_PREFIXES_HEADER = (
    "# Three-digit ZIP code prefixes that hold so few people that Safe Harbor shows 000 in their place,\n"
    "# with their people, by census: sums over ZIP code tabulation areas. A prefix of only post-office\n"
    f"# boxes has no such area and is not here. Written by `{_COMMAND} zip FOLDER`.\n"
)


def make_zip(tables: Path, folder: Path | None = None) -> list[Path]:
    """Write the files of ``data/zip`` and their entries in the manifest; return their paths."""
    home, sums, parts = folder or data_dir(), [], []
    entries: dict[str, object] = {"most": ZIP3_MOST}
    for year in _CENSUSES:
        sums.append(tables / f"zcta_{year}_population.csv.gz")
        areas = _read(sums[-1], "zcta")
        parts.append(_write_parts(tables / f"zcta_county_{year}.csv.gz", areas, home, year))
        small = small_zip3(areas["zip5"].tolist(), areas["people"].to_numpy())
        entries[f"census-{year}"] = {
            "citation": f"Census {year}, population of ZIP code tabulation areas",
            "prefixes": list(small),
            "people": list(small.values()),
        }
    prefixes = home / "zip" / "zip3_computed.toml"
    replace_file(prefixes, (_PREFIXES_HEADER + tomli_w.dumps(entries)).encode())
    _describe(prefixes, f"Three-digit ZIP prefixes of {ZIP3_MOST:,} people or fewer, Census 2010 and 2020", sums, {})
    return [*parts, prefixes]


def _write_parts(source: Path, areas: pd.DataFrame, home: Path, year: int) -> Path:
    """Write the parts of ZIP code areas in counties at one census, whose sums are the published people of the areas."""
    table = _read(source, "zcta" if year == 2010 else "zcta5", "county_fips")
    published = areas.groupby("zip5")["people"].sum()
    wrong = table.groupby("zip5")["people"].sum().reindex(published.index) != published
    if wrong.any():
        raise SourceError(f"{source.name}: parts of {wrong.idxmax()} do not add up to its people.")
    held = table[(table["people"] > 0) & ~table["county"].str.startswith(_PUERTO_RICO)]
    parts = held[["county", "zip5", "people"]].sort_values(["county", "zip5"], ignore_index=True)
    path = home / "zip" / f"zcta_county_{year}.parquet"
    replace_file(path, parts.astype({"people": "int32"}).to_parquet(index=False, **_WRITER))
    title = f"People of each part of a ZIP code tabulation area in a county, Census {year}"
    # how the people of parts were made where the Bureau publishes none
    _describe(path, title, [source], shipped_table("population_recipes.toml")["zip_parts"].get(str(year), {}))
    return path


def _read(path: Path, *codes: str) -> pd.DataFrame:
    """Read the people by codes of areas and counties: columns ``zip5``, ``county`` and ``people``."""
    columns = [*codes, "population"]
    try:
        table = pd.read_csv(path, dtype=dict.fromkeys(codes, str), usecols=columns)
    except (OSError, ValueError) as error:
        raise SourceError(f"{path}: cannot be read ({error}); give the folder of the Bureau's figures.") from error
    return table.rename(columns={"county_fips": "county", "zcta": "zip5", "zcta5": "zip5", "population": "people"})


def _describe(path: Path, title: str, sources: list[Path], more: dict[str, object]) -> None:
    """Write the entry of a file of ``zip/`` in the manifest."""
    facts = {
        "title": title,
        "publisher": "U.S. Census Bureau (counts); policy_sim (sums)",
        "file": f"zip/{path.name}",
        **more,
        "sha256": sha256_of(path),
        "sources": [f"{source.name} (sha256 {sha256_of(source)})" for source in sources],
    }
    update_manifest(path.parents[1], "zip", path.stem, facts)


if __name__ == "__main__":
    makers: dict[str, Callable[[Path], list[Path]]] = {
        "birthdays": make_birthdays,
        "vocabularies": make_vocabularies,
        "zip": make_zip,
        "composition": make_composition,
        "names": make_names,
    }
    if len(sys.argv) != 3 or sys.argv[1] not in makers:
        raise SourceError(f"name what to make, and the folder of its sources: {_COMMAND} {'|'.join(makers)} FOLDER")
    for path in makers[sys.argv[1]](Path(sys.argv[2])):
        sys.stdout.write(f"{path.name}: {path.stat().st_size:,} bytes\n")
