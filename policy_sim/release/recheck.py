"""Check a release again: newer people, an overlapping release, a changed answer or a passed day may end its verdict."""

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from policy_sim.files.writing import gone_with_this_process, sha256_of
from policy_sim.records.census_values import alike_name
from policy_sim.records.formats import SHEET, CodedTable, read_coded
from policy_sim.release.attack.joined import apart
from policy_sim.release.attack.report import MET, AttackReport, Finding, Verdict, sets_of_json
from policy_sim.release.attack.run import attack
from policy_sim.release.claims import claim_of
from policy_sim.release.conditions import ClassCondition
from policy_sim.release.deidentified import Treatment, key_cells_of
from policy_sim.release.dossier import project_in_dossier
from policy_sim.release.files import read_text
from policy_sim.release.generalization import Generalization
from policy_sim.release.linkable import people_of_rows, target_of_people
from policy_sim.release.people import linkage_of
from policy_sim.release.project import Project
from policy_sim.release.results import ATTACK, Rechecked
from policy_sim.release.run import named_as_in_file, read_inputs, treatment_of
from policy_sim.release.targets import RiskTarget, recounted
from policy_sim.release.written import (
    PROJECT,
    ReleaseFolder,
    again_text,
    others_sent,
    read_figures,
    read_people,
    without_seed,
)
from policy_sim.show.numbers import bare
from policy_sim.words.arrays import IntArray
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError, PolicySimError, SourceError

_Check = dict[str, str]


def recheck(
    project: Project,
    out: Path,
    *,
    population: str = "",
    overlap: str | Path | None = None,
    overlap_on: str = "",
    today: dt.date | None = None,
) -> Rechecked:
    """Return one row per check, as :meth:`Release.recheck` describes."""
    figures = read_figures(out)
    folder = ReleaseFolder.find(out)
    path = folder.send / figures["output"]["name"]
    if not path.exists():
        return Rechecked([], _withheld(figures, folder))
    rows = [_unchanged(figures, path)]
    sheet = SHEET if path.suffix == ".xlsx" else ""  # whatever others added to it
    released = read_coded(path, sheet=sheet, every_row=True)
    try:
        people = read_people(folder, figures)
    except SourceError as error:
        return Rechecked(rows, AttackReport(broken=str(error)))
    named = named_as_in_file(project, released.names, path.name)
    check = _Recheck(named, figures, path, released, people, again_text(folder))
    report = check.attacked().with_findings(others_sent(folder, figures))
    rows.append(check.by_attack(report))
    if project.target.aim != "policy":
        rows.append(check.by_target())
    if population:
        rows.append(check.among_people(population))
    rows += check.newer_lists(population)
    if overlap is not None:
        joined, whose = overlapping_table(released, read_coded(Path(overlap)), overlap_on)
        rows.append(check.overlap(joined, whose, overlap_on, Path(overlap).name))
    return Rechecked([*rows, *_due(project, today or dt.date.today())], report)


def _withheld(figures: Mapping[str, Any], folder: ReleaseFolder) -> AttackReport:
    """Return the report of a run that left no file to send, or whose file is gone."""
    if str(figures.get("verdict", "")).startswith(MET):
        file = f"{'' if folder.is_flat else 'send/'}{figures['output']['name']}"
        return AttackReport(broken=f"{file} is missing. Give it back its name, or {again_text(folder)}")
    before = [Finding(tuple(x["columns"]), x["what"], x["do"]) for x in figures.get("found", ())]
    return AttackReport(findings=tuple(before), broken="the run left no file to send")


def _row(check: str, before: str, now: str, holds: bool | None, why: str) -> _Check:
    verdict = {True: "yes", False: "no", None: "unknown"}[holds]
    return {"check": check, "before": before, "now": now, "holds": verdict, "why": why}


def _unchanged(figures: Mapping[str, Any], path: Path) -> _Check:
    before = figures["output"]["sha256"]
    now = sha256_of(path) if path.exists() else "missing"
    why = "the released file is the one that was measured" if now == before else "the released file has changed"
    return _row("the released file is unchanged", before[:12], now[:12], now == before, why)


