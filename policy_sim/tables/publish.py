"""A table of counts made fit to publish under a rule: what is hidden and why, what that costs, or why it cannot be."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from policy_sim.files.manifest import MANIFEST, read_manifest
from policy_sim.files.writing import sha256_of
from policy_sim.rules.files import find_rule
from policy_sim.rules.rule import DisclosureRule
from policy_sim.tables.audit import ZEROS, Reader
from policy_sim.tables.certificate import COMPANION, Certificate, Ends, certificate_of, read_certificate, why_refused
from policy_sim.tables.files import CountFile, Layout, read_counts, read_grid
from policy_sim.tables.marks import HIDDEN as HIDDEN_MARK
from policy_sim.tables.marks import read_mark
from policy_sim.tables.protect import GAP, INFEASIBLE, OPTIMAL, UNKNOWN, Progress, Protection, Terms, protect
from policy_sim.tables.table import HIDDEN, MISSING, PRIMARY, Key, Relation, Table, named
from policy_sim.words.errors import InputError, PolicySimError

CERTIFICATE, REASONS, TABLE = "certificate.json", "hidden.csv", "table"
PLAIN = "plain"
READERS = (ZEROS, PLAIN)
_NO_OTHER = "(no other word)"  # means a total: the file was read without one
_QUICK = 5.0  # seconds for each way out that is tried


@dataclass(frozen=True)
class Asked:
    """What the user asks for beside the rule."""

    criterion: str = "R"
    cost: str = "people"
    seconds: float = 60.0
    hide_margins: bool = False
    hide_zeros: bool = False
    word: str = "*"
    reader: str = ZEROS


AS_FOUND, DEFAULTS = Layout(), Asked()


@dataclass(frozen=True)
class ProtectedFile:
    """The answer for a file: the pattern, why each primary cell is hidden, and ways out where there is none."""

    path: Path
    layout: Layout
    rule: DisclosureRule
    asked: Asked
    result: Protection
    whys: Mapping[Key, str]
    ways_out: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def safe(self) -> bool:
        """Whether a pattern was found and proved."""
        return self.result.status in (OPTIMAL, GAP)

    @property
    def verdict(self) -> str:
        """Say first whether the table can go out, then at what cost and how good that is."""
        result, asked, primary = self.result, self.asked, len(self.whys)
        seen = f"reader {_reader(asked)}"
        if result.status == INFEASIBLE:
            cells = "; ".join(map(named, result.unsafe[:3])) or "the hidden cells"
            return f"INFEASIBLE: no choice of further cells protects {cells} (criterion {asked.criterion}; {seen})."
        if result.status == UNKNOWN:
            return f"UNKNOWN: {asked.seconds:g} seconds did not suffice to prove a pattern safe. Give more."
        if not primary:
            return f"SAFE TO PUBLISH as it is: rule {self.rule.id} hides no cell of this table."
        further = len(result.complementary)
        unit = "people in them" if asked.cost == "people" else "cells"
        cost, known = f"{result.cost:,} {unit}", f"at least {result.bound:,} are needed"
        good = "and nothing less is safe" if result.status == OPTIMAL else f"{known}, the rest is the gap"
        return (
            f"SAFE TO PUBLISH under criterion {asked.criterion}, {seen}: rule {self.rule.id} hides {primary:,} "
            f"cells, and {further:,} further cells are hidden. Cost: {cost}, {good}."
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per hidden cell, with why; no count is in it."""
        cells = [cell for cell in self.result.table.cells if cell.status in HIDDEN]
        rows = [(named(cell.key), cell.status, self.whys.get(cell.key, COMPANION)) for cell in cells]
        frame = pd.DataFrame(rows, columns=["cell", "hidden_as", "why"], dtype="string")
        return frame.assign(verdict=self.result.status)

    @property
    def name(self) -> str:
        """The name of the table in the folder."""
        return TABLE + (".xlsx" if self.path.suffix.casefold() in (".xlsx", ".xlsm") else ".csv")

    def write(self, folder: Path) -> None:
        """Write the table in its layout, what is hidden and why, and the certificate."""
        hidden = {cell.key for cell in self.result.table.cells if cell.status in HIDDEN}
        columns = read_grid(self.path, self.layout).with_hidden(hidden, self.asked.word)
        frame = pd.DataFrame(columns)
        if self.name.endswith("xlsx"):
            frame.map(lambda text: int(text) if text.isdigit() and str(int(text)) == text else text).to_excel(
                folder / self.name, index=False
            )
        else:
            frame.to_csv(folder / self.name, index=False)
        self.to_frame().drop(columns="verdict").to_csv(folder / REASONS, index=False)
        (folder / CERTIFICATE).write_text(self.certificate().model_dump_json(indent=1) + "\n", encoding="utf-8")

    def certificate(self) -> Certificate:
        """Return the proof, with how its table is read."""
        grid, layout = read_grid(self.path, self.layout), self.layout
        declared = {
            "count": grid.counts[0] if len(grid.counts) == 1 else "",
            "keys": list(grid.keys),
            "totals": list(layout.totals) or [_NO_OTHER],
            "marks": {**layout.marks, self.asked.word: HIDDEN_MARK},
            "population": layout.population,
        }
        return certificate_of(self.result, self.whys, self.name, self.rule.id, _reader(self.asked), declared)


