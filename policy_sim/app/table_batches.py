"""Several tables at once: each is read, and they go into one ledger, one after the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from policy_sim.app.home import upload
from policy_sim.app.jobs import Job
from policy_sim.app.named_files import path_of
from policy_sim.app.screens import Desk, Form, change, desk_of, page, screen
from policy_sim.app.tables import Book, Counts, by_level, command_line, opened
from policy_sim.words.criteria import CRITERIA
from policy_sim.words.errors import InputError

_MOST = 200
_KEPT = "what is published by then stays"


@dataclass(eq=False)
class Item:
    """One of several tables: its file, the sheet if it is one of a workbook, its week, and what came of it."""

    path: Path
    is_copy: bool = False
    sheet: str = ""
    week: str = ""
    read: dict[str, Any] = field(default_factory=lambda: {"error": "It was not read yet.", "rows": 0, "counts": 0})
    done: dict[str, Any] = field(default_factory=lambda: {"published": "", "words": ""})

    @property
    def name(self) -> str:
        """What the screens call it."""
        return f"{self.path.name}, sheet {self.sheet}" if self.sheet else self.path.name

    @property
    def is_open(self) -> bool:
        """Whether it can still be published."""
        return not self.read["error"] and not self.done["published"]


@dataclass(eq=False)
class Batch:
    """Several tables that a window is about, and what somebody chose for all of them."""

    items: list[Item] = field(default_factory=list)
    rule: str = ""
    ledger: str = ""
    rules: list[dict[str, Any]] = field(default_factory=list)
    fields: dict[str, Any] = field(default_factory=dict)


def _batch_of(request: Request) -> Batch:
    batch: Batch = desk_of(request).get(request.path_params["key"], Batch)
    return batch


def _dropped(request: Request, desk: Desk, path: Path) -> str:
    """Add a file that was dropped to those before it, which the page names; begin with it if it names none."""
    key = request.headers.get("x-batch", "")
    if key:
        batch: Batch = desk.get(key, Batch)
    else:
        batch = Batch()
        if "key" in request.path_params:
            book: Book = desk.get(request.path_params["key"], Book)
            batch.ledger, batch.rule = str(book.folder), book.read.get("rule", "")
            batch.fields |= {name: book.read.get(name, "") for name in ("criterion", "reader")}
        key = desk.put(batch)
    if len(batch.items) == _MOST:
        raise InputError(f"That is too many at once. Drop up to {_MOST} tables.")
    batch.items.append(Item(path.absolute(), is_copy=True))
    return f"/tables/several/{key}"


def _sheets(request: Request, _: Form) -> Job:
    """Take every sheet of a workbook that was opened as a table."""
    desk = desk_of(request)
    counts: Counts = desk.get(request.path_params["key"], Counts)
    batch = Batch(
        [Item(counts.path, counts.is_copy, sheet) for sheet in counts.read["sheets"]], counts.rule, counts.ledger
    )
    batch.fields |= counts.fields
    return _reading(desk, desk.put(batch), batch)


def _read(request: Request, _: Form) -> Job:
    return _reading(desk_of(request), request.path_params["key"], _batch_of(request))


def _reading(desk: Desk, key: str, batch: Batch) -> Job:
    def then(answer: dict[str, Any]) -> str:
        batch.rules = answer["rules"]
        for item, read in zip(batch.items, answer["tables"], strict=True):
            item.read, item.week = read, item.week or read["week"]
        batch.items.sort(key=lambda item: (bool(item.read["error"]), item.week, item.name))
        return f"/tables/several/{key}"

    arguments = {"items": [[str(item.path), item.sheet] for item in batch.items]}
    return desk.jobs.start("tables_work:read_tables", arguments, title="Reading the tables", then=then)


def _show(request: Request) -> Response:
    batch, key = _batch_of(request), request.path_params["key"]
    published = [item for item in batch.items if item.done["published"]]
    return page(
        request,
        "tables_several.html",
        batch=batch,
        key=key,
        levels=by_level(batch.rules),
        criteria=CRITERIA,
        are_open=any(item.is_open for item in batch.items),
        commands=[_command(batch, item) for item in published],
    )


def _command(batch: Batch, item: Item) -> str:
    counts = Counts(item.path, item.path, is_copy=item.is_copy, ledger=batch.ledger, rule=batch.rule)
    counts.fields = {"layout": {"sheet": item.sheet} if item.sheet else {}, "week": item.week}
    counts.request = batch.fields["request"]
    return command_line(counts, "protect")


def _publish(request: Request, form: Form) -> Job:
    batch, key = _batch_of(request), request.path_params["key"]
    batch.rule = form.needed("rule", "Choose a rule: it says which counts to hide.")
    batch.ledger = str(path_of(form.needed("ledger", "Give the folder of the ledger, new or of earlier weeks.")))
    reader = batch.fields.get("reader") or "zeros"
    batch.fields["request"] = {"criterion": form.text("criterion") or "R", "reader": reader}
    for at, item in enumerate(batch.items):
        item.week = form.text(f"week:{at}") if item.is_open else item.week
    waiting = [item for item in batch.items if item.is_open]
    if not waiting:
        raise InputError("No table is left to publish.")
    blank = [item.name for item in waiting if not item.week]
    if blank and any(item.week for item in batch.items):  # else those before it would be out when it is refused
        raise InputError(f"Give each table its week, such as 2025-W10. Without one: {', '.join(blank)}.")

    def then(answer: list[dict[str, Any]]) -> str:
        for item, done in zip(waiting, answer, strict=True):
            item.done = done
        return f"/tables/several/{key}"

    own: dict[str, Any] = {"rule": batch.rule, "ledger": batch.ledger, "request": batch.fields["request"]}
    own["items"] = [[str(item.path), item.sheet, item.week] for item in waiting]
    back = f"/tables/several/{key}"
    return desk_of(request).jobs.start(
        "tables_work:publish_tables",
        own,
        title="Publishing into the ledger, one after the other",
        then=then,
        back=back,
        outs=(Path(batch.ledger),),
        left=_KEPT,
    )


def _one(request: Request, form: Form) -> str:
    """Open one of the tables alone, such as to say how to read it."""
    batch, desk, place = _batch_of(request), desk_of(request), form.text("table")
    if not (place.isascii() and place.isdigit() and int(place) < len(batch.items)):
        raise InputError("Reload the page: it is of other tables.")
    item = batch.items[int(place)]
    book = Book(Path(batch.ledger), batch.fields | {"rule": batch.rule}) if batch.ledger else None
    return opened(desk, item.path, book, {"layout": {"sheet": item.sheet}} if item.sheet else {})


routes: list[Route] = [
    upload("/tables/several/upload", _dropped),
    upload("/tables/ledger/{key}/several", _dropped),
    change("/tables/{key}/sheets", _sheets),
    screen("/tables/several/{key}", _show),
    change("/tables/several/{key}/read", _read),
    change("/tables/several/{key}/publish", _publish),
    change("/tables/several/{key}/one", _one),
]
