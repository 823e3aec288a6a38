"""One run of a release: read, measure, de-identify, write, read again, measure again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from policy_sim.people.names import hidden_prefixes
from policy_sim.records.blank_rows import blank_rows_text
from policy_sim.records.census_values import RACE_FIELDS, name_in_file
from policy_sim.records.classes import occurring
from policy_sim.records.formats import CodedTable, header_of, read_coded, refuse_counts, write_coded
from policy_sim.release.area_levels import areas_of_file, policy_in, refuse_overlaps, shown_areas, with_areas_only
from policy_sim.release.attack.derived import joined_of
from policy_sim.release.attack.report import AttackReport, Claim, Finding, Verdict
from policy_sim.release.attack.run import attack
from policy_sim.release.attack.together import attack_header
from policy_sim.release.attack.written import WrittenFile
from policy_sim.release.before_search import as_written, findings_before, on_word, refuse_found, told_of_original
from policy_sim.release.cells import KeyCells
from policy_sim.release.claims import claim_of
from policy_sim.release.computed import computed, with_computed
from policy_sim.release.conformity import Conformity, conform, read_columns, shows_towns, without_told_ages
from policy_sim.release.deidentified import (
    Deidentified,
    SecretKey,
    Treatment,
    deidentify,
    key_cells_of,
    make_key,
    read_key,
)
from policy_sim.release.ladders import AREAS
from policy_sim.release.linkable import (
    check_persons,
    joining_column,
    known_of_rows,
    lost_link_text,
    people_of_rows,
    says_the_same,
    spelled_twice,
    target_of_people,
)
from policy_sim.release.people import people_of_project
from policy_sim.release.person_cells import PersonCells
from policy_sim.release.project import Project
from policy_sim.release.recovered import NOT_TRIED, TRIED, recovered
from policy_sim.release.schemes import labels_of_scheme
from policy_sim.release.search import LOSSES
from policy_sim.release.targets import ReleaseRisk, recounted
from policy_sim.release.total_rows import total_rows_note
from policy_sim.release.treatments import AGE_KINDS, Variable, left_out
from policy_sim.release.written import county_notes, order_note, sorted_by, spelled_table, visible_table
from policy_sim.words.arrays import IntArray
from policy_sim.words.errors import InputError, NotEstimableError, UnknownNameError
from policy_sim.words.telling import telling

_OLDEST = 90  # everyone of this age and older is one class: 45 CFR 164.514(b)(2)(i)(C)
_NO_POPULATION = (
    "nobody has counted the people of the population who have the same rows as a person of the file, so classes count "
    "the people of the file, who are never more"
)
_ORIGINAL = "columns on somebody's word, compared with each column that was left out or changed"
_TRIES = 3  # runs, each without the guesses in which the attack on the one before found something


@dataclass(frozen=True, eq=False)
class Inputs:
    """What a project's file, policy and population hold.

    ``population`` are the people who could be confused with those of the file, and how many each row stands for;
    ``people`` has a number for the person of each row of the file. ``sources`` are checksums (sha256) by name. Every
    value of a ``covered`` column is of a kind that a policy covers; ``notes`` say what was not understood, and
    ``known_because`` why an attacker knows as many rows of a person as the treatment says. ``respelled`` columns are
    released in other texts than the file has, such as the words that codes were read as. ``lost_link`` is the note that
    says that nobody can join the rows of a person, where that is so.
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
    known_because: str = ""
    respelled: frozenset[str] = frozenset()
    lost_link: str = ""

    def without(self, columns: Mapping[str, str]) -> Inputs:
        """Return the inputs of a release that leaves some columns out, each with the reason."""
        variables = tuple(
            left_out(v.name, columns[v.name], v.kind) if v.name in columns else v for v in self.treatment.variables
        )
        covered = self.covered - set(columns)
        return replace(self, treatment=replace(self.treatment, variables=variables), covered=covered)

    def knowing_all_rows(self, why: str) -> Inputs:
        """Return the inputs for an attacker who knows all rows of its target, because the release joins them."""
        target, notes = self.treatment.target, tuple(note for note in self.notes if note != self.lost_link)
        if target is not None and target.needs_population:
            notes += (_NO_POPULATION,)
        treatment = replace(self.treatment, known="all", target=target_of_people(target, "all"))
        return replace(self, treatment=treatment, notes=notes, known_because=why)

    @property
    def has_population(self) -> bool:
        """Whether the people of the file are some of a larger population, which a file drawn from is too."""
        return self.population is not None or self.treatment.sample < 1

    @property
    def uncounted(self) -> tuple[str, ...]:
        """The key fields that the population does not have."""
        has = self.table.names if self.population is None else self.population[0].names
        return tuple(variable.name for variable in self.treatment.searched if variable.name not in has)

    @property
    def areas_shown(self) -> tuple[str, ...]:
        """The names of areas that the release may show."""
        areas, variables = shown_areas(self.treatment.variables), self.treatment.variables
        return tuple(sorted(areas_of_file(self.table, variables, areas))) if areas is not None else ()

    @cached_property
    def cells(self) -> KeyCells:
        """The records by key."""
        return key_cells_of(self.table, self.treatment, self.people, self.population)

    def before(self) -> ReleaseRisk:
        """Return the risk of the file as it is, on its key fields."""
        known = self.treatment.known
        if not self.treatment.searched:
            return recounted(self.table, [], self.people, known=known)
        cells = self.cells
        if isinstance(cells, PersonCells):
            return cells.risk()
        return ReleaseRisk(len(occurring(self.people)), self.table.rows, cells.records, cells.people)


