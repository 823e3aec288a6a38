"""A table of counts made fit to publish under a rule: what is hidden and why, what that costs, or why it cannot be."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from policy_sim.files.writing import replace_folder, sha256_of, writing_alone
from policy_sim.rules.rule import DisclosureRule
from policy_sim.show.numbers import given
from policy_sim.tables import ledger as books
from policy_sim.tables import protect as solver
from policy_sim.tables.attack import Report
from policy_sim.tables.attacked import Target, attacked
from policy_sim.tables.files import CountFile, Layout, read_each
from policy_sim.tables.ledger import Certificate, Ledger, PublishedTable
from policy_sim.tables.link import IMPLIED, SUM, Linked, check_weeks, link
from policy_sim.tables.marks import HIDDEN as HIDDEN_MARK
from policy_sim.tables.merge import merged
from policy_sim.tables.promise import promise_words, strongest
from policy_sim.tables.protect import NEITHER, Protection, Terms
from policy_sim.tables.request import Request
from policy_sim.tables.sums import unsaid_totals
from policy_sim.tables.table import COMPLEMENTARY, HIDDEN, PRIMARY, Key, Reader, Table, completed, named
from policy_sim.tables.verdict import LEAKS, NOT_READY, NOT_TESTED, READY, Promise, Verdict
from policy_sim.tables.verify import public_certificate, write_private
from policy_sim.tables.ways_out import QUICK, WayOut, side_by_side, ways_out
from policy_sim.tables.written import WORD, ending, found_relations, notes_below, written
from policy_sim.words.arguments import (
    function_of,
    of_kind,
    one_path,
    several,
)
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError

OUT_BEFORE, BETWEEN = "hidden in a table that was published before", "no table shows it, but sums of weeks may"
_UNUSED = (
    "this equation is true of every count, and the search cannot use it. Leave one of its columns out, or call it a "
    "coincidence if it is one."
)
_SEARCH = 0.7  # of the time; the rest is for the ways out and the attack on what is written
_NO_OTHER = "(no other word)"  # means a total: the file was read without one
Denominators = Callable[[Path, CountFile], CountFile]


AS_FOUND, DEFAULTS = Layout(), Request()


@dataclass(frozen=True)
class ProtectedTables:
    """The answer: the pattern, why each primary cell is hidden, and ways out where there is none."""

    read: Opened
    rule: DisclosureRule
    request: Request
    result: Protection
    whys: Mapping[Key, str]
    advice: tuple[str, ...]  # what would make a safe pattern possible
    notes: tuple[str, ...]
    ledger: Ledger | None = None
    ways: tuple[WayOut, ...] = ()  # what coarser tables would lose, next to this one

    @property
    def ways_out(self) -> tuple[str, ...]:
        """The advice and the ways as lines."""
        return self.advice + (f"Ways: {'; '.join(map(str, self.ways))}.",) * bool(self.ways)

    @property
    def files(self) -> Mapping[Path, CountFile]:
        """The tables that are to go out now."""
        return self.read.files

    @property
    def linked(self) -> Linked:
        """These tables and all that is out, as one."""
        return self.read.linked

    @property
    def before(self) -> Certificate | None:
        """The proof of what is out."""
        return self.read.proof

    @property
    def safe(self) -> bool:
        """Whether a pattern was found and proved, and withstood the attack."""
        return self.judgment.word == READY

    @cached_property
    def judgment(self) -> Verdict:
        """The verdict of the attacker on what would be written, or why nothing is."""
        result, request = self.result, self.request
        if self.read.unused:
            return Verdict(NOT_READY, f"{self.read.unused[0]}: {_UNUSED}")
        if result.status == solver.INFEASIBLE:
            cells = "; ".join(map(named, result.unsafe[:3])) or "the hidden cells"
            seen = f"criterion {request.criterion}; reader {_reader(request)}"
            return Verdict(NOT_READY, f"no choice of further cells protects {cells} ({seen}).")
        if result.cost is None:
            return Verdict(
                NOT_TESTED,
                f"{given(request.seconds)} seconds were not enough to prove a pattern. Give more time.",
            )
        target, report = self.attacked
        verdict = target.judged(report, self.words, whole=True)
        untimed = books.untimed_words(self.files.values(), self.ledger)
        return verdict.and_not_tried((*untimed, *books.unchecked_words(self.certificate().unchecked_sheets)))

    @cached_property
    def attacked(self) -> tuple[Target, Report]:
        """What goes out, with all that is out, and the report of the attack on it."""
        names = {str(Path(self._folder, self.names[path])): path for path in self.files}
        contents = self.read.out | {name: self.tables[self.names[path]] for name, path in names.items()}
        files = self.read.earlier | {name: self.files[path] for name, path in names.items()}
        coincidences = dict.fromkeys(word for file in files.values() for word in file.layout.coincidences)
        unsure = self.before.unsure if self.before else ()
        sees = _reader(self.request) == books.ZEROS and self.rule.zeros not in ("hidden", "in_class")
        names_of, stating = tuple(coincidences), self.read.stating
        target = Target(contents, files, self.linked.keys, self.promises, sees, names_of, unsure, stating)
        hidden = [cell.key for cell in self.result.table.cells if cell.status in HIDDEN]
        at = [self.result.table.index[key] for key in hidden]
        counts = np.array([cell.value or 0 for cell in self.result.table.cells], dtype=np.int64)
        tables = [dict(zip(hidden, (counts + move)[at].tolist(), strict=True)) for move in self.result.moves]
        truth = {
            key: cell.value or 0
            for key, cell in self.linked.file.cells.items()
            if cell.value is not None or cell.status not in HIDDEN
        }
        return attacked(
            target, truth, [dict(zip(hidden, counts[at].tolist(), strict=True)), *tables], self.request.seconds
        )

    @property
    def promises(self) -> dict[Key, Promise]:
        """What a reader must not learn of each count that the rule hides."""
        terms, table, promises = self.result.terms, self.result.table, dict[Key, Promise]()
        for key in self.whys:
            count, promise = table[key].value or 0, terms.promises.get(key)
            if promise == NEITHER:
                continue
            if promise is None and terms.criterion == "R" and 0 < count <= terms.largest:
                promises[key] = Promise(1, 1, terms.largest)
            elif promise is None and terms.criterion == "T":
                low = max(count - 1, terms.reader.get(key, (0, None))[0])
                promises[key] = Promise(count + 1 - low, low, count + 1)
            else:
                promises[key] = Promise(0 if promise == NEITHER else 1)
        return promises

    @cached_property
    def ours(self) -> frozenset[Key]:
        """The cells of the tables that are to go out now."""
        return frozenset(key for _, _, keys in self._drafts for key in keys.values())

    @property
    def verdict(self) -> str:
        """Say first whether the table can go out, then at what cost and how good that is."""
        return str(self.judgment)

    @property
    def words(self) -> str:
        """What was hidden, at what cost, and how good that is."""
        result, request = self.result, self.request
        primary = len(self.whys.keys() & self.ours)
        out = books.out_already_words(self.out_already)
        if not self.whys:
            words = f"rule {self.rule.id} hides no {'other ' if out else ''}cell of this table"
            small = books.small_words(self.rule, self.linked.file)
            return ". ".join(filter(None, (words, small))) + f".{out}".rstrip(".")
        further = len(self.ours & set(result.complementary))
        unit = "people in them" if request.cost == "people" else "cells"
        cost, least = f"{result.cost:,} {unit}", f"at least {result.bound:,} are needed"
        good = "and nothing less is enough" if result.status == solver.OPTIMAL else f"{least}, the rest is the gap"
        cells = "1 cell" if primary == 1 else f"{primary:,} cells"
        others = "1 further cell is" if further == 1 else f"{further:,} further cells are"
        seen = f"criterion {request.criterion}, reader {_reader(request)}"
        return (
            f"rule {self.rule.id} hides {cells}, and {others} hidden. An attacker who has the published files alone "
            f"derives none that the rule hides ({seen}). Cost: {cost}, {good}."
            f"{promise_words(result, self.whys.keys() & self.ours)}{out}".rstrip(".")
        )

    @property
    def out_already(self) -> set[Key]:
        """The cells of these tables, and counts between them, that the rule hides, but earlier tables give away."""
        out = set(books.in_sight(self.rule, self.linked.file, self.ours & self.linked.fixed))
        before = self.before.given_away if self.before else frozenset()
        own = self.ours | (books.shown_weeks(self.linked) - before)
        return out | {key for key in own & self.whys.keys() if self.result.terms.promises.get(key) == NEITHER}

    def to_frame(self) -> pd.DataFrame:
        """Return one row per hidden cell, with why; no count is in it."""
        cells = [cell for cell in self.result.table.cells if cell.status in HIDDEN and cell.key in self.ours]
        rows = [(named(cell.key), cell.status, self.whys.get(cell.key, books.COMPANION)) for cell in cells]
        frame = pd.DataFrame(rows, columns=["cell", "hidden_as", "why"], dtype="string")
        return frame.assign(verdict=self.result.status)

    @property
    def names(self) -> dict[Path, str]:
        """The name of each table in the folder."""
        return {path: draft_name(path, self.files) for path in self.files}

    @property
    def _drafts(self) -> list[tuple[Path, CountFile, Mapping[Key, Key]]]:
        """The tables that are to go out now, with the common name of each of their cells."""
        keys = self.linked.keys[-len(self.files) :]
        return [(path, file, names) for (path, file), names in zip(self.files.items(), keys, strict=True)]

    @cached_property
    def tables(self) -> dict[str, bytes]:
        """Each table in its layout, with * in the place of each hidden count, and what it is below that of a sheet.

        A CSV file is for programs: it has nothing but the table. All are made once: a workbook has the second at which
        it was made, and the proof its checksum.
        """
        tables, week = dict[str, bytes](), self.ledger.week if self.ledger else ""
        for path, file, keys in self._drafts:
            hidden = {own for own, key in keys.items() if self.result.table[key].status in HIDDEN}
            end = ending(path)
            below = notes_below(file, self.rule, week, hidden) if end != ".csv" else []
            tables[self.names[path]] = written(file, end, hidden, below)
        return tables

    def write(self, folder: Path) -> None:
        """Write the tables and the public certificate into ``send``, and what is hidden and the proof into ``keep``."""
        proof = self.certificate()
        replace_folder(folder / books.SEND, self.tables | {books.CERTIFICATE: self._public(proof)})
        reasons = self.to_frame().drop(columns="verdict").to_csv(index=False).encode()
        write_private(folder / books.KEEP, {books.REASONS: reasons, books.PROOF: _proof_text(proof)})

    def _public(self, proof: Certificate) -> bytes:
        target, report = self.attacked
        return public_certificate(target.contents, report, target.judged(report, "", whole=True), proof, target.adding)

    @property
    def _folder(self) -> str:
        """The folder of these tables in the ledger."""
        return self.ledger.next_folder(self.before, next(iter(self.files)).stem) if self.ledger else ""

    def publish(self) -> Path:
        """Add the tables to the ledger: a folder in ``send``, and the hidden counts with the proof in ``keep``."""
        assert self.ledger is not None
        proof = self.certificate()
        with writing_alone(self.ledger.folder):
            write_private(self.ledger.folder / books.KEEP, {})
            if self.before != self.ledger.proof():
                raise InputError(f"{self.ledger.folder}: another run published there meanwhile. Run again.")
            return self.ledger.add(self._folder, self.tables, _proof_text(proof), self._public(proof))

    def certificate(self) -> Certificate:
        """Return the proof, with how its tables are read; of hidden counts a ledger has those that are known."""
        follow = {key for key, promise in self.result.terms.promises.items() if promise == NEITHER}
        counts = {
            cell.key: cell.value or 0
            for cell in self.result.table.cells
            if cell.status in HIDDEN and (cell.key in follow or self.linked.file.cells[cell.key].value is not None)
        }
        published = []
        for of, keys in zip(self.before.published if self.before else (), self.linked.keys, strict=False):
            lost = {own: counts[key] for own, key in keys.items() if key in follow and key in counts}
            published.append(of.model_copy(update={"counts": tuple((dict(of.counts) | lost).items())}))
        for path, file, keys in self._drafts:
            name = self.names[path]
            more: dict[str, Any] = {} if file.layout.population else {"populations": tuple(file.populations.items())}
            more |= {"sheet": file.layout.sheet, "other_sheets": file.other_sheets}
            if self.ledger:
                more |= {"week": self.ledger.week, "since": self.since, "corrected": self.ledger.corrected}
                more["counts"] = tuple((own, counts[key]) for own, key in keys.items() if key in counts)
                more["sha256"] = sha256_of(self.tables[name])
            published.append(PublishedTable(file=str(Path(self._folder, name)), **self._how(file), **more))
        terms, proved = self.result.terms, books.proved_cells(self.result, self.whys)
        proved |= {"unsure": self.attacked[0].unsure}
        proved |= {"criterion": terms.criterion, "largest": terms.largest, "corrections": self.linked.corrections}
        return Certificate(published=tuple(published), rule=self.rule.id, reader=_reader(self.request), **proved)

    def _how(self, file: CountFile) -> dict[str, Any]:
        """Return how a table that is written is read."""
        layout = replace(
            file.layout,
            count=file.counts[0] if len(file.counts) == 1 else "",
            keys=file.label_columns,
            totals=file.layout.totals or (_NO_OTHER,),
            adding=file.counts if len(file.counts) > 1 else (),
            sheet="",
        )
        return {"layout": layout}

    @property
    def since(self) -> str:
        """The week when running totals began, as this run or an earlier one says; empty for the first of the year."""
        before = self.before.published[-1].since if self.before else ""
        return (self.ledger.since if self.ledger else "") or before


def protect_tables(
    paths: Sequence[Path],
    rule: DisclosureRule,
    layout: Layout = AS_FOUND,
    request: Request = DEFAULTS,
    ledger: Ledger | None = None,
    denominators: Denominators | None = None,
) -> ProtectedTables:
    """Read tables of counts, hide what the rule hides, and find the further cells that must be hidden.

    A rule that does not go by counts, an unclear mark and a hidden cell without its count are an InputError.
    """
    start = time.monotonic()
    _check_is_new(ledger)
    of_kind("request", request, Request, "a Request, such as Request('E')")
    read = opened(paths, layout, ledger, denominators, request=request)
    files, linked, before = read.files, read.linked, read.proof
    _check_can_go_out(before, rule, request)
    if layout.marks.get(WORD, HIDDEN_MARK) != HIDDEN_MARK:
        raise InputError(f"{WORD} stands for a hidden count in the written table. Give it no other meaning.")
    file = linked.file
    no_count = {key for key, cell in file.cells.items() if cell.status == PRIMARY and cell.value is None}
    if without := [key for keys in linked.keys[-len(files) :] for key in keys.values() if key in no_count]:
        raise InputError(f"hidden cell {named(without[0])} has no count. Protect the table that has all counts.")
    table, whys, terms = _judged(linked, rule, request, before)
    end = start + _SEARCH * request.seconds
    if read.unused:
        return ProtectedTables(
            read, rule, request, Protection(solver.UNKNOWN, terms, table, None, 0), whys, (), file.notes, ledger
        )
    result = strongest(table, terms, end - time.monotonic())
    advice = tuple(ways_out(table, result, end)) if result.status == solver.INFEASIBLE else ()
    ways = tuple[WayOut, ...]()
    short = result.cost is None or result.lowered or result.terms.totals
    if len(files) == 1 and ledger is None and short:
        (path, only), plain = next(iter(files.items())), replace(request, merge_weeks=0, by="")
        judge = partial(_judged_alone, rule=rule, request=plain)
        ways = tuple(side_by_side(path, only, table, result, judge, end + QUICK))
    left_out = any(note.startswith("Left out") for note in file.notes)
    notes = ("What is left out is not in the table that is written either: nobody audited it.",) * left_out + file.notes
    if words := [word for own in files.values() for word in unsaid_totals(own.cells, own.relations, own.layout)]:
        notes += (f"To check what is written, say which words are totals: {ask('totals', *words, option='--total')}.",)
    return ProtectedTables(read, rule, request, result, whys, advice, notes, ledger, ways)


class Opened(NamedTuple):
    """Tables that were read, linked with what is out; ``earlier`` and ``out``: what is out, by name in the ledger."""

    files: dict[Path, CountFile]
    linked: Linked
    proof: Certificate | None
    earlier: dict[str, CountFile]
    out: dict[str, bytes]
    unused: tuple[str, ...] = ()  # equations that hold in every count and are no sums of counts
    stating: tuple[str, ...] = ()  # labels whose numbers are counts


def opened(
    paths: Sequence[Path],
    layout: Layout,
    ledger: Ledger | None,
    denominators: Denominators | None,
    out: bool = False,
    zeros: bool = False,
    request: Request = DEFAULTS,
) -> Opened:
    """Read tables that are declared in one way, link them with what is out, and return its proof.

    ``out``: these tables are out too, and with ``zeros`` what they hide may be 0. ``request``: how they are merged.
    """
    of_kind("layout", layout, Layout, "a Layout, such as Layout(count='deaths')")
    of_kind("ledger", ledger, (Ledger, type(None)), "a Ledger, such as Ledger(Path('measles'), '2025-W10')")
    function_of("denominators", denominators, 2)
    paths = [one_path("paths", path) for path in several("paths", paths, (str, Path), "'counts.csv'")]
    if len({path.stem for path in paths}) < len(paths):
        raise InputError("two tables have one name. Give each its own.")
    proof = ledger.proof() if ledger else None
    before = books.read_sources(ledger.send, proof.published) if ledger and proof else []
    if request.merge_weeks and ledger is not None:
        raise InputError("each table of a ledger covers one week. Merge weeks in a table without a ledger.")
    read = read_each(paths, layout)
    files = {path: merged(path, file, request.merge_weeks, request.by) for path, file in read.items()}
    files = {path: denominators(path, file) if denominators else file for path, file in files.items()}
    files = {path: books.known(file, {}, zeros) if out else file for path, file in files.items()}
    drafts = [source._replace(out=out) for source in books.draft_sources(files, ledger, before)]
    for draft in drafts if before else ():
        check_weeks([*before, draft])
    linked = link([*before, *drafts], ledger is not None)
    earlier = {source.name: source.file for source in before}
    content = {name: (ledger.send / name).read_bytes() for name in earlier if ledger}
    named_files = earlier | {draft_name(path, files): file for path, file in files.items()}
    used = found_relations(named_files, content, linked, layout.coincidences)
    if used.relations:
        notes = (*linked.file.notes, *(f"Found, and used: {text}." for text in used.words))
        relations, cells = (*linked.file.relations, *used.relations), dict(linked.file.cells) | used.sums
        linked = linked._replace(file=replace(linked.file, cells=cells, relations=relations, notes=notes))
    return Opened(files, linked, proof, earlier, content, used.unused, used.stating)


def _proof_text(proof: Certificate) -> bytes:
    return (proof.model_dump_json(indent=1) + "\n").encode()


def draft_name(path: Path, files: Mapping[Path, CountFile]) -> str:
    """Return the name of a table as it is written."""
    return ("table" if len(files) == 1 else path.stem) + ending(path)


def _check_is_new(ledger: Ledger | None) -> None:
    """Refuse to go on with a ledger of the version before, with the command that converts it."""
    if isinstance(ledger, Ledger) and ledger.is_old:
        name = ledger.folder
        raise InputError(f"{name}: the version before wrote this ledger. Run once: policy-sim table convert {name}")


def _check_can_go_out(before: Certificate | None, rule: DisclosureRule, request: Request) -> None:
    """Raise InputError where the rule cannot protect a table, or the ledger goes by another."""
    of_kind("rule", rule, DisclosureRule, "a rule, such as find_rule('cms')")
    if rule.largest is None or not rule.judges_counts:
        raise InputError(f"rule {rule.id} has no largest hidden count, so it cannot protect a table.")
    if before and (before.rule, before.reader) != (rule.id, _reader(request)):
        raise InputError(f"the ledger was begun with rule {before.rule} and reader {before.reader}. Keep both.")


def _judged(
    linked: Linked, rule: DisclosureRule, request: Request, before: Certificate | None
) -> tuple[Table, dict[Key, str], Terms]:
    """Return the table with the status of each cell, why the rule hides those that it hides, and what these keep.

    A hidden cell whose count nobody gave keeps two values at least, whatever its count may be.
    """
    file, largest = linked.file, rule.largest or 0
    table = file.table()
    whys, promises = dict[Key, str](), dict[Key, str]()
    for cell in table.cells:
        if file.cells[cell.key].mark == SUM:
            continue
        if cell.value is None and cell.status == PRIMARY:
            own, most = file.cells[cell.key], file.cells[cell.key].greatest
            whys[cell.key] = BETWEEN if own.mark == IMPLIED else OUT_BEFORE
            promises |= {} if most is not None and most <= largest else {cell.key: solver.TWO}
            continue
        why = books.why_hidden(rule, cell.value or 0, file.populations.get(cell.key))
        if why and cell.value is not None and cell.key not in linked.fixed:
            whys[cell.key] = why
    others = [cell.key for cell in table.cells if cell.status == PRIMARY]
    table = table.with_statuses(dict.fromkeys(others, COMPLEMENTARY) | dict.fromkeys(whys, PRIMARY))
    promises |= {cell.cell: cell.promise for cell in (before.hidden if before else ()) if cell.lowered}
    away = (before.given_away if before else frozenset()) | books.shown_weeks(linked)
    promises |= dict.fromkeys(books.same_people(table, away), NEITHER)
    promises = {key: promise for key, promise in promises.items() if key in whys}
    reader = books.possible(rule, file, _reader(request))
    margins, zeros = request.hide_margins, request.hide_zeros
    terms = Terms(request.criterion, largest, request.cost, reader, margins, zeros, linked.fixed, promises)
    return _completed(table, file, reader), whys, terms


def _completed(table: Table, file: CountFile, reader: Reader) -> Table:
    """Return the table with counts in hidden cells that have none.

    An equation that was found and has such a cell may hold in what is shown alone: it is left out where nothing fits.
    """
    try:
        return completed(table, reader)
    except InputError:
        unknown = {key for key, cell in file.cells.items() if cell.status == PRIMARY and cell.value is None}
        sure = tuple(of for of in table.relations if not of.why or unknown.isdisjoint((of.total, *of.parts)))
        if len(sure) == len(table.relations):
            raise
        return completed(Table(table.cells, sure), reader)


def _judged_alone(file: CountFile, rule: DisclosureRule, request: Request) -> tuple[Table, dict[Key, str], Terms]:
    """Return what :func:`_judged` does of a table without others."""
    return _judged(Linked(file, (), frozenset(), ()), rule, request, None)


def _reader(request: Request) -> str:
    """Return what the reader knows: where zeros are hidden too, nobody knows that a hidden count is not 0."""
    return books.PLAIN if request.hide_zeros else request.reader


@dataclass(frozen=True)
class EnteredTables(ProtectedTables):
    """Tables that were out before, as they are: what their hidden cells keep next to all else that is out."""

    zeros: bool = False

    @property
    def follow(self) -> tuple[Key, ...]:
        """The hidden cells of these tables that can be worked out, and those of others that could not before."""
        before = self.before.given_away if self.before else ()
        return tuple(key for key in self.result.unsafe if key in self.ours or key not in before)

    @property
    def entered(self) -> bool:
        """Whether the time sufficed, so that the tables can be entered."""
        return self.result.cost is not None

    @cached_property
    def judgment(self) -> Verdict:
        """The verdict of the attacker on all that is out then."""
        if not self.entered:
            return Verdict(
                NOT_TESTED,
                f"{given(self.request.seconds)} seconds were not enough. Give more: nothing was entered.",
            )
        cells, follow = len(self.to_frame()), len(self.follow)
        words = f"of {cells:,} hidden {'cell' if cells == 1 else 'cells'}"
        target, report = self.attacked
        safe = f"entered; none {words} can be worked out from the published tables (reader {_reader(self.request)})"
        verdict = target.judged(report, safe, whole=False)
        verdict = verdict.and_not_tried(books.unchecked_words(self.certificate().unchecked_sheets))
        if follow:
            text = f"{follow:,} {words} can be worked out from the published tables. From now on they count as known."
            return replace(verdict, word=LEAKS, words=text)
        return verdict

    def to_frame(self) -> pd.DataFrame:
        """Return one row per hidden cell that the rule hides, or whose count nobody gave, with what it keeps."""
        ours, promises = self.ours | set(self.follow), self.result.terms.promises
        full = {"R": solver.RANGE, "T": "one more and one less"}.get(self.request.criterion, solver.TWO)
        rows = [
            (named(key), self.result.table[key].status, why, promises.get(key, full))
            for key, why in self.whys.items()
            if key in ours
        ]
        frame = pd.DataFrame(rows, columns=["cell", "hidden_as", "why", "keeps"], dtype="string")
        return frame.assign(verdict=self.result.status)

    @cached_property
    def tables(self) -> dict[str, bytes]:
        """Return each file as it is."""
        return {self.names[path]: path.read_bytes() for path in self.files}

    def _how(self, file: CountFile) -> dict[str, Any]:
        return {"layout": file.layout, "entered": True, "zeros": self.zeros}


def enter_tables(
    paths: Sequence[Path],
    rule: DisclosureRule,
    ledger: Ledger,
    layout: Layout = AS_FOUND,
    request: Request = DEFAULTS,
    denominators: Denominators | None = None,
) -> EnteredTables:
    """Read tables that were out before the ledger, and find what readers derive of their hidden cells.

    Nothing is known of a hidden cell but its mark; with ``request.hide_zeros`` it may be 0.
    """
    start, zeros, plain = time.monotonic(), request.hide_zeros, replace(request, hide_zeros=False)
    _check_is_new(ledger)
    read = opened(paths, layout, ledger, denominators, out=True, zeros=zeros)
    files, linked, before = read.files, read.linked, read.proof
    _check_can_go_out(before, rule, plain)
    table, whys, terms = _judged(linked, rule, plain, before)
    terms = replace(terms, fixed=frozenset(table.index))
    result = solver.kept(table, terms, request.seconds - (time.monotonic() - start))
    large = [  # counts that no table shows, and that the rule would not hide
        key
        for key in result.unsafe
        if whys[key] == BETWEEN and not rule.why_hidden(result.table[key].value or 0, linked.file.populations.get(key))
    ]
    whys = {key: why for key, why in whys.items() if key not in large}
    result = replace(
        result,
        table=result.table.with_statuses(dict.fromkeys(large, COMPLEMENTARY)),
        terms=replace(terms, promises={key: of for key, of in result.terms.promises.items() if key not in large}),
        unsafe=tuple(key for key in result.unsafe if key not in large),
    )
    notes = [note for file in files.values() for note in file.notes]
    small = books.in_sight(rule, linked.file, linked.fixed)
    if small:
        notes.insert(
            0, f"Published tables show counts that rule {rule.id} hides: {len(small):,}, such as {named(small[0])}."
        )
    return EnteredTables(read, rule, plain, result, whys, (), tuple(notes), ledger, zeros=zeros)
