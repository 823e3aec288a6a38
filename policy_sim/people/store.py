"""Fetched and loaded populations, saved as Parquet with a manifest.

``<name>.json`` describes a population and names its data file, whose name contains its checksum.
Replacing the manifest is the one step that makes a new version current, so a reader never sees a
manifest and data that do not belong together. Writers take a lock; readers need none.
"""

from __future__ import annotations

import json
import logging
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.files.parquet import read_table
from policy_sim.files.paths import cache_dir, data_dir
from policy_sim.files.toml import shipped_table
from policy_sim.files.writing import replace_file, sha256_of
from policy_sim.people.county_tables import Column, CountyTable
from policy_sim.people.merge import AGE_WIDTHS, AGES
from policy_sim.people.population import RACES, SEXES, PeopleOnDemand, Population, Provenance
from policy_sim.words.arrays import BoolArray, IntArray
from policy_sim.words.errors import InputError, OutputError, PolicySimError, SourceError, UnknownNameError
from policy_sim.words.states import POSTAL_OF_FIPS

if TYPE_CHECKING:
    import pyarrow as pa


_LOG = logging.getLogger("policy_sim")
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}")
_FILE = re.compile(r"[a-z0-9_-]+\.parquet")  # in the folder of the manifest, nowhere else
_WAIT_SECONDS = 60.0
_NUMBERS = ("age", "age_width", "people")


@dataclass(frozen=True)
class Entry:
    """The facts about one saved population; the manifest contains exactly these.

    ``origin`` says how to rebuild it from its sources: saved answers or the user's files.
    """

    name: str
    title: str
    publisher: str
    date: str
    how: str
    universe: str
    geography: str
    ages: str
    counted: float
    estimated: float
    retrieved: str
    addresses: tuple[str, ...]
    notes: tuple[str, ...]
    checks: tuple[str, ...]
    origin: dict[str, Any] = field(default_factory=dict)
    rows: int = 0
    people: int = 0
    file: str = ""
    sha256: str = ""

    @property
    def provenance(self) -> Provenance:
        """The note about this population in every output."""
        copied = ("name", "title", "publisher", "date", "how", "counted", "estimated", "notes", "sha256")
        return Provenance(modeled=0.0, sources=self.addresses, **{name: getattr(self, name) for name in copied})


_Rebuild = Callable[["PopulationCache", Entry], Entry]


