"""Which cells a rule hides and what a reader derives of each; what further hidden cells lose, and other ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from policy_sim.rules.files import find_rule
from policy_sim.rules.rule import DisclosureRule
from policy_sim.tables.files import CountFile, Layout
from policy_sim.tables.ledger import Ledger, out_already_words, same_people
from policy_sim.tables.link import IMPLIED
from policy_sim.tables.protect import protect
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
from policy_sim.tables.table import COMPLEMENTARY, HIDDEN, PRIMARY, PUBLISHED, Ends, Key, intervals, named
from policy_sim.words.arguments import of_kind
from policy_sim.words.errors import InputError

_Loss = tuple[str, int | None, int | None, int | None, int | None]  # a row of what a way loses
_FILE = "the file"
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
    out_already: frozenset[Key] = frozenset()  # to be hidden, but tables which are out show or give them away

    def having(self, result: str) -> int:
        """Return how many hidden cells have a result."""
        return int((self.cells["result"] == result).sum())

    def verdict(self, rule: str = "") -> str:
        """Say in a line or two whether a hidden cell follows, and what was hidden by whom."""
        already = out_already_words(self.out_already)
        follows, narrower = map(self.having, ("follows", "narrower"))
        if self.cells.empty:
            return f"Rule {rule} hides no {'other ' if already else ''}cell of this table.{already}"
        words = f"of {len(self.cells)} hidden cells"
        if follows:
            first = f"FAILS: {follows} {words} can be worked out (criterion E: only one value fits)."
        elif not self.sums:
            first = f"NOT TESTED: the file has no total, so nothing adds up that could give one {words} away."
        else:
            first = f"PASSES criterion E: none {words} can be worked out exactly from this table alone."
        more = f" {narrower} more can be narrowed below the range of the label." if narrower else ""
        ours = int((self.cells["hidden_by"] == rule).sum())
        return first + more + (f" Rule {rule} hides {ours} that the file shows." if ours else "") + already

    def to_frame(self) -> pd.DataFrame:
        """Return one row per hidden cell."""
        return self.cells


def check_tables(
    paths: Sequence[Path],
    rule: DisclosureRule | None = None,
    layout: Layout = AS_FOUND,
    ledger: Ledger | None = None,
    denominators: Denominators | None = None,
) -> TableCheck:
    """Return which cells the rule hides beside those that the files hide, and what a reader derives of each.

    The reader has all the tables, and what a ledger has published. What is wrong is an InputError: a rule that does
    not go by counts or lacks a population, nothing hidden, or counts that do not fit.
    """
    of_kind("rule", rule, (DisclosureRule, type(None)), "a rule, such as find_rule('cms')")
    _, linked, proof = opened(paths, layout, ledger, denominators)
    rule = find_rule(proof.rule) if proof and rule is None else rule
    if rule is not None and not rule.judges_counts:
        raise InputError(f"rule {rule.id} does not decide by a count ({rule.kind}), so it cannot check a table.")
    file, table = linked.file, linked.file.table()
    whys, within = _hidden(file, rule)
    hidden = [cell.key for cell in table.cells if cell.status == PRIMARY]
    if rule is None and not hidden:
        raise InputError("the file hides no cell. Name a rule that says which cells to hide.")
    away = linked.fixed | (proof.given_away if proof else frozenset())  # nobody can hide these any more
    out_already = same_people(table, away) & whys.keys() if away else frozenset[Key]()
    whys = {key: why for key, why in whys.items() if key not in out_already}
    table = table.with_statuses(dict.fromkeys(hidden, COMPLEMENTARY) | dict.fromkeys(whys, PRIMARY))
    pairs = zip(intervals(table, of=whys), intervals(table, within, whys), strict=True)
    rows = [
        (named(key), *whys[key], *plain, *labeled, _result(plain, labeled, within[key]))
        for (key, *plain), (_, *labeled) in pairs
    ]
    ends = dict.fromkeys(_COLUMNS[3:7], "Int64")
    texts = dict.fromkeys((*_COLUMNS[:3], "result"), "string")
    frame = pd.DataFrame(rows, columns=_COLUMNS).astype(ends | texts)
    return TableCheck(frame, file.notes, len(file.relations), out_already)


def _hidden(file: CountFile, rule: DisclosureRule | None) -> tuple[dict[Key, tuple[str, str]], dict[Key, Ends]]:
    """Return by whom and why each cell is hidden, and which values a reader holds possible who knows that."""
    whys, within = dict[Key, tuple[str, str]](), dict[Key, Ends]()
    for key, cell in file.cells.items():
        population = file.populations.get(key)
        if cell.status == PRIMARY and cell.value is None:
            if cell.mark != IMPLIED:
                open_end = f"{cell.least} or more" if cell.least else "hidden"
                mark = open_end if cell.greatest is None else f"{cell.least} to {cell.greatest}"
                whys[key], within[key] = (_FILE, f"marked as {mark}"), (cell.least, cell.greatest)
        elif rule is not None and cell.value is not None:
            if rule.needs_population and population is None:
                raise InputError(f"rule {rule.id} needs the population of each count, and {named(key)} has none.")
            if why := rule.why_hidden(cell.value, population):
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
