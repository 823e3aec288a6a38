"""Voter lists in and out: CSV, JSON and spreadsheets out, TOML and CSV in."""

from __future__ import annotations

import csv
import io
import json
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from policy_sim.attackers.facts import facts_frame
from policy_sim.attackers.list_tables import conflicts_frame, lists_frame, sources_frame
from policy_sim.attackers.voter_list import VoterList
from policy_sim.errors import InputError, SchemaError
from policy_sim.sources.voter_list_document import from_row, state_document, to_row
from policy_sim.sources.voter_list_schema import parse_voter_lists
from policy_sim.sources.voter_lists import shared_sources
from policy_sim.states import STATES

__all__ = ["as_csv", "as_json", "read_lists", "write_workbook"]


def as_csv(lists: Iterable[VoterList]) -> str:
    """Return the lists as CSV that :func:`read_lists` takes back without loss; one row a list."""
    rows = [to_row(listed) for listed in lists if listed.vintage.isdigit()]
    columns = dict.fromkeys(column for row in rows for column in row)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def as_json(lists: Sequence[VoterList]) -> str:
    """Return the lists as JSON: for each state the tables of its file."""
    states = dict.fromkeys(listed.state for listed in lists)
    documents = [state_document([made for made in lists if made.state == state]) for state in states]
    return json.dumps(documents, ensure_ascii=False, indent=1, default=str) + "\n"


def write_workbook(lists: Sequence[VoterList], path: Path) -> None:
    """Write a workbook: one sheet each for lists, facts, conflicts and sources.

    Raises
    ------
    InputError : the library for spreadsheets is not installed.
    """
    import datetime as dt

    try:
        import xlsxwriter
    except ModuleNotFoundError as error:
        raise InputError("--format xlsx needs one more package: pip install 'policy-sim[sheets]'") from error
    frames = {
        "lists": lists_frame(lists),
        "facts": facts_frame(lists),
        "conflicts": conflicts_frame(lists),
        "sources": sources_frame(lists),
    }
    with xlsxwriter.Workbook(str(path), {"strings_to_urls": False, "strings_to_formulas": False}) as book:
        book.set_properties({"created": dt.datetime(2000, 1, 1, tzinfo=dt.UTC).replace(tzinfo=None)})
        head = book.add_format({"bold": True})
        for name, frame in frames.items():
            sheet = book.add_worksheet(name)
            sheet.freeze_panes(1, 2)
            sheet.write_row(0, 0, list(frame.columns), head)
            for number, row in enumerate(frame.itertuples(index=False), 1):
                sheet.write_row(number, 0, list(row))
            sheet.autofilter(0, 0, len(frame), len(frame.columns) - 1)
            sheet.autofit(400)


def read_lists(path: Path) -> list[VoterList]:
    """Return the lists of a state's TOML file, or of the CSV that an export wrote.

    Raises
    ------
    InputError : the file cannot be read, or is of another kind.
    SchemaError : everything that is wrong with it.
    """
    problems: list[str] = []
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as text ({error}).") from error
    if path.suffix == ".toml":
        lists = _from_toml(text, problems)
    elif path.suffix == ".csv":
        lists = _from_csv(text, problems)
    else:
        raise InputError(f"{path}: an import is a state's .toml file or the .csv of 'lists export'.")
    if problems:
        raise SchemaError(str(path), problems)
    return lists


def _from_toml(text: str, problems: list[str]) -> list[VoterList]:
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problems.append(f"is not TOML: {error}. Compare with _template.toml.")
        return []
    return _parse(raw, problems)


def _from_csv(text: str, problems: list[str]) -> list[VoterList]:
    rows = list(csv.DictReader(io.StringIO(text)))
    if not rows or "state" not in rows[0] or "vintage" not in rows[0]:
        problems.append("holds no lists; the first line names the columns, state and vintage among them.")
        return []
    lists: list[VoterList] = []
    seen: set[tuple[str, str]] = set()
    for number, row in enumerate(rows, 2):
        found: list[str] = []
        if None in row:
            found.append("has more cells than the first line has columns.")
        key = (row["state"], row["vintage"])
        if key in seen:
            found.append("stands twice: one row a state and vintage.")
        seen.add(key)
        cells = {name: cell or "" for name, cell in row.items() if isinstance(name, str)}
        lists += _parse(from_row(cells, found), found)
        problems += [f"line {number} ({' '.join(key)}): {problem}" for problem in found]
    return lists


def _parse(raw: dict[str, Any], problems: list[str]) -> list[VoterList]:
    state = str(raw.get("state", ""))
    if state not in STATES or state == "PR":
        problems.append(f"state = {state!r} is not a state's postal code in capitals, such as OH.")
        return []
    return list(parse_voter_lists(raw, state, shared_sources(), problems).values())
