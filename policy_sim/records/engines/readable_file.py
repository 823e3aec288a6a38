"""A file of records and how to read it: what every question about the file starts from."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

import numpy as np

from policy_sim.formulas.known_rows import KNOWN
from policy_sim.records.census_values import ColumnMapping, FieldColumn, Reading, alike_name, known_field, read_field
from policy_sim.records.classes import MISSING_RULES, Classes, JointSizes, WeightedRisk, weighted_risk
from policy_sim.records.column_kinds import field_by_name
from policy_sim.records.covered_values import counting_names, refuse_table_of_counts
from policy_sim.records.dates import mixed_dates
from policy_sim.records.engines.engine import MOST_CLASSES, Engine, Grouped, records_and_person
from policy_sim.records.engines.expressions import Progress
from policy_sim.records.engines.sources import Records, open_records, without_folders
from policy_sim.records.mapping import (
    field_meanings,
    load_mapping,
    looks_missing,
    mapped_fields,
    mapped_groups,
)
from policy_sim.records.profile import Threshold
from policy_sim.records.state_codes import ASK, FIPS, SSA, leave_open
from policy_sim.records.tables import FileResult
from policy_sim.records.vocabularies import name_words
from policy_sim.words.arguments import choice, name_of, names_its_arguments, text
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError, NotEstimableError
from policy_sim.words.text import mask_credentials

if TYPE_CHECKING:
    import pandas as pd

    from policy_sim.records.person_classes import PersonClasses
    from policy_sim.records.profile import FileProfile


_Answer = TypeVar("_Answer")
_SHOWN_FILES = 10
_MOST_COUNTED = 2_000_000  # values of a column; a table of counts has fewer


@names_its_arguments
@dataclass(frozen=True, repr=False)
class ReadableFile:
    """A file of records, with its key fields and how to read them.

    The fields are the parameters of :class:`policy_sim.study.record_file.RecordFile`, which answers the questions.
    """

    location: str | Path
    fields: Sequence[str] | str
    mapping: ColumnMapping | str | Path | None = None
    missing: str = "own"
    missing_codes: Sequence[str] | str = ()
    table: str | None = None
    engine: str = "duckdb"
    memory: str = "2GB"
    max_classes: int | None = None
    progress: Callable[[str], object] = lambda _: None
    sheet: str = ""
    person: str = ""
    known: str = "all"

    def __post_init__(self) -> None:
        choice("rule for missing values", self.missing, MISSING_RULES)
        check_text("engine", self.engine)
        check_text("memory", self.memory)
        for name in ("sheet", "person"):
            text(name, getattr(self, name))
        choice("number of known rows", self.known, KNOWN)
        if self.table is not None:
            check_text("table", self.table)
        if self.max_classes is not None:
            check_count("max_classes", self.max_classes)
        if not callable(self.progress):
            raise InputError("progress must be a function that takes one text.")
        _ = self.records  # a file that is not there, or lacks a column, is an error now

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.records.short_name!r}, fields={','.join(self.records.fields)!r})"

    @cached_property
    def records(self) -> Records:
        """The file and its header; no record is read yet."""
        location = name_of("location", self.location, "'visits.csv', or the URL of a database")
        mapping = mapping_of(self.mapping)
        codes = texts_of("missing_codes", self.missing_codes)
        mapping = replace(
            mapping,
            missing=tuple(dict.fromkeys((*mapping.missing, *codes))),
            sheet=self.sheet or mapping.sheet,
            person=self.person or mapping.person,
        )
        records = open_records(location, key_fields(self.fields), mapping, self.table)
        return replace(records, mapping=_asked_states(records))

    @cached_property
    def state_column(self) -> str:
        """The column that shows the state: the mapping's, or the only one that its name says; empty for none.

        A column that no mapping names is one only if most of its records have a state.
        """
        names = [name for name in self.records.column_names() if name.strip()]
        entry = self.records.mapping.entry("state")
        if entry is not None:
            return entry.column if alike_name(entry.column, names) else ""
        named = [name for name in names if name.casefold() == "state"]
        named = named or [name for name in names if field_by_name(name_words(name)) == "state"]
        if len(named) != 1 or names.count(named[0]) > 1:
            return ""
        taken = {column.column for column in self.records.mapping.fields.values()}
        with self.opened() as engine:
            grouped = engine.group(replace(self.records, fields=(named[0],), mapping=self._only_missing))
            meanings = read_field("state", FieldColumn(named[0]), grouped.values_of(named[0])).meanings
            classes = grouped.classes(self.most_classes)
        codes = classes.codes[:, 0]
        understood = np.array([False, *(meaning is not None for meaning in meanings)])[codes]
        most = 2 * classes.sizes[understood].sum() > classes.sizes[codes > 0].sum()
        return named[0] if most and named[0] not in taken else ""

    @property
    def _only_missing(self) -> ColumnMapping:
        held = self.records.mapping
        return ColumnMapping(missing=held.missing, separator=held.separator, sheet=held.sheet)

    def with_state(self) -> Self:
        """Return the file with its state among the fields, where it has a column of it: a place is of its state."""
        fields = self.records.fields
        if "state" in map(known_field, fields) or not self.state_column:
            return self
        mapping = self.records.mapping
        if mapping.entry("state") is None:
            mapping = replace(mapping, fields={**mapping.fields, "state": FieldColumn(self.state_column)})
        return replace(self, fields=(*fields, "state"), mapping=mapping)

    def state_notes(self, before: ReadableFile) -> tuple[str, ...]:
        """Say that the state is read too, where it is not among the fields of the file that was asked about."""
        if len(self.records.fields) == len(before.records.fields):
            return ()
        return (f"state: read from column {self.state_column!r}, because a place belongs to one state",)

    def _refuse_people(self) -> None:
        """Refuse what needs every row where people are counted."""
        if self.records.mapping.person:
            raise InputError(
                "records cannot be listed one by one where people are counted, not rows. Leave out the person or the "
                "list."
            )

    @property
    def people_counted(self) -> dict[str, Any]:
        """The column of the person and how many of their rows are known, as options; none where rows are counted."""
        person = self.records.mapping.person
        return {"person": person, "known": self.known} if person else {}

    @property
    def complete(self) -> bool:
        """Whether records that miss a key field are left out."""
        return self.missing == "exclude"

    @property
    def most_classes(self) -> int:
        """Most classes to hold in memory."""
        return self.max_classes or MOST_CLASSES

    @contextmanager
    def opened(self) -> Iterator[Engine]:
        """Open the engine."""
        with open_engine(self.engine, memory=self.memory, progress=self.progress) as engine:
            _refuse_counts(engine, self.records)
            yield engine

    def read_if_few(self, grouped: Grouped, *, complete: bool) -> tuple[ReadClasses | None, str]:
        """Fetch the classes; None and why where they are too many and neither the mapping nor wildcards need them."""
        try:
            return read_grouped(grouped, self.most_classes, complete=complete), ""
        except NotEstimableError as why:
            if self.missing == "wildcard" or mapped_fields(self.records.fields, self.records.mapping):
                raise
            return None, str(why)

    def classes(self) -> Classes:
        """Read the file into classes, as codes without any value: records that agree in every key field.

        Records that miss a key field are left out if ``missing`` is ``exclude``. More classes than ``max_classes`` are
        an error (``NotEstimableError``).
        """
        return self.read()[0].classes

    def read(self) -> tuple[ReadClasses, tuple[str, ...]]:
        """Return the classes, and the engine's remarks."""
        with self.opened() as engine:
            read = read_grouped(engine.group(self.records), self.most_classes, complete=self.complete)
            return read, tuple(engine.remarks)

    def read_people(self) -> tuple[PersonClasses, tuple[str, ...]] | None:
        """Return the people of the file by their rows, with notes; None where no column identifies them.

        The engine counts the rows of each person and class, and what is known of a person is then counted in memory.
        """
        from policy_sim.records.person_classes import PersonClasses

        if not self.records.mapping.person:
            return None
        with self.opened() as engine:
            grouped = engine.group(records_and_person(self.records))
            read = read_grouped(grouped, self.most_classes, complete=False, fields=self.records.fields)
            notes = (*read.notes, *mixed_date_notes(grouped, self.records.fields), *engine.remarks)
        return PersonClasses.of(read.classes, self.known, self.missing), notes

    def profiled(
        self, threshold: Threshold, cutoff: Threshold, most: int
    ) -> tuple[FileProfile, tuple[str, ...], tuple[str, ...]]:
        """Profile the classes in memory or, if they are too many, from what the engine counts."""
        from policy_sim.records.profile import profile_classes, profile_sizes

        if people := self.read_people():
            from policy_sim.records.person_classes import profile_people

            classes, notes = people
            profile = profile_people(classes, threshold, cutoff, most, self.progress)
            return profile, notes, (classes.describe(self.records.mapping.person),)
        with self.opened() as engine:
            grouped = engine.group(self.records)
            read, why = self.read_if_few(grouped, complete=False)
            dates = mixed_date_notes(grouped)
            if read is None:
                profile = profile_sizes(
                    self.records.fields,
                    grouped.values,
                    grouped.missing(),
                    lambda fields: grouped.sizes(fields, complete=self.complete),
                    threshold,
                    cutoff,
                    f"no combinations and scores: {why}",
                )
                return profile, dates, tuple(engine.remarks)
            remarks = tuple(engine.remarks)
        profile = profile_classes(read.classes, self.missing, threshold, cutoff, most, self.progress)
        return profile, (*read.notes, *dates), remarks

    def result(
        self,
        question: str,
        answer: _Answer,
        tables: Mapping[str, pd.DataFrame],
        notes: Sequence[str],
        options: Mapping[str, Any],
        *others: ReadableFile,
    ) -> FileResult[_Answer]:
        """Return an answer with its tables, notes, options and files."""
        every = {
            "fields": list(self.records.fields),
            "missing": self.missing,
            "engine": mask_credentials(self.engine),
            **options,
        }
        files = files_of(self.records, *(other.records for other in others))
        return FileResult(question, answer, tables, tuple(notes), every, files)

    def reading_notes(self, remarks: Sequence[str]) -> tuple[str, ...]:
        """Say which file was read and how; ``remarks`` are the engine's."""
        fields = ", ".join(self.records.fields)
        return (
            f"file: {self.records.short_name}{_listed(self.records)}; key fields: {fields}",
            *read_otherwise(self.records),
            *skipped_index(self.records),
            f"missing values: {MISSING_RULES[self.missing]}",
            *dict.fromkeys(remarks),
        )


