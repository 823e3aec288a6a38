"""Populations by name: those that ship, those fetched or loaded, and the user's own files."""

from __future__ import annotations

import io
import logging
from pathlib import Path

import pandas as pd

from policy_sim.files.writing import sha256_of
from policy_sim.people.population import (
    COLUMNS,
    NUMBERS,
    OPTIONAL_COLUMNS,
    Population,
    Provenance,
    as_numbers,
    check_cells,
)
from policy_sim.people.store import Entry, PopulationCache, list_populations, load_shipped
from policy_sim.people.zip_populations import COMPOSED_POPULATIONS, load_composed_population, load_zip_population
from policy_sim.people.zips import SUFFIX, ZIP_POPULATIONS
from policy_sim.words.errors import InputError, SchemaError, SourceError, UnknownNameError

OWN_FILES = (".parquet", ".csv")


def load_population(name_or_path: str | Path) -> Population:
    """Load a shipped, fetched or loaded population by name, or the user's own from a file.

    ``name_or_path``: a name that ``policy-sim model population list`` or ``policy-sim dev census list`` gives, or the
    path of a ``.parquet`` or ``.csv`` file with the columns of :mod:`policy_sim.people.population`.
    """
    text = str(name_or_path)
    if Path(text).suffix.lower() in OWN_FILES:
        return read_own_population(Path(text))
    names = list_populations()
    if text in names:
        return load_shipped(text)
    if text in COMPOSED_POPULATIONS:
        return load_composed_population(text)
    base = text.removesuffix(SUFFIX)
    if base != text and base in names:
        return load_zip_population(text, load_shipped(base))
    own_names = PopulationCache().names()
    if text not in own_names:
        raise UnknownNameError("population", text, {*names, *own_names, *ZIP_POPULATIONS, *COMPOSED_POPULATIONS})
    return load_kept(text)


# Kept populations, and how a damaged one is made again from what is still available.


_LOG = logging.getLogger("policy_sim")


def load_kept(name: str, cache: PopulationCache | None = None) -> Population:
    """Return a kept population; a damaged file is made again from kept answers or the user's files."""
    return (cache or PopulationCache()).load(name, rebuild)


def rebuild(cache: PopulationCache, entry: Entry) -> Entry:
    """Make a population again from what is still available, and warn if it is not what it was."""
    try:
        rebuilt = _made_again(cache, entry)
    except (LookupError, TypeError, ValueError, InputError, SourceError) as error:
        raise SourceError(
            f"{cache.folder / entry.file}: damaged, and its sources are missing. Fetch or load {entry.name} again."
        ) from error
    if rebuilt.sha256 != entry.sha256:
        _LOG.warning("%s: rebuilt, but different from before, because its sources have changed.", entry.name)
    return rebuilt


def _made_again(cache: PopulationCache, entry: Entry) -> Entry:
    origin = entry.origin
    # The readers and the client are slow to import, and a sound file needs neither.
    if origin["kind"] == "answers":
        from policy_sim.people.census.fetch import Order, keep_answers

        ethnicity = origin.get("ethnicity", False)
        order = Order.of(origin["edition"], origin["geography"], origin["states"], ethnicity=ethnicity)
        return keep_answers(order, entry.addresses[0], cache)
    if origin["kind"] == "survey":
        from policy_sim.people.census.survey import keep_survey

        return keep_survey(origin["survey"], origin["geography"], origin["states"], entry.addresses[0], cache)
    if origin["kind"] == "single years":
        from policy_sim.people.census.single_years import build_by_zip

        return build_by_zip(load_population(origin["base"]), load_kept(origin["kept"], cache), cache, entry.name)
    from policy_sim.people.census.load import load_files

    return load_files(cache=cache, name=entry.name, **origin["options"])


# A population that somebody else made, read from the user's own file and checked whole.


_TEXTS = tuple(name for name in (*COLUMNS, *OPTIONAL_COLUMNS) if name not in NUMBERS)
_SHOWN = 3


def read_own_population(path: Path) -> Population:
    """Read a population from a Parquet or CSV file (``docs/census.md`` documents the columns).

    Any country will do: ``state`` is its first division, ``race`` and ``sex`` may be left out, and
    age classes may have any width as long as no two of a group overlap.
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
    return Population(cells, own_provenance(path, sha256_of(content)))


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
