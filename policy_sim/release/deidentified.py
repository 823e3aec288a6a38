"""De-identify a table: draw a sample, search the key fields, mask identifiers, shift dates; what use is left of it."""

from __future__ import annotations

import datetime as dt
import hmac
import math
import os
import re
import secrets
import stat
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from policy_sim.records.classes import occurring
from policy_sim.records.dates import ISO, read_dates
from policy_sim.records.formats import CodedColumn, CodedTable
from policy_sim.release.cells import KeyCells
from policy_sim.release.conditions import SensitiveColumn
from policy_sim.release.generalization import SUPPRESSED, Generalization, generalized
from policy_sim.release.ladders import Hierarchy
from policy_sim.release.linkable import people_figures, people_of_rows
from policy_sim.release.local import local_recoding, with_cells_suppressed
from policy_sim.release.person_cells import CELLS_OF
from policy_sim.release.project import ReleaseSettings
from policy_sim.release.search import CANDIDATES, RECODINGS, NoNodeError, SearchResult, search_lattice
from policy_sim.release.targets import RiskTarget, class_of_rows, recounted
from policy_sim.release.treatments import Variable
from policy_sim.release.use import UserAnalysis, analysis_change, bits_and_classes
from policy_sim.words.arrays import BoolArray, IntArray
from policy_sim.words.errors import InputError, NotEstimableError, OutputError, SourceError, UnknownNameError

_UNLISTED = ("identifier", "text", "place", "town")  # kinds whose values no label lists: each may be of one person


@dataclass(frozen=True, kw_only=True)
class Treatment(ReleaseSettings):
    """The settings of a release with what they are for; without a ``target`` every row leaves at the allowed levels.

    ``analysis`` is the one that ``loss`` names, if any. Rows are recoded at one level per field unless ``recoding`` is
    local. Prefixes in ``small_zip3`` become 000, and births up to ``oldest_year`` one class: under a target of risk,
    only those of accepted guesses. Where a ``person`` has several rows, ``known`` says how many of them an attacker
    knows.
    """

    variables: tuple[Variable, ...]
    target: RiskTarget | None
    analysis: UserAnalysis | None = None
    person: str = ""
    known: str = ""
    small_zip3: frozenset[str] = field(default=frozenset(), repr=False)
    oldest_year: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.sample <= 1:
            raise InputError(f"sample = {self.sample}: give the share of people that is drawn, above 0 and at most 1.")
        if self.recoding not in ("", *RECODINGS):
            raise UnknownNameError("recoding", self.recoding, RECODINGS)
        if self.recoding == "local" and self.target is None:
            raise InputError(
                'recoding = "local" needs a target of risk, and this release has none: the policy or the variables set '
                'the levels. Set recoding = "one-level".'
            )
        self._check_keep()
        self._check_conditions()
        if self.local and self.person and self.recoding != "local":
            raise InputError(
                "with one level per field, single cells are suppressed only where each row is a person: leave out "
                'local or person, or set recoding = "local".'
            )
        if any(variable.treatment == "shift" for variable in self.variables) and not self.person:
            raise InputError("dates are shifted by person: name the column that identifies the person of a row.")

    def _check_keep(self) -> None:
        names = [variable.name for variable in self.searched]
        for name in self.keep:
            if name not in names:
                raise UnknownNameError("key field in keep", name, names)
        if self.keep and self.target is None:
            raise InputError(
                "keep is for a target of risk: this release has none, so nothing is searched. Leave out keep."
            )

    def _check_conditions(self) -> None:
        for condition in self.target.conditions if self.target else ():
            if condition.measure == "presence" and (self.recoding == "local" or self.local):
                raise InputError(
                    "a condition of presence counts the people of the population, and rows at several levels have no "
                    'such count. Set recoding = "one-level" and local = false.'
                )
            whole = [variable.name for variable in self.variables if variable.treatment == "keep"]
            if condition.of and condition.of not in whole:
                raise InputError(
                    f"a condition is about {condition.of}, which is not released as it is: give the column the role "
                    "sensitive and the treatment keep, or leave the condition out."
                )

    def hierarchies(self, table: CodedTable) -> dict[str, Hierarchy | None]:
        """Return the columns that conditions look at, with the hierarchy of each that is compared by one."""
        ladders: dict[str, Hierarchy | None] = {}
        for condition in self.target.conditions if self.target else ():
            if condition.of and not ladders.get(condition.of):
                variable = next(candidate for candidate in self.variables if candidate.name == condition.of)
                column, hierarchical = table[condition.of], condition.distance == "hierarchical"
                own = variable.ladder(column.values, records=column.rows_of_values()) if hierarchical else None
                ladders[condition.of] = own
        return ladders

    @property
    def searched(self) -> tuple[Variable, ...]:
        """The key variables to generalize."""
        return tuple(variable for variable in self.variables if variable.is_searched)

    @property
    def shows_person(self) -> bool:
        """Whether the column of the person is released, as it is or as a pseudonym."""
        return any(v.name == self.person and v.treatment != "drop" for v in self.variables)

    @property
    def needs_key(self) -> bool:
        """Whether the treatment needs a secret key."""
        return any(variable.treatment in ("pseudonym", "shift") for variable in self.variables)