@dataclass(frozen=True)
class PopulationCache:
    """A folder of saved populations."""

    folder: Path = field(default_factory=cache_dir)

    def names(self) -> tuple[str, ...]:
        """Names of the saved populations, sorted."""
        return tuple(sorted(path.stem for path in self.folder.glob("*.json") if _NAME.fullmatch(path.stem)))

    def has(self, name: str) -> bool:
        """Tell whether a population of that name is saved, complete or damaged."""
        return bool(_NAME.fullmatch(name)) and (self.folder / f"{name}.json").is_file()

    def entry(self, name: str) -> Entry:
        """Return the facts about one population."""
        path = self.folder / f"{name}.json"
        if not self.has(name):
            raise UnknownNameError("fetched or loaded population", name, self.names())
        try:
            return _entry(path.read_bytes(), name)
        except (OSError, ValueError) as error:  # what pydantic refuses is a ValueError
            raise SourceError(
                f"{path}: the manifest is damaged. Run `policy-sim dev census remove {name}`, then fetch or load again."
            ) from error

    def work_folder(self, name: str) -> Path:
        """Folder of a population's answers, during the fetch and after it."""
        return self.folder / "answers" / _checked(name)

    def put(self, entry: Entry, cells: pd.DataFrame) -> Entry:
        """Save a population, and replace an earlier one of its name in one step."""
        _checked(entry.name)
        with self._locked(entry.name):
            content = _packed(_columns(cells, cells.columns), compression="zstd", row_group_size=1 << 24)
            checksum = sha256_of(content)
            data = f"{entry.name}-{checksum[:16]}.parquet"
            replace_file(self.folder / data, content)
            people = int(cells["people"].sum())
            manifest = {**asdict(entry), "rows": len(cells), "people": people, "file": data, "sha256": checksum}
            text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
            replace_file(self.folder / f"{entry.name}.json", text.encode())
            for other in self._data_files(entry.name):
                if other.name != data:
                    other.unlink(missing_ok=True)
        return self.entry(entry.name)

    def load(self, name: str, rebuild: _Rebuild | None = None) -> Population:
        """Return a population; a damaged file is never read: a warning names it, and ``rebuild`` creates it again."""
        entry = self.entry(name)
        content, wrong = self._content(entry)
        if wrong and self.entry(name) != entry:  # another process has replaced it in the meantime
            return self.load(name, rebuild)
        if wrong:
            if rebuild is None:
                raise SourceError(f"{wrong} Fetch or load {name} again.")
            _LOG.warning("%s Rebuilding it.", wrong)
            entry = rebuild(self, entry)
            content, wrong = self._content(entry)
            if wrong:
                raise SourceError(f"{wrong} The disk or another process damages it during writing.")
        try:
            cells = parse_cells(content)
            if not {"state", *_NUMBERS} <= set(cells.columns):
                raise ValueError("columns")
            return Population(cells, entry.provenance)
        except (OSError, ValueError, LookupError, TypeError, PolicySimError) as error:
            raise SourceError(
                f"{self.folder / entry.file}: the saved population {name} is not a table of people "
                f"({type(error).__name__}). Run `policy-sim dev census remove {name}`, then fetch or load again."
            ) from error

    def damage(self, entry: Entry) -> str:
        """Return what is wrong with a population's data file; empty if nothing is."""
        return self._content(entry)[1]

    def _content(self, entry: Entry) -> tuple[bytes, str]:
        """Return the bytes of the data file, read once, or what is wrong with them."""
        path = self.folder / entry.file
        try:
            content = path.read_bytes()
        except OSError:
            return b"", f"{path}: the data file of the saved population {entry.name} is missing."
        if sha256_of(content) != entry.sha256:
            return b"", f"{path}: the saved population {entry.name} is damaged (its checksum differs)."
        return content, ""

    def remove(self, name: str) -> None:
        """Delete a population: manifest, data and answers, also those of an interrupted fetch."""
        names = {*self.names(), *(path.name for path in self.folder.glob("answers/*"))}
        if name not in names:
            raise UnknownNameError("fetched or loaded population", name, names)
        with self._locked(name):
            (self.folder / f"{name}.json").unlink(missing_ok=True)
            for path in self._data_files(name):
                path.unlink(missing_ok=True)
            shutil.rmtree(self.work_folder(name), ignore_errors=True)

    def _data_files(self, name: str) -> Iterator[Path]:
        whole = re.compile(rf"{re.escape(name)}-[0-9a-f]{{16}}\.parquet")
        return (path for path in self.folder.glob(f"{name}-*.parquet") if whole.fullmatch(path.name))

    @contextmanager
    def _locked(self, name: str) -> Iterator[None]:
        from filelock import FileLock, Timeout

        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with FileLock(self.folder / f".{name}.lock", timeout=_WAIT_SECONDS):
                yield
        except Timeout as error:
            raise OutputError(
                f"{self.folder}: another process has been writing {name} for a minute. Try again later."
            ) from error
        except OSError as error:
            raise OutputError(
                f"{self.folder}: cannot be written ({error.strerror or error}). Set POLICY_SIM_HOME to another folder."
            ) from error


def _entry(manifest: bytes, name: str) -> Entry:
    """Return the entry of a manifest, after a check of the type of each value."""
    from pydantic import TypeAdapter  # slow to import, and most runs read no manifest

    entry = TypeAdapter(Entry).validate_json(manifest, strict=True)
    if entry.name != name or not _FILE.fullmatch(entry.file):
        raise ValueError("file")
    return entry


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise InputError(
            f"population name {name!r} must be lower-case letters, digits, - and _, at most 80, "
            "and begin with a letter or digit."
        )
    return name


# Write and read a population as Parquet: small, and the same bytes from the same cells.
#
# Every writer option that changes the file is fixed here. The file also contains the version of the
# Parquet library, so bytes are equal for one version of pyarrow, and :func:`content_digest` is equal for all.


# Sorted by place, sex, race and age: neighboring rows differ little, and the file stays small.
_ORDER = ("state", "county", "sex", "age", "age_width", "race", "people")
_SHIPPED = ("state", "county", "sex", "age", "age_width", "race", "people")
# The file next to a population's: how many people of each of its cells are Hispanic, in the same order.
_HISPANIC = "hispanic"
_WRITER: dict[str, Any] = {
    "version": "2.6",
    "data_page_version": "1.0",
    "data_page_size": 1 << 20,
    "dictionary_pagesize_limit": 1 << 20,
    "row_group_size": 1 << 24,
    # Three quarters of a file are the counts. By byte (all low bytes first) and packed by Brotli they take a fifth less
    # than as differences packed by Zstandard, which reads faster and does as well for the rest.
    "compression": dict.fromkeys(_ORDER, "zstd") | dict.fromkeys(("people", _HISPANIC), "brotli"),
    "compression_level": dict.fromkeys(_ORDER, 19) | dict.fromkeys(("people", _HISPANIC), 11),
    "use_dictionary": ["state", "county", "sex", "age_width", "race"],
    "column_encoding": dict.fromkeys(("age", "people", _HISPANIC), "BYTE_STREAM_SPLIT"),
    "write_statistics": False,
    "write_page_index": False,
    "write_page_checksum": False,
    "store_schema": True,
}


