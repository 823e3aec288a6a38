"""What a window does to a project, noted as the commands that do the same."""

from __future__ import annotations

import datetime as dt
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from policy_sim.release.door import Release

_Done = TypeVar("_Done")
_OPTIONS = {"format": "form"}  # options of a command that are called otherwise


class WorkLog:
    """The commands that make a project as it is, in order; none once something else has changed the file.

    ``is_whole``: they begin with the file of records. A project that was opened has its decisions in its file alone.
    """

    def __init__(self) -> None:
        self.new: dict[str, str] = {}
        self.steps: list[list[str]] = []
        self.is_whole = False
        self._at = b""

    def begin(self, options: Mapping[str, str], at: bytes) -> None:
        """Note how a project was made, and its file."""
        self.new, self.steps, self.is_whole, self._at = {**options}, [], True, at

    def is_at(self, now: bytes) -> bool:
        """Whether the commands make this very project file."""
        return self.is_whole and self._at == now

    def note(self, words: Sequence[str], before: bytes, after: bytes) -> None:
        """Note a change; one that changed nothing is none."""
        if not self.is_at(before):
            self.is_whole = False
        elif after != before:
            self.steps.append([*words])
            self._at = after

    def commands(self, file: str, project: str) -> Iterator[list[str]]:
        """Yield the words of each command, for a file of records and a project under these names."""
        yield ["policy-sim", "release", "new", file, project, *options(self.new.items())]
        for words in self.steps:
            yield ["policy-sim", "release", "step", project, *words]


class Noted:
    """A project whose changes are noted as commands."""

    def __init__(self, release: Release, log: WorkLog, now: Callable[[], bytes]) -> None:
        self._release, self._log, self._now = release, log, now

    def _do(self, change: Callable[[], _Done], *words: str) -> _Done:
        before = self._now()
        done = change()
        self._log.note(words, before, self._now())
        return done

    def set(self, table: str, **values: Any) -> None:
        """Change keys of a table that are not so yet."""
        known = tomllib.loads(self._now().decode()).get(table, {})
        new = {key: value for key, value in values.items() if value != known.get(key, "")}
        words = options([("set", f"{table}.{key}={_as_option(value)}") for key, value in new.items()])
        if new:
            self._do(lambda: self._release.set(table, **new), *words)

    def map_codes(self, column: str, codes: Mapping[str, str]) -> None:
        """Say what values of a column mean."""
        words = [word for code in codes.items() for word in (*options([("code", column)]), *code)]
        self._do(lambda: self._release.map_codes(column, codes), *words)

    def accept_guesses(self, by: str, on: dt.date) -> None:
        """Accept every guess."""
        self._do(
            lambda: self._release.accept_guesses(by=by, on=on), *options([("accept-guesses", True)]), *_said(by, on)
        )

    def pseudonym(self, column: str, reason: str, by: str, on: dt.date) -> None:
        """Replace an identifier by a keyed pseudonym."""
        words = options([("pseudonym", column)]) + _said(by, on, reason)
        self._do(lambda: self._release.pseudonym(column, reason=reason, by=by, on=on), *words)

    def classify(self, names: Sequence[str], role: str, reason: str, by: str, on: dt.date, **more: str) -> None:
        """Decide on columns; ``more`` is a treatment, a kind or the form of dates and numbers of states."""
        together = (
            [",".join(names)] if not any(set(name) & set(',"') or name != name.strip() for name in names) else names
        )
        words = options(
            [("role", f"{some}={role}") for some in together]
            + [(_OPTIONS.get(key, key), text) for key, text in more.items()]
        ) + _said(by, on, reason)
        self._do(lambda: self._release.classify(names, role, reason, by=by, on=on, **more), *words)

    def state_youngest(self, column: str, age: int, reason: str, by: str, on: dt.date) -> None:
        """Say how old people are at least at the dates of a column."""
        words = options([("youngest", f"{column}={age}")]) + _said(by, on, reason)
        self._do(lambda: self._release.state_youngest(column, age, by=by, evidence=reason, on=on), *words)

    def state_is_not(self, column: str, what: str, reason: str, by: str, on: dt.date) -> None:
        """Say what the values of a column only look like."""
        words = options([("is-not", f"{column}={what}")]) + _said(by, on, reason)
        self._do(lambda: self._release.state_is_not(column, what, by=by, evidence=reason, on=on), *words)

    def answer(self, question: str, value: str, evidence: str, by: str, on: dt.date) -> None:
        """Answer a question of the guidelines."""
        words = options([("answer", f"{question}={value}")]) + _said(by, on, evidence)
        self._do(lambda: self._release.answer(question, value, by=by, evidence=evidence, on=on), *words)


def options(pairs: Iterable[tuple[str, str | bool]]) -> list[str]:
    """Return options of a command with their values; one that is empty is left out, and a switch has no value.

    >>> options([("as", "csv"), ("title", ""), ("keep-order", True)])
    ['--as', 'csv', '--keep-order']
    """
    return [str(word) for name, text in pairs if text for word in (f"--{name}", text) if word is not True]


def _said(by: str, on: dt.date, reason: str = "") -> list[str]:
    return options([("evidence", reason), ("by", by), ("on", on.isoformat())])


def _as_option(value: Any) -> str:
    """Return a value of a table as an option gives it: as TOML, or a text as it is where that is no TOML."""
    import tomli_w

    if isinstance(value, str):
        try:
            tomllib.loads(f"x = {value}")
        except tomllib.TOMLDecodeError:
            return value
    return tomli_w.dumps({"x": value}).removeprefix("x = ").rstrip("\n")


def seed_of(folder: Path) -> int | None:
    """Return the seed of a release that was made, from which the order of its rows follows."""
    try:
        text = (folder / "keep" / "project.toml").read_text(encoding="utf-8")
        seed = tomllib.loads(text).get("settings", {}).get("seed")
    except (OSError, ValueError):
        return None
    return seed if isinstance(seed, int) else None
