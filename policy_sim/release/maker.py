"""The folder of a release: the released file, its figures, the project and the dossier, whole or not at all."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from policy_sim.files.writing import BUSY, HeldFolder, hidden_prefix, locked_folder, sweep
from policy_sim.release.dossier import write_dossier
from policy_sim.release.figures import figures_of
from policy_sim.release.files import without_table
from policy_sim.release.project import Project
from policy_sim.release.run import run_project
from policy_sim.words.errors import InputError, OutputError, SourceError

FIGURES = "release.json"
PROJECT = "project.toml"


def read_figures(out: Path) -> dict[str, Any]:
    """Return the figures of a release folder."""
    try:
        figures: dict[str, Any] = json.loads((out / FIGURES).read_text(encoding="utf-8"))
        figures["output"]["sha256"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise SourceError(f"{out}: no {FIGURES} of a release. Name the folder that 'run' wrote.") from None
    return figures


def figures_text(figures: Mapping[str, Any]) -> str:
    """Return figures as ``release.json`` holds them; numbers of numpy are as Python's."""
    return json.dumps(figures, indent=2, default=_plain) + "\n"


def output_name(file: Path) -> str:
    """Return the name of the released file: Parquet stays Parquet, everything else becomes CSV.

    >>> output_name(Path("visits.parquet")), output_name(Path("visits.csv.gz"))
    ('release.parquet', 'release.csv')
    """
    return "release.parquet" if file.suffix.casefold() in (".parquet", ".pq") else "release.csv"


def check_free(out: Path) -> None:
    """Refuse a folder that holds something else than a release."""
    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and not (out / FIGURES).exists())):
        raise InputError(f"{out}: contains something other than a release. Choose another folder.")


def held_beside(out: Path) -> HeldFolder:
    """Return a folder next to ``out`` to work in, which goes away whatever happens."""
    parent, hidden = out.resolve().parent, hidden_prefix(out)
    try:
        parent.mkdir(parents=True, exist_ok=True)
        with locked_folder(parent):
            if any(sweep(place, hidden) for place in (parent, out)):
                raise OutputError(f"{out}: {BUSY}. Nothing was written. Choose another folder.")
            return HeldFolder(parent, hidden)
    except OSError as error:
        raise OutputError(f"{out}: {error.strerror or error}. Nothing was written.") from error


def put_in_place(work: Path, out: Path, aside: Path) -> None:
    """Give the finished folder its name; an earlier release goes aside first, and back if that fails."""
    before = aside / "before"
    if out.exists():
        out.rename(before)
    try:
        work.rename(out)
    except OSError:
        if before.exists():
            before.rename(out)
        raise
    shutil.rmtree(before, ignore_errors=True)


def _plain(value: Any) -> Any:
    """Return a number of numpy as one of Python's."""
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{type(value).__name__} has no place in a file of figures")


def make_release(
    project: Project,
    path: Path,
    out: Path,
    location: Path | None,
    progress: Callable[[str], object],
    text: str = "",
) -> dict[str, Any]:
    """Run a project and put its release in ``out``, whole or not at all; return the figures.

    Only a release that was there before is replaced. ``location`` is the file of records, where it lies elsewhere than
    the project says, and ``text`` the project's file, where it is not as it stands at ``path``.
    """
    check_free(out)
    held = held_beside(out)
    try:
        work = held.path / "release"
        work.mkdir()
        figures = _made_in(work, project, path, location, progress, text)
        put_in_place(work, out, held.path)
    except OSError as error:
        raise OutputError(f"{out}: {error.strerror or error}. Nothing was written.") from error
    except OutputError as error:  # of a file in the hidden folder: a reader knows only what it is to become
        raise OutputError(str(error).replace(str(held.path / "release"), str(out))) from error
    finally:
        held.close()
    return figures


def _made_in(
    work: Path, project: Project, path: Path, location: Path | None, progress: Callable[[str], object], text: str
) -> dict[str, Any]:
    """Write released file, figures, project and dossier into an empty folder; return the figures as they were read."""
    project_text = without_table(text or path.read_text(encoding="utf-8"), "results").rstrip() + "\n"
    output = work / output_name(location or Path(project.file.location))
    run = run_project(project, path.parent, output, location, progress)
    figures = figures_of(project, run, project_text, output)
    progress("writing the dossier")
    (work / FIGURES).write_text(figures_text(figures), encoding="utf-8")
    figures = read_figures(work)
    (work / PROJECT).write_text(figures["project"], encoding="utf-8")
    write_dossier(figures, work)
    return figures


def results_of(figures: dict[str, Any], out: Path) -> dict[str, Any]:
    """Return what the project file keeps of a run."""
    assessment = figures["assessment"] or {}
    after = assessment.get("after") or {}
    return {
        "folder": out.name,
        "input_sha256": figures["input"]["sha256"],
        "output_sha256": figures["output"]["sha256"],
        "rows": figures["output"]["rows"],
        "verdict": after.get("why", f"conforms: {figures['aim']}"),
    }
