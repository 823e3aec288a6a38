"""What was published so far, folder by folder, and the proof that no hidden cell follows.

The proof is whole tables that all fit what is published. It is checked by adding up: no solver, and no trust in what
wrote it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from policy_sim.files.manifest import MANIFEST, read_manifest
from policy_sim.files.writing import replace_file, replace_folder, replaced, sha256_of, writing_alone
from policy_sim.rules.files import find_rule, list_rules
from policy_sim.rules.rule import DisclosureRule
from policy_sim.tables.files import CountFile, Layout, read_counts
from policy_sim.tables.link import IMPLIED, MAY_BE_ZERO, SUM, Linked, Source, link, read_week, week_text
from policy_sim.tables.protect import NEITHER, RANGE, TWO, Protection
from policy_sim.tables.table import HIDDEN, MISSING, PRIMARY, PUBLISHED, ZERO, Ends, Key, Reader, Table, named
from policy_sim.words.arguments import name_of, short, switch, text
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError, OutputError, PolicySimError, SourceError

CERTIFICATE, PROOF, REASONS = "certificate.json", "proof.json", "hidden.csv"
UNFINISHED = "unfinished.json"  # what a publication is about to write
SMALL = 10  # most rules hide counts of 1 to 10
WELL_KNOWN = ("cms-11", "hcup-10", "wa-doh-10", "tx-vital-9")  # rules that a reader may know
SEND, KEEP = "send", "keep"  # of a folder: what is published, and what stays
ZEROS, PLAIN = "zeros", "plain"  # readers: one who sees which counts are 0 knows that hidden ones are not
COMPANION = "so that no other hidden cell follows"  # why a complementary cell is hidden
_Count = Annotated[int, Field(ge=0, strict=True)]


class HiddenCell(BaseModel):
    """A hidden cell, with the first of the tables that give it its least and its greatest count.

    ``lowered``: no choice of hidden cells leaves it what the criterion asks, or a table that was out before does not.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    cell: Key
    why: str
    promise: str
    lowered: bool = False
    low_in_table: _Count
    high_in_table: _Count


class PublishedTable(BaseModel):
    """A table that the certificate is about: where it stands and how it is read; for a ledger its hidden counts too.

    ``entered``: it was out before, as it is; ``zeros``: its hidden counts may be 0.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    file: str
    layout: Layout
    week: str = ""
    since: str = ""
    corrected: bool = False
    entered: bool = False
    zeros: bool = False
    populations: tuple[tuple[Key, _Count], ...] = ()
    counts: tuple[tuple[Key, _Count], ...] = ()
    sha256: str = ""
    sheet: str = ""
    other_sheets: tuple[str, ...] = ()


class Certificate(BaseModel):
    """``tables`` give each hidden cell a count, in the order of ``hidden``; every table fits what is published.

    It is for the records of who publishes: it says which cells the rule hides, and one of its tables may be true.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    note: str = "Keep this file: it is not for publication. Publish the table alone."
    published: tuple[PublishedTable, ...]
    rule: str
    criterion: str
    largest: _Count
    reader: str  # "zeros": sees zeros, so knows that no other hidden count is 0; "plain": does not
    corrections: tuple[Key, ...] = ()  # say something else than was published before
    unsure: tuple[str, ...] = ()  # equations that hold in what is shown only: the hidden counts belie them
    hidden: tuple[HiddenCell, ...]
    tables: tuple[tuple[_Count, ...], ...]

    @property
    def unchecked_sheets(self) -> tuple[str, ...]:
        """The sheets of the workbooks that the tables are from, but for those that are published too."""
        seen = {of.sheet.casefold() for of in self.published}
        every = dict.fromkeys(name for of in self.published for name in of.other_sheets)
        return tuple(name for name in every if name.casefold() not in seen)

    @property
    def fit(self) -> Mapping[Key, int]:
        """Counts of the hidden cells that fit, where there is one table outside of a ledger; else none."""
        alone = len(self.published) == 1 and not self.published[0].sha256 and self.tables
        return dict(zip((cell.cell for cell in self.hidden), self.tables[0], strict=False)) if alone else {}

    @property
    def given_away(self) -> frozenset[Key]:
        """The hidden cells of which tables that were out before leave one value."""
        return frozenset(cell.cell for cell in self.hidden if cell.lowered and cell.promise == NEITHER)