@dataclass(frozen=True, eq=False)
class Deidentified:
    """A de-identified file: which rows of the original are ``drawn``, and which of these are released.

    ``order`` are the released rows in the order in which they are written. ``cells`` are the drawn
    records by key, with their population. What concerns levels is None if no field is
    generalized. ``notes`` hold no value of the file. Of the ``losses``, each the mean over drawn records and fields,
    ``loss`` is that of the release, and ``file_loss`` what would be lost if classes counted records of the file and not
    people of a population. Where the rows may be recoded locally, ``one_level_loss`` is what one level per field
    loses, and ``local_loss`` what local recoding does; None where that suppresses too many. Where an attacker knows
    several rows of a person, ``one_row`` is what the release for one row would lose and leave.
    """

    table: CodedTable
    rows: BoolArray = field(repr=False)
    drawn: BoolArray = field(repr=False)
    generalization: Generalization | None
    search: SearchResult | None
    cells: KeyCells | None = field(repr=False)
    notes: tuple[str, ...] = ()
    losses: Mapping[str, float | None] = field(default_factory=dict)
    one_row: Mapping[str, Any] | None = None
    order: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False)

    def as_written(self) -> CodedTable:
        """Return the released rows in the order in which they are written."""
        return self.table.take(self.order)

    def in_order_of_file(self, written: CodedTable) -> CodedTable:
        """Return the written rows in the order of the original file."""
        return written.take(np.argsort(self.order))


def deidentify(
    table: CodedTable,
    treatment: Treatment,
    key: SecretKey | None = None,
    population: tuple[CodedTable, IntArray] | None = None,
    progress: Callable[[str], object] = lambda _: None,
    *,
    counted: KeyCells | None = None,
) -> Deidentified:
    """Return the de-identified file.

    A ``population`` has people by the key fields, as text in the file's own codes, and the number of people of each
    row. By default the original file is the population of its sample. ``counted`` is what :func:`key_cells_of`
    returns of the whole file.
    """
    _check_classified(table, treatment)
    people = people_of_rows(table, treatment.person, released=treatment.shows_person)
    drawn = _drawn(people, treatment)
    part = table.take(drawn)
    if population is None and treatment.sample < 1:
        population = table, np.ones(table.rows, dtype=np.int64)
    result, cells, generalization, one_row = None, None, None, None
    losses: dict[str, float | None] = {}
    changed, released = part, np.ones(part.rows, dtype=np.bool_)
    if treatment.searched:
        cells = counted or key_cells_of(part, treatment, people[drawn], population)
        recoder = _Recoder(cells, treatment, part, people[drawn], progress)
        result, generalization, losses = recoder.recoded()
        losses["file_loss"] = recoder.loss_in_file()
        losses["weighted_loss"] = recoder.weighted_loss(generalization) if treatment.keep else None
        one_row = recoder.for_one_row(population)
        changed, released = generalization.apply(part), generalization.released
    progress("masking identifiers")
    changed, notes = _masked(changed, part.take(released), treatment, key)
    rows = drawn.copy()
    rows[drawn] = released
    order = np.arange(changed.rows) if treatment.keep_order else drawn_order(changed.rows, treatment.seed)
    return Deidentified(changed, rows, drawn, generalization, result, cells, notes, losses, one_row, order)


def drawn_order(rows: int, seed: int | None) -> IntArray:
    """Return the rows in an order that follows from the seed; without a seed it is drawn."""
    entropy = secrets.randbits(63) if seed is None else seed
    return np.random.Generator(np.random.PCG64([entropy, 1])).permutation(rows)


