"""The proof that no hidden cell follows: whole tables that all fit what is published, checked by adding up."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from policy_sim.tables.files import Layout
from policy_sim.tables.protect import NEITHER, RANGE, TWO, Protection
from policy_sim.tables.table import HIDDEN, MISSING, PRIMARY, Key, Table, named
from policy_sim.words.errors import SourceError

COMPANION = "so that no other hidden cell follows"  # why a complementary cell is hidden
Ends = tuple[int, int | None]
_Count = Annotated[int, Field(ge=0, strict=True)]


class HiddenCell(BaseModel):
    """A hidden cell: its least and greatest value among the tables, and the first table of each.

    ``lowered``: a table that was out before the ledger began leaves it no more than it has.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    cell: Key
    why: str
    promise: str
    lowered: bool = False
    low: _Count
    low_in_table: _Count
    high: _Count
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
    hidden: tuple[HiddenCell, ...]
    tables: tuple[tuple[_Count, ...], ...]

    @property
    def given_away(self) -> frozenset[Key]:
        """The hidden cells of which tables that were out before leave one value."""
        return frozenset(cell.cell for cell in self.hidden if cell.lowered and cell.promise == NEITHER)


def certificate_of(
    protection: Protection,
    whys: Mapping[Key, str],
    published: Sequence[PublishedTable],
    rule: str,
    reader: str,
    corrections: tuple[Key, ...] = (),
) -> Certificate:
    """Return the certificate of a safe pattern; of the moves that prove it, those that an end of a cell needs."""
    table, terms = protection.table, protection.terms
    at = np.flatnonzero(table.hidden)
    counts = np.array([table.cells[own].value or 0 for own in at], dtype=np.int64)
    moved = [counts + move[at] for move in protection.moves]
    every = np.array([*moved, counts]).reshape(len(moved) + 1, len(at))
    used = sorted({*every.argmin(axis=0).tolist(), *every.argmax(axis=0).tolist()})
    tables, hidden = every[used], []
    for own, place in enumerate(at):
        cell, values = table.cells[place], tables[:, own]
        low, high = int(values.argmin()), int(values.argmax())
        promise = TWO if cell.status == PRIMARY or values[low] < values[high] else NEITHER
        if cell.status == PRIMARY and terms.criterion == "R" and 0 < counts[own] <= terms.largest:
            promise = RANGE
        why, promise = whys.get(cell.key, COMPANION), terms.promises.get(cell.key, promise)
        ends = {"low": int(values[low]), "low_in_table": low, "high": int(values[high]), "high_in_table": high}
        lowered = cell.key in terms.promises
        hidden.append(HiddenCell(cell=cell.key, why=why, promise=promise, lowered=lowered, **ends))
    return Certificate(
        published=tuple(published),
        rule=rule,
        criterion=terms.criterion,
        largest=terms.largest,
        reader=reader,
        corrections=corrections,
        hidden=tuple(hidden),
        tables=tuple(tuple(map(int, row)) for row in tables),
    )


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


def why_refused(table: Table, proof: Certificate, within: Mapping[Key, Ends]) -> str:
    """Return what is wrong with a certificate of a published table; an empty text if its tables prove it.

    ``within``: the least and greatest value of each cell that a reader holds possible whatever the other cells are.
    """
    keys = [cell.cell for cell in proof.hidden]
    hidden = {cell.key for cell in table.cells if cell.status in HIDDEN}
    if len(set(keys)) != len(keys) or set(keys) != hidden:
        wrong = sorted(set(keys) ^ hidden)
        return f"the hidden cells of the table are not those of the certificate: {', '.join(map(named, wrong[:3]))}"
    reasons = [_wrong_table(table, proof, keys, within)]
    for own, cell in enumerate(() if reasons[0] else proof.hidden):
        reasons.append(_wrong_ends(cell, own, proof, within.get(cell.cell, (0, None))[0], table[cell.cell].value))
    return next(filter(None, reasons), "")


def _wrong_table(table: Table, proof: Certificate, keys: Sequence[Key], within: Mapping[Key, Ends]) -> str:
    for number, values in enumerate(proof.tables):
        if len(values) != len(keys):
            return f"table {number} has {len(values):,} counts for {len(keys):,} hidden cells"
        filled = {cell.key: cell.value or 0 for cell in table.cells} | dict(zip(keys, values, strict=True))
        for key in keys:
            low, high = within.get(key, (0, None))
            if not low <= filled[key] <= (filled[key] if high is None else high):
                return f"table {number}, {named(key)}: {filled[key]:,} is not possible there"
        for relation in table.relations:
            parts = sum(filled[part] for part in relation.parts)
            if table[relation.total].status != MISSING and filled[relation.total] != parts:
                total = filled[relation.total]
                return f"table {number}: {named(relation.total)} is {total:,}, but its parts add up to {parts:,}"
    return ""


def _wrong_ends(cell: HiddenCell, own: int, proof: Certificate, least: int, count: int | None) -> str:
    column = [values[own] for values in proof.tables]
    least_end, greatest_end = (cell.low, cell.low_in_table), (cell.high, cell.high_in_table)
    for name, (value, at), true in (("least", least_end, min(column)), ("greatest", greatest_end, max(column))):
        place = column.index(true)
        if (value, at) != (true, place):
            return f"{named(cell.cell)}: the {name} count is {true:,} in table {place}, not {value:,} in {at}"
    if count is not None and not cell.low <= count <= cell.high:
        return f"{named(cell.cell)}: its count is none of the tables'"
    if cell.promise == RANGE and not (cell.low <= 1 and cell.high >= proof.largest):
        return f"{named(cell.cell)}: {cell.low:,} to {cell.high:,} does not span 1 to {proof.largest:,}"
    full = cell.why != COMPANION and not cell.lowered
    wide = 2 if proof.criterion == "T" and full and cell.low > least else 1
    if cell.promise == TWO and cell.high - cell.low < wide:
        return f"{named(cell.cell)}: {cell.low:,} to {cell.high:,} is too narrow for criterion {proof.criterion}"
    allowed = (RANGE, TWO) if full else (RANGE, TWO, NEITHER)
    return "" if cell.promise in allowed else f"{named(cell.cell)}: the promise {cell.promise!r} does not suffice"