def proved_cells(protection: Protection, whys: Mapping[Key, str]) -> dict[str, Any]:
    """Return the hidden cells and the tables of a certificate: of the moves that prove it, those that an end needs."""
    table, terms = protection.table, protection.terms
    at = np.array([own for own in np.flatnonzero(table.hidden) if table.cells[own].key[0] != SUM], dtype=np.int64)
    counts = np.array([table.cells[own].value or 0 for own in at], dtype=np.int64)
    moved = [counts + move[at] for move in protection.moves]
    every = np.array([*moved, counts]).reshape(len(moved) + 1, len(at))
    used = sorted({*every.argmin(axis=0).tolist(), *every.argmax(axis=0).tolist()})
    tables, hidden = every[used], []
    for own, place in enumerate(at):
        cell, low, high = table.cells[place], int(tables[:, own].argmin()), int(tables[:, own].argmax())
        promise = TWO if cell.status == PRIMARY or tables[low, own] < tables[high, own] else NEITHER
        if cell.status == PRIMARY and terms.criterion == "R" and 0 < counts[own] <= terms.largest:
            promise = RANGE
        lowered, why = cell.key in terms.promises, whys.get(cell.key, COMPANION)
        promise = terms.promises.get(cell.key, promise)
        hidden.append(
            HiddenCell(cell=cell.key, why=why, promise=promise, lowered=lowered, low_in_table=low, high_in_table=high)
        )
    return {"hidden": tuple(hidden), "tables": tuple(tuple(map(int, row)) for row in tables)}


def read_certificate(path: Path) -> Certificate:
    """Read a certificate; what is not one is a SourceError of one line."""
    try:
        return Certificate.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the whole file"
        raise SourceError(f"{path}: {where}: {first['msg']}. It is not a certificate as it was written.") from None
    except (OSError, UnicodeError, ValueError) as error:
        raise SourceError(f"{path}: cannot be read ({type(error).__name__}). Give a folder of table protect.") from None


def why_refused(table: Table, proof: Certificate, within: Reader) -> str:
    """Return what is wrong with a certificate of a published table; an empty text if its tables prove it.

    ``within``: the least and greatest value of each cell that a reader holds possible whatever the other cells are.
    """
    keys = [cell.cell for cell in proof.hidden]
    wrong = sorted({cell.key for cell in table.cells if cell.status in HIDDEN} ^ set(keys))
    if wrong or len(set(keys)) != len(keys) or not (proof.tables or not keys):
        return f"the hidden cells of the table are not those of the certificate: {', '.join(map(named, wrong[:3]))}"
    ends = [within.get(key, (0, None)) for key in keys]
    wrong_ends = (_wrong_ends(cell, own, proof, ends[own][0], table) for own, cell in enumerate(proof.hidden))
    return _wrong_table(table, proof, keys, ends) or next(filter(None, wrong_ends), "")


def _wrong_table(table: Table, proof: Certificate, keys: Sequence[Key], ends: Sequence[Ends]) -> str:
    seen = {cell.key: cell.value or 0 for cell in table.cells}
    for number, values in enumerate(proof.tables):
        if len(values) != len(keys):
            return f"table {number} has {len(values):,} counts for {len(keys):,} hidden cells"
        filled = seen | dict(zip(keys, values, strict=True))
        for key, (low, high) in zip(keys, ends, strict=True):
            if filled[key] < low or (high is not None and filled[key] > high):
                return f"table {number}, {named(key)}: {filled[key]:,} is not possible there"
        for total, parts, _ in table.relations:
            summed = sum(filled[part] for part in parts)
            if table[total].status != MISSING and filled[total] != summed:
                return f"table {number}: {named(total)} is {filled[total]:,}, but its parts add up to {summed:,}"
    return ""


def _wrong_ends(cell: HiddenCell, own: int, proof: Certificate, least: int, table: Table) -> str:
    column, name, count = [values[own] for values in proof.tables], named(cell.cell), table[cell.cell].value
    low, high = min(column), max(column)
    places = (column.index(low), column.index(high))
    if (cell.low_in_table, cell.high_in_table) != places:
        return f"{name}: its least and greatest counts are in tables {places[0]} and {places[1]}"
    if count is not None and not low <= count <= high:
        return f"{name}: its count is none of the tables'"
    if cell.promise == RANGE and not (low <= 1 and high >= proof.largest):
        return f"{name}: {low:,} to {high:,} does not span 1 to {proof.largest:,}"
    full = cell.why != COMPANION and not cell.lowered
    if cell.promise == TWO and high - low < (2 if proof.criterion == "T" and full and low > least else 1):
        return f"{name}: {low:,} to {high:,} is too narrow for criterion {proof.criterion}"
    allowed = (RANGE, TWO) if full else (RANGE, TWO, NEITHER)
    return "" if cell.promise in allowed else f"{name}: the promise {cell.promise!r} is not enough"


