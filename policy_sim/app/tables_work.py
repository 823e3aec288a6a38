"""What a process does for the screens of a table of counts: each function is one call of the doors of tables."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from policy_sim.words.asking import as_fields
from policy_sim.words.errors import InputError, PolicySimError

if TYPE_CHECKING:
    from policy_sim.rules.rule import DisclosureRule
    from policy_sim.tables.files import Layout
    from policy_sim.tables.ledger import Ledger
    from policy_sim.tables.publish import Denominators
    from policy_sim.tables.verdict import Verdict

LABELS = {  # what the screens call each argument of the doors
    "count": "Column of counts",
    "keys": "Columns of labels",
    "totals": "Words for a total",
    "marks": "Marks",
    "population": "Column of people",
    "sheet": "Sheet",
    "running": "Columns of running totals",
    "coincidences": "Coincidences",
    "states": "People of a state",
    "week": "Week",
    "since": "Running totals since",
    "rule": "Rule",
    "seconds": "Seconds",
    "merge_weeks": "Weeks that become one",
    "by": "Sum within",
    "hide_zeros": "Hide zeros too",
    "hide_margins": "Hide totals too",
}
_LEVELS = {"federal": "Federal", "state": "States", "local": "Cities", "research": "Research", "abroad": "Abroad"}


def read_table(path: str, layout: Mapping[str, Any], progress: Callable[..., object]) -> dict[str, Any]:
    """Read a table and list the rules; where the file is not clear, say what to declare, and which columns it has."""
    from policy_sim.records.workbooks import sheets_with_values
    from policy_sim.tables.drawn import drawn_files
    from policy_sim.tables.files import body_of

    progress("reading the table")
    answer: dict[str, Any] = {"error": "", "table": None, "columns": [], "sheets": [], "rules": list(_rules())}
    with as_fields(LABELS):
        try:
            answer["sheets"] = list(sheets_with_values(Path(path)))
            answer["columns"] = list(body_of(Path(path), layout.get("sheet", "")).rows[0])
            (table,) = drawn_files([Path(path)], _layout(layout))
            answer["table"] = table.as_json()
        except PolicySimError as error:
            answer["error"] = _without_folder(str(error), path)
    return answer


def check_table(
    path: str, rule: str, choices: Mapping[str, Any], reader: str, seconds: float, progress: Callable[..., object]
) -> dict[str, Any]:
    """Check a table, as ``policy-sim table check`` does."""
    from policy_sim.tables.check import check_tables
    from policy_sim.tables.drawn import drawn_check, seen_in_check

    with _one_file(path):
        inputs = _inputs(choices, progress)
        progress("deriving each hidden cell")
        found = _rule(rule) if rule else None
        answer = check_tables([Path(path)], found, plain=reader == "plain", seconds=seconds, **inputs)
        cells = [cell.as_json() for cell in seen_in_check(answer)]
        rows = answer.cells.to_dict("records")
        for cell, row in zip(cells, rows, strict=True):
            cell["bare"] = _range(row["least"], row["greatest"])
        (table,) = drawn_check(answer)
    origin = answer.rule.origin if answer.rule else "none"
    return _judged(answer.verdict) | {
        "rule": answer.rule.id if answer.rule else "",
        "notes": [f"Rule: {origin}.", *answer.notes],
        "cells": cells,
        "table": table.as_json(),
    }


def protect_table(
    path: str,
    rule: str,
    choices: Mapping[str, Any],
    request: Mapping[str, Any],
    folder: str,
    publish: bool,
    progress: Callable[..., object],
) -> dict[str, Any]:
    """Protect a table, as ``policy-sim table protect`` does, into a folder or, to ``publish`` it, into its ledger."""
    from policy_sim.tables.drawn import drawn_protected, seen_in_protected
    from policy_sim.tables.folder import write_folder
    from policy_sim.tables.publish import protect_tables
    from policy_sim.tables.request import Request

    with _one_file(path):
        inputs = _inputs(choices, progress)
        progress("hiding further cells")
        answer = protect_tables([Path(path)], _rule(rule), request=Request(**request), **inputs)
        progress("attacking what would be written")
        is_safe = answer.safe
        cells = [cell.as_json() for cell in seen_in_protected(answer)] if answer.result.cost is not None else []
        (table,) = drawn_protected(answer) if cells else (None,)
        published = ""
        if is_safe and publish:
            progress("publishing into the ledger")
            published = str(answer.publish())
        elif is_safe and inputs["ledger"] is None:
            progress("writing the folder")
            write_folder(answer, Path(folder))
            _packed(Path(folder))
    ways = [way._asdict() for way in answer.ways]
    return _judged(answer.judgment) | {
        "rule": answer.rule.id,
        "notes": [f"Rule: {answer.rule.origin}.", *answer.notes],
        "advice": list(answer.advice),
        "ways": ways,
        "cells": cells,
        "table": table.as_json() if table else None,
        "safe": is_safe,
        "published": published,
        "names": list(answer.names.values()),
    }


def compare_ways(
    path: str, rule: str, choices: Mapping[str, Any], request: Mapping[str, Any], progress: Callable[..., object]
) -> list[dict[str, Any]]:
    """Return what other methods lose, as ``policy-sim table protect --compare`` prints it."""
    from policy_sim.tables.check import alternatives
    from policy_sim.tables.publish import protect_tables
    from policy_sim.tables.request import Request

    with _one_file(path):
        inputs = _inputs(choices, progress)
        progress("hiding further cells")
        answer = protect_tables([Path(path)], _rule(rule), request=Request(**request), **inputs)
        if not answer.safe:
            raise InputError(answer.verdict)
        progress("trying other methods")
        rows = alternatives(answer)
    return [
        {str(name): None if value is None or value != value else value for name, value in row.items()}
        for row in rows.astype(object).where(rows.notna(), None).to_dict("records")
    ]


def enter_table(
    path: str,
    rule: str,
    choices: Mapping[str, Any],
    request: Mapping[str, Any],
    progress: Callable[..., object],
) -> dict[str, Any]:
    """Enter a table that is out already into a ledger, as ``policy-sim table enter`` does."""
    from policy_sim.tables.publish import enter_tables
    from policy_sim.tables.request import Request

    with _one_file(path):
        inputs = _inputs(choices, progress)
        progress("deriving each hidden cell")
        answer = enter_tables([Path(path)], _rule(rule), request=Request(**request), **inputs)
        verdict = answer.judgment
        published = str(answer.publish()) if answer.entered else ""
        rows = answer.to_frame().to_dict("records")
    kept = [{name: str(row[name]) for name in ("cell", "hidden_as", "why", "keeps")} for row in rows]
    notes = [f"Rule: {answer.rule.origin}.", *answer.notes]
    return _judged(verdict) | {"rule": answer.rule.id, "notes": notes, "kept": kept, "published": published}


def read_ledger(folder: str, verify: bool, progress: Callable[..., object]) -> dict[str, Any]:
    """List what a ledger has published; to ``verify`` it, attack all of it as ``policy-sim table verify`` does."""
    from policy_sim.tables.folder import ledger_frame
    from policy_sim.tables.ledger import Ledger
    from policy_sim.tables.verify import verified

    with as_fields(LABELS):
        progress("reading the ledger")
        ledger = Ledger(Path(folder))
        proof = ledger.proof()
        rows = ledger_frame(ledger).astype(object).to_dict("records")
        answer: dict[str, Any] = {
            "rows": rows,
            "rule": proof.rule if proof else "",
            "reader": proof.reader if proof else "",
        }
        answer |= {"criterion": proof.criterion if proof else "", "old": ledger.is_old, "verdict": None}
        if verify and proof is not None:
            progress("attacking what is published")
            answer["verdict"] = _judged(verified(Path(folder)))
    return answer


def read_tables(items: Sequence[Sequence[str]], progress: Callable[..., object]) -> dict[str, Any]:
    """Read several tables, each a file and the name of a sheet; say of each what is not clear, or how large it is."""
    from policy_sim.tables.drawn import drawn_files
    from policy_sim.tables.link import week_in

    tables = []
    for number, (path, sheet) in enumerate(items, 1):
        progress(f"reading table {number:,} of {len(items):,}")
        read: dict[str, Any] = {"error": "", "rows": 0, "counts": 0, "week": ""}
        with as_fields(LABELS):
            try:
                read["week"] = week_in(sheet) or week_in(Path(path).name)
                (table,) = drawn_files([Path(path)], _layout({"sheet": sheet}))
                shown = table.as_json()
                read |= {"rows": shown["many"], "counts": sum(one["role"] == "counts" for one in shown["columns"])}
            except PolicySimError as error:
                read["error"] = _without_folder(str(error), path).removeprefix(f"{Path(path).name}: ")
        tables.append(read)
    return {"rules": list(_rules()), "tables": tables}


def publish_tables(
    items: Sequence[Sequence[str]],
    rule: str,
    ledger: str,
    request: Mapping[str, Any],
    progress: Callable[..., object],
) -> list[dict[str, Any]]:
    """Protect tables and publish each into a ledger before the next; the first that cannot go out ends it.

    ``items``: of each the file, the name of a sheet, and the week.
    """
    done: list[dict[str, Any]] = []
    for number, (path, sheet, week) in enumerate(items, 1):
        if any(not one["published"] for one in done):
            done.append({"published": "", "words": "not tried, as one before it was not published"})
            continue
        say = partial(_said_of, progress, f"table {number:,} of {len(items):,}")
        choices = {"layout": {"sheet": sheet}, "ledger": ledger, "week": week}
        try:
            answer = protect_table(path, rule, choices, request, "", publish=True, progress=say)
            done.append({"published": answer["published"], "words": answer["words"]})
        except PolicySimError as error:
            done.append({"published": "", "words": str(error)})
    return done


def _said_of(progress: Callable[..., object], which: str, step: str, *_: object) -> None:
    progress(f"{which}: {step}")


def save_folder(source: str, out: str, progress: Callable[..., object]) -> str:
    """Write the folder of a protected table into a folder that somebody names; the same files as the command's."""
    from policy_sim.tables.folder import copy_folder

    progress("writing the folder")
    copy_folder(Path(source), Path(out))
    return out


