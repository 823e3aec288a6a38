"""A table of records as codes, and files in which numbers stand for values."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from policy_sim.records.column_kinds import ColumnValues
from policy_sim.records.covered_values import counting_names, refuse_table_of_counts, table_of_counts
from policy_sim.records.engines.sources import (
    BLOCK_BYTES,
    FileHeader,
    arrow_reader,
    holds_values,
    kind_of,
    read_header,
)
from policy_sim.records.plain_copies import first_line_is_a_record, runs_in_order
from policy_sim.records.vocabularies import CLEAR_MARKS, MARKS
from policy_sim.words.errors import InputError, SourceError, UnknownNameError
from policy_sim.words.telling import each, each_part

if TYPE_CHECKING:
    import pyarrow as pa


WRITTEN_AS, SHEET = ("csv", "xlsx", "parquet"), "release"
"""Formats that :func:`write_coded` writes, and the sheet of its workbooks."""
_MOST_SHEET_ROWS, _MOST_SHEET_COLUMNS, _LONGEST_CELL = 1_048_576, 16_384, 32_767  # of Excel
_DIGITS_OF_CELL = 15
_DAY = dt.datetime(2000, 1, 1)  # when every workbook says it was made


# A table of records as codes: each value once, as text, and one whole number per row and column.


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """One column of a table.

    ``codes``: 0 for each row without a value, otherwise the position of its value, from 1; shape (rows,). ``values``:
    the distinct values as text, without an empty one.

    >>> column = CodedColumn.of(["F", "M", "", "F"])
    >>> column.values, column.codes.tolist()
    (('F', 'M'), [1, 2, 0, 1])
    """

    codes: NDArray[np.int32] = field(repr=False)
    values: tuple[str, ...]

    @classmethod
    def of(cls, texts: Iterable[str | None], missing: Sequence[str] = ("",)) -> CodedColumn:
        """Return the column of these texts; ``missing`` lists the codes for a missing value."""
        rows = [None if text is None or text in missing else text for text in texts]
        values = sorted({text for text in rows if text is not None})
        place = {text: code for code, text in enumerate(values, 1)}
        codes = np.array([0 if text is None else place[text] for text in rows], dtype=np.int32)
        return cls(codes, tuple(values))

    def texts(self) -> NDArray[np.object_]:
        """Return the text of each row; empty where the value is missing."""
        return np.array(["", *self.values], dtype=object)[self.codes]

    def take(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> CodedColumn:
        """Return the column of some rows, with the same codes."""
        return CodedColumn(self.codes[rows], self.values)

    def relabeled(self, labels: Sequence[str]) -> CodedColumn:
        """Return the column with a new text for a missing value and for each value, in the order of the codes.

        Values with the same new text become one value; an empty text is a missing value.
        """
        values = sorted(set(labels) - {""})
        place = {"": 0, **{text: code for code, text in enumerate(values, 1)}}
        return CodedColumn(np.array([place[text] for text in labels], dtype=np.int32)[self.codes], tuple(values))

    def blanked(self, rows: NDArray[np.bool_]) -> CodedColumn:
        """Return the column without the values of some rows."""
        return CodedColumn(np.where(rows, 0, self.codes).astype(np.int32), self.values)

    @property
    def missing(self) -> int:
        """How many rows have no value."""
        return int((self.codes == 0).sum())

    def rows_of_values(self) -> dict[str, int]:
        """Return how many rows have each value."""
        counts = np.bincount(self.codes, minlength=len(self.values) + 1)[1:]
        return dict(zip(self.values, counts.tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class CodedTable:
    """A table of records: named columns of one length.

    >>> table = CodedTable({"sex": CodedColumn.of(["F", "M"]), "age": CodedColumn.of(["30", "41"])})
    >>> table.rows, table.names
    (2, ('sex', 'age'))
    """

    columns: Mapping[str, CodedColumn] = field(repr=False)

    def __post_init__(self) -> None:
        if len({len(column.codes) for column in self.columns.values()}) != 1:
            raise InputError("a table needs at least one column, and all columns of one length.")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(self.columns)

    @property
    def rows(self) -> int:
        """Number of records."""
        return len(next(iter(self.columns.values())).codes)

    def __getitem__(self, name: str) -> CodedColumn:
        """Return a column."""
        if name not in self.columns:
            raise UnknownNameError("column", name, self.columns)
        return self.columns[name]

    def take(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> CodedTable:
        """Return the table of some rows; of all of them by a mask, the table itself."""
        if rows.dtype == np.bool_ and len(rows) == self.rows and rows.all():
            return self
        return CodedTable({name: column.take(rows) for name, column in self.columns.items()})

    def with_columns(self, changed: Mapping[str, CodedColumn]) -> CodedTable:
        """Return the table with these columns in place of those of the same name."""
        return CodedTable({name: changed.get(name, column) for name, column in self.columns.items()})

    def without(self, names: Sequence[str]) -> CodedTable:
        """Return the table without some columns."""
        return CodedTable({name: column for name, column in self.columns.items() if name not in names})


def column_values(name: str, column: CodedColumn) -> ColumnValues:
    """Return a column's distinct values with their records."""
    counts = np.bincount(column.codes, minlength=len(column.values) + 1)
    return ColumnValues(name, column.values, counts[1:].astype(np.int64), int(counts[0]))


