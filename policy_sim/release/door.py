"""A release project from Python: made, run, reported and checked again; what a run and a check give back."""

from __future__ import annotations

import datetime as dt
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import methodcaller
from pathlib import Path
from typing import TYPE_CHECKING, Any

from policy_sim.files.writing import BUSY, HeldFolder, hidden_prefix, locked_folder, sweep
from policy_sim.model.measure import Shown
from policy_sim.release.dossier import write_dossier
from policy_sim.release.figures import figures_of
from policy_sim.release.files import read_text, without_table
from policy_sim.release.project import Project
from policy_sim.release.project_file import ProjectFile
from policy_sim.release.run import FRONTIER, frontier_rows, point_of, run_project
from policy_sim.words.arguments import day, name_of, several, text
from policy_sim.words.errors import InputError, OutputError, SourceError

if TYPE_CHECKING:
    import pandas as pd


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
    return json.dumps(figures, indent=2, default=methodcaller("item")) + "\n"


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


def make_release(project: Project, text: str, out: Path, progress: Callable[[str], object]) -> dict[str, Any]:
    """Run a project and put its release in ``out``, whole or not at all; return the figures.

    Only a release that was there before is replaced. ``text`` is the file of the project.
    """
    check_free(out)
    held = held_beside(out)
    try:
        work = held.path / "release"
        work.mkdir()
        figures = _made_in(work, project, text, progress)
        put_in_place(work, out, held.path)
    except OSError as error:
        raise OutputError(f"{out}: {error.strerror or error}. Nothing was written.") from error
    except OutputError as error:  # of a file in the hidden folder: a reader knows only what it is to become
        raise OutputError(str(error).replace(str(held.path / "release"), str(out))) from error
    finally:
        held.close()
    return figures


def _made_in(work: Path, project: Project, text: str, progress: Callable[[str], object]) -> dict[str, Any]:
    """Write released file, figures, project and dossier into an empty folder; return the figures as they were read."""
    output = work / output_name(project.path)
    run = run_project(project, output, progress)
    figures = figures_of(project, run, without_table(text, "results").rstrip() + "\n", output)
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


class ReleaseResult(dict[str, Any], Shown):
    """The figures of a run, as ``release.json`` holds them.

    Examples
    --------
    >>> result = ReleaseResult(title="V", aim="k", before={"uniques": 7}, after={"uniques": 0}, output={"rows": 93})
    >>> result.to_frame().to_dict("records")
    [{'figure': 'uniques', 'before': 7, 'after': 0}]
    """

    __slots__ = ()
    __repr__ = Shown.__repr__

    def to_frame(self) -> pd.DataFrame:
        """Return one row per figure of risk, before and after; a figure that there is not is ``pd.NA``.

        Returns
        -------
        The rows; risks are shares (0..1).
        """
        import pandas as pd

        rows = [
            (name, *(pd.NA if value is None else value for value in (before, self["after"][name])))
            for name, before in self["before"].items()
        ]
        return pd.DataFrame(rows, columns=["figure", "before", "after"], dtype=object)

    def _headline(self) -> str:
        return f"release of {self['title']}: {self['output']['rows']:,} rows; aim: {self['aim']}, met"


class Rechecked(tuple[dict[str, str], ...], Shown):
    """One row per check: ``check``, ``before``, ``now``, ``holds`` (yes, no or unknown) and ``why``.

    Examples
    --------
    >>> checked = Rechecked([{"check": "a", "before": "1", "now": "1", "holds": "yes", "why": ""}])
    >>> checked.to_frame()["holds"].tolist()
    ['yes']
    """

    __slots__ = ()
    __repr__ = Shown.__repr__

    def to_frame(self) -> pd.DataFrame:
        """Return one row per check, all texts."""
        import pandas as pd

        return pd.DataFrame(list(self), columns=["check", "before", "now", "holds", "why"])

    def _headline(self) -> str:
        failed = sum(row["holds"] == "no" for row in self)
        return f"{len(self):,} checks, of which {failed:,} no longer hold"