def _packed(folder: Path) -> None:
    """Pack a folder as one file to download, next to it."""
    with zipfile.ZipFile(folder.with_name("all.zip"), "w", zipfile.ZIP_DEFLATED) as packed:
        for own in sorted(path for path in folder.rglob("*") if path.is_file()):
            packed.write(own, own.relative_to(folder).as_posix())


def _judged(verdict: Verdict) -> dict[str, Any]:
    tried = {"tried": list(verdict.tried), "found": list(verdict.findings), "not_tried": list(verdict.not_tried)}
    return {"verdict": verdict.word, "words": verdict.words} | tried


def _rules() -> Iterator[dict[str, Any]]:
    """Yield the rules that decide by a count; those without a largest hidden count can check a table alone."""
    from policy_sim.rules.files import list_rules

    for rule in list_rules().values():
        if rule.judges_counts:
            yield {
                "id": rule.id,
                "level": _LEVELS.get(rule.level, rule.level.capitalize()),
                "body": rule.body,
                "hides": rule.hides,
                "document": f"{rule.document} ({rule.date})",
                "protects": rule.largest is not None,
                "people": rule.needs_population,
                "sure": rule.confidence,
            }


def _rule(name: str) -> DisclosureRule:
    from policy_sim.rules.files import find_rule

    return find_rule(name)


