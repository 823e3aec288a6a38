"""Several tables of counts as one: files that share cells or margins, and what is published week by week."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from policy_sim.tables.files import CountFile
from policy_sim.tables.marks import Reading
from policy_sim.tables.running import (
    Dimension,
    goes_on,
    measures,
    of_another_year,
    running_labels,
    says_running,
    totals_of_week,
)
from policy_sim.tables.table import MISSING, PRIMARY, PUBLISHED, ZERO, Key, Relation, named
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError

IMPLIED = "implied"  # the mark of a count that no table shows, though counts of other weeks imply it
SUM = "sum"  # the mark of what both sides of an equation add up to, which no table shows
MAY_BE_ZERO = "may be zero"  # the mark of a hidden count in a table that hides zeros too
_YEAR_WEEK = re.compile(r"(?P<year>\d{4})\s*(?:-\s*|/\s*|,?\s+)?(?:mmwr\s*)?(?:w|wk|week)\s*\.?(?P<week>\d{1,2})", re.I)
_WEEK_YEAR = re.compile(r"(?:mmwr|w|wk|week|mmwr week)\s*\.?\s*(?P<week>\d{1,2})(?:\s*[-/,]?\s*(?P<year>\d{4}))?", re.I)
_LAST_WEEK = re.compile(r"\b(last|previous|prior|preceding) week\b|\b(previous|prior)(?! ?\w)|\bweek before\b", re.I)
_MEASURES = {"measure", "indicator", "metric", "statistic", "period"}  # names of columns that say what is counted
_SEASON = 40  # the week in which a season of respiratory diseases begins
_US_DATE = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")

Span = tuple[int, int]  # the first and last week, as numbers that count weeks


def week_of(day: date) -> int:
    """Return the number of the MMWR week of a day: weeks begin on Sunday and are counted without a gap."""
    return day.toordinal() // 7


def week_number(year: int, week: int) -> int:
    """Return the number of an MMWR week; week 1 is the first with four days or more in its year.

    >>> week_text(week_number(2020, 53)), week_text(week_number(2020, 53) + 1)
    ('2020-W53', '2021-W01')
    """
    number = week_of(date(year, 1, 4)) + week - 1
    if not 1 <= week <= 53 or week_text(number) != f"{year}-W{week:02}":
        raise InputError(
            f"{ask('week', f'{year}-W{week:02}')}: {year} has no such week. MMWR weeks run from 1 to 52 or 53."
        )
    return number


def week_text(number: int) -> str:
    """Write a week: the year of its Wednesday, which has four of its days at least, and its number there."""
    wednesday = date.fromordinal(number * 7) + timedelta(3)
    return f"{wednesday.year}-W{(wednesday.timetuple().tm_yday - 1) // 7 + 1:02}"


def read_week(text: str, year: int | None = None) -> int | None:
    """Read a week such as 2025-W10, MMWR 10 2025, or a date in it; None where the text is none.

    >>> {week_text(read_week(text)) for text in ("2025-W10", "MMWR 10 2025", "week 10, 2025", "2025-03-05", "3/8/2025")}
    {'2025-W10'}
    """
    plain = " ".join(text.split())
    if match := _YEAR_WEEK.fullmatch(plain) or _WEEK_YEAR.fullmatch(plain):
        whose = int(match["year"]) if match["year"] else year
        return None if whose is None else week_number(whose, int(match["week"]))
    if match := _US_DATE.fullmatch(plain):
        plain = f"{match[3]}-{int(match[1]):02}-{int(match[2]):02}"
    try:
        return week_of(date.fromisoformat(plain[:10])) if re.match(r"\d{4}-\d\d-\d\d", plain) else None
    except ValueError:
        return None


def week_in(name: str) -> str:
    """Return the one week that the name of a file or sheet has, in the form 2025-W10; empty where it has none.

    >>> week_in("measles 2025-W11 final.csv"), week_in("flu_2025-03-05"), week_in("week10.csv")
    ('2025-W11', '2025-W10', '')
    """
    found = re.findall(r"(?<!\d)(?:\d{4}[ _-]?[Ww]\d{1,2}|\d{4}-\d\d-\d\d)(?!\d)", name)
    weeks = {read_week(re.sub(r"(\d{4})[ _-]?[Ww]", r"\1-W", text)) for text in found} - {None}
    return week_text(next(iter(weeks))) if len(weeks) == 1 else ""  # type: ignore[arg-type]


def _span_text(span: Span) -> str:
    first, last = map(week_text, span)
    return first if first == last else f"{first} to {last}"


class Source(NamedTuple):
    """A table among others. ``week``: of all its counts; ``since``: the first week of its running totals."""

    name: str
    file: CountFile
    issue: int = 0  # which publication it is part of
    week: int | None = None
    since: int | None = None
    corrected: bool = False  # it may say something else than was published before
    out: bool = False  # it is published: what it shows cannot be hidden any more


class Linked(NamedTuple):
    """All tables as one: the cells under common names, and those names for the cells of each table."""

    file: CountFile
    keys: tuple[Mapping[Key, Key], ...]
    fixed: frozenset[Key]  # shown by a table that is out
    corrections: tuple[Key, ...]  # cells that say something else than was published before


@dataclass
class _Places:
    """How the cells of one table are named among all: its columns, which of them is time, which labels say nothing."""

    source: Source
    names: Sequence[str]  # of its columns, common to all tables
    weeks: dict[str, int]  # of the labels of its column of weeks
    at: int | None  # the column of weeks
    words: int | None  # the column that tells this week from running totals
    others: Mapping[str, str]  # what else its labels say, where not all say the same
    running: Collection[str]  # labels that count all weeks so far
    guessed: Collection[str]  # those of them that the numbers alone say

    def of(self, key: Key) -> tuple[Key, Span | None]:
        """Return the labels that tell the cell apart, totals left out, and its weeks."""
        file = self.source.file
        words = self.words
        times = (self.at, None if words is None or of_another_year(key[words], self._year) else words)
        own_labels = {at: of for at, of in enumerate(key) if not file.layout.is_total(of) and at not in times}
        if self.words is not None and self.words in times and (other := self.others.get(key[self.words])):
            own_labels[self.words] = other
        above = {up for at in own_labels for up in file.parents.get(at, {})}  # a county says its region
        labels = {f"{self.names[at]} {label}".strip() for at, label in own_labels.items() if at not in above}
        return tuple(sorted(labels)), self._span(key)

    @property
    def _year(self) -> int | None:
        return None if self.source.week is None else int(week_text(self.source.week)[:4])

    def _span(self, key: Key) -> Span | None:
        source, layout = self.source, self.source.file.layout
        week = source.week
        if self.at is not None:
            if layout.is_total(key[self.at]):
                first, last = min(self.weeks.values()), max(self.weeks.values())
                if last - first + 1 != len(set(self.weeks.values())):
                    raise InputError(
                        f"{source.name}: a week is missing, so the total of its weeks covers no known span."
                    )
                return first, last
            week = self.weeks[key[self.at]]
        word = source.file.counts[0] if self.words is None else key[self.words]
        running, before = word in self.running, self.words is not None and bool(_LAST_WEEK.search(word))
        if week is None:
            if running:
                raise InputError(f"{source.name}: running totals need their week. Name it, such as 2025-W10.")
            return None
        since = _begun(week, word) if source.since is None else source.since
        week -= before
        if running and before and since > week:
            raise InputError(
                f"{source.name}: {word!r} ends before {week_text(since)}, when counting began. Leave it out."
            )
        if since > week and not before:
            weeks = f"week {week_text(week)} is before {week_text(since)}, when counting began"
            raise InputError(f"{source.name}: {weeks}.")
        return (since, week) if running else (week, week)


def _begun(week: int, word: str) -> int:
    """Return when a running total began that nobody says: with the year, or in week 40, where it is of a season."""
    year, number = map(int, week_text(week).split("-W"))
    if "season" in word.casefold():
        return week_number(year - (number < _SEASON), _SEASON)
    return week_number(year, 1)


def _dimension(source: Source, at: int | None) -> Dimension:
    """Return the counts of a table along one of its columns of labels; without one, of its only column of counts."""
    file, year = source.file, None if source.week is None else int(week_text(source.week)[:4])
    declared = file.layout.running
    if at is None:
        alone = {key: {file.counts[0]: cell.value} for key, cell in file.cells.items()}
        return Dimension(source.name, alone, source.week, year, declared)
    lines, sums = dict[Key, dict[str, int | None]](), dict[str, set[str]]()
    for key, cell in file.cells.items():
        lines.setdefault((*key[:at], *key[at + 1 :]), {})[key[at]] = cell.value
    for total, parts, _ in file.relations:
        if any(part[at] != total[at] for part in parts):
            sums.setdefault(total[at], set()).update(part[at] for part in parts)
    labels = {key[at] for key in file.cells}
    totals, whole = set(filter(file.layout.is_total, labels)), totals_of_week(labels, sums)
    guesses = file.keys[at] == "column" or file.keys[at].casefold() in _MEASURES
    rows = {row for row in lines if any(map(file.layout.is_total, row))}
    return Dimension(source.name, lines, source.week, year, declared, totals, whole, guesses, rows)


def _with_totals(tables: Sequence[Dimension]) -> list[Dimension]:
    """Return the tables; one whose numbers are too few to tell its total has that of a table with the same labels."""
    seen = {tuple(table.labels): table.totals for table in tables if table.totals}
    return [table._replace(totals=table.totals or seen.get(tuple(table.labels), ())) for table in tables]


def _says_when(source: Source) -> int | None:
    """Return which column of labels tells this week from running totals; None where none does."""
    file = source.file
    for at, name in enumerate(file.keys):
        labels = {key[at] for key in file.cells}
        if (name == "column" and len(labels) == len(file.counts) > 1) or name.casefold() in _MEASURES:
            return at
    for at in range(len(file.keys)):
        labels = {key[at] for key in file.cells}
        says = {label for label in labels if says_running(label) or label in file.layout.running}
        if says and len(says) < len(labels):
            return at
    return None


def _places(sources: Sequence[Source], timed: bool) -> Iterator[_Places]:
    """Name the columns of each table; a column without a name is that of another table with the same labels."""
    labels: dict[str, set[str]] = defaultdict(set)
    for source in sources:
        for at, name in enumerate(source.file.keys):
            if name not in ("row", "column"):
                labels[name.casefold()] |= {key[at] for key in source.file.cells}
    dims = _with_totals([_dimension(source, _says_when(source)) for source in sources] if timed else [])
    running, guessed, added = running_labels(dims)

    def says_when(label: str) -> bool:
        return label in running or bool(_LAST_WEEK.search(label))

    _refuse_going_on(sources, dims, running)
    for number, source in enumerate(sources):
        file, names = source.file, list[str]()
        weeks, time, words, others = dict[str, int](), None, None, dict[str, str]()
        for at, name in enumerate(file.keys):
            own = dict.fromkeys(key[at] for key in file.cells if not file.layout.is_total(key[at]))
            unnamed = name in ("row", "column")
            same = [other for other, of in labels.items() if len(of & own.keys()) > len(own) / 2] if unnamed else []
            names.append(same[0] if same else "" if unnamed else name.casefold())
            year = None if source.week is None else int(week_text(source.week)[:4])
            prefix = "week " if "week" in name.casefold() else ""
            of = {label: read_week(prefix * label.isdigit() + label, year) for label in own} if timed else {}
            if of and None not in of.values():
                weeks, time = {label: week for label, week in of.items() if week is not None}, at
        says = _says_when(source) if timed else None
        if says is not None and says != time and any(map(says_when, dims[number].labels)):
            words, others = says, measures(dims[number], running, added)
        yield _Places(source, names, weeks, time, words, others, running, guessed)


def _refuse_going_on(sources: Sequence[Source], dims: Sequence[Dimension], running: Collection[str]) -> None:
    """Refuse a first table of a year whose running totals are not less than those of the year before: which begin?"""
    out = [(source, dim) for source, dim in zip(sources, dims, strict=False) if source.out]
    for source, new in zip(sources, dims, strict=False):
        for label in new.labels if not source.out and source.since is None else ():
            before = [(of, old) for of, old in out if label in running and label in old.labels]
            if not before or source.week is None or of_another_year(label, new.year):
                continue
            of, old = before[-1]
            now, then = _begun(source.week, label), of.since
            then = _begun(of.week, label) if then is None and of.week is not None else then
            if then is not None and of.week is not None and then < now and goes_on(old, new, label):
                on, again = (ask("since", week_text(week)) for week in (then, now))
                raise InputError(
                    f"{source.name}: no count of {label!r} is less than in {week_text(of.week)}, the year before. If "
                    f"they count on, add {on}; if they began again, add {again}."
                )


def check_weeks(sources: Sequence[Source]) -> None:
    """Refuse a last table that names no week after tables that do: nobody could tell what it is a part of."""
    *before, last = _places(sources, True)
    if any(_has_week(places) for places in before) and not _has_week(last):
        week = ask("week", "2025-W10")
        raise InputError(
            f"{last.source.name}: the ledger has tables of weeks, and this one names none. Add its week ({week}), or "
            "choose another ledger for a table that is of no week."
        )


def _has_week(places: _Places) -> bool:
    return places.source.week is not None or places.at is not None


@dataclass
class _Links:
    """What is known so far: cells, and for the labels of a cell which weeks have a count under which key."""

    cells: dict[Key, Reading] = field(default_factory=dict)
    relations: dict[Relation, None] = field(default_factory=dict)
    margins: set[Key] = field(default_factory=set)
    populations: dict[Key, int] = field(default_factory=dict)
    issues: dict[Key, int] = field(default_factory=dict)
    spans: dict[Key, dict[Span | None, Key]] = field(default_factory=lambda: defaultdict(dict))
    fixed: set[Key] = field(default_factory=set)
    corrections: dict[Key, None] = field(default_factory=dict)
    guessed: Collection[str] = ()

    def add(self, places: _Places) -> dict[Key, Key]:
        """Add a table; return the common name of each of its cells."""
        source, keys = places.source, dict[Key, Key]()
        for own, reading in source.file.cells.items():
            base, span = places.of(own)
            keys[own] = key = self._put(base, span, reading, source)
            if own in source.file.margins and (span is None or span[0] == span[1]):
                self.margins.add(key)  # running totals may be hidden
            if own in source.file.populations:
                self.populations[key] = source.file.populations[own]
            if source.out and reading.status in (PUBLISHED, ZERO):
                self.fixed.add(key)
        for total, parts, why in source.file.relations:
            mapped = tuple(keys[part] for part in parts)
            if keys[total] not in mapped and len(set(mapped)) == len(mapped):
                self.relations[Relation(keys[total], mapped, why)] = None
        return keys

    def _put(self, base: Key, span: Span | None, reading: Reading, source: Source) -> Key:
        key = self.spans[base].get(span)
        stays = key is not None and not source.out and self.issues[key] < source.issue
        if key is not None and self.cells[key].mark == IMPLIED and span is not None:
            self.cells[key] = _agreed(self.cells[key], reading, stays) or self.cells[key]
            self.issues[key] = source.issue
        if key is not None:
            agreed = _agreed(self.cells[key], reading, stays)
            if agreed is not None:
                self.cells[key] = agreed
                return key
            if self.issues[key] == source.issue:
                advice = "Correct one of the two, or leave the column out that counts other weeks"
                raise InputError(f"{source.name}: {named(key)} is not what another table or column says. {advice}.")
            if not source.corrected:
                change = f"{named(key)} is not what was published before"
                raise InputError(f"{source.name}: {change}. If it is a correction, add {ask('corrected')}.")
            for other in [of for of in self.spans[base] if of and span and of[0] <= span[0] and span[1] <= of[1]]:
                if other != span and self.issues[self.spans[base][other]] < source.issue:
                    del self.spans[base][other]  # it counts what was known before
        new = (*(base or ("Total",)), *([_span_text(span)] if span else []))
        if new in self.cells:
            new = (*new, f"corrected in {source.issue}")
            self.corrections[new] = None
        self.spans[base][span], self.cells[new], self.issues[new] = new, reading, source.issue
        return new

    def add_weeks(self, source: Source) -> None:
        """Relate the counts of weeks and the running totals that a publication touches."""
        for base, spans in self.spans.items():
            if any(span and self.issues[key] == source.issue for span, key in spans.items()):
                self._relate(base, {span: key for span, key in spans.items() if span}, source)

    def _relate(self, base: Key, counted: dict[Span, Key], source: Source) -> None:
        edges = sorted({edge for first, last in counted for edge in (first, last + 1)})
        units = [(first, after - 1) for first, after in pairwise(edges)]
        covers = {unit: frozenset(of for of in counted if of[0] <= unit[0] and unit[1] <= of[1]) for unit in units}
        groups: dict[frozenset[Span], list[Span]] = defaultdict(list)
        for unit in units:
            if covers[unit] and unit not in counted:
                groups[covers[unit]].append(unit)
        keys = dict(counted)
        for alike in groups.values():  # counts that no table shows; those in the same sums are one
            text = " and ".join(map(_span_text, alike))
            key = (*(base or ("Total",)), text)
            again = len(alike) == 1 and key in self.cells  # it was known otherwise before a correction
            keys |= dict.fromkeys(alike, (*key, f"corrected in {source.issue}") if again else key)
        sums = {of: tuple(dict.fromkeys(_cover(of, keys))) for of in sorted(counted) if of not in units}
        missing = {keys[unit] for alike in groups.values() for unit in alike} - self.cells.keys()
        for _ in range(len(missing)):
            for of, parts in sums.items():
                self._derive(counted[of], parts, missing, source)
        if missing:
            raise InputError(f"{source.name}: the count of {named(min(missing))} cannot be computed. Give it too.")
        for alike in groups.values():
            if len(alike) == 1:
                self.spans[base][alike[0]] = keys[alike[0]]
        for of, parts in sums.items():
            self._sum(counted[of], parts, source)

    def _rest(self, total: Key, parts: Iterable[Key]) -> int | None:
        """Return what parts leave of a total; None where a count of them is not known."""
        numbers = [self.cells[key].value for key in (total, *parts)]
        return None if None in numbers else 2 * (numbers[0] or 0) - sum(number or 0 for number in numbers)

    def _derive(self, total: Key, parts: Sequence[Key], missing: set[Key], source: Source) -> None:
        """Give a count that no table shows its value, where it is the only one of a sum that has none."""
        unknown = [part for part in parts if part in missing]
        if len(unknown) == 1:
            value = self._rest(total, (part for part in parts if part not in unknown))
            if value is not None and value < 0 and not source.corrected:
                self._refuse_sum(source, total, value)
            missing.discard(unknown[0])
            self.cells[unknown[0]] = Reading(PRIMARY, None if value is None else max(value, 0), mark=IMPLIED)
            self.issues[unknown[0]] = source.issue

    def _sum(self, total: Key, parts: tuple[Key, ...], source: Source) -> None:
        relation, rest = Relation(total, parts, "weeks"), self._rest(total, parts)
        missing = MISSING in [self.cells[key].status for key in (total, *parts)]
        if relation in self.relations or total in self.corrections or missing:
            return
        if not rest:
            self.relations[relation] = None
        elif source.corrected:
            self.corrections[total] = None
        else:
            self._refuse_sum(source, total, rest)

    def _refuse_sum(self, source: Source, total: Key, rest: int) -> None:
        count, none = self.cells[total].value or 0, ask("running", "none")
        names = " and ".join(map(repr, sorted(self.guessed)))
        raise InputError(
            f"{source.name}: {named(total)} is {count:,}, but the counts of its weeks add up to {count - rest:,}. "
            f"Correct them, publish the corrected weeks too, or, if it is a correction, add {ask('corrected')}."
            + (f" If {names} counts one week alone, add {none}." if names else "")
        )


def _cover(span: Span, keys: Mapping[Span, Key]) -> Iterator[Key]:
    """Yield the keys of the longest spans that fill a span, from its first week on."""
    at = span[0]
    while at <= span[1]:
        last = max(of[1] for of in keys if of[0] == at and of[1] <= span[1] and of != span)
        yield keys[at, last]
        at = last + 1


def _agreed(old: Reading, new: Reading, stays: bool) -> Reading | None:
    """Return what two tables say together of a cell; None where they contradict each other.

    ``stays``: the second is not out yet, and what the first hides stays hidden.
    """
    values = {cell.value for cell in (old, new) if cell.value is not None}
    greatest = min((cell.greatest for cell in (old, new) if cell.greatest is not None), default=None)
    least = max(old.least, new.least)
    if len(values) > 1 or any(value < least or (greatest is not None and value > greatest) for value in values):
        return None
    if MISSING in (old.status, new.status):
        return old if old.status == new.status else None
    public = [cell for cell in (old, new) if cell.status in (PUBLISHED, ZERO)]
    if public and not (stays and old.status == PRIMARY):
        return public[0]
    mark = MAY_BE_ZERO if MAY_BE_ZERO in (old.mark, new.mark) else old.mark if stays else ""
    return Reading(PRIMARY, min(values, default=None), least, greatest, mark)


def link(sources: Sequence[Source], timed: bool = False) -> Linked:
    """Put tables together: what they share is one cell, and what adds up between them is a relation.

    ``timed``: the labels that are weeks say when, and running totals are sums of weeks (a ledger).
    """
    if len(sources) == 1 and not timed:
        file = sources[0].file
        return Linked(file, ({key: key for key in file.cells},), frozenset(), ())
    placed, keys = list(_places(sources, timed)), list[Mapping[Key, Key]]()
    guessed = sorted(placed[-1].guessed) if placed else []
    links = _Links(guessed=guessed)
    for at, places in enumerate(placed):
        keys.append(links.add(places))
        if at + 1 == len(placed) or placed[at + 1].source.issue != places.source.issue:
            links.add_weeks(places.source)
    notes = [f"{source.name}: {note}" for source in sources if not source.out for note in source.file.notes]
    notes += _between(links, placed, keys)
    if guessed:
        notes.append(
            f"Read as counts of all weeks so far, as the numbers say: {', '.join(guessed)}. If each is of one week "
            f"alone, add {ask('running', 'none')}."
        )
    whole = CountFile(
        ("cell",), links.cells, tuple(links.relations), frozenset(links.margins), links.populations, tuple(notes)
    )
    return Linked(whole, tuple(keys), frozenset(links.fixed), tuple(links.corrections))


def _between(links: _Links, placed: Sequence[_Places], keys: Sequence[Mapping[Key, Key]]) -> Iterator[str]:
    """Relate the cells of a table to those of another that divides them further, where the counts add up."""
    for (own, places), (other, of) in itertools.permutations(enumerate(placed), 2):
        named_columns = {name for name in of.names if name}
        if not named_columns < set(places.names) or of.source.issue != places.source.issue:
            continue
        sums = list(_sums(links, places, keys[own], of, keys[other]))
        wrong = next((relation for relation in sums if not _fits(links, relation)), None)
        if wrong:
            end = f"{named(wrong.total)} does not add up"
            yield f"Counts of {of.source.name} are not taken for totals of {places.source.name}: {end}."
        elif sums:
            links.relations |= dict.fromkeys(sums)
            yield f"Counts of {of.source.name} are taken for totals of {places.source.name}: they add up."


def _sums(
    links: _Links, places: _Places, keys: Mapping[Key, Key], of: _Places, totals: Mapping[Key, Key]
) -> Iterator[Relation]:
    """Yield each count of one table with the cells of another that it may be the total of."""
    file = places.source.file
    leaves = {keys[key]: places.of(key) for key in file.cells if key not in file.margins}
    counted = {(relation.total, frozenset(relation.parts)) for relation in links.relations}
    inside = set(keys.values())  # a table that has this total itself
    for own, total in totals.items():
        base, span = of.of(own)
        parts = [leaf for leaf, (labels, when) in leaves.items() if set(base) <= set(labels) and when == span]
        if len(parts) > 1 and total not in inside and (total, frozenset(parts)) not in counted:
            yield Relation(total, tuple(parts), of.source.name)


def _fits(links: _Links, relation: Relation) -> bool:
    total, parts = links.cells[relation.total].value, [links.cells[part].value for part in relation.parts]
    seen = sum(value or 0 for value in parts)
    return total is None or (seen <= total if None in parts else seen == total)