_NUMBER = re.compile(r"[-+]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][-+]?\d+)?", re.ASCII)


def missing_codes(table: CodedTable) -> set[str]:
    """Return the codes for a missing value that a table has: ``NA`` and its like, and a dot or dash among numbers.

    >>> table = CodedTable({"los": CodedColumn.of(["3", "."]), "pain": CodedColumn.of(["none", "NA"])})
    >>> sorted(missing_codes(table))
    ['.', 'NA']
    """
    held: set[str] = set()
    for column in table.columns.values():
        marks = set(column.values) & set(MARKS)
        held |= marks & CLEAR_MARKS
        others = [text.strip() for text in column.values if text not in MARKS]
        if marks - held and others and all(map(_NUMBER.fullmatch, others)):
            held |= marks
    return held


def with_missing(table: CodedTable, codes: Set[str]) -> CodedTable:
    """Return a table in which these codes are missing values, too."""
    changed = {
        name: column.relabeled(["", *("" if text in codes else text for text in column.values)])
        for name, column in table.columns.items()
        if codes & set(column.values)
    }
    return table.with_columns(changed)


# Files of records read into codes and written from them, every value as text.


_CELLS = 5_000_000  # written at a time
_LONGEST_LINE = 2_000_000
# Of the file as it is read: codes of 4 bytes, and texts. A release works on several times as much.
_MOST_BYTES = 1_000_000_000


def header_of(path: Path, separator: str = "", sheet: str = "", *, every_row: bool = False) -> FileHeader:
    """Return the names of a file's columns, and how it is read: without rows that are blank in every cell.

    A column without a name has the name ``""``: only the index that pandas and R write may be one.
    """
    header = read_header(path, separator or None, sheet, every_row=every_row)
    names = header.header
    if not any(names):
        raise InputError(f"{path}: the first line names no column. Write the names of the columns there.")
    twice = sorted({name for name in names if name and names.count(name) > 1})
    if twice:
        if holds_values(header):  # then its texts are values
            raise InputError(first_line_is_a_record(path))
        raise InputError(f"{path}: a column is named twice: {', '.join(twice)}. Give each its own name.")
    header.refuse_no_header()
    return header


def read_coded(
    path: Path, missing: Sequence[str] = ("",), separator: str = "", sheet: str = "", *, every_row: bool = False
) -> CodedTable:
    """Read a CSV file (may be gzipped; UTF-8, UTF-16 or Windows-1252), Excel, Parquet, Stata, SPSS or SAS.

    An index without a name, as pandas and R write it, is left out. The separator of a CSV file is by default the one
    that its header holds most often; ``missing`` are codes for a missing value. Rows that are blank in every cell are
    left out, unless ``every_row`` is wanted: of a release, which may have blanked the cells of a record.
    """
    import pyarrow as pa

    header = header_of(path, separator, sheet, every_row=every_row)
    try:
        table = _parquet(header.readable, missing) if _is_parquet(path) else _csv(header, missing)
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        line = "" if _is_parquet(path) else _wrong_line(header)
        if line:
            raise SourceError(f"{path}: {line}") from None
        raise SourceError(
            f"{path}: cannot be read ({type(error).__name__}). Write it as UTF-8, with as many values in every line "
            "as there are columns."
        ) from None  # the cause may quote a record
    if not table.num_rows:
        raise InputError(f"{path}: there is no record: only the names of columns. Give a file with records.")
    columns = {}
    for name in each([name for name in header.header if name], f"sorting the values of {path.name}"):
        columns[name] = _coded(table.column(name))
        table = table.drop_columns([name])  # Arrow's codes of a column are let go with it
    del table
    pa.default_memory_pool().release_unused()  # a wide file has left hundreds of megabytes
    return CodedTable(columns)


