"""A drawn table: its sheets as they are published, and the counts that were put in."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

Cell = str | int | float | None
Labels = tuple[str, ...]
Counts = dict[Labels, int | None]  # None: hidden in the file

REGIONS = {
    "Northwest": ("Allen", "Defiance", "Fulton", "Hancock", "Henry", "Lucas"),
    "Northeast": ("Cuyahoga", "Lake", "Lorain", "Medina", "Summit"),
    "Central": ("Delaware", "Fairfield", "Franklin", "Licking", "Union"),
    "Southeast": ("Athens", "Gallia", "Meigs", "Vinton"),
    "Southwest": ("Butler", "Clermont", "Hamilton", "Warren"),
}
COUNTIES = tuple(sorted(county for counties in REGIONS.values() for county in counties))
AGES = ("0-4", "5-17", "18-44", "45-64", "65-74", "75+")


@dataclass
class Drawn:
    """A published table. ``truths``: for each measure that may be read as the counts, the count of each leaf cell.

    ``merges``: first row, first column, last row, last column, from 0. ``choices``: which of several values of an
    option a person who knows the table takes.
    """

    sheets: dict[str, list[list[Cell]]]
    truths: dict[str, Counts]
    book: bool = False
    merges: dict[str, list[tuple[int, int, int, int]]] = field(default_factory=dict)
    choices: dict[str, str] = field(default_factory=dict)

    def write(self, folder: Path, name: str) -> Path:
        """Write the file and return its path."""
        path = folder / f"{name}.{'xlsx' if self.book else 'csv'}"
        if self.book:
            self._write_book(path)
        else:
            (grid,) = self.sheets.values()
            with path.open("w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows([["" if cell is None else cell for cell in row] for row in grid])
        return path

    def _write_book(self, path: Path) -> None:
        import openpyxl

        book = openpyxl.Workbook()
        book.remove(book.active)
        for name, grid in self.sheets.items():
            sheet = book.create_sheet(name)
            for row in grid:
                sheet.append(row)
            for top, left, bottom, right in self.merges.get(name, []):
                sheet.merge_cells(start_row=top + 1, start_column=left + 1, end_row=bottom + 1, end_column=right + 1)
        book.save(path)


Layout = Callable[[random.Random], Drawn]


def counts(rng: random.Random, *labels: Sequence[str], mean: float = 3.0, spread: float = 1.2) -> dict[Labels, int]:
    """Draw a count for each combination of labels: uneven, many of them small."""
    combinations: list[Labels] = [()]
    for of in labels:
        combinations = [(*own, label) for own in combinations for label in of]
    return {own: int(rng.lognormvariate(mean, spread)) for own in combinations}


def total(of: Counts | dict[Labels, int], *labels: str) -> int:
    """Return the sum of the counts that have all of these labels."""
    return sum(count or 0 for key, count in of.items() if all(label in key for label in labels))


def total_over(of: dict[Labels, int], labels: Iterable[str], *fixed: str) -> int:
    """Return the sum over some labels."""
    return sum(total(of, label, *fixed) for label in labels)


def rate(count: int, people: int) -> float:
    """Return the cases per 100,000, with one decimal."""
    return round(count / people * 100_000, 1)


def with_rates(name: str, cases: dict[Labels, int], years: Iterable[str], people: int, *labels: str) -> list[Cell]:
    """Return a row: its name, then the cases of each year and their rate."""
    row: list[Cell] = [name]
    for year in years:
        row += [total(cases, *labels, year), rate(total(cases, *labels, year), people)]
    return row


def percent(count: int, of: int) -> float:
    """Return the percentage with one decimal."""
    return round(100 * count / of, 1) if of else 0.0


def population(rng: random.Random, places: Iterable[str]) -> dict[str, int]:
    """Draw how many people live in each place."""
    return {place: int(rng.lognormvariate(11, 0.9)) + 9_000 for place in places}