@dataclass(frozen=True, eq=False)
class _Recheck:
    """A release to check again: the project as it is today, and the figures, path and records of the released file.

    ``people`` has a number for the person of each of its rows, 0 for nobody, where the run wrote that down because the
    file does not show it. ``again`` says how to make the release anew.
    """

    project: Project
    figures: Mapping[str, Any]
    path: Path
    released: CodedTable
    people: IntArray | None = None
    again: str = ""

    def by_target(self) -> _Check:
        """Check the released file against the target as today's answers give it."""
        check, before = "the file, by today's answers", self.figures["aim"]
        try:
            target = self.project.risk_target
        except PolicySimError as error:
            return _row(check, before, "", None, str(error))
        assert target is not None, "a policy is checked by itself"
        if target.needs_population and self.figures["search"] is not None:
            try:
                return self.among_people("") | {"check": check, "before": before}
            except PolicySimError as error:
                return _row(check, before, target.describe(), None, str(error))
        keys = [column["name"] for column in self.figures["variables"] if column["role"] == "key"]
        fields = [name for name in keys if name in self.released.names]
        return self._judged(check, target, self.released, fields, self._whose)

    def attacked(self) -> AttackReport:
        """Attack the released file, by what the project as it is now claims of it."""
        try:
            treatment, conformity = treatment_of(self.project, self.released.names)
        except PolicySimError as error:
            return AttackReport(broken=str(error).rstrip("."))
        before = self.figures.get("claim", {})
        coined = {name: tuple(texts) for name, texts in before.get("coined", {}).items()}
        sets = sets_of_json(before)
        guesses = {name: word.get("guess", "") for name, word in before.get("words", {}).items()}
        claim = claim_of(self.project, treatment, conformity, coined, sets).guessed(guesses)
        known, areas = before.get("known_rows", claim.known_rows), tuple(before.get("areas", ()))
        person = before.get("person", claim.person)
        return attack(self.path, claim.but(known_rows=known, areas=areas, person=person), self.people)

    def by_attack(self, report: AttackReport) -> _Check:
        """Say what the attack found, next to the verdict of the run."""
        verdict = Verdict(report)
        why = "; ".join(map(str, report.findings)) or report.broken or "nothing was found"
        holds = {"MET": True, "NOT MET": False}.get(verdict.outcome)
        return _row(ATTACK, self.figures.get("verdict", ""), str(verdict), holds, why)

    @property
    def _whose(self) -> IntArray | None:
        person = self.figures.get("claim", {}).get("person") or self.project.file.person  # which the release shows
        if person in self.released.names:
            return people_of_rows(self.released, person, released=True)
        return None if self.people is None or len(self.people) != self.released.rows else apart(self.people)

    @property
    def _known(self) -> str:
        """How many rows of a person are known: as the project says, or else all where the file shows the person."""
        claimed = "all" if self.people is None else self.figures.get("claim", {}).get("known_rows", "all")
        return self.project.target.known or claimed

    def _judged(
        self,
        check: str,
        target: RiskTarget,
        table: CodedTable,
        fields: Sequence[str],
        whose: IntArray | None,
        people_by_text: Mapping[tuple[str, ...], int] | None = None,
    ) -> _Check:
        """Count the classes of a file and what they tell; what it does not show leaves unknown whether it holds."""
        before = self.figures["aim" if people_by_text is None else "population"]
        try:
            treatment, _ = treatment_of(self.project, table.names)
            reasons = [_why_uncounted(condition, treatment, table, people_by_text) for condition in target.conditions]
            pairs = zip(target.conditions, reasons, strict=True)
            counted = replace(target, conditions=tuple(condition for condition, reason in pairs if not reason))
            ladders = replace(treatment, target=counted).hierarchies(table)
            known = self._known if whose is not None else ""
            counted = target_of_people(counted, known) or counted
            risk = recounted(table, fields, whose, people_by_text, ladders, known)
        except PolicySimError as error:
            return _row(check, before, target.describe(), None, str(error))
        target = replace(target, known=counted.known, sizes=counted.sizes)
        holds, value = risk.meets(counted), risk.risk(target)
        size = target.size_of(risk.sizes, risk.people)
        risk_text = "-" if value is None else bare(value, 4)
        why = f"risk {risk_text}, smallest class {int(size.min()) if len(size) else 0:,}; target: {target.describe()}"
        if whose is None and self.figures["after"]["records"] < self.figures["after"]["rows"]:
            reasons.append(
                "people, because the file does not show which rows belong to one person, and an earlier version kept "
                f"no list of that with its sha256; {self.again}"
            )
        uncounted = "".join(f"; not counted: {reason}" for reason in reasons if reason)
        return _row(check, before, target.describe(), None if holds and uncounted else holds, why + uncounted)

    def among_people(self, name: str) -> _Check:
        """Measure the released file among its people, or those of another population, at the levels as released."""
        project, search, check = self.project, self.figures["search"], f"the file among the people of {name}"
        settings, unknown = project.population, (check, self.figures["population"], name, None)
        if name and settings.source == "none":
            raise InputError(
                f"{ask('population')} needs a project with a population. Give one in its table population."
            )
        target = None if project.target.aim == "policy" else project.risk_target
        if search is None or target is None:
            return _row(*unknown, "the release has no target of risk")
        if search.get("recoding") == "local":
            return _row(*unknown, "the rows are at several levels: run the release again with the newer population")
        if name:
            is_path = settings.source == "file"
            settings = replace(settings, name=str(Path(name).resolve()) if is_path else name)
        inputs = read_inputs(replace(project, population=settings))
        people = inputs.population or (inputs.table, np.ones(inputs.table.rows, dtype=np.int64))
        cells = key_cells_of(inputs.table, inputs.treatment, inputs.people, people)
        node = tuple(ladder.names.index(search["levels"][ladder.field]) for ladder in cells.ladders)
        by_text = Generalization(cells.ladders, (node,), np.zeros(0, dtype=np.int64)).people_by_text(cells)
        fields = [ladder.field for ladder in cells.ladders]
        return self._judged(check, target, self.released, fields, self._whose, by_text)

    def newer_lists(self, population: str) -> list[_Check]:
        """Link the released file again, with the lists and people of today."""
        before, search = self.figures.get("linkage"), self.figures["search"]
        if not before or not before["rows"] or search is None:
            return []
        variables = tuple(variable for variable in self.project.variables if variable.name in search["levels"])
        counties = before.get("counties")  # earlier versions did not write them
        linked = linkage_of(self.project, variables, search["levels"], self.path, population, counties)
        now = linked or {"rows": []}
        target = self.project.risk_target
        rows = []
        for old in before["rows"]:
            new = next((r for r in now["rows"] if (r["attacker"], r["state"]) == (old["attacker"], old["state"])), None)
            holds, why = None, "the largest chance of a record, as the target allows it"
            if new is None or new["largest_chance"] is None:
                why = (new and new["reason"]) or "no figure today"
            elif target is not None:
                holds = new["largest_chance"] <= 1 / target.least
            where = f"linked by {old['attacker']} in {old['state']}"
            rows.append(_row(where, _linked_text(old), _linked_text(new), holds, why))
        return rows

    def overlap(self, joined: CodedTable, whose: IntArray, on: str, name: str) -> _Check:
        """Check the people who are also in another release, by the columns of both."""
        keys = {column["name"] for column in self.figures["variables"] if column["role"] == "key"}
        fields = [column for column in joined.names if column in keys or (column.startswith("other ") and column != on)]
        check = f"people who are also in {name}, by the columns of both files"
        target = self.project.risk_target
        if target is None:
            return _row(check, self.figures["aim"], "", None, "a policy does not cover two releases together")
        return self._judged(check, replace(target, sizes="file"), joined, fields, whose)


