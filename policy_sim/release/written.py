"""What a release writes, and where: the values that were read, in a drawn order, in ``send/`` and ``keep/``."""

from __future__ import annotations

import csv
import io
import json
import re
import secrets
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from policy_sim.files.writing import sha256_of
from policy_sim.people.names import county_in_text
from policy_sim.records.dates import read_dates
from policy_sim.records.formats import WRITTEN_AS, CodedColumn, CodedTable
from policy_sim.records.spellings import spelled, visible
from policy_sim.records.state_codes import FIPS, SSA, refuse_open_question, state_numbers, state_of
from policy_sim.release.attack.report import Finding
from policy_sim.release.class_labels import ANOTHER
from policy_sim.release.files import with_keys
from policy_sim.release.project import Project
from policy_sim.release.treatments import AGE_KINDS, DATE_KINDS, Variable
from policy_sim.words.arrays import IntArray
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError, SourceError, UnknownNameError
from policy_sim.words.telling import each

FIGURES = "release.json"
PROJECT = "project.toml"
DICTIONARY = "dictionary.csv"
AREAS_FILE = "areas.csv"
PEOPLE = "people.csv"  # which rows of the released file are of one person; it stays
_PRIVATE_FOLDER, _PRIVATE_FILE = 0o700, 0o600
_SEED_BITS = 63  # the whole numbers of TOML
_LISTED_VALUES = 20
_IN_STATE = re.compile(r"\d{1,3}(?:\.0+)?")
_COUNTY = re.compile(r"[\s,]+(?:county|co\.?|parish|borough)$")
_FEWEST_IN_ORDER = 3  # different values


# Where the files are.


@dataclass(frozen=True)
class ReleaseFolder:
    """The folder of a release: ``send/`` is for the recipient, ``keep/`` for the people who answer for it.

    ``is_flat``: the version before wrote it, with all files in one folder.
    """

    root: Path
    is_flat: bool = False

    @classmethod
    def find(cls, path: Path) -> ReleaseFolder:
        """Return the release that a folder is of: the folder itself, or its ``send`` or ``keep``."""
        folders = [path, *([path.resolve().parent] if path.resolve().name in ("send", "keep") else [])]
        for folder in folders:
            if (folder / "keep" / FIGURES).exists():
                return cls(folder)
        if (path / FIGURES).exists():
            return cls(path, is_flat=True)
        raise SourceError(f"{path}: no {FIGURES} of a release. Name the folder that 'run' wrote.")

    @property
    def send(self) -> Path:
        """The files that may leave."""
        return self.root if self.is_flat else self.root / "send"

    @property
    def keep(self) -> Path:
        """The files that stay: the project, the dossier and the figures."""
        return self.root if self.is_flat else self.root / "keep"

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know of a folder that the version before wrote."""
        return (_FLAT_NOTE.format(root=self.root),) if self.is_flat else ()

    def make(self) -> None:
        """Make both folders."""
        self.send.mkdir()
        self.keep.mkdir(mode=_PRIVATE_FOLDER)

    def lock(self) -> None:
        """Let only the user read what is kept."""
        if not self.is_flat:
            self.keep.chmod(_PRIVATE_FOLDER)
            for path in self.keep.iterdir():
                path.chmod(_PRIVATE_FILE)

    def withhold(self) -> None:
        """Remove ``send/``: the file that was written may not leave."""
        if not self.is_flat:
            shutil.rmtree(self.send, ignore_errors=True)

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the release, as seen from its folder."""
        return tuple(sorted(path.relative_to(self.root).as_posix() for path in self.root.rglob("*") if path.is_file()))


