"""Finds a population in Parquet, checks its cells inside the engine, and leaves them there."""

from __future__ import annotations

import functools
import operator
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from policy_sim.errors import InputError, SchemaError
from policy_sim.granularity import Granularities
from policy_sim.groups import Groups
from policy_sim.io.engine.engine import Engine
from policy_sim.io.engine.engine_population import EnginePopulation
from policy_sim.io.engine.opening import open_engine
from policy_sim.io.files import sha256_of
from policy_sim.io.populations.own_population import own_provenance
from policy_sim.masking import mask_credentials
from policy_sim.population.cells import COLUMNS, NUMBERS, OPTIONAL_COLUMNS, SEXES
from policy_sim.population.merge import DAYS_PER_YEAR
from policy_sim.population.population import Provenance

if TYPE_CHECKING:
    import ibis.expr.types as ir

__all__ = ["groups_from_engine", "open_engine_population", "population_of_engine"]

# More cells than this are added up by county once: most keys ask for no finer place, and each reads all cells.
_MANY_CELLS = 5_000_000
_FINER_THAN_COUNTY = ("tract", "zip3", "zip5")


def open_engine_population(engine: Engine, location: str) -> EnginePopulation:
    """Find a population in Parquet and check its cells inside the engine.

    Parameters
    ----------
    engine : Where the cells are added up.
    location : Parquet file, folder or pattern with the columns of a population
        (:mod:`policy_sim.population.population`), where the engine runs.

    Raises
    ------
    SchemaError : the file lacks a column, or has impossible cells.
    SourceError : the file cannot be read, or the engine failed.
    """
    named = mask_credentials(location)
    with engine.plainly(named):
        engine.progress("checking the cells of the population")
        cells = engine.parquet(location)
        held = [name for name in (*COLUMNS, *OPTIONAL_COLUMNS) if name in cells.columns]
        problems = _wrong_columns(cells, held)
        if problems:
            raise SchemaError(named, problems)
        texts = [name for name in held if name not in NUMBERS]
        # whole numbers written as text are numbers, as they are in memory
        cells = cells.select(*texts, **{name: cells[name].try_cast("float64") for name in NUMBERS})
        number = _checked_number(engine, cells, held, named)
        cells = by_county = cells.mutate(**{name: cells[name].cast("int64") for name in NUMBERS})
        if number > _MANY_CELLS:
            engine.progress("adding up the cells of each county")
            columns = [name for name in (*texts, "age", "age_width") if name not in _FINER_THAN_COUNTY]
            by_county = engine.keep(cells.group_by(columns).aggregate(people=cells.people.sum().cast("int64")))
    return EnginePopulation(engine, named, cells, by_county, _provenance(engine, location))


def _checked_number(engine: Engine, cells: ir.Table, held: Sequence[str], location: str) -> int:
    """Return the number of cells, all of which can be."""
    wrong = functools.reduce(operator.or_, [_bad(cells[name], name) for name in held])
    checked = cells.aggregate(cells=cells.count(), wrong=wrong.sum(), most=cells.people.max())
    (result,) = engine.fetch(checked).to_pylist()
    if number := result["wrong"]:
        ranges = ", ".join(f"{name} from {least} to {most:,}" for name, (least, most) in NUMBERS.items())
        problem = f"{number:,} cells are wrong: each needs whole numbers ({ranges}) and a text in every other column"
        sexes = f", sex {' or '.join(SEXES)}" if "sex" in held else ""
        raise SchemaError(location, [f"{problem}, without blanks around it{sexes}."])
    if not result["most"]:
        raise SchemaError(location, ["the population is empty: all counts are 0."])
    return int(result["cells"])


def _bad(cell: ir.Column, name: str) -> ir.BooleanValue:
    """Tell the cells that a population in memory would not have either."""
    if name in NUMBERS:
        inside = cell.between(*NUMBERS[name]).fill_null(False)
        whole = inside.ifelse(cell, 0.0)
        return ~inside | (whole != whole.floor())
    bad = cell.isnull() | (cell != cell.strip())
    return bad | ~cell.isin(SEXES) if name == "sex" else bad


def _wrong_columns(cells: ir.Table, held: Sequence[str]) -> list[str]:
    missing = [name for name in COLUMNS if name not in held]
    if missing:
        return [f"columns {', '.join(missing)} are missing; a population needs {', '.join(COLUMNS)}."]
    problems = [
        f"{name} does not contain numbers."
        for name in NUMBERS
        if not (cells[name].type().is_numeric() or cells[name].type().is_string())
    ]
    return problems + [
        f"{name} is not text. Write codes as text, so that 01001 keeps its leading zero."
        for name in held
        if name not in NUMBERS and not cells[name].type().is_string()
    ]


def _provenance(engine: Engine, location: str) -> Provenance:
    path = Path(location)
    if "://" in location and not path.exists():
        path = Path(mask_credentials(location))
    digest = sha256_of(path) if path.is_file() else ""
    return own_provenance(path, digest, f", merged by the engine {engine.name}")


def population_of_engine(source: object, engine: Engine | str) -> EnginePopulation:
    """Return the population that an engine reads for a study; an engine by name is closed with the population.

    Raises
    ------
    InputError : not a Parquet file, or no such engine.
    """
    location = str(source)
    if not isinstance(source, str | Path) or not (_is_parquet(location) or Path(location).is_dir()):
        what = f"{mask_credentials(location)} is not one" if isinstance(source, str | Path) else "no such file is given"
        raise InputError(
            f"an engine needs a population in a Parquet file, and {what}. Name a file FILE.parquet, or use no engine."
        )
    if isinstance(engine, Engine):
        return open_engine_population(engine, location)
    opened = open_engine(engine)
    try:
        population = open_engine_population(opened, location)
    except BaseException:
        opened.close()
        raise
    weakref.finalize(population, opened.close)
    return population


def _is_parquet(location: str) -> bool:
    return location.casefold().endswith((".parquet", ".pq"))


def groups_from_engine(
    engine: Engine,
    path: str,
    key: Granularities,
    states: Sequence[str] | None = None,
    *,
    days_per_year: float = DAYS_PER_YEAR,
) -> Groups:
    """Return the groups of a linkage key from a Parquet file; see :class:`EnginePopulation`."""
    return open_engine_population(engine, path).merge(key, states, days_per_year=days_per_year)