def cells_of(people: NDArray[np.int64], counties: tuple[str, ...]) -> pd.DataFrame:
    """Turn an array (counties, 2 sexes, 103 ages, 7 races) into cells, without the empty ones."""
    county, sex, race, age = np.nonzero(np.moveaxis(people, 3, 2))
    states = sorted({POSTAL_OF_FIPS[code[:2]] for code in counties})
    state_of_county = np.array([states.index(POSTAL_OF_FIPS[code[:2]]) for code in counties])
    return pd.DataFrame(
        {
            "state": _categorical(state_of_county[county], states),
            "county": _categorical(county, counties),
            "sex": _categorical(sex, SEXES),
            "age": AGES[age].astype(np.int64),
            "age_width": AGE_WIDTHS[age].astype(np.int64),
            "race": _categorical(race, RACES),
            "people": people[county, sex, age, race],
        }
    )


def in_cells(values: IntArray, people: IntArray) -> IntArray:
    """Return what an array like that of the people holds for each of the cells of :func:`cells_of`."""
    return np.moveaxis(values, 3, 2)[np.nonzero(np.moveaxis(people, 3, 2))]


def _categorical(codes: NDArray[Any], labels: Sequence[str]) -> pd.Categorical[str]:
    return pd.Categorical.from_codes(codes, pd.Index(labels))


def to_parquet(cells: pd.DataFrame) -> bytes:
    """Return the cells of a population as a Parquet file."""
    return _written(_columns(cells, [name for name in _ORDER if name in cells]))


def _columns(cells: pd.DataFrame, names: Iterable[str]) -> dict[str, pa.Array]:
    import pyarrow as pa

    return {name: pa.array(cells[name].to_numpy(np.int32) if name in _NUMBERS else cells[name].array) for name in names}


def hispanic_to_parquet(hispanic: IntArray) -> bytes:
    """Return how many people of each cell are Hispanic as a Parquet file, in the order of the cells."""
    import pyarrow as pa

    return _written({_HISPANIC: pa.array(hispanic.astype(np.int32))})


def _written(columns: Mapping[str, pa.Array]) -> bytes:
    import pyarrow as pa

    # No cell lacks a value; a column that says so is read a third faster.
    schema = [pa.field(name, column.type, nullable=False) for name, column in columns.items()]
    return _packed(columns, pa.schema(schema), **_WRITER)


def _packed(columns: Mapping[str, pa.Array], schema: pa.Schema | None = None, **options: Any) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    buffer = pa.BufferOutputStream()
    pq.write_table(pa.table(dict(columns), schema=schema), buffer, **options)
    content: bytes = buffer.getvalue().to_pybytes()
    return content


def read_cells(path: Path, sha256: str = "") -> pd.DataFrame:
    """Read the cells of a shipped population, text columns categorical, without checking them again."""
    return parse_cells(_shipped_bytes(path, sha256))


def read_hispanic(path: Path, sha256: str = "") -> IntArray:
    """Read how many people of each cell of a shipped population are Hispanic, in the order of its cells."""
    hispanic: IntArray = _column(_shipped_bytes(path, sha256), _HISPANIC)[0].astype(np.int64)
    return hispanic


def _shipped_bytes(path: Path, sha256: str) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path}: cannot be read ({error.strerror or error}).") from error
    if sha256 and sha256_of(content) != sha256:
        raise SourceError(
            f"{path} is not the shipped file (its checksum differs). "
            "Install policy-sim again, or rebuild it with `policy-sim dev build-population`."
        )
    return content


def parse_cells(content: bytes) -> pd.DataFrame:
    """Turn the bytes of a Parquet file into cells."""
    import pyarrow as pa

    table = read_table(content)
    for name in _NUMBERS:
        place = table.schema.get_field_index(name)
        table = table.set_column(place, name, table.column(place).cast(pa.int64()))
    frame: pd.DataFrame = table.to_pandas(split_blocks=True)  # no copy to lay columns side by side
    return frame