def protect_file(
    path: Path,
    rule: DisclosureRule,
    layout: Layout = AS_FOUND,
    asked: Asked = DEFAULTS,
    progress: Progress | None = None,
) -> ProtectedFile:
    """Read a table of counts, hide what the rule hides, and find the further cells that must be hidden.

    Raises
    ------
    InputError : the rule does not go by counts, a mark is unclear, or a hidden cell has no count.
    """
    start = time.monotonic()
    if rule.largest is None or not rule.judges_counts:
        raise InputError(f"rule {rule.id} has no largest hidden count, so it cannot protect a table.")
    if asked.word.strip() != asked.word or read_mark(asked.word, {**layout.marks, asked.word: HIDDEN_MARK}) is None:
        raise InputError(
            f"the word for hidden counts, {asked.word!r}, is not clear: give a word without blanks around it."
        )
    if asked.word.isdigit() or layout.marks.get(asked.word, HIDDEN_MARK) != HIDDEN_MARK:
        raise InputError(
            f"the word for hidden counts, {asked.word!r}, means something else in this file. Give another word."
        )
    file = read_counts(path, layout)
    if file.unclear:
        raise InputError(
            f"{path}: what {' and '.join(map(repr, file.unclear))} means is not clear. "
            "Say it as a mark: hidden, zero or missing."
        )
    if not file.relations:
        raise InputError(
            f"{path}: no total was found, so nothing can be proved. Add the totals that are published, or say which "
            "label is one."
        )
    table = file.table({})
    whys = {
        cell.key: why
        for cell in table.cells
        if cell.value is not None and (why := rule.why_hidden(cell.value, file.populations.get(cell.key)))
    }
    table = table.with_statuses(dict.fromkeys(whys, PRIMARY))
    reader = Reader(within=_possible(rule, file, _reader(asked)))
    terms = Terms(asked.criterion, rule.largest, asked.cost, reader, asked.hide_margins, asked.hide_zeros)
    result = protect(table, terms, asked.seconds - (time.monotonic() - start), progress)
    ways = tuple(_ways_out(table, result, start + asked.seconds)) if result.status == INFEASIBLE else ()
    return ProtectedFile(path, layout, rule, asked, result, whys, ways, (*_written_notes(file), *file.notes))


def _reader(asked: Asked) -> str:
    """Return what the reader knows: where zeros are hidden too, nobody knows that a hidden count is not 0."""
    return PLAIN if asked.hide_zeros else asked.reader


def _possible(rule: DisclosureRule, file: CountFile, reader: str) -> dict[Key, Ends]:
    """Return what a reader holds possible of each cell if it is hidden: 0 only where zeros may be hidden."""
    ends: dict[Key, Ends] = {}
    for key, cell in file.cells.items():
        people = file.populations.get(key)
        may_be_zero = reader != ZEROS or cell.status == MISSING or bool(rule.why_hidden(0, people))
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
        ("a weaker promise, two possible values, criterion E", replace(terms, criterion="E")),
        ("hide zeros too", replace(terms, reader=plain, hide_zeros=True)),
        ("hide totals too", replace(terms, hide_margins=True)),
        ("suppose that readers do not use the zeros, reader plain", replace(terms, reader=plain)),
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


def _in(key: Key, relation: Relation) -> bool:
    return key == relation.total or key in relation.parts


def why_folder_refused(folder: Path) -> str:
    """Return why the table in a folder is not what its certificate proves safe; an empty text if it is.

    First everything is added up; then the checksums of the folder must be those of when it was written.
    """
    try:
        proof = read_certificate(folder / CERTIFICATE)
        rule = find_rule(proof.rule)
        given: dict[str, Any] = {name: tuple(of) if isinstance(of, list) else of for name, of in proof.layout.items()}
        layout = Layout(**given)
        file = read_counts(folder / Path(proof.file).name, layout)
        table = file.table({})
        within = _possible(rule, file, proof.reader)
    except (PolicySimError, TypeError, KeyError) as error:
        return " ".join(str(error).split()).rstrip(".")
    if proof.largest != rule.largest:
        return f"the largest hidden count is {proof.largest}, but rule {rule.id} hides up to {rule.largest}"
    shown = [
        cell.key for cell in table.cells if cell.value and rule.why_hidden(cell.value, file.populations.get(cell.key))
    ]
    if shown:
        return f"the table shows {named(shown[0])}, which rule {rule.id} hides"
    return why_refused(table, proof, within) or _changed(folder)


def _changed(folder: Path) -> str:
    written = (read_manifest(folder / MANIFEST) or {}).get("files", {})
    for name in (CERTIFICATE, REASONS, *(path.name for path in folder.glob(f"{TABLE}.*"))):
        if name not in written or written[name] != sha256_of(folder / name):
            return f"{name} is not as it was written (its checksum differs from {MANIFEST})"
    return ""
