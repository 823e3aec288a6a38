"""The numbers of published files, as a reader sees them: every table of every file, labels, marks and notes.

Nothing here knows how the files were made. A mark is a number that is hidden; a number in brackets is one of its own.
"""

from __future__ import annotations

import codecs
import io
import re
import stat
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from policy_sim.records.delimited import separator_of, text_rows
from policy_sim.words.errors import SourceError

_BOOKS, _TEXTS = (".xlsx", ".xlsm"), (".csv", ".tsv", ".txt")
_OURS = {"manifest.json", "certificate.json"}  # of the folder, without counts
_TOTALS = {"total", "totals", "all", "grand total", "overall", "sum", "statewide", "both sexes"}
_SAYS_TOTAL = re.compile(r"\btotals?\b")
ALL_OF_THEM = re.compile(
    r"(all|total,? all) (counties|regions|areas|places|districts|races|sexes|genders|ages|age groups)"
)
_RATE = re.compile(  # "<100% FPL" is a class of people
    r"(?<!\d)%|\d%\s*(ci|cl|[lu]ci|conf\w*|interval|limit|lower|upper)\b"
    r"|\b(percent|percentage|pct|rates?|share(?! of cost)|proportion|per ([1-9][\d,]*0|capita|hundred))\b",
    re.I,
)
_AVERAGE = re.compile(r"\b(average|avg|mean|ratio)\b", re.I)
_WINDOW = "(3|4|5|6|7|8|10|12|13|14|24|28|30|52|90)"  # of a moving average; MA01 and MA1 may be districts
_OVER_TIME = re.compile(  # "7-day avg", "Weekly average (cases)", "cases_avg_7d", "MA7", "new_cases_smoothed"
    r"((?!above|below|under|over)\w+ ){0,2}((\d+|two|three|four|five|seven|ten)[- ]?)?"
    r"(d|days?|w|wks?|weeks?|mo|months?|quarters?|y|yrs?|years?|daily|weekly|monthly|quarterly|yearly|annual|moving"
    r"|rolling|running|trailing|centered|weighted)[- ]+((moving|rolling|running|trailing|centered) )?"
    r"(averages?|avgs?|means?|medians?)\b.*"
    r"|.*\b(cases|deaths|births|counts?|visits|admissions|tests)[ (]+(average|avg|mean)\b.*"
    r"|.*\bsmoothed\b.*"
    rf"|(\w+ )?([sewc]?ma|mean|avg|average|rolling|moving)[- (]*{_WINDOW}[- ]?(d|days?|w|wks?|weeks?|mo|months?)?\)?"
    rf"|(\w+ )?{_WINDOW}[- ]?(d|days?|w|wks?|weeks?|mo?|months?|y|yrs?|years?)?[- ]?(s?ma|avg?|rolling|moving)",
    re.I,
)
# The whole name of a column: as a part of one, such a word may say whom a count counts (No coverage, Name change).
_RATE_ALONE = re.compile(
    r"[\d\W]*(averages?|avgs?|means?|medians?|ratios?|percents?|coverage|incidence|prevalence|positivity|index|indices"
    r"|smr|cfr|odds|turnout|percentile|rank(ing)?s?)[\d\W]*"
    r"|(median|average|avg|mean)\b(?! (st|street|ave|avenue|road|risk)\b).*",
    re.I,
)
_CHANGED = re.compile(
    r"[\d\W]*(net |absolute |total )?(change|difference|diff|increase|decrease|growth|delta|variance)s?"
    r"( (from|since|vs\.?|over) .*)?[\d\W]*|.*\b(\d{4} minus|minus \d{4})\b.*|.*([Δ±]|\+/-).*",
    re.I,
)
_WITH_SHARE = re.compile(r"\s*[(\[](%|percent|pct)[)\]]\s*", re.I)  # "N (%)", whose percentages may be left out
_KEYS = re.compile(
    r"\b(years?|ages?|weeks?|months?|quarter|(?<!up[ -]to[ -])date|day|fips|geoid|zip|code|id|mmwr|row|line"
    r"|(no|nr)\b(?!\.? \w))\b",
    re.I,
)
_CODE = re.compile(r"(?<![^\W_])(fips|geoid|zip|code|id|mmwr)(?![^\W_])| (19|20)\d\d(\d\d){0,2}$", re.I)
_NO_KEYS = re.compile(
    r"\b(this|current|last|previous|prior|new|cumulative|to[- ]date|change|cases?|deaths?|counts?|per|in|number of)\b",
    re.I,
)
_COUNTS = {"n", "no", "no.", "count", "counts", "number", "cases", "deaths", "births", "patients", "people", "persons"}
_HIDDEN = {"*", "**", "***", "(*)", "suppressed", "hidden", "s", "(s)", "supp", "withheld", "redacted", "masked"}
_UNCLEAR = {"-", "--", "–", "—", ".", "..", "...", "…", "na", "n/a", "nan", "null", "none", "x", "†", "‡", "d", "c"}
_FEW_YEARS = 20  # by which the years of a program, or of children, are numbered
_MANY_TERMS = 4  # from which an equation is written by its first and last
_NUMBER = r"[-+−]?(?:\d{1,3}(?:[, \u00a0\u202f]\d{3})+|\d{1,15})(?:\.\d+)?"
_PLAIN = re.compile(rf"({_NUMBER})\s*(%?)\s*(?:[*†‡§¶#^]+|\[\w\]|\^?\(?[a-z]\)?|[¹²³⁴⁵])?", re.I)
_BRACKETS = re.compile(r"(.+?)\s*[\(\[]\s*([^()\[\]]+?)\s*[\)\]]\s*")
_BELOW = re.compile(r"(<=|≤|<|under|below|fewer than|less than)\s*(\d+)|(\d+) or (?:fewer|less)", re.I)
_RANGE = re.compile(r"(\d+)\s*(?:-|–|—|to)\s*(\d+)", re.I)
_ABOVE = re.compile(r"(>=|≥|>)\s*(\d+)|(\d+)\s*\+|(\d+) or more", re.I)
_STATED = re.compile(r"\bn\s*[=:]\s*([\d,]+)|[\(\[;,]\s*([\d,]+)(?=\s*(?:[\)\];,]|[a-z]))", re.I)
_IN_NOTE = re.compile(r"(?<![\w./<≤-])(\d[\d,]*)(?![\w./%-]|\.\d)")
MONTH = (
    r"(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?"
    r"|dec(ember)?)"
)
_NO_COUNT = re.compile(
    r"\b(19|20)\d\d\b|\b\d+\s*(-|–|to)\s*\d+\b|(fewer|less|more|under|below) than \d+|[<≤>≥]\s*\d+|\d+ or \w+"
    r"|\b(under|over|below|above|ages?|aged) \w+( ?(-|–|to) ?\w+)?"
    r"|\b\w+ (doses?|shots|times|days|weeks|months|years)\b|\d+ ?\+"
    r"|\d+ (years? |yrs? )?and (over|older|up|above|under|younger)"
    r"|\b(week|wk|mmwr|month|day|quarter|grade|district|region|ward|zone) \d+\b"
    rf"|\b{MONTH}\.? \d{{1,2}}\b"
    r"|\b(as of|through|thru|until|since|ending|week of) \d{1,2}/\d{1,2}\b",
    re.I,
)
_IN_TEXT = re.compile(r"(?<![\w.,])(\d{1,3}(?:,\d{3})+|\d+)(?![\w%]|[.,]\d| ?percent)")
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?|\d{1,2}/\d{1,2}/\d{2,4}")
_RATE_IN_TEXT = re.compile(r"\d\.\d+|\bper [1-9][\d,]*0|\b1 (in|of every|out of) \d", re.I)
_MOVED = re.compile(  # "-95", "+3%", "down 96%", "up by 12"
    r"([-+−–▲▼↑↓]|(down|up|fell|rose|lost|gained|dropped|grew|decreased|increased)( by)?)\s*"
    r"\d[\d.,]*\s*(%|percent|points)?",
    re.I,
)
_UNITS = [
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
]
_WORDS = {word: at for at, word in enumerate(_UNITS)} | {"dozen": 12}
_DECADES = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_TENS = {word: 10 * at + 20 for at, word in enumerate(_DECADES)}
_IN_WORDS = re.compile(rf"\b(?:({'|'.join(_TENS)})(?:[- ]({'|'.join(_UNITS[1:10])}))?|({'|'.join(_WORDS)}))\b", re.I)
_IN_BRACKETS, IN_LABEL = " (in brackets)", "the number in the label"


