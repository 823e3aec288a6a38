"""Tables of counts as people write them: CSV or Excel, one row per cell or rows by columns, with marks for no count."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from policy_sim.records.blank_rows import blank_rows_text
from policy_sim.records.grids import read_grid
from policy_sim.records.published import ALL_OF_THEM, no_years, says_moved, says_rate, says_strongly
from policy_sim.records.workbooks import sheets_with_values
from policy_sim.tables import running
from policy_sim.tables.labels import filled_labels, without_marks_of_totals
from policy_sim.tables.left_out import CORNER, COUNT_NAMES, derived_labels, is_whole, left_out, without_chance
from policy_sim.tables.marks import ABSENT, MEANINGS, NUMBER, UNCLEAR, Reading, bare_counts, is_pattern, read_mark
from policy_sim.tables.sums import found_parents, found_relations, found_sums, total_relations
from policy_sim.tables.table import PRIMARY, Cell, Key, Relation, Table, named
from policy_sim.words.arguments import of_kind, one_path, several, text
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError, SourceError, UnknownNameError

_TOTALS = {"total", "totals", "all", "grand total", "grand sum", "overall", "statewide", "both sexes", "all ages"}
_KEY_NAMES = re.compile(
    r"\b(years?|ages?|weeks?|months?|quarter|(?<!up[ -]to[ -])date|day|fips|geoid|zip|code|id|mmwr)\b\D*", re.I
)
_CODE = re.compile(r"\b(fips|geoid|zip|code|id)\b", re.I)
_GROUP = re.compile(
    r"\b(districts?|regions?|wards?|zones?|grades?|tiers?|levels?|stratum|quartile|quintile|decile|rucc|nchs|cluster)\b"
    r"[\d\W]*",
    re.I,
)
_WHOLE = re.compile(r"(all|both|full|whole|half|total)\b", re.I)
_REMARKS = re.compile(r"(notes?|foot ?notes?|comments?|remarks?|caveats?)", re.I)
_FOOTNOTE = re.compile(r"(note|source|\*|†|‡|[<≤]|suppress|[-–—] +[a-z]|-{3,}$|[a-z ]+:( |$))", re.I)
_THIS = re.compile(r"(this|current|reporting|new)\b|.*\b(this|last|previous|prior) (week|month|quarter|year)\b", re.I)
_COUNTED = re.compile(r"\b(cases|deaths|births|counts|visits|admissions|tests)\b", re.I)


@dataclass(frozen=True)
class Layout:
    """What the user declares of a file; what is not declared is found, or asked for."""

    count: str = ""
    keys: tuple[str, ...] = ()
    totals: tuple[str, ...] = ()
    marks: Mapping[str, str] = field(default_factory=dict)
    population: str = ""
    sheet: str = ""
    running: tuple[str, ...] = ()
    coincidences: tuple[str, ...] = ()
    adding: tuple[str, ...] = ()  # columns of counts, whatever their names and numbers say

    def __post_init__(self) -> None:
        for name in ("count", "population", "sheet"):
            text(name, getattr(self, name))
        for name in ("keys", "totals", "running", "coincidences", "adding"):
            names = getattr(self, name)
            none = isinstance(names, list | tuple) and not names
            object.__setattr__(self, name, () if none else several(name, names, str, "'Sum'"))
        of_kind("marks", self.marks, Mapping, "what marks mean, such as {'-': 'zero'}")
        for mark, meaning in self.marks.items():
            if isinstance(meaning, str) and is_pattern(text("mark", mark), meaning):
                continue
            counts = read_mark(meaning, {}) if isinstance(meaning, str) and text("mark", mark) else None
            if meaning not in MEANINGS and (counts is None or counts.greatest is None):
                raise InputError(f"mark {mark!r}: {meaning!r} is not one of {', '.join(MEANINGS)}, or counts as 1-4.")

    def is_total(self, label: str) -> bool:
        """Whether a label stands for the sum of the others."""
        word = label.casefold().rstrip(" :")
        if self.totals == ("none",):
            return False
        return (
            word in _TOTALS
            or bool(ALL_OF_THEM.fullmatch(word))
            or any(word == total.casefold() for total in self.totals)
        )

    def is_running(self, label: str) -> bool:
        """Whether a column or label holds running totals, of all weeks so far."""
        return label in self.running or (running.NONE not in self.running and running.says_running(label))


@dataclass(frozen=True)
class CountFile:
    """The cells of a file with what each says, its relations, and lines that say how it was read."""

    keys: tuple[str, ...]
    cells: Mapping[Key, Reading]
    relations: tuple[Relation, ...]
    margins: frozenset[Key]
    populations: Mapping[Key, int]
    notes: tuple[str, ...]
    layout: Layout = field(default_factory=Layout)
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)  # as they stand in the file
    counts: tuple[str, ...] = ()
    parents: Mapping[int, Mapping[int, Mapping[str, str]]] = field(default_factory=dict)  # county within region
    titles: tuple[str, ...] = ()  # lines above the table
    other_sheets: tuple[str, ...] = ()  # of the workbook
    doubtful: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # left out by their names alone
    unread: tuple[str, ...] = ()  # columns that somebody declared as neither labels nor counts
    derived: frozenset[str] = frozenset()  # columns and labels that others make, by their numbers
    by_chance: tuple[str, ...] = ()  # words on columns that others make, and that somebody calls counts all the same
    adding: frozenset[str] = frozenset()  # labels that may name a rate, but whose counts add up to totals

    @property
    def label_columns(self) -> tuple[str, ...]:
        """The columns of labels that stand in the file."""
        return tuple(name for name in self.keys if name in self.columns)

    def table(self) -> Table:
        """Return the table of these cells."""
        cells = (Cell(key, of.value, of.status, key in self.margins) for key, of in self.cells.items())
        return Table(tuple(cells), self.relations)

    def rows(self) -> Iterator[tuple[int, str, Key]]:
        """Return the row and column in which each cell stands, with its key."""
        return _places(self.columns, self.label_columns, self.counts)

    def with_hidden(self, hidden: Container[Key], word: str) -> dict[str, list[str]]:
        """Return the columns of the file with a word in the place of each hidden count."""
        columns = {name: list(texts) for name, texts in self.columns.items()}
        for at, name, key in self.rows():
            columns[name][at] = word if key in hidden else columns[name][at]
        return columns


def read_counts(path: Path, layout: Layout = Layout(), hidden: Mapping[Key, int] | None = None) -> CountFile:
    """Read a table of counts; where the layout is not clear, an InputError of one line says what to declare.

    ``hidden``: counts of hidden cells that are known here, which tell what adds up to what.
    """
    columns, layout, notes, titles = _columns(path, layout)
    out = left_out(bare_counts(columns, layout.marks, notes), layout, notes)
    columns, rates = out.columns, out.rates
    marked, filled = columns, _counts(columns, layout)
    labels = [name for name in columns if name not in filled or _is_key(name, columns[name])]
    columns = without_marks_of_totals(columns, labels, layout.is_total) if not layout.keys else columns
    notes += [f"Blank labels are totals where {name!r} says so." for name in marked if name not in columns]
    remarks = [name for name in labels if name in columns and name not in layout.keys and _REMARKS.fullmatch(name)]
    notes += [f"Left out: {name}, which has remarks." for name in remarks]
    columns = {name: texts for name, texts in columns.items() if name not in remarks}
    if rates and not _counts(columns, layout):
        gone, declare = " and ".join(map(repr, rates[:3])), ask("count", rates[0])
        raise InputError(
            f"{path}: no column of counts was found. By its name, {gone} has rates. If not, add {declare}."
        )
    keys, counts = _roles(path, columns, layout)
    unread = [name for name in columns if name not in {*keys, *counts, layout.population}]
    if unread:
        notes.append(f"Left out, not audited: {', '.join(unread)} (declared neither as labels nor as counts).")
    columns = {name: texts for name, texts in columns.items() if name not in unread}
    filled_down = filled_labels(columns, keys, layout.is_total)
    notes += [f"Blanks in {name!r} are filled in with the label above, or as the total." for name in filled_down]
    columns |= filled_down
    if layout.population and len([name for name in counts if not layout.is_running(name)]) > 1:
        raise InputError(f"{path}: a population column needs one row per cell. Name its counts ({ask('count')}).")
    read = read_columns(path, columns, keys, counts, layout, notes, hidden or {})
    sheets = sheets_with_values(path) if layout.sheet else ()  # without a name the workbook has one
    others = tuple(sheet for sheet in sheets if sheet.casefold() != layout.sheet.casefold())
    made, by_chance = without_chance(derived_labels(read.cells, read.keys, layout), layout)
    chance = {label: ask("coincidences", label, option="--coincidence") for label in made}
    lines = (
        f"Read as a rate: {label}, which is {words}. Leave it out, or, if that is by chance alone, add {chance[label]}."
        for label, words in made.items()
    )
    read = replace(read, notes=(*read.notes, *lines), by_chance=out.by_chance + by_chance)
    read = replace(read, doubtful=out.unread, derived=out.derived | made.keys())
    return replace(read, titles=tuple(titles), other_sheets=others, unread=tuple(unread))


def read_each(paths: Sequence[Path], layout: Layout) -> dict[Path, CountFile]:
    """Read several tables; a column of labels that only others of them have is not asked of one."""
    if len(paths) < 2 or not layout.keys:
        return {path: read_counts(path, layout) for path in paths}
    names = {path: {name.casefold() for name in _columns(path, Layout(sheet=layout.sheet))[0]} for path in paths}
    every, files = set[str]().union(*names.values()), dict[Path, CountFile]()
    for path, own in names.items():
        keys = tuple(key for key in layout.keys if key.casefold() in own or key.casefold() not in every)
        files[path] = read_counts(path, replace(layout, keys=keys))
    return files


def read_cells(path: Path, layout: Layout) -> CountFile:
    """Read the cells of declared columns, one row per cell; nothing is taken for a total."""
    columns, layout, notes, _ = _columns(path, layout)
    cells, populations = _cells(path, columns, layout.keys, (layout.count,), layout)
    return CountFile(layout.keys, cells, (), frozenset(), populations, tuple(notes), layout)


def _columns(path: Path, layout: Layout) -> tuple[dict[str, list[str]], Layout, list[str], list[str]]:
    """Return the columns, the layout with their names as they stand there, notes of what is left out, and titles."""
    path = one_path("path", path)
    if path.is_char_device():
        raise SourceError(f"{path}: is a device, which may never end. Give a file.")
    of_kind("layout", layout, Layout, "a Layout, such as Layout(count='deaths')")
    rows, notes, titles, _ = body_of(path, layout.sheet)
    columns = {name: [row[at] for row in rows[1:]] for at, name in enumerate(rows[0])}

    def own(name: str) -> str:
        alike = [name] if name in columns or not name else [own for own in columns if own.casefold() == name.casefold()]
        if len(alike) != 1:
            raise UnknownNameError(f"{path}: column", name, list(columns))
        return alike[0]

    keys = tuple(map(own, layout.keys))
    layout = replace(layout, count=own(layout.count), population=own(layout.population), keys=keys)
    roles = [name for name in (layout.count, layout.population, *keys) if name]
    if len(set(roles)) < len(roles):
        raise InputError(f"{path}: column {max(roles, key=roles.count)!r} is named twice. Name each column once.")
    return columns, layout, notes, titles


class Body(NamedTuple):
    """The header and the rows below it; titles above and footnotes below, which are left out, and notes of these."""

    rows: list[list[str]]
    notes: list[str]
    above: list[str]
    below: list[str]


def body_of(path: Path, sheet: str = "") -> Body:
    """Return the part of a file that is a table."""
    grid = read_grid(path, sheet)
    filled = [row for row in grid if any(row)]
    width = max((len(row) - next(i for i, cell in enumerate(reversed(row)) if cell) for row in filled), default=0)
    rows = [[*row, *[""] * width][:width] for row in filled]
    start = next((at for at, row in enumerate(rows) if sum(map(bool, row[1:])) >= max(1, (width - 1) * 0.7)), 0)
    blank = _blank_between(grid, filled[start:])
    titles, rows, below = rows[:start], rows[start:], list[str]()
    while len(rows) > 1 and not any(rows[-1][1:]) and _is_footnote(rows[-1][0], rows[-2][0]):
        below.insert(0, rows.pop()[0])
    if len(rows) < 2 or width < 2:
        raise InputError(f"{path}: there is no table: give a row of names, labels, and counts below.")
    header = [name or ("" if at else CORNER) for at, name in enumerate(rows[0])]
    notes = list[str]()
    joined = _two_rows(titles[-1], rows[0]) if titles else None
    if joined:
        header, titles = joined, titles[:-1]
    elif "" in header and len(rows) > 2 and not any(map(NUMBER.fullmatch, rows[1])):
        joined = _two_rows(rows[0], rows[1])
        header, rows = (joined, rows[1:]) if joined else (header, rows)
    if joined:
        notes.append(f"Names in two rows, read as one: {', '.join(header)}.")
    again = [at for at, row in enumerate(rows[1:], 1) if row[1:] == rows[0][1:]]
    if again:
        raise InputError(f"{path}: row {again[0]} below the names has them again. Give one table per file.")
    twice = sorted({name for name in header if header.count(name) > 1})
    above = next((" | ".join(filter(None, row)) for row in titles if sum(map(bool, row)) > 1), "")
    if above and (twice or any(map(_is_count, header[1:]))):
        raise InputError(f"{path}: the names of the columns stand in several rows: {above!r}. Give them in one row.")
    if twice or "" in header:
        wrong = f"a column is named twice: {', '.join(twice)}" if any(twice) else "a column has no name"
        raise InputError(f"{path}: {wrong}. Give each column its own name in one row above the counts.")
    titled = [" ".join(filter(None, row)) for row in titles]
    notes += [f"{blank_rows_text(blank)}."] * bool(blank)
    notes += [f"Left out above the table: {text!r}." for text in titled]
    notes += [f"Left out below the table: {text!r}." for text in below]
    return Body([header, *rows[1:]], notes, titled, below)


def _blank_between(grid: Sequence[list[str]], table: Sequence[list[str]]) -> int:
    """Return how many rows of a file are blank in every cell between its names of columns and its last row."""
    if not table:
        return 0
    first, last = (next(at for at, row in enumerate(grid) if row is end) for end in (table[0], table[-1]))
    return sum(bool(row) and not any(row) for row in grid[first:last])  # an empty line of a text is no row


def _two_rows(above: Sequence[str], below: Sequence[str]) -> list[str] | None:
    """Return column names that are spread over two rows; None where the upper row has none.

    Each upper name has the same names below it, or other columns have one name for both rows.

    >>> _two_rows(["", "Male", "", "Female", ""], ["County", "n", "%", "n", "%"])
    ['County', 'Male, n', 'Male, %', 'Female, n', 'Female, %']
    >>> _two_rows(["County", "Age group", "", "Total"], ["County", "<18", "18+", "Total"])
    ['County', '<18', '18+', 'Total']
    """
    groups, names, group, has_one = dict[str, list[str]](), list[str](), "", False
    for at, (upper, lower) in enumerate(zip(above, below, strict=True)):
        if upper and lower in ("", upper):
            group, has_one = "", has_one or at > 0
            names.append(upper)
            continue
        if upper in groups or (group and not lower):
            return None
        if upper:
            group, groups[upper] = upper, []
        names.append(f"{group}, {lower}" if group else lower or ("" if at else CORNER))
        groups.get(group, []).append(lower)
    alike = len(set(map(tuple, groups.values()))) == 1
    if len(groups) > 1 and alike and len(below) > len(set(below)):
        return names
    if not (has_one and groups) or (above[0] and names[0] != above[0]):  # a title begins in the first column
        return None
    bare = [lower or name for name, lower in zip(names, below, strict=True)]
    return bare if len(groups) == 1 and len(set(bare)) == len(bare) else names


def _is_footnote(text: str, label_above: str) -> bool:
    """Whether a last row that has a first cell alone is no label: it reads as a note, or a total stands above it."""
    return bool(_FOOTNOTE.match(text)) or len(text.split()) > 4 or Layout().is_total(label_above)


def _is_count(text: str) -> bool:
    """Whether a text is a count or hides one, and no year."""
    reading = read_mark(text, {})
    year = text.isdigit() and 1900 <= int(text) <= 2100
    return reading is not None and not year and (reading.value is not None or reading == Reading(PRIMARY))


def _counts(columns: Mapping[str, Sequence[str]], layout: Layout) -> list[str]:
    """Name the columns that hold nothing but counts and marks."""
    names = []
    for name, texts in columns.items():
        readings = [read_mark(text, layout.marks) for text in dict.fromkeys(texts)]
        declared = name == layout.population or name in layout.keys
        if not declared and all(readings) and any(of and of.status != UNCLEAR for of in readings):
            names.append(name)
    return names


def _has_counts(texts: Sequence[str], layout: Layout) -> bool:
    """Whether a column has a count, or one that is hidden."""
    readings = (read_mark(text, layout.marks) for text in dict.fromkeys(texts))
    return any(reading is not None and reading.status != UNCLEAR for reading in readings)


def _is_key(name: str, texts: Sequence[str]) -> bool:
    """Whether a column of numbers is one of labels: week is, "week 19" and a year of other numbers are counts."""
    words = name.replace("_", " ")
    return bool(_KEY_NAMES.search(words)) and not (
        Layout().is_total(name)
        or any(map(str.isdigit, name))
        or _THIS.match(words)
        or _COUNTED.search(words)
        or no_years(name, texts)
    )


def _roles(path: Path, columns: Mapping[str, Sequence[str]], layout: Layout) -> tuple[list[str], list[str]]:
    """Return the columns of labels and those of counts; several of counts are a crosstab."""
    names = [name for name in columns if name != layout.population]
    running = [name for name in names if layout.is_running(name) and name not in layout.keys]
    if moved := [name for name in layout.keys[1:] if any(map(says_moved, columns[name]))]:
        raise InputError(f"{path}: {moved[0]!r} says by how much counts changed, which gives them away: take it out.")
    if layout.count:
        counts = [name for name in names if name in {layout.count, *running}]
        others = [
            name for name in _counts(columns, layout) if not _is_key(name, columns[name])
        ]  # of other measures, no labels
        keys = list(layout.keys) or [name for name in names if name not in counts and name not in others]
    elif layout.keys:
        keys, others = list(layout.keys), [name for name in names if name not in layout.keys]
        counts = [name for name in others if _has_counts(columns[name], layout)] or others
    else:
        filled = _counts(columns, layout)
        called = [name for name in names if name.casefold() in COUNT_NAMES]
        possible = [name for name in filled if name != CORNER and (name in running or not _is_key(name, columns[name]))]
        counts = [name for name in names if name in {*called, *running}] if len(called) == 1 else possible
        keys = [name for name in names if name not in counts]
        if any(name not in counts for name in possible) and _after_labels(names, possible):
            counts, keys = possible, [name for name in names if name not in possible]  # several measures
        doubtful = [name for name in possible if name not in counts]
        if len(counts) == 1 and layout.is_total(counts[0]):  # the others are what it is the total of
            doubtful = [name for name in filled if name not in counts]
        one_each = len(counts) - len(running) <= 1
        if doubtful or (len(counts) > 1 and not one_each and not _after_labels(names, counts)):
            advice = _nearly_counts(columns, keys, layout) or _advice(columns, layout)
            raise InputError(f"{path}: columns that may be counts: {', '.join(filled)}. {advice}")
    broken = "" if layout.keys and counts else _nearly_counts(columns, keys if counts else names, layout)
    if not counts or not keys:
        missing = "labels" if counts else "counts"
        raise InputError(f"{path}: no column of {missing} was found. {broken or _advice(columns, layout)}")
    if broken:
        raise InputError(f"{path}: {broken}")
    return keys, counts


def _after_labels(names: Sequence[str], counts: Sequence[str]) -> bool:
    """Whether the columns of counts come after those of labels, and there are some."""
    return 0 < len(counts) < len(names) and list(counts) == list(names[-len(counts) :])


def _advice(columns: Mapping[str, Sequence[str]], layout: Layout) -> str:
    """Say how to name the columns of labels, all that hold no counts, or the column of counts."""
    names = [name for name in columns if name != layout.population]
    filled = _counts(columns, layout)
    text = next((at for at, name in enumerate(names) if name not in filled), 0)  # numbers before it are codes
    counts = (at for at, name in enumerate(names) if at >= text and name in filled and not _is_key(name, columns[name]))
    first = next(counts, len(names))
    codes = [name for name in names[:first] if not _WHOLE.match(name)]  # a week, a code; no sum
    codes += [name for name in names[first:] if name in filled and _CODE.search(name.replace("_", " "))]
    counted = [name for name in filled if not _is_key(name, columns[name])]
    labels = [
        name for name in names if (name not in filled or name in codes) and not any(map(says_moved, columns[name]))
    ]
    labels = labels or names[:1]
    which = f"Name the columns of labels, such as {ask('keys', *labels, option='--key')}"
    return (
        f"{which}."
        if layout.count
        else f"{which}, or the column of counts, such as {ask('count', *(counted or filled or names)[-1:])}."
    )


def _nearly_counts(columns: Mapping[str, Sequence[str]], names: Sequence[str], layout: Layout) -> str:
    """Say which text keeps a column without a name of labels from being one of counts; empty where none does."""
    for name in names:
        readings = {
            text: read_mark(text, layout.marks) for text in dict.fromkeys(columns[name]) if not layout.is_total(text)
        }
        unread = [text for text, reading in readings.items() if reading is None]
        counts = [reading for reading in readings.values() if reading and reading.value is not None]
        numbers = counts and all(re.fullmatch(r"-?[\d.,]+", text) for text in unread)
        if unread and (numbers or len(counts) > len(unread)) and not _is_key(name, columns[name]):
            text = _neither(unread[0])
            if any(map(says_moved, unread)):
                return f"In column {name!r}, {text} or, if it says what changed, take the column out of the file."
            means, labels = _mark(unread[0]), ask("keys", name, option="--key")
            return f"In column {name!r}, {text} say what it means ({means}), or, if these are labels, add {labels}."
    return ""


def _mark(mark: str, meaning: str = "hidden") -> str:
    return ask("marks", f"{mark[:40]}={meaning}", option="--mark")


def _neither(text: str) -> str:
    return f"{text[:40]!r} is neither a whole number of 0 or more nor a known mark. Correct it,"


def read_columns(
    path: Path,
    columns: Mapping[str, Sequence[str]],
    keys: Sequence[str],
    counts: Sequence[str],
    layout: Layout,
    left_out: list[str],
    hidden: Mapping[Key, int] = MappingProxyType({}),
) -> CountFile:
    """Return the table of columns whose roles are known; ``left_out``: notes of what was; ``hidden``: known counts."""
    cells, populations = _cells(path, columns, keys, counts, layout)
    notes = [f"Read as labels: {', '.join(keys)}; as counts: {', '.join(counts)}.", *left_out]
    full = {
        key: of._replace(value=hidden[key]) if of.status == PRIMARY and key in hidden else of
        for key, of in cells.items()
    }
    sums, parents = found_sums(path, full, layout), found_parents(full, layout)
    found = found_relations(full, sums, layout)
    nothing = read_mark(ABSENT, layout.marks) or Reading(UNCLEAR, mark=ABSENT)
    relations = (*total_relations(cells, parents, layout, sums, nothing), *found)
    notes += [f"Found, and used: {words}." for words in dict.fromkeys(relation.why for relation in found)]
    across = any(total[-1] != part[-1] for total, parts, _ in relations for part in parts)
    if len(counts) > 1 and not across:
        notes.append(f"Each of these columns is read as counts. If only one is, add {ask('count', 'COLUMN')}.")
    if codes := [name for name in counts if _GROUP.fullmatch(name.replace("_", " "))]:
        labels = ask("keys", *keys, *codes, option="--key")
        notes.append(f"Read as counts: {', '.join(codes)}. If these are codes of groups, add {labels}.")
    unclear = {cell.mark: key for key, cell in cells.items() if cell.status == UNCLEAR}
    if unclear:
        marks, key, mark = " and ".join(map(repr, unclear)), next(iter(unclear.values())), next(iter(unclear))
        means = f"Say whether it is hidden, zero or missing, such as {_mark(mark, 'zero')}."
        raise InputError(f"{path}: what {marks} means is not clear, as in {named(key)}. {means}")
    totals = set(filter(layout.is_total, {label for key in cells for label in key}))
    margins = frozenset(key for key in cells if not totals.isdisjoint(key))
    alone = margins.difference(*((relation.total, *relation.parts) for relation in relations))
    if alone and len(alone) < len(cells):
        advice = f"Leave it out, or name each column of labels ({ask('keys', option='--key')})."
        raise InputError(f"{path}: total {named(min(alone))} has no parts in its own line to test it. {advice}")
    if not relations:
        notes.append("No total was found: nothing adds up here. Totals published elsewhere are not audited.")
    names = (*keys, "column") if len(counts) > 1 else tuple(keys)
    read = CountFile(
        names, cells, relations, margins, populations, tuple(notes), layout, columns, tuple(counts), parents
    )
    return replace(read, adding=_adding(full, relations, counts))


def _adding(cells: Mapping[Key, Reading], relations: Sequence[Relation], counts: Sequence[str]) -> frozenset[str]:
    """Return the labels that may name a rate, but whose counts, all known, add up to a total that is no 100%."""
    keys = set[Key]()
    for total, parts, _ in relations:
        values = [cells[key].value for key in (total, *parts) if key in cells]
        if len(parts) > 1 and None not in values and len(values) > len(parts) and not is_whole(values[0] or 0):
            keys |= {total, *parts}
    labels = {label for key in keys for label in key} | (set(counts) if keys and len(counts) == 1 else set())
    return frozenset(label for label in labels if says_rate(label) and not says_strongly(label))


def _places(
    columns: Mapping[str, Sequence[str]], keys: Sequence[str], counts: Sequence[str]
) -> Iterator[tuple[int, str, Key]]:
    """Yield the row and column of each cell, with its key."""
    for at, labels in enumerate(zip(*(columns[name] for name in keys), strict=True)):
        for name in counts:
            yield at, name, (*labels, name) if len(counts) > 1 else labels


def _telling_apart(columns: Mapping[str, Sequence[str]], keys: Sequence[str]) -> list[str]:
    """Return the columns of labels and as many of the next ones as tell all rows apart."""
    names, rows = list(keys), len(columns[keys[0]])
    for name in (own for own in columns if own not in keys):
        if len(set(zip(*(columns[own] for own in names), strict=True))) == rows:
            break
        names.append(name)
    return names


def _cells(
    path: Path, columns: Mapping[str, Sequence[str]], keys: Sequence[str], counts: Sequence[str], layout: Layout
) -> tuple[dict[Key, Reading], dict[Key, int]]:
    """Return what each cell says, and the population of each."""
    cells, populations = dict[Key, Reading](), dict[Key, int]()
    readings = {text: read_mark(text, layout.marks) for name in counts for text in set(columns[name])}
    for at, name, key in _places(columns, keys, counts):
        if "" in key:
            blank = keys[key.index("")]
            rest = ask("keys", *(name for name in keys if name != blank), option="--key")
            advice = f"Fill the labels down, write Total in a row of totals, or leave the column out: add {rest}."
            raise InputError(f"{path}: row {at + 1} below the names has no label in {blank!r}. {advice}")
        if key in cells:
            apart = ask("keys", *_telling_apart(columns, keys), option="--key")
            raise InputError(f"{path}: {named(key)} is there twice. Name each column of labels, such as {apart}.")
        cell = readings[columns[name][at]]
        if cell is None:
            means = _mark(columns[name][at])
            raise InputError(f"{path}: {named(key)}: {_neither(columns[name][at])} or say what it means ({means}).")
        cells[key] = cell
        people = columns[layout.population][at] if layout.population else ""
        if people and not NUMBER.fullmatch(people):
            raise InputError(f"{path}: {named(key)}: the population {people[:40]!r} is not a whole number.")
        populations |= {key: int(re.sub(r"\D", "", people))} if people else {}
    return cells, populations