def _refuse_counts(engine: Engine, records: Records) -> None:
    """Refuse a table of counts; only a file with a column that counts by its name is read for it."""
    named = [name for name in dict.fromkeys(records.column_names()) if name.strip()]
    names = [name for name in named if list(records.header).count(name) < 2]
    if not counting_names(names):
        return
    grouped = engine.group(
        replace(records, fields=tuple(names), mapping=ColumnMapping(missing=records.mapping.missing))
    )
    if max(grouped.values, default=0) > _MOST_COUNTED:
        return
    rows = int(grouped.sizes().records.sum())
    numbered = _numbering_rows(records, names) - {*counting_names(names)}
    values = {name: grouped.values_of(name) for name in names}
    values = {name: texts for name, texts in values.items() if not (name in numbered and _follow(texts, rows))}
    name = records.short_name
    refuse_table_of_counts(name, values, rows, lambda keys: grouped.sizes(keys).size.tolist() == [1])


def _asked_states(records: Records) -> ColumnMapping:
    """Return the mapping, with a mark at each column of states whose numbers the names of the file leave open."""
    mapping, names = records.mapping, [name for name in records.column_names() if name.strip()]
    columns = {field: mapping.column(field) for field in (*records.fields, *mapping.fields)}
    open_columns = {
        field: replace(column, format=ASK)
        for field, column in columns.items()
        if known_field(field) == "state"
        and column.format not in (SSA, FIPS)
        and leave_open(column.column, names)
        and (field in mapping.fields or mapping.entry(field) is None)
    }
    return replace(mapping, fields={**mapping.fields, **open_columns}) if open_columns else mapping


