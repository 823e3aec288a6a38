"""One run of a release: read, measure, de-identify, write, read again, measure again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from policy_sim.people.names import hidden_prefixes
from policy_sim.policies.files import load_policy
from policy_sim.records.census_values import RACE_FIELDS, column_place
from policy_sim.records.formats import CodedTable, header_of, read_coded, refuse_counts, write_coded
from policy_sim.records.profile import Threshold
from policy_sim.release.cells import KeyCells
from policy_sim.release.conformity import Conformity, check_values, conform, read_columns, without_told_ages
from policy_sim.release.deidentified import (
    Deidentified,
    SecretKey,
    Treatment,
    deidentify,
    key_cells_of,
    make_key,
    people_of_rows,
    read_key,
)
from policy_sim.release.people import people_of_project
from policy_sim.release.project import Project
from policy_sim.release.schemes import labels_of_scheme
from policy_sim.release.search import LOSSES, RECODINGS
from policy_sim.release.targets import ReleaseRisk, RiskTarget, recounted, risk_of_classes
from policy_sim.release.treatments import AGE_KINDS, Variable, left_out
from policy_sim.words.arrays import IntArray
from policy_sim.words.errors import InputError, NotEstimableError, UnknownNameError

_OLDEST = 90  # everyone of this age and older is one class: 45 CFR 164.514(b)(2)(i)(C)
_NAMED = 3  # problems that one message names


@dataclass(frozen=True, eq=False)
class Inputs:
    """What a project's file, policy and population hold.

    ``population`` are the people who could be confused with those of the file, and how many each row stands for;
    ``people`` has a number for the person of each row of the file. ``sources`` are checksums (sha256) by name. Every
    value of a ``covered`` column is of a kind that a policy covers; ``notes`` say what was not understood.
    """

    table: CodedTable
    path: Path
    treatment: Treatment
    conformity: Conformity | None
    population: tuple[CodedTable, IntArray] | None
    population_title: str
    sources: Mapping[str, str]
    people: IntArray
    covered: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    @property
    def has_population(self) -> bool:
        """Whether the people of the file are some of a larger population, which a file drawn from is too."""
        return self.population is not None or self.treatment.sample < 1

    @property
    def uncounted(self) -> tuple[str, ...]:
        """The key fields that the population does not have."""
        has = self.table.names if self.population is None else self.population[0].names
        return tuple(variable.name for variable in self.treatment.searched if variable.name not in has)

    @cached_property
    def counted(self) -> tuple[KeyCells, list[tuple[int, ...]]]:
        """The records by key, and the allowed levels."""
        return key_cells_of(self.table, self.treatment, self.people, self.population)

    def before(self) -> ReleaseRisk:
        """Return the risk of the file as it is, on its key fields."""
        if not self.treatment.searched:
            return recounted(self.table, [], self.people)
        cells = self.counted[0]
        return risk_of_classes(cells.records, cells.people, len(np.unique(self.people)), self.table.rows)


@dataclass(frozen=True, eq=False)
class Run:
    """What a run made: the release as it was written and read again, and its risk before and after."""

    inputs: Inputs
    deidentified: Deidentified
    written: CodedTable
    before: ReleaseRisk
    after: ReleaseRisk
    key: SecretKey | None


def treatment_of(project: Project, columns: Sequence[str] = ()) -> tuple[Treatment, Conformity | None]:
    """Return what a project does to its file; a column that nobody decided on is left out."""
    conformity, target, oldest = None, None, None
    variables = _every_variable(project, columns)
    small: frozenset[str] = frozenset()
    if project.target.aim == "policy":
        policy = load_policy(project.target.policy)
        if project.file.day is None:
            raise InputError("a policy needs the date on which ages are computed. Give day in the table file.")
        conformity = conform(variables, policy, project.file.day)
        variables, oldest = conformity.variables, conformity.oldest_year
        if policy.conditions.small_places is not None:
            small = hidden_prefixes(project.file.day.isoformat())
    else:
        target = project.risk_target
        oldest = None if project.file.day is None else project.file.day.year - _OLDEST
        if project.file.day and any(variable.accepted and variable.kind in ("zip", "zip3") for variable in variables):
            small = hidden_prefixes(project.file.day.isoformat())
    alone = project.population.source == "none" and project.settings.sample == 1
    if target is not None and target.needs_population and alone:
        raise InputError(
            "the target needs a population, but the project names none. Give one in the table population, or release "
            "a sample of the file."
        )
    own = {name: value for name, value in vars(project.settings).items() if name != "key_file"}
    own["analysis"] = next((analysis for analysis in project.analyses if analysis.name == project.settings.loss), None)
    if project.settings.loss not in LOSSES and own["analysis"] is None:
        raise UnknownNameError(
            "loss or analysis", project.settings.loss, [*LOSSES, *(x.name for x in project.analyses)]
        )
    own["recoding"] = project.settings.recoding or _usual_recoding(target, among_others=not alone)
    person = project.file.person
    return Treatment(variables, target, **own, person=person, small_zip3=small, oldest_year=oldest), conformity


def _usual_recoding(target: RiskTarget | None, *, among_others: bool) -> str:
    """Return the recoding where a project names none: local, unless a rule sets the levels or a population counts.

    With a population the file is linked with the census and voter lists, which needs one level per field.
    """
    return "one-level" if target is None or among_others else "local"


def named_as_in_file(project: Project, columns: Sequence[str], file: str) -> Project:
    """Return a project whose variables and person are written as in the file, which may differ in case."""

    def own(name: str) -> str:
        with suppress(UnknownNameError):
            return columns[column_place(file, name, columns)]
        return name

    variables = tuple(replace(variable, name=own(variable.name)) for variable in project.variables)
    settings = replace(project.file, person=own(project.file.person)) if project.file.person else project.file
    wishes = replace(project.settings, keep=tuple(map(own, project.settings.keep)))
    undecided = tuple(map(own, project.undecided))
    return replace(project, variables=variables, undecided=undecided, file=settings, settings=wishes)


def _every_variable(project: Project, columns: Sequence[str]) -> tuple[Variable, ...]:
    """Return the project's variables, with those that are left out; guesses hold only as far as the aim lets them."""
    decided = {variable.name for variable in project.variables}
    others = [name for name in dict.fromkeys([*project.undecided, *columns]) if name not in decided]
    variables = project.variables
    if project.target.aim != "policy":
        oldest = None if project.file.day is None else project.file.day.year - _OLDEST
        variables = tuple(_cautious(variable, oldest) for variable in variables)
    return (*variables, *(left_out(name, "nobody has decided on this column") for name in others))