class Release(ProjectFile):
    r"""A release project: its file, changed one answer at a time, and what is made from it.

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
    >>> _ = (folder / "visits.csv").write_text("age,sex,x\n" + "30,F,7\n31,M,9\n" * 20)
    >>> release = Release.new(folder / "visits.csv", folder / "visits.toml")
    >>> [state.is_done for state in release.status()][:2]
    [False, False]

    Each change is written into the file; a run needs a role for each column that is to leave.

    >>> release.answer("release-model", "public", by="A. Officer").value("release-model")
    'public'
    >>> release.accept_guesses(by="A. Officer")
    ('age', 'sex')
    >>> release.classify("x", "direct", "a number of the hospital").role_of("x")
    'direct'
    >>> release.set("target", aim="risk", threshold="k=11").target.threshold
    'k=11'

    What each threshold costs, the release, and whether its verdict still holds:

    >>> release.frontier(["k=5"])[["threshold", "recoding", "node", "loss"]].values.tolist()
    [['k=5', 'one-level', '0-0', 0.0], ['k=5', 'local', '0-0', 0.0]]
    >>> release.run(folder / "released")["output"]["rows"]
    40
    >>> release.report(folder / "released").name
    'dossier.html'
    >>> release.recheck(folder / "released")[0]["holds"]
    'yes'
    """

    def __repr__(self) -> str:
        steps_done = sum(state.is_done for state in self.status())
        return f"Release({self.path.name!r}: {steps_done} of {len(self.project.edition.steps)} steps done)"

    def run(
        self,
        out: str | Path,
        *,
        file: str | Path | None = None,
        node: str = "",
        threshold: str = "",
        progress: Callable[[str], object] = lambda _: None,
    ) -> ReleaseResult:
        """Make the release: a folder with the released file, its figures, and the dossier as HTML and DOCX.

        The folder appears whole or not at all. What was in it before is replaced only if this program wrote it.

        Parameters
        ----------
        out : The folder to write.
        file : The file of records, if it is not where the project says.
        node, threshold : A point of :meth:`frontier` in place of what the project says; the dossier has the project
            with them, and the project file stays as it is.
        progress : Called with each step of long work.

        Raises
        ------
        NotEstimableError : no release meets the target.
        InputError : the project is not ready, or a value is not what it must be.
        OutputError : the folder cannot be written.
        """
        out = Path(name_of("out", out, "'released'"))
        node = name_of("node", node, "'2-0-1'") if text("node", node) else ""
        threshold = name_of("threshold", threshold, "'k=11'") if text("threshold", threshold) else ""
        project, written = self._of_records(file, progress), read_text(self.path)
        if node or threshold:
            project, written = point_of(project, written, threshold, node=node)
        figures = make_release(project, written, out, progress)
        if not (node or threshold):
            self._set(["results"], results_of(figures, out))
        return ReleaseResult(figures)

    def frontier(
        self,
        thresholds: Sequence[str] = ("k=2", "k=3", "k=5", "k=11", "k=20"),
        *,
        file: str | Path | None = None,
        progress: Callable[[str], object] = lambda _: None,
    ) -> pd.DataFrame:
        """Return what a release loses at each threshold, with one level per field and by local recoding.

        Parameters
        ----------
        thresholds : Class sizes such as ``k=11``, or risks, for the project's measure; or policies such as
            ``safe-harbor``, under which a key field that is dropped loses 1.
        file : The file of records, if it is not where the project says.
        progress : Called with each step of long work.

        Returns
        -------
        One row per threshold and recoding: ``loss`` (0..1), rows ``suppressed``, ``node`` (for :meth:`run`) and its
        ``levels``, and a ``status``; where no release meets a threshold it says so, and there is no loss. The node of
        local recoding is ``local``.

        Raises
        ------
        InputError : the project aims at a policy, which sets the levels.
        """
        import pandas as pd

        project = self._of_records(file, progress)
        limits = several("thresholds", thresholds, str, "'k=11'")
        texts = [name_of("thresholds", limit, "'k=11'") for limit in limits]
        rows = frontier_rows(project, read_text(self.path), texts, progress)
        return pd.DataFrame(rows, columns=list(FRONTIER)).astype({"loss": "Float64", "suppressed": "Int64"})

    def _of_records(self, file: str | Path | None, progress: Callable[[str], object]) -> Project:
        """Return the project with the file of records where it lies."""
        if not callable(progress):
            raise InputError("progress: give a function that takes the text of a step.")
        records = None if file is None else Path(name_of("file", file, "'visits.csv'"))
        return replace(self.project, records=records)

    def report(self, out: str | Path) -> Path:
        """Write the dossier again from the figures of a folder that :meth:`run` wrote; return the HTML file.

        Raises
        ------
        SourceError : the folder has no figures.
        """
        out = Path(name_of("out", out, "'released'"))
        write_dossier(read_figures(out), out)
        return out / "dossier.html"

    def recheck(
        self,
        out: str | Path,
        *,
        population: str = "",
        overlap: str | Path | None = None,
        overlap_on: str = "",
        today: dt.date | str | None = None,
    ) -> Rechecked:
        """Check a release again: does the verdict still hold, and if not, why?

        Parameters
        ----------
        out : The folder of the release, as :meth:`run` wrote it.
        population : A newer population to measure the release in, such as ``us-2022``; none by default.
        overlap : Another release about the same people, a file of records.
        overlap_on : The column by which the two share their people, such as a pseudonym under one key.
        today : The day of the check; today by default.

        Raises
        ------
        SourceError : the folder holds no release.
        InputError : a population, overlap or day that cannot be used.
        """
        from policy_sim.release.recheck import recheck

        return recheck(
            self.project,
            Path(name_of("out", out, "'released'")),
            population=text("population", population),
            overlap=None if overlap is None else name_of("overlap", overlap, "'other.csv'"),
            overlap_on=text("overlap_on", overlap_on),
            today=None if today is None else day("today", today),
        )