def key_cells_of(
    table: CodedTable,
    treatment: Treatment,
    people: IntArray,
    population: tuple[CodedTable, IntArray] | None = None,
) -> KeyCells:
    """Return the records by key with their population, and the levels and weights of the treatment."""
    ladders, levels = [], []
    for variable in treatment.searched:
        values = set(table[variable.name].values)
        if population is not None and variable.name in population[0].names:
            values |= set(population[0][variable.name].values)
        by_rule = treatment.target is None or variable.accepted
        small, oldest = (treatment.small_zip3, treatment.oldest_year) if by_rule else (frozenset(), None)
        ladder = variable.ladder(sorted(values), small, oldest, table[variable.name].rows_of_values())
        ladders.append(ladder)
        levels.append(variable.allowed(ladder))
    several = len(occurring(people)) < table.rows
    cells: KeyCells = KeyCells.of_table(table, ladders)
    if several:
        cells = CELLS_OF[treatment.known or "1"].of_people(table, ladders, people)
    sensitive = {name: SensitiveColumn.of(table[name], ladder) for name, ladder in treatment.hierarchies(table).items()}
    weights = tuple(treatment.keep.get(variable.name, 1.0) for variable in treatment.searched)
    by_entropy = treatment.loss == "entropy"
    unlisted = tuple(at for at, variable in enumerate(treatment.searched) if variable.kind in _UNLISTED)
    cells = replace(
        cells, sensitive=sensitive, by_entropy=by_entropy, levels=tuple(levels), weights=weights, unlisted=unlisted
    )
    if population is not None:
        others, people_of_row = population
        lacking = [variable.name for variable in treatment.searched if variable.name not in others.names]
        none = CodedColumn(np.zeros(others.rows, dtype=np.int32), ())
        others = CodedTable({**others.columns, **dict.fromkeys(lacking, none)})
        uncounted = tuple(at for at, ladder in enumerate(ladders) if ladder.field in lacking)
        cells = replace(cells, uncounted=uncounted)
        counted = KeyCells.of_table(others, ladders)
        cells = cells.with_population(
            counted.codes, np.bincount(counted.row_cell, weights=people_of_row).astype(np.int64)
        )
    return cells


