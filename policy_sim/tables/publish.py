"""A table of counts made fit to publish under a rule: what is hidden and why, what that costs, or why it cannot be."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from policy_sim.files.manifest import MANIFEST, read_manifest
from policy_sim.files.writing import replace_folder, replaced, sha256_of, writing_alone
from policy_sim.records.plain_copies import EXCEL
from policy_sim.rules.files import find_rule
from policy_sim.rules.rule import DisclosureRule
from policy_sim.tables.audit import ZEROS, Reader
from policy_sim.tables.certificate import (
    COMPANION,
    Certificate,
    Ends,
    PublishedTable,
    certificate_of,
    read_certificate,
    why_refused,
)
from policy_sim.tables.files import HIDDEN as HIDDEN_MARK
from policy_sim.tables.files import CountFile, Layout, Reading, read_counts, read_mark
from policy_sim.tables.link import IMPLIED, Linked, Source, link, read_week, week_text
from policy_sim.tables.protect import (
    COSTS,
    CRITERIA,
    GAP,
    INFEASIBLE,
    OPTIMAL,
    UNKNOWN,
    Progress,
    Protection,
    Terms,
    protect,
)
from policy_sim.tables.table import COMPLEMENTARY, HIDDEN, MISSING, PRIMARY, PUBLISHED, Key, Relation, Table, named
from policy_sim.words.arguments import choice, function_of, name_of, number, of_kind, one_path, several, switch, text
from policy_sim.words.errors import InputError, PolicySimError, SourceError

CERTIFICATE, REASONS, TABLE = "certificate.json", "hidden.csv", "table"
PLAIN = "plain"
READERS = (ZEROS, PLAIN)
_NO_OTHER = "(no other word)"  # means a total: the file was read without one
Denominators = Callable[[Path, CountFile], CountFile]
_QUICK = 5.0  # seconds for each way out that is tried


@dataclass(frozen=True)
class Request:
    """What the user chooses besides the rule."""

    criterion: str = "R"
    cost: str = "people"
    seconds: float = 60.0
    hide_margins: bool = False
    hide_zeros: bool = False
    word: str = "*"
    reader: str = ZEROS

    def __post_init__(self) -> None:
        choice("criterion", self.criterion, CRITERIA)
        choice("cost", self.cost, COSTS)
        choice("reader", self.reader, READERS)  # another word would stand for the one who knows less
        number("seconds", self.seconds, 0, 1e9)
        means = read_mark(text("word", self.word), {})
        open_mark = means is None or means == Reading(PRIMARY)  # no count, no limit, no mark of zero or missing
        if not self.word.strip() or self.word.strip() != self.word or not self.word.isprintable() or not open_mark:
            raise InputError(
                f"the word {self.word!r} for hidden counts: give one that says hidden and nothing else, such as '*'."
            )
        switch("hide_margins", self.hide_margins)
        switch("hide_zeros", self.hide_zeros)


AS_FOUND, DEFAULTS = Layout(), Request()


@dataclass(frozen=True)
class Ledger:
    """What was published so far in a folder, and of which week the next tables are.

    The hidden counts and the proof stand beside the folder in a file of the user's own, never inside.
    """

    folder: Path
    week: str = ""
    since: str = ""
    corrected: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "folder", Path(name_of("folder", self.folder, "'measles'")))
        text("week", self.week)
        text("since", self.since)
        switch("corrected", self.corrected)

    @property
    def private(self) -> Path:
        """The file of hidden counts and the proof."""
        return self.folder.with_name(f"{self.folder.name}.private.json")

    def _folders(self) -> set[str]:
        return {path.name for path in self.folder.iterdir() if path.is_dir() and not path.name.startswith(".")}

    def proof(self) -> Certificate | None:
        """Return the proof of what is out; None before the first table.

        Raises
        ------
        SourceError : a table is not as it was written, or was written without its hidden counts.
        """
        if not self.private.exists():
            if self.folder.is_dir() and self._folders():
                raise SourceError(
                    f"{self.folder}: is not empty, but {self.private} is not there. Bring it, or name a new folder."
                )
            return None
        proof = read_certificate(self.private)
        folders = {Path(of.file).parent.name for of in proof.published}
        for of in proof.published:
            path = self.folder / of.file
            if not path.is_file() or sha256_of(path) != of.sha256:
                raise SourceError(f"{path}: is not as it was published. Bring the file back as it was.")
        unknown = sorted(self._folders() - folders)
        if unknown:
            raise SourceError(
                f"{self.folder / unknown[0]}: was not written to the end. Remove it if nobody published it."
            )
        return proof

    def next_folder(self, proof: Certificate | None, stem: str) -> str:
        """Return the name of the folder of the next tables."""
        number = (
            1 + max((int(Path(of.file).parent.name.partition("-")[0]) for of in proof.published), default=0)
            if proof
            else 1
        )
        return f"{number:03}-{week_text(week) if (week := read_week(self.week)) is not None else stem}"


def read_sources(folder: Path, published: Sequence[PublishedTable]) -> list[Source]:
    """Read the tables of a proof with their hidden counts, as far as it has them."""
    sources = []
    for of in published:
        declared: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in of.layout.items()
        }
        layout = Layout(**declared)
        file = read_counts(folder / of.file, layout)
        counts = dict(of.counts)
        lost = [key for key in counts if key not in file.cells or file.cells[key].status != PRIMARY]
        if lost:
            raise InputError(f"{of.file}: {named(lost[0])} is not hidden there")
        cells = {key: Reading(PRIMARY, counts[key]) if key in counts else cell for key, cell in file.cells.items()}
        file = replace(file, cells=cells, populations=dict(of.populations) or file.populations)
        number = Path(of.file).parent.name.partition("-")[0]
        issue = int(number) if number.isdigit() else 0
        sources.append(Source(of.file, file, issue, read_week(of.week), read_week(of.since), of.corrected, out=True))
    return sources


def draft_sources(files: Mapping[Path, CountFile], ledger: Ledger | None, before: Sequence[Source]) -> list[Source]:
    """Return tables that are not out yet, to be linked after those that are."""
    issue = max((source.issue for source in before), default=0) + 1
    if ledger is None:
        return [Source(str(path), file) for path, file in files.items()]
    for named_week in filter(None, (ledger.week, ledger.since)):
        if read_week(named_week) is None:
            raise InputError(f"week {named_week!r} is none. Give an MMWR week such as 2025-W10, or a date in it.")
    week, since = read_week(ledger.week), read_week(ledger.since)
    if since is None and before:
        since = before[-1].since
    return [Source(str(path), file, issue, week, since, ledger.corrected) for path, file in files.items()]


@dataclass(frozen=True)
class ProtectedTables:
    """The answer: the pattern, why each primary cell is hidden, and ways out where there is none."""

    files: Mapping[Path, CountFile]
    linked: Linked
    rule: DisclosureRule
    request: Request
    result: Protection
    whys: Mapping[Key, str]
    ways_out: tuple[str, ...]
    notes: tuple[str, ...]
    ledger: Ledger | None = None
    before: Certificate | None = None

    @property
    def safe(self) -> bool:
        """Whether a pattern was found and proved."""
        return self.result.status in (OPTIMAL, GAP)

    @property
    def ours(self) -> frozenset[Key]:
        """The cells of the tables that are to go out now."""
        return frozenset(key for keys in self.linked.keys[-len(self.files) :] for key in keys.values())

    @property
    def verdict(self) -> str:
        """Say first whether the table can go out, then at what cost and how good that is."""
        result, request = self.result, self.request
        primary = len(self.whys.keys() & self.ours)
        seen = f"reader {_reader(request)}"
        if result.status == INFEASIBLE:
            cells = "; ".join(map(named, result.unsafe[:3])) or "the hidden cells"
            return f"INFEASIBLE: no choice of further cells protects {cells} (criterion {request.criterion}; {seen})."
        if result.status == UNKNOWN:
            return f"UNKNOWN: {request.seconds:g} seconds did not suffice to prove a pattern. Give more time."
        if not self.whys:
            return f"NOTHING TO HIDE: rule {self.rule.id} hides no cell of this table."
        further = len(self.ours & set(result.complementary))
        unit = "people in them" if request.cost == "people" else "cells"
        cost, least = f"{result.cost:,} {unit}", f"at least {result.bound:,} are needed"
        good = "and nothing less suffices" if result.status == OPTIMAL else f"{least}, the rest is the gap"
        cells = "1 cell" if primary == 1 else f"{primary:,} cells"
        others = "1 further cell is" if further == 1 else f"{further:,} further cells are"
        return (
            f"PROTECTED under criterion {request.criterion}, {seen}: rule {self.rule.id} hides {cells}, "
            f"and {others} hidden. Cost: {cost}, {good}."
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per hidden cell, with why; no count is in it."""
        cells = [cell for cell in self.result.table.cells if cell.status in HIDDEN and cell.key in self.ours]
        rows = [(named(cell.key), cell.status, self.whys.get(cell.key, COMPANION)) for cell in cells]
        frame = pd.DataFrame(rows, columns=["cell", "hidden_as", "why"], dtype="string")
        return frame.assign(verdict=self.result.status)

    @property
    def names(self) -> dict[Path, str]:
        """The name of each table in the folder."""
        ends = {path: ".xlsx" if path.suffix.casefold() in EXCEL else ".csv" for path in self.files}
        return {path: (TABLE if len(ends) == 1 else path.stem) + end for path, end in ends.items()}

    @cached_property
    def tables(self) -> dict[str, bytes]:
        """Each table in its layout, with a word in the place of each hidden count.

        It is made once: a workbook holds the second at which it was made, and the proof has its checksum.
        """
        hidden = {cell.key for cell in self.result.table.cells if cell.status in HIDDEN}
        contents = {}
        for (path, file), keys in zip(self.files.items(), self.linked.keys[-len(self.files) :], strict=True):
            frame = pd.DataFrame(
                file.with_hidden({own for own, key in keys.items() if key in hidden}, self.request.word)
            )
            if path.suffix.casefold() in EXCEL:
                book = io.BytesIO()
                frame.map(lambda text: int(text) if text.isdigit() and str(int(text)) == text else text).to_excel(
                    book, index=False
                )
                contents[self.names[path]] = book.getvalue()
            else:
                contents[self.names[path]] = frame.to_csv(index=False).encode()
        return contents

    def write(self, folder: Path) -> None:
        """Write the tables in their layout, what is hidden and why, and the certificate."""
        for name, content in self.tables.items():
            (folder / name).write_bytes(content)
        self.to_frame().drop(columns="verdict").to_csv(folder / REASONS, index=False)
        (folder / CERTIFICATE).write_text(self.certificate().model_dump_json(indent=1) + "\n", encoding="utf-8")

    def publish(self) -> Path:
        """Add the tables to the ledger: a folder with them, and beside the ledger the hidden counts with the proof."""
        ledger = self.ledger
        assert ledger is not None
        folder = ledger.folder / ledger.next_folder(self.before, next(iter(self.files)).stem)
        with writing_alone(ledger.folder), replaced(ledger.private) as draft:
            if self.before != ledger.proof():
                raise InputError(f"{ledger.folder}: another run published there meanwhile. Run again.")
            draft.touch(mode=0o600)
            draft.write_text(self.certificate().model_dump_json(indent=1) + "\n", encoding="utf-8")
            ledger.folder.mkdir(exist_ok=True)
            replace_folder(folder, self.tables)
        return folder

    def certificate(self) -> Certificate:
        """Return the proof, with how its tables are read."""
        published, contents = list(self.before.published) if self.before else [], self.tables
        values = {cell.key: cell.value or 0 for cell in self.result.table.cells if cell.status in HIDDEN}
        inside = f"{self.ledger.next_folder(self.before, next(iter(self.files)).stem)}/" if self.ledger else ""
        for (path, file), keys in zip(self.files.items(), self.linked.keys[-len(self.files) :], strict=True):
            layout = {
                "count": file.counts[0] if len(file.counts) == 1 else "",
                "keys": list(file.keys[:-1] if len(file.counts) > 1 else file.keys),
                "totals": list(file.layout.totals) or [_NO_OTHER],
                "marks": {**file.layout.marks, self.request.word: HIDDEN_MARK},
                "population": file.layout.population,
                "running": list(file.layout.running),
            }
            name = self.names[path]
            more: dict[str, Any] = {} if file.layout.population else {"populations": tuple(file.populations.items())}
            if self.ledger:
                counts = tuple((own, values[key]) for own, key in keys.items() if key in values)
                since = self.since
                more |= {"week": self.ledger.week, "since": since, "corrected": self.ledger.corrected}
                more |= {"counts": counts, "sha256": sha256_of(contents[name])}
            published.append(PublishedTable(file=inside + name, layout=layout, **more))
        return certificate_of(
            self.result, self.whys, published, self.rule.id, _reader(self.request), self.linked.corrections
        )

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
    progress: Progress | None = None,
) -> ProtectedTables:
    """Read tables of counts, hide what the rule hides, and find the further cells that must be hidden.

    Raises
    ------
    InputError : the rule does not go by counts, a mark is unclear, or a hidden cell has no count.
    """
    start = time.monotonic()
    of_kind("rule", rule, DisclosureRule, "a rule, such as find_rule('cms')")
    of_kind("request", request, Request, "a Request, such as Request('E')")
    check_asked(layout, ledger, denominators, progress)
    _check_request(rule, layout, request)
    before = ledger.proof() if ledger else None
    if before and (before.rule, before.reader) != (rule.id, _reader(request)):
        raise InputError(f"the ledger was begun with rule {before.rule} and reader {before.reader}. Keep both.")
    files = read_all(paths, layout, denominators)
    for path, file in files.items():
        if file.unclear:
            raise InputError(
                f"{path}: what {' and '.join(map(repr, file.unclear))} means is not clear. "
                "Declare what it means, such as blank=missing."
            )
    earlier = read_sources(ledger.folder, before.published) if ledger and before else []
    linked = link([*earlier, *draft_sources(files, ledger, earlier)], ledger is not None)
    file = linked.file
    if not file.relations and ledger is None:
        raise InputError(
            f"{next(iter(files))}: no total was found, so nothing can be proved. Add the totals that are published, or "
            "declare which label is a total."
        )
    table, whys = _judged(linked, rule)
    reader = Reader(within=_possible(rule, file, _reader(request)))
    terms = Terms(
        request.criterion,
        rule.largest or 0,
        request.cost,
        reader,
        request.hide_margins,
        request.hide_zeros,
        linked.fixed,
    )
    result = protect(table, terms, request.seconds - (time.monotonic() - start), progress)
    ways = tuple(_ways_out(table, result, start + request.seconds)) if result.status == INFEASIBLE else ()
    notes = (*_written_notes(file), *file.notes)
    return ProtectedTables(files, linked, rule, request, result, whys, ways, notes, ledger, before)


