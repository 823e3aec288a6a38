"""The two codings of list facts as CSV files, what was decided where they differ, and the blank sheet of a coder."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from policy_sim.errors import InputError, SchemaError
from policy_sim.files.paths import data_dir
from policy_sim.voter_lists.coding import CODES, CodedFact
from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["blank_sheet", "read_coding", "read_decisions", "shipped_coding"]

DECISIONS = ("mended", "kept")
_COLUMNS = ("state", "vintage", "item", "code", "basis", "note")


def shipped_coding(which: str) -> Path:
    """Return a file that ships: the ``first`` or ``second`` coding, each as it stood when the two were compared."""
    return data_dir() / "list_coding" / f"{which}_coding.csv"


def read_coding(path: Path) -> list[CodedFact]:
    """Return the facts of a coding.

    Raises
    ------
    InputError : the file cannot be read.
    SchemaError : everything that is wrong with it, by line.

    Examples
    --------
    >>> len(read_coding(shipped_coding("second")))
    407
    """
    problems: list[str] = []
    facts: dict[tuple[str, str, str], CodedFact] = {}
    for number, row in enumerate(_rows(path, ("state", "vintage", "item", "code")), 2):
        try:
            fact = CodedFact(*(row.get(name) or "" for name in _COLUMNS))
        except InputError as error:
            problems.append(f"line {number}: {error}")
            continue
        if fact.key in facts:
            problems.append(f"line {number}: {' '.join(fact.key)} is coded twice.")
        facts[fact.key] = fact
    if problems:
        raise SchemaError(str(path), problems)
    return [*facts.values()]


def read_decisions(path: Path | None = None) -> dict[tuple[str, str, str], tuple[str, str]]:
    """Return what was decided on the facts that were coded in two ways: ``mended`` or ``kept``, and why.

    Raises
    ------
    InputError : the file cannot be read.
    SchemaError : a decision is neither.
    """
    file = path or data_dir() / "list_coding" / "decisions.csv"
    rows = _rows(file, ("state", "vintage", "item", "decision", "reason"))
    problems = [
        f"line {number}: decision {row['decision']!r} is not one of {', '.join(DECISIONS)}."
        for number, row in enumerate(rows, 2)
        if row["decision"] not in DECISIONS
    ]
    if problems:
        raise SchemaError(str(file), problems)
    return {(row["state"], row["vintage"], row["item"]): (row["decision"], row["reason"]) for row in rows}


def _rows(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    """Return the rows of a CSV file that has these columns, and others or not."""
    try:
        rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    except (OSError, ValueError, csv.Error) as error:
        raise InputError(f"{path}: cannot be read as CSV ({getattr(error, 'strerror', '') or error}).") from error
    if not rows or not set(columns) <= set(rows[0]) or any(None in row or None in row.values() for row in rows):
        raise SchemaError(str(path), [f"needs the columns {', '.join(columns)} and at least one row."])
    return rows


def blank_sheet(keys: Sequence[tuple[str, str, str]], lists: Iterable[VoterList]) -> str:
    """Return the sheet that a second coder fills in: each fact with the sources of its list, without any value.

    Parameters
    ----------
    keys : The facts, as (state, vintage, item).
    lists : The lists that they are of. The sources are those of the whole list, so that the sheet does not tell which
        facts have one.
    """
    by_list = {(listed.state, listed.vintage): listed for listed in lists}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["state", "vintage", "item", "codes", "sources", *_COLUMNS[3:]])
    for state, vintage, item in keys:
        sources = by_list[state, vintage].sources.values()
        citations = "; ".join(f"{source.title} <{source.url}>" if source.url else source.title for source in sources)
        writer.writerow([state, vintage, item, " ".join(CODES[item]), citations, "", "", ""])
    return text.getvalue()