def read_figures(out: Path) -> dict[str, Any]:
    """Return the figures of a release folder."""
    folder = ReleaseFolder.find(out)
    try:
        figures: dict[str, Any] = json.loads((folder.keep / FIGURES).read_text(encoding="utf-8"))
        figures["output"]["sha256"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise SourceError(f"{out}: no {FIGURES} of a release. Name the folder that 'run' wrote.") from None
    return figures


_FLAT_NOTE = (
    "{root} was written by the version before, with all files in one folder: give the recipient the released file "
    "alone, or run the release again"
)


# Whose rows are whose, where the released file does not say it.


def people_text(people: IntArray) -> str:
    """Return the list of the people of released rows: numbers in the order in which they come, which tell no more.

    >>> people_text(np.array([7, 3, 0, 7])).split()
    ['person', '1', '2', '0', '1']
    """
    different, first, place = np.unique(people, return_index=True, return_inverse=True)
    first = np.where(different > 0, first, -1)  # 0 is nobody
    number = np.argsort(np.argsort(first))[place.reshape(-1)] + int((different > 0).all())
    return "\n".join(["person", *map(str, number.tolist()), ""])


def read_people(folder: ReleaseFolder, figures: Mapping[str, Any]) -> IntArray | None:
    """Return a number for the person of each released row, 0 for nobody; None where the run kept no list of them.

    Raises
    ------
    SourceError : the list is not the one of which the figures have the sha256.
    """
    kept = figures.get("people_list")
    if not kept:
        return None
    path = folder.keep / kept["name"]
    text = path.read_bytes() if path.is_file() else b""
    if sha256_of(text) != kept["sha256"]:
        what = "is not the list of people that the run wrote" if text else "is missing"
        raise SourceError(f"{path.parent.name}/{path.name} {what}: put that one back, or {again_text(folder)}")
    return np.array([int(line) for line in text.split()[1:]], dtype=np.int64)


def others_sent(folder: ReleaseFolder, figures: Mapping[str, Any]) -> list[Finding]:
    """Find what the run did not write in the folder to send: other files, and another dictionary of the columns.

    The released file itself is attacked, whatever it is now.
    """
    if folder.is_flat or not folder.send.is_dir():
        return []
    dictionary = figures.get("dictionary") or {}
    written = {figures["output"]["name"], DICTIONARY}
    others = sorted(path.name for path in folder.send.iterdir() if path.name not in written)
    found = [Finding((), f"send/ has {name}, which the run did not write", "Take it out") for name in others]
    path = folder.send / DICTIONARY
    if not dictionary:
        if path.exists():
            what = f"release.json has no checksum of send/{path.name}, so a change would not be seen"
            found.append(Finding((), what, f"To have one, {again_text(folder)}"))
        return found
    if not path.is_file() or sha256_of(path) != dictionary.get("sha256"):
        changed = "has changed since the run" if path.exists() else "is missing"
        found.append(Finding((), f"send/{path.name} {changed}", f"To undo that, {again_text(folder)}"))
    return found


def again_text(folder: ReleaseFolder) -> str:
    """Say which command makes a release anew from its folder."""
    options = f"{ask('file', 'RECORDS')} and {ask('out', 'NEW')}"
    return f"make the release again: policy-sim release run {folder.root} with {options}"


# Which rows come first.


def with_seed(project: Project, text: str) -> tuple[Project, str]:
    """Return a project, and its file, with the seed of the sample and of the order: its own, or one that is drawn."""
    if project.settings.seed is not None:
        return project, text
    return _with_settings(project, text, seed=secrets.randbits(_SEED_BITS))


def in_file_order(project: Project, text: str) -> tuple[Project, str]:
    """Return a project, and its file, whose release keeps the order of the rows."""
    return _with_settings(project, text, keep_order=True)


def beside(project: Project, text: str, names: Sequence[str]) -> tuple[Project, str]:
    """Return a project, and its file, with further places that are shown elsewhere."""
    return _with_settings(project, text, next_to=list(dict.fromkeys([*project.settings.next_to, *names])))


def in_format(project: Project, text: str, form: str) -> tuple[Project, str]:
    """Return a project, and its file, whose released file is in a format."""
    if form not in WRITTEN_AS:
        raise UnknownNameError("format of a release", form, WRITTEN_AS)
    return _with_settings(project, text, format=form)


def _with_settings(project: Project, text: str, **settings: Any) -> tuple[Project, str]:
    text = with_keys(text, {("settings",): settings})
    return replace(project, settings=replace(project.settings, **settings)), text


def without_seed(text: str) -> str:
    """Return a project's file without its seed, as the dossier and the figures show it."""
    return with_keys(text, {("settings",): {"seed": None}}) if "settings" in tomllib.loads(text) else text


def sorted_by(table: CodedTable) -> tuple[str, ...]:
    """Return the columns by which a file is sorted: what the order of its rows tells of each."""
    return tuple(name for name, column in table.columns.items() if _is_sorted(column))


def order_note(columns: Sequence[str]) -> str:
    """Say what the order of a file shows, which a release keeps."""
    by = f" It is sorted by {', '.join(columns)}, so the place of a row narrows down its value." if columns else ""
    return (
        "the rows are in the order of the file, which may show who came first, or whose names or numbers are neighbors."
        f"{by} By default the order is drawn"
    )


def _is_sorted(column: CodedColumn) -> bool:
    codes = column.codes[column.codes > 0]
    if len(np.unique(codes)) < _FEWEST_IN_ORDER:
        return False
    ranks = np.arange(len(column.values))
    numbers = [_number(text) for text in column.values]
    if all(number is not None for number in numbers):
        ranks = np.argsort(np.argsort(np.array(numbers, dtype=np.float64), kind="stable"))
    steps = np.diff(ranks[codes - 1])
    return bool((steps >= 0).all() or (steps <= 0).all())


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


# Which values are written.

_MEANT = (*DATE_KINDS, *AGE_KINDS, "year", "zip", "zip3")  # the reading of other kinds takes the codes itself


def visible_table(
    table: CodedTable, variables: Sequence[Variable], missing: Sequence[str]
) -> tuple[CodedTable, tuple[Variable, ...]]:
    """Return a file whose released texts are what a reader sees, and the variables with their codes spelled so.

    A pseudonym is made of the text as it is, and a hierarchy from a file names its values itself.
    """
    changed, seen = {}, []
    for variable in variables:
        if variable.treatment not in ("drop", "pseudonym") and variable.kind != "table":
            codes = {visible(code): meaning for code, meaning in variable.codes}
            texts = [visible(text) for text in table[variable.name].values]
            texts = ["" if text in missing or codes.get(text) == "" else text for text in texts]
            if variable.kind in _MEANT:
                texts = [codes.get(text, text) for text in texts]
            changed[variable.name] = table[variable.name].relabeled(["", *texts])
            variable = replace(variable, codes=tuple((visible(code), means) for code, means in variable.codes))
        seen.append(variable)
    table = table.with_columns(changed)
    return table.with_columns(_counties_of_states(table, seen)), tuple(seen)


def _counties_of_states(table: CodedTable, variables: Sequence[Variable]) -> dict[str, CodedColumn]:
    """Return the columns of counties whose codes of three digits are read with the column of states."""
    states = [variable for variable in variables if variable.kind == "state"]
    counties = [v for v in variables if v.kind == "county" and v.treatment not in ("drop", "pseudonym")]
    if len(states) != 1 or not any(_IN_STATE.fullmatch(t) for v in counties for t in table[v.name].values):
        return {}
    state = states[0]
    postal = postal_codes(state, table)
    changed = {}
    for county in counties:
        column = table[county.name]
        pairs, place = np.unique(np.stack([table[state.name].codes, column.codes]), axis=1, return_inverse=True)
        texts = ["", *column.values]
        codes = [
            (county_in_text(texts[code], postal[at] or "") if _IN_STATE.fullmatch(texts[code]) else None) or texts[code]
            for at, code in pairs.T.tolist()
        ]
        changed[county.name] = CodedColumn.of(codes).take(place.ravel())
    return changed


def county_notes(table: CodedTable, variables: Sequence[Variable]) -> tuple[str, ...]:
    """Say which columns have names of counties with and without a word such as County: they are released as two values.

    A name alone may be of two: Richmond of Virginia is a city, and Richmond County is not.
    """
    notes = []
    for variable in variables:
        if variable.kind == "county" and variable.treatment != "drop":
            names = {name.casefold() for name in table[variable.name].values}
            twice = sum(_COUNTY.sub("", name) in names for name in names if _COUNTY.search(name))
            if twice:
                differs = "value differs" if twice == 1 else "values differ"
                notes.append(
                    f"{variable.name}: {twice:,} {differs} from another only in a word such as County; they count as "
                    "two places. If they are one, give them one spelling in the file, or one meaning under codes"
                )
    return tuple(notes)


def postal_codes(state: Variable, table: CodedTable) -> list[str | None]:
    """Return the postal code of a missing value and of each value of a column of states; None for none."""
    form, codes = _state_form(state, table), dict(state.codes)
    return [None, *(state_of(visible(codes.get(text, text)), form) for text in table[state.name].values)]


def spelled_table(table: CodedTable, variables: Sequence[Variable]) -> CodedTable:
    """Return a file with one spelling of each value that is released: the value that was read, not its cell."""
    changed = {
        variable.name: table[variable.name].relabeled(["", *_spelled(variable, table)])
        for variable in each(variables, "spelling values alike")
        if variable.treatment not in ("drop", "pseudonym") and variable.kind != "table"
    }
    return table.with_columns(changed)


def _spelled(variable: Variable, table: CodedTable) -> list[str]:
    column, codes = table[variable.name], dict(variable.codes)
    if variable.kind in DATE_KINDS:
        return _days(variable, column)
    return spelled(
        variable.kind, column.values, codes, _state_form(variable, table) if variable.kind == "state" else ""
    )


def _state_form(variable: Variable, table: CodedTable) -> str:
    """Return which numbers a column of states has; a person says it where that is open."""
    if variable.format in (SSA, FIPS):
        return variable.format
    codes = dict(variable.codes)
    texts = [text for text in table[variable.name].values if text not in codes]
    form = state_numbers(variable.name, texts, table.names)
    refuse_open_question(variable.name, form)
    return form


def _days(variable: Variable, column: CodedColumn) -> list[str]:
    """Return the days of a column that is kept as YYYY-MM-DD; what has a time of day or is no date stays."""
    texts = list(column.values)
    if variable.treatment != "keep" or any(":" in text for text in texts):
        return texts
    try:
        dates, _ = read_dates(variable.name, texts, variable.format)
    except InputError:  # the order of day and month is not certain
        return texts
    return [text if day is None else day.isoformat() for text, day in zip(texts, dates, strict=True)]


def spelled_analyses(project: Project) -> Project:
    """Return a project whose analyses name a value as a release spells it."""
    variables = {variable.name: variable for variable in project.variables}
    analyses = []
    for analysis in project.analyses:
        variable = variables.get(analysis.of)
        if variable is not None and analysis.value and variable.kind not in ("table", *DATE_KINDS):
            (value,) = spelled(variable.kind, [analysis.value], dict(variable.codes))
            analysis = replace(analysis, value=value)
        analyses.append(analysis)
    return replace(project, analyses=tuple(analyses))


# What the recipient reads next to the file.


_HEAD = ("column", "kind", "shown as", "values", "rows with a value", "rows without a value")
_SETS = "{number:,} texts of several values: 'A, B or C' is one of these, 'not A' any but these"
_ANOTHER = f"{ANOTHER!r} is one of those that too few people have to be named"
_SIGNS = (
    ("*", "not shown"),
    ("000", "three digits of a ZIP code area with 20,000 people or fewer"),
)


def dictionary_text(
    written: CodedTable,
    variables: Sequence[Variable],
    shown_as: Mapping[str, str],
    sets: Mapping[str, Mapping[str, Sequence[str]]],
) -> str:
    """Return the data dictionary of a released file as CSV: only what the file shows itself.

    ``shown_as`` says how each column is shown, and ``sets`` have the texts that name several values.
    """
    kinds = {variable.name: variable.kind for variable in variables}
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(_HEAD)
    for name, column in written.columns.items():
        filled = written.rows - column.missing
        row = [
            name,
            kinds.get(name, ""),
            shown_as.get(name, ""),
            _values_text(column, sets.get(name, {})),
            filled,
            column.missing,
        ]
        writer.writerow(row)
    return file.getvalue()


def _values_text(column: CodedColumn, sets: Mapping[str, Sequence[str]]) -> str:
    occurring = [text for text, rows in column.rows_of_values().items() if rows]
    signs = "".join(f"; {sign}: {means}" for sign, means in _SIGNS if sign in occurring)
    if any(text in sets for text in occurring):
        single = [text for text in occurring if text not in sets]
        listed = " | ".join(single) if len(single) <= _LISTED_VALUES else f"{len(single):,} different values"
        if any(ANOTHER in sets.get(text, ()) for text in occurring):
            signs = f"; {_ANOTHER}{signs}"
        return f"{listed}; {_SETS.format(number=len(occurring) - len(single))}{signs}"
    if len(occurring) > _LISTED_VALUES:
        return f"{len(occurring):,} different values{signs}"
    return " | ".join(occurring) + signs