def check_asked(layout: object, ledger: object, denominators: object, progress: object) -> None:
    """Raise InputError where an argument that goes with any question about tables is of another kind."""
    of_kind("layout", layout, Layout, "a Layout, such as Layout(count='deaths')")
    of_kind("ledger", ledger, (Ledger, type(None)), "a Ledger, such as Ledger(Path('measles'), '2025-W10')")
    function_of("denominators", denominators, 2)
    function_of("progress", progress, 3)


def read_all(paths: Sequence[Path], layout: Layout, denominators: Denominators | None = None) -> dict[Path, CountFile]:
    """Read several tables that are declared in one way; a column of labels need not be in each."""
    paths = [one_path("paths", path) for path in several("paths", paths, (str, Path), "'counts.csv'")]
    if len({path.stem for path in paths}) < len(paths):
        raise InputError("two tables have one name. Give each its own.")
    files = {path: read_counts(path, layout) for path in paths}
    return {path: denominators(path, file) if denominators else file for path, file in files.items()}


def _check_request(rule: DisclosureRule, layout: Layout, request: Request) -> None:
    if rule.largest is None or not rule.judges_counts:
        raise InputError(f"rule {rule.id} has no largest hidden count, so it cannot protect a table.")
    meanings = {mark.casefold(): meaning for mark, meaning in layout.marks.items()}
    if meanings.get(request.word.casefold(), HIDDEN_MARK) != HIDDEN_MARK:
        raise InputError(
            f"the word {request.word!r} for hidden counts means something else in this file. Give another, such as '*'."
        )