def _csv(file: FileHeader, missing: Sequence[str]) -> pa.Table:
    import pyarrow as pa

    named = [at for at, name in enumerate(file.header) if name]
    reader = arrow_reader(file, named, pa.dictionary(pa.int32(), pa.string()), missing)
    parts, held = [], 0
    number = 0 if file.packed else file.readable.stat().st_size / BLOCK_BYTES
    for part in each_part(reader, f"reading {file.path.name}", lambda part: part.num_rows, number):
        held += part.nbytes
        if held > _MOST_BYTES:
            raise _too_large(file.path)
        parts.append(part)
    return pa.Table.from_batches(parts, schema=reader.schema).rename_columns([file.header[at] for at in named])


def _too_large(path: Path) -> InputError:
    return InputError(
        f"{path}: the records need more than {_MOST_BYTES // 10**9} GB of memory to be read. Leave out columns, or "
        "split the file."
    )


def _wrong_line(file: FileHeader) -> str:
    """Say which line is too long, or has more or fewer columns than the header; empty where none is."""
    path, columns = file.readable, len(file.header)
    too_long: list[int] = []

    def lines(stream: IO[str]) -> Iterator[str]:
        for number, line in enumerate(iter(lambda: stream.readline(_LONGEST_LINE + 1), ""), 1):
            if len(line) > _LONGEST_LINE:
                too_long.append(number)
                return
            yield line

    try:
        with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8-sig", newline="") as stream:
            rows = csv.reader(lines(cast("IO[str]", stream)), delimiter=file.separator)
            for row in rows:
                if row and len(row) != columns:
                    if too_long:
                        break
                    return (
                        f"line {rows.line_num} has {len(row)} columns, but the header has {columns}. Correct the line."
                    )
    except (OSError, ValueError, EOFError, csv.Error):
        pass
    if too_long:
        return f"line {too_long[0]} is longer than 2 million bytes; perhaps a quote is not closed. Correct the line."
    return ""


def _parquet(path: Path, missing: Sequence[str]) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    about = pq.read_metadata(path)
    if 4 * about.num_rows * about.num_columns > _MOST_BYTES:  # a code takes 4 bytes
        raise _too_large(path)
    table = pq.read_table(path)
    columns = {}
    for name in each(table.column_names, f"reading {path.name}"):
        texts = table.column(name).cast(pa.string())
        empty = pc.is_in(texts, value_set=pa.array(list(dict.fromkeys(["", *missing])), pa.string()))
        columns[name] = pc.if_else(empty, pa.scalar(None, pa.string()), texts).dictionary_encode()
    return pa.table(columns)


def _coded(column: pa.ChunkedArray) -> CodedColumn:
    """Return a column of sorted values from Arrow's own codes."""
    whole: Any = column.unify_dictionaries().combine_chunks()
    texts = whole.dictionary.to_pylist()
    places = np.asarray(whole.indices.fill_null(-1))
    used = np.zeros(len(texts) + 1, dtype=bool)
    used[places] = True  # -1 is the last place, and no value
    order = sorted((at for at in range(len(texts)) if used[at]), key=lambda at: texts[at])
    rank = np.zeros(len(texts) + 1, dtype=np.int32)
    rank[order] = np.arange(1, len(order) + 1)
    return CodedColumn(rank[places], tuple(texts[at] for at in order))


def refuse_counts(name: str, table: CodedTable) -> None:
    """Refuse a table of counts: its rows are no people."""
    if counting_names(table.names):
        refuse_table_of_counts(name, *_as_counts(table))


