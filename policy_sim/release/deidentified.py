"""De-identify a table: draw a sample, search the key fields, mask identifiers, shift dates; what use is left of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from policy_sim.records.formats import CodedColumn, CodedTable
from policy_sim.release.conditions import SensitiveColumn
from policy_sim.release.generalization import SUPPRESSED, Generalization, generalized, with_cells_suppressed
from policy_sim.release.ladders import Hierarchy
from policy_sim.release.local import local_recoding, refuse_other_than_local
from policy_sim.release.pseudonyms import SecretKey, can_be_listed, days_of_people, pseudonym_column, shifted_dates
from policy_sim.release.search import KEPT, RECODINGS, KeyCells, PersonCells, SearchResult, search_lattice
from policy_sim.release.targets import RiskTarget, class_of_rows, recounted
from policy_sim.release.treatments import Variable
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray
from policy_sim.words.errors import InputError, NotEstimableError, UnknownNameError


@dataclass(frozen=True)
class Treatment:
    """How to treat every column of a file.

    Parameters
    ----------
    target : The target of the released file; None releases every row at the levels that the variables allow.
    limit : Largest share of records to suppress, at least 0 and below 1.
    keep : Key fields whose loss the search counts :data:`~policy_sim.release.search.KEPT` times, so they lose less and
        the others more.
    recoding : ``one-level`` or ``local``: one level per field, or the finest levels that each row's class allows.
    local : Suppress single cells instead of whole records where that is enough.
    person : The column that identifies the person of a row; empty if each row is a different person.
    sample : Share of the people to draw, above 0 and at most 1.
    small_zip3 : ZIP code prefixes to write as 000.
    oldest_year : Births in this year and before are one class.
    """

    variables: tuple[Variable, ...]
    target: RiskTarget | None
    limit: float = 0.05
    loss: str = "geometric"
    keep: tuple[str, ...] = ()
    recoding: str = "one-level"
    local: bool = False
    person: str = ""
    shift_days: int = 180
    sample: float = 1.0
    seed: int = 0
    small_zip3: frozenset[str] = field(default=frozenset(), repr=False)
    oldest_year: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.sample <= 1:
            raise InputError(f"sample = {self.sample}: give the share of people that is drawn, above 0 and at most 1.")
        if self.recoding not in RECODINGS:
            raise UnknownNameError("recoding", self.recoding, RECODINGS)
        if self.recoding == "local":
            refuse_other_than_local(self.target)
        self._check_keep()
        self._check_conditions()
        if self.local and self.person and self.recoding == "one-level":
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
                hierarchical = condition.distance == "hierarchical"
                held = table[condition.of]
                records = dict(zip(("", *held.values), np.bincount(held.codes).tolist(), strict=False))
                ladders[condition.of] = variable.ladder(held.values, records=records) if hierarchical else None
        return ladders

    @property
    def weights(self) -> tuple[int, ...]:
        """How many times the loss of each key field counts."""
        return tuple(KEPT if variable.name in self.keep else 1 for variable in self.searched)

    @property
    def searched(self) -> tuple[Variable, ...]:
        """The key variables to generalize."""
        return tuple(variable for variable in self.variables if variable.is_searched)

    @property
    def needs_key(self) -> bool:
        """Whether the treatment needs a secret key."""
        return any(variable.treatment in ("pseudonym", "shift") for variable in self.variables)


@dataclass(frozen=True, eq=False)
class Deidentified:
    """A de-identified file: which rows of the original are ``drawn``, and which of these are released.

    ``cells`` are the drawn records by key, with their population; ``loss`` is the mean over them and the key fields, as
    released. What concerns levels is None if no field is generalized. ``notes`` hold no value of the file.
    ``file_loss`` is what would be lost if classes counted records of the file in place of people of a population.
    Where the rows may be recoded locally, ``one_level_loss`` is what one level per field loses, and ``local_loss`` what
    local recoding does; None where that suppresses too many.
    """

    table: CodedTable
    rows: BoolArray = field(repr=False)
    drawn: BoolArray = field(repr=False)
    generalization: Generalization | None
    search: SearchResult | None
    cells: KeyCells | None = field(repr=False)
    notes: tuple[str, ...] = ()
    loss: float | None = None
    one_level_loss: float | None = None
    local_loss: float | None = None
    file_loss: float | None = None


def deidentify(
    table: CodedTable,
    treatment: Treatment,
    key: SecretKey | None = None,
    population: tuple[CodedTable, IntArray] | None = None,
    progress: Callable[[str], object] = lambda _: None,
) -> Deidentified:
    """Return the de-identified file.

    A ``population`` has people by the key fields, as text in the file's own codes, and the number of people of each
    row. By default the original file is the population of its sample.
    """
    _check_classified(table, treatment)
    people = people_of_rows(table, treatment.person)
    drawn = _drawn(people, treatment)
    part = table.take(drawn)
    if population is None and treatment.sample < 1:
        population = table, np.ones(table.rows, dtype=np.int64)
    result, cells, generalization = None, None, None
    in_file: float | None = None
    losses: tuple[float | None, float | None, float | None] = (None, None, None)
    changed, released = part, np.ones(part.rows, dtype=np.bool_)
    if treatment.searched:
        cells, row_cell, levels = key_cells_of(part, treatment, people[drawn], population)
        result, generalization = _generalized(cells, row_cell, levels, treatment, part, progress)
        one_level = local = None
        if treatment.recoding == "local":
            one_level = generalization.loss(part)
            recoded = _recoded_locally(cells, row_cell, levels, treatment, part, people[drawn], progress)
            local = None if recoded is None else recoded.loss(part)
            if recoded is not None and local is not None and local < one_level:
                generalization = recoded
        in_file = _loss_in_file(cells, row_cell, levels, treatment, part, progress)
        changed, released = generalization.apply(part), generalization.released
        losses = generalization.loss(part), one_level, local
    progress("masking identifiers")
    changed, notes = _masked(changed, part.take(released), treatment, key)
    rows = drawn.copy()
    rows[drawn] = released
    return Deidentified(changed, rows, drawn, generalization, result, cells, notes, *losses, file_loss=in_file)


def people_of_rows(table: CodedTable, person: str) -> IntArray:
    """Return a number for the person of each row; a row without a person counts as a person of its own."""
    if not person:
        return np.arange(table.rows, dtype=np.int64)
    codes = table[person].codes.astype(np.int64)
    return np.where(codes > 0, codes - 1, len(table[person].values) + np.arange(table.rows))


def key_cells_of(
    table: CodedTable,
    treatment: Treatment,
    people: IntArray,
    population: tuple[CodedTable, IntArray] | None = None,
) -> tuple[KeyCells, IntArray, list[tuple[int, ...]]]:
    """Return the records by key with their population, the cell of each row, and the allowed levels."""
    ladders, levels = [], []
    for variable in treatment.searched:
        values = set(table[variable.name].values)
        if population is not None and variable.name in population[0].names:
            values |= set(population[0][variable.name].values)
        held = table[variable.name]
        records = dict(
            zip(held.values, np.bincount(held.codes, minlength=len(held.values) + 1)[1:].tolist(), strict=True)
        )
        ladder = variable.ladder(sorted(values), treatment.small_zip3, treatment.oldest_year, records)
        ladders.append(ladder)
        levels.append(variable.allowed(ladder))
    several = len(np.unique(people)) < table.rows
    cells, row_cell = KeyCells.of_table(table, ladders)
    if several:
        cells = PersonCells.of_people(table, ladders, people)
    sensitive = {name: SensitiveColumn.of(table[name], ladder) for name, ladder in treatment.hierarchies(table).items()}
    cells = replace(cells, row_cell=row_cell, sensitive=sensitive)
    if population is not None:
        others, weights = population
        lacking = [variable.name for variable in treatment.searched if variable.name not in others.names]
        none = CodedColumn(np.zeros(others.rows, dtype=np.int32), ())
        others = CodedTable({**others.columns, **dict.fromkeys(lacking, none)})
        uncounted = tuple(at for at, ladder in enumerate(ladders) if ladder.field in lacking)
        cells = replace(cells, uncounted=uncounted)
        counted, of_row = KeyCells.of_table(others, ladders)
        cells = cells.with_population(counted.codes, np.bincount(of_row, weights=weights).astype(np.int64))
    return cells, row_cell, levels


def _generalized(
    cells: KeyCells,
    row_cell: IntArray,
    levels: Sequence[tuple[int, ...]],
    treatment: Treatment,
    part: CodedTable,
    progress: Callable[[str], object],
) -> tuple[SearchResult | None, Generalization]:
    target = treatment.target
    if target is None:  # the finest level that each variable allows
        return None, generalized(cells, tuple(choices[0] for choices in levels), None, row_cell)
    weights = treatment.weights
    result = search_lattice(cells, target, treatment.limit, treatment.loss, levels, weights=weights, progress=progress)
    whole = generalized(cells, result.node, target, row_cell)
    if not treatment.local or treatment.person:
        return result, whole
    back = with_cells_suppressed(cells, whole, target, row_cell, weights)
    back = _settled(back, part, treatment, np.arange(part.rows, dtype=np.int64))
    # rows that come back change what closeness compares with, so that others may have to leave
    return result, whole if back.released.sum() < whole.released.sum() else back


def _loss_in_file(
    cells: KeyCells,
    row_cell: IntArray,
    levels: Sequence[tuple[int, ...]],
    treatment: Treatment,
    part: CodedTable,
    progress: Callable[[str], object],
) -> float | None:
    """Return what the same target would lose among the records of the file; None where it already counts those."""
    target = treatment.target
    if (
        target is None
        or target.sizes == "file"
        or any(condition.measure == "presence" for condition in target.conditions)
    ):
        return None
    alike = replace(treatment, target=replace(target, sizes="file"))
    try:
        return _generalized(cells, row_cell, levels, alike, part, progress)[1].loss(part)
    except NotEstimableError:
        return None


def _recoded_locally(
    cells: KeyCells,
    row_cell: IntArray,
    levels: Sequence[tuple[int, ...]],
    treatment: Treatment,
    part: CodedTable,
    people: IntArray,
    progress: Callable[[str], object],
) -> Generalization | None:
    """Return the rows recoded locally; None where that suppresses too many."""
    assert treatment.target is not None, "a treatment refuses local recoding without a target"
    if treatment.local:  # single cells may be suppressed where the levels do not allow it
        pairs = zip(levels, cells.ladders, strict=True)
        levels = [
            tuple(sorted({*choices, ladder.height})) if ladder.is_gone(ladder.height) else choices
            for choices, ladder in pairs
        ]
    recoded = local_recoding(cells, treatment.target, levels, row_cell, progress, treatment.weights)
    recoded = _settled(recoded, part, treatment, people)
    rows = ~recoded.released
    suppressed = len(np.unique(cells.person[rows])) if isinstance(cells, PersonCells) else int(rows.sum())
    return None if suppressed > treatment.limit * cells.units + 1e-9 or bool(rows.all()) else recoded


def _settled(
    generalization: Generalization, part: CodedTable, treatment: Treatment, people: IntArray
) -> Generalization:
    """Suppress rows at several levels until the written classes meet the conditions of the target together.

    Each class was looked at alone. Closeness compares it with the released rows, which are known only now; and written
    labels of several nodes may be one class.
    """
    target = treatment.target
    if target is None or not target.conditions:
        return generalization
    names, ladders = [variable.name for variable in treatment.searched], treatment.hierarchies(part)
    while generalization.released.any():
        released = generalization.apply(part)
        whose = people[generalization.released] if treatment.person else None
        risk = recounted(released, names, whose, sensitive=ladders)
        suppressed = target.suppressed(risk.sizes, risk.people, risk.held)
        if not suppressed.any():
            break
        failing_rows = np.flatnonzero(generalization.released)[suppressed[class_of_rows(released, names)[0]]]
        row_node = generalization.row_node.copy()
        row_node[np.isin(people, people[failing_rows])] = SUPPRESSED
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
            new[variable.name] = shifted_dates(variable.name, column, _days(before, treatment, key), variable.format)
    dropped = [variable.name for variable in treatment.variables if variable.treatment == "drop"]
    return changed.with_columns(new).without(dropped), tuple(notes)


def _days(table: CodedTable, treatment: Treatment, key: SecretKey) -> IntArray:
    """Return the shift of each row's person in days; each row without a person gets its own."""
    column = table[treatment.person]
    named = days_of_people(column.values, key, treatment.shift_days)
    if not column.missing:
        return named[column.codes - 1]
    alone = days_of_people([f"row {at}" for at in range(table.rows)], key, treatment.shift_days)
    return np.where(column.codes > 0, np.append(named, 0)[column.codes - 1], alone)


