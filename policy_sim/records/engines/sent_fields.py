"""What a file of records sends beside the fields that a policy decides, such as dates of care and codes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from policy_sim.records.census_values import BIRTH_FIELDS, ColumnMapping
from policy_sim.records.column_kinds import ColumnKind
from policy_sim.records.engines.file_questions import checked
from policy_sim.records.engines.readable_file import ReadableFile

_MOST_FIELDS = 8  # are measured one by one
_KINDS = ("date", "clinical code", "year", "place", "code", "number")  # of columns that are measured, in this order


@dataclass(frozen=True)
class SentField:
    """A column that is sent and that no figure of a policy uses.

    ``alone`` is the share (0..1) of the records that no other record equals in the column and in the key fields;
    ``without_birth``, in the column and in the key fields other than birth.
    """

    column: str
    kind: str
    alone: float
    without_birth: float


@dataclass(frozen=True)
class SentFields:
    """The columns of a file beside its key fields, and how many records each makes unique.

    Attributes
    ----------
    records : Records in the file.
    key : Columns of sex, race, birth and place.
    alone, without_birth : Those of a field, before any is added.
    fields : Other columns, dates first.
    left_out : Other columns that were not measured.
    identifiers : Columns that look like direct identifiers; they are not measured.
    """

    records: int
    key: tuple[str, ...]
    alone: float
    without_birth: float
    fields: tuple[SentField, ...]
    left_out: tuple[str, ...]
    identifiers: tuple[str, ...]


def sent_fields(
    location: str | Path, mapping: ColumnMapping | str | Path | None = None, only: Collection[str] | None = None
) -> SentFields:
    """Measure a file's other columns, record by record, by their texts; a mapping names the key fields.

    ``only``: the columns that are sent as they are, where the file has more than is sent; by default all of them.
    Records of one person are not put together: a recipient sees each of them.
    """
    columns = {column.held.name: column.kind for column in checked(location).answer}
    mapped = ReadableFile(location, [next(iter(columns))], mapping).records.mapping
    field_of = {name: kind.field for name, kind in columns.items() if kind.kind == "key field"}
    field_of |= {entry.column: name for name, entry in mapped.fields.items()}
    columns = {name: kind for name, kind in columns.items() if only is None or name in only}
    key = [name for name in columns if name in field_of]
    birthless = [name for name in key if field_of[name] not in BIRTH_FIELDS]
    others = [name for name, kind in columns.items() if kind.kind in _KINDS and name not in (*key, mapped.person)]
    others.sort(key=lambda name: _KINDS.index(columns[name].kind))
    (records, alone), (_, without) = _alone(location, key), _alone(location, birthless)
    fields = []
    for name in others[:_MOST_FIELDS]:
        shares = (_alone(location, (*held, name))[1] for held in (key, birthless))
        fields.append(SentField(name, _called(columns[name]), *shares))
    names = tuple(name for name, kind in columns.items() if kind.kind == "direct identifier" or name == mapped.person)
    return SentFields(records, tuple(key), alone, without, tuple(fields), tuple(others[_MOST_FIELDS:]), names)


def _alone(location: str | Path, columns: Sequence[str]) -> tuple[int, float]:
    """Return the records of a file, and the share of those that no other equals in some columns."""
    if not columns:
        return 0, 0.0
    file = ReadableFile(location, columns)
    records = replace(file.records, mapping=ColumnMapping(sheet=file.records.mapping.sheet))
    with file.opened() as engine:
        sizes = engine.group(records).classes(file.most_classes).sizes
    whole = int(sizes.sum())
    return whole, float((sizes == 1).sum() / whole) if whole else 0.0


def _called(kind: ColumnKind) -> str:
    return f"{kind.field} code" if kind.kind == "clinical code" and kind.field else kind.kind