@dataclass(frozen=True, eq=False)
class Run:
    """What a run made: the release as it was written and read again, its risk before and after, and its attack.

    ``claim`` is what the release says of the written file, and ``report`` what an attack on that file found. ``people``
    has the person of each row as it was written, where people have several rows and the file does not name them.
    """

    inputs: Inputs
    deidentified: Deidentified
    written: CodedTable
    before: ReleaseRisk
    after: ReleaseRisk
    key: SecretKey | None
    claim: Claim
    report: AttackReport
    people: IntArray | None = None

    @property
    def verdict(self) -> Verdict:
        """What may be said of the release."""
        return Verdict(self.report)


def treatment_of(project: Project, columns: Sequence[str] = ()) -> tuple[Treatment, Conformity | None]:
    """Return what a project does to its file; a column that nobody decided on is left out."""
    conformity, target, day = None, None, project.file.day
    oldest = None if day is None else day.year - _OLDEST
    variables = _every_variable(project, columns, oldest)
    hides_prefixes = any(variable.accepted and variable.kind in ("zip", "zip3") for variable in variables)
    if project.target.aim == "policy":
        policy = policy_in(project.target.policy, project.folder)
        if day is None:
            raise InputError("a policy needs the date on which ages are computed. Give day in the table file.")
        conformity = conform(variables, policy, day)
        variables, oldest = conformity.variables, conformity.oldest_year
        hides_prefixes = policy.conditions.small_places is not None
    else:
        target = project.risk_target
    small = hidden_prefixes(day.isoformat()) if day is not None and hides_prefixes else frozenset[str]()
    alone = project.population.source == "none" and project.settings.sample == 1
    if target is not None and target.needs_population and alone:
        raise InputError(
            "the target needs a population, but the project names none. Give one in the table population, or release "
            "a sample of the file."
        )
    settings = project.settings
    analysis = next((analysis for analysis in project.analyses if analysis.name == settings.loss), None)
    if settings.loss not in LOSSES and analysis is None:
        raise UnknownNameError("loss or analysis", settings.loss, [*LOSSES, *(x.name for x in project.analyses)])
    # with a population the file is linked with the census and voter lists, which needs one level per field; guidelines
    # may ask for it where their own threshold is the aim
    guided = project.target.aim == "threshold" and project.edition.uniform
    by_area = shown_areas(variables) is not None
    if by_area and settings.recoding == "local":
        raise InputError(
            'areas need recoding = "one-level" in the table settings: with local recoding, sets of ZIP codes would be '
            "shown that are no areas, and nobody compares these with other places."
        )
    usual = "local" if target is not None and alone and not guided and not by_area else "one-level"
    own = vars(settings) | {"recoding": settings.recoding or usual, "analysis": analysis, "person": project.file.person}
    own["keep"] = weights_of(project)
    return Treatment(variables=variables, target=target, small_zip3=small, oldest_year=oldest, **own), conformity


def columns_sent(project: Project) -> dict[str, str]:
    """Return the columns that a project would release, as decided so far, each with its treatment.

    An attack may still leave out a guess.
    """
    try:
        variables = treatment_of(project, tuple(project.looks))[0].variables
    except InputError:  # the aim is not settled
        variables = project.variables
    return {variable.name: variable.treatment for variable in variables if variable.treatment != "drop"}


