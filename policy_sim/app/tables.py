"""The screens of a table of counts: what was understood, the check, the protected table, and the ledger of a folder."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from policy_sim.app.home import MOST_UPLOADED, upload
from policy_sim.app.jobs import Job
from policy_sim.app.named_files import file_of, path_of
from policy_sim.app.screens import Desk, Form, change, desk_of, page, screen, sent
from policy_sim.show.numbers import bare
from policy_sim.words.criteria import CRITERIA
from policy_sim.words.errors import InputError
from policy_sim.words.states import STATES

HIDDEN = "hidden in the file"  # the role of a cell in what was read
_SECONDS = 60.0
_DASHES = ("–", "—", "-", "--")
# What a form says of how a file is read, and the option of the command that says it.
_ONE_LINE = {"count": "count", "population": "population-column", "sheet": "sheet"}
_SEVERAL = {"keys": "key", "totals": "total", "running": "running", "coincidences": "coincidence", "marks": "mark"}


@dataclass(eq=False)
class Counts:
    """A table that a window is about: its file, what somebody chose for it, and what came of that.

    ``private``: where its folder is written; ``is_copy``: the file was dropped, and its place means nothing to anybody.
    """

    path: Path
    private: Path
    is_copy: bool
    ledger: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    rule: str = ""
    read: dict[str, Any] = field(default_factory=dict)
    checked: dict[str, Any] = field(default_factory=dict)
    protected: dict[str, Any] = field(default_factory=dict)
    compared: list[dict[str, Any]] = field(default_factory=list)
    entered: dict[str, Any] = field(default_factory=dict)
    request: dict[str, Any] = field(default_factory=dict)
    folder: Path = Path()  # of the protected table
    written: str = ""
    taken: dict[str, Any] = field(default_factory=dict)  # the protected table that was downloaded

    @property
    def unsaved(self) -> list[str]:
        """A protected table that no ledger, folder or download has."""
        is_made = self.protected.get("safe") and not (self.protected.get("published") or self.written)
        return [f"{self.path.name}: the protected table"] if is_made and self.taken is not self.protected else []

    @property
    def choices(self) -> dict[str, Any]:
        """What the jobs take: how the file is read, whose people, and the ledger."""
        own = self.fields
        week = {name: own.get(name, "") for name in ("week", "since", "corrected")} if self.ledger else {}
        return {"layout": own.get("layout", {}), "state": own.get("state", ""), "ledger": self.ledger, **week}


@dataclass(eq=False)
class Book:
    """A ledger that a window is about."""

    folder: Path
    read: dict[str, Any] = field(default_factory=dict)


def _counts_of(request: Request) -> Counts:
    counts: Counts = desk_of(request).get(request.path_params["key"], Counts)
    return counts


def _book_of(request: Request) -> Book:
    book: Book = desk_of(request).get(request.path_params["key"], Book)
    return book


# The file, and what was understood of it.


def opened(desk: Desk, path: Path, book: Book | None = None, fields: Mapping[str, Any] = MappingProxyType({})) -> str:
    """Begin with a file, the next one of a ledger if there is one; return the page of the job that reads it.

    ``fields``: what was chosen for it before.
    """
    path = path.absolute()
    counts = Counts(path, desk.private("table"), desk.folder.absolute() in path.parents, fields={**fields})
    if book is not None:
        counts.ledger, counts.rule = str(book.folder), book.read.get("rule", "")
        counts.fields |= {name: book.read.get(name, "") for name in ("criterion", "reader")}
    return f"/jobs/{_reading(desk, desk.put(counts), counts).key}"


def _reading(desk: Desk, key: str, counts: Counts) -> Job:
    def then(answer: dict[str, Any]) -> str:
        counts.read = answer
        return f"/tables/{key}"

    arguments = {"path": str(counts.path), "layout": counts.fields.get("layout", {})}
    return desk.jobs.start("tables_work:read_table", arguments, title="Reading the table", then=then)


def _new(request: Request, form: Form) -> str:
    """Begin with a file that another screen has opened."""
    return opened(desk_of(request), desk_of(request).get(form.text("key"), Path))


def _open(request: Request, form: Form) -> str:
    return opened(desk_of(request), file_of(form.needed("path", "Give the path of a table.")))


def _show(request: Request) -> Response:
    counts = _counts_of(request)
    return page(
        request,
        "tables_read.html",
        counts=counts,
        key=request.path_params["key"],
        read=counts.read,
        layout=counts.fields.get("layout", {}),
        own=counts.fields,
        levels=by_level(counts.read["rules"]),
        states=[(state.postal, state.name) for state in STATES.values()],
        marks=_mark_meanings(counts),
        criteria=CRITERIA,
    )


def by_level(rules: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return the rules of each level of government, in the order of a list to choose from."""
    order = ("Federal", "States", "Cities", "Research", "Abroad")
    levels = sorted({rule["level"] for rule in rules}, key=lambda name: order.index(name) if name in order else 9)
    return {name: [rule for rule in rules if rule["level"] == name] for name in levels}