def _numbering_rows(records: Records, names: Sequence[str]) -> frozenset[str]:
    """Return the columns that may number the rows: by their first rows, or any where the rows have no order."""
    if records.kind != "csv" or not records.files:
        return frozenset(names)
    return frozenset.intersection(*(file.numbering(names) for file in records.files))


def _follow(texts: Sequence[str], rows: int) -> bool:
    """Tell whether values are as many whole numbers as there are rows, one after the other."""
    try:
        numbers = sorted(int(text.strip().removesuffix(".0")) for text in texts)
    except ValueError:
        return False
    return len(numbers) == rows and numbers[-1] - numbers[0] == rows - 1 == len(set(numbers)) - 1


def files_of(*sources: Records) -> Mapping[str, Path | None]:
    """Return the files of all sources by the names that outputs give them; None for one that is not a local file."""
    local = without_folders(tuple(dict.fromkeys(file.path for records in sources for file in records.files)))
    remote = {records.short_name: None for records in sources if not records.files}
    return {**local, **remote}


def read_otherwise(records: Records) -> tuple[str, ...]:
    """Say which files were read as other than UTF-8 text, and how many blank rows were left out."""
    copies = [(file.path.name, file.copy.read_as) for file in records.files if file.copy]
    return (*(f"{name}: read as {how}" for name, how in copies if how), *records.blank_rows)