def weights_of(project: Project) -> dict[str, float]:
    """Return how many times the loss of key fields counts: as the project says, or else as its analyses do."""
    keys = [variable.name for variable in project.variables if variable.is_searched]
    used: dict[str, float] = {}
    for analysis in project.analyses if project.target.aim != "policy" else ():
        for name in keys:
            if analysis.keep != 1 and name in (analysis.of, *analysis.by):
                used[name] = max(analysis.keep, used.get(name, 0.0))
    return used | dict(project.settings.keep)


def named_as_in_file(project: Project, columns: Sequence[str], file: str) -> Project:
    """Return a project whose variables and person are written as in the file, which may differ in case."""
    own = partial(name_in_file, file, held=columns)
    variables = tuple(replace(variable, name=own(variable.name)) for variable in project.variables)
    settings = replace(project.file, person=own(project.file.person)) if project.file.person else project.file
    wishes = replace(project.settings, keep={own(name): times for name, times in project.settings.keep.items()})
    undecided = tuple(map(own, project.undecided))
    return replace(project, variables=variables, undecided=undecided, file=settings, settings=wishes)


def _every_variable(project: Project, columns: Sequence[str], oldest: int | None) -> tuple[Variable, ...]:
    """Return the project's variables, with those that are left out; guesses hold only as far as the aim lets them."""
    decided = {variable.name for variable in project.variables}
    others = [name for name in dict.fromkeys([*project.undecided, *columns]) if name not in decided]
    variables = project.variables
    if project.target.aim != "policy":
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
        last = None if oldest is None else oldest + (variable.youngest or 0)
        bottoms = [year for year in (variable.bottom, last) if year is not None]
        return replace(variable, bottom=max(bottoms, default=None))
    if variable.kind == "birth_date":
        return replace(variable, levels=("year", "five years", "ten years", "nothing"))
    if variable.kind == "zip":
        return replace(variable, levels=(AREAS if variable.areas else "three digits", "nothing"))
    if variable.kind in AGE_KINDS:
        return replace(variable, top=min(variable.top or _OLDEST, _OLDEST))
    return left_out(variable.name, "a person must decide whether others may know it, and whether it is sensitive")


def read_records(project: Project) -> CodedTable:
    """Read the file of a project as it is."""
    return read_coded(project.path, project.file.missing, project.file.separator, project.file.sheet)


def read_inputs(project: Project, table: CodedTable | None = None) -> Inputs:
    """Read a project's file, policy and population; ``table`` is the file as :func:`read_records` has read it."""
    path = project.path
    table = table or read_records(project)
    refuse_counts(path.name, table)
    project = named_as_in_file(project, table.names, path.name)
    treatment, conformity = treatment_of(project, table.names)
    header = header_of(path, project.file.separator, project.file.sheet)
    notes = total_rows_note(table, header.blank)
    of_file = {name: column.values for name, column in table.columns.items()}
    in_file_order = sorted_by(table) if treatment.keep_order else ()
    table, variables = visible_table(table, treatment.variables, project.file.missing)
    read = read_columns(table, variables)
    table, treatment = spelled_table(read.table, read.variables), replace(treatment, variables=read.variables)
    notes += read.notes + county_notes(table, treatment.variables)
    respelled = frozenset(name for name, values in of_file.items() if not set(table[name].values) <= set(values))
    table, unplaced = with_areas_only(table, treatment.variables)
    notes += unplaced + refuse_overlaps(project, treatment.variables, table)
    if header.blank:
        notes += (blank_rows_text(len(header.blank)),)
    if "" in header.header:
        notes += ("a column without a name, such as an index, was not read and is not released",)
    if conformity is not None and conformity.oldest_year is not None:
        table, blanked = without_told_ages(table, treatment.variables, conformity.oldest_year)
        notes += blanked
    if treatment.keep_order:
        notes += (order_note(in_file_order),)
    if all(variable.treatment == "drop" for variable in treatment.variables):
        raise InputError(
            f"{project.title}: no column would be released. Accept the guesses, or give a column a role and a reason."
        )
    population, title, sources = people_of_project(project, treatment.variables, table)
    if (areas := shown_areas(treatment.variables)) is not None:
        sources = {**sources, areas.path.name: areas.checksum}
    if population is None and treatment.sample < 1:
        title = "the records of the file before the sample was drawn"
    person = project.file.person
    people = people_of_rows(table, person, released=treatment.shows_person)
    notes += spelled_twice(table, person, released=treatment.shows_person)
    if treatment.target is not None and not (person or project.target.known):
        check_persons(table, treatment.variables)
    known, why = known_of_rows(
        table, treatment.variables, person, people, project.target.known, in_order=treatment.keep_order
    )
    joins = joining_column(table, treatment.variables, person, people)
    if joins not in ("", person) and says_the_same(table, joins, people):
        treatment = replace(treatment, person=joins)  # the column of the person does not leave, and this one does
    lost_link = ""
    kept = [as_written(name, table[name]) for name in _kept(treatment)]
    if known and not joins and not joined_of(kept, people, in_order=treatment.keep_order).counts:
        lost_link = lost_link_text(person, may_code=conformity is None or shows_towns(conformity.policy))
        notes += (lost_link,)
    if known in ("2", "all") and treatment.target is not None and treatment.target.needs_population:
        notes += (_NO_POPULATION,)
    treatment = replace(treatment, known=known, target=target_of_people(treatment.target, known))
    covered = read.covered
    return Inputs(
        *(table, path, treatment, conformity, population, title, sources, people, covered, notes, why, respelled),
        lost_link=lost_link,
    )