def _read_again(request: Request, form: Form) -> Job:
    counts = _counts_of(request)
    counts.fields["layout"] = layout_of(form)
    counts.checked, counts.protected, counts.compared = {}, {}, []
    return _reading(desk_of(request), request.path_params["key"], counts)


def layout_of(form: Form) -> dict[str, Any]:
    """Return how a file is to be read, as a form says it."""
    layout: dict[str, Any] = {name: form.text(name) for name in _ONE_LINE}
    layout |= {"keys": form.all("keys")} | {name: _lines(form.text(name)) for name in ("totals", "running")}
    layout["coincidences"] = _lines(form.text("coincidences"))
    marks = _lines(form.text("marks"))
    for name, texts in (("blank", ("blank",)), ("dash", _DASHES), ("absent", ("absent",))):
        meaning = form.text(name)
        if meaning:
            marks += [f"{text}={meaning}" for text in texts]
    layout["marks"] = marks
    return {name: value for name, value in layout.items() if value}


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _mark_meanings(counts: Counts) -> dict[str, str]:
    """Return what a form says of the usual marks, and the others as lines."""
    marks = dict(line.rpartition("=")[::2] for line in counts.fields.get("layout", {}).get("marks", ()))
    usual = {"blank": marks.pop("blank", ""), "absent": marks.pop("absent", "")}
    dashes = {marks.pop(dash, "") for dash in _DASHES}
    rest = "\n".join(f"{mark}={meaning}" for mark, meaning in marks.items())
    return usual | {"dash": max(dashes), "others": rest}


# The check, and the table made fit to publish.


def _choose(counts: Counts, form: Form) -> None:
    """Keep what the form of a rule says."""
    for name in ("state", "week", "since", "reader", "criterion"):
        counts.fields[name] = form.text(name)
    counts.fields["corrected"] = bool(form.text("corrected"))
    counts.fields["folder"] = form.text("ledger")
    counts.ledger = str(path_of(form.text("ledger"))) if form.text("ledger") else ""
    counts.rule = form.text("rule")
    seconds = form.text("seconds") or str(_SECONDS)
    try:
        counts.fields["seconds"] = float(seconds.replace(",", "."))
    except ValueError:
        raise InputError(f"Seconds: {seconds[:20]!r} is not a number. Give one such as 60.") from None
    counts.request = {
        "criterion": form.text("criterion") or "R",
        "reader": form.text("reader") or "zeros",
        "cost": form.text("cost") or "people",
        "seconds": counts.fields["seconds"],
        "hide_zeros": bool(form.text("hide_zeros")),
        "hide_margins": bool(form.text("hide_margins")),
    }


def _do(request: Request, form: Form) -> Job:
    """Check, protect or enter, as the button says."""
    counts, what = _counts_of(request), form.text("do")
    _choose(counts, form)
    if what != "check" and not counts.rule:
        raise InputError("Choose a rule: it says which counts to hide.")
    if not counts.rule and _hides_nothing(counts.read["table"]):
        raise InputError("Choose a rule: the file itself hides no count.")
    if what == "enter":
        return _enter(request, counts)
    return _check(request, counts) if what == "check" else _protect(request, counts, counts.request)


def _hides_nothing(table: dict[str, Any]) -> bool:
    """Whether no count of a table is hidden in the file, as far as all of it is drawn."""
    rows = table["rows"]
    return len(rows) == table["many"] and not any(cell["role"] == HIDDEN for row in rows for cell in row)


def _check(request: Request, counts: Counts) -> Job:
    key = request.path_params["key"]

    def then(answer: dict[str, Any]) -> str:
        counts.checked = answer
        return f"/tables/{key}/check"

    own: dict[str, Any] = {"path": str(counts.path), "rule": counts.rule, "choices": counts.choices}
    own |= {"reader": counts.request["reader"], "seconds": counts.request["seconds"]}
    return _started(request, "check_table", own, "Checking the table", then)


