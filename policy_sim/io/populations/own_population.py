"""A population that somebody else made, read from the user's own file and checked whole."""

from __future__ import annotations

import io
from pathlib import Path

import pandas as pd

from policy_sim.errors import SchemaError, SourceError
from policy_sim.io.files import sha256_of
from policy_sim.population.cells import COLUMNS, OPTIONAL_COLUMNS, as_numbers, check_cells
from policy_sim.population.population import Population, Provenance

__all__ = ["OWN_FILES", "own_provenance", "read_own_population"]

OWN_FILES = (".parquet", ".csv")
_NUMBERS = ("age", "age_width", "people")
_TEXTS = tuple(name for name in (*COLUMNS, *OPTIONAL_COLUMNS) if name not in _NUMBERS)
_SHOWN = 3


def read_own_population(path: Path) -> Population:
    """Read a population from a Parquet or CSV file (``docs/census.md`` documents the columns).

    Any country will do: ``state`` is its first division, ``race`` and ``sex`` may be left out, and
    age classes may have any width as long as no two of a group overlap.

    Raises
    ------
    SourceError : the file cannot be read.
    SchemaError : it breaks the schema; every problem at once.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path}: cannot be read ({error.strerror or error}).") from error
    cells = _table(path, content)
    problems: list[str] = []
    try:
        cells = check_cells(cells, str(path))
    except SchemaError as error:
        problems += error.problems
    problems += _overlaps(cells)
    if problems:
        raise SchemaError(str(path), problems)
    return Population(
        cells,
        own_provenance(path, sha256_of(content)),
    )


def own_provenance(path: Path, sha256: str, held: str = "") -> Provenance:
    """Say of a user's own file that nobody states who counted it; ``held`` adds to the title."""
    return Provenance(
        name=path.stem,
        title=f"the user's own file {path.name}{held}",
        publisher="not stated",
        date="not stated",
        how="read from the user's own file",
        counted=0.0,
        estimated=0.0,
        modeled=0.0,
        sources=(path.name,),
        notes=("it is unknown which part of this file is counted, estimated or modeled",),
        sha256=sha256,
    )


def _table(path: Path, content: bytes) -> pd.DataFrame:
    try:
        if path.suffix.lower() == ".csv":
            # Codes are text from the first read on: 01001 must not become 1001.
            return pd.read_csv(
                io.BytesIO(content),
                dtype=dict.fromkeys(_TEXTS, str),
                keep_default_na=False,
                encoding="utf-8-sig",
            ).replace("", None)
        return pd.read_parquet(io.BytesIO(content))
    except (ValueError, OSError) as error:
        reason = " ".join(str(error).split())
        raise SchemaError(str(path), [f"is not a readable {path.suffix[1:]} table ({reason})."]) from error


def _overlaps(cells: pd.DataFrame) -> list[str]:
    """Find groups in which one age falls into two classes: their people would count twice as distinct."""
    if not set(COLUMNS) <= set(cells.columns):
        return []
    numbers = {name: as_numbers(cells[name]) for name in ("age", "age_width")}
    group = [name for name in _TEXTS if name in cells.columns]
    plain = pd.DataFrame({**{name: cells[name].astype(str) for name in group}, **numbers}).dropna()
    plain = plain.drop_duplicates().sort_values([*group, "age", "age_width"])
    same = (plain[group] == plain[group].shift()).all(axis=1)
    end = (plain["age"] + plain["age_width"]).shift()
    wrong = plain[same & (plain["age"] < end)]
    if wrong.empty:
        return []
    first = [
        f"age {row.age:g} (width {row.age_width:g}) in {' '.join(getattr(row, name) for name in group)}"
        for row in wrong.head(_SHOWN).itertuples()
    ]
    return [
        f"{len(wrong)} age classes overlap another of the same group, the first {'; '.join(first)}. "
        "Each age must be in one class."
    ]