def _judged(linked: Linked, rule: DisclosureRule) -> tuple[Table, dict[Key, str]]:
    """Return the table with the status of each cell, and why the rule hides those that it hides."""
    file = linked.file
    table = file.table({})
    whys = {
        cell.key: why
        for cell in table.cells
        if cell.value is not None
        and cell.key not in linked.fixed
        and (why := rule.why_hidden(cell.value, file.populations.get(cell.key)))
    }
    others = [cell.key for cell in table.cells if cell.value is not None and cell.status == PRIMARY]
    return table.with_statuses(dict.fromkeys(others, COMPLEMENTARY) | dict.fromkeys(whys, PRIMARY)), whys


def _reader(request: Request) -> str:
    """Return what the reader knows: where zeros are hidden too, nobody knows that a hidden count is not 0."""
    return PLAIN if request.hide_zeros else request.reader


def _possible(rule: DisclosureRule, file: CountFile, reader: str) -> dict[Key, Ends]:
    """Return what a reader holds possible of each cell if it is hidden: 0 only where zeros may be hidden."""
    ends: dict[Key, Ends] = {}
    for key, cell in file.cells.items():
        people = file.populations.get(key)
        may_be_zero = reader != ZEROS or cell.status == MISSING or cell.mark == IMPLIED
        may_be_zero = may_be_zero or bool(rule.why_hidden(0, people))
        ends[key] = (0 if may_be_zero else 1, people)
    return ends