def _started(request: Request, work: str, arguments: dict[str, Any], title: str, then: Any, *outs: Path) -> Job:
    back = f"/tables/{request.path_params['key']}"
    jobs = desk_of(request).jobs
    return jobs.start(f"tables_work:{work}", arguments, title=title, then=then, back=back, outs=outs)


def _protect(request: Request, counts: Counts, asked: dict[str, Any], *, publish: bool = False) -> Job:
    key, folder = request.path_params["key"], counts.private / secrets.token_hex(4) / "out"  # of this run alone
    folder.parent.mkdir(mode=0o700)

    def then(answer: dict[str, Any]) -> str:
        counts.protected, counts.request, counts.compared, counts.written = answer, asked, [], ""
        counts.folder = folder
        return f"/tables/{key}/protected"

    own: dict[str, Any] = {"path": str(counts.path), "rule": counts.rule, "choices": counts.choices, "request": asked}
    own |= {"folder": str(folder), "publish": publish}
    title = "Publishing into the ledger" if publish else "Hiding what is needed"
    outs = (Path(counts.ledger),) if publish else (folder,)
    return _started(request, "protect_table", own, title, then, *outs)


def _enter(request: Request, counts: Counts) -> Job:
    if not counts.ledger:
        raise InputError("A table is entered into a ledger. Give the folder of the ledger.")
    key = request.path_params["key"]

    def then(answer: dict[str, Any]) -> str:
        counts.entered = answer
        return f"/tables/{key}/entered"

    own: dict[str, Any] = {"path": str(counts.path), "rule": counts.rule, "choices": counts.choices}
    kept = ("criterion", "reader", "seconds", "hide_zeros")
    own["request"] = {name: counts.request[name] for name in kept}
    return _started(request, "enter_table", own, "Entering the table", then, Path(counts.ledger))


def _again(request: Request, form: Form) -> Job:
    """Protect as was chosen, or in one of the ways that were compared."""
    counts = _counts_of(request)
    if not counts.rule:
        raise InputError("Choose a rule: it says which counts to hide.")
    asked = dict(counts.request)
    for name, kind in (("merge_weeks", int), ("by", str), ("hide_zeros", bool)):
        if form.text(name):
            asked[name] = kind(form.text(name))
    return _protect(request, counts, asked)


def _publish(request: Request, _: Form) -> Job:
    counts = _counts_of(request)
    return _protect(request, counts, counts.request, publish=True)


def _compare(request: Request, _: Form) -> Job:
    counts, key = _counts_of(request), request.path_params["key"]

    def then(answer: list[dict[str, Any]]) -> str:
        counts.compared = answer
        return f"/tables/{key}/protected"

    own = {"path": str(counts.path), "rule": counts.rule, "choices": counts.choices, "request": counts.request}
    return _started(request, "compare_ways", own, "Comparing with other methods", then)


def _save(request: Request, form: Form) -> Job:
    counts, key = _counts_of(request), request.path_params["key"]
    if not counts.protected.get("safe") or counts.ledger:
        raise InputError("There is nothing to write. Make the table again.")
    out = path_of(form.needed("folder", "Give the path of a folder to write, new or of an earlier run."))

    def then(answer: str) -> str:
        counts.written = answer
        return f"/tables/{key}/protected"

    own = {"source": str(counts.folder), "out": str(out)}
    return _started(request, "save_folder", own, "Writing the folder", then, out)


def _result(name: str, template: str, request: Request) -> Response:
    counts = _counts_of(request)
    answer = getattr(counts, name)
    if not answer:
        raise InputError("There is no answer yet. Choose a rule first.")
    verb = {"checked": "check", "protected": "protect", "entered": "enter"}[name]
    key = request.path_params["key"]
    return page(
        request, template, counts=counts, key=key, answer=answer, command=command_line(counts, verb), criteria=CRITERIA
    )


def _download(request: Request) -> Response:
    """Send one of the files of the protected table, or all as one."""
    counts = _counts_of(request)
    folder = counts.folder
    if not counts.protected.get("safe") or counts.ledger:
        raise InputError("There is no such file. Make the table again.")
    files = {own.relative_to(folder).as_posix(): own for own in folder.rglob("*") if own.is_file()}
    files["all.zip"] = folder.with_name("all.zip")
    path = files.get(request.path_params["name"])
    if path is None or not path.is_file():
        raise InputError("There is no such file. Make the table again.")
    name = f"{counts.path.stem}-protected.zip" if path.suffix == ".zip" else path.name
    counts.taken = counts.protected
    return sent(path, name)