# Entropy measures generalization only, and missing values measure suppression only, so the two belong together (El Emam
# and Arbuckle 2013, chapter 2).


_DIGITS = 12  # sums of shares are not exact beyond this


@dataclass(frozen=True)
class Missingness:
    """Shares of the original records with a missing key value, and of key cells without one, before and after.

    A suppressed record misses all values.
    """

    records_before: float
    records_after: float
    cells_before: float
    cells_after: float

    @property
    def records_lost(self) -> float:
        """The increase by de-identification, in records."""
        return self.records_after - self.records_before

    @property
    def cells_lost(self) -> float:
        """The increase by de-identification, in cells."""
        return self.cells_after - self.cells_before


def missingness(before: CodedTable, after: CodedTable, rows: BoolArray, fields: Sequence[str]) -> Missingness:
    """Compare the missing key values of a file before and after; a field that is not released misses every value."""
    none_before = np.stack([before[name].codes == 0 for name in fields], axis=1)
    none_after = np.ones_like(none_before)
    for at, name in enumerate(fields):
        if name in after.names:
            none_after[rows, at] = after[name].codes == 0
    return Missingness(
        float(none_before.any(axis=1).mean()),
        float(none_after.any(axis=1).mean()),
        float(none_before.mean()),
        float(none_after.mean()),
    )