class Place(NamedTuple):
    """Where a number stands: the file (and sheet), the row below the header, the column, and whether in brackets."""

    file: str
    row: int
    column: str
    brackets: bool = False


@dataclass(frozen=True)
class Knowledge:
    """What a reader may know beside the files: what marks mean, which words are totals, and what a person decided."""

    marks: Mapping[str, str] = field(default_factory=dict)
    totals: Sequence[str] = ()
    coincidences: Sequence[str] = ()
    least: int | None = None  # of a hidden count; None: 1 in a table that shows a 0, otherwise 0
    zeros_too: frozenset[str] = frozenset()  # files whose hidden counts may be 0 all the same
    stating: Sequence[str] = ()  # labels whose numbers are counts
    adding: frozenset[str] = frozenset()  # labels whose counts add up to totals, so that no name makes them rates
    derived: frozenset[str] = frozenset()  # labels that their numbers make shares or rates of others


class Number(NamedTuple):
    """A number of a file, or a mark in its place, with its labels."""

    place: Place
    name: tuple[str, ...]
    value: float  # NaN where hidden
    least: int
    greatest: int | None
    step: float  # the unit of the last digit of a rate; 0 for a count


class _Part(NamedTuple):
    """What the text of a cell says."""

    value: float
    least: int = 0
    greatest: int | None = None
    step: float = 0.0
    rate: bool = False