def _cautious(variable: Variable, oldest: int | None) -> Variable:
    """Return an accepted guess as a release that aims at a risk may use it.

    What others may know is for a person to decide. Guesses about sex, race, birth and ZIP code are key fields, and
    start no finer than Safe Harbor's.
    """
    if not variable.accepted or variable.treatment == "drop":
        return variable
    if variable.kind in ("sex", *RACE_FIELDS, "state", "zip3"):
        return variable
    if variable.kind == "year":
        bottoms = [year for year in (variable.bottom, oldest) if year is not None]
        return replace(variable, bottom=max(bottoms, default=None))
    if variable.kind == "birth_date":
        return replace(variable, levels=("year", "five years", "ten years", "nothing"))
    if variable.kind == "zip":
        return replace(variable, levels=("three digits", "nothing"))
    if variable.kind in AGE_KINDS:
        return replace(variable, top=min(variable.top or _OLDEST, _OLDEST))
    return left_out(variable.name, "whether others may know it, or it is sensitive, is for a person to decide")


def read_inputs(project: Project, folder: Path, location: Path | None = None) -> Inputs:
    """Read a project's file, policy and population; names of files are relative to the ``folder`` of the project.

    ``location`` is the file of records, where it lies elsewhere.
    """
    path = location or folder / project.file.location
    table = read_coded(path, project.file.missing, project.file.separator, project.file.sheet)
    refuse_counts(path.name, table)
    project = named_as_in_file(project, table.names, path.name)
    treatment, conformity = treatment_of(project, table.names)
    read = read_columns(table, treatment.variables)
    table, treatment = read.table, replace(treatment, variables=read.variables)
    notes = read.notes
    if "" in header_of(path, project.file.separator, project.file.sheet).header:
        notes += ("a column without a name, such as an index, was not read and is not released",)
    if conformity is not None and conformity.oldest_year is not None:
        table, blanked = without_told_ages(table, treatment.variables, conformity.oldest_year)
        notes += blanked
    if all(variable.treatment == "drop" for variable in treatment.variables):
        raise InputError(
            f"{project.title}: no column would be released. Accept the guesses, or give a column a role and a reason."
        )
    population, title, sources = people_of_project(project, folder, treatment.variables, table)
    if population is None and treatment.sample < 1:
        title = "the records of the file before the sample was drawn"
    people = people_of_rows(table, project.file.person)
    return Inputs(table, path, treatment, conformity, population, title, sources, people, read.covered, notes)


