"""A run from the project file to the folder of a release, and what the project file keeps of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from policy_sim.errors import OutputError
from policy_sim.io.project_text import without_table
from policy_sim.release.release_figures import figures_of
from policy_sim.release.release_folder import (
    FIGURES,
    PROJECT,
    check_free,
    figures_text,
    held_beside,
    output_name,
    put_in_place,
    read_figures,
)
from policy_sim.release.release_run import run_project
from policy_sim.release_project.project import Project
from policy_sim.render.dossier import write_dossier

__all__ = ["make_release", "results_of"]


def make_release(
    project: Project, path: Path, out: Path, location: Path | None, progress: Callable[[str], object]
) -> dict[str, Any]:
    """Run a project and put its release in ``out``, whole or not at all; return the figures.

    Parameters
    ----------
    project : The project.
    path : Its file; a copy goes into the folder.
    out : The folder to write; only a release that was there before is replaced.
    location : The file of records, where it is not where the project says.
    progress : Called with each step of long work.

    Raises
    ------
    NotEstimableError : no release meets the target.
    InputError : the project is not ready, or the folder holds something else.
    OutputError : the folder cannot be written.
    """
    check_free(out)
    held = held_beside(out)
    try:
        work = held.path / "release"
        work.mkdir()
        figures = _made_in(work, project, path, location, progress)
        put_in_place(work, out, held.path)
    except OSError as error:
        raise OutputError(f"{out}: {error.strerror or error}. Nothing was written.") from error
    except OutputError as error:  # of a file in the hidden folder: a reader knows only what it is to become
        raise OutputError(str(error).replace(str(held.path / "release"), str(out))) from error
    finally:
        held.close()
    return figures


def _made_in(
    work: Path, project: Project, path: Path, location: Path | None, progress: Callable[[str], object]
) -> dict[str, Any]:
    """Write released file, figures, project and dossier into an empty folder; return the figures as they were read."""
    project_text = without_table(path.read_text(encoding="utf-8"), "results").rstrip() + "\n"
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
    """Return what the project file keeps of a run.

    Parameters
    ----------
    figures : The figures of the run.
    out : The folder of its release.

    Examples
    --------
    >>> figures = {"input": {"sha256": "a"}, "output": {"sha256": "b", "rows": 40}, "aim": "11", "assessment": None}
    >>> results_of(figures, Path("released"))["verdict"]
    'conforms: 11'
    """
    assessment = figures["assessment"] or {}
    after = assessment.get("after") or {}
    return {
        "folder": out.name,
        "input_sha256": figures["input"]["sha256"],
        "output_sha256": figures["output"]["sha256"],
        "rows": figures["output"]["rows"],
        "verdict": after.get("why", f"conforms: {figures['aim']}"),
    }