@dataclass(frozen=True, eq=False)
class _Recoder:
    """The drawn records, by key and as a table, with the person of each, and how to recode them."""

    cells: KeyCells
    treatment: Treatment
    part: CodedTable
    people: IntArray
    progress: Callable[[str], object]

    def recoded(self) -> tuple[SearchResult | None, Generalization, dict[str, float | None]]:
        """Return the rows at one level per field or recoded locally, whichever does better where both are wanted."""
        if self.treatment.recoding != "local":
            result, one_level = self._one_level()
            return result, one_level, {"loss": one_level.loss(self.part), "one_level_loss": None, "local_loss": None}
        recoded = self._local()
        local = None if recoded is None else recoded.loss(self.part)
        try:
            result, one_level = self._one_level()
        except NoNodeError as error:
            if recoded is None:
                raise
            return error.nothing, recoded, {"loss": local, "one_level_loss": 1.0, "local_loss": local}
        loss = one_level.loss(self.part)
        losses = {"loss": loss, "one_level_loss": loss, "local_loss": local}
        if recoded is None or self._lost(recoded, local) >= self._lost(one_level, loss):
            return result, one_level, losses
        return result, recoded, losses | {"loss": local}

    def loss_in_file(self) -> float | None:
        """Return what the same target would lose among the records of the file; None where it already counts those."""
        target = self.treatment.target
        if target is None or target.sizes == "file" or target.of_presence:
            return None
        try:
            in_file = replace(self.treatment, target=replace(target, sizes="file"))
            return replace(self, treatment=in_file).recoded()[2]["loss"]
        except NotEstimableError:
            return None

    def for_one_row(self, population: tuple[CodedTable, IntArray] | None) -> dict[str, Any] | None:
        """Return what the release would lose, and leave, for an attacker who knows one row; None if this one is it."""
        treatment, target = self.treatment, self.treatment.target
        if target is None or treatment.known in ("", "1"):
            return None
        treatment = replace(treatment, known="1", target=replace(target, known="1"))
        cells = key_cells_of(self.part, treatment, self.people, population)
        try:
            _, recoded, losses = replace(self, cells=cells, treatment=treatment).recoded()
        except NotEstimableError:
            return {"loss": None}
        names, whose = [variable.name for variable in treatment.searched], self.people[recoded.released]
        return {"loss": losses["loss"]} | people_figures(recoded.apply(self.part), names, whose, target.least)

    def _one_level(self) -> tuple[SearchResult | None, Generalization]:
        cells, treatment, target = self.cells, self.treatment, self.treatment.target
        if target is None:  # the finest level that each variable allows
            return None, generalized(cells, tuple(choices[0] for choices in cells.levels), None)
        own = treatment.loss in ("geometric", "arithmetic", "entropy")
        loss, candidates = (treatment.loss, 1) if own else ("geometric", CANDIDATES)
        result = search_lattice(cells, target, treatment.limit, loss, candidates=candidates, progress=self.progress)
        whole = generalized(cells, result.node, target)
        if not own:
            releases = [generalized(cells, node, target) for node in result.candidates]
            whole = min(releases, key=self._lost)
            suppressed = cells.suppression(cells.classes(whole.nodes[0]), target).units
            least = self._lost(whole)
            result = replace(result, node=whole.nodes[0], loss=least, records=suppressed, optimal=False)
        if not treatment.local or treatment.person:
            return result, whole
        back = self._settled(with_cells_suppressed(cells, whole, target))
        # rows that come back change what closeness compares with, so that others may have to leave
        return result, whole if back.released.sum() < whole.released.sum() else back

    def _local(self) -> Generalization | None:
        """Return the rows recoded locally; None where that suppresses too many."""
        cells, treatment = self.cells, self.treatment
        assert treatment.target is not None, "a treatment refuses local recoding without a target"
        if treatment.local:  # single cells may be suppressed where the levels do not allow it
            levels = [
                tuple(sorted({*choices, ladder.height})) if ladder.is_gone(ladder.height) else choices
                for choices, ladder in zip(cells.levels, cells.ladders, strict=True)
            ]
            cells = replace(cells, levels=tuple(levels))
        recoded = self._settled(local_recoding(cells, treatment.target, self.progress))
        rows = ~recoded.released
        suppressed = len(np.unique(self.people[rows]))
        return None if suppressed > treatment.limit * cells.units + 1e-9 or bool(rows.all()) else recoded

    def _lost(self, generalization: Generalization, loss: float | None = None) -> float:
        """Return what a release with a known loss loses by the measure of the treatment."""
        treatment, part = self.treatment, self.part
        if treatment.loss in ("geometric", "arithmetic"):
            if treatment.keep:
                return self.weighted_loss(generalization)
            return generalization.loss(part) if loss is None else loss
        changed, fields = generalization.apply(part), [ladder.field for ladder in generalization.ladders]
        if treatment.analysis is not None:
            labels = {name: generalization.labels(name) for name in fields}
            return analysis_change(treatment.analysis, part, changed, generalization.released, labels, fields)
        kept_bits, discernibility = bits_and_classes(part, changed, generalization.released, fields)
        return 1 - kept_bits if treatment.loss == "entropy" else discernibility

    def weighted_loss(self, generalization: Generalization) -> float:
        """Return the mean of the fields' losses, in which each counts as often as its weight says."""
        return float(np.average(generalization.losses(self.part), weights=self.cells.weights))

    def _settled(self, generalization: Generalization) -> Generalization:
        """Suppress rows at several levels until the written classes meet the conditions of the target together.

        Each class was looked at alone. Closeness compares it with the released rows, which are known only now; and
        written labels of several nodes may be one class.
        """
        treatment, target = self.treatment, self.treatment.target
        if target is None or not target.conditions:
            return generalization
        names, ladders = [variable.name for variable in treatment.searched], treatment.hierarchies(self.part)
        by_text = generalization.people_by_text(self.cells)
        while generalization.released.any():
            released = generalization.apply(self.part)
            whose = self.people[generalization.released] if treatment.person else None
            risk = recounted(released, names, whose, by_text, ladders, treatment.known)
            suppressed = target.suppressed(risk.sizes, risk.people, risk.held, risk.members(target))
            if not suppressed.any():
                break
            if risk.known is None or whose is None:
                who = self.people[generalization.released][suppressed[class_of_rows(released, names)[0]]]
            else:
                who = np.unique(whose)[risk.known.person[suppressed[risk.known.group]]]
            row_node = generalization.row_node.copy()
            row_node[np.isin(self.people, who)] = SUPPRESSED
            generalization = replace(generalization, row_node=row_node)
        return generalization


