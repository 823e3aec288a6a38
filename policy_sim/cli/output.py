"""Write results: rows to standard output, or a folder that is complete or absent."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from policy_sim.cli.standard_output import put
from policy_sim.errors import InputError, OutputError
from policy_sim.io.files import sha256_of
from policy_sim.io.run_manifest import MANIFEST, read_manifest, run_manifest, with_earlier
from policy_sim.io.scratch import BUSY, HeldFolder, hidden_prefix, writing_alone
from policy_sim.spreadsheet import with_safe_texts

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["held_for_output", "output_folder", "print_rows", "run_manifest", "write_file", "write_frames", "write_rows"]


def print_rows(
    frame: pd.DataFrame, form: str, notes: Sequence[str] = (), table: Callable[[], str] | None = None
) -> None:
    """Print rows in the requested format; ``notes`` say which population, lists and options produced them.

    A line above a table says what its numbers mean, and the notes follow the table. In the other formats only data goes
    to standard output, and the notes go to standard error.
    """
    if form == "table":
        from policy_sim.cli.meanings import meaning_of
        from policy_sim.render.text_table import text_table, wrapped

        context = click.get_current_context(silent=True)
        meaning = wrapped(meaning_of(context.command_path)) if context is not None else []
        put("\n".join([*meaning, table() if table else text_table(frame), *notes, ""]))
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
        put(_as_text(frame, form) + ("\n" if form == "json" else ""))


def _as_text(frame: pd.DataFrame, form: str) -> str:
    if form == "csv":
        return with_safe_texts(frame).to_csv(index=False)
    return str(frame.to_json(orient="records", indent=1, double_precision=15))


def write_rows(frame: pd.DataFrame, path: Path) -> None:
    """Write rows to a file; its ending gives the format (csv, json, parquet)."""
    if path.suffix == ".parquet":
        frame.to_parquet(path, index=False)
    else:
        path.write_text(_as_text(frame, path.suffix[1:]), encoding="utf-8")


@contextmanager
def output_folder(out: Path, manifest: Mapping[str, Any]) -> Iterator[Path]:
    """Give a folder to write into; on success its files, and ``manifest.json``, appear in ``out``.

    The files are first written into a hidden folder on the same disk and moved when all are complete, so that an error,
    a full disk or an interrupt leaves ``out`` unchanged. Hidden folders of killed runs are removed, and another run
    that writes ``out`` meanwhile is refused. Runs of other commands in ``out`` stay in the manifest
    (:func:`~policy_sim.io.run_manifest.with_earlier`).

    Raises
    ------
    OutputError : the folder cannot be written, or has a ``manifest.json`` of another program.
    """
    held: HeldFolder | None = None
    try:
        with writing_alone(out):
            held = HeldFolder(out if out.is_dir() else out.parent, hidden_prefix(out))
            work = held.path
            before = read_manifest(out / MANIFEST)
            yield work
            written = {path.name: sha256_of(path) for path in sorted(work.iterdir())}
            whole = with_earlier({**manifest, "files": written}, before)
            (work / MANIFEST).write_text(json.dumps(whole, indent=2, default=str) + "\n", encoding="utf-8")
            out.mkdir(exist_ok=True)
            for path in sorted(work.iterdir()):
                path.replace(out / path.name)
    except (OSError, OutputError) as error:
        raise _not_written(out, error) from error
    finally:
        if held is not None:
            held.close()


def _not_written(out: Path, error: OSError | OutputError) -> OutputError:
    cause = error.__cause__ or error
    reason = getattr(cause, "strerror", None) or cause
    remedy = "Choose another folder, or free some space." if str(error) != BUSY else "Or choose another folder."
    return OutputError(f"--out {out}: {reason}. Nothing was written. {remedy}")


@contextmanager
def held_for_output(out: Path | None) -> Iterator[None]:
    """Keep other runs out of a folder from the start, where the folder that it is to lie in exists.

    Raises
    ------
    OutputError : another run writes there, or the place cannot be written.
    """
    if out is None or not out.parent.is_dir():
        yield
        return
    alone = writing_alone(out)
    try:
        alone.__enter__()
    except (OSError, OutputError) as error:
        raise _not_written(out, error) from error
    with ExitStack() as stack:
        stack.push(alone)
        yield


def write_frames(out: Path, manifest: Mapping[str, Any], **frames: pd.DataFrame) -> None:
    """Write each table as ``<name>.csv`` into ``out``, with the manifest."""
    with output_folder(out, manifest) as folder:
        for name, frame in frames.items():
            write_rows(frame, folder / f"{name}.csv")


def write_file(frame: pd.DataFrame, path: Path) -> None:
    """Write rows to a temporary file and rename it when it is complete.

    Raises
    ------
    OutputError : the file cannot be written; an existing file is unchanged.
    """
    held: HeldFolder | None = None
    try:
        held = HeldFolder(path.parent, hidden_prefix(path))
        beside = held.path / path.name
        write_rows(frame, beside)
        beside.replace(path)
    except OSError as error:
        raise OutputError(f"{path}: {error.strerror or error}. Nothing was written.") from error
    finally:
        if held is not None:
            held.close()
