"""Which files a location means: one file, the files of a folder, or those that a pattern matches."""

from __future__ import annotations

import glob
import re
from pathlib import Path

from policy_sim.errors import InputError, SourceError
from policy_sim.io.plain_copies import EXCEL
from policy_sim.io.statistics_files import STATISTICS
from policy_sim.masking import mask_credentials

__all__ = ["IN_FOLDERS", "is_database", "kind_of", "meant_files", "scheme_of", "without_folders"]

# What is read in a folder: editors and copies leave other endings there, such as v.csv.bak.
IN_FOLDERS = (".csv", ".csv.gz", ".parquet")
_CSV = (*(ending + packed for ending in (".csv", ".tsv", ".txt") for packed in ("", ".gz")), *EXCEL, *STATISTICS)
_PARQUET = (".parquet", ".pq")
_DATABASE = re.compile(r"(sqlite|postgres|postgresql|mysql|mariadb|oracle|mssql)(\+\w+)?:")


def is_database(location: str) -> bool:
    """Tell whether a location is the URL of a database."""
    return _DATABASE.match(location) is not None and not Path(location).exists()


def scheme_of(location: str) -> str:
    """Return what messages may show of a database's address: its kind.

    >>> scheme_of("postgresql://me:hush@host/clinic")
    'postgresql://…'
    """
    return f"{location.partition(':')[0]}://…"


def kind_of(name: str) -> str | None:
    """Return ``csv`` or ``parquet`` by the ending of a name, None for any other.

    Excel, Stata, SPSS and SAS are read as CSV.
    """
    name = name.casefold()
    return "csv" if name.endswith(_CSV) else "parquet" if name.endswith(_PARQUET) else None


def meant_files(location: str) -> tuple[str, tuple[Path, ...]]:
    """Return the kind of the files, ``csv`` or ``parquet``, and the files in the order of their names.

    A name that exists is that file or folder, whatever signs are in it; only another is a pattern. Of a folder the
    files with an ending of :data:`IN_FOLDERS` are meant, but no hidden ones. No files: they lie on another machine.

    Raises
    ------
    InputError : something that is no file of records, or CSV next to Parquet.
    SourceError : there is no such file.
    """
    shown_location = mask_credentials(location)
    path = Path(location)
    if "://" in location and not path.exists():
        return _one_kind(shown_location, [location]), ()
    if path.is_dir():
        files = [p for p in path.iterdir() if p.name.casefold().endswith(IN_FOLDERS) and not p.name.startswith(".")]
        if not files:
            raise SourceError(f"{shown_location}: the folder has no {', '.join(IN_FOLDERS)} file.")
    elif path.exists():
        files = [path]
    else:
        files = [Path(match) for match in glob.glob(location)]  # noqa: PTH207
        if not files:
            _one_kind(shown_location, [location])
            raise SourceError(f"{shown_location}: no such file.")
    return _one_kind(shown_location, [str(p) for p in files]), tuple(sorted(files, key=str))  # as text: so does Spark


def _one_kind(location: str, names: list[str]) -> str:
    for name in names:
        if kind_of(name) is None:
            what = location if len(names) == 1 else f"{location}: {Path(name).name}"
            raise InputError(
                f"{what}: not a file of records: give .csv (or .csv.gz), .xlsx, .parquet, .dta, .sav, .sas7bdat, "
                f".xpt, a folder of CSV or Parquet, or the URL of a database."
            )
    kinds = {kind_of(name) or "" for name in names}
    if len(kinds) > 1:
        raise InputError(
            f"{location} has both CSV and Parquet files. Choose one kind, such as {Path(location).name}/*.csv."
        )
    return kinds.pop()


def without_folders(files: tuple[Path, ...]) -> dict[str, Path]:
    """Return the files by their names below the folder that they share."""
    folders = [path.parts[:-1] for path in files]
    shared = next((n for n in range(min(map(len, folders), default=0), 0, -1) if len({f[:n] for f in folders}) == 1), 0)
    return {Path(*path.parts[shared:]).as_posix(): path for path in files}
