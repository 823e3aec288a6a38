"""What every engine uses: errors in words, codes for missing values, and records as queries and packed numbers."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from policy_sim.records.classes import Packing, kind_of_key
from policy_sim.records.covered_values import as_number
from policy_sim.records.engines.sources import ROW, Records, unreadable
from policy_sim.words.arrays import IntArray
from policy_sim.words.errors import PolicySimError, SchemaError, SourceError

if TYPE_CHECKING:
    import pyarrow as pa


Progress = Callable[[str], object]


def explained_parts(error: Exception, name: str) -> PolicySimError | None:
    """Explain an error of the libraries between the engine and this package: their texts may quote values too."""
    import pyarrow as pa

    kind = type(error).__name__
    if isinstance(error, MemoryError):  # Arrow's own is one too
        return SourceError(f"{name}: not enough memory. Use fewer fields, free some memory, or use a Spark engine.")
    if isinstance(error, (pa.ArrowException, UnicodeError)):
        return unreadable(name, kind)
    return None


@contextmanager
def quietly() -> Iterator[None]:
    """Silence warnings of the engine's libraries about each other's versions; a user cannot act on them."""
    with warnings.catch_warnings():
        for text in ("fetch_arrow_table", "fetch_record_batch", "Arrow output", "PySpark does not yet fully support"):
            warnings.filterwarnings("ignore", message=text)
        yield


# Tables inside an engine, in the SQL that DuckDB and Spark share.


@dataclass(frozen=True)
class Table:
    """A table inside an engine: the query that computes it, and the kinds of its columns, empty where nobody asks."""

    query: str
    kinds: Mapping[str, str]

    def __str__(self) -> str:
        return f"({self.query})"

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.kinds)

    def select(self, *names: str, **expressions: str) -> Table:
        """Return some columns as they are, and expressions by their names."""
        every = {name: name for name in names} | expressions
        kinds = {name: self.kinds.get(expression, "") for name, expression in every.items()}
        columns = ", ".join(f"{expression} AS {name}" for name, expression in every.items())
        return Table(f"SELECT {columns} FROM {self}", kinds)

    def filter(self, *conditions: str) -> Table:
        """Return the rows that meet every condition."""
        every = " AND ".join(f"({condition})" for condition in conditions)
        return Table(f"SELECT * FROM {self} WHERE {every}", self.kinds) if every else self

    def grouped(self, *names: str, **sums: str) -> Table:
        """Return one row for each combination of values of some columns, with sums over its rows."""
        table = self.select(*names, **sums)
        return Table(f"{table.query} GROUP BY {', '.join(names)}" if names else table.query, table.kinds)


def quoted(text: str) -> str:
    r"""Return a text as both engines read it: they differ in what a quote, ``\`` and ``$`` mean inside one.

    >>> quoted("it's")
    "('it' || chr(39) || 's')"
    """
    parts = [f"chr({ord(part)})" if part in ("'", "\\", "$") else f"'{part}'" for part in _SIGNS.split(text) if part]
    return parts[0] if len(parts) == 1 else f"({' || '.join(parts)})" if parts else "''"


def one_of(value: str, texts: Iterable[str]) -> str:
    """Tell whether a value is one of some texts."""
    every = ", ".join(map(quoted, texts))
    return f"{value} IN ({every})" if every else "FALSE"


_SIGNS = re.compile(r"(['\\$])")
_KINDS = {
    "text": r"(string|varchar|char)(\(\d+\))?",
    "number": r"float|double|decimal(\(.*\))?|u?(tiny|small|big|huge)?int(eger)?",
    "number that may be none": r"float|double",
    "nested": r".*\]|(array|struct|map|union|list|row|blob|binary|variant)\b.*",
}


def holds(kind: str, what: str) -> bool:
    """Tell whether a column of a kind holds texts, numbers, or lists, structures and bytes (``nested``)."""
    return re.fullmatch(_KINDS[what], kind, re.IGNORECASE | re.DOTALL) is not None


# Codes for a missing value: which values they mean, and which of them occur nowhere.
#
# A code that is a whole number means this number however it is written: 99 also means 99.0, as programs write a
# column of whole numbers in which something is missing. Zeros before a number make another code: 099 is not 99.


_WHOLE = re.compile(r"([+-]?(?:0|[1-9]\d*))(?:\.0+)?")


def is_missing(value: str, kind: str, codes: Sequence[str]) -> str:
    """Tell of each value whether it is null or one of the codes."""
    written = value if holds(kind, "text") else f"CAST({value} AS STRING)"
    wholes = sorted({match[1] for code in codes if (match := _WHOLE.fullmatch(code))})
    lost = f"({value} IS NULL OR {one_of(written, [*codes, *wholes])}"
    if wholes and holds(kind, "text"):
        points = [f"{whole}." for whole in wholes]  # 99.00 without its zeros, but not 99. itself
        bare = one_of(f"TRIM(TRAILING '0' FROM {value})", points)
        lost += f" OR ({bare} AND NOT {one_of(value, points)})"
    elif wholes and holds(kind, "number"):
        numbers = ", ".join(f"CAST('{float(whole)!r}' AS DOUBLE)" for whole in wholes)
        lost += f" OR CAST({value} AS DOUBLE) IN ({numbers})"
    return f"{lost})"


def unused_codes(codes: Iterable[str], lost: Iterable[str]) -> list[str]:
    """Return the codes, but not the empty one, that none of the missing values is."""
    texts = set(lost)
    numbers = {as_number(text) for text in texts} - {None}
    return [code for code in dict.fromkeys(codes) if code and code not in texts and as_number(code) not in numbers]


PERSON, NOBODY = "person", "nobody"  # of each row, and whether it has none

# The records' key fields and their values as SQL, the same for every engine.


def key_columns(table: Table, records: Records, *, text: bool = False) -> Table:
    """Return the key columns f0, f1, ... as values to compare, and the row number where there is one.

    Columns are left as they are stored where that is possible: engines count stored dictionaries
    several times faster than computed values. With ``text`` every value is written out, so that two
    files can be compared.
    """
    fields = [f"f{at}" for at in range(len(records.fields))]
    written = {}
    for field, column in zip(fields, records.columns, strict=True):
        kind = table.kinds[field]
        if holds(kind, "nested"):
            raise SchemaError(
                records.name, [f"column {column!r} contains {kind.lower()}, not plain values. Choose another column."]
            )
        value = field
        if holds(kind, "number that may be none"):
            # Not a number is missing. Asked of its text: DuckDB 2.0 answers isnan from Parquet's statistics, which
            # leave NaN out. -0.0 + 0.0 is 0.0, which is the same value.
            value = f"CASE WHEN LOWER(CAST({field} AS STRING)) <> 'nan' THEN {field} + CAST(0 AS {kind}) END"
        written[field] = f"CAST({value} AS STRING)" if text and not holds(kind, "text") else value
    columns = table.select(**written, **({ROW: ROW} if ROW in table.kinds else {}))
    texts = {field: "STRING" if text else table.kinds[field] for field in fields}
    return Table(columns.query, {**columns.kinds, **texts})


def value_codes(tables: Sequence[Table], name: str, missing: Sequence[str]) -> Table:
    """Return the distinct values of a field in all tables with their codes, 1 for the smallest.

    Nulls and codes for a missing value have the code 0.
    """
    kind = tables[0].kinds[name]
    distinct = " UNION ".join(f"SELECT DISTINCT {name} AS value FROM {table}" for table in tables)
    # Marked, not filtered: an engine would ask the filter of every record before it looks for distinct values.
    marked = f"SELECT value, {is_missing('value', kind, missing)} AS lost FROM ({distinct})"
    place = f"CASE WHEN lost THEN {_long(0)} ELSE CAST(ROW_NUMBER() OVER (ORDER BY lost, value) AS BIGINT) END"
    return Table(f"SELECT value, {place} AS code FROM ({marked})", {"value": kind, "code": "BIGINT"})


# The columns of records outside an engine.


_FEW = 2**14  # records
_AHEAD = 2  # batches that wait to be written as numbers


@dataclass(frozen=True, eq=False)
class WrittenColumn:
    """A column of records outside an engine: its distinct values, a missing one too, and in batches numbers for them.

    A batch has a number for each record, as narrow as its own values allow, and the place of each number's value.
    """

    values: pa.Array
    batches: Sequence[tuple[NDArray[Any], IntArray]]

    @classmethod
    def of(cls, batches: Iterable[Sequence[pa.Array]], fields: int) -> list[Self]:
        """Write the columns of batches so; a column may be a dictionary already."""
        import pyarrow as pa

        written: list[Any] = []
        with ThreadPoolExecutor() as pool:
            for batch in batches:
                written.append(pool.submit(list, map(_own_numbers, batch)))
                if len(written) > _AHEAD:  # what is read waits for what is written
                    written[-_AHEAD - 1].result()
        parts = list(zip(*(batch.result() for batch in written), strict=True)) or [()] * fields
        return [cls._together(part or [(pa.array([], pa.string()), np.empty(0, np.uint8))]) for part in parts]

    @classmethod
    def _together(cls, parts: Sequence[tuple[pa.Array, NDArray[Any]]]) -> Self:
        import pyarrow as pa

        every = pa.concat_arrays([values for values, _ in parts]).dictionary_encode(null_encoding="encode")
        ends = np.cumsum([len(values) for values, _ in parts])[:-1]
        places = np.split(every.indices.to_numpy(), ends)
        return cls(every.dictionary, [(numbers, place) for (_, numbers), place in zip(parts, places, strict=True)])


def _own_numbers(column: pa.Array) -> tuple[pa.Array, NDArray[Any]]:
    """Return the distinct values of one batch, and a number from 0 for each of its records."""
    import pyarrow as pa

    stored = pa.types.is_dictionary(column.type)
    coded = column if stored else column.dictionary_encode()
    values, indices = coded.dictionary, coded.indices
    if indices.null_count:
        indices = indices.fill_null(len(values))
        values = pa.concat_arrays([values, pa.nulls(1, values.type)])
    numbers = indices.to_numpy().astype(np.min_scalar_type(len(values)))
    if stored:  # a stored dictionary may have values that no record has, and is not checked to be text
        values.validate(full=True)
        used = np.zeros(len(values), dtype=bool)
        used[numbers] = True
        if not used.all():
            values, numbers = values.filter(pa.array(used)), (np.cumsum(used) - 1).astype(numbers.dtype)[numbers]
    return values, numbers


# The packed numbers of records, inside an engine and outside it.


def _long(number: int) -> str:
    """Write a whole number of 64 bits: engines take the narrowest kind otherwise."""
    return f"CAST({number} AS BIGINT)"


def packed(packing: Packing, table: Table, values: Sequence[Table]) -> Table:
    """Replace the values f0, f1, ... of each record by the packed numbers, by each field's values and their codes.

    The person of a row stays, where it was read.

    Every value has its code, nulls too, so each join is an inner one and no record is lost.
    """
    joins, keys = "", {}
    for key, word in zip(packing.keys, packing.words, strict=True):
        for digit in word:
            i = digit.field
            part = f"CAST((code - {digit.least}) * {_long(digit.scale)} AS {kind_of_key(word)[1]}) AS c{i}"
            coded = f"(SELECT value AS v{i}, {part} FROM {values[i]}) AS t{i}"
            joins += f" JOIN {coded} ON f{i} IS NOT DISTINCT FROM v{i}"
        keys[key] = " + ".join(f"c{digit.field}" for digit in word) or "CAST(0 AS INT)"
    also = {name: name for name in (ROW, PERSON, NOBODY) if name in table.kinds}
    return Table(f"SELECT * FROM {table} AS records{joins}", table.kinds).select(**keys, **also)


def code_parts(packing: Packing) -> dict[int, str]:
    """Return a stand-in for each field's code, unpacked inside the engine.

    The stand-in is the digit times its scale: engines divide in floating point, which is not exact
    for keys of 62 bits, but their remainders are.
    """
    return {
        digit.field: f"({key} % {_long(digit.scale * digit.digits)} - {key} % {_long(digit.scale)})"
        for key, word in zip(packing.keys, packing.words, strict=True)
        for digit in word
    }


def lost_parts(packing: Packing) -> dict[int, str]:
    """For each field that a record may miss: which classes miss it."""
    return {i: f"{part} = 0" for i, part in code_parts(packing).items() if packing.missing[i]}


def keys_of(packing: Packing, columns: Sequence[WrittenColumn], codes: Sequence[IntArray]) -> dict[str, NDArray[Any]]:
    """Return the packed numbers of each record, by the code of each distinct value of its columns."""
    ends = np.cumsum([0, *(len(numbers) for numbers, _ in columns[0].batches)])
    keys = {}
    for key, word in zip(packing.keys, packing.words, strict=True):
        packed_numbers = keys[key] = np.zeros(ends[-1], dtype=kind_of_key(word)[0])
        worth = [((codes[digit.field] - digit.least) * digit.scale).astype(packed_numbers.dtype) for digit in word]

        def pack(at: int, word: Any = word, worth: Any = worth, packed_numbers: Any = packed_numbers) -> None:
            for digit, of_value in zip(word, worth, strict=True):
                numbers, place = columns[digit.field].batches[at]
                of_number, whole = of_value[place], packed_numbers[ends[at] : ends[at + 1]]
                for start in range(0, len(numbers), _FEW):  # what is made on the way stays near the processor
                    whole[start : start + _FEW] += of_number.take(numbers[start : start + _FEW])

        with ThreadPoolExecutor() as pool:
            list(pool.map(pack, range(len(ends) - 1)))
    return keys
