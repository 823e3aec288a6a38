"""Plain copies of files in the formats of others: SAS, Stata, SPSS, spreadsheets and what is compressed."""

from __future__ import annotations

import atexit
import codecs
import csv
import gzip
import io
import math
import re
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from policy_sim.files.writing import HeldFolder, spill_folder
from policy_sim.records.workbooks import EXCEL, NumberedRows, cell_text, merged_cells, open_sheet
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError, OutputError, SourceError

if TYPE_CHECKING:
    import pandas as pd


# Files of Stata, SPSS and SAS, written again as UTF-8 CSV.
#
# What an analyst sees in these programs is what the copy holds: a label where a value has one, dates as 2026-01-31,
# whole numbers without a decimal point. What the file calls missing (a user-missing value, ``.a``) is empty.


# Ending, the reader in pyreadstat, and what the format is called.
STATISTICS: Mapping[str, tuple[str, str]] = {
    ".dta": ("read_dta", "a Stata file"),
    ".sav": ("read_sav", "an SPSS file"),
    ".zsav": ("read_sav", "an SPSS file"),
    ".sas7bdat": ("read_sas7bdat", "a SAS file"),
    ".xpt": ("read_xport", "a SAS transport file"),
}
_ROWS = 50_000  # read at a time
_NAMED_ROWS = 10  # before their names are known by their form
_STATA_YEAR = 1960  # Stata counts months, quarters, half-years and weeks from here
_PERIODS: Mapping[str, tuple[int, Callable[[int, int], str]]] = {
    "%tm": (12, lambda year, part: f"{year}-{part:02d}"),
    "%tq": (4, lambda year, part: f"{year}Q{part}"),
    "%th": (2, lambda year, part: f"{year}H{part}"),
    "%tw": (52, lambda year, part: f"{year}-W{part:02d}"),
}


def write_statistics(path: Path, copy: Path) -> str:
    """Write a file again as CSV; return what it is, in words."""
    reader, what = STATISTICS[path.suffix.casefold()]
    import pyreadstat

    read = getattr(pyreadstat, reader)
    problem = None
    for encoding in (None, "WINDOWS-1252"):  # old files do not say their encoding
        try:
            _write(_parts(read, path, encoding), copy)
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeError, ValueError, OSError) as error:
            problem = problem or error  # the text of the error may quote a value
        else:
            return what
    raise SourceError(
        f"{path}: cannot be read as {what} ({type(problem).__name__}). Check that it is complete, or save it as CSV "
        "UTF-8."
    ) from None


def _parts(read: Callable[..., Any], path: Path, encoding: str | None) -> Iterator[tuple[pd.DataFrame, Any]]:
    """Yield the rows in parts, with what the file says of its columns; the last part may be empty."""
    start = 0
    while True:
        part, meta = read(str(path), row_offset=start, row_limit=_ROWS, encoding=encoding)
        if start == 0 or len(part):
            yield part, meta
        if len(part) < _ROWS:
            return
        start += len(part)


def _write(parts: Iterator[tuple[pd.DataFrame, Any]], copy: Path) -> None:
    with copy.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        for at, (part, meta) in enumerate(parts):
            if not at:
                writer.writerow(part.columns)
            columns = [_texts(part[name].to_numpy(dtype=object), *_reading(name, meta)) for name in part.columns]
            writer.writerows(zip(*columns, strict=True))


def _reading(name: str, meta: Any) -> tuple[Mapping[Any, str], Callable[[Any], str]]:
    """Return the labels of a column's values, and how a value without a label is written."""
    labels = {value: str(label).strip() for value, label in meta.variable_value_labels.get(name, {}).items()}
    if len(set(labels.values())) < len(labels) or "" in labels.values():
        labels = {}  # two codes under one label, or a label without a word: the codes say more
    form = str(meta.original_variable_types.get(name) or "")[:3]
    if form in _PERIODS:
        return labels, lambda value: _period(value, *_PERIODS[form])
    return labels, _short if meta.readstat_variable_types.get(name) == "float" else cell_text


def _texts(values: np.ndarray, labels: Mapping[Any, str], written: Callable[[Any], str]) -> list[str]:
    text_of: dict[Any, str] = {}  # a column has far fewer values than rows
    texts = []
    for value in values:
        if value not in text_of:
            lost = value is None or value != value  # only what is not a number, or not a time, differs from itself
            text_of[value] = "" if lost else labels.get(value) or written(value)
        texts.append(text_of[value])
    return texts


def _short(value: Any) -> str:
    """Return a number of single precision without the digits that it never had: 0.1, not 0.10000000149011612."""
    return cell_text(value) if float(value).is_integer() else str(np.float32(value))