def skipped_index(records: Records) -> tuple[str, ...]:
    """Say which columns without a name are an index of the rows, and which hold values that no question reads."""
    notes = []
    for file in records.files[:_SHOWN_FILES]:
        index, filled = file.nameless
        if index:
            notes.append(f"{file.path.name}: column {index[0]} has no name and numbers the rows; it was left out")
        if filled:
            which = ", ".join(map(str, filled[:_SHOWN_FILES]))
            notes.append(f"warning: {file.path.name}: values without a name of their column, not read: column {which}")
    return tuple(notes)


def _listed(records: Records) -> str:
    """Name the files of a folder or pattern; a manifest names them all."""
    names = list(without_folders(tuple(file.path for file in records.files)))
    if names in ([], [records.short_name]):
        return ""
    more = ", ..." if len(names) > _SHOWN_FILES else ""
    return f" ({len(names):,} file{'s' * (len(names) > 1)}: {', '.join(names[:_SHOWN_FILES])}{more})"


# A file's classes, read by an engine and named in the words of the file's mapping.


class ReadClasses(NamedTuple):
    """A file's classes, and notes on how they were read."""

    classes: Classes
    notes: tuple[str, ...] = ()


def read_grouped(grouped: Grouped, most: int, *, complete: bool, fields: Sequence[str] | None = None) -> ReadClasses:
    """Fetch the classes from the engine, in the words of the file's mapping; notes are on some fields, or on all."""
    classes = grouped.classes(most)
    if not classes.number:
        raise InputError(no_record(grouped.records.name))
    few = {name: grouped.values_of(name) for name in grouped.few if fields is None or name in fields}
    notes = looks_missing(classes, few, grouped.records.mapping)
    meanings = _meanings(grouped)
    if meanings:
        classes = mapped_groups(classes, meanings)[0]
        notes = (*(note for meaning in meanings.values() for note in meaning.notes), *notes)
    return ReadClasses(classes.complete() if complete else classes, notes)


def no_record(name: str) -> str:
    """Say that a file holds nothing but the names of its columns."""
    return f"{name}: there is no record: only the names of columns. Give a file with records."


