"""A file's classes, read by an engine and named in the words of the file's mapping."""

from __future__ import annotations

from dataclasses import dataclass

from policy_sim.records.classes import Classes, JointSizes
from policy_sim.records.dates import mixed_dates
from policy_sim.records.engines.engine import Engine, Grouped
from policy_sim.records.engines.sources import Records
from policy_sim.records.mapped import field_meanings, looks_missing, mapped_classes, mapped_fields
from policy_sim.words.errors import InputError

__all__ = ["ReadClasses", "hints", "is_mapped", "joint_sizes", "mixed_date_notes", "no_record", "read_grouped"]


# Fields with more values are not searched for signs of a missing value, or for dates in several forms.
_MOST_VALUES = 100_000


@dataclass(frozen=True, eq=False)
class ReadClasses:
    """A file's classes, and notes on how they were read."""

    classes: Classes
    notes: tuple[str, ...] = ()


def is_mapped(records: Records) -> bool:
    """Return whether the mapping may give values of the file another name than they have there."""
    return bool(mapped_fields(records.fields, records.mapping))


def read_grouped(grouped: Grouped, most: int, *, complete: bool) -> ReadClasses:
    """Fetch the classes from the engine, in the words of the file's mapping."""
    records = grouped.records
    classes = grouped.classes(most)
    if not classes.number:
        raise InputError(no_record(records.name))
    notes = hints(grouped, classes)
    names = mapped_fields(records.fields, records.mapping)
    if names:
        meanings = {name: field_meanings(name, grouped.values_of(name), records.mapping) for name in names}
        classes = mapped_classes(classes, meanings)
        notes = (*(note for meaning in meanings.values() for note in meaning.notes), *notes)
    return ReadClasses(classes.complete() if complete else classes, notes)


def no_record(name: str) -> str:
    """Say that a file holds nothing but the names of its columns."""
    return f"{name}: there is no record: only the names of columns. Give a file with records."


def hints(grouped: Grouped, classes: Classes) -> tuple[str, ...]:
    """Name the fields that hold what programs write for a missing value."""
    records = grouped.records
    few = [name for name, number in zip(records.fields, grouped.values, strict=True) if number <= _MOST_VALUES]
    return looks_missing(classes, {name: grouped.values_of(name) for name in few}, records.mapping)


def mixed_date_notes(grouped: Grouped) -> tuple[str, ...]:
    """Warn of fields that are compared as text and write their dates in several forms."""
    records, mapped = grouped.records, mapped_fields(grouped.fields, grouped.records.mapping)
    few = [name for name, number in zip(records.fields, grouped.values, strict=True) if number <= _MOST_VALUES]
    read_as_text = [name for name in few if name not in mapped]
    return tuple(f"warning: {note}" for name in read_as_text for note in mixed_dates(name, grouped.values_of(name)))


def joint_sizes(engine: Engine, first: Records, second: Records, most: int, *, complete: bool) -> ReadJoint:
    """Pair the classes of two files, each in the words of its own mapping.

    ``most``: most classes of a file to hold in memory; needed where a mapping names values.
    """
    mappings = first.mapping, second.mapping
    names = dict.fromkeys(name for mapping in mappings for name in mapped_fields(first.fields, mapping))
    both = engine.group_alike(first, second)
    if not names:
        return ReadJoint(both[0].joint(both[1], complete=complete))
    values = {name: both[0].values_of(name) for name in names}
    ours, theirs = ({name: field_meanings(name, values[name], mapping) for name in names} for mapping in mappings)
    classes = [
        mapped_classes(grouped.classes(most), *pair)
        for grouped, pair in zip(both, ((ours, theirs), (theirs, ours)), strict=True)
    ]
    notes = (note for side in (ours, theirs) for meaning in side.values() for note in meaning.notes)
    joint = JointSizes.of(*(class_table.complete() if complete else class_table for class_table in classes))
    return ReadJoint(joint, tuple(dict.fromkeys(notes)))


@dataclass(frozen=True, eq=False)
class ReadJoint:
    """The class sizes of two files, pairwise, and notes on how they were read."""

    sizes: JointSizes
    notes: tuple[str, ...] = ()