def secret_key(project: Project, folder: Path, treatment: Treatment) -> SecretKey | None:
    """Return the project's key, made where its file does not exist; None where none is needed."""
    if not treatment.needs_key:
        return None
    if not project.settings.key_file:
        raise InputError("pseudonyms and shifted dates need a secret key: name key_file in the table settings.")
    path = folder / project.settings.key_file
    if not path.resolve().is_relative_to(folder.resolve()):  # by a link
        raise InputError(f"{path} leaves the folder of the project. Name a key file in that folder.")
    return read_key(path) if path.exists() else make_key(path)


def run_project(
    project: Project,
    folder: Path,
    output: Path,
    location: Path | None = None,
    progress: Callable[[str], object] = lambda _: None,
) -> Run:
    """De-identify a project's file, write it to ``output``, read it again and measure it again."""
    project.check_ready()
    progress("reading the file")
    inputs = read_inputs(project, folder, location)
    progress("measuring the original file")
    before = inputs.before()
    key = secret_key(project, folder, inputs.treatment)
    counted = inputs.counted if inputs.treatment.searched and inputs.treatment.sample == 1 else None
    result = deidentify(inputs.table, inputs.treatment, key, inputs.population, progress, counted=counted)
    progress("writing the release")
    write_coded(result.table, output)
    progress("reading the release again")
    written = read_coded(output)
    progress("looking at every value again")
    return Run(inputs, result, written, before, check_written(inputs, result, written), key)


FRONTIER = ("threshold", "recoding", "node", "levels", "loss", "suppressed", "status")


def frontier_rows(
    project: Project,
    folder: Path,
    thresholds: Sequence[str],
    location: Path | None = None,
    progress: Callable[[str], object] = lambda _: None,
) -> list[dict[str, object]]:
    """Return what one level per field and local recoding lose at each threshold, and the node of one level per field.

    A threshold at which no release meets the target has a ``status`` that says so, and no loss.
    """
    if project.target.aim == "policy":
        raise InputError("a policy sets the levels, so there is no frontier. Give the project the aim risk.")
    rows: list[dict[str, object]] = []
    for threshold in thresholds:
        if _is_policy(threshold):
            rows.append(dict.fromkeys(FRONTIER) | _policy_point(project, folder, threshold, location))
            continue
        for recoding in RECODINGS:
            progress(f"{threshold}, {recoding}")
            tried = _with_threshold(project, threshold, recoding)
            inputs = read_inputs(tried, folder, location)
            row: dict[str, object] = dict.fromkeys(FRONTIER) | {"threshold": threshold, "recoding": recoding}
            try:
                result = deidentify(inputs.table, _only_keys(inputs.treatment), None, inputs.population)
            except NotEstimableError as error:
                rows.append(row | {"status": str(error)})
                continue
            levels = result.generalization
            local = levels is not None and levels.is_local
            node = "local" if local else "" if levels is None else "-".join(map(str, levels.nodes[0]))
            level_names = {} if levels is None or local else levels.levels()
            text = ", ".join(f"{field}: {level}" for field, level in level_names.items())
            lost = int(result.drawn.sum() - result.rows.sum())
            status = "one level loses no more" if recoding == "local" and not local else "ok"
            rows.append(row | {"node": node, "levels": text, "loss": result.loss, "suppressed": lost, "status": status})
    return rows


def _is_policy(threshold: str) -> bool:
    """Tell a policy's name or file from a threshold of risk."""
    try:
        Threshold.parse(threshold)
    except InputError:
        with suppress(UnknownNameError):
            return bool(load_policy(threshold))
        raise
    return False


def _policy_point(project: Project, folder: Path, policy: str, location: Path | None) -> dict[str, object]:
    """Return what the key fields lose where a policy sets their levels; one that it drops loses 1."""
    keys = [variable.name for variable in read_inputs(project, folder, location).treatment.searched]
    inputs = read_inputs(_aimed_at(project, policy), folder, location)
    result = deidentify(inputs.table, _only_keys(inputs.treatment), None)
    lost = dict.fromkeys(result.table.names, 0.0)
    levels = result.generalization
    if levels is not None:
        lost |= dict(zip(levels.levels(), levels.losses(inputs.table).tolist(), strict=True))
    loss = float(np.mean([lost.get(name, 1.0) for name in keys])) if keys else None
    text = ", ".join(f"{field}: {level}" for field, level in levels.levels().items()) if levels else ""
    row = {"threshold": policy, "recoding": "policy", "node": "", "levels": text}
    return row | {"loss": loss, "suppressed": 0, "status": "ok"}