def _meanings(grouped: Grouped) -> dict[str, Reading]:
    """Return what the mapping calls the values of each field that it may rename."""
    mapping = grouped.records.mapping
    names = mapped_fields(grouped.fields, mapping)
    return {name: field_meanings(name, grouped.values_of(name), mapping) for name in names}


def mixed_date_notes(grouped: Grouped, fields: Sequence[str] | None = None) -> tuple[str, ...]:
    """Warn of fields, of some or of all, that are compared as text and write their dates in several forms."""
    mapped = mapped_fields(grouped.fields, grouped.records.mapping)
    as_text = [name for name in grouped.few if name not in mapped and (fields is None or name in fields)]
    return tuple(f"warning: {note}" for name in as_text for note in mixed_dates(name, grouped.values_of(name)))


def joint_sizes(
    engine: Engine, first: Records, second: Records, most: int, *, complete: bool
) -> tuple[JointSizes, tuple[str, ...]]:
    """Pair the classes of two files, each in the words of its own mapping, with notes on how they were read.

    ``most`` classes of a file are held in memory where a mapping names values.
    """
    mappings = first.mapping, second.mapping
    names = dict.fromkeys(name for mapping in mappings for name in mapped_fields(first.fields, mapping))
    both = engine.group_alike(first, second)
    if not names:
        return both[0].joint(both[1], complete=complete), ()
    values = {name: both[0].values_of(name) for name in names}
    ours, theirs = ({name: field_meanings(name, values[name], mapping) for name in names} for mapping in mappings)
    for name in names:
        if ours[name].field != theirs[name].field:
            raise InputError(
                f"{name}: one file shows {ours[name].field} and the other {theirs[name].field}, so their values do not "
                f"mean the same. Give both the same field in their mappings."
            )
    classes = [
        mapped_groups(grouped.classes(most), *pair)[0]
        for grouped, pair in zip(both, ((ours, theirs), (theirs, ours)), strict=True)
    ]
    notes = (note for side in (ours, theirs) for meaning in side.values() for note in meaning.notes)
    joint = JointSizes.of(*(side.complete() if complete else side for side in classes))
    return joint, tuple(dict.fromkeys(notes))


# One row per record of a file, and the risk of a file by its survey weights: both read the file again.


def listed_records(file: ReadableFile, profile: FileProfile, fraction: float) -> pd.DataFrame:
    """Return the records of a profile, one row each (:func:`~policy_sim.records.score.profile_rows`)."""
    from policy_sim.records.score import profile_rows

    with file.opened() as engine:
        grouped = engine.group(file.records, rows=True)
        classes = grouped.classes(file.most_classes)
        rows = grouped.class_of_rows(classes)
        meanings, numbers = _meanings(grouped), grouped.row_numbers(len(rows))
        if meanings:
            classes, group = mapped_groups(classes, meanings)
            rows = group[rows]
    return profile_rows(classes, rows, profile, fraction, numbers)


def risk_by_weights(file: ReadableFile, weight: str) -> WeightedRisk:
    """Return the risk of a file whose records have survey weights in a column."""
    import pandas as pd

    if file.missing == "wildcard":
        raise InputError(
            "weights need classes, but the wildcard rule has none. Choose another rule for missing values."
        )
    if weight in file.records.fields:
        raise InputError(f"{weight} is the weight, not a key field. Leave it out of {ask('fields')}.")
    both = replace(file, fields=(*file.records.fields, weight))
    with both.opened() as engine:
        grouped = engine.group(both.records)
        classes = read_grouped(grouped, file.most_classes, complete=file.complete).classes
        weights = pd.to_numeric(pd.Series(grouped.values_of(weight), dtype="string"), errors="coerce")
    return weighted_risk(classes, weights.to_numpy(dtype=np.float64, na_value=np.nan), weight)


# Engines by name.


