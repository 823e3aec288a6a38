"""The values of a file that cannot be read as what their columns are, with their records, and what they may mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from policy_sim.records.census_values import FieldColumn, read_field
from policy_sim.records.covered_values import FLAGS, READERS
from policy_sim.records.formats import CodedColumn, CodedTable, column_values, read_coded
from policy_sim.records.race_texts import RACE_LABELS, race_text
from policy_sim.records.spellings import spelled, visible
from policy_sim.records.vocabularies import is_mark, plain, words
from policy_sim.release.conformity import readable
from policy_sim.release.project import Project
from policy_sim.release.treatments import Variable
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError
from policy_sim.words.telling import each

_MOST = 200  # values of a column that are listed, those of most records first
_ORIGINS = ("Hispanic or Latino", "Not Hispanic or Latino")
_MEANINGS = {
    "sex": ("F", "M"),
    "race": (*RACE_LABELS, _ORIGINS[0]),
    "race_ethnicity": (*RACE_LABELS, *(f"Non-Hispanic {label}" for label in RACE_LABELS), *_ORIGINS),
    "ethnicity": _ORIGINS,
}
_LISTED = ("ICD-10-CM", "LOINC", "CPT", "DRG", "town", "flag")  # kinds whose values are not read one by one


@dataclass(frozen=True)
class UnreadColumn:
    """A column, the ``kind`` that it is read as, and its values that are not understood, each with its records.

    A release leaves such a value blank, except those ``kept``: codes such as 1 or W, which a rule allows and which no
    census has, so that nobody counts their records. ``read`` are values of the kind that the column has, as a release
    spells them: what another one may mean; ``meanings`` are all there are, of a kind with few. A column of which most
    records would be left blank is not of that kind, and is not here.
    """

    name: str
    kind: str
    values: tuple[tuple[str, int], ...]
    read: tuple[str, ...]
    number: int
    records: int
    kept: tuple[str, ...] = ()
    meanings: tuple[str, ...] = ()


def unread_columns(project: Project, table: CodedTable) -> tuple[UnreadColumn, ...]:
    """Return the columns of a file with values that are not read, whatever the codes of the project say of them."""
    found = []
    for name, look in each(project.looks.items(), "looking for values that cannot be read"):
        if name not in table.names or look.kind not in READERS or look.kind in _LISTED:
            continue
        variable = Variable(name, "other", "looked at", look.kind, format=look.format, accepted=True)
        records = {visible(text): number for text, number in table[name].rows_of_values().items()}
        texts = [text for text in records if text and text not in project.file.missing]
        is_read = readable(variable, texts)
        unread = [text for text, can in zip(texts, is_read, strict=True) if not can]
        lost = sum(records[text] for text in unread)
        if 2 * lost > sum(records[text] for text in texts):
            continue
        kept = [text for text, can in zip(texts, is_read, strict=True) if can and not _in_census(look.kind, text)]
        if not (unread or kept):
            continue
        read = [text for text, can in zip(texts, is_read, strict=True) if can and text not in set(kept)]
        unread += kept
        lost += sum(records[text] for text in kept)
        usual = dict.fromkeys(spelled(look.kind, sorted(read, key=lambda text: -records[text])[:_MOST]))
        ordered = sorted(unread, key=lambda text: (-records[text], text))
        values = tuple((text, records[text]) for text in ordered[:_MOST])
        meanings = _MEANINGS.get(look.kind, ())
        found.append(UnreadColumn(name, look.kind, values, tuple(usual), len(unread), lost, tuple(kept), meanings))
    return tuple(found)


def uncounted_text(project: Project, table: CodedTable) -> str:
    """Say which columns have codes that no census has and no meaning was given for; empty where there are none.

    Columns that are left out or on which nobody decided do not count.
    """
    used = {variable.name for variable in project.variables if variable.role != "direct"}
    parts = []
    for column in unread_columns(project, table):
        known = dict(project.looks[column.name].codes)
        number = sum(text not in known for text in column.kept)
        if column.name in used and number:
            parts.append(f"{column.name}: {number:,} {'value has' if number == 1 else 'values have'} no meaning yet")
    return "; ".join(parts)


def _in_census(kind: str, text: str) -> bool:
    """Tell whether a text is understood as the census has it, or says itself that it is unknown."""
    if kind not in _MEANINGS or is_mark(text) or plain(text) in words("values", "unknown"):
        return True
    if kind == "sex":
        return read_field("sex", FieldColumn("sex"), [text]).meanings[0] is not None
    return race_text(text) is not None or (kind == "ethnicity" and plain(text) in FLAGS)


def check_codes(project: Project, column: str, codes: Mapping[str, str]) -> None:
    """Refuse a value that no row has, and a meaning that is no value of what the column is read as.

    An empty meaning is a missing value, and the value itself takes a meaning back. The values of the file are named by
    their shapes, from which none can be read.
    """
    look = project.looks[column]
    if (held := _column(project, column)) is not None:
        known = {visible(text).strip() for text in held.values}
        absent = [text for text in codes if visible(text).strip() not in known]
        if absent:
            shapes = ", ".join(column_values(column, held).shapes)
            raise InputError(
                f"{ask('codes', option='--code')}: no row has {absent[0]!r} in {column!r}, whose values look like "
                f"{shapes}. Write a value as the file has it."
            )
    if look.kind not in READERS:
        return
    variable = Variable(column, "other", "looked at", look.kind, format=look.format, accepted=True)
    meanings = [text for text in dict.fromkeys(m for value, m in codes.items() if m != value) if text]
    wrong = [text for text, can in zip(meanings, readable(variable, meanings), strict=True) if not can]
    if wrong:
        kind = look.kind.replace("_", " ")
        raise InputError(
            f"{ask('codes', option='--code')}: {column}: {wrong[0]!r} is not understood as {kind}. Give a value that "
            "the column has, or leave it empty for a missing value."
        )


def check_kinds(project: Project, columns: Sequence[str], settings: Mapping[str, Any]) -> None:
    """Refuse a kind of which most values of a column are none; the run says how many others are not read."""
    kind = str(settings.get("kind", ""))
    if kind not in READERS or settings.get("treatment") == "drop":
        return
    for name in columns:
        held = _column(project, name) if name in project.looks else None
        if held is None:
            continue
        look = project.looks[name]
        form, codes = settings.get("format") or look.format, dict(look.codes) | dict(settings.get("codes") or {})
        variable = Variable(name, "other", "looked at", kind, format=form, codes=tuple(codes.items()), accepted=True)
        records = {text: n for text, n in held.rows_of_values().items() if not is_mark(text)}
        filled = sum(records.values())
        read = sum(n for n, can in zip(records.values(), readable(variable, list(records)), strict=True) if can)
        if 2 * read < filled:
            raise InputError(
                f"{ask('kind')} {kind}: {read:,} of the {filled:,} records with a value in {name!r} are read as "
                f"{kind.replace('_', ' ')}. Give another kind, such as category, or what its values mean "
                f"({ask('codes', option='--code')})."
            )


def _column(project: Project, name: str) -> CodedColumn | None:
    """Return a column of the project's file, with codes for missing values; None where the file is not there."""
    if not project.path.exists():
        return None
    table = read_coded(project.path, ("",), project.file.separator, project.file.sheet)
    return table[name] if name in table.names else None
