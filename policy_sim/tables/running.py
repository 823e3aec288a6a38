"""Running totals: which columns of a weekly table count all weeks so far, and which column of the week each is of.

Some words say so. Others may, and are believed where the numbers agree: a running total is never less than the week,
nor than last week's, whatever it is called.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from policy_sim.records.published import MONTH, spaced
from policy_sim.tables.table import Key
from policy_sim.words.errors import InputError

NONE = "none"  # declared: no column has running totals
_SAYS = re.compile(
    r"\b(cumulative(ly)?|cum(e|ul?)?|[cf]?ytd\d*|(year |season )?(?<!up )to date|running totals?|so far|accum(ulated)?"
    rf"|since \w+( \d+)?|(mmwr )?(weeks?|wks?|w) ?0?1 ?([-–]|to|thru|through) ?(weeks?|wks?|w)? ?\d+"
    rf"|(through|thru|until) (the )?"
    rf"((mmwr|epi\w*|end|week|wk|w|date|today|yesterday|{MONTH})\b[ \d,]*|\d+[/-]\S*))",
    re.I,
)
_MAY = re.compile(
    r"\b((this |current |\d{4}[-/]\d\d(\d\d)? |20\d\d )?season( totals?)?|this year|current year|year|20\d\d"
    rf"|grand total|totals?|all|overall|outbreak|ever|as of (the )?(\w*week|{MONTH}|\d+[/-])\S*( \d+)?)\b",
    re.I,
)
_ALONE = re.compile(r"\b(this|current|20\d\d) (season|year)|\bseason( totals?)?$", re.I)
_OF_WEEK = re.compile(
    r"\b(weekly|new(ly)?|incident|(this|current|reporting|last|previous|prior) (week|wk|month|quarter)|this|current"
    r"|(in )?(mmwr |epi )?(week|wk)( of)?( ?\d+)?|(mmwr|w) ?\d+|(last|past) 7 days|7 day)\b",
    re.I,
)
OTHER_YEAR = re.compile(r"\b(last|previous|prior|preceding) (years?|seasons?)\b|\byear (before|ago)\b", re.I)
_YEAR = re.compile(r"(?<![-/\d])(20\d\d)\b(?![-/]\d)")
_ENOUGH = 6  # counts that are never less than last week's, for a column whose name says nothing
_SEEN = 3  # different counts that are the ones before and the week's, or not less than the year before
_DOUBTS = 4  # one count in four that is less says that a column whose name says little has no running totals


class Dimension(NamedTuple):
    """The labels of one table that may say when, with its counts by line; ``week``: of the table."""

    name: str
    lines: Mapping[Key, Mapping[str, int | None]]
    week: int | None
    year: int | None
    declared: Collection[str]
    called_totals: Collection[str] = ()  # labels that say that they are the sum of all others
    totals: Collection[str] = ()  # those that are, whatever they say, of all others of the week
    guesses: bool = True  # numbers may say that a label is a running total
    sums: Collection[Key] = ()  # lines of totals: a correction of a part is seen there again

    @property
    def labels(self) -> list[str]:
        """The labels, in their order."""
        return list(dict.fromkeys(label for line in self.lines.values() for label in line))

    def measure(self, label: str) -> str:
        """Return what a label counts, apart from when; a total counts what the others do."""
        return "" if label in self.called_totals else measure_of(label)


def says_running(label: str) -> bool:
    """Whether a label says that it counts all weeks so far.

    >>> [says_running(text) for text in ("cumCases", "Thru wk 10", "Weeks 1-10", "Up to date", "Ages 5 through 17")]
    [True, True, True, False, False]
    """
    return bool(_SAYS.search(spaced(label)))


def may_run(label: str) -> bool:
    """Whether a label may say so, as a season or a year does."""
    return says_running(label) or bool(_MAY.search(spaced(label)))


def of_another_year(label: str, year: int | None) -> bool:
    """Whether a label names another year than that of its table."""
    years = set(map(int, _YEAR.findall(spaced(label))))
    return bool(OTHER_YEAR.search(label)) or bool(years and year is not None and year not in years)


def measure_of(label: str) -> str:
    """Return what a label says apart from when.

    >>> [measure_of(text) for text in ("Weekly cases", "Cases (YTD)", "newCases", "Total to date", "18+, this season")]
    ['cases', 'cases', 'cases', '', '18+']
    """
    text = spaced(label)
    for words in (_SAYS, _OF_WEEK, _MAY):
        text = words.sub(" ", text)
    return " ".join(re.sub(r"[,;:/]| - ", " ", text).casefold().split())


def running_labels(tables: Sequence[Dimension]) -> tuple[set[str], set[str], dict[str, str]]:
    """Return the labels that are running totals in a ledger, and those of them that the numbers alone say.

    The third is of which column a label is the running total, where it is found because it adds up.
    """
    declared = {word for table in tables for word in table.declared}
    if NONE in declared:
        return declared - {NONE}, set(), {}
    labels = dict.fromkeys(label for table in tables for label in table.labels)
    sure = {label for label in labels if label in declared or says_running(label)}
    guessed = {
        label
        for label in labels
        if label not in sure and _may_be(label, [of for of in tables if of.guesses and label in of.labels], sure)
    }
    of_week = dict[str, str]()
    for label in (own for own in labels if own not in sure | guessed):
        if other := _week_added(label, [of for of in tables if label in of.labels], sure | guessed | of_week.keys()):
            of_week[label] = other
    guessed |= of_week.keys()
    for kind in {tuple(of.labels): None for of in tables if of.guesses and not (sure | guessed) & {*of.labels}}:
        guessed |= _never_fell([of for of in tables if tuple(of.labels) == kind])
    return sure | guessed, guessed, of_week


def _never_fell(tables: Sequence[Dimension]) -> set[str]:
    """Return the labels of tables with the same ones, where no count of any is less than in the table before."""
    steps = [_steps(label, tables) for label in tables[0].labels]
    agree, against = map(sum, zip(*steps, strict=True))
    return set(tables[0].labels) if not against and agree >= _ENOUGH * len(steps) else set()


def _may_be(label: str, tables: Sequence[Dimension], sure: Collection[str]) -> bool:
    """Whether a label without sure words has running totals, as far as the numbers say."""
    if not tables or any(label in of.called_totals or label in of.totals for of in tables):
        return False
    if any(of_another_year(label, of.year) for of in tables):
        return False
    first = tables[0]
    of_week = _of_week(label, first, sure)
    agree, against = _steps(label, tables, sure)
    if against * _DOUBTS > agree + against:
        return False
    if len(first.labels) == 1:
        return not against and bool(_ALONE.search(spaced(label)))
    return (
        bool(of_week)
        and len(first.lines) > 1
        and all(_never_less(line, label, of_week) for line in first.lines.values())
    )


def _week_added(label: str, tables: Sequence[Dimension], running: Collection[str]) -> str:
    """Return the one column whose count a label adds to what it was the week before; empty for none or several."""
    shared = set[str].intersection(*({*table.labels} for table in tables)) if tables else set()
    others = [of for of in shared - {*running, label} if all(table.guesses for table in tables)]
    adding = [of for of in others if _adds_up(label, of, tables)]
    return adding[0] if len(adding) == 1 else ""


def _adds_up(label: str, other: str, tables: Sequence[Dimension]) -> bool:
    """Whether a label is what it was the week before and the count of another column, in nearly all lines."""
    seen, against = set[tuple[int, int]](), 0
    for old, new in pairwise(tables):
        for row, line in new.lines.items() if _next(old, new) else ():
            own, earlier, added = line.get(label), old.lines.get(row, {}).get(label), line.get(other)
            if own is not None and earlier is not None and added is not None:
                seen |= {(own, added)} if own == earlier + added and earlier and added else set()
                again = old.year != new.year and own == added  # with the year
                against += own != earlier + added and not again and row not in new.sums
    return len(seen) >= _SEEN and against * _DOUBTS <= len(seen) + against


def _next(old: Dimension, new: Dimension) -> bool:
    return old.week is not None and new.week == old.week + 1


def goes_on(old: Dimension, new: Dimension, label: str) -> bool:
    """Whether a running total of the year before did not begin again: no count is less than it was."""
    pairs = [(line.get(label), old.lines.get(row, {}).get(label)) for row, line in new.lines.items()]
    known = [(own, before) for own, before in pairs if own is not None and before is not None]
    return sum(before > 0 for _, before in known) >= _SEEN and all(own >= before for own, before in known)


def _of_week(label: str, table: Dimension, sure: Collection[str]) -> str:
    """Return the column of the week that a label may be the running total of; empty where there is none, or several."""
    others = [of for of in table.labels if of not in sure and of != label and not of_another_year(of, table.year)]
    plain = [of for of in others if of in {*table.called_totals, *table.totals} or not _MAY.search(spaced(of))]
    alike = [of for of in plain if table.measure(of) == measure_of(label)]
    if not _MAY.search(spaced(label)):  # "Cases" after "New cases"
        alike = [of for of in alike if _OF_WEEK.search(spaced(of)) and not _OF_WEEK.search(spaced(label))]
    elif not alike and not measure_of(label):
        alike = [of for of in plain if of in {*table.called_totals, *table.totals}] or plain
    return alike[0] if len(alike) == 1 else ""


def _never_less(line: Mapping[str, int | None], label: str, other: str) -> bool:
    own, of_week = line.get(label), line.get(other)
    return own is None or of_week is None or own >= of_week


def _steps(label: str, tables: Sequence[Dimension], sure: Collection[str] | None = None) -> tuple[int, int]:
    """Return how many counts fit a running total from one table to the next, and how many do not.

    ``sure``: other running totals; where it is given, the column of the week is added up too.
    """
    agree = against = 0
    for old, new in pairwise(tables):
        if old.week is None or new.week is None or new.week <= old.week:
            continue
        of_week = "" if sure is None else _of_week(label, new, sure)
        for row, line in new.lines.items():
            own, earlier = line.get(label), old.lines.get(row, {}).get(label)
            added = line.get(of_week) if of_week else 0
            if own is None or earlier is None or added is None:
                continue
            gap = own - earlier - added
            again = bool(of_week) and old.year != new.year and own == added  # with the year
            fits = again or gap == 0 if of_week and new.week == old.week + 1 else gap >= 0
            agree, against = agree + (fits and own > 0), against + (not fits and row not in new.sums)
    return agree, against


def measures(
    table: Dimension, running: Collection[str], added: Mapping[str, str] = MappingProxyType({})
) -> dict[str, str]:
    """Return what each label of a table counts, apart from when; empty where all count the same.

    A running total is of the column that it adds up (``added``), of that with its name, of the only other one, or of
    the total. One that may be of several is an InputError.
    """
    of_week = {label: table.measure(label) for label in table.labels if label not in running}
    whole = {label: of for label, of in of_week.items() if label in {*table.called_totals, *table.totals}}
    said = {label: measure_of(label) for label in table.labels if label in running}
    said = {label: label.casefold() if of_another_year(label, table.year) else of for label, of in said.items()}
    kinds = set(of_week.values())
    own = dict[str, str]()
    for label, of in said.items():
        if added.get(label, "") in of_week:
            own[label] = of_week[added[label]]
        elif of in kinds or of_another_year(label, table.year) or not kinds:
            own[label] = of
        elif len(kinds) == 1:
            own[label] = of if len(said) > 1 and kinds <= set(said.values()) else next(iter(kinds))
        elif whole:
            own[label] = next(iter(whole.values()))
        elif kinds <= set(said.values()) and not _sum_of_others(label, said, table):
            own[label] = of
        else:
            some = [other for other in of_week if of_week[other] not in said.values()] or list(of_week)
            raise InputError(
                f"{table.name}: {label!r} counts all weeks so far, but of which column? Call it by its own, such as "
                f"'{some[0]} to date', or add a column Total that is the sum of {' and '.join(map(repr, some[:3]))}."
            )
    own |= of_week
    return {label: of for label, of in own.items() if of} if len(set(own.values())) > 1 else {}


def _sum_of_others(label: str, running: Collection[str], table: Dimension) -> bool:
    """Whether a running total is the sum of the others wherever all are known."""
    known = [[line.get(of) for of in (label, *running)] for line in table.lines.values()]
    sums = [(values[0], sum(of or 0 for of in values[1:])) for values in known if None not in values]
    return len(running) > 2 and bool(sums) and all(2 * (own or 0) == every for own, every in sums)


def totals_of_week(labels: Iterable[str], sums: Mapping[str, Collection[str]]) -> set[str]:
    """Return the labels that are the sum of all others of the week. ``sums``: the parts of each label that is one."""
    of_week = {label for label in labels if not may_run(label) or label in sums}
    return {label for label, parts in sums.items() if label in of_week and of_week - {label} <= {*parts, *sums}}