@dataclass(frozen=True)
class Ledger:
    """What is out, in a folder, and of which week the next tables are.

    The hidden counts and the proof stand beside the folder in a file of the user's own, never inside.
    """

    folder: Path
    week: str = ""
    since: str = ""
    corrected: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "folder", Path(name_of("folder", self.folder, "'measles'")))
        for name in ("week", "since"):
            week = text(name, getattr(self, name))
            if week and read_week(week) is None:
                raise InputError(f"{ask(name)}: {short(week)} is not an MMWR week, such as 2025-W10, or a date in it.")
        switch("corrected", self.corrected)

    @property
    def is_old(self) -> bool:
        """Whether the version before wrote it: its proof lies beside the folder, and all of the folder is published."""
        return not (self.folder / KEEP / PROOF).exists() and _beside(self.folder).exists()

    @property
    def private(self) -> Path:
        """The file of hidden counts and the proof."""
        return _beside(self.folder) if self.is_old else self.folder / KEEP / PROOF

    @property
    def send(self) -> Path:
        """The folder that is published."""
        return self.folder if self.is_old else self.folder / SEND

    def _folders(self) -> set[str]:
        if not self.send.is_dir():
            return set()
        return {path.name for path in self.send.iterdir() if path.is_dir() and not path.name.startswith(".")}

    def proof(self) -> Certificate | None:
        """Return the proof of what is out; None before the first table."""
        self.finish()
        if not self.private.exists():
            if self._folders():
                raise SourceError(f"{self.folder}: its proof, {self.private}, is not there. Bring it back.")
            return None
        proof = read_certificate(self.private)
        folders = {Path(of.file).parent.name for of in proof.published}
        for of in proof.published:
            path = self.send / of.file
            if not path.is_file() or sha256_of(path) != of.sha256:
                raise SourceError(f"{path}: is not as it was published. Bring the file back as it was.")
        unknown = sorted(self._folders() - folders)
        if unknown:
            raise SourceError(f"{self.send / unknown[0]}: was not written to the end. Remove it if it is not out.")
        return proof

    def add(self, folder: str, tables: Mapping[str, bytes], proof: bytes, certificate: bytes) -> Path:
        """Publish tables as a folder, with a proof and certificate of all; a run that is killed leaves none or all."""
        self._write_private(self._unfinished, json.dumps([folder, proof.decode(), certificate.decode()]).encode())
        self.send.mkdir(exist_ok=True)
        replace_folder(self.send / folder, tables)
        self._end()
        return self.send / folder

    def finish(self) -> None:
        """End a publication whose run was killed: the whole of it if its folder is there, for somebody may have it."""
        if self._unfinished.is_file():
            with suppress(OutputError, OSError), writing_alone(self.folder):  # unless a live run is about it
                self._end()

    @property
    def _unfinished(self) -> Path:
        return self.folder / KEEP / UNFINISHED

    def _end(self) -> None:
        folder, proof, certificate = json.loads(self._unfinished.read_text(encoding="utf-8"))
        if (self.send / folder).is_dir():
            replace_file(self.send / CERTIFICATE, certificate.encode())
            self._write_private(self.private, proof.encode())
        self._unfinished.unlink()

    @staticmethod
    def _write_private(path: Path, content: bytes) -> None:
        with replaced(path) as draft:
            draft.touch(mode=0o600)
            draft.write_bytes(content)

    def next_folder(self, proof: Certificate | None, stem: str) -> str:
        """Return the name of the folder of the next tables."""
        number = 1 + max((_issue(of) for of in proof.published) if proof else (), default=0)
        return f"{number:03}-{week_text(week) if (week := read_week(self.week)) is not None else stem}"


def _beside(folder: Path) -> Path:
    """Return where the version before kept the proof of a ledger."""
    named = folder if folder.name else folder.absolute()  # the folder one is in has no name of its own
    return named.with_name(f"{named.name}.private.json")


def _issue(of: PublishedTable) -> int:
    """Return the number of the publication that a table is part of; 0 outside of a ledger."""
    number = Path(of.file).parent.name.partition("-")[0]
    return int(number) if number.isdigit() else 0


