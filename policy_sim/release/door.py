"""A release project from Python: made, run, reported and checked again; what a run and a check give back."""

from __future__ import annotations

import datetime as dt
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import pandas as pd

from policy_sim.files.writing import locked_folder, replace_file
from policy_sim.policies.files import load_policy
from policy_sim.records.census_values import ColumnMapping, alike_name
from policy_sim.records.engines.databases import is_database, scheme_of
from policy_sim.records.formats import (
    column_values,
    missing_codes,
    read_coded,
    refuse_counts,
    with_missing,
)
from policy_sim.records.mapping import load_mapping
from policy_sim.release.area_levels import place_from, place_in, with_areas_from
from policy_sim.release.attack.report import Verdict
from policy_sim.release.dossier import write_dossier
from policy_sim.release.files import (
    load_project,
    named_as_in,
    new_project_text,
    parse_project,
    read_text,
    values_for_toml,
    with_keys,
    without_table,
)
from policy_sim.release.frontier import FRONTIER, frontier_rows, point_of
from policy_sim.release.linkable import person_column, pseudonym_changes
from policy_sim.release.making import attacked_again, make_release, results_of
from policy_sim.release.project import Answer, Project, StepState, load_edition
from policy_sim.release.results import Rechecked, ReleaseResult
from policy_sim.release.run import refuse_odd_header, weights_of
from policy_sim.release.search import is_weight
from policy_sim.release.treatments import DATE_KINDS, UNDECIDED
from policy_sim.release.unread import check_codes, check_kinds
from policy_sim.release.written import (
    ReleaseFolder,
    beside,
    in_file_order,
    in_format,
    read_figures,
)
from policy_sim.words.arguments import day, name_of, names_its_arguments, several, short, switch, text
from policy_sim.words.errors import InputError, OutputError, UnknownNameError
from policy_sim.words.telling import each