def entropy_loss(before: CodedTable, after: CodedTable, fields: Sequence[str]) -> float | None:
    """Return the information lost by generalization, as a share of all information; None if there was none.

    The loss of each record and field is the surprise at its original value for someone who knows the released value:
    ``-log2 Pr(before | after)``. The share is relative to the loss for someone who knows no released value.

    References
    ----------
    El Emam et al. (2009), JAMIA 16:670, non-uniform entropy; records and cells that are suppressed do not count.
    """
    lost = most = 0.0
    for name in fields:
        own = before[name].codes.astype(np.int64)
        seen = after[name].codes.astype(np.int64) if name in after.names else np.zeros_like(own)
        nonempty = (own > 0) & ((seen > 0) if name in after.names else True)
        own, seen = own[nonempty], seen[nonempty]
        if not len(own):
            continue
        both = np.unique(own * (int(seen.max()) + 1) + seen, return_counts=True)[1]
        lost += _bits(np.bincount(seen)) - _bits(both)
        most += _bits(np.array([len(own)])) - _bits(np.bincount(own))
    return float(lost / most) if most > 0 else None


def _bits(counts: np.ndarray) -> float:
    """Return the sum of n log2 n."""
    positive: FloatArray = counts[counts > 0].astype(np.float64)
    return float((positive * np.log2(positive)).sum())