def _why_uncounted(
    condition: ClassCondition,
    treatment: Treatment,
    table: CodedTable,
    people_by_text: Mapping[tuple[str, ...], int] | None,
) -> str:
    """Return why a file does not show whether it meets a condition; an empty text where it does."""
    if condition.measure == "presence":
        return "presence, which needs the people of a population" if people_by_text is None else ""
    if condition.of not in table.names:
        return f"{condition.of}, which the file does not have"
    kinds = {variable.name: variable.kind for variable in treatment.variables}
    if condition.distance == "hierarchical" and kinds[condition.of] != "table":
        return f"the distance of {condition.of}, whose hierarchy depends on the values of the original file"
    return ""


def _linked_text(row: Mapping[str, Any] | None) -> str:
    if row is None:
        return "-"
    if row["largest_chance"] is None:
        return str(row["status"])
    return f"{bare(row['total_risk'], 4)} correct, largest chance {bare(row['largest_chance'], 4)}"


def overlapping_table(released: CodedTable, other: CodedTable, on: str) -> tuple[CodedTable, IntArray]:
    """Return the records that two releases share, with the columns of both, and a number for the person of each."""
    ours_is, theirs_is = alike_name(on, released.names), alike_name(on, other.names)
    if not ours_is or not theirs_is:
        raise InputError("name a column that both releases have, such as a pseudonym made with the same key.")
    mine = pd.DataFrame({"person": released[ours_is].texts(), "row": np.arange(released.rows)})
    theirs = pd.DataFrame({"person": other[theirs_is].texts(), "row": np.arange(other.rows)})
    both = mine[mine["person"] != ""].merge(theirs, on="person", suffixes=("", "_other"))
    if both.empty:
        raise InputError(
            f"the two releases have no value of {on} in common: they have different keys or different people."
        )
    columns = {name: column.take(both["row"].to_numpy()) for name, column in released.columns.items()}
    theirs_too = {name: column for name, column in other.columns.items() if name != theirs_is}
    columns |= {f"other {name}": column.take(both["row_other"].to_numpy()) for name, column in theirs_too.items()}
    return CodedTable(columns), np.unique(both["person"], return_inverse=True)[1].astype(np.int64)


