"""Open a written file as its reader would: every cell as text, and nothing of what the release knows about it."""

from __future__ import annotations

import csv
import glob
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from policy_sim.words.arrays import AnyIntArray, IntArray
from policy_sim.words.errors import SourceError
from policy_sim.words.telling import each_part

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

_CELLS = 5_000_000  # read at a time


@dataclass(frozen=True, eq=False)
class WrittenColumn:
    """One column: its distinct texts without the empty one, and for each row 0, or the place of its text from 1."""

    name: str
    texts: tuple[str, ...]
    codes: AnyIntArray

    @cached_property
    def records(self) -> IntArray:
        """The rows with each text; shape (texts,)."""
        return np.bincount(self.codes, minlength=len(self.texts) + 1)[1:].astype(np.int64)

    @property
    def filled(self) -> int:
        """Rows with a text."""
        return int(self.records.sum())

    def without(self, texts: frozenset[str]) -> WrittenColumn:
        """Return the column as if some texts were empty."""
        if not texts:
            return self
        stay = [at for at, text in enumerate(self.texts) if text not in texts]
        place = np.zeros(len(self.texts) + 1, dtype=np.int32)
        place[[at + 1 for at in stay]] = np.arange(1, len(stay) + 1)
        return WrittenColumn(self.name, tuple(self.texts[at] for at in stay), place[self.codes])

    def with_values_of_sets(self, sets: Mapping[str, Sequence[str]]) -> WrittenColumn:
        """Return the column with the values that a text lists in place of the text, where it does nothing else."""
        named = [sets.get(text, ()) if _lists(text, sets.get(text, ())) else (text,) for text in self.texts]
        if all(len(values) == 1 for values in named):
            return self
        place = {text: at for at, text in enumerate(dict.fromkeys(value for values in named for value in values), 1)}
        codes = [
            np.full(records, place[value], dtype=np.int32)
            for values, records in zip(named, self.records.tolist(), strict=True)
            for value in values
        ]
        return WrittenColumn(self.name, tuple(place), np.concatenate(codes))


def _lists(text: str, values: Sequence[str]) -> bool:
    """Tell whether a text is a list of values, such as ``cook, driver or nurse`` or ``not driver``, and no more."""
    if not values:
        return False
    several = f"{', '.join(values[:-1])} or {values[-1]}" if len(values) > 1 else values[0]
    return text in (several, f"not {several}")


@dataclass(frozen=True, eq=False)
class WrittenFile:
    """The columns of a file in their order, and ``aside``: what it holds besides its cells.

    ``people`` has a number for the person of each row, from the list that stays with the sender, or 0 for a row that
    names nobody; None without a list.
    """

    columns: tuple[WrittenColumn, ...]
    aside: tuple[str, ...] = ()
    people: IntArray | None = None

    def column(self, name: str) -> WrittenColumn:
        """Return a column by its name."""
        return next(column for column in self.columns if column.name == name)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    def named(self, person: str) -> AnyIntArray | None:
        """Return a number for the person of each row, by the list or else by a column; None where neither says it.

        0 is for a row that names nobody.
        """
        if self.people is not None or person not in self.names:
            return self.people
        return self.column(person).codes


def read_written(path: Path) -> WrittenFile:
    """Read a CSV file, a workbook or a Parquet file.

    Raises
    ------
    SourceError : the file is of another kind, or cannot be read as that kind.
    """
    readers = {".csv": _csv, ".xlsx": _workbook, ".parquet": _parquet}
    if path.suffix.casefold() not in readers:
        raise SourceError(f"{path.name}: the attack reads {', '.join(readers)}.")
    try:
        return readers[path.suffix.casefold()](path)
    except SourceError:
        raise
    except Exception as error:  # of whichever reader; its message may quote a record
        raise SourceError(f"{path.name}: cannot be read by the attack ({type(error).__name__}).") from None


