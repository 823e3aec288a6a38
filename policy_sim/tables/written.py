"""A table as it goes out, and which sums the attacker finds in it before anything is hidden."""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from policy_sim.records.published import Knowledge, Place, note_counts
from policy_sim.records.workbooks import EXCEL
from policy_sim.rules.rule import DisclosureRule
from policy_sim.tables.attack import attack
from policy_sim.tables.files import CountFile
from policy_sim.tables.link import SUM, Linked, read_week, week_text
from policy_sim.tables.marks import Reading
from policy_sim.tables.table import MISSING, PRIMARY, ZERO, Key, Relation

WORD = "*"  # stands for a hidden count
_DAY = pd.Timestamp("2000-01-01").to_pydatetime()  # when every workbook says it was made


def ending(path: Path) -> str:
    """Return the ending of a written table."""
    return ".xlsx" if path.suffix.casefold() in EXCEL else ".csv"


def notes_below(file: CountFile, rule: DisclosureRule, week: str, hidden: Container[Key]) -> list[str]:
    """Return the lines below a table that goes out: the week, and what the mark of a hidden count means.

    A title of the file is not among them: its words and numbers were not attacked.
    """
    number = read_week(week) if week else None
    lines = list[str]()
    if number is not None:
        first = date.fromordinal(number * 7)
        lines.append(f"Week: {week_text(number)}, {first:%m/%d/%Y} to {first + timedelta(6):%m/%d/%Y} (MMWR)")
    if any(key in hidden for key in file.cells):
        words = f"{WORD} Hidden: a count that rule {rule.id} hides{{}}, or one that would give such a count away."
        line = f"{words.format(f' ({rule.hides})')} Rule: {rule.origin}."
        lines.append(words.format("") if note_counts(line) else line)  # no number there may look like a count
    return lines


def written(file: CountFile, end: str, hidden: Container[Key], below: Sequence[str] = ()) -> bytes:
    """Return a table in its layout, with * in the place of each hidden count. A text stays a text in a workbook.

    ``below``: lines under the table, each in the first column.
    """
    columns, content = file.with_hidden(hidden, WORD), io.BytesIO()
    for name, texts in columns.items():
        texts += below if name == next(iter(columns)) else [""] * len(below)
    if end == ".csv":
        pd.DataFrame(columns).to_csv(content, index=False)
        return content.getvalue()
    import xlsxwriter

    with xlsxwriter.Workbook(content, {"in_memory": True}) as book:
        book.set_properties({"created": _DAY})
        sheet = book.add_worksheet("Table")
        for at, (name, texts) in enumerate(columns.items()):
            for row, text in enumerate((name, *texts)):
                if row and text.isdecimal() and text.isascii() and str(int(text)) == text and len(text) < 16:
                    sheet.write_number(row, at, int(text))
                else:
                    sheet.write_string(row, at, text)
    return content.getvalue()


def places(name: str, file: CountFile) -> dict[Place, Key]:
    """Return which cell stands in which place of a table, as it was read or as it is written."""
    names = [name, f"{name} [{file.layout.sheet}]"] if file.layout.sheet else [name]
    return {Place(own, row, column): key for own in names for row, column, key in file.rows()}


class Used(NamedTuple):
    """Equations as relations, with cells that no table shows (``sums``), and those that the search cannot use."""

    relations: list[Relation]
    sums: dict[Key, Reading]
    words: tuple[str, ...]
    unused: tuple[str, ...]
    stating: tuple[str, ...]  # labels whose numbers are counts


def found_relations(
    files: Mapping[str, CountFile], out: Mapping[str, bytes], linked: Linked, coincidences: Sequence[str]
) -> Used:
    """Return the equations that hold in all counts of the tables, as relations of the linked table.

    ``files``: every table, those that are out too, in the order of ``linked``; ``out``: what is out, as it is.
    """
    contents = {name: out.get(name) or written(file, Path(name).suffix, ()) for name, file in files.items()}
    marks = {mark: meaning for file in files.values() for mark, meaning in file.layout.marks.items()}
    totals = {word for file in files.values() for word in file.layout.totals}
    adding = frozenset(label for file in files.values() for label in file.adding)
    report = attack(contents, Knowledge(marks, sorted(totals), coincidences, adding=adding), targets={})
    keys = {
        place: common[key]
        for (name, file), common in zip(files.items(), linked.keys, strict=True)
        for place, key in places(name, file).items()
    }
    settled = {_sides(linked, {item.total: 1} | dict.fromkeys(item.parts, -1)) for item in linked.file.relations}
    relations, sums = list[Relation](), dict[Key, Reading]()
    words, unused = dict[str, None](), dict[str, None]()
    for terms, text in report.equations:
        signs = defaultdict[Key, int](int)
        if any(place not in keys for _, place in terms):
            continue  # it has a number of a label: the attack on what is written tells whether it gives a count away
        for sign, place in terms:
            signs[keys[place]] += sign
        signs = defaultdict(int, {key: sign for key, sign in signs.items() if sign})
        sides = _sides(linked, signs)
        if len(signs) < 2 or sides in settled or not _true(linked, signs):
            continue
        settled.add(sides)
        new = _relations(linked, signs, text, sums)
        (words if new else unused)[text] = None
        relations += new
    return Used(relations, sums, tuple(words), tuple(unused), report.stating)


def _sides(linked: Linked, signs: Mapping[Key, int]) -> frozenset[frozenset[tuple[Key, int]]]:
    """Return the terms of an equation that count something, the same for both ways to write it."""
    empty = (ZERO, MISSING)
    remaining = [(key, sign) for key, sign in signs.items() if linked.file.cells[key].status not in empty]
    return frozenset({frozenset(remaining), frozenset((key, -sign) for key, sign in remaining)})


def _true(linked: Linked, signs: Mapping[Key, int]) -> bool:
    """Whether an equation holds with the hidden counts that are known here, and may be used."""
    cells = [(linked.file.cells[key], sign) for key, sign in signs.items()]
    if any(cell.status == MISSING or (cell.status == PRIMARY and cell.value is None) for cell, _ in cells):
        return not any(cell.status == MISSING for cell, _ in cells)
    return sum(sign * (cell.value or 0) for cell, sign in cells) == 0


def _relations(linked: Linked, signs: Mapping[Key, int], text: str, sums: dict[Key, Reading]) -> list[Relation]:
    """Write an equation as sums; where both sides have several terms, both add up to a cell that no table shows.

    Empty where a count is taken twice, or only a sum of all counts is said to be 0.
    """
    sides = [tuple(key for key, sign in signs.items() if turn * sign > 0) for turn in (1, -1)]
    if set(map(abs, signs.values())) != {1} or not all(sides):
        return []
    for total, parts in (sides, sides[::-1]):
        if len(total) == 1:
            return [Relation(total[0], parts, text)]
    counts = [linked.file.cells[key].value for key in sides[0]]
    key = (SUM, text, str(len(sums)))
    sums[key] = Reading(PRIMARY, None if None in counts else sum(count or 0 for count in counts), mark=SUM)
    return [Relation(key, side, text) for side in sides]