@dataclass
class PublishedTable:
    """A table of a file: its labels, for each combination the number that stands there, and the texts around it."""

    name: str
    dims: tuple[str, ...]
    cells: dict[tuple[str, ...], int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    labels: set[str] = field(default_factory=set)


def read_published(path: Path) -> dict[str, bytes]:
    """Return every file of a folder, or the one file; what is no regular file is a SourceError."""
    paths = sorted(own for own in path.rglob("*") if not own.is_dir()) if path.is_dir() else [path]
    contents = {}
    for own in paths:
        try:
            if not stat.S_ISREG(own.stat().st_mode):
                raise SourceError(f"{own}: is a device, not a file. Give a file of a table.")
            contents[own.relative_to(path).as_posix() if path.is_dir() else own.name] = own.read_bytes()
        except OSError as error:
            raise SourceError(f"{own}: cannot be read ({error.strerror}).") from None
    return contents


class PublishedNumbers:
    """The numbers of the files, each once per place, and the tables that they stand in."""

    def __init__(self, published: Mapping[str, bytes], knowledge: Knowledge) -> None:
        self.numbers: list[Number] = []
        self.sheets: list[PublishedTable] = []
        self.not_tried: list[str] = []
        self.marks = {mark.casefold(): meaning for mark, meaning in knowledge.marks.items()}
        self.adding, self.derived = knowledge.adding, knowledge.derived
        self.totals = _TOTALS | {word.casefold() for word in knowledge.totals}
        for name, content in sorted(published.items()):
            ending = Path(name).suffix.casefold()
            if ending in _BOOKS:
                filled = [(sheet, grid) for sheet, grid in _book(name, content) if any(map(any, grid))]
                for sheet, grid in filled:
                    own = f"{name} [{sheet}]" if len(filled) > 1 else name
                    self._read(own, own, grid)
            elif ending in _TEXTS:
                self._read(name, name, _lines(content))
            elif Path(name).name not in _OURS:
                self.not_tried.append(f"the file {name}: it is no table that is read here")

    def is_total(self, label: str) -> bool:
        """Whether a label says that it is the sum of the others."""
        word = label.casefold().rstrip(" :")
        return word in self.totals or bool(_SAYS_TOTAL.search(word) or ALL_OF_THEM.fullmatch(word))

    def rated(self, key: tuple[str, ...]) -> str:
        """Return the label of a rate that makes it one, by its numbers or its name, else the name of its column."""
        says = (label for label in key if self._says_rate(label))
        return next((label for label in key if label in self.derived), next(says, key[-1]))

    def _is_rate(self, name: str, parsed: list[tuple[_Part, ...] | None]) -> bool:
        return name in self.derived or (name not in self.adding and _is_rate(name, parsed))

    def _says_rate(self, label: str) -> bool:
        return label in self.derived or (label not in self.adding and says_rate(label))

    def _read(self, name: str, file: str, grid: list[list[str]]) -> None:
        rows = [row for row in grid if any(row)]
        width = max(map(len, rows), default=0)
        rows = [[*row, *[""] * (width - len(row))] for row in rows]
        start = next((at for at, row in enumerate(rows) if sum(map(bool, row[1:])) >= max(1, (width - 1) * 0.7)), 0)
        notes = [" ".join(filter(None, row)) for row in rows[:start]]
        body = rows[start:]
        while len(body) > 1 and sum(map(bool, body[-1])) == 1 and width > 1:
            notes.append(" ".join(filter(None, body.pop())))
        if len(body) < 2 or width < 2:
            self.not_tried.append(f"{name}: no table of labels and counts was found in it")
            return
        header = [f"{of} (column {at + 1})" if body[0].count(of) > 1 else of for at, of in enumerate(body[0])]
        self._cells(PublishedTable(name, (), notes=notes), file, header, body[1:])

    def _cells(self, sheet: PublishedTable, file: str, header: list[str], body: list[list[str]]) -> None:
        columns = [[row[at] for row in body] for at in range(len(header))]
        parts = {text: self._parts(text) for column in columns for text in set(column)}
        parsed = [[parts[text] for text in column] for column in columns]
        numeric = [_is_numeric(name, texts, own) for name, texts, own in zip(header, columns, parsed, strict=True)]
        if all(numeric):
            numeric[0] = False
        labels = [at for at, counts in enumerate(numeric) if not counts]
        rates = [self._is_rate(name, own) for name, own in zip(header, parsed, strict=True)]
        sheet.dims = (*(header[at].casefold() for at in labels), "")
        says = {text: self._says_rate(text) for at in labels for text in set(columns[at])}
        seen, counted = defaultdict[tuple[str, ...], int](int), [at for at, counts in enumerate(numeric) if counts]
        for row, texts in enumerate(body):
            own = tuple([texts[at] for at in labels])
            says_so = any(map(says.__getitem__, own))
            seen[own] += 1
            own = (*own[:-1], f"{own[-1]} (line {row + 1})") if seen[own] > 1 else own
            sheet.labels.update(own)
            for at in counted:
                rated, name = rates[at] or says_so, header[at]
                for brackets, part in enumerate(parsed[at][row] or ()):
                    key = (*own, name + _IN_BRACKETS) if brackets else (*own, name)
                    sheet.cells[key] = len(self.numbers)
                    self.numbers.append(_number(Place(file, row, name, bool(brackets)), key, part, rated))
        self._label_numbers(sheet, file, header, labels, numeric, body)
        sheet.labels |= {header[at] for at, counts in enumerate(numeric) if counts}
        self.sheets.append(sheet)
        named = [at for at in labels if _is_numeric(header[at], columns[at], parsed[at], by_name=False)]
        self._read_as_counts(sheet, file, header, labels, named, body)

    def _read_as_counts(
        self,
        sheet: PublishedTable,
        file: str,
        header: list[str],
        labels: list[int],
        named: list[int],
        body: list[list[str]],
    ) -> None:
        """Add the table with columns of numbers as counts that were taken for labels by their names alone.

        Such are "Full year" and "All ages". A table in which they tell the rows apart is not added. A year, a week
        or a code that is the same in each row is no count.
        """
        said = {at: {texts[at] for texts in body if texts[at] and not self.is_total(texts[at])} for at in named}
        named = [
            at for at in named if len(said[at]) > 1 or not _CODE.search(f"{header[at]} {min(said[at], default='')}")
        ]
        others = [own for own, at in enumerate(labels) if at not in named]
        rows = dict.fromkeys(tuple(texts[labels[own]] for own in others) for texts in body)
        if not named or not others or len(rows) < len(body):
            return
        other = PublishedTable(sheet.name, (*(sheet.dims[own] for own in others), ""), labels=set(sheet.labels))
        for key, number in sheet.cells.items():
            other.cells[*(key[own] for own in others), key[-1]] = number
        for at in named:
            parts = [self._parts(texts[at]) for texts in body]
            rated = self._is_rate(header[at], parts)
            for own, (row, filled) in enumerate(zip(rows, parts, strict=True)):
                for part in (filled or ())[:1]:
                    other.cells[*row, header[at]] = len(self.numbers)
                    self.numbers.append(_number(Place(file, own, header[at]), (*row, header[at]), part, rated))
        self.sheets.append(other)

    def _label_numbers(
        self,
        sheet: PublishedTable,
        file: str,
        header: list[str],
        labels: list[int],
        numeric: list[bool],
        body: list[list[str]],
    ) -> None:
        """Take the last number that the labels of a row, or the name of a column, state as a number of its own."""
        said = {text: stated_counts(text) for at in labels for text in {texts[at] for texts in body}}
        stating = any(said.values())
        for row, texts in enumerate(body if stating else ()):
            own = tuple(texts[at] for at in labels)
            counts = [n for label in own for n in said[label]]
            if counts and (*own, IN_LABEL) not in sheet.cells:
                self._add(sheet, Place(file, row, IN_LABEL), (*own, IN_LABEL), counts[-1])
        for at, name in enumerate(header):
            if numeric[at] and (counts := stated_counts(name)):
                self._add(sheet, Place(file, -1, name), (*[IN_LABEL] * len(labels), name), counts[-1])

    def _add(self, sheet: PublishedTable, place: Place, key: tuple[str, ...], count: int) -> None:
        sheet.cells[key] = len(self.numbers)
        self.numbers.append(Number(place, key, float(count), 0, None, 0.0))

    def _parts(self, text: str) -> tuple[_Part, ...] | None:
        """Return what a text says: nothing, a number or mark, or one with another in brackets; None for a label."""
        word = text.casefold().strip()
        declared = self.marks.get(word or "blank")
        if declared is not None and declared.casefold() == "n":
            declared = None
        for mark, meaning in self.marks.items():
            if meaning.casefold() == mark[:1] == "n" and len(mark) > 1:
                word = word.removesuffix(mark[1:]).strip()
        if declared is not None:
            zero = declared in ("zero", "missing")
            return (_Part(0.0),) if zero else (_Part(np.nan),) if declared == "hidden" else self._parts(declared)
        if not word:
            return ()
        item = _one(word)
        if item is None and (match := _BRACKETS.fullmatch(word)) and (first := _one(match[1])) is not None:
            inner = _one(match[2]) if re.search(r"\d", match[2]) else None
            return (first,) if inner is None else (first, inner)
        return None if item is None else (item,)


def _decoded(content: bytes) -> str:
    for mark, coding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if content.startswith(mark):
            return content.decode(coding, errors="replace")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _lines(content: bytes) -> list[list[str]]:
    text = _decoded(content)
    return list(text_rows(text, separator_of(text)))


def _book(name: str, content: bytes) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield every sheet of a workbook, hidden ones too; a comment on a cell is a note below the table."""
    import openpyxl

    try:
        book = openpyxl.load_workbook(io.BytesIO(content), data_only=True)
    except Exception as error:
        raise SourceError(f"{name}: cannot be read as an Excel workbook ({type(error).__name__}).") from None
    for sheet in book.worksheets:
        cells = [list(row) for row in sheet.iter_rows()]
        comments = [[cell.comment.text] for row in cells for cell in row if cell.comment]
        yield sheet.title, [[_text(cell.value) for cell in row] for row in cells] + comments


def _text(value: object) -> str:
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return "" if value is None else str(value).strip()


def _one(word: str) -> _Part | None:
    """Return what a text without brackets says as a number or mark; None for neither."""
    if match := _PLAIN.fullmatch(word):
        plain = re.sub(r"[, \u00a0\u202f]", "", match[1]).replace("−", "-")
        decimals = len(plain.partition(".")[2])
        return _Part(
            float(plain),
            step=10.0**-decimals,
            rate=bool(match[2]) or (plain.rstrip("0")[-1:].isdigit() and "." in plain),
        )
    if match := _BELOW.fullmatch(word):
        return _Part(np.nan, 0, int(match[2] or match[3]) - (match[1] not in ("<=", "≤", None)))
    if match := _RANGE.fullmatch(word):
        return _Part(np.nan, int(match[1]), int(match[2]))
    if match := _ABOVE.fullmatch(word):
        return _Part(np.nan, int(match[2] or match[3] or match[4]) + (match[1] == ">"))
    return _Part(np.nan) if word in _HIDDEN | _UNCLEAR else None


def _is_numeric(name: str, texts: list[str], parsed: list[tuple[_Part, ...] | None], by_name: bool = True) -> bool:
    """Whether a column holds numbers and marks, and no labels such as years, ages or line numbers (``by_name``)."""
    filled = [parts for text, parts in zip(texts, parsed, strict=True) if text]
    settled = [parts for parts in filled if parts is not None]
    visible = [part.value for parts in settled for part in parts[:1] if part.value == part.value]
    if len(settled) < max(1, 0.6 * len(filled)):
        return False
    years = visible and all(1900 <= number <= 2100 for number in visible)
    if by_name and len(settled) < len(filled) and (years or names_key(name)):
        return False  # "2023", "2024", "2-year average"
    ranges = [parts for parts in settled if parts and (parts[0].greatest is not None or parts[0].least)]
    if not visible and (len(ranges) > len(settled) / 2 or len(settled) < len(filled)):
        return False
    is_key = by_name and names_key(name) and len(visible) == len(filled) and not no_years(name, texts)
    return not is_key and bool(settled)


def names_key(name: str) -> bool:
    """Whether a column has the name of labels that may be numbers, such as years or FIPS codes."""
    words = name.replace("_", " ")
    return bool(_KEYS.search(words)) and not re.search(r"\d", words) and not _NO_KEYS.search(words)


def no_years(name: str, texts: Sequence[str]) -> bool:
    """Whether a column that is called year has other numbers, larger than those that number a few years.

    >>> no_years("Year", ["31", "2031", "7"]), no_years("Year", ["2024", "2025"]), no_years("Year", ["1", "2", "Total"])
    (True, False, False)
    """
    numbers = [int(text) for text in texts if re.fullmatch(r"[0-9]{1,9}", text)]
    others = [number for number in numbers if not 1900 <= number <= 2100]
    return bool(re.fullmatch(r"[\W_]*years?[\W_]*", name, re.I)) and max(others, default=0) > _FEW_YEARS


def _is_rate(name: str, parsed: list[tuple[_Part, ...] | None]) -> bool:
    if any(parts and len(parts) > 1 for parts in parsed):
        return False  # the rate stands in brackets
    if any(parts and parts[0].rate for parts in parsed):
        return True
    bare = _WITH_SHARE.sub("", name)
    most = max((parts[0].value for parts in parsed if parts and parts[0].value == parts[0].value), default=0.0)
    counted = bare.casefold() in _COUNTS or most > 100  # whole percentages of a column reach 100
    return says_rate(bare if bare and counted else name)


def _number(place: Place, name: tuple[str, ...], part: _Part, rated: bool) -> Number:
    rate = part.rate or place.brackets or rated
    return Number(place, name, part.value, part.least, part.greatest, (part.step or 1.0) if rate else 0.0)


def stated_counts(label: str) -> list[int]:
    """Return the counts that a label seems to state, such as Adams (3) or male (n=17)."""
    texts = (item or other for item, other in _STATED.findall(label))
    return [int(re.sub(r"\D", "", text)) for text in texts if re.search(r"\d", text)]


def label_numbers(label: str) -> list[int]:
    """Return every whole number of a label, in digits or words; no years, dates, ranges, limits or percentages.

    >>> label_numbers("Adams 3/15, twenty-eight men of 2025, 18-64")
    [3, 15, 28]
    >>> [label_numbers(text) for text in ("Under 5", "ages 5 to 17", "18 and over", "65+", "Week 12", "one dose")]
    [[], [], [], [], [], []]
    """
    text = _NO_COUNT.sub(" ", _DATE.sub(" ", label))
    numbers = [int(digits.replace(",", "")) for digits in _IN_TEXT.findall(text)]
    for tens, unit, word in _IN_WORDS.findall(text.casefold()):
        numbers.append(_WORDS[word] if word else _TENS[tens] + _WORDS.get(unit, 0))
    return [] if label.replace(",", "").isdigit() else numbers


def states_rate(label: str) -> bool:
    """Whether a label has a number that is a rate or a change, such as 14.1, 3 per 100,000, -95 or down 96%."""
    return bool(_RATE_IN_TEXT.search(label)) or says_moved(label)


def says_moved(text: str) -> bool:
    """Whether a text says by how much a count changed.

    >>> says_moved("down 96%"), says_moved("-95"), says_moved("65+")
    (True, True, False)
    """
    return bool(_MOVED.fullmatch(text.strip()))


def note_counts(note: str) -> list[int]:
    """Return the whole numbers of a note that may be counts: no years, ranges, limits or percentages."""
    return [int(text.replace(",", "")) for text in _IN_NOTE.findall(_NO_COUNT.sub(" ", note))]


def says_rate(label: str) -> bool:
    """Whether a label may be the name of a rate, a percentage or an average."""
    return names_rate(label) or bool(_AVERAGE.search(label.replace("_", " ")))


def names_rate(label: str) -> bool:
    """Whether a label is the name of a rate or percentage; a part of it such as below average is none."""
    plain = label.replace("_", " ")
    return bool(_RATE.search(plain) or _RATE_ALONE.fullmatch(plain) or _OVER_TIME.fullmatch(plain))


def says_strongly(label: str) -> bool:
    """Whether a label is the name of a rate by a word that counts have not, such as percent."""
    return bool(_RATE.search(label.replace("_", " ")))


def spaced(label: str) -> str:
    """Return a label with spaces in place of ``_``, dots, brackets and hyphens between words, and within newCases.

    >>> spaced("Cases (year-to-date)"), spaced("Cum. deaths"), spaced("18-64"), spaced("newCases")
    ('Cases year to date', 'Cum deaths', '18-64', 'new Cases')
    """
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", label)
    return " ".join(re.sub(r"[_()\[\].]|(?<=[^\W\d_])[-\u2010\u2011](?=[^\W\d_])", " ", apart).split())


def says_change(label: str) -> bool:
    """Whether a label is the name of a difference of counts."""
    return bool(_CHANGED.fullmatch(label.replace("_", " ")))


def words_of(name: tuple[str, ...]) -> str:
    """Write the labels of a number, one after the other."""
    return ", ".join(filter(None, name))


def equation_words(terms: Sequence[tuple[int, str]]) -> str:
    """Write an equation with positive terms only: the single term first."""
    sides = [[(abs(sign), name) for sign, name in terms if (sign > 0) == up] for up in (True, False)]
    sides.sort(key=len)
    return " = ".join(_sum_words(side) for side in sides) if all(sides) else f"{_sum_words(sides[1])} = 0"


def _sum_words(side: Sequence[tuple[int, str]]) -> str:
    names = [name if times == 1 else f"{times} x {name}" for times, name in side]
    return " + ".join(names) if len(names) < _MANY_TERMS else f"{names[0]} + ... + {names[-1]} ({len(names)} numbers)"
