"""The values of a file that cannot be read as what their columns are, with their records, and what they may mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from policy_sim.records.covered_values import READERS
from policy_sim.records.formats import CodedTable
from policy_sim.records.spellings import spelled, visible
from policy_sim.release.conformity import readable
from policy_sim.release.project import Project
from policy_sim.release.treatments import Variable
from policy_sim.words.errors import InputError
from policy_sim.words.telling import each

_MOST = 200  # values of a column that are listed, those of most records first
_LISTED = ("ICD-10-CM", "LOINC", "CPT", "DRG", "town", "flag")  # kinds whose values are not read one by one


@dataclass(frozen=True)
class UnreadColumn:
    """A column, the ``kind`` that it is read as, and its values that are not read, each with its records.

    ``read`` are values of the kind that the column has, as a release spells them: what an unread one may mean. A column
    of which most records are not read is not of that kind, and is not here.
    """

    name: str
    kind: str
    values: tuple[tuple[str, int], ...]
    read: tuple[str, ...]
    number: int
    records: int


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
        if not unread or 2 * lost > sum(records[text] for text in texts):
            continue
        read = [text for text, can in zip(texts, is_read, strict=True) if can]
        usual = dict.fromkeys(spelled(look.kind, sorted(read, key=lambda text: -records[text])[:_MOST]))
        ordered = sorted(unread, key=lambda text: (-records[text], text))
        values = tuple((text, records[text]) for text in ordered[:_MOST])
        found.append(UnreadColumn(name, look.kind, values, tuple(usual), len(unread), lost))
    return tuple(found)


def check_codes(project: Project, column: str, codes: Mapping[str, str]) -> None:
    """Refuse a meaning that is no value of what the column is read as; an empty one is a missing value."""
    look = project.looks[column]
    if look.kind not in READERS:
        return
    variable = Variable(column, "other", "looked at", look.kind, format=look.format, accepted=True)
    meanings = [text for text in dict.fromkeys(codes.values()) if text]
    wrong = [text for text, can in zip(meanings, readable(variable, meanings), strict=True) if not can]
    if wrong:
        kind = look.kind.replace("_", " ")
        raise InputError(
            f"{column}: {wrong[0]!r} is not understood as {kind}. Give a value that the column has, or leave it empty "
            "for a missing value."
        )