def _kept(treatment: Treatment) -> list[str]:
    """Return the columns that leave as they are, or as pseudonyms."""
    return [variable.name for variable in treatment.variables if variable.treatment in ("keep", "pseudonym")]


def secret_key(project: Project, treatment: Treatment) -> SecretKey | None:
    """Return the project's key, made where its file does not exist; None where none is needed."""
    if not treatment.needs_key:
        return None
    if not project.settings.key_file:
        raise InputError("pseudonyms and shifted dates need a secret key: name key_file in the table settings.")
    path = project.folder / project.settings.key_file
    if not path.resolve().is_relative_to(project.folder.resolve()):  # by a link
        raise InputError(f"{path} is outside the folder of the project. Name a key file in that folder.")
    return read_key(path) if path.exists() else make_key(path)


def run_project(project: Project, output: Path, progress: Callable[[str], object] = lambda _: None) -> Run:
    """De-identify a project's file, write it to ``output``, read it again, measure it again and attack it.

    A column that only an accepted guess released, and in which the attack finds something, is left out, and the file is
    written again without it. What a person decided stays as it is: then the verdict says what was found.
    """
    project.check_ready()
    progress("reading the file")
    with telling(progress):
        inputs = without_found(project, read_inputs(project))
    for _ in range(_TRIES):
        with telling(progress):
            run = _written(project, inputs, output, progress)
        weak = _weak(run.inputs, run.report.findings)
        if not weak:
            break
        inputs = inputs.without(weak)
    return run


def without_found(project: Project, inputs: Inputs) -> Inputs:
    """Return the inputs without the guesses that an attack on the values breaks; refuse such columns before a search.

    A policy needs no search: there the attack on the written file says what it found in a person's columns.
    """
    claim = claim_of(project, inputs.treatment, inputs.conformity, {}, {})
    findings = findings_before(inputs.table, inputs.treatment, claim, inputs.people)
    guessed = {variable.name for variable in inputs.treatment.variables if variable.accepted}
    if inputs.treatment.target is not None:
        refuse_found([finding for finding in findings if not guessed & set(finding.columns)])
    weak = _weak(inputs, [finding for finding in findings if guessed & set(finding.columns)])
    return inputs.without(weak) if weak else inputs


def _written(project: Project, inputs: Inputs, output: Path, progress: Callable[[str], object]) -> Run:
    """Write a release, and attack what was written."""
    key = secret_key(project, inputs.treatment)
    inputs, before, result = deidentified_of(project, inputs, key, progress)
    progress("writing the release")
    write_coded(result.as_written(), output)
    progress("reading the release again")
    written = result.in_order_of_file(read_coded(output, every_row=True))
    after = check_written(inputs, result, written)
    progress("attacking the written file")
    sets = result.generalization.sets() if result.generalization else {}
    claim = claim_of(project, inputs.treatment, inputs.conformity, _coined(inputs), sets).but(areas=inputs.areas_shown)
    drawn, people = inputs.table.take(result.rows), inputs.people[result.rows]
    hidden = None  # the person of each row, where the file does not show it
    if claim.person and claim.person not in written.names:
        is_named = drawn[claim.person].codes > 0
        if inputs.treatment.known or not is_named.all():
            hidden = np.where(is_named, people + 1, 0)
    in_order = None if hidden is None else hidden[result.order]
    report = attack(output, claim, in_order)
    kinds = {name: report.explained.get(name, "") for name in written.names}
    more = told_of_original(drawn, written, inputs.treatment, on_word(claim, kinds), people)
    already = {name for finding in report.findings for name in finding.columns}
    findings = tuple(finding for finding in more if not already & set(finding.columns))
    tried = (*report.tried, _ORIGINAL, TRIED) if report.tried else ()
    report = replace(report, findings=(*report.findings, *findings), tried=tried)
    if tried:
        report = replace(report, not_tried=(*report.not_tried, NOT_TRIED))
        read_as = {name: (look.kind, look.format) for name, look in project.looks.items()}
        compared = drawn, written, inputs.treatment, claim, read_as, people
        found = recovered(*compared, computed(*compared))
        seen, report = report.against, with_computed(report, found, written, claim, hidden)
        claim = claim.guessed({name: guess for name, guess in report.against.items() if name not in seen})
    return Run(inputs, result, written, before, after, key, claim, report, in_order)


