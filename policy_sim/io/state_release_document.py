"""From the tables of a release file to releases, and every problem on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from policy_sim.errors import PolicySimError, UnknownNameError
from policy_sim.io.document_problems import read_document
from policy_sim.io.schema_values import SourceTable
from policy_sim.io.state_release_schema import FindingTable, ProgramTable, ReleaseTable, element_years
from policy_sim.io.toml_table import near_word, shortened
from policy_sim.state_releases.state_release import Agreement, Finding, Program, ReleasePrice, StateRelease
from policy_sim.state_releases.year_ranges import years_of
from policy_sim.voter_lists.evidence import Evidence, Source

__all__ = ["SHARED_PROGRAMS", "ReleaseFile", "parse_programs", "parse_release_file"]

# The file of a folder with the programs of several states, and with what they cite.
SHARED_PROGRAMS = "_programs.toml"

_TABLES: Mapping[str, type[Any]] = {
    "program": ProgramTable,
    "release": ReleaseTable,
    "finding": FindingTable,
    "source": SourceTable,
}
_Programs = Mapping[str, Program]
_Sources = Mapping[str, Source]


@dataclass(frozen=True)
class ReleaseFile:
    """What one file holds: the releases of a state, or what surveys say about all of them."""

    jurisdiction: str
    releases: tuple[StateRelease, ...] = ()
    findings: tuple[Finding, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)

    def releases_in(self, year: int) -> tuple[StateRelease, ...]:
        """Return the releases that have a year.

        Raises
        ------
        UnknownNameError : none has it.
        """
        chosen = tuple(release for release in self.releases if year in release.years)
        if not chosen:
            years = sorted({str(year) for release in self.releases for year in release.years})
            raise UnknownNameError(f"year of the releases of {self.jurisdiction}", str(year), years)
        return chosen


def parse_release_file(
    raw: Mapping[str, Any],
    state: str,
    shared: Mapping[str, Program],
    cited: Mapping[str, Source],
    problems: list[str],
) -> ReleaseFile:
    """Return what a file says.

    Parameters
    ----------
    raw : The file's document.
    state : The postal code that the file's name gives.
    shared, cited : Programs and sources of several files, by id.
    problems : Where every problem is added, one line each, with its path.
    """
    if raw.get("jurisdiction") != state:
        problems.append(
            f"jurisdiction = {shortened(repr(raw.get('jurisdiction')))}, but the file's name says {state!r}."
        )
    problems += _unknown_keys(raw, ("jurisdiction", *_TABLES))
    sources = {**cited, **_sources(raw, problems)}
    programs = {**shared, **_programs(raw, sources, problems)}
    context = {"sources": sources, "programs": programs, "shared": SHARED_PROGRAMS}
    releases = [
        _release(table, state, programs, sources, problems, at)
        for table, at in _read(raw, "release", context, problems)
    ]
    complete = [release for release in releases if release is not None]
    ids = [release.id for release in complete]
    problems += [
        f"release {name!r} is defined twice; give each its own id." for name in set(ids) if ids.count(name) > 1
    ]
    findings = [
        Finding(entry.id, entry.year, entry.says, entry.counted, _evidence(entry))
        for entry, _ in _read(raw, "finding", context, problems)
    ]
    used = {name for entry in findings for name in entry.evidence.sources}
    return ReleaseFile(
        state, tuple(complete), tuple(findings), {name: sources[name] for name in used if name in sources}
    )


def _release(
    table: Any, state: str, programs: _Programs, sources: _Sources, problems: list[str], at: str
) -> StateRelease | None:
    years = years_of(table.years)
    program = programs[table.program]
    cited = [
        *table.sources,
        *program.evidence.sources,
        *program.agreement.evidence.sources,
        *program.price.evidence.sources,
    ]
    try:
        return StateRelease(
            state,
            table.id,
            program,
            tuple(sorted(years)),
            element_years(table.shows, years),
            element_years(table.withholds, years),
            element_years(table.unknown, years),
            table.complete,
            tuple(sorted(years_of(table.two_files))) if table.two_files else (),
            tuple(table.caveats),
            {name: sources[name] for name in dict.fromkeys(cited)},
        )
    except PolicySimError as error:
        problems.append(f"{at}{error}")
        return None


def parse_programs(raw: Mapping[str, Any], problems: list[str]) -> tuple[dict[str, Program], dict[str, Source]]:
    """Return the programs and sources that several files share; problems are added as lines."""
    problems += _unknown_keys(raw, ("program", "source"))
    sources = _sources(raw, problems)
    return _programs(raw, sources, problems), sources


def _programs(raw: Mapping[str, Any], sources: _Sources, problems: list[str]) -> dict[str, Program]:
    programs: dict[str, Program] = {}
    for table, _ in _read(raw, "program", {"sources": sources, "shared": SHARED_PROGRAMS}, problems):
        if table.id in programs:
            problems.append(f"program {shortened(table.id)!r} is defined twice; give each its own id.")
        agreement, price = table.agreement, table.price
        programs[table.id] = Program(
            table.id,
            table.title,
            table.holder,
            table.setting,
            None if table.buyers is None else tuple(table.buyers),
            Agreement(agreement.name, agreement.required, agreement.forbids, agreement.citation, _evidence(agreement)),
            ReleasePrice(price.kind, price.usd, price.per, price.date, price.note, _evidence(price)),
            tuple(table.caveats),
            _evidence(table),
        )
    return programs


def _sources(raw: Mapping[str, Any], problems: list[str]) -> dict[str, Source]:
    sources: dict[str, Source] = {}
    for table, _ in _read(raw, "source", {}, problems):
        if table.id in sources:
            problems.append(f"source {shortened(table.id)!r} is defined twice; give each its own id.")
        sources[table.id] = Source(table.id, table.title, table.url, table.date, table.note, tuple(table.also))
    return sources


def _read(raw: Mapping[str, Any], key: str, context: dict[str, Any], problems: list[str]) -> list[tuple[Any, str]]:
    """Return the tables of an array that could be read, each with what stands before its keys in a problem."""
    tables = raw.get(key, [])
    if not isinstance(tables, list):
        problems.append(f"{key} is not an array of tables, [[{key}]].")
        return []
    documents = []
    for number, table in enumerate(tables, 1):
        at = f"{key} {number}: "
        if not isinstance(table, dict):
            problems.append(f"{at}is not a table.")
        elif (document := read_document(_TABLES[key], table, problems, at, context)) is not None:
            documents.append((document, at))
    return documents


def _evidence(table: Any) -> Evidence:
    return Evidence(table.confidence, tuple(table.sources))


def _unknown_keys(raw: Mapping[str, Any], keys: tuple[str, ...]) -> list[str]:
    return [
        f"{shortened(key)} is not a known key.{near_word(key, keys)} Known here: {', '.join(keys)}. "
        "Remove it or correct its name."
        for key in raw
        if key not in keys
    ]
