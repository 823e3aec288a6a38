"""Tables of areas: which area each ZIP code is in, shipped or in a file with the columns ``zip`` and ``area``."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from policy_sim.files.parquet import read_table
from policy_sim.files.paths import data_dir, kind_of
from policy_sim.files.toml import damaged_if_wrong
from policy_sim.files.writing import sha256_of
from policy_sim.words.errors import InputError, SourceError
from policy_sim.words.fields import area_name

SHIPPED_SIZES = ("20000", "100000")
NO_AREA = ""  # of a ZIP code that no area has
_CODE = re.compile(r"\d{3,5}", re.ASCII)  # spreadsheets drop leading zeros
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9 ._-]{0,39}", re.ASCII)
_TEXT = re.compile(r"[^\x00-\x1f\x7f]{1,100}")
_MOST_BYTES = 50_000_000


@dataclass(frozen=True, eq=False)
class AreaTable:
    """The area of each ZIP code.

    ``name``: as a policy names it, such as ``20000`` or ``areas.csv``. ``path``: the file.
    """

    name: str
    path: Path
    of_zip: Mapping[str, str] = field(repr=False)

    @property
    def title(self) -> str:
        """What the areas are, in words."""
        if self.is_shipped:
            return f"shipped areas of at least {int(self.name):,} people"
        return f"areas of {self.path.name}"

    @property
    def is_shipped(self) -> bool:
        """Whether the program has the areas, by their size."""
        return self.name in SHIPPED_SIZES

    @property
    def checksum(self) -> str:
        """The sha256 of the file."""
        return sha256_of(self.path)

    def to_csv(self, path: Path) -> None:
        """Write the table with the columns ``zip`` and ``area``."""
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("zip", "area"))
            writer.writerows(sorted(self.of_zip.items()))

    def areas_of(self, zip5: NDArray[np.str_]) -> NDArray[np.str_]:
        """Return the area of each code; :data:`NO_AREA` where there is none."""
        codes, place = np.unique(zip5, return_inverse=True)
        return np.array([self.of_zip.get(code, NO_AREA) for code in codes.tolist()], dtype=str)[place.reshape(-1)]

    @cached_property
    def state_of(self) -> dict[str, str]:
        """Return the state (postal code) of each area that has a ZIP code area of 2020."""
        homes = home_of_zips()
        return {area: homes[code][1] for code, area in self.of_zip.items() if code in homes}

    @cached_property
    def of_county(self) -> dict[str, str]:
        """Return the area of each county (FIPS code) that is whole in one; a cut county is not there.

        A ZIP code belongs to the county of most of its people.
        """
        areas: dict[str, set[str]] = {}
        for code, (county, _) in home_of_zips().items():
            areas.setdefault(county, set()).add(self.of_zip.get(code, NO_AREA))
        return {county: held.pop() for county, held in areas.items() if len(held) == 1 and NO_AREA not in held}


def area_table(place: str) -> AreaTable:
    """Return the table that a granularity of geography names, such as ``area:20000`` or ``area:areas.csv``.

    >>> area_table("area:20000").of_zip["43215"]
    'OH113'
    """
    name = area_name(place)
    if name in SHIPPED_SIZES:
        return _shipped(name)
    path = Path(name)
    if kind_of(path) != "file":
        raise InputError(
            f"areas {name}: there is no such file. Name a file that areas make wrote, or "
            f"{' or '.join(SHIPPED_SIZES)} for the shipped areas of at least 20,000 or 100,000 people."
        )
    try:
        held = path.stat()
    except OSError as error:
        raise SourceError(f"{name}: cannot be read ({error.strerror}).") from error
    return _of_file(name, str(path.resolve()), held.st_mtime_ns, held.st_size)


def located(name: str, folder: Path) -> str:
    """Return the name of areas for a reader in any folder: that of a file lies relative to ``folder``."""
    return name if name in SHIPPED_SIZES else str(folder / name)


def read_zip_column(path: Path, column: str) -> dict[str, str]:
    """Return a column of a CSV file by its column ``zip``; five digits, a code once, and names that a release can show.

    Leading zeros that a spreadsheet dropped are put back.
    """
    rows = _rows(path)
    head = [text.strip().casefold() for text in next(rows, [])]
    if head.count("zip") != 1 or head.count(column) != 1:
        raise InputError(
            f"{path}: the first row must have the columns zip and {column}, each once, with commas between them."
        )
    at, named, first_row = head.index("zip"), head.index(column), dict[str, int]()
    table: dict[str, str] = {}
    for number, row in enumerate(rows, 2):
        if not any(text.strip() for text in row):
            continue
        if any(text.strip() for text in row[len(head) :]):
            raise InputError(
                f"{path}: row {number:,} has {len(row)} cells, but the first row has {len(head)}. Give names without a "
                "comma."
            )
        code, name = (row[place].strip() if place < len(row) else "" for place in (at, named))
        if not _CODE.fullmatch(code):
            raise InputError(f"{path}: row {number:,} has no ZIP code of five digits in the column zip.")
        if not (_NAME if column == "area" else _TEXT).fullmatch(name):
            raise InputError(
                f"{path}: row {number:,} has no {column} that can be shown. Give at most 40 letters, digits, spaces, "
                "points and hyphens, a letter first."
            )
        code = code.zfill(5)
        if table.setdefault(code, name) != name:
            raise InputError(
                f"{path}: rows {first_row[code]:,} and {number:,} put ZIP code {code} in two {column}s. Give each ZIP "
                "code once."
            )
        first_row.setdefault(code, number)
    if not table:
        raise InputError(f"{path}: the column {column} has nothing.")
    return table


def _rows(path: Path) -> Iterator[list[str]]:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise InputError(f"{path}: is larger than {_MOST_BYTES:,} bytes, so it is no table of ZIP codes.")
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not a CSV file in UTF-8. Save the table as CSV.") from error
    except OSError as error:
        raise SourceError(f"{path}: cannot be read ({error.strerror}).") from error
    try:
        yield from csv.reader(io.StringIO(text, newline=""))
    except csv.Error as error:
        raise InputError(f"{path}: is not a CSV file ({error}).") from error


def _shipped_file() -> Path:
    return data_dir() / "areas" / "areas-2020.parquet"


@cache
def _shipped(size: str) -> AreaTable:
    path = _shipped_file()
    with damaged_if_wrong(path):
        table = read_table(path, ["zip5", f"area_{size}"])
        columns = [table.column(name).to_pylist() for name in ("zip5", f"area_{size}")]
    return AreaTable(size, path, dict(zip(*(map(str, column) for column in columns), strict=True)))


@cache
def home_of_zips() -> dict[str, tuple[str, str]]:
    """Return the county (FIPS code) and the state (postal code) of most people of each ZIP code area of the states."""
    path = _shipped_file()
    with damaged_if_wrong(path):
        table = read_table(path, ["zip5", "county", "state"])
        code, county, state = (map(str, table.column(name).to_pylist()) for name in ("zip5", "county", "state"))
        return dict(zip(code, zip(county, state, strict=True), strict=True))


@lru_cache(maxsize=16)
def _of_file(name: str, path: str, changed: int, size: int) -> AreaTable:  # noqa: ARG001  a file that changed is read again
    table, state_of = read_zip_column(Path(path), "area"), dict[str, str]()
    for code, area in table.items():
        home = home_of_zips().get(code)
        if home is not None and state_of.setdefault(area, home[1]) != home[1]:
            raise InputError(
                f"{name}: area {area} has ZIP codes of {state_of[area]} and {home[1]}. An area is in one state: give "
                "two areas."
            )
    if not state_of:
        raise InputError(f"{name}: none of its ZIP codes is a ZIP code area of 2020. Check the column zip.")
    return AreaTable(name, Path(path), table)
