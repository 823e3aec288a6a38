"""A folder of results: complete, with a manifest of what made it, or unchanged."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from policy_sim.files.manifest import MANIFEST, read_manifest, with_earlier
from policy_sim.files.writing import BUSY, HeldFolder, hidden_prefix, sha256_of, writing_alone
from policy_sim.words.asking import ask
from policy_sim.words.errors import OutputError


@contextmanager
def output_folder(out: Path, manifest: Mapping[str, Any]) -> Iterator[Path]:
    """Give a folder to write into; on success its files, and ``manifest.json``, appear in ``out``.

    The files are first written into a hidden folder on the same disk and moved when all are complete, so that an error,
    a full disk or an interrupt leaves ``out`` unchanged. Hidden folders of killed runs are removed, and another run
    that writes ``out`` meanwhile is refused. Runs of other commands in ``out`` stay in the manifest
    (:func:`~policy_sim.files.manifest.with_earlier`).
    """
    try:
        with writing_alone(out), closing(HeldFolder(out if out.is_dir() else out.parent, hidden_prefix(out))) as held:
            work = held.path
            before = read_manifest(out / MANIFEST)
            yield work
            written = {path.relative_to(work).as_posix(): sha256_of(path) for path in _files(work)}
            whole = with_earlier({**manifest, "files": written}, before)
            (work / MANIFEST).write_text(json.dumps(whole, indent=2, default=str) + "\n", encoding="utf-8")
            out.mkdir(exist_ok=True)
            _move(work, out)
    except (OSError, OutputError) as error:
        raise _not_written(out, error) from error


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _move(work: Path, out: Path) -> None:
    """Move all files; a folder of the new ones keeps none of the files that were there, and has the new one's mode."""
    for folder in sorted(path for path in work.iterdir() if path.is_dir()):
        (out / folder.name).mkdir(exist_ok=True)
        (out / folder.name).chmod(folder.stat().st_mode)
        for old in _files(out / folder.name):
            old.unlink()
    for path in _files(work):
        path.replace(out / path.relative_to(work))


def _not_written(out: Path, error: OSError | OutputError) -> OutputError:

    cause = error.__cause__ or error
    reason = getattr(cause, "strerror", None) or cause
    remedy = "Choose another folder, or free some space." if str(error) != BUSY else "Or choose another folder."
    return OutputError(f"{ask('out', str(out))}: {reason}. Nothing was written. {remedy}")


@contextmanager
def held_for_output(out: Path | None) -> Iterator[None]:
    """Keep other runs out of a folder from the start, where the folder that it is to lie in exists."""
    with ExitStack() as stack:
        if out is not None and out.parent.is_dir():
            try:
                stack.enter_context(writing_alone(out))
            except (OSError, OutputError) as error:
                raise _not_written(out, error) from error
        yield