def _aimed_at(project: Project, policy: str) -> Project:
    aim = replace(project.target, aim="policy", policy=policy)
    return replace(project, target=aim, settings=replace(project.settings, recoding="", keep=()))


def _with_threshold(project: Project, threshold: str, recoding: str) -> Project:
    aim, population = project.target, project.value("attacker-knows") == "no"
    sizes = aim.sizes if aim.aim == "risk" else "population" if population else "file"
    own = replace(aim, aim="risk", threshold=threshold, sizes=sizes)
    return replace(project, target=own, settings=replace(project.settings, recoding=recoding))


def _only_keys(treatment: Treatment) -> Treatment:
    """Return the treatment without pseudonyms and shifted dates, which need a secret key and change no class."""
    return replace(
        treatment,
        variables=tuple(
            left_out(variable.name, "not looked at") if variable.treatment in ("pseudonym", "shift") else variable
            for variable in treatment.variables
        ),
    )


def chosen_changes(
    project: Project, folder: Path, node: str, threshold: str, location: Path | None = None
) -> dict[tuple[str, ...], dict[str, object]]:
    """Return the tables of a project file by which it aims at a threshold or a policy, or at a node of the frontier.

    A node is the number of each key field's level, such as ``2-0-1``, or ``local``.
    """
    changes: dict[tuple[str, ...], dict[str, object]] = {}
    if threshold and _is_policy(threshold):
        changes["settings",] = {"recoding": "", "keep": []}
        return changes | {("target",): {"aim": "policy", "policy": threshold}}
    if threshold:
        project = _with_threshold(project, threshold, project.settings.recoding)
        changes["target",] = {
            name: text for name, text in vars(project.target).items() if isinstance(text, str) and text
        }
    if node == "local":
        changes["settings",] = {"recoding": "local"}
    elif node:
        inputs = read_inputs(project, folder, location)
        cells, allowed = key_cells_of(inputs.table, inputs.treatment, inputs.people, inputs.population)
        numbers = [int(part) if part.isascii() and part.isdigit() else -1 for part in node.split("-")]
        if len(numbers) != len(allowed) or any(n not in choices for n, choices in zip(numbers, allowed, strict=False)):
            fields = ", ".join(
                f"{x.field} {', '.join(map(str, choices))}" for x, choices in zip(cells.ladders, allowed, strict=True)
            )
            raise InputError(f"node {node!r}: give a level of each key field, joined by hyphens. Levels: {fields}.")
        for ladder, level in zip(cells.ladders, numbers, strict=True):
            changes["variables", ladder.field] = {"levels": [ladder.names[level]]}
        changes["settings",] = {"recoding": "one-level"}
    return changes


def check_written(inputs: Inputs, result: Deidentified, written: CodedTable) -> ReleaseRisk:
    """Measure the written file from its texts, and look at every value again."""
    fields = [variable.name for variable in inputs.treatment.searched]
    levels, cells, by_text = result.generalization, result.cells, None
    if levels is not None and cells is not None and inputs.has_population:
        by_text = levels.people_by_text(cells)
    whose = inputs.people[result.rows] if inputs.treatment.person else None
    after = recounted(written, fields, whose, by_text, inputs.treatment.hierarchies(inputs.table))
    target = inputs.treatment.target
    if target is not None and not after.meets(target):
        raise NotEstimableError(
            f"the written file does not meet the target ({target.describe()}). The program removed it."
        )
    labels = {v.name: labels_of_scheme(v.scheme, inputs.table[v.name], v.rows) for v in inputs.treatment.searched}
    problems = check_values(
        written, inputs.treatment.variables, inputs.covered, inputs.conformity, inputs.treatment.small_zip3, labels
    )
    if problems:
        more = f"; and {len(problems) - _NAMED:,} more" if len(problems) > _NAMED else ""
        raise NotEstimableError(
            f"looking at the written file again: {'; '.join(problems[:_NAMED])}{more}. The program removed the file."
        )
    return after