def content_digest(cells: pd.DataFrame) -> str:
    """Return a sha256 of the cells themselves, whatever file or library version holds them."""
    parts: list[bytes] = []
    for name in (name for name in _ORDER if name in cells):
        column = cells[name]
        parts.append(name.encode())
        if name in _NUMBERS:
            parts.append(column.to_numpy("<i8").tobytes())
        else:
            labels = sorted(map(str, column.cat.categories))
            parts.append("\n".join(labels).encode())
            parts.append(column.cat.set_categories(labels).cat.codes.to_numpy("<i4").tobytes())
    return sha256_of(*parts)


# The populations that come with the program.
#
# ``data/manifest.toml`` gives, for each, who published the figures, how it was made, how much of it is
# counted, and its checksum.


def population_facts(folder: Path | None = None) -> dict[str, dict[str, Any]]:
    """Return the manifest's facts about each shipped population, oldest first."""
    facts: dict[str, dict[str, Any]] = shipped_table((folder or data_dir()) / "manifest.toml").get("populations", {})
    return dict(sorted(facts.items(), key=lambda item: item[1]["date"]))


def list_populations() -> tuple[str, ...]:
    """Return the names of the shipped populations, oldest first."""
    return tuple(population_facts())


def provenance_of(name: str, facts: dict[str, Any]) -> Provenance:
    """Turn the manifest's entry into the note that every output carries."""
    copied = ("title", "publisher", "date", "how", "counted", "estimated", "modeled", "sha256")
    return Provenance(
        name=name,
        sources=tuple(facts["sources"]),
        notes=tuple(facts["notes"]),
        counted_by_state=tuple(facts.get("counted_by_state", {}).items()),
        counted_ages=tuple(facts.get("counted_ages", ())),
        hispanic_sha256=facts.get("ethnicity", {}).get("sha256", ""),
        **{key: facts[key] for key in copied},
    )


def load_shipped(name: str) -> ShippedPopulation:
    """Load a shipped population by one of the names of :func:`list_populations`."""
    facts = population_facts()[name]
    content = _shipped_bytes(data_dir() / facts["file"], facts["sha256"])
    split = facts.get("ethnicity")
    hispanic = split and partial(read_hispanic, data_dir() / split["file"], split["sha256"])
    return ShippedPopulation(content, provenance_of(name, facts), hispanic)


class ShippedPopulation(PeopleOnDemand):
    """A population that ships: laid out by kind and county as it is read, and its cells when somebody asks for them."""

    _content: bytes

    def __init__(self, content: bytes, provenance: Provenance, hispanic: Callable[[], IntArray] | None) -> None:
        self.__dict__.update(_content=content, provenance=provenance, hispanic=hispanic)

    def under(self, provenance: Provenance) -> ShippedPopulation:
        """Return the same people under another name."""
        return ShippedPopulation(self._content, provenance, self.hispanic)

    @cached_property
    def cells(self) -> pd.DataFrame:
        """The cells of the file, read when asked for."""
        return parse_cells(self._content)

    @property
    def columns(self) -> tuple[str, ...]:
        """What the cells distinguish."""
        return (*_SHIPPED, "ethnicity") if self.hispanic is not None else _SHIPPED

    @property
    def laid_out(self) -> CountyTable:
        """The people by kind and county, as the file has them."""
        return self._tables[0]

    @property
    def laid_out_by_origin(self) -> CountyTable | None:
        """The same with the Hispanics apart."""
        return self._tables[1]

    def _rows_of(self, states: Sequence[str]) -> BoolArray:
        table = self.laid_out
        return np.repeat(table.units(states) >= 0, np.count_nonzero(table.people, axis=0))

    def _cells_of(self, states: Sequence[str]) -> pd.DataFrame:
        return super()._cells_of(states) if "cells" in self.__dict__ else self.laid_out.of_states(states).as_cells()

    @cached_property
    def _tables(self) -> tuple[CountyTable, CountyTable | None]:
        return CountyTable.of_columns(partial(_column, self._content), self.provenance, self.hispanic)


def _column(content: bytes, name: str) -> Column:
    """Return a column of a shipped file: codes and what they stand for, or numbers."""
    import pyarrow as pa

    column = read_table(content, [name]).column(name).combine_chunks()
    if isinstance(column, pa.DictionaryArray):
        return column.indices.to_numpy(), column.dictionary.to_pylist()
    return column.to_numpy(), ()
