"""A release project: the file that holds it, and what can be done with it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from policy_sim.arguments import day, name_of, short, text
from policy_sim.errors import InputError, OutputError
from policy_sim.io.files import replace_file
from policy_sim.io.project_text import head_comment, new_project_text, with_table, without_table
from policy_sim.io.release_editions import load_edition
from policy_sim.io.release_project_files import load_project, parse_project
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
from policy_sim.release.release_results import Rechecked, ReleaseResult
from policy_sim.releasing.project import Project, StepState

__all__ = ["Release"]


class Release:
    r"""A release project.

    Parameters
    ----------
    path : The project file; :meth:`new` makes one.

    Raises
    ------
    SourceError, SchemaError : the file cannot be read, or breaks its schema.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "visits.csv").write_text("age,sex\n30,F\n41,M\n")
    >>> release = Release.new(folder / "visits.csv", folder / "visits.toml")
    >>> [state.step.id for state in release.status() if state.done]
    []
    >>> release.answer("release-model", "public", by="A. Officer").value("release-model")
    'public'
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(name_of("path", path, "'visits.toml'"))
        self.project = load_project(self.path)

    def __repr__(self) -> str:
        steps_done = sum(state.done for state in self.status())
        return f"Release({self.path.name!r}: {steps_done} of {len(self.project.edition.steps)} steps done)"

    @classmethod
    def new(
        cls,
        file: str | Path,
        path: str | Path,
        *,
        title: str = "",
        edition: str = "ipc-2016",
        mapping: str | Path | None = None,
    ) -> Release:
        r"""Write a new project: every column is undecided, with what it looks like.

        Parameters
        ----------
        file : The file of records.
        path : The project file to write; it must not exist.
        title : What the release is called; by default the file's name.
        edition : ``ipc-2016`` or ``ipc-2025``.
        mapping : What the file's columns and codes mean, as ``dataset check`` writes it.

        Returns
        -------
        The project, as the file holds it.

        Raises
        ------
        OutputError : the project file exists, or cannot be written.
        SourceError, InputError : the file cannot be read.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "visits.csv").write_text("age,sex\n" + "30,F\n31,M\n" * 20)
        >>> release = Release.new(folder / "visits.csv", folder / "visits.toml")
        >>> sorted(path.name for path in folder.iterdir())
        ['visits.csv', 'visits.toml']
        """
        from policy_sim.io.coded_files import read_coded
        from policy_sim.io.column_mapping_files import load_mapping

        file, path = Path(name_of("file", file, "'visits.csv'")), Path(name_of("path", path, "'visits.toml'"))
        column_mapping = (
            None if mapping is None else load_mapping(Path(name_of("mapping", mapping, "'visits-mapping.toml'")))
        )
        text("title", title)
        name_of("edition", edition, "'ipc-2016'")
        if path.exists():
            raise OutputError(f"{path} already exists. Choose another name.")
        questions = [question.id for question in load_edition(edition).questions]
        read = (column_mapping.missing, column_mapping.separator or "") if column_mapping else (("",), "")
        looks = _column_kinds(read_coded(file, *read))
        location = _relative(file, path.parent)
        written = new_project_text(path.name, title or file.stem, edition, location, looks, questions, column_mapping)
        parse_project(written, str(path), path.parent)
        replace_file(path, written.encode())
        return cls(path)

    def status(self) -> tuple[StepState, ...]:
        r"""Return where every step stands, and what is missing.

        Returns
        -------
        One state per step of the edition.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "visits.csv").write_text("age,sex\n" + "30,F\n31,M\n" * 20)
        >>> release = Release.new(folder / "visits.csv", folder / "visits.toml")
        >>> [state.done for state in release.status()][:2]
        [False, False]
        """
        return self.project.states

    def answer(
        self, question: str, value: str, *, by: str = "", evidence: str = "", on: dt.date | str | None = None
    ) -> Project:
        r"""Write an answer into the project file; an earlier one is replaced.

        Parameters
        ----------
        question : Its name.
        value : The answer.
        by, evidence, on : Who says so, on what it rests, and when.

        Returns
        -------
        The project as it stands now.

        Raises
        ------
        UnknownNameError : no such question, or none of its choices.
        InputError : an answer of another kind.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "visits.csv").write_text("age,sex\n" + "30,F\n31,M\n" * 20)
        >>> release = Release.new(folder / "visits.csv", folder / "visits.toml")
        >>> release.answer("release-model", "public", by="A. Officer").value("release-model")
        'public'
        """
        name = name_of("question", question, "'invasion'")
        value = self.project.edition.question(name).check(name_of(name, value, "'medium'"))
        return self._set(["answers", name], {"value": value, **_who(by, on), "evidence": text("evidence", evidence)})

    def classify(
        self, column: str, role: str, reason: str, *, by: str = "", on: dt.date | str | None = None, **settings: Any
    ) -> Project:
        r"""Write the role of a column into the project file.

        Parameters
        ----------
        column : The column.
        role : ``direct``, ``key``, ``sensitive`` or ``other``.
        reason : Why.
        by, on : Who says so, and when.
        settings : Any of the other keys of a variable, such as ``kind`` or ``treatment``.

        Returns
        -------
        The project as it stands now.

        Raises
        ------
        SchemaError : a role, kind or setting that does not go with the others.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "visits.csv").write_text("age,sex\n" + "30,F\n31,M\n" * 20)
        >>> release = Release.new(folder / "visits.csv", folder / "visits.toml")
        >>> [each.role for each in release.classify("age", "key", "neighbors know it").variables if each.name == "age"]
        ['key']
        """
        column = name_of("column", column, "'age'")
        before = self._raw().get("variables", {}).get(column, {})
        decision = {"role": name_of("role", role, "'key'"), "reason": text("reason", reason), **_who(by, on)}
        return self._set(["variables", column], {**before, **settings, **decision})

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that the project names, classified or not."""
        return tuple(self._raw().get("variables", {}))

    def comment(self, column: str) -> str:
        r"""Return the note next to a column in the project file: what it looks like; empty where nothing does.

        Parameters
        ----------
        column : Its name.

        Returns
        -------
        The words; an empty text where nothing stands there.

        Raises
        ------
        InputError : no name of a column.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "visits.csv").write_text("age,sex\n" + "30,F\n31,M\n" * 20)
        >>> release = Release.new(folder / "visits.csv", folder / "visits.toml")
        >>> release.comment("age")
        'looks like: key field (its name); perhaps key'
        """
        name = name_of("column", column, "'age'")
        return head_comment(self.path.read_text(encoding="utf-8"), ["variables", name])

    def set(self, table: str, **values: Any) -> Project:
        r"""Change keys of one of the tables ``file``, ``target``, ``population`` or ``settings``.

        Parameters
        ----------
        table : ``file``, ``target``, ``population`` or ``settings``.
        values : The keys of the table and their values.

        Returns
        -------
        The project as it stands now.

        Raises
        ------
        SchemaError : a key or value that the table does not have.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "visits.csv").write_text("age,sex\n" + "30,F\n31,M\n" * 20)
        >>> release = Release.new(folder / "visits.csv", folder / "visits.toml")
        >>> release.set("settings", key_file="release.key").settings.key_file
        'release.key'
        """
        table = name_of("table", table, "'settings'")
        before = self._raw().get(table, {})
        return self._set([table], {**(before if isinstance(before, dict) else {}), **values})

    def run(
        self, out: str | Path, *, file: str | Path | None = None, progress: Callable[[str], object] = lambda _: None
    ) -> ReleaseResult:
        r"""Make the release: a folder with the released file, its figures, and the dossier as HTML and DOCX.

        The folder appears whole or not at all. What was in it before is replaced only if this program wrote it.

        Parameters
        ----------
        out : The folder to write.
        file : The file of records, if it is not where the project says.
        progress : Called with each step of long work.

        Returns
        -------
        The figures, as ``release.json`` holds them; ``to_frame()`` has the risks before and after.

        Raises
        ------
        NotEstimableError : no release meets the target.
        InputError : the project is not ready, or a value is not what it must be.
        OutputError : the folder cannot be written.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "visits.csv").write_text("age,sex\n" + "30,F\n31,M\n" * 20)
        >>> release = Release.new(folder / "visits.csv", folder / "visits.toml")
        >>> for column in ("age", "sex"):
        ...     _ = release.classify(column, "key", "neighbors know it", kind=column)
        >>> answers = {"release-model": "public", "attacker-knows": "yes", "invasion": "low"}
        >>> answers |= {"responsible": "A. Officer"}
        >>> answers |= {"purpose": "research", "reassess": "2027-11-30", "stigma": "looked at"}
        >>> for question, answer in answers.items():
        ...     _ = release.answer(question, answer)
        >>> release.run(folder / "released")["output"]["rows"]
        40
        """
        from policy_sim.release.release_figures import figures_of
        from policy_sim.release.release_run import run_project
        from policy_sim.render.dossier import write_dossier

        out = Path(name_of("out", out, "'released'"))
        if not callable(progress):
            raise InputError("progress: give a function that takes the text of a step.")
        check_free(out)
        held = held_beside(out)
        try:
            work = held.path / "release"
            work.mkdir()
            project = self.path.read_text(encoding="utf-8")
            location = None if file is None else Path(name_of("file", file, "'visits.csv'"))
            name = output_name(location or Path(self.project.file.location))
            run = run_project(self.project, self.path.parent, work / name, location, progress)
            project_text = without_table(project, ["results"]).rstrip() + "\n"
            figures = figures_of(self.project, run, project_text, work / name)
            progress("writing the dossier")
            (work / FIGURES).write_text(figures_text(figures), encoding="utf-8")
            figures = read_figures(work)
            (work / PROJECT).write_text(figures["project"], encoding="utf-8")
            write_dossier(figures, work)
            put_in_place(work, out, held.path)
        except OSError as error:
            raise OutputError(f"{out}: {error.strerror or error}. Nothing was written.") from error
        finally:
            held.close()
        self._set(["results"], _results(figures, out))
        return ReleaseResult(figures)

    def report(self, out: str | Path) -> Path:
        r"""Write the dossier again from the figures of a folder that :meth:`run` wrote; return the HTML file.

        Parameters
        ----------
        out : The folder of the release, as :meth:`run` wrote it.

        Returns
        -------
        The path of the HTML file.

        Raises
        ------
        SourceError : the folder has no figures.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "visits.csv").write_text("age,sex\n" + "30,F\n31,M\n" * 20)
        >>> release = Release.new(folder / "visits.csv", folder / "visits.toml")
        >>> for column in ("age", "sex"):
        ...     _ = release.classify(column, "key", "neighbors know it", kind=column)
        >>> answers = {"release-model": "public", "attacker-knows": "yes", "invasion": "low"}
        >>> answers |= {"responsible": "A. Officer"}
        >>> answers |= {"purpose": "research", "reassess": "2027-11-30", "stigma": "looked at"}
        >>> for question, answer in answers.items():
        ...     _ = release.answer(question, answer)
        >>> _ = release.run(folder / "released")
        >>> release.report(folder / "released").name
        'dossier.html'
        """
        from policy_sim.render.dossier import write_dossier

        out = name_of("out", out, "'released'")
        write_dossier(read_figures(Path(out)), Path(out))
        return Path(out) / "dossier.html"

    def recheck(
        self,
        out: str | Path,
        *,
        population: str = "",
        overlap: str | Path | None = None,
        overlap_on: str = "",
        today: dt.date | str | None = None,
    ) -> Rechecked:
        r"""Check a release again: does the verdict still hold, and if not, why?

        Parameters
        ----------
        out : The folder of the release, as :meth:`run` wrote it.
        population : A newer population to measure the release in, such as ``us-2022``; none by default.
        overlap : Another release about the same people, a file of records.
        overlap_on : The column by which the two share their people, such as a pseudonym under one key.
        today : The day of the check; today by default.

        Returns
        -------
        One row per check: what is checked, before, now, whether it holds, and why.

        Raises
        ------
        SourceError : the folder holds no release.
        InputError : a population, overlap or day that cannot be used.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "visits.csv").write_text("age,sex\n" + "30,F\n31,M\n" * 20)
        >>> release = Release.new(folder / "visits.csv", folder / "visits.toml")
        >>> for column in ("age", "sex"):
        ...     _ = release.classify(column, "key", "neighbors know it", kind=column)
        >>> answers = {"release-model": "public", "attacker-knows": "yes", "invasion": "low"}
        >>> answers |= {"responsible": "A. Officer"}
        >>> answers |= {"purpose": "research", "reassess": "2027-11-30", "stigma": "looked at"}
        >>> for question, answer in answers.items():
        ...     _ = release.answer(question, answer)
        >>> _ = release.run(folder / "released")
        >>> release.recheck(folder / "released", today="2026-12-01")[0]["holds"]
        'yes'
        """
        from policy_sim.release.release_recheck import recheck

        return recheck(
            self.project,
            self.path.parent,
            Path(name_of("out", out, "'released'")),
            population=text("population", population),
            overlap=None if overlap is None else name_of("overlap", overlap, "'other.csv'"),
            overlap_on=text("overlap_on", overlap_on),
            today=None if today is None else day("today", today),
        )

    def _raw(self) -> dict[str, Any]:
        from policy_sim.io.toml_table import toml_table

        return toml_table(self.path.read_text(encoding="utf-8"))

    def _set(self, keys: list[str], values: dict[str, Any]) -> Project:
        checked = {key: _toml_value(key, value) for key, value in values.items()}
        filled = {key: value for key, value in checked.items() if value not in ("", None)}
        written = with_table(self.path.read_text(encoding="utf-8"), keys, filled)
        self.project = parse_project(written, str(self.path), self.path.parent)
        replace_file(self.path, written.encode())
        return self.project


def _who(by: str, on: dt.date | str | None) -> dict[str, Any]:
    """Return who says so and when, checked."""
    return {"by": text("by", by), "on": None if on is None else day("on", on)}


def _toml_value(key: str, value: Any) -> Any:
    """Return a value that a project file can hold.

    Raises
    ------
    InputError : a value of another kind.
    """
    if value is None or isinstance(value, str | bool | int | float | dt.date):
        return value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, dict):
        return {text("a key", name): _toml_value(key, item) for name, item in value.items() if item is not None}
    if not isinstance(value, list | tuple) or any(item is None for item in value):
        raise InputError(f"{key} = {short(value)}: give a text, a number, a day, or a list of them.")
    return [_toml_value(key, item) for item in value]


def _column_kinds(table: Any) -> dict[str, Any]:
    import numpy as np

    from policy_sim.records.column_kinds import ColumnValues, column_kind

    kinds = {}
    for name in table.names:
        column = table[name]
        counts = np.bincount(column.codes, minlength=len(column.values) + 1)
        kinds[name] = column_kind(ColumnValues(name, column.values, counts[1:].astype(np.int64), int(counts[0])))
    return kinds


def _relative(file: Path, folder: Path) -> str:
    with suppress(ValueError):
        return file.resolve().relative_to(folder.resolve()).as_posix()
    return file.resolve().as_posix()


def _results(figures: dict[str, Any], out: Path) -> dict[str, Any]:
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