def _due(project: Project, today: dt.date) -> list[_Check]:
    """Check the day on which the release is to be looked at again, if one was set."""
    day = project.value("reassess") if any(q.id == "reassess" for q in project.edition.questions) else ""
    if not day:
        return []
    holds = today <= dt.date.fromisoformat(day)
    return [_row("the date of re-assessment", day, today.isoformat(), holds, "not yet due" if holds else "overdue")]


@contextmanager
def project_of(path: Path) -> Iterator[Path]:
    """Yield the project file of a release, a dossier or a project file, as a copy that lasts as long as the block.

    A release is named by its folder, and gives the same rows in the same order; a dossier alone has no seed. Files that
    the project names, such as a hierarchy or a key, are looked for next to the folder of the release, or next to a
    dossier that lies alone. A project file is yielded itself.
    """
    is_page = path.suffix.casefold() in (".html", ".htm")
    if not path.is_dir() and not is_page:
        yield path
        return
    text, place = None, path.parent
    if is_page:
        text = project_in_dossier(read_text(path))
        if text is None:
            raise InputError(f"{path} is not the dossier of a release.")
    with suppress(SourceError):
        folder = ReleaseFolder.find(path if path.is_dir() else path.parent)
        project_text = read_text(folder.keep / PROJECT)
        if text is None or without_seed(project_text) == text:  # the dossier of that very run
            text, place = project_text, folder.keep if folder.is_flat else folder.root.parent
    if text is None:
        raise SourceError(f"{path}: no {PROJECT} of a release. Name the folder that 'run' wrote.")
    with tempfile.NamedTemporaryFile("wb", dir=place, prefix=".release-", suffix=".toml") as file:
        gone_with_this_process(Path(file.name))
        file.write(text.encode())
        file.flush()
        yield Path(file.name)