def _csv(path: Path) -> WrittenFile:
    import duckdb

    with path.open(encoding="utf-8", newline="") as file:
        names = next(csv.reader(file))
    kinds = {f"c{at}": "VARCHAR" for at in range(len(names))}
    query = (
        "SELECT * FROM read_csv(?, header = false, columns = ?, delim = ',', quote = '\"', escape = '\"', "
        "auto_detect = false, nullstr = '', null_padding = false, max_line_size = 20000000, "
        "buffer_size = 20000000, hive_partitioning = false)"
    )
    with duckdb.connect() as connection:
        columns = _columns(connection.sql(query, params=[glob.escape(str(path)), kinds]), head=1)
        return WrittenFile(tuple(_column(name, *column) for name, column in zip(names, columns, strict=True)))


def _parquet(path: Path) -> WrittenFile:
    import duckdb

    place = [glob.escape(str(path))]  # a sign of a pattern in a name is a sign
    with duckdb.connect() as connection:
        query = "SELECT CAST(COLUMNS(*) AS VARCHAR) FROM read_parquet(?, hive_partitioning = false)"
        columns = [*_columns(connection.sql(query, params=place))]
        about = connection.execute(
            "DESCRIBE SELECT * FROM read_parquet(?, hive_partitioning = false)", place
        ).fetchall()
        notes = connection.execute("SELECT key, value FROM parquet_kv_metadata(?)", place).fetchall()
    aside = [bytes(part).decode("utf-8", "replace") for row in notes for part in row]
    names = [row[0] for row in about]
    return WrittenFile(tuple(_column(name, *column) for name, column in zip(names, columns, strict=True)), tuple(aside))


def _columns(cells: DuckDBPyRelation, head: int = 0) -> Iterator[tuple[list[str], AnyIntArray]]:
    """Yield the distinct texts of each column, in the order in which they come, and the place of each row's.

    Rows are read part by part, of which only the codes are kept: all texts of a wide file at once take a gigabyte. The
    first ``head`` rows are no records.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    names, coded = [f"c{at}" for at in range(len(cells.columns))], []  # names of a file may come twice
    with cells.to_arrow_reader(max(_CELLS // len(names), 1)) as reader:
        for part in each_part(reader, "reading the written file", lambda part: part.num_rows):
            columns = [pc.fill_null(column, "").dictionary_encode() for column in part.slice(head).columns]
            coded.append(pa.RecordBatch.from_arrays(columns, names))
            head = 0
    table = pa.Table.from_batches(coded) if coded else None
    del coded
    for name in names:
        if table is None or not len(table):
            yield [], np.zeros(0, dtype=np.int32)
            continue
        whole = table.column(name).unify_dictionaries().combine_chunks()
        table = table.drop_columns([name])
        yield whole.dictionary.to_pylist(), np.asarray(whole.indices)
    pa.default_memory_pool().release_unused()


def _column(name: str, texts: Sequence[str], codes: AnyIntArray) -> WrittenColumn:
    """Return a column whose blank texts, of spaces too, are no texts."""
    filled = [at for at, text in enumerate(texts) if text.strip()]
    place = np.zeros(len(texts), dtype=np.int32)
    place[filled] = np.arange(1, len(filled) + 1)
    return WrittenColumn(name, tuple(texts[at] for at in filled), place[codes] if len(codes) else codes)


def _workbook(path: Path) -> WrittenFile:
    import openpyxl

    book = openpyxl.load_workbook(path)
    sheet = book.worksheets[0]
    rows = [["" if cell.value is None else str(cell.value) for cell in row] for row in sheet.iter_rows()]
    aside = [cell.comment.text for row in sheet.iter_rows() for cell in row if cell.comment]
    aside += [book.properties.creator or "", book.properties.title or "", book.properties.description or ""]
    for other in book.worksheets[1:]:
        aside += [str(cell.value) for row in other.iter_rows() for cell in row if cell.value is not None]
    columns = []
    for at, name in enumerate(rows[0]):
        texts = [row[at] for row in rows[1:]]
        distinct = list(dict.fromkeys(texts))
        place = {text: number for number, text in enumerate(distinct)}
        columns.append(_column(name, distinct, np.array([place[text] for text in texts], dtype=np.int32)))
    return WrittenFile(tuple(columns), tuple(aside))
