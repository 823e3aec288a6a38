"""Make ``data/vocabularies``: ``python -m policy_sim.building.make_vocabularies FOLDER``.

The lists by which a column is recognized from its values: first and last names that are frequent in the United States,
the codes of ICD-10-CM, and towns. FOLDER holds what the packages ``names``, ``simple-icd-10-cm`` and ``zipcodes``
carry of them.
"""

from __future__ import annotations

import bz2
import gzip
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from policy_sim.files.manifest import update_manifest
from policy_sim.files.paths import data_dir
from policy_sim.files.writing import replace_file, sha256_of

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