def counted_by(table: CodedTable) -> str:
    """Return the column that counts, if a table is one of counts; empty where its rows are people."""
    return table_of_counts(*_as_counts(table)) if counting_names(table.names) else ""


def _as_counts(table: CodedTable) -> tuple[dict[str, Sequence[str]], int, Callable[[Sequence[str]], bool]]:
    """Return what shows whether a table is one of counts: its values, its rows, whether columns tell all apart."""
    counting = counting_names(table.names)

    def distinct(names: Sequence[str]) -> bool:
        codes = np.stack([table[of_column].codes for of_column in names])
        return len(np.unique(codes, axis=1).T) == table.rows

    values: dict[str, Sequence[str]] = {
        of_column: column.values
        for of_column, column in table.columns.items()
        if of_column in counting or not _numbers_rows(column)
    }
    return values, table.rows, distinct


def _numbers_rows(column: CodedColumn) -> bool:
    """Tell whether a column numbers the rows, under whatever name: it identifies nobody."""
    return len(column.values) == len(column.codes) and runs_in_order(column.texts().tolist())


def write_coded(table: CodedTable, path: Path) -> None:
    """Write a table to a CSV or Parquet file or a workbook; a missing value is null in Parquet and empty elsewhere.

    The same table gives the same bytes. Write to a draft and move it, as :mod:`policy_sim.files.writing` does.
    """
    import pandas as pd

    kinds = {
        name: pd.CategoricalDtype(pd.Index(list(column.values), dtype=object)) for name, column in table.columns.items()
    }

    def frame(rows: slice) -> pd.DataFrame:
        return pd.DataFrame(
            {
                name: pd.Categorical.from_codes(column.codes[rows] - 1, dtype=kinds[name])
                for name, column in table.columns.items()
            }
        )

    if _is_parquet(path):
        texts = {
            name: series.astype("object").where(series.notna(), None) for name, series in frame(slice(None)).items()
        }
        pd.DataFrame(texts).to_parquet(path, index=False)
        return
    if path.suffix.casefold() == ".xlsx":
        _write_workbook(table, path)
        return
    rows = max(_CELLS // max(len(table.columns), 1), 1)
    with path.open("w", encoding="utf-8", newline="") as file:
        for start in each(range(0, max(table.rows, 1), rows), "writing", "part"):
            frame(slice(start, start + rows)).to_csv(file, index=False, header=start == 0, lineterminator="\n")


def _write_workbook(table: CodedTable, path: Path) -> None:
    """Write one sheet: numbers that read back as they are spelled are numbers, and every other text stays a text."""
    import xlsxwriter

    longest = max((len(text) for column in table.columns.values() for text in column.values), default=0)  # noqa: PD011
    if table.rows >= _MOST_SHEET_ROWS or len(table.columns) > _MOST_SHEET_COLUMNS or longest > _LONGEST_CELL:
        raise InputError(
            f"{path.name}: a workbook holds {_MOST_SHEET_ROWS - 1:,} records of {_MOST_SHEET_COLUMNS:,} columns, and "
            f"{_LONGEST_CELL:,} characters in a cell. Write CSV or Parquet."
        )
    options = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(str(path), options) as book:
        book.set_properties({"created": _DAY})
        sheet = book.add_worksheet(SHEET)
        for at, (name, column) in enumerate(table.columns.items()):
            sheet.write_string(0, at, name)
            cells = [None, *map(_cell, column.values)]
            for row, code in enumerate(column.codes.tolist(), 1):
                cell = cells[code]
                if isinstance(cell, str):
                    sheet.write_string(row, at, cell)
                elif cell is not None:
                    sheet.write_number(row, at, cell)


def _cell(text: str) -> str | int | float:
    """Return a number where it is spelled as it is read again, and a text elsewhere, such as 036 or 4.50."""
    with suppress(ValueError, OverflowError):
        number = int(text) if text.lstrip("-").isdigit() else float(text)
        if str(number) == text and len(text) <= _DIGITS_OF_CELL and text.lstrip("-")[:1].isdigit():
            return number
    return text


def _is_parquet(path: Path) -> bool:
    return kind_of(path.name) == "parquet"
