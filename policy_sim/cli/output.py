"""How results leave: rows on standard output, or a folder that is complete or not there at all."""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from policy_sim.errors import InputError, OutputError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["output_folder", "print_rows", "run_manifest", "sha256_of", "write_file", "write_frames", "write_rows"]


def print_rows(
    frame: pd.DataFrame, form: str, notes: Sequence[str] = (), table: Callable[[], str] | None = None
) -> None:
    """Print rows in the wanted format; ``notes`` say which people, lists and options made them.

    A table for the eye carries its notes below it. The machine's formats keep standard output pure
    and put the notes on standard error.
    """
    if form == "table":
        from policy_sim.render.tables import text_table

        _put("\n".join([table() if table else text_table(frame), *notes, ""]))
        return
    if form == "parquet" and sys.stdout.isatty():
        raise InputError("--format parquet writes bytes: send it to a file or a pipe, such as '> rows.parquet'.")
    for note in notes:
        click.echo(note, err=True)
    if form == "parquet":
        content = io.BytesIO()
        frame.to_parquet(content, index=False)
        _put(content.getvalue())
    else:
        _put(_as_text(frame, form) + ("\n" if form == "json" else ""))


def _put(content: str | bytes) -> None:
    """Write all of it to standard output; an unbuffered stream may take a part and report no error."""
    if not sys.stdout:  # closed by whoever started us
        return
    if isinstance(content, str):
        content = content.encode(sys.stdout.encoding or "utf-8", errors="replace")
    sys.stdout.flush()
    rest = memoryview(content)
    while rest:
        rest = rest[sys.stdout.buffer.write(rest) :]
    sys.stdout.buffer.flush()


def _as_text(frame: pd.DataFrame, form: str) -> str:
    if form == "csv":
        return frame.to_csv(index=False)
    return str(frame.to_json(orient="records", indent=1, double_precision=15))


def write_rows(frame: pd.DataFrame, path: Path) -> None:
    """Write rows to a file whose ending says the format (csv, json, parquet)."""
    if path.suffix == ".parquet":
        frame.to_parquet(path, index=False)
    else:
        path.write_text(_as_text(frame, path.suffix[1:]), encoding="utf-8")


@contextmanager
def output_folder(out: Path, manifest: Mapping[str, Any]) -> Iterator[Path]:
    """Give a folder to write into; on success its files, and ``manifest.json``, appear in ``out``.

    Everything is written into a hidden folder first, on the same disk, and moved when it is complete,
    so that an error, a full disk or an interrupt leaves ``out`` as it was.

    Raises
    ------
    OutputError : the folder cannot be written.
    """
    work: Path | None = None
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out if out.is_dir() else out.parent))
        yield work
        written = {path.name: sha256_of(path) for path in sorted(work.iterdir())}
        text = json.dumps({**manifest, "files": written}, indent=2, default=str)
        (work / "manifest.json").write_text(text + "\n", encoding="utf-8")
        out.mkdir(exist_ok=True)
        for path in sorted(work.iterdir()):
            path.replace(out / path.name)
    except (OSError, OutputError) as error:
        cause = error.__cause__ or error
        reason = getattr(cause, "strerror", None) or cause
        raise OutputError(f"--out {out}: {reason}: nothing was written; free the place or choose another.") from error
    finally:
        if work is not None:
            shutil.rmtree(work, ignore_errors=True)


def write_frames(out: Path, manifest: Mapping[str, Any], **frames: pd.DataFrame) -> None:
    """Write each table as ``<name>.csv`` into ``out``, with the manifest."""
    with output_folder(out, manifest) as folder:
        for name, frame in frames.items():
            write_rows(frame, folder / f"{name}.csv")


def write_file(frame: pd.DataFrame, path: Path) -> None:
    """Write rows to one file, beside its place first and then renamed into it.

    Raises
    ------
    OutputError : the file cannot be written; what was there before is still there.
    """
    beside = path.with_name(f".{path.stem}-{os.getpid()}{path.suffix}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_rows(frame, beside)
        beside.replace(path)
    except OSError as error:
        raise OutputError(f"{path}: {error.strerror or error}: nothing was written.") from error
    finally:
        beside.unlink(missing_ok=True)


def run_manifest(command: str, options: Mapping[str, Any], inputs: Mapping[str, str]) -> dict[str, Any]:
    """Say what made a result: versions, options and the sha256 of every input.

    Holds no clock and no path of this machine, so the same run gives the same manifest.
    """
    packages = ("policy-sim", "numpy", "scipy", "pandas", "pyarrow", "matplotlib")
    return {
        "command": command,
        "options": dict(options),
        "inputs": dict(inputs),
        "versions": {"python": platform.python_version()} | {name: version(name) for name in packages},
    }


def sha256_of(*paths: Path) -> str:
    """Return the sha256 of the files' bytes, one after the other."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()