@dataclass(frozen=True)
class Distance:
    """How far the distribution of a variable moves, from 0 (unchanged) to 1 (nothing in common); None if none is left.

    Of ``shares`` it is half the sum of absolute differences, of ``numbers``, which have means too, the largest gap of
    the cumulative shares.
    """

    field: str
    kind: str
    distance: float | None
    mean_before: float | None = None
    mean_after: float | None = None


def distance_of(
    field: str, before: CodedColumn, after: CodedColumn, labels: Mapping[str, str] | None = None
) -> Distance:
    """Compare the values of a variable before and after, without missing values.

    With the ``labels`` at which original values are released, generalized values are compared, and the distance is the
    effect of suppression alone.
    """
    ours = _shares(before, labels or {})
    theirs = _shares(after, {})
    if not theirs or not ours:
        return Distance(field, "shares", None)
    numbers = None if labels else _as_numbers([*ours, *theirs])
    if numbers is not None:
        order = sorted({*ours, *theirs}, key=lambda text: numbers[text])
        gaps = np.cumsum([ours.get(text, 0.0) - theirs.get(text, 0.0) for text in order])
        means = [sum(numbers[text] * share for text, share in file_shares.items()) for file_shares in (ours, theirs)]
        return Distance(field, "numbers", round(float(np.abs(gaps).max()), _DIGITS), means[0], means[1])
    every = {*ours, *theirs}
    moved = sum(abs(ours.get(text, 0.0) - theirs.get(text, 0.0)) for text in every) / 2
    return Distance(field, "shares", round(moved, _DIGITS))


def _shares(column: CodedColumn, labels: Mapping[str, str]) -> dict[str, float]:
    counts = np.bincount(column.codes, minlength=len(column.values) + 1)[1:]
    total = int(counts.sum())
    shares: dict[str, float] = {}
    for text, count in zip(column.values, counts, strict=True):
        if count:
            name = labels.get(text, text)
            shares[name] = shares.get(name, 0.0) + float(count) / total
    return shares


def _as_numbers(texts: Sequence[str]) -> dict[str, float] | None:
    try:
        numbers = {text: float(text) for text in texts}
    except ValueError:
        return None
    return numbers if all(np.isfinite(number) for number in numbers.values()) else None
