"""Which cells a rule hides and what a reader derives of each; what further hidden cells lose, and other ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from policy_sim.records.published import read_published
from policy_sim.rules.files import find_rule
from policy_sim.rules.rule import DisclosureRule
from policy_sim.tables.attacked import Target
from policy_sim.tables.files import CountFile, Layout
from policy_sim.tables.ledger import (
    Ledger,
    out_already_words,
    same_people,
    small_words,
    unchecked_words,
    untimed_words,
    why_hidden,
)
from policy_sim.tables.link import IMPLIED, MAY_BE_ZERO, SUM
from policy_sim.tables.protect import protect
from policy_sim.tables.publish import (
    AS_FOUND,
    Denominators,
    Opened,
    ProtectedTables,
    opened,
)
from policy_sim.tables.table import COMPLEMENTARY, HIDDEN, PRIMARY, PUBLISHED, ZERO, Ends, Key, intervals, named
from policy_sim.tables.verdict import LEAKS, NOT_READY, NOT_TESTED, READY, Promise, Verdict
from policy_sim.tables.ways_out import QUICK, TOTALS_TOO, ZEROS_TOO, weaker
from policy_sim.words.arguments import number, of_kind, switch
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError

_Loss = tuple[str, int | None, int | None, int | None, int | None]  # a row of what a way loses
THE_FILE = "the file"
_COLUMNS = ("cell", "hidden_by", "why", "least", "greatest", "least_labeled", "greatest_labeled", "result")


@dataclass(frozen=True)
class TableCheck:
    """What a reader derives of the hidden cells; ``cells`` has one row for each, and no count of the file.

    ``result``: ``follows`` where one value alone is possible (criterion E fails), with the label or without;
    ``narrower`` where a reader learns more than the label says, though not the value; else ``open``.
    """

    cells: pd.DataFrame
    notes: tuple[str, ...]
    sums: int  # relations of the table
    rule: DisclosureRule | None
    attack: Verdict | None  # on the files as they are, where they hide counts
    small: str = ""  # small counts that the rule does not hide
    out_already: frozenset[Key] = frozenset()  # to be hidden, but tables which are out show or give them away
    read: Opened | None = None
    keys: tuple[Key, ...] = ()  # the cell of each row
    ledger: Ledger | None = None

    def having(self, result: str) -> int:
        """Return how many hidden cells have a result."""
        return int((self.cells["result"] == result).sum())

    @property
    def visible(self) -> int:
        """How many counts are shown that the rule hides."""
        return 0 if self.rule is None else int((self.cells["hidden_by"] == self.rule.id).sum())

    @property
    def verdict(self) -> Verdict:
        """Say whether the files can go out as they are."""
        files = list(self.read.files.values()) if self.read else []
        unread = tuple(f"the column {name!r}" for file in files for name in file.unread)
        sheets = unchecked_words({name: 0 for file in files for name in file.other_sheets})
        return self._verdict.and_not_tried((*unread, *untimed_words(files, self.ledger), *sheets))

    @property
    def _verdict(self) -> Verdict:
        already = out_already_words(self.out_already)
        basis = (self.attack.tried, self.attack.findings, self.attack.not_tried) if self.attack else ((), (), ())
        if self.rule is not None and self.visible:
            return Verdict(NOT_READY, self._shown_words() + already, *basis)
        follows = self.cells[(self.cells["hidden_by"] == THE_FILE) & (self.cells["result"] == "follows")]["cell"]
        if self.attack is not None and self.attack.word != LEAKS and len(follows):
            others = f" So do {len(follows) - 1:,} more." if len(follows) > 1 else ""
            return replace(self.attack, word=LEAKS, words=f"{follows.iloc[0]} follows from the totals.{others}")
        if self.attack is not None:
            more = f" {self.small}." if self.small else ""
            return replace(self.attack, words=self.attack.words + already + more)
        rule = "" if self.rule is None else self.rule.id
        if doubtful := self._doubtful():
            leave = "Leave it out of the file, or, if it has counts, say so"
            words = f"{doubtful} is not read as counts, for its name, and has numbers that rule {rule} would hide"
            return Verdict(NOT_TESTED, f"{words}. {leave} ({ask('count', doubtful)}).", *basis)
        words = f"rule {rule} hides no {'other ' if already else ''}cell of this table."
        if self.small:
            words += f" It does not depend on small counts alone: {self.small}."
        return Verdict(NOT_TESTED if self.small else READY, words + already)

    def _doubtful(self) -> str:
        """Return a column that only its name makes no count, with numbers that the rule would hide; empty without."""
        files = self.read.files.values() if self.read and self.rule else ()
        columns = (item for file in files for item in file.doubtful.items())
        hides = self.rule.why_hidden if self.rule and not self.rule.needs_population else lambda _: ""
        return next((name for name, numbers in columns if any(map(hides, numbers))), "")

    def _shown_words(self) -> str:
        many = self.visible
        rule = self.rule.id if self.rule else ""
        words = f"1 count that rule {rule} hides" if many == 1 else f"{many:,} counts that rule {rule} hides"
        follows, narrower = map(self.having, ("follows", "narrower"))
        if not self.sums:
            then = "Nothing adds up in this table, so hiding these is enough"
        else:
            follow = "none can be worked out" if not follows else f"{follows:,} can be worked out"
            then = f"If you hide only these, {follow}" + (f" and {narrower:,} can be narrowed" if narrower else "")
        return f"The file shows {words}. {then}."

    def to_frame(self) -> pd.DataFrame:
        """Return one row per hidden cell."""
        return self.cells


def check_tables(
    paths: Sequence[Path],
    rule: DisclosureRule | None = None,
    layout: Layout = AS_FOUND,
    ledger: Ledger | None = None,
    denominators: Denominators | None = None,
    plain: bool = False,
    seconds: float = 60.0,
) -> TableCheck:
    """Return which cells the rule hides beside those that the files hide, and what a reader derives of each.

    The reader has all the tables, and what a ledger has published; next to a shown 0 a hidden count is 1 or more,
    unless the reader is ``plain``. What is wrong is an InputError: a rule that does not go by counts or lacks a
    population, nothing hidden, or counts that do not fit.
    """
    of_kind("rule", rule, (DisclosureRule, type(None)), "a rule, such as find_rule('cms')")
    read = opened(paths, layout, ledger, denominators)
    linked, proof = read.linked, read.proof
    rule = find_rule(proof.rule) if proof and rule is None else rule
    if rule is not None and not rule.judges_counts:
        raise InputError(f"rule {rule.id} does not decide by a count ({rule.kind}), so it cannot check a table.")
    file, table = linked.file, linked.file.table()
    floor = 0 if switch("plain", plain) else _floor(read)
    whys, within = _hidden(file, rule, floor)
    hidden = [cell.key for cell in table.cells if cell.status == PRIMARY]
    if rule is None and not hidden:
        raise InputError(f"the file hides no cell. Say which cells to hide: add {ask('rule', 'cms-11')}.")
    away = linked.fixed | (proof.given_away if proof else frozenset())  # nobody can hide these any more
    out_already = same_people(table, away) & whys.keys() if away else frozenset[Key]()
    whys = {key: why for key, why in whys.items() if key not in out_already}
    table = table.with_statuses(dict.fromkeys(hidden, COMPLEMENTARY) | dict.fromkeys(whys, PRIMARY))
    attack, stated = _attacked(read, whys, floor, number("seconds", seconds, 0, 1e9))
    bare = dict.fromkeys(whys, (floor, None))
    pairs = list(zip(intervals(table, bare, of=whys), intervals(table, within, whys), strict=True))
    rows = [
        (named(key), *whys[key], *plain_ends, *labeled, _result(plain_ends, labeled, within[key]))
        for (key, *plain_ends), (_, *labeled) in pairs
    ]
    rows = [(*row[:3], *stated[row[0]] * 2, "follows") if row[0] in stated else row for row in rows]
    ends = dict.fromkeys(_COLUMNS[3:7], "Int64")
    texts = dict.fromkeys((*_COLUMNS[:3], "result"), "string")
    frame = pd.DataFrame(rows, columns=_COLUMNS).astype(ends | texts)
    small = "" if rule is None else small_words(rule, file)
    keys = tuple(key for (key, *_), _ in pairs)
    return TableCheck(frame, file.notes, len(file.relations), rule, attack, small, out_already, read, keys, ledger)


def _floor(read: Opened) -> int:
    """Return the least value of a hidden count: 1 where a table shows which counts are 0."""
    return int(any(cell.status == ZERO for file in read.files.values() for cell in file.cells.values()))


def _attacked(
    read: Opened, whys: Mapping[Key, tuple[str, str]], floor: int, seconds: float
) -> tuple[Verdict | None, dict[str, tuple[int | None, int | None]]]:
    """Attack the files as they are; return the verdict, and the ends of what the sums of the table do not show.

    None where the files hide nothing that the rule does not show.
    """
    keys = [key for key, (by, _) in whys.items() if by == THE_FILE]
    if not keys:
        return None, {}
    contents, files = dict(read.out), dict(read.earlier)
    for path, file in read.files.items():
        contents |= {path.name: read_published(path)[path.name]}
        files[path.name] = file
    unsure = read.proof.unsure if read.proof else ()
    remarks = dict.fromkeys(word for file in files.values() for word in file.layout.coincidences)
    promises = {key: Promise() for key in keys}
    target = Target(contents, files, read.linked.keys, promises, bool(floor), tuple(remarks), unsure)
    report = target.report([], seconds)
    of = target.places
    follow = dict[str, tuple[int | None, int | None]]()
    follow |= {named(of[item.place]): (item.least, item.greatest) for item in report.derived if item.follows}
    return target.judged(report, f"none of {len(keys):,} hidden counts follows from the files", whole=False), follow


def _hidden(
    file: CountFile, rule: DisclosureRule | None, floor: int
) -> tuple[dict[Key, tuple[str, str]], dict[Key, Ends]]:
    """Return by whom and why each cell is hidden, and which values a reader holds possible who knows that."""
    whys, within = dict[Key, tuple[str, str]](), dict[Key, Ends]()
    for key, cell in file.cells.items():
        if cell.mark == SUM:
            continue
        population = file.populations.get(key)
        if cell.status == PRIMARY and cell.value is None:
            if cell.mark != IMPLIED:
                open_end = f"{cell.least} or more" if cell.least else "hidden"
                mark = open_end if cell.greatest is None else f"{cell.least} to {cell.greatest}"
                least = max(cell.least, floor if cell.mark != MAY_BE_ZERO else 0)
                whys[key], within[key] = (THE_FILE, f"marked as {mark}"), (least, cell.greatest)
        elif rule is not None and cell.value is not None:
            if rule.needs_population and population is None and not file.populations:
                column, states = (
                    ask("population", "NAME", option="--population-column"),
                    ask("states", "OH", option="--state"),
                )
                raise InputError(
                    f"rule {rule.id} needs the population of each count, and {named(key)} has none. "
                    f"Add {column} or {states}."
                )
            if why := why_hidden(rule, cell.value, population):
                whys[key], within[key] = (rule.id, why), rule.ends(cell.value, population)
    return whys, within


def _result(plain: Sequence[int | None], labeled: Sequence[int | None], label: Ends) -> str:
    if plain[0] == plain[1] or labeled[0] == labeled[1]:
        return "follows"
    return "narrower" if label[1] is not None and tuple(labeled) != label else "open"


def alternatives(answer: ProtectedTables) -> pd.DataFrame:
    """Return what a protected table and other ways lose, and whose counts are hidden: one row per way, label or size.

    ``cells`` and ``people``: hidden, changed or merged away; ``of_cells`` and ``of_people``: of all inner cells there.
    """
    if len(answer.files) > 1 or answer.ledger is not None:
        raise InputError("alternatives are compared for one table alone, without a ledger.")
    file, table = next(iter(answer.files.values())), answer.result.table
    names, inner_cells = list(file.keys), [cell for cell in table.cells if cell.key not in file.margins]
    inner = pd.DataFrame([cell.key for cell in inner_cells], columns=names)
    counts = pd.Series([cell.value or 0 for cell in inner_cells])
    hidden = pd.Series([cell.status in HIDDEN for cell in inner_cells])
    rows = [_lost("hide further cells (as written)", counts, hidden)]
    bare = table.with_statuses(
        {cell.key: PRIMARY if cell.key in answer.whys else PUBLISHED for cell in table.cells if cell.status in HIDDEN}
    )
    for way in (ZEROS_TOO, TOTALS_TOO):
        result = protect(bare, weaker(answer.result.terms)[way], QUICK)
        also = pd.Series([result.table[cell.key].status in HIDDEN for cell in inner_cells])
        rows.append(
            _lost(way, counts, also) if result.cost is not None else (f"{way}: {result.status}", None, None, None, None)
        )
    off = (counts + 2) % 5 - 2  # from the nearest multiple of 5
    rows.append(("round to 5", int((off != 0).sum()), len(inner), int(off.abs().sum()), int(counts.sum())))
    rows += [_merged(inner, counts, name, answer.result.terms.largest) for name in names]
    for name in names:
        sums = counts.groupby(inner[name], sort=False).sum()
        rows += [_lost(f"hidden of {name} {label}", counts, hidden, inner[name] == label) for label in sums.index]
        ordered = sums.sort_values(kind="stable").index
        for part, size in enumerate(("smallest", "middle", "largest") if len(ordered) > 5 else ()):
            third = ordered[len(ordered) * part // 3 : len(ordered) * (part + 1) // 3]
            rows.append(_lost(f"hidden of the {size} third by {name}", counts, hidden, inner[name].isin(third)))
    frame = pd.DataFrame(rows, columns=["way", "cells", "of_cells", "people", "of_people"])
    return frame.astype({"way": "string"} | dict.fromkeys(frame.columns[1:], "Int64"))


def _lost(way: str, counts: pd.Series[int], hidden: pd.Series[bool], of: pd.Series[bool] | None = None) -> _Loss:
    counts, hidden = (counts, hidden) if of is None else (counts[of], hidden[of])
    return way, int(hidden.sum()), len(counts), int(counts[hidden].sum()), int(counts.sum())


def _merged(inner: pd.DataFrame, counts: pd.Series[int], name: str, largest: int) -> _Loss:
    """Merge neighbors of a column until the rule hides no inner count, each time the pair that leaves the fewest."""
    groups = [[label] for label in inner[name].unique()]
    before = len(groups)

    def small(of: Sequence[list[str]]) -> int:
        place = inner[name].map({label: n for n, labels in enumerate(of) for label in labels})
        sums = counts.groupby([place if column == name else inner[column] for column in inner]).sum()
        return int(((sums > 0) & (sums <= largest)).sum())

    while len(groups) > 1 and small(groups):
        ways = [[*groups[:n], groups[n] + groups[n + 1], *groups[n + 2 :]] for n in range(len(groups) - 1)]
        groups = min(ways, key=small)
    end = "" if not small(groups) else ", not enough"
    people = counts[inner[name].isin([label for group in groups if len(group) > 1 for label in group])].sum()
    way = f"merge neighbors of {name} ({before} labels to {len(groups)}{end})"
    return way, (before - len(groups)) * len(inner) // before, len(inner), int(people), int(counts.sum())