def open_engine(
    name: str = "duckdb", *, memory: str = "2GB", threads: int | None = None, progress: Progress | None = None
) -> Engine:
    """Return the engine ``duckdb``, ``local`` (Spark in this process), or a Spark master: ``spark://…``, ``sc://…``.

    DuckDB uses all cores unless ``threads`` says how many.
    """
    if name == "duckdb":
        from policy_sim.records.engines.duckdb_engine import DuckDbEngine

        return DuckDbEngine(memory, threads, progress)
    if name == "local" or re.match(r"(spark|sc|local(-cluster)?)\b", name):
        from policy_sim.records.engines.spark_engine import SparkEngine

        return SparkEngine(name, progress)
    raise InputError(
        f"engine {mask_credentials(name)!r} is unknown. Use duckdb, local, spark://host:port or sc://host:port."
    )


# The arguments of questions about a file of records, checked where they enter.


_LONGEST = 1_000  # characters of a text


def check_text(name: str, value: Any) -> str:
    """Return a text that is not empty."""
    if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST:
        raise InputError(f"{name} must be a nonempty text of one line, not {_kind(value)}.")
    return value


def check_count(name: str, value: Any, least: int = 1, most: int | None = None) -> int:
    """Return a whole number of at least ``least``, and at most ``most``."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or number < least:
        raise InputError(f"{name} must be a whole number of {least} or more, not {_kind(value)}.")
    if most is not None and number > most:
        raise InputError(f"{name} must be a whole number of at most {most:,}, not {_kind(value)}.")
    return number


def key_fields(value: Any) -> tuple[str, ...]:
    """Return the names of key fields; a text is split at commas."""
    names = value.split(",") if isinstance(value, str) else texts_of("fields", value)
    fields = tuple(name.strip() for name in names if name.strip())
    if not fields:
        raise InputError("fields must name at least one key field, such as age,sex,county.")
    return fields


def texts_of(name: str, value: Any) -> tuple[str, ...]:
    """Return texts as a tuple; one text stands for itself."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, Iterable) or isinstance(value, Mapping):
        raise InputError(f"{name} must be a list of texts, not {_kind(value)}.")
    texts = tuple(value)
    if not all(isinstance(text, str) for text in texts):
        raise InputError(f"{name} must be a list of texts, but one item is not a text.")
    return texts


def mapping_of(value: Any) -> ColumnMapping:
    """Return a column mapping as it is, or read it from its file."""
    if value is None:
        return ColumnMapping()
    if isinstance(value, ColumnMapping):
        return value
    return load_mapping(Path(name_of("mapping", value, "'map.toml', or a ColumnMapping")))


def threshold_of(name: str, value: Any) -> Threshold:
    """Return a threshold written as a risk or as ``k=``."""
    if isinstance(value, Threshold):
        return value
    if isinstance(value, bool) or not isinstance(value, str | int | float) or len(str(value)) > _LONGEST:
        raise InputError(f"{name} must be a risk, such as 0.09 or '1/11' or 'k=11', not {_kind(value)}.")
    return Threshold.parse(str(value), name)


def shares_of(name: str, values: Any, *, single: bool = False) -> list[float]:
    """Return distinct shares above 0 and below 1; a ``single`` one may be 1."""
    rule = f"{name} must be {'a number above 0 and at most 1' if single else 'distinct numbers between 0 and 1'}"
    if isinstance(values, str) or not isinstance(values, Sequence) or not values:
        raise InputError(f"{rule}, not {_kind(values)}.")
    shares = []
    for share in values:
        if isinstance(share, bool) or not isinstance(share, int | float) or not math.isfinite(share):
            raise InputError(f"{rule}, not {_kind(share)}.")
        if not (0 < share < 1 or (single and share == 1)):
            raise InputError(f"{rule}, not {share!r}.")
        shares.append(float(share))
    if len(set(shares)) < len(shares):
        raise InputError(f"{rule}: one of them appears twice.")
    return shares


def _kind(value: Any) -> str:
    """Return a number or a short text as it is written, and the type of anything else."""
    if value is None or isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str) and len(value) <= 40:
        return repr(value)
    return f"a {type(value).__name__}"
