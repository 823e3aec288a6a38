"""Make a release in its folder, whole or not at all, and read and attack again what was made."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from operator import methodcaller
from pathlib import Path
from typing import Any

from policy_sim.files.writing import BUSY, hidden_prefix, replaced_folder, sha256_of, writing_alone
from policy_sim.release.area_levels import shown_areas
from policy_sim.release.attack.report import AttackReport, Claim
from policy_sim.release.attack.run import attack
from policy_sim.release.dossier import write_dossier
from policy_sim.release.figures import figures_of
from policy_sim.release.files import without_table
from policy_sim.release.project import Project
from policy_sim.release.results import ReleaseResult
from policy_sim.release.run import Run, run_project
from policy_sim.release.written import (
    AREAS_FILE,
    DICTIONARY,
    FIGURES,
    PEOPLE,
    PROJECT,
    ReleaseFolder,
    again_text,
    dictionary_text,
    others_sent,
    people_text,
    read_figures,
    read_people,
    spelled_analyses,
    with_seed,
    without_seed,
)
from policy_sim.words.errors import InputError, OutputError, SourceError


def figures_text(figures: Mapping[str, Any]) -> str:
    """Return figures as ``release.json`` holds them; numbers of numpy are as Python's."""
    return json.dumps(figures, indent=2, default=methodcaller("item")) + "\n"


def output_name(file: Path, form: str = "") -> str:
    """Return the name of the released file: in a format that was asked for, or as Parquet or CSV, as the records are.

    >>> output_name(Path("visits.parquet")), output_name(Path("visits.csv.gz")), output_name(Path("visits.csv"), "xlsx")
    ('release.parquet', 'release.csv', 'release.xlsx')
    """
    usual = "parquet" if file.suffix.casefold() in (".parquet", ".pq") else "csv"
    return f"release.{form or usual}"


def check_free(out: Path) -> None:
    """Refuse a folder that holds something else than a release, or what a killed run left of one."""
    others = out.is_dir() and any(not path.name.startswith(hidden_prefix(out)) for path in out.iterdir())
    is_release = any((out / place / FIGURES).exists() for place in ("keep", ""))
    if (out.exists() and not out.is_dir()) or (others and not is_release):
        raise InputError(f"{out}: contains something other than a release. Choose another folder.")


def make_release(project: Project, text: str, out: Path, progress: Callable[[str], object]) -> ReleaseResult:
    """Run a project and put its release in ``out``, whole or not at all; return the figures and the verdict.

    Only a release that was there before is replaced. ``text`` is the file of the project.
    """
    check_free(out)
    try:
        with writing_alone(out), replaced_folder(out) as work:
            try:
                return _made_in(ReleaseFolder(work), project, text, progress)
            except OutputError as error:  # of a file in the hidden folder: a reader knows only what it is to become
                raise OutputError(str(error).replace(str(work), str(out))) from error
    except OSError as error:
        raise OutputError(f"{out}: {error.strerror or error}. Nothing was written.") from error
    except OutputError as error:
        if str(error) != BUSY:
            raise
        raise OutputError(f"{out}: {BUSY}. Nothing was written. Choose another folder.") from error


def _made_in(folder: ReleaseFolder, project: Project, text: str, progress: Callable[[str], object]) -> ReleaseResult:
    """Write ``keep/`` into an empty folder, and ``send/`` where the verdict is met; return figures and verdict."""
    text = without_table(text, "results").rstrip() + "\n"
    project, seeded = with_seed(spelled_analyses(project), text)
    folder.make()
    output = folder.send / output_name(project.path, project.settings.format)
    run = run_project(project, output, progress)
    figures = figures_of(project, run, without_seed(text), output) | {"people_list": _people_list(folder, run)}
    shown_as = {column["name"]: column["done"] for column in figures["variables"]}
    dictionary = folder.send / DICTIONARY
    words = dictionary_text(run.written, run.inputs.treatment.variables, shown_as, run.claim.sets)
    dictionary.write_text(words, encoding="utf-8")
    figures["dictionary"] = {"name": dictionary.name, "sha256": sha256_of(dictionary)}
    progress("writing the dossier")
    (folder.keep / FIGURES).write_text(figures_text(figures), encoding="utf-8")
    figures = read_figures(folder.root)
    (folder.keep / PROJECT).write_text(seeded, encoding="utf-8")
    areas = shown_areas(run.inputs.treatment.variables)
    if areas is not None and not areas.is_shipped:
        areas.to_csv(folder.keep / AREAS_FILE)
    write_dossier(figures, folder.keep, run.verdict)
    if not run.verdict.is_met:
        folder.withhold()
    folder.lock()
    return ReleaseResult(figures, run.verdict)


def _people_list(folder: ReleaseFolder, run: Run) -> dict[str, str] | None:
    """Write whose rows the released ones are, if the file does not show it; return the name and sha256 of the list."""
    if run.people is None or not run.verdict.is_met:
        return None
    path = folder.keep / PEOPLE
    path.write_text(people_text(run.people), encoding="utf-8")
    return {"name": path.name, "sha256": sha256_of(path)}


def attacked_again(figures: Mapping[str, Any], folder: ReleaseFolder) -> AttackReport:
    """Attack the released file of a folder again, by what its figures say that it claims."""
    held = figures.get("claim")
    if held is None:
        why = "the release was made by an earlier version, which attacked no file"
        return AttackReport(broken=f"{why}; {again_text(folder)}")
    try:
        people = read_people(folder, figures)
    except SourceError as error:
        return AttackReport(broken=str(error))
    report = attack(folder.send / figures["output"]["name"], Claim.of_json(held), people)
    return report.with_findings(others_sent(folder, figures))


def results_of(figures: Mapping[str, Any], out: Path) -> dict[str, Any]:
    """Return what the project file keeps of a run."""
    return {
        "folder": out.name,
        "input_sha256": figures["input"]["sha256"],
        "output_sha256": figures["output"]["sha256"],
        "rows": figures["output"]["rows"],
        "verdict": figures["verdict"],
    }