def _layout(fields: Mapping[str, Any]) -> Layout:
    from policy_sim.tables.files import Layout

    texts: dict[str, Any] = {name: str(fields.get(name, "")) for name in ("count", "population", "sheet")}
    lists: dict[str, Any] = {
        name: tuple(fields.get(name, ())) for name in ("keys", "totals", "running", "coincidences")
    }
    return Layout(**texts, **lists, marks=dict(map(_meaning, fields.get("marks", ()))))


def _meaning(text: str) -> tuple[str, str]:
    mark, _, meaning = text.rpartition("=")
    if not mark:
        raise InputError(f"Marks: {text[:40]!r} needs a mark and its meaning, such as blank=hidden.")
    return mark.strip(), meaning.strip()


def _inputs(choices: Mapping[str, Any], progress: Callable[..., object]) -> dict[str, Any]:
    """Return what all doors of tables take: the layout, the ledger and the denominators."""
    return {
        "layout": _layout(choices.get("layout", {})),
        "ledger": _ledger(choices),
        "denominators": _people(choices.get("state", ""), progress),
    }


def _ledger(choices: Mapping[str, Any]) -> Ledger | None:
    from policy_sim.tables.ledger import Ledger

    if not choices.get("ledger"):
        return None
    week, since = choices.get("week", ""), choices.get("since", "")
    return Ledger(Path(choices["ledger"]), week, since, bool(choices.get("corrected")))


def _people(state: str, progress: Callable[..., object]) -> Denominators | None:
    if not state:
        return None
    from policy_sim.people.by_name import load_population
    from policy_sim.tables.rates import CensusPeople
    from policy_sim.words.states import find_state

    progress("counting the people of each county")
    return CensusPeople(load_population("us-2020"), (find_state(state).postal,)).add_to


def _range(least: Any, greatest: Any) -> str:
    if greatest is None or greatest != greatest:
        return f"{int(least):,} or more"
    return f"{int(least):,}" if least == greatest else f"{int(least):,} to {int(greatest):,}"


@contextmanager
def _one_file(path: str) -> Iterator[None]:
    """Name arguments as the screens do, and the file by its name alone."""
    with as_fields(LABELS):
        try:
            yield
        except PolicySimError as error:
            raise InputError(_without_folder(str(error), path)) from None


def _without_folder(text: str, path: str) -> str:
    return text.replace(path, Path(path).name)
