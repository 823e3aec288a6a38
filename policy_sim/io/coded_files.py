"""Files of records read into codes and written from them, every value as text."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from policy_sim.deidentify.coded_columns import CodedColumn, CodedTable
from policy_sim.errors import InputError, SourceError
from policy_sim.io.plain_copies import plain_copy

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["header_of", "read_coded", "write_coded"]

_SEPARATORS = (",", ";", "\t", "|")
_ROWS = 100_000  # written at a time


def header_of(path: Path, separator: str = "") -> tuple[list[str], str]:
    """Return the names of a file's columns, and the separator of a CSV file.

    A column without a name, such as the index that pandas and R write, has the name ``""``.

    Raises
    ------
    SourceError : the file cannot be read.
    InputError : it has no header, or a name twice; an Excel file without one sheet of records.
    """
    try:
        if _is_parquet(path):
            import pyarrow.parquet as pq

            names, separator = list(pq.read_schema(path).names), ","
        else:
            plain = _plain(path)
            with (gzip.open if plain.suffix == ".gz" else open)(plain, "rt", encoding="utf-8-sig", newline="") as file:
                text = str(file.readline())
            separator = separator or max(_SEPARATORS, key=text.count)
            names = [name.strip() for name in next(csv.reader(io.StringIO(text), delimiter=separator), [])]
    except (OSError, ValueError, EOFError) as error:
        raise SourceError(f"{path}: cannot be read ({_reason(error)}).") from error
    if not any(names):
        raise InputError(f"{path}: the first line names no column. Write the names of the columns there.")
    twice = sorted({name for name in names if name and names.count(name) > 1})
    if twice:
        raise InputError(f"{path}: a column is named twice: {', '.join(twice)}. Give each its own name.")
    return names, separator


def read_coded(path: Path, missing: Sequence[str] = ("",), separator: str = "") -> CodedTable:
    """Read a CSV file (may be gzipped; UTF-8, UTF-16 or Windows-1252), an Excel or a Parquet file.

    Columns without a name are left out: a release could not say what they are.

    Parameters
    ----------
    path : The file.
    missing : Codes for a missing value.
    separator : Of a CSV file; by default the one that its header holds most often.

    Raises
    ------
    SourceError : the file cannot be read.
    InputError : it has no header, a name twice, or no record.
    """
    import pyarrow as pa

    names, separator = header_of(path, separator)
    try:
        table = _parquet(path, missing) if _is_parquet(path) else _csv(_plain(path), names, missing, separator)
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        line = "" if _is_parquet(path) else _wrong_line(_plain(path), len(names), separator)
        if line:
            raise SourceError(f"{path}: {line}") from None
        raise SourceError(
            f"{path}: cannot be read ({type(error).__name__}). Write it as UTF-8, with as many values in every line "
            "as there are columns."
        ) from None  # the cause may quote a record
    if not table.num_rows:
        raise InputError(f"{path}: there is no record: only the names of columns. Give a file with records.")
    return CodedTable({name: _coded(table.column(name)) for name in names if name})


def _csv(path: Path, names: Sequence[str], missing: Sequence[str], separator: str) -> pa.Table:
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    text = pa.dictionary(pa.int32(), pa.string())
    columns = [name or f"\0{place}" for place, name in enumerate(names)]  # Arrow wants a name for each
    return arrow_csv.read_csv(
        path,
        read_options=arrow_csv.ReadOptions(column_names=columns, skip_rows=1),
        parse_options=arrow_csv.ParseOptions(delimiter=separator, newlines_in_values=True),
        convert_options=arrow_csv.ConvertOptions(
            include_columns=[name for name in names if name],
            column_types=dict.fromkeys(names, text),
            null_values=list(dict.fromkeys(["", *missing])),
            strings_can_be_null=True,
        ),
    )


def _wrong_line(path: Path, columns: int, separator: str) -> str:
    """Say which line has more or fewer columns than the header; empty where none has."""
    try:
        with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file, delimiter=separator)
            for row in rows:
                if row and len(row) != columns:
                    return (
                        f"line {rows.line_num} has {len(row)} columns, but the header has {columns}. Correct the line."
                    )
    except (OSError, ValueError, EOFError, csv.Error):
        pass
    return ""


def _parquet(path: Path, missing: Sequence[str]) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    columns = {}
    for name in table.column_names:
        texts = table.column(name).cast(pa.string())
        empty = pc.is_in(texts, value_set=pa.array(list(dict.fromkeys(["", *missing])), pa.string()))
        columns[name] = pc.if_else(empty, pa.scalar(None, pa.string()), texts).dictionary_encode()
    return pa.table(columns)


def _coded(column: pa.ChunkedArray) -> CodedColumn:
    """Return a column of sorted values from Arrow's own codes."""
    whole: Any = column.unify_dictionaries().combine_chunks()
    texts = whole.dictionary.to_pylist()
    places = np.asarray(whole.indices.fill_null(-1)).astype(np.int64)
    used = np.zeros(len(texts) + 1, dtype=bool)
    used[places] = True  # -1 is the last place, and no value
    order = sorted((at for at in range(len(texts)) if used[at]), key=lambda at: texts[at])
    rank = np.zeros(len(texts) + 1, dtype=np.int32)
    rank[order] = np.arange(1, len(order) + 1)
    return CodedColumn(rank[places], tuple(texts[at] for at in order))


def write_coded(table: CodedTable, path: Path) -> None:
    """Write a table to a CSV or Parquet file; a missing value is empty in CSV and null in Parquet.

    The same table gives the same bytes. Write to a draft and move it, as :mod:`policy_sim.io.files` does.

    Raises
    ------
    OSError : the file cannot be written.
    """
    import pandas as pd

    def frame(rows: slice) -> pd.DataFrame:
        return pd.DataFrame(
            {
                name: pd.Categorical.from_codes(
                    column.codes[rows] - 1, categories=pd.Index(list(column.values), dtype=object)
                )
                for name, column in table.columns.items()
            }
        )

    if _is_parquet(path):
        texts = {
            name: series.astype("object").where(series.notna(), None) for name, series in frame(slice(None)).items()
        }
        pd.DataFrame(texts).to_parquet(path, index=False)
        return
    with path.open("w", encoding="utf-8", newline="") as file:
        for start in range(0, max(table.rows, 1), _ROWS):
            frame(slice(start, start + _ROWS)).to_csv(file, index=False, header=start == 0, lineterminator="\n")


def _plain(path: Path) -> Path:
    """Return the file, or its copy as UTF-8 CSV where it is Excel or another text."""
    copy = plain_copy(path)
    return path if copy is None else copy.path


def _is_parquet(path: Path) -> bool:
    return path.suffix.casefold() in (".parquet", ".pq")


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8"
    return getattr(error, "strerror", None) or type(error).__name__