def _check_classified(table: CodedTable, treatment: Treatment) -> None:
    named = [variable.name for variable in treatment.variables]
    unclassified = [name for name in table.names if name not in named]
    absent = [name for name in [*named, *filter(None, [treatment.person])] if name not in table.names]
    if unclassified:
        raise InputError(f"not classified: {', '.join(unclassified)}. Give each column a role and a reason.")
    if absent:
        raise InputError(f"the file has no column {', '.join(dict.fromkeys(absent))}. Correct the name or remove it.")


def _drawn(people: IntArray, treatment: Treatment) -> BoolArray:
    """Draw whole people, with a share as close as possible to that of the sample."""
    if treatment.sample == 1:
        return np.ones(len(people), dtype=np.bool_)
    every = np.unique(people)
    number = max(round(treatment.sample * len(every)), 1)
    rng = np.random.Generator(np.random.PCG64(treatment.seed))
    return np.isin(people, rng.choice(every, number, replace=False))


def _masked(
    changed: CodedTable, before: CodedTable, treatment: Treatment, key: SecretKey | None
) -> tuple[CodedTable, tuple[str, ...]]:
    """Drop, replace or shift the columns that are not generalized."""
    if treatment.needs_key and key is None:
        raise InputError("pseudonyms and shifted dates need a secret key. Name a file for it.")
    notes: list[str] = []
    new: dict[str, CodedColumn] = {}
    for variable in treatment.variables:
        column = before[variable.name]
        if variable.treatment == "pseudonym" and key is not None:
            new[variable.name] = pseudonym_column(column, key, variable.purpose or variable.name)
            if can_be_listed(column.values):
                notes.append(
                    f"warning: the values of {variable.name} can be listed one by one, so anyone with the key can "
                    "undo every pseudonym; guard the key like the identifiers, or drop the column"
                )
        elif variable.treatment == "shift" and key is not None:
            days = _days(before, treatment, key)
            cut = treatment.shift_days if treatment.shift_ends == "cut" else 0
            new[variable.name] = shifted_dates(variable.name, column, days, variable.format, cut)
            notes.append(_shift_note(variable.name, treatment, new[variable.name].missing - column.missing))
    dropped = [variable.name for variable in treatment.variables if variable.treatment == "drop"]
    return changed.with_columns(new).without(dropped), tuple(notes)


def _shift_note(name: str, treatment: Treatment, cut: int) -> str:
    """Say what a shift hides, what undoes it, and what was cut off."""
    days = treatment.shift_days
    ends = (
        f"{cut:,} dates less than {days} days from the first or last one are left blank"
        if treatment.shift_ends == "cut"
        else 'dates near the first or last one narrow the shift down: set shift_ends = "cut" to leave them blank'
    )
    return (
        f"{name}: dates are shifted by up to {days} days, the same for all rows of a person. One known date leaves "
        f"{2 * days} possible days ({round(math.log2(2 * days), 1)} bits hidden); the days between two dates stay as "
        f"they are, so two known dates of a person undo the shift; {ends}"
    )


def _days(table: CodedTable, treatment: Treatment, key: SecretKey) -> IntArray:
    """Return the shift of each row's person in days; each row without a person gets its own."""
    column = table[treatment.person]
    named = days_of_people(column.values, key, treatment.shift_days)
    if not column.missing:
        return named[column.codes - 1]
    alone = days_of_people([f"row {at}" for at in range(table.rows)], key, treatment.shift_days)
    return np.where(column.codes > 0, np.append(named, 0)[column.codes - 1], alone)


# Pseudonyms (HMAC-SHA-256) and shifts of dates, both made with a secret key, and the key in a file of its own. Anyone
# can undo a plain hash of a record number by hashing every number; with a key, only who has it, for values that can be
# listed.