def deidentified_of(
    project: Project, inputs: Inputs, key: SecretKey | None, progress: Callable[[str], object] = lambda _: None
) -> tuple[Inputs, ReleaseRisk, Deidentified]:
    """Return a project's de-identified file, the risk of the file before, and the inputs by which it was made.

    Where the released columns join the rows of people, key fields as they are shown too, an attacker knows all rows
    of its target, unless the project says how many; the file is then de-identified again.
    """
    progress("measuring the original file")
    before = inputs.before()
    counted = inputs.cells if inputs.treatment.searched and inputs.treatment.sample == 1 else None
    result = deidentify(inputs.table, inputs.treatment, key, inputs.population, progress, counted=counted)
    if project.target.known or inputs.treatment.known != "1":
        return inputs, before, result
    released = [as_written(name, column) for name, column in result.table.columns.items()]
    together = joined_of(released, inputs.people[result.rows], in_order=inputs.treatment.keep_order)
    if not together.counts:
        return inputs, before, result
    try:
        return deidentified_of(project, inputs.knowing_all_rows(str(together)), key, progress)
    except NotEstimableError as error:
        raise NotEstimableError(
            f"{error} For one row of a person a release meets it, but in that {together}. Leave one of these columns "
            'out, make it a key field, or add known = "1" to the table target.'
        ) from error


def refuse_odd_header(file: str, table: CodedTable) -> None:
    """Refuse a file without a header, and one in which people are columns: each row has to be a person."""
    columns = tuple(as_written(name, table[name]) for name in table.names)
    if findings := attack_header(WrittenFile(columns)):
        raise InputError(f"{file}: {findings[0]}.")


def _coined(inputs: Inputs) -> dict[str, tuple[str, ...]]:
    """Return the labels by column that ladders wrote and that no value of the original file spells."""
    searched = inputs.treatment.searched
    labels = {v.name: labels_of_scheme(v.scheme, inputs.table[v.name], v.rows) for v in searched}
    return {name: tuple(sorted(texts)) for name, texts in labels.items() if texts}


def _weak(inputs: Inputs, findings: Sequence[Finding]) -> dict[str, str]:
    """Return the columns that nobody decided on and in which an attack found something, with what it found."""
    guessed = {variable.name for variable in inputs.treatment.variables if variable.accepted}
    weak: dict[str, str] = {}
    for finding in findings:
        for name in guessed & set(finding.columns) if len(finding.columns) == 1 else ():
            weak.setdefault(name, finding.what)
    released = [v.name for v in inputs.treatment.variables if v.treatment != "drop"]
    return weak if set(released) - set(weak) else {}


def risk_of_written(inputs: Inputs, result: Deidentified, written: CodedTable) -> ReleaseRisk:
    """Measure the written file from its texts."""
    fields = [variable.name for variable in inputs.treatment.searched]
    levels, cells, by_text = result.generalization, result.cells, None
    if levels is not None and cells is not None and inputs.has_population:
        by_text = levels.people_by_text(cells)
    whose = inputs.people[result.rows] if inputs.treatment.person else None
    ladders = inputs.treatment.hierarchies(inputs.table)
    return recounted(written, fields, whose, by_text, ladders, inputs.treatment.known)


def check_written(inputs: Inputs, result: Deidentified, written: CodedTable) -> ReleaseRisk:
    """Measure the written file, and refuse one that does not meet its target."""
    after, target = risk_of_written(inputs, result, written), inputs.treatment.target
    if target is not None and not after.meets(target):
        raise NotEstimableError(
            f"the written file does not meet the target ({target.describe()}). The program removed it."
        )
    return after
