"""Which cells a rule hides and what a reader derives of each; what further hidden cells lose, and other ways."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from policy_sim.rules.files import find_rule
from policy_sim.rules.rule import DisclosureRule
from policy_sim.tables.audit import PLAIN, Interval, Reader, intervals
from policy_sim.tables.files import UNCLEAR, CountFile, Layout
from policy_sim.tables.ledger import Ledger, draft_sources, out_already_words, same_people
from policy_sim.tables.link import IMPLIED, link
from policy_sim.tables.protect import GAP, OPTIMAL, Progress, protect
from policy_sim.tables.publish import (
    AS_FOUND,
    QUICK,
    TOTALS_TOO,
    ZEROS_TOO,
    Denominators,
    ProtectedTables,
    opened,
    weaker,
)
from policy_sim.tables.table import COMPLEMENTARY, HIDDEN, PRIMARY, PUBLISHED, Key, named
from policy_sim.words.arguments import of_kind
from policy_sim.words.errors import InputError

Bounds = tuple[int, int | None]
_FILE = "the file"


class CheckedCell(NamedTuple):
    """A hidden cell with what a reader derives: ``plain`` without its label, ``labeled`` with it."""

    key: Key
    hidden_by: str
    why: str
    bounds: Bounds
    plain: Interval
    labeled: Interval
    read_as: Mapping[str, str]  # what unclear marks mean

    @property
    def follows(self) -> bool:
        """Whether one value alone is possible (criterion E fails), with the label or without."""
        return self.plain.follows or self.labeled.follows

    @property
    def narrower(self) -> bool:
        """Whether a reader learns more than the label of a small cell says, though not the value."""
        low, high = self.bounds
        ends = self.labeled
        return high is not None and not self.follows and (ends.least > low or ends.greatest != high)


class TableCheck(NamedTuple):
    """The hidden cells, each under every reading of unclear marks in which the file adds up (``read_as``)."""

    cells: tuple[CheckedCell, ...]
    notes: tuple[str, ...]
    sums: int  # relations of the table
    out_already: frozenset[Key] = frozenset()  # to be hidden, but tables which are out show or give them away

    @property
    def follows(self) -> int:
        """How many cells follow under some reading."""
        return len({cell.key for cell in self.cells if cell.follows})

    @property
    def narrower(self) -> int:
        """How many further cells give more away than their label, though not the value."""
        return len({cell.key for cell in self.cells if cell.follows or cell.narrower}) - self.follows

    def verdict(self, rule: str = "") -> str:
        """Say in a line or two whether a hidden cell follows, and what was hidden by whom."""
        by = {cell.key: cell.hidden_by for cell in self.cells}
        already = out_already_words(self.out_already)
        if not by:
            return f"Rule {rule} hides no {'other ' if already else ''}cell of this table.{already}"
        words = f"of {len(by)} hidden cells"
        if self.follows:
            several = len({str(cell.read_as) for cell in self.cells}) > 1
            condition = "under one way to read its marks at least, " if several else ""
            first = f"FAILS: {condition}{self.follows} {words} can be worked out (criterion E: only one value fits)."
        elif not self.sums:
            first = f"NOT TESTED: the file has no total, so nothing adds up that could give one {words} away."
        else:
            first = f"PASSES criterion E: none {words} can be worked out exactly from this table alone."
        more = f" {self.narrower} more can be narrowed below the range of the label." if self.narrower else ""
        ours = sum(name == rule for name in by.values())
        return first + more + (f" Rule {rule} hides {ours} that the file shows." if ours else "") + already

    def to_frame(self) -> pd.DataFrame:
        """Return one row per hidden cell and reading; no count of the file is in it."""
        names = ["cell", "hidden_by", "why", "least", "greatest", "least_labeled", "greatest_labeled", "result"]
        rows = [
            (
                named(cell.key),
                cell.hidden_by,
                cell.why,
                *cell.plain[1:],
                *cell.labeled[1:],
                "follows" if cell.follows else "narrower" if cell.narrower else "open",
                "; ".join(f"{mark}: {meaning}" for mark, meaning in cell.read_as.items()),
            )
            for cell in self.cells
        ]
        frame = pd.DataFrame(rows, columns=[*names, "marks_read_as"])
        ends = names[3:7]
        return frame.astype({name: "Int64" if name in ends else "string" for name in [*names, "marks_read_as"]})


def check_tables(
    paths: Sequence[Path],
    rule: DisclosureRule | None = None,
    layout: Layout = AS_FOUND,
    ledger: Ledger | None = None,
    denominators: Denominators | None = None,
    progress: Progress | None = None,
) -> TableCheck:
    """Return what a reader derives of the hidden cells of several tables, and of all that a ledger has published."""
    of_kind("rule", rule, (DisclosureRule, type(None)), "a rule, such as find_rule('cms')")
    files, before, proof = opened(paths, layout, ledger, denominators, progress)
    rule = find_rule(proof.rule) if proof and rule is None else rule
    linked = link([*before, *draft_sources(files, ledger, before)], ledger is not None)
    away = linked.fixed | (proof.given_away if proof else frozenset())
    return check_table(linked.file, rule, progress, away)


def check_table(
    file: CountFile,
    rule: DisclosureRule | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    away: frozenset[Key] = frozenset(),
) -> TableCheck:
    """Return which cells the rule hides beside those that the file hides, and what a reader derives of each.

    ``away``: cells that tables which are out show or give away: nobody can hide them any more.

    Raises
    ------
    InputError : the rule does not go by counts or lacks a population, nothing is hidden, or the counts do not fit.
    """
    if rule is not None and not rule.judges_counts:
        raise InputError(f"rule {rule.id} does not decide by a count ({rule.kind}), so it cannot check a table.")
    if rule is None and not any(cell.status in (PRIMARY, UNCLEAR) for cell in file.cells.values()):
        raise InputError("the file hides no cell. Name a rule that says which cells to hide.")
    tables, notes, problem, known_now = list[tuple[CheckedCell, ...]](), list(file.notes), None, set[Key]()
    for meanings in file.readings():
        try:
            tables.append(_checked(file, rule, meanings, progress, away, known_now))
        except InputError as error:
            if not meanings:
                raise
            problem = error
            words = " and ".join(f"{mark!r} as {meaning}" for mark, meaning in meanings.items())
            notes.append(f"To read {words} does not fit: {error}")
    if not tables and problem is not None:
        raise problem
    if len(tables) > 1:
        notes.append("The file does not say what some marks mean: it is audited with each meaning (column of marks).")
    return TableCheck(tuple(itertools.chain(*tables)), tuple(notes), len(file.relations), frozenset(known_now))


def _checked(
    file: CountFile,
    rule: DisclosureRule | None,
    meanings: Mapping[str, str],
    progress: Callable[[str, int, int], None] | None,
    away: frozenset[Key],
    known_now: set[Key],
) -> tuple[CheckedCell, ...]:
    """Check the table in one reading; ``known_now`` takes the cells to be hidden that are away already."""
    table = file.table(meanings)
    hidden = [cell for cell in table.cells if cell.status == PRIMARY]
    whys = {
        cell.key: (_FILE, _mark_words(file, cell.key))
        for cell in hidden
        if cell.value is None and file.cells[cell.key].mark != IMPLIED
    }
    within: dict[Key, Bounds] = {key: (file.cells[key].least, file.cells[key].greatest) for key in whys}
    for cell in table.cells if rule is not None else ():
        assert rule is not None
        if cell.value is None or cell.key in whys:
            continue
        if rule.needs_population and cell.key not in file.populations:
            raise InputError(f"rule {rule.id} needs the population of each count, and {named(cell.key)} has none.")
        population = file.populations.get(cell.key)
        why = rule.why_hidden(cell.value, population)
        if why:
            whys[cell.key], within[cell.key] = (rule.id, why), _bounds(rule, cell.value, population)
    out_already = same_people(table, away) & whys.keys() if away else set[Key]()
    known_now |= out_already
    whys = {key: why for key, why in whys.items() if key not in out_already}
    companions = dict.fromkeys((cell.key for cell in hidden), COMPLEMENTARY)
    table = table.with_statuses(companions | dict.fromkeys(whys, PRIMARY))
    plain = intervals(table, PLAIN, progress, whys)
    labeled = intervals(table, Reader(within=within), progress, whys)
    pairs = zip(plain, labeled, strict=True)
    return tuple(CheckedCell(of.key, *whys[of.key], within[of.key], of, narrow, meanings) for of, narrow in pairs)


def _mark_words(file: CountFile, key: Key) -> str:
    cell = file.cells[key]
    if cell.status == UNCLEAR:
        return f"{cell.mark}, read as hidden"
    if cell.greatest is not None:
        return f"marked as {cell.least} to {cell.greatest}"
    return f"marked as {cell.least} or more" if cell.least else "marked as hidden"


def _bounds(rule: DisclosureRule, count: int, population: int | None) -> Bounds:
    """Return the values that a reader holds possible who knows why the rule hides the cell."""
    least = 0 if rule.zeros in ("hidden", "in_class") else 1
    if rule.largest is not None and least <= count <= rule.largest:
        return least, rule.largest if population is None else min(rule.largest, population)
    if rule.difference is not None and population is not None:
        rest = population - count
        if rule.difference.least <= rest <= rule.difference.largest:
            return max(population - rule.difference.largest, 0), population - rule.difference.least
    return 0, population


def alternatives(answer: ProtectedTables) -> pd.DataFrame:
    """Return what a protected table and other ways lose, and whose counts are hidden: one row per way, label or size.

    ``cells`` and ``people``: hidden, changed or merged away; ``of_cells`` and ``of_people``: of all inner cells there.
    """
    if len(answer.files) > 1 or answer.ledger is not None:
        raise InputError("alternatives are compared for one table alone, without a ledger.")
    file, table = next(iter(answer.files.values())), answer.result.table
    inner = {cell.key: cell.value or 0 for cell in table.cells if cell.key not in file.margins}
    hidden = {cell.key for cell in table.cells if cell.status in HIDDEN}
    rows: list[tuple[object, ...]] = [("hide further cells (as written)", *_lost(inner, hidden))]
    bare = table.with_statuses({key: PRIMARY if key in answer.whys else PUBLISHED for key in hidden})
    for way in (ZEROS_TOO, TOTALS_TOO):
        result = protect(bare, weaker(answer.result.terms)[way], QUICK)
        keys = {cell.key for cell in result.table.cells if cell.status in HIDDEN}
        safe = result.status in (OPTIMAL, GAP)
        rows.append((way, *_lost(inner, keys)) if safe else (f"{way}: {result.status}", None, None, None, None))
    changed = {key for key, value in inner.items() if value % 5}
    off = sum(min(inner[key] % 5, 5 - inner[key] % 5) for key in changed)
    rows.append(("round to 5", len(changed), len(inner), off, sum(inner.values())))
    rows += [_merged(file, inner, at, answer) for at in range(len(file.keys))]
    for at, name in enumerate(file.keys):
        labels: dict[str, dict[Key, int]] = {}
        for key, value in inner.items():
            labels.setdefault(key[at], {})[key] = value
        rows += [(f"hidden of {name} {label}", *_lost(cells, hidden)) for label, cells in labels.items()]
        ordered = sorted(labels.values(), key=lambda cells: sum(cells.values()))
        for size, part in zip(("smallest", "middle", "largest"), range(3), strict=True) if len(ordered) > 5 else ():
            third = ordered[len(ordered) * part // 3 : len(ordered) * (part + 1) // 3]
            cells = {key: value for of in third for key, value in of.items()}
            rows.append((f"hidden of the {size} third by {name}", *_lost(cells, hidden)))
    frame = pd.DataFrame(rows, columns=["way", "cells", "of_cells", "people", "of_people"])
    return frame.astype({"way": "string"} | dict.fromkeys(frame.columns[1:], "Int64"))


def _lost(cells: Mapping[Key, int], hidden: set[Key]) -> tuple[int, int, int, int]:
    lost = [value for key, value in cells.items() if key in hidden]
    return len(lost), len(cells), sum(lost), sum(cells.values())


def _merged(file: CountFile, inner: Mapping[Key, int], at: int, answer: ProtectedTables) -> tuple[object, ...]:
    """Merge neighbors of a column until the rule hides no inner count, each time the pair that leaves the fewest."""
    groups = [[label] for label in dict.fromkeys(key[at] for key in inner)]
    before = len(groups)

    def small(of: Sequence[list[str]]) -> int:
        place = {label: n for n, labels in enumerate(of) for label in labels}
        sums: dict[Key, int] = {}
        for key, value in inner.items():
            merged = (*key[:at], str(place[key[at]]), *key[at + 1 :])
            sums[merged] = sums.get(merged, 0) + value
        return sum(0 < value <= answer.result.terms.largest for value in sums.values())

    while len(groups) > 1 and small(groups):
        ways = [[*groups[:n], groups[n] + groups[n + 1], *groups[n + 2 :]] for n in range(len(groups) - 1)]
        groups = min(ways, key=small)
    end = "" if not small(groups) else ", not enough"
    people = sum(inner[key] for key in inner if len(next(group for group in groups if key[at] in group)) > 1)
    way = f"merge neighbors of {file.keys[at]} ({before} labels to {len(groups)}{end})"
    return way, (before - len(groups)) * len(inner) // before, len(inner), people, sum(inner.values())