@names_its_arguments
class Release:
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
    >>> rows = [f"{30 + row % 2},{'FM'[row % 2]},{700 + row}" for row in range(40)]
    >>> _ = (folder / "visits.csv").write_text("\n".join(["age,sex,x", *rows, ""]))
    >>> release = Release.new(folder / "visits.csv", folder / "visits.toml")
    >>> [state.is_done for state in release.status()][:2]
    [False, False]

    Each change is checked first, and then written into the file; a run needs a role for each column that is to leave.

    >>> release.answer("release-model", "public", by="A. Officer").value("release-model")
    'public'
    >>> release.accept_guesses(by="A. Officer")
    ('age', 'sex', 'x')
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

    def __init__(self, path: str | Path) -> None:
        self.path = Path(name_of("path", path, "'visits.toml'"))
        self.project = load_project(self.path)

    def __repr__(self) -> str:
        steps_done = sum(state.is_done for state in self.status())
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
        policy: str = "",
        sheet: str = "",
    ) -> Self:
        """Write a new project: every column is undecided, with what it looks like; its day is today's.

        Parameters
        ----------
        file : The file of records.
        path : The project file to write; it must not exist.
        title : What the release is called; by default the file's name.
        edition : ``ipc-2016``, ``ipc-2025`` or ``ihe-2026-draft``.
        mapping : What the file's columns and codes mean, as ``dataset check`` writes it.
        policy : The policy that the release is to conform to, such as ``safe-harbor``: as the regulation states it,
            with ages computed today. By default the release aims at a threshold of risk.
        sheet : The sheet with the records, where the file is a workbook with several.

        Raises
        ------
        OutputError : the project file exists, or cannot be written.
        UnknownNameError : no such policy.
        SourceError, InputError : the file cannot be read.
        """
        location = name_of("file", file, "'visits.csv'")
        if is_database(str(location)):
            raise InputError(
                f"{scheme_of(str(location))}: a release is made from a file of records, .csv, .xlsx or .parquet, not "
                f"from a database. Export the table to a file first."
            )
        file, path = Path(location), Path(name_of("path", path, "'visits.toml'"))
        columns_known = ColumnMapping()
        if mapping is not None:
            columns_known = load_mapping(Path(name_of("mapping", mapping, "'visits-mapping.toml'")))
        edition, title, policy = name_of("edition", edition, "'ipc-2016'"), text("title", title), text("policy", policy)
        if path.exists():
            raise OutputError(f"{path} already exists. Choose another name.")
        load_edition(edition)
        if policy:
            load_policy(policy)  # an unknown name is an error here, not at the first run
        columns_known = replace(columns_known, sheet=text("sheet", sheet) or columns_known.sheet)
        table = read_coded(file, columns_known.missing, columns_known.separator or "", columns_known.sheet)
        refuse_counts(file.name, table)
        refuse_odd_header(file.name, table)
        if seen := missing_codes(table) - {code for entry in columns_known.fields.values() for code in entry.codes}:
            columns_known = replace(columns_known, missing=(*columns_known.missing, *sorted(seen)))
            table = with_missing(table, seen)
        columns = {name: column_values(name, table[name]) for name in each(table.names, "looking at the file")}
        columns_known = named_as_in(table, columns_known, file.name)
        columns_known = replace(columns_known, person=columns_known.person or person_column(columns, table))
        policy = with_areas_from(policy, path.parent)
        place, today = place_in(file, path.parent), dt.date.today()
        written = new_project_text(
            path.name, title or file.stem, edition, place, columns, columns_known, policy, today, table
        )
        parse_project(written, str(path), path.parent)
        replace_file(path, written.encode())
        return cls(path)

    def status(self) -> tuple[StepState, ...]:
        """Return where every step of the edition stands, and what is missing."""
        return self.project.states

    def answer(
        self, question: str, value: str, *, by: str = "", evidence: str = "", on: dt.date | str | None = None
    ) -> Project:
        """Write an answer into the project file; one that it replaces is kept there, as ``earlier``.

        Parameters
        ----------
        question : Its name.
        value : The answer.
        by, evidence, on : Who says so, on what it rests, and when.

        Raises
        ------
        UnknownNameError : no such question, or none of its choices.
        InputError : an answer of another kind.
        """
        name = name_of("question", question, "'invasion'")
        value = self.project.edition.question(name).check(name_of(name, value, "'medium'"))
        given = {"value": value, **_who(by, on), "evidence": text("evidence", evidence)}
        with locked_folder(self.path.parent):
            self.project = load_project(self.path)
            if kept := _earlier(self.project.answers.get(name), value):
                given["earlier"] = list(kept)
            return self._change({("answers", name): values_for_toml(given)})

    def classify(
        self,
        column: str | Sequence[str],
        role: str,
        reason: str,
        *,
        by: str = "",
        on: dt.date | str | None = None,
        **settings: Any,
    ) -> Project:
        """Write the role of a column, or of several, into the project file.

        Parameters
        ----------
        column : The column, or several.
        role : ``direct``, ``key``, ``sensitive`` or ``other``.
        reason : Why.
        by, on : Who says so, and when.
        settings : Any of the other keys of a variable, such as ``kind`` or ``treatment``.

        Raises
        ------
        SchemaError : a role, kind or setting that does not go with the others.
        """
        names = [column] if isinstance(column, str) else several("column", column, str, "'age'")
        names = [alike_name(name_of("column", name, "'age'"), self.columns) or name for name in names]
        decision = {"role": name_of("role", role, "'key'"), "reason": text("reason", reason), **_who(by, on)}
        values = values_for_toml({"accepted": None, **settings, **decision})
        with locked_folder(self.path.parent):
            check_kinds(self.project, names, settings)
            return self._change({("variables", name): values for name in names})

    def pseudonym(self, column: str, *, reason: str = "", by: str = "", on: dt.date | str | None = None) -> Project:
        """Replace an identifier by a keyed pseudonym, which joins the rows of a person.

        The key is in a file of its own in the folder of the project. Where the project names no person, the column is
        the person: its rows are then known together, and classes count people by all of them.

        Raises
        ------
        UnknownNameError : no such column.
        """
        column = name_of("column", column, "'mrn'")
        with locked_folder(self.path.parent):
            self.project = load_project(self.path)
            name = alike_name(column, self.columns) or column
            changes = pseudonym_changes(self.project, name, text("reason", reason))
            changes["variables", name] |= _who(by, on)
            return self._change(changes)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that the project names, classified or not."""
        return tuple(self.project.looks)

    def accept_guesses(self, *, by: str, on: dt.date | str | None = None) -> tuple[str, ...]:
        """Accept the guess about each undecided column that has one: the values show it, or the column is dropped.

        A column whose name alone suggests what it is has no guess, and stays out of the release. ``by`` is who answers
        for the guesses, ``on`` when; the columns are returned in the order of the file.

        Raises
        ------
        InputError : nobody answers for them.
        """
        if not text("by", by):
            raise InputError("accepted guesses need the name of the person who answers for them, such as 'A. Officer'.")
        who = _who(by, on)
        with locked_folder(self.path.parent):
            self.project = load_project(self.path)
            guesses = {name: look for name in self.project.undecided if (look := self.project.looks[name]).guess}
            changes: dict[tuple[str, ...], dict[str, Any]] = {}
            for name, look in guesses.items():
                reason = f"accepted guess: {look.text.split('; values look like')[0]}"
                decision = {"role": look.guess, "reason": reason, "accepted": True, **who}
                changes["variables", name] = decision
            if changes:
                self._change(changes)
            return tuple(guesses)

    def set(self, table: str, **values: Any) -> Project:
        """Change keys of one of the tables ``file``, ``about``, ``target``, ``population`` or ``settings``.

        Parameters
        ----------
        table : ``file``, ``about``, ``target``, ``population`` or ``settings``.
        values : The keys of the table and their values.

        Raises
        ------
        SchemaError : a key or value that the table does not have.
        """
        return self._set([name_of("table", table, "'settings'")], values)

    def _set(self, keys: list[str], values: dict[str, Any]) -> Project:
        """Change keys of a table while no other run does: answers given at once are all kept."""
        checked = values_for_toml(values)
        with locked_folder(self.path.parent):
            return self._change({tuple(keys): checked})

    def state_youngest(
        self, column: str, age: int, *, by: str = "", evidence: str = "", on: dt.date | str | None = None
    ) -> Project:
        """Write how old everybody is at least at the date or year in a column, such as 65 where Medicare starts.

        Years that this age puts in the class of the oldest become one class. A column that nobody has decided on, or
        that an accepted guess released, becomes a decision of the person who says so.

        Parameters
        ----------
        column : A column of dates or years.
        age : The youngest age (0 to 89 years).
        by, evidence, on : Who says so, on what it rests, and when.

        Raises
        ------
        UnknownNameError : no such column.
        InputError : nobody says so or on what it rests, or the age is none.
        """
        name = name_of("column", column, "'medicare_start'")
        name = alike_name(name, self.columns) or name
        if name not in self.columns:
            raise UnknownNameError("column of the project", name, self.columns)
        if isinstance(age, bool) or not isinstance(age, int):
            raise InputError(f"youngest = {short(age)}: give an age in whole years, such as 65.")
        if not text("evidence", evidence) or not text("by", by):
            raise InputError("a youngest age needs a name and a reason, such as by='A. Officer', evidence='the rule'.")
        role = self.project.role_of(name)
        settings = {"youngest": age, "kind": self._dated_kind(name)}
        return self.classify(name, "key" if role == UNDECIDED else role, evidence, by=by, on=on, **settings)

    def state_is_not(
        self, column: str, what: str, *, by: str = "", evidence: str = "", on: dt.date | str | None = None
    ) -> Project:
        """Write that the values of a column are not what they look like, such as Social Security numbers.

        The verdict names the column, what it may hold, and the person who says so. The column keeps its role; one
        that nobody has decided on, or that an accepted guess released, becomes a decision of that person.

        Parameters
        ----------
        column : The column.
        what : What they are not, in the words of the verdict.
        by, evidence, on : Who says so, on what it rests, and when.

        Raises
        ------
        UnknownNameError : no such column.
        InputError : nobody says so or on what it rests.
        """
        name = name_of("column", column, "'invoice'")
        name = alike_name(name, self.columns) or name
        if name not in self.columns:
            raise UnknownNameError("column of the project", name, self.columns)
        said = name_of("what", what, "'Social Security or taxpayer numbers'")
        if not text("evidence", evidence) or not text("by", by):
            raise InputError(
                "what a column is not needs a name and a reason, such as by='A. Officer', evidence='bills'."
            )
        known = tomllib.loads(read_text(self.path))["variables"][name]
        is_not = list(dict.fromkeys([*known.get("is_not", ()), said]))
        role = known.get("role", UNDECIDED)
        return self.classify(name, "other" if role == UNDECIDED else role, evidence, by=by, on=on, is_not=is_not)

    def _dated_kind(self, column: str) -> str:
        """Return the kind that the project file gives a column of dates or years, decided or not."""
        kind = tomllib.loads(read_text(self.path))["variables"][column].get("kind", "")
        return kind if kind in (*DATE_KINDS, "year") else "date"

    def _change(self, changes: dict[tuple[str, ...], dict[str, Any]]) -> Project:
        before = read_text(self.path)
        if {keys[0] for keys in changes} - {"answers", "results"}:  # what was run is no longer this project
            before = without_table(before, "results")
        written = with_keys(before, changes)
        self.project = parse_project(written, str(self.path), self.path.parent)
        replace_file(self.path, written.encode())
        return self.project

    def run(
        self,
        out: str | Path,
        *,
        file: str | Path | None = None,
        node: str = "",
        threshold: str = "",
        keep_order: bool = False,
        form: str = "",
        next_to: Sequence[str] = (),
        progress: Callable[[str], object] = lambda _: None,
    ) -> ReleaseResult:
        """Make the release: ``send/`` with the released file and its dictionary, ``keep/`` with figures and dossier.

        The folder appears whole or not at all. What was in it before is replaced only if this program wrote it. The
        released file is in it only where an attack on it found nothing: the result's ``verdict`` says so.

        Parameters
        ----------
        out : The folder to write.
        file : The file of records, if it is not where the project says.
        node, threshold : A point of :meth:`frontier` in place of what the project says; the dossier has the project
            with them, and the project file stays as it is.
        keep_order : Write the rows in the order of the file; by default the order is drawn.
        next_to : What is out already or will be: kinds of places (``county``), files of areas, folders of releases. The
            release is refused where few people are in an area and in another place at once.
        form : ``csv``, ``xlsx`` or ``parquet``; by default what the project says, or as the file of records.
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
        if switch("keep_order", keep_order):
            project, written = in_file_order(project, written)
        if not isinstance(next_to, tuple | list) or next_to:
            given = several("next_to", next_to, (str, Path), "'before/areas.csv'")
            names = [place_from(name_of("next_to", name, "'before/areas.csv'"), project.folder) for name in given]
            project, written = beside(project, written, names)
        if text("form", form):
            project, written = in_format(project, written, name_of("form", form, "'xlsx'"))
        figures = make_release(project, written, out, progress)
        if not (node or threshold):
            self._set(["results"], results_of(figures, out))
        return figures

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
        One row per threshold and recoding: ``loss`` (0..1), ``mean_risk`` and ``largest_risk`` of a record (0..1; of a
        person, where several rows are one's) in the classes of what is left, rows ``suppressed``, ``node`` (for
        :meth:`run`) and its ``levels``, and a ``status``; where no release meets a threshold it says so, and there is
        no loss. The node of local recoding is ``local``.

        Raises
        ------
        InputError : the project aims at a policy, which sets the levels.
        """
        project = self._of_records(file, progress)
        limits = several("thresholds", thresholds, str, "'k=11'")
        texts = [name_of("thresholds", limit, "'k=11'") for limit in limits]
        rows = frontier_rows(project, read_text(self.path), texts, progress)
        kinds = dict.fromkeys(("loss", "weighted_loss", "mean_risk", "largest_risk"), "Float64")
        kinds |= {"suppressed": "Int64"}
        frame = pd.DataFrame(rows, columns=list(FRONTIER)).astype(kinds)
        return frame if weights_of(project) else frame.drop(columns="weighted_loss")

    def map_codes(self, column: str, codes: Mapping[str, str]) -> Project:
        """Write what values of a column mean that the program does not read; the decision on the column stays.

        Parameters
        ----------
        column : The column.
        codes : By value, what it means, such as ``{"Femle": "F"}``; an empty text for a missing value, and the value
            itself to take its meaning back. They are added to those of the project.

        Raises
        ------
        UnknownNameError : no such column.
        InputError : a meaning that is no value of what the column is read as.
        """
        name = name_of("column", column, "'sex'")
        name = alike_name(name, self.columns) or name
        if name not in self.columns:
            raise UnknownNameError("column of the project", name, self.columns)
        if not isinstance(codes, Mapping) or not codes:
            raise InputError(f"codes = {short(codes)}: give meanings by value, such as {{'Femle': 'F'}}.")
        given = {text("a value", value): text("a meaning", meaning) for value, meaning in codes.items()}
        with locked_folder(self.path.parent):
            self.project = load_project(self.path)
            check_codes(self.project, name, given)
            codes = dict(self.project.looks[name].codes) | given
            codes = {value: meaning for value, meaning in codes.items() if meaning != value}
            return self._change({("variables", name): {"codes": codes or None}})

    def weigh(self, **times: float) -> Project:
        """Write how many times the loss of key fields counts in a search; 1 removes a weight.

        Parameters
        ----------
        times : By field, a number above 0, such as ``age=3``.

        Raises
        ------
        UnknownNameError : no such column.
        InputError : a weight that is none.
        """
        named: dict[str, Any] = {}
        for name, weight in times.items():
            column = alike_name(name, self.columns) or name
            if column not in self.columns:
                raise UnknownNameError("column of the project", name, self.columns)
            if not is_weight(weight):
                raise InputError(f"keep {name}={short(weight)}: give a number above 0, such as 3.")
            named[column] = float(weight)
        with locked_folder(self.path.parent):
            self.project = load_project(self.path)
            wanted = {**self.project.settings.keep, **named}
            keep = {name: weight for name, weight in wanted.items() if weight != 1}
            return self._change({("settings",): {"keep": keep or None}})

    def _of_records(self, file: str | Path | None, progress: Callable[[str], object]) -> Project:
        """Return the project with the file of records where it lies."""
        if not callable(progress):
            raise InputError("progress: give a function that takes the text of a step.")
        records = None if file is None else Path(name_of("file", file, "'visits.csv'"))
        return replace(self.project, records=records)

    def report(self, out: str | Path) -> Path:
        """Write the dossier again from the figures of a folder that :meth:`run` wrote; return the HTML file.

        The released file is attacked again, for the verdict.

        Raises
        ------
        SourceError : the folder has no figures.
        """
        out = Path(name_of("out", out, "'released'"))
        folder, figures = ReleaseFolder.find(out), read_figures(out)
        write_dossier(figures, folder.keep, Verdict(attacked_again(figures, folder)))
        folder.lock()
        return folder.keep / "dossier.html"

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
        out : The folder of the release, as :meth:`run` wrote it, or its ``send``.
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


def _earlier(before: Answer | None, value: str) -> tuple[str, ...]:
    """Return the answers that a new one replaces, in words: the oldest first."""
    if before is None or before.value == value:
        return before.earlier if before else ()
    who = ", ".join(filter(None, (before.by, before.on.isoformat() if before.on else "")))
    words = f"{before.value}{f' ({who})' if who else ''}{f': {before.evidence}' if before.evidence else ''}"
    return (*before.earlier, words)


def _who(by: str, on: dt.date | str | None) -> dict[str, Any]:
    """Return who says so and when, checked."""
    return {"by": text("by", by), "on": None if on is None else day("on", on)}