def read_sources(
    folder: Path, published: Sequence[PublishedTable], fit: Mapping[Key, int] | None = None
) -> list[Source]:
    """Read the tables of a proof with their hidden counts, as far as it has them.

    ``fit``: of a single table outside of a ledger, counts of its hidden cells that fit, which tell what adds up.
    """
    sources = []
    for of in published:
        counts = dict(of.counts)
        file = read_counts(folder / of.file, of.layout, counts or fit)
        lost = [key for key in counts if key not in file.cells or file.cells[key].status != PRIMARY]
        if lost:
            raise InputError(f"{of.file}: {named(lost[0])} is not hidden there")
        file = replace(known(file, counts, of.zeros), populations=dict(of.populations) or file.populations)
        week, since = read_week(of.week), read_week(of.since)
        sources.append(Source(of.file, file, _issue(of), week, since, of.corrected, out=True))
    return sources


def known(file: CountFile, counts: Mapping[Key, int], zeros: bool) -> CountFile:
    """Return a published table with the counts that are known of its hidden cells; ``zeros``: these may be 0."""
    cells = {
        key: cell._replace(value=counts.get(key), mark=MAY_BE_ZERO if zeros else "") if cell.status == PRIMARY else cell
        for key, cell in file.cells.items()
    }
    return replace(file, cells=cells)


def draft_sources(files: Mapping[Path, CountFile], ledger: Ledger | None, before: Sequence[Source]) -> list[Source]:
    """Return tables that are not out yet, to be linked after those that are."""
    issue = max((source.issue for source in before), default=0) + 1
    if ledger is None:
        return [Source(str(path), file) for path, file in files.items()]
    week, since = read_week(ledger.week), read_week(ledger.since)
    if since is None and before:
        since = before[-1].since
    return [Source(str(path), file, issue, week, since, ledger.corrected) for path, file in files.items()]


def possible(rule: DisclosureRule, file: CountFile, reader: str) -> dict[Key, Ends]:
    """Return what a reader holds possible of each cell if it is hidden: what its mark says, 0 only where it may be."""
    ends: dict[Key, Ends] = {}
    for key, cell in file.cells.items():
        people = file.populations.get(key)
        may_be_zero = reader != ZEROS or cell.status == MISSING or cell.mark in (IMPLIED, MAY_BE_ZERO, SUM)
        may_be_zero = may_be_zero or bool(why_hidden(rule, 0, people))
        most = min((limit for limit in (people, cell.greatest) if limit is not None), default=None)
        ends[key] = (cell.least if may_be_zero else max(cell.least, 1), most)
    return ends


def why_folder_refused(folder: Path) -> str:
    """Return why the tables of a folder or a ledger are not what its certificate proves safe; empty if they are.

    First everything is added up; then the checksums of the folder must be those of when it was written.
    """
    folder = folder.resolve()
    path = proof_of(folder)
    try:
        proof = read_certificate(path)
        rule = find_rule(proof.rule)
        linked = link(read_sources(send_of(folder), proof.published, proof.fit), bool(proof.published[0].sha256))
        table = linked.file.table()
        within = possible(rule, linked.file, proof.reader)
    except (PolicySimError, TypeError, KeyError) as error:
        return " ".join(str(error).split()).rstrip(".")
    if proof.largest != rule.largest:
        return f"the largest hidden count is {proof.largest}, but rule {rule.id} hides up to {rule.largest}"
    if linked.corrections != proof.corrections:
        return "what was corrected is not what the certificate says"
    entered = [keys.values() for of, keys in zip(proof.published, linked.keys, strict=True) if of.entered]
    small = in_sight(rule, linked.file, linked.file.cells.keys() - set().union(*entered))
    if small:
        return f"the table shows {named(small[0])}, which rule {rule.id} hides"
    return why_refused(table, proof, within) or _changed(folder, proof, path)


def send_of(folder: Path) -> Path:
    """Return where the tables to publish stand: in the folder send, or, as the version before wrote them, beside it."""
    return folder / SEND if (folder / SEND).is_dir() else folder


def proof_of(folder: Path) -> Path:
    """Return where the proof of a folder stands; the version before had it among the tables, or beside a ledger."""
    old = folder / CERTIFICATE
    return old if old.exists() and not (folder / KEEP / PROOF).exists() else Ledger(folder).private


def _changed(folder: Path, proof: Certificate, path: Path) -> str:
    send = send_of(folder)
    if proof.published[0].sha256:
        wrong = [of.file for of in proof.published if sha256_of(send / of.file) != of.sha256]
        return f"{wrong[0]} is not as it was written (its checksum differs)" if wrong else ""
    written = (read_manifest(folder / MANIFEST) or {}).get("files", {})
    paths = [path, path.with_name(REASONS), *(send / of.file for of in proof.published)]
    for own in paths:
        name = own.relative_to(folder).as_posix()
        if name not in written or not own.is_file() or written[name] != sha256_of(own):
            return f"{name} is not as it was written (its checksum differs from {MANIFEST})"
    return ""