def _written_notes(file: CountFile) -> Iterator[str]:
    if any(note.startswith("Left out") for note in file.notes):
        yield "What is left out is not in the table that is written either: nobody audited it."


def _ways_out(table: Table, result: Protection, end: float) -> Iterator[str]:
    """Name what would make a safe pattern possible; hiding zeros or totals is tried in the time left."""
    terms = result.terms
    plain = Reader(within={key: (0, high) for key, (_, high) in terms.reader.within.items()})
    tries = (
        ("a weaker promise, two possible values (criterion E)", replace(terms, criterion="E")),
        ("hide zeros too", replace(terms, reader=plain, hide_zeros=True)),
        ("hide totals too", replace(terms, hide_margins=True)),
        ("suppose that readers do not use the zeros", replace(terms, reader=plain)),
    )
    for words, other in tries:
        if other != terms:
            answer = protect(table, other, min(_QUICK, (end - time.monotonic()) / 2))
            further = len(answer.complementary)
            ends = {OPTIMAL: f"works with {further:,} further cells", INFEASIBLE: "does not suffice"}
            ends[GAP] = f"works with {further:,} further cells or fewer"
            yield f"Way out: {words}: {ends.get(answer.status, 'not settled in the time left')}."
    for key in result.unsafe[:3]:
        lines = [relation.why or f"total {named(relation.total)}" for relation in table.relations if _in(key, relation)]
        yield f"Way out: merge the class of {named(key)} with another, in {' or '.join(lines) or 'its line'}."


