"""Write results: rows to standard output, or a folder that is complete or absent."""

from __future__ import annotations

import ctypes
import io
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import click

from policy_sim.words.errors import InputError, OutputError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure
    from rich.console import Console
    from rich.progress import Progress as Bar

    from policy_sim.study.answers import Answer
    from policy_sim.study.explore import ExplorationAnswer
    from policy_sim.study.provenance import AnswerProvenance


# Write all of the standard output.


def put(content: str | bytes) -> None:
    """Write the whole text to standard output; an unbuffered stream may write only a part and report no error."""
    if not sys.stdout:  # closed by whoever started us
        return
    if isinstance(content, str):
        content = content.encode(sys.stdout.encoding or "utf-8", errors="replace")
    sys.stdout.flush()
    rest = memoryview(content)
    while rest:
        rest = rest[sys.stdout.buffer.write(rest) :]
    sys.stdout.buffer.flush()


def put_json(facts: Mapping[str, Any], frame: pd.DataFrame, name: str) -> None:
    """Write facts as one JSON object, with the rows under a name."""
    put(json.dumps({**facts, name: json.loads(frame.to_json(orient="records"))}, indent=1, ensure_ascii=False) + "\n")


@contextmanager
def only_our_output() -> Iterator[None]:
    """Keep what libraries print out of standard output: a solver writes a line there now and then."""
    sys.stdout.flush()
    try:
        before = os.dup(1)
    except OSError:  # closed by whoever started us
        yield
        return
    with Path(os.devnull).open("wb") as nothing:
        os.dup2(nothing.fileno(), 1)
        try:
            yield
        finally:
            with suppress(OSError, AttributeError):
                ctypes.CDLL(None).fflush(None)  # lines that still wait in the library's own buffer
            os.dup2(before, 1)
            os.close(before)


_MEANING = "meaning"
_Command = TypeVar("_Command", bound=Callable[..., Any])


def meaning(text: str | Callable[[pd.DataFrame], str]) -> Callable[[_Command], _Command]:
    """Say above the table of a command what its numbers mean, so that its first line is enough to read it.

    ``text``: the sentences, or what makes them of the rows.
    """

    def add(command: _Command) -> _Command:
        setattr(command, _MEANING, text)
        return command

    return add


def print_rows(
    frame: pd.DataFrame,
    form: str,
    notes: Sequence[str] = (),
    table: Callable[[pd.DataFrame], str] | None = None,
    verdict: str = "",
) -> None:
    """Print rows in the requested format; ``notes`` say which population, lists and options produced them.

    A line above a table says what its numbers mean, and the notes follow the table. In the other formats only data goes
    to standard output, and the notes go to standard error. A verdict stands above the table, or comes last.
    """
    if form == "text":
        from policy_sim.show.text_table import text_table, wrapped

        context = click.get_current_context(silent=True)
        says = getattr(context and context.command.callback, _MEANING, "")
        words = says(frame) if callable(says) else says
        meaning = wrapped([words]) if words else []
        text = (table or text_table)(frame)
        above = [*wrapped([verdict]), *[""] * bool(text)] if verdict else []
        put("\n".join([*meaning, *above, *[text] * bool(text or not verdict), *wrapped(notes), ""]))
        return
    if form == "parquet" and sys.stdout.isatty():
        raise InputError("--format parquet is binary: send it to a file or a pipe, such as '> rows.parquet'.")
    for note in notes:
        click.echo(note, err=True)
    if form == "parquet":
        content = io.BytesIO()
        frame.to_parquet(content, index=False)
        put(content.getvalue())
    else:
        from policy_sim.show.text_table import rows_text

        put(rows_text(frame, form) + ("\n" if form == "json" else ""))
    if verdict:
        click.echo(verdict, err=True)


def write_rows(frame: pd.DataFrame, path: Path) -> None:
    """Write rows to a file; its ending gives the format (csv, json, parquet)."""
    if path.suffix == ".parquet":
        frame.to_parquet(path, index=False)
        return
    from policy_sim.show.text_table import rows_text

    path.write_text(rows_text(frame, path.suffix[1:]), encoding="utf-8")


def write_frames(
    out: Path,
    manifest: Mapping[str, Any],
    files: Mapping[str, pd.DataFrame | str],
    figures: Callable[[], Iterable[tuple[str, Figure]]] | None = None,
) -> None:
    """Write tables and texts by file name, figures by the name before the ending, and the manifest into ``out``."""
    from policy_sim.files.output_folder import output_folder

    with output_folder(out, manifest) as folder:
        for name, content in files.items():
            if isinstance(content, str):
                (folder / name).write_text(content, encoding="utf-8")
            else:
                write_rows(content, folder / name)
        if figures is not None:
            from policy_sim.show.save import save_figures

            save_figures(figures(), folder)


_MOST_NOTES = 3  # below a table