def why_hidden(rule: DisclosureRule, count: int, population: int | None) -> str:
    """Return why a rule hides a count; one of nobody knows how many people is judged by its size alone."""
    if not rule.needs_population or population is not None:
        return rule.why_hidden(count, population)
    least = 0 if rule.zeros in ("hidden", "in_class") else 1
    small = rule.largest is not None and least <= count <= rule.largest
    return f"{least} to {rule.largest} of nobody knows how many people" if small else ""


def in_sight(rule: DisclosureRule, file: CountFile, keys: Collection[Key]) -> list[Key]:
    """Return which cells a file shows though the rule hides them."""
    counts = {key: cell.value or 0 for key in keys if (cell := file.cells[key]).status in (PUBLISHED, ZERO)}
    return [key for key, count in sorted(counts.items()) if why_hidden(rule, count, file.populations.get(key))]


def small_words(rule: DisclosureRule, file: CountFile) -> str:
    """Say how many small counts a file shows that this rule does not hide, and which rules would; empty without any."""
    small = [
        (cell.value, file.populations.get(key))
        for key, cell in file.cells.items()
        if cell.status == PUBLISHED and 0 < (cell.value or 0) <= SMALL
    ]
    if not small:
        return ""
    would = [
        other.id
        for other in list_rules().values()
        if other.judges_counts and not other.needs_population and other.id != rule.id
        if any(other.why_hidden(count or 0) for count, _ in small)
    ]
    examples = [name for name in WELL_KNOWN if name in would] or would[:3]
    counts = "1 count of 1 to 10 is" if len(small) == 1 else f"{len(small):,} counts of 1 to 10 are"
    return f"{counts} shown. {', '.join(examples)} would hide counts as small as these"


def unchecked_words(sheets: Collection[str], *, named_too: bool = True) -> tuple[str, ...]:
    """Say that sheets of a workbook were not tried; what goes out does not say their names."""
    if not sheets:
        return ()
    many = "another sheet" if len(sheets) == 1 else f"{len(sheets):,} other sheets"
    names = ", ".join(map(short, [*sheets][:3])) + ", ..." * (len(sheets) > 3)
    return (f"{many} of the workbook{f' ({names})' if named_too else ''}",)


def untimed_words(files: Collection[CountFile], ledger: Ledger | None) -> tuple[str, ...]:
    """Say what nobody judged: columns that are called counts, and without a ledger the weeks before a running total."""
    kept = tuple(words for file in files for words in file.by_chance)
    for file in files if ledger is None else ():
        running = [name for name in file.counts if file.layout.is_running(name)]
        if running and len(running) < len(file.counts):
            return (*kept, f"the weeks before, which {short(running[0])} less this week tells (a ledger judges them)")
    return kept


def out_already_words(cells: Collection[Key]) -> str:
    """Say which counts that a rule hides are known already, so that hiding them in a further table changes nothing."""
    if not cells:
        return ""
    names = "; ".join(map(named, sorted(cells)[:3])) + (" and others" if len(cells) > 3 else "")
    return f" From published tables, readers know {len(cells):,} of the counts that the rule hides: {names}."


def shown_weeks(linked: Linked) -> frozenset[Key]:
    """Return the counts that no table shows, but that follow from what tables which are out show: too late to hide."""
    seen, before = set(linked.fixed), -1
    implied = {key for key, cell in linked.file.cells.items() if cell.mark == IMPLIED}
    sums = [{total, *parts} for total, parts, _ in linked.file.relations if not implied.isdisjoint((total, *parts))]
    while before != len(seen):
        before = len(seen)
        seen |= {key for keys in sums if len(rest := keys - seen) == 1 for key in rest & implied}
    return frozenset(seen & implied)


def same_people(table: Table, known_now: frozenset[Key]) -> frozenset[Key]:
    """Return the cells that are known, with those that differ from a known one by shown zeros alone."""
    pairs, before = list[set[Key]](), -1
    for relation in table.relations:
        parts = [part for part in relation.parts if table[part].status not in (ZERO, MISSING)]
        pairs += [{relation.total, parts[0]}] if len(parts) == 1 else []
    while before != len(known_now):
        before = len(known_now)
        known_now = known_now.union(*(pair for pair in pairs if pair & known_now))
    return known_now