def _period(value: float, parts: int, written: Callable[[int, int], str]) -> str:
    year, part = divmod(math.floor(value), parts)
    return written(_STATA_YEAR + year, part + 1)


# Files that engines cannot read as they stand, written again: texts in UTF-16 or Windows-1252, and workbooks of Excel.
#
# Excel saves "Unicode text" as UTF-16 and "CSV" in the code page of its Windows. A copy lies in a folder that only the
# user can read; it goes when the process ends, and the next run removes what a killed one left.


_BOMS = ((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_LOOKED_AT = 64_000_000  # bytes; a later one that is not UTF-8 is an error of its line
_CHUNK = 8_000_000
_TITLES = {"utf-16": "UTF-16", "utf-32": "UTF-32", "cp1252": "Windows-1252"}
_STRAY, _BEYOND_ASCII = re.compile("[\udc80-\udcff]"), re.compile("[^\x00-\x7f]")
_ZIP = b"PK\x03\x04"

LOOKED_AT_ROWS = 20  # filled rows among which the names of the columns are looked for

_copies: dict[tuple[str, int, int, str], PlainCopy] = {}
_folders: list[HeldFolder] = []


class PlainCopy(NamedTuple):
    """A file written again as UTF-8 CSV, and how it was read, in words: ``UTF-16 text``; empty where that is no news.

    ``blank``: the numbers of the rows that are blank in every cell and left out, from 1 below the names of the columns.
    """

    path: Path
    read_as: str
    blank: tuple[int, ...] = ()


def plain_copy(path: Path, sheet: str = "") -> PlainCopy | None:
    """Return a copy as UTF-8 CSV, or None where the file can be read as it stands.

    Text is UTF-16 or UTF-32 if it begins with their mark, UTF-8 if all of it is, and Windows-1252 if it is neither
    and most of what is no ASCII is not UTF-8 either.
    """
    try:
        state = path.stat()
        key = (str(path.resolve()), state.st_mtime_ns, state.st_size, sheet)
        if key in _copies and _copies[key].path.exists():
            return _copies[key]
        excel, statistics = path.suffix.casefold() in EXCEL, path.suffix.casefold() in STATISTICS
        if sheet and not excel:
            raise InputError(f"{path}: only a workbook has sheets. Leave {ask('sheet')} out.")
        form = "" if excel or statistics else _encoding(path)
    except (OSError, EOFError, zlib.error) as error:
        raise SourceError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or 'damaged'}.") from error
    if not excel and not statistics and not form:
        return None
    name = f"{path.name.removesuffix('.gz')}{'' if form else '.csv'}"
    copy = new_copy(name)
    if statistics:
        result = PlainCopy(copy, write_statistics(path, copy))
    elif excel:
        result = PlainCopy(copy, *_write_sheet(path, copy, sheet))
    else:
        result = _write_text(path, copy, form)
    _copies[key] = result
    return result


def _folder() -> Path:
    """Return the folder of this process's copies."""
    if not _folders or not _folders[0].path.exists():
        _folders[:] = [spill_folder()]
        atexit.register(_folders[0].close)
    return _folders[0].path


def new_copy(name: str) -> Path:
    """Return where a copy of this name is to be written: in a folder without any other."""
    return Path(tempfile.mkdtemp(dir=_folder())) / name


def open_bytes(path: Path) -> Any:
    """Open a file, unpacked."""
    return gzip.open(path) if path.suffix.casefold() == ".gz" else path.open("rb")


def _encoding(path: Path) -> str:
    """Return the encoding to read a text with; empty for UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    ours = strange = lines = first = 0
    with open_bytes(path) as stream:
        start = stream.read(_CHUNK)
        form = _marked(path, start)
        if form:
            return form
        for at, chunk in enumerate(chain([start], iter(lambda: stream.read(_CHUNK), b"")), 1):
            text = decoder.decode(chunk)
            if not text.isascii():
                stray = _STRAY.search(text)
                if stray and not first:
                    first = lines + text.count("\n", 0, stray.start()) + 1
                number = len(_STRAY.findall(text))
                strange += number
                ours += len(_BEYOND_ASCII.findall(text)) - number
            lines += text.count("\n")
            if at * _CHUNK >= _LOOKED_AT:
                break
    if strange and ours >= strange:
        raise SourceError(
            f"{path}: line {first} is not UTF-8 text, but most of the file is: mend the line, or save the file as "
            "CSV UTF-8."
        )
    return "cp1252" if strange else ""


def _marked(path: Path, start: bytes) -> str:
    """Return the encoding that the first bytes of a file tell; empty where they tell none."""
    if start.startswith(_ZIP):
        raise InputError(f"{path}: is an Excel or ZIP file and not text: name it .xlsx, or save it as CSV UTF-8.")
    return next((name for mark, name in _BOMS if start.startswith(mark)), "")


def _write_text(path: Path, copy: Path, form: str) -> PlainCopy:
    """Write a text again, line ends as they are."""
    try:
        with open_bytes(path) as stream, _draft(copy) as out:
            text = io.TextIOWrapper(stream, encoding=form, errors=_ERRORS if form == "cp1252" else "strict", newline="")
            while part := text.read(_CHUNK):
                out.write(part)
    except UnicodeError as error:
        raise SourceError(f"{path}: begins as {_TITLES[form]}, but is damaged: save it again as CSV UTF-8.") from error
    except (OSError, EOFError, zlib.error) as error:
        raise OutputError(f"{path}: cannot be copied to be read ({getattr(error, 'strerror', None)}).") from error
    return PlainCopy(copy, f"{_TITLES[form]} text")


_ERRORS = "policy-sim-undefined"
# five bytes are no sign of Windows-1252: they stay apart from every other
codecs.register_error(_ERRORS, lambda error: _as_latin(error))


def _as_latin(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("latin-1"), error.end


def _draft(copy: Path) -> io.TextIOWrapper:
    return copy.open("w", encoding="utf-8", newline="")


def _write_sheet(path: Path, copy: Path, name: str) -> tuple[str, tuple[int, ...]]:
    """Write the named sheet of a workbook, or the one that has records; return how it was read, and its blank rows."""
    with open_sheet(path, name) as (title, rows):
        where, blank = _write_rows(path, title, rows, copy)
        return f"the Excel sheet {title!r}{where}", blank


def _write_rows(path: Path, sheet: str, rows: NumberedRows, copy: Path) -> tuple[str, tuple[int, ...]]:
    """Write the names of the columns and the rows below.

    Return where the names are, if not in the first row, and the numbers of the rows that are left out as blank: those
    between others, and below them those of spaces.
    """
    first = list(islice(rows, LOOKED_AT_ROWS))
    filled = [numbered for numbered in first if numbered[1]]
    names = _names_in_two_rows(path, sheet, filled)
    titles = 1 if names else rows_above_names(path, filled)
    top, head = filled[titles][0], names or filled[titles][1]
    first = [(top, head), *(numbered for numbered in first if numbered[0] > top)]
    width = _width(head)
    blank, last = list[int](), top
    with _draft(copy) as out:
        writer = csv.writer(out, lineterminator="\n")
        for number, row in chain(first, rows):
            blank += range(last + 1 - top, number - top + (not row))
            last = number
            if not row:
                continue
            if _width(row) > width:
                raise InputError(f"{path}: row {number} has a value right of the last named column: mend the sheet.")
            writer.writerow([*row, *[""] * width][:width])
    return _names_in(top) if titles else "", tuple(blank)


def _names_in_two_rows(path: Path, sheet: str, rows: Sequence[tuple[int, list[str]]]) -> list[str]:
    """Return the names of columns where the first row has names of several columns each; none where it has not.

    The second row names the columns, and the first those that it leaves out. Names that occur twice get the one above.
    """
    width = max((_width(row) for _, row in rows), default=0)
    if len(rows) < 3 or _width(rows[0][1]) < 2 or all(rows[0][1][:width]):
        return []
    upper, lower = ([*row, *[""] * width][:width] for _, row in rows[:2])
    areas = [area for area in merged_cells(path, sheet) if area.top == rows[0][0] and area.left < area.right]
    for left, right, *_ in areas:
        upper[left : right + 1] = [upper[left]] * len(upper[left : right + 1])
    names = [below or above for above, below in zip(upper, lower, strict=True)]
    if not areas or not all(names):
        return []
    twice = {name for name in names if names.count(name) > 1}
    return [f"{above} {name}" if name in twice else name for above, name in zip(upper, names, strict=True)]


def copy_below_titles(
    path: Path, copy: PlainCopy | None, text: str, separator: str, rows: Sequence[tuple[int, list[str]]]
) -> PlainCopy | None:
    """Return a copy of a text that begins with the names of the columns; None where they are in the first row.

    ``text``: the first part of what is read, ``rows``: the first of its rows that hold a value.
    """
    titles = rows_above_names(path, rows)
    if not rows or rows[titles][0] == 1:
        return None
    number, source = rows[titles][0], copy.path if copy else path
    state = source.stat()
    key = (str(source.resolve()), state.st_mtime_ns, state.st_size, f"below row {number}")
    if key not in _copies or not _copies[key].path.exists():
        above = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        for _ in islice(above, number - 1):  # a title may have line ends in quotes
            continue
        target = new_copy(path.name.removesuffix(".gz"))
        try:
            with (
                io.TextIOWrapper(open_bytes(source), "utf-8", "surrogateescape", "") as lines,
                target.open("wb") as out,
            ):
                for part in chain(
                    islice(lines, above.line_num, above.line_num + 1), iter(partial(lines.read, _CHUNK), "")
                ):
                    out.write(part.encode("utf-8", "surrogateescape"))
        except (OSError, EOFError, zlib.error) as error:
            raise OutputError(f"{path}: cannot be copied to be read ({getattr(error, 'strerror', None)}).") from error
        _copies[key] = PlainCopy(target, f"{copy.read_as if copy else 'text'}{_names_in(number)}")
    return _copies[key]


def _names_in(row: int) -> str:
    return f" whose columns are named in row {row}: the rows above are left out, and messages count lines from there"


def rows_above_names(path: Path, rows: Sequence[tuple[int, list[str]]]) -> int:
    """Return how many of the filled rows are titles above the names of the columns; a row that names half is no title.

    A title fills one cell, or two with a word and what it says: ``Run on:``, ``2026-01-04``. Refused is what could be a
    first row of names that most columns lack.
    """
    width = max((_width(row) for _, row in rows), default=0)
    if width <= 1:
        return 0
    number, head = rows[0]
    named = sum(map(bool, head)) + (not head[0] and number_rows([row[0] for _, row in rows[1:]], is_first=True))
    if named >= max(2, width / 2):
        return 0
    at = next((at for at, (_, row) in enumerate(rows) if sum(map(bool, row)) >= max(width / 2, min(3, width))), 0)
    if at and all(_is_title(list(filter(None, row))) for _, row in rows[:at]):
        return at
    raise InputError(
        f"{path}: row {number} names {sum(map(bool, head))} of {width} columns: delete the rows above the names of the "
        f"columns{f', which may be in row {rows[at][0]}' if at else ''}, or name every column."
    )


def _is_title(filled: Sequence[str]) -> bool:
    pair = len(filled) == 2 and (filled[0].rstrip().endswith(":") or any(map(str.isdecimal, filled[1])))
    return len(filled) == 1 or pair


def described_columns(rows: Sequence[tuple[int, list[str]]]) -> str:
    """Say that lines below the header describe the columns, as exports of surveys write them; empty where none does."""
    described = [number for number, row in rows[1:3] if any("ImportId" in text for text in row)]
    if not described:
        return ""
    lines = f"line {described[-1]} describes" if described[-1] == rows[1][0] else "lines 2 and 3 describe"
    return f"{lines} the columns and is no record. Delete what stands between the header and the first record."


def first_line_is_a_record(path: Path) -> str:
    """Say that a file has no header, and what to do."""
    return (
        f"{path}: the first line looks like a record, but it must name the columns. Add a first line with the names of "
        "the columns."
    )


def is_index(values: Sequence[str]) -> bool:
    """Tell whether a column is the index that pandas (from 0) and R (from 1) write.

    >>> is_index(["0", "1", "2"]), is_index(["1", "2"]), is_index(["7", "8"]), is_index([])
    (True, True, False, False)
    """
    return (
        bool(values)
        and values[0] in ("0", "1")
        and list(values) == [str(number) for number in range(int(values[0]), int(values[0]) + len(values))]
    )


def are_row_names(values: Sequence[str]) -> bool:
    """Tell whether values are different whole numbers: R names the rows of a part of a file by their old numbers.

    >>> are_row_names([str(n) for n in (85, 86, 91, 4, 10, 11, 13, 15, 16, 17)]), are_row_names(["85", "85"])
    (True, False)
    """
    are_numbers = all(text.isascii() and text.isdecimal() and (text == "0" or text[0] != "0") for text in values)
    return len(values) >= _NAMED_ROWS and are_numbers and len(set(values)) == len(values)


def number_rows(values: Sequence[str], *, is_first: bool) -> bool:
    """Tell whether a column without a name numbers the rows: it is an index or, where it is first, names of rows."""
    return is_index(values) or (is_first and are_row_names(values))


def runs_in_order(values: Sequence[str]) -> bool:
    """Tell whether values are whole numbers that follow each other in the order of the rows: they number the rows.

    >>> runs_in_order(["1", "2", "3"]), runs_in_order(["7.0", "8.0"]), runs_in_order(["1", "3"]), runs_in_order(["1"])
    (True, True, False, False)
    """
    texts = [text.strip().removesuffix(".0") for text in values]
    if len(texts) < 2 or not (texts[0].isascii() and texts[0].isdigit()):
        return False
    return texts == [str(number) for number in range(int(texts[0]), int(texts[0]) + len(texts))]


def _width(row: list[str]) -> int:
    return max((at for at, text in enumerate(row, 1) if text), default=0)