@dataclass(frozen=True)
class Output:
    """Where an answer goes: it is printed in a form, and written into a folder if there is one."""

    form: str
    folder: Path | None

    def deliver(
        self,
        answer: Answer[Any] | ExplorationAnswer,
        table: Callable[[pd.DataFrame], str] | None = None,
        *,
        rows: pd.DataFrame | None = None,
        files: Mapping[str, pd.DataFrame | str] | None = None,
        figures: Callable[[], Iterable[tuple[str, Figure]]] | None = None,
        first: Sequence[str] = (),
        last: Sequence[str] = (),
        written: str = "",
        more: Mapping[str, Any] = MappingProxyType({}),
        **facts: Any,
    ) -> None:
        """Write an answer and its figures into the folder, if there is one, and print its rows with their notes.

        ``rows``: what is printed, all rows of the answer by default; without ``files`` they are written too, into a
        file with the name of the question. ``first`` and ``last`` are notes of the command, before and after those of
        the answer. ``facts`` are options that the manifest names too, and ``more`` stands beside them; ``written`` is
        what the last line says was written.
        """
        origin, printed = answer.provenance, answer.to_frame() if rows is None else rows
        if self.folder is not None:
            named = {f"{origin.analysis.split()[-1]}.csv": printed} if files is None else files
            write_frames(self.folder, {**origin.manifest(**facts), **more}, named, figures)
        print_rows(printed, self.form, self.notes(origin, first, last), table)
        self.say_written(written)

    def say_written(self, what: str) -> None:
        """Say what was written into the folder."""
        if self.folder is not None and what:
            click.echo(f"Written to {self.folder}: {what}.", err=True)

    def notes(self, origin: AnswerProvenance, first: Sequence[str] = (), last: Sequence[str] = ()) -> list[str]:
        """Return all notes of an answer, or below a table three at most and a pointer to all of them.

        ``first`` and ``last`` are notes of the command: of both, a table has those that there is room for. Before all
        of them stands what a file of one place would give, where nobody said where the people of a file live.
        """
        from policy_sim.study.compare import one_zip3_sentence

        place = one_zip3_sentence(origin.studies[-1], origin.question)
        first = [*([f"{place}. Say where yours come from with --from"] if place else []), *first]
        notes = [*first, *origin.notes, *last]
        if self.form != "text" or len(notes) <= _MOST_NOTES:
            return notes
        *warned, made_of = origin.short_notes
        most_needed = [*first, *warned, *last][: _MOST_NOTES - 1]
        count, where = len(notes), "come with --format json"
        if self.folder is not None:
            count, where = len(origin.notes), "are in manifest.json"
        return [*most_needed, made_of, f"All {count} notes on what is assumed, modeled or old {where}."]


def write_file(frame: pd.DataFrame, path: Path) -> None:
    """Write rows to a temporary file and rename it when it is complete."""
    from policy_sim.files.writing import HeldFolder, hidden_prefix

    try:
        with closing(HeldFolder(path.parent, hidden_prefix(path))) as held:
            beside = held.path / path.name
            write_rows(frame, beside)
            beside.replace(path)
    except OSError as error:
        raise OutputError(f"{path}: {error.strerror or error}. Nothing was written.") from error


# Show the current step of a slow command on standard error.


_TERMINAL_SECONDS = 2.0  # of silence before a terminal shows the step
_FILE_SECONDS = 30.0  # of silence between the lines that a file or a pipe gets


class Progress:
    """Show the current step on standard error: nothing for quick work, one moving line for slow work.

    A terminal shows a line with the step and the time after two seconds, and clears it at the end. A file or
    a pipe gets one plain line at most every thirty seconds, so that the log of quick work stays empty.

    ``step``: the first step. ``console``: where to write; standard error by default. ``silence``: seconds before the
    first sign of life; by default two on a terminal, else thirty.

    >>> with Progress("counting the classes") as progress:
    ...     progress("fetching tables", completed=3, total=51)
    """

    def __init__(self, step: str = "", *, console: Console | None = None, silence: float | None = None) -> None:
        self._own_console = console
        self._interactive = sys.stderr.isatty() if console is None else console.is_terminal
        self._silence = silence if silence is not None else _TERMINAL_SECONDS if self._interactive else _FILE_SECONDS
        self._bar: Bar | None = None
        self._step, self._completed = step, 0
        self._total: int | None = None
        self._start = self._last = time.monotonic()
        self._lock = threading.Lock()
        self._timer = threading.Timer(self._silence, self._begin)
        self._timer.daemon = True

    def __call__(self, step: str, completed: int | None = None, total: int | None = None) -> None:
        """Set the current step; ``completed`` of ``total`` parts fill a bar, where both are known."""
        with self._lock:
            self._step, self._completed, self._total = step.replace("\n", " "), completed or 0, total
            if self._bar is not None:
                self._update(self._bar)
            elif not self._interactive and time.monotonic() - self._last >= self._silence:
                self._line()

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        self._timer.join()
        if self._bar is not None:
            self._bar.stop()

    def _begin(self) -> None:
        """Show what has been hidden so far."""
        with self._lock:
            if self._interactive:
                self._bar = self._new_bar()
                self._update(self._bar)
                self._bar.start()
            elif self._step and time.monotonic() - self._last >= self._silence:
                self._line()

    def _new_bar(self) -> Bar:
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        text = TextColumn("{task.description}", markup=False)  # a file name may have brackets
        bar = Progress(
            SpinnerColumn(), text, BarColumn(bar_width=24), TimeElapsedColumn(), console=self._console, transient=True
        )
        bar.add_task("", total=None)
        return bar

    def _update(self, bar: Bar) -> None:
        (task,) = bar.task_ids
        bar.update(task, description=self._plain, completed=self._completed, total=self._total)

    def _line(self) -> None:
        self._last = time.monotonic()
        line = f"{self._last - self._start:4.0f} s  {self._plain} ..."
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    @property
    def _plain(self) -> str:
        from policy_sim.show.numbers import plain

        return plain(self._step)

    @property
    def _console(self) -> Console:
        """Standard error, unless a console was given. Rich takes long to import: quick work never does."""
        from rich.console import Console

        return self._own_console or Console(stderr=True)