KEY_BYTES = 32
_SHOWN = 32  # hexadecimal digits of a pseudonym: 128 bits, so that no two of a trillion values collide by chance
_LISTABLE = 10**10
_DIGITS = re.compile(r"[\d\s()./+-]+")
_FEW_LETTERS = 6
MOST_DAYS = 3650
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class SecretKey:
    """A key of 32 bytes that never appears in output, logs or tracebacks."""

    __slots__ = ("_bytes",)

    def __init__(self, content: bytes) -> None:
        if len(content) != KEY_BYTES:
            raise InputError(
                f"a key has {KEY_BYTES} bytes. Name a file that does not exist yet: a new key is written there."
            )
        self._bytes = content

    def __repr__(self) -> str:
        return "SecretKey(hidden)"

    def __reduce__(self) -> str:
        raise TypeError("a secret key is not copied into files or other processes")

    def digest(self, purpose: str, value: str) -> bytes:
        """Return the HMAC-SHA-256 of a value, different for each purpose."""
        length = len(purpose.encode())
        return hmac.new(self._bytes, f"{length}:{purpose}:{value}".encode(), "sha256").digest()

    @property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that show two people whether they have the same key."""
        return self.digest("fingerprint", "").hex()[:16]


def pseudonym_column(column: CodedColumn, key: SecretKey, purpose: str) -> CodedColumn:
    """Return a column with a pseudonym of 32 hexadecimal digits for each value; a missing value stays missing.

    Columns with the same purpose share their pseudonyms, such as a patient number in two files.
    """
    return column.relabeled(["", *(key.digest(purpose, value).hex()[:_SHOWN] for value in column.values)])


def can_be_listed(values: Sequence[str]) -> bool:
    """Return whether an attacker can try all values of this form: numbers of ten digits or fewer, or short codes."""
    if not values:
        return False
    for value in values:
        is_number = _DIGITS.fullmatch(value) and 10 ** sum(letter.isdigit() for letter in value) <= _LISTABLE
        if not is_number and len(value) > _FEW_LETTERS:
            return False
    return True


def days_of_people(people: Sequence[str], key: SecretKey, most: int) -> IntArray:
    """Return for each person a number of days from ``-most`` to ``most``, never 0, all equally likely.

    It comes from the key, so a second file of the same people, shifted with the same key, fits the first.
    """
    if not 1 <= most <= MOST_DAYS:
        raise InputError(f"days = {most}: give the largest shift of dates, from 1 to {MOST_DAYS:,}.")
    drawn = [int.from_bytes(key.digest("shift", person)[:8], "big") % (2 * most) for person in people]
    return np.array([number - most if number < most else number - most + 1 for number in drawn], dtype=np.int64)


def shifted_dates(name: str, column: CodedColumn, days: IntArray, form: str = ISO, cut: int = 0) -> CodedColumn:
    """Return a column of dates as YYYY-MM-DD, each shifted by the days of its row.

    Shifted dates less than ``cut`` days from the first or the last true one are left blank: in what stays, every shift
    of up to ``cut`` days is possible.
    """
    dates, _ = read_dates(name, column.values, form)
    unread = sum(date is None for date in dates)
    if unread:
        raise InputError(f"{name}: {unread:,} distinct values are not dates. Correct them before dates are shifted.")
    ordinals = np.array([0, *(date.toordinal() for date in dates if date)], dtype=np.int64)
    shifted = np.where(column.codes > 0, ordinals[column.codes] + days, 0)
    if cut and len(ordinals) > 1:
        inside = (shifted >= ordinals[1:].min() + cut) & (shifted <= ordinals[1:].max() - cut)
        shifted = np.where(inside, shifted, 0)
    distinct, codes = np.unique(shifted, return_inverse=True)
    day_numbers = distinct[distinct != 0]
    if len(day_numbers) and not 0 < day_numbers[0] <= day_numbers[-1] <= dt.date.max.toordinal():
        raise InputError(f"{name}: a shifted date is outside the calendar. Shift by fewer days.")
    values = tuple(dt.date.fromordinal(int(number)).isoformat() for number in day_numbers)
    return CodedColumn((codes + (0 if len(day_numbers) < len(distinct) else 1)).astype(np.int32), values)


def read_key(path: Path) -> SecretKey:
    """Read a key, which nobody but its owner may be able to read."""
    try:
        mode = path.stat().st_mode
        if os.name == "posix" and mode & _OTHERS:
            raise InputError(f"{path}: other users may read the key. Set the file's mode to 600.")
        text = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not text"
        raise SourceError(f"{path}: the key cannot be read ({reason}).") from None
    try:
        content = bytes.fromhex(text)
    except ValueError:
        content = b""
    if len(content) != KEY_BYTES:
        raise InputError(f"{path} does not contain a key of {2 * KEY_BYTES} hexadecimal digits.")
    return SecretKey(content)


def make_key(path: Path) -> SecretKey:
    """Make a key and write it into a new file with mode 600."""
    content = secrets.token_bytes(KEY_BYTES)
    draft = path.with_name(f".{path.name[:40]}-{secrets.token_hex(4)}.part")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(content.hex() + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)  # fails where the name is taken, so that no key is ever overwritten
    except OSError as error:
        raise OutputError(f"{path}: the key cannot be written ({error.strerror}).") from None
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
    return SecretKey(content)