def alternatives(answer: ProtectedTables) -> pd.DataFrame:
    """Return what a protected table and other ways lose, and whose counts are hidden: one row per way, label or size.

    ``cells`` and ``people``: hidden, changed or merged away; ``of_cells`` and ``of_people``: of all inner cells there.

    Raises
    ------
    InputError : there are several tables, or earlier ones: name one.
    """
    if len(answer.files) > 1 or answer.ledger is not None:
        raise InputError("alternatives are compared for one table alone, without a ledger.")
    file, table, terms = next(iter(answer.files.values())), answer.result.table, answer.result.terms
    inner = {cell.key: cell.value or 0 for cell in table.cells if cell.key not in file.margins}
    hidden = {cell.key for cell in table.cells if cell.status in HIDDEN}
    rows: list[tuple[object, ...]] = [("hide further cells (as written)", *_lost(inner, hidden))]
    bare = table.with_statuses({key: PRIMARY if key in answer.whys else PUBLISHED for key in hidden})
    plain = Reader(within={key: (0, high) for key, (_, high) in terms.reader.within.items()})
    for way, other in (
        ("hide zeros too", replace(terms, reader=plain, hide_zeros=True)),
        ("hide totals too", replace(terms, hide_margins=True)),
    ):
        result = protect(bare, other, _QUICK)
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


def _in(key: Key, relation: Relation) -> bool:
    return key == relation.total or key in relation.parts


def why_folder_refused(folder: Path) -> str:
    """Return why the tables of a folder or a ledger are not what its certificate proves safe; empty if they are.

    First everything is added up; then the checksums of the folder must be those of when it was written.
    """
    path = proof_of(folder)
    try:
        proof = read_certificate(path)
        rule = find_rule(proof.rule)
        linked = link(read_sources(folder, proof.published), path.parent != folder)
        table = linked.file.table({})
        within = _possible(rule, linked.file, proof.reader)
    except (PolicySimError, TypeError, KeyError) as error:
        return " ".join(str(error).split()).rstrip(".")
    if proof.largest != rule.largest:
        return f"the largest hidden count is {proof.largest}, but rule {rule.id} hides up to {rule.largest}"
    if linked.corrections != proof.corrections:
        return "what was corrected is not what the certificate says"
    small = [
        cell.key
        for cell in table.cells
        if cell.value
        and cell.status == PUBLISHED
        and rule.why_hidden(cell.value, linked.file.populations.get(cell.key))
    ]
    if small:
        return f"the table shows {named(small[0])}, which rule {rule.id} hides"
    return why_refused(table, proof, within) or _changed(folder, proof, path)


def proof_of(folder: Path) -> Path:
    """Return where the proof of a folder stands: inside, or beside a ledger."""
    return folder / CERTIFICATE if (folder / CERTIFICATE).exists() else Ledger(folder).private


def _changed(folder: Path, proof: Certificate, path: Path) -> str:
    if path.parent != folder:
        wrong = [of.file for of in proof.published if sha256_of(folder / of.file) != of.sha256]
        return f"{wrong[0]} is not as it was written (its checksum differs)" if wrong else ""
    written = (read_manifest(folder / MANIFEST) or {}).get("files", {})
    for name in (CERTIFICATE, REASONS, *(of.file for of in proof.published)):
        if name not in written or written[name] != sha256_of(folder / name):
            return f"{name} is not as it was written (its checksum differs from {MANIFEST})"
    return ""
