"""Make ``data/vocabularies``: ``python -m policy_sim.building.make_words FOLDER``.

The lists by which a column is recognized from its values: first and last names that are frequent in the United States,
the codes of ICD-10-CM, and towns. FOLDER holds what the packages ``names``, ``simple-icd-10-cm`` and ``zipcodes``
carry of them.
"""

from __future__ import annotations

import bz2
import calendar
import gzip
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from policy_sim.files.manifest import update_manifest
from policy_sim.files.paths import data_dir
from policy_sim.files.writing import replace_file, sha256_of
from policy_sim.people.names import birthday_rates, read_births

__all__ = ["birthdays_toml", "make_vocabularies"]


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
}


def make_vocabularies(folder: Path) -> None:
    """Write each list, sorted, one text in lower case per line, and its facts into the manifest."""
    for name, (title, publisher, source, pattern) in _LISTS.items():
        files = sorted(folder.glob(pattern))
        texts = sorted(set(_texts(name, files)))
        path = data_dir() / "vocabularies" / f"{name}.txt.gz"
        path.parent.mkdir(exist_ok=True)
        replace_file(path, gzip.compress("\n".join(texts).encode(), 9, mtime=0))
        facts = {"title": title, "publisher": publisher, "file": f"vocabularies/{path.name}", "texts": len(texts)}
        sources = [f"{source} ({file.name}, sha256 {sha256_of(file)})" for file in files]
        update_manifest(data_dir(), "vocabularies", name, {**facts, "sha256": sha256_of(path), "sources": sources})


def _texts(name: str, files: list[Path]) -> Iterator[str]:
    for file in files:
        if name == "towns":
            yield from (place["city"].casefold() for place in json.loads(bz2.decompress(file.read_bytes())))
        elif name == "icd_10_cm":
            yield from re.findall(r"(?m)^[a-z]\d[0-9a-z]{1,5}$", file.read_text(encoding="utf-8").casefold())
        else:
            yield from (line.split()[0].casefold() for line in file.read_text(encoding="ascii").splitlines())
    if name == "towns":
        import pyarrow.parquet as pq

        counties = pq.read_table(data_dir() / "boundaries" / "counties-2010.parquet", columns=["name"])
        yield from (county.casefold() for county in counties.column("name").to_pylist())


if __name__ == "__main__":
    make_vocabularies(Path(sys.argv[1]))


# Make ``data/birthdays.toml``: ``python -m policy_sim.building.make_words FOLDER``.


_FILES = {
    "us_births_by_day_1994_2003_nchs.csv.gz": "National Center for Health Statistics, births by day 1994 to 1999",
    "us_births_by_day_2000_2014_ssa.csv.gz": "Social Security Administration, births by day 2000 to 2014",
}
_HEADER = """# How often each day of the year is a birthday: births beside the mean day of the same year, averaged over
# the years in which the day exists. Made by: python -m policy_sim.building.make_words FOLDER
"""


def birthdays_toml(folder: Path) -> str:
    """Return the file as text, from the two publications in a folder; for years in both, the later one counts."""
    rates = birthday_rates([read_births(folder / name) for name in _FILES])
    months = np.split(rates, np.cumsum([calendar.monthrange(2000, month)[1] for month in range(1, 12)]))
    sources = [f'    "{title} ({name}, sha256 {sha256_of(folder / name)})",' for name, title in _FILES.items()]
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
    return _HEADER + "\n".join(lines) + "\n"


if __name__ == "__main__":
    replace_file(data_dir() / "birthdays.toml", birthdays_toml(Path(sys.argv[1])).encode())