def command_line(counts: Counts, verb: str) -> str:
    """Return the command that does the same."""
    own, name = counts.fields, counts.path.name if counts.is_copy else str(counts.path)
    options: list[tuple[str, Any]] = list(_layout_options(own.get("layout", {})))
    options += [("rule", counts.rule), ("state", own.get("state")), ("ledger", counts.ledger)]
    if counts.ledger:
        options += [(name, own.get(name)) for name in ("week", "since", "corrected")]
    options += list(_request_options(counts.request, verb))
    if verb == "protect" and not counts.ledger:
        options.append(("out", f"{counts.path.stem}-protected"))
    words = ["policy-sim", "table", verb, name]
    for option, value in options:
        if value:
            words += [f"--{option}"] if value is True else [f"--{option}", str(value)]
    return shlex.join(words)


def _layout_options(layout: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, option in _ONE_LINE.items():
        yield option, layout.get(name)
    for name, option in _SEVERAL.items():
        for text in layout.get(name, ()):
            yield option, text


def _request_options(asked: dict[str, Any], verb: str) -> Iterator[tuple[str, Any]]:
    """Yield what differs from what the command takes by itself, as far as it has the option."""
    usual = {"criterion": "R", "cost": "people", "seconds": _SECONDS, "reader": "zeros"}
    names = {"check": ("reader", "seconds"), "enter": ("criterion", "reader", "seconds", "hide_zeros")}
    for name, value in asked.items():
        if value != usual.get(name) and name in names.get(verb, asked):
            option = "time" if name == "seconds" else name.replace("_", "-")
            yield option, bare(value) if name == "seconds" else value


# The ledger of a folder.


def _open_ledger(request: Request, form: Form) -> Job:
    folder = path_of(form.needed("folder", "Give the path of the folder, new or of earlier weeks."))
    return _read_book(request, desk_of(request).put(Book(folder)), verify=False)


def _read_book(request: Request, key: str, *, verify: bool) -> Job:
    desk = desk_of(request)
    book: Book = desk.get(key, Book)

    def then(answer: dict[str, Any]) -> str:
        book.read = answer
        return f"/tables/ledger/{key}"

    title = "Attacking what is published" if verify else "Reading the ledger"
    arguments = {"folder": str(book.folder), "verify": verify}
    return desk.jobs.start("tables_work:read_ledger", arguments, title=title, then=then)


def _verify(request: Request, _: Form) -> Job:
    return _read_book(request, request.path_params["key"], verify=True)


def _show_book(request: Request) -> Response:
    book = _book_of(request)
    command = shlex.join(["policy-sim", "table", "verify", str(book.folder)])
    key = request.path_params["key"]
    return page(
        request,
        "tables_ledger.html",
        book=book,
        read=book.read,
        key=key,
        most=MOST_UPLOADED,
        command=command,
        criteria=CRITERIA,
    )


def _next_table(request: Request, form: Form) -> str:
    book = _book_of(request)
    return opened(desk_of(request), file_of(form.needed("path", "Give the path of a table.")), book)


def _dropped_into(request: Request, desk: Desk, path: Path) -> str:
    book = _book_of(request)
    return opened(desk, path, book)


routes: list[Route] = [
    upload("/tables/upload", lambda _, desk, path: opened(desk, path)),
    change("/tables/new", _new),
    change("/tables/open", _open),
    change("/tables/ledger", _open_ledger),
    screen("/tables/ledger/{key}", _show_book),
    change("/tables/ledger/{key}/verify", _verify),
    upload("/tables/ledger/{key}/upload", _dropped_into),
    change("/tables/ledger/{key}/open", _next_table),
    screen("/tables/{key}", _show),
    change("/tables/{key}/read", _read_again),
    change("/tables/{key}/do", _do),
    change("/tables/{key}/protect", _again),
    change("/tables/{key}/publish", _publish),
    change("/tables/{key}/compare", _compare),
    change("/tables/{key}/save", _save),
    screen("/tables/{key}/check", partial(_result, "checked", "tables_check.html")),
    screen("/tables/{key}/protected", partial(_result, "protected", "tables_protected.html")),
    screen("/tables/{key}/entered", partial(_result, "entered", "tables_entered.html")),
    screen("/tables/{key}/files/{name:path}", _download),
]
