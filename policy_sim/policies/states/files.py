"""The schema of the files in ``data/releases``: what each key may hold, and everything that is wrong at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationInfo, create_model

from policy_sim.files.evidence import Source
from policy_sim.files.paths import data_dir
from policy_sim.files.schema import (
    CitingTable,
    Flag,
    MaybeUsd,
    StrictTable,
    Text,
    Texts,
    noun_of,
    one_of,
    read_sources,
    read_tables,
    unknown_keys,
    word,
)
from policy_sim.files.toml import (
    folder_digest,
    folder_files,
    folder_state,
    read_state_file,
    shortened,
    shown_path,
    state_of_file,
)
from policy_sim.policies.policy import Policy
from policy_sim.policies.states.state_release import (
    NEWEST,
    RELEASE_ELEMENTS,
    RELEASE_PRICE_KINDS,
    SETTINGS,
    YEARS_WORDS,
    Finding,
    Program,
    StateRelease,
    newest_policy,
    one_release_policy,
    years_of,
)
from policy_sim.voter_lists.list_field import BUYERS
from policy_sim.words.errors import InputError, PolicySimError, SchemaError, UnknownNameError
from policy_sim.words.states import find_state, unknown_state

ALL_YEARS = "all"


def _years(text: str) -> str:
    years_of(text)
    return text


def _years_or_all(text: str) -> str:
    if text != ALL_YEARS:
        years_of(text)
    return text


def _program(name: str, info: ValidationInfo) -> str:
    if info.context is not None:
        one_of(list(info.context["programs"]))(name)
    return name


_Whole = Annotated[int, Field(description="a whole number, without quotes")]
_Years = Annotated[str, AfterValidator(_years), Field(description=YEARS_WORDS)]
_YearsOrAll = Annotated[str, AfterValidator(_years_or_all), Field(description=f'"all", or {YEARS_WORDS}')]
_Buyers = Annotated[list[Annotated[str, AfterValidator(one_of(BUYERS))]] | None, Field(description="a list of words")]


class AgreementTable(CitingTable):
    """``[program.agreement]``: what a recipient must sign; leave ``required`` out where no source says."""

    name: Text = ""
    required: Flag | None = None
    forbids: Text = ""
    citation: Text = ""


class ReleasePriceTable(CitingTable):
    """``[program.price]``: what a file costs."""

    kind: word(RELEASE_PRICE_KINDS)  # type: ignore[valid-type]
    usd: MaybeUsd = None
    per: Text = ""
    date: Text = ""
    note: Text = ""


class ProgramTable(CitingTable):
    """``[[program]]``: who releases a file, to whom, and on what terms."""

    id: Text
    title: Text
    holder: Text
    setting: word(SETTINGS)  # type: ignore[valid-type]
    buyers: _Buyers = None
    agreement: AgreementTable = AgreementTable()
    price: ReleasePriceTable = ReleasePriceTable(kind="unknown")
    caveats: Texts = Field(default_factory=list)


_ElementYears: Any = create_model(
    "_ElementYears",
    __base__=StrictTable,
    **dict.fromkeys(RELEASE_ELEMENTS, (_YearsOrAll, "")),  # type: ignore[call-overload]
)


class ReleaseTable(CitingTable):
    """``[[release]]``: a file of the state, its years, and the years in which it shows each element."""

    id: Text
    program: Annotated[str, AfterValidator(_program), Field(description="the id of a [[program]]")]
    years: _Years
    two_files: Annotated[str, AfterValidator(lambda text: text and _years(text)), Field(description=YEARS_WORDS)] = ""
    complete: Flag = True
    shows: _ElementYears = Field(default_factory=_ElementYears)
    withholds: _ElementYears = Field(default_factory=_ElementYears)
    unknown: _ElementYears = Field(default_factory=_ElementYears)
    caveats: Texts = Field(default_factory=list)


class FindingTable(CitingTable):
    """``[[finding]]``: what a survey counts."""

    id: Text
    year: _Whole
    says: Text
    counted: _Whole | None = None


def element_years(table: Any, years: frozenset[int]) -> Mapping[str, frozenset[int]]:
    """Return the years per element of a table such as ``[release.shows]``."""
    texts = {name: getattr(table, name) for name in RELEASE_ELEMENTS}
    return {name: years if text == ALL_YEARS else years_of(text) for name, text in texts.items() if text}


# From the tables of a release file to releases, and every problem on the way.


# The file of a folder with the programs of several states, and with what they cite.
SHARED_PROGRAMS = "_programs.toml"

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
        """Return the releases that have a year."""
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
    """Return what the file of a state (the postal code of its name) says; every problem is added with its path."""
    if raw.get("jurisdiction") != state:
        problems.append(
            f"jurisdiction = {shortened(repr(raw.get('jurisdiction')))}, but the file's name says {state!r}."
        )
    problems += unknown_keys(raw, ("jurisdiction", "program", "release", "finding", "source"))
    sources = {**cited, **read_sources(raw, problems)}
    programs = {**shared, **_programs(raw, sources, problems)}
    context = {"sources": sources, "programs": programs, "shared": SHARED_PROGRAMS}
    releases = [
        _release(table, state, programs, sources, problems, at)
        for table, at in read_tables(ReleaseTable, raw, "release", problems, context)
    ]
    complete = [release for release in releases if release is not None]
    ids = [release.id for release in complete]
    problems += [
        f"release {name!r} is defined twice; give each its own id." for name in set(ids) if ids.count(name) > 1
    ]
    findings = [noun_of(Finding, entry) for entry, _ in read_tables(FindingTable, raw, "finding", problems, context)]
    used = {name for entry in findings for name in entry.evidence.sources}
    return ReleaseFile(
        state, tuple(complete), tuple(findings), {name: sources[name] for name in used if name in sources}
    )


def _release(
    table: Any, state: str, programs: _Programs, sources: _Sources, problems: list[str], at: str
) -> StateRelease | None:
    years = years_of(table.years)
    program = programs[table.program]
    cited = [*table.sources, *program.evidence.sources]
    cited += [*program.agreement.evidence.sources, *program.price.evidence.sources]
    try:
        return noun_of(
            StateRelease,
            table,
            state=state,
            program=program,
            years=tuple(sorted(years)),
            two_files=tuple(sorted(years_of(table.two_files))) if table.two_files else (),
            sources={name: sources[name] for name in dict.fromkeys(cited)},
            **{name: element_years(getattr(table, name), years) for name in ("shows", "withholds", "unknown")},
        )
    except PolicySimError as error:
        problems.append(f"{at}{error}")
        return None


def parse_programs(raw: Mapping[str, Any], problems: list[str]) -> tuple[dict[str, Program], dict[str, Source]]:
    """Return the programs and sources that several files share; problems are added as lines."""
    problems += unknown_keys(raw, ("program", "source"))
    sources = read_sources(raw, problems)
    return _programs(raw, sources, problems), sources


def _programs(raw: Mapping[str, Any], sources: _Sources, problems: list[str]) -> dict[str, Program]:
    programs: dict[str, Program] = {}
    context = {"sources": sources, "shared": SHARED_PROGRAMS}
    for table, _ in read_tables(ProgramTable, raw, "program", problems, context):
        if table.id in programs:
            problems.append(f"program {shortened(table.id)!r} is defined twice; give each its own id.")
        programs[table.id] = noun_of(Program, table)
    return programs


# The releases of all states, read from ``data/releases``: one TOML file per jurisdiction.


PREFIX = "release:"
NATION = "US"
_KIND = "release"


def load_releases(directory: Path | None = None) -> dict[str, ReleaseFile]:
    """Return the file of every jurisdiction, by postal code; ``US`` holds the surveys of all states."""
    folder = directory or data_dir() / "releases"
    return _read_once(folder, folder_state(folder_files(folder, _KIND)))


@lru_cache(maxsize=4)
def _read_once(folder: Path, _state: tuple[tuple[str, int], ...]) -> dict[str, ReleaseFile]:
    files, problems = scan_release_files(folder)
    if problems:
        raise SchemaError.together(problems)
    return files


def scan_release_files(directory: Path | None = None) -> tuple[dict[str, ReleaseFile], dict[str, list[str]]]:
    """Return every file that could be read, and the problems by file (empty when all is well)."""
    folder = directory or data_dir() / "releases"
    problems: dict[str, list[str]] = {}
    files: dict[str, ReleaseFile] = {}
    shared = folder / SHARED_PROGRAMS
    programs, sources = _shared(shared if shared.is_file() else data_dir() / "releases" / SHARED_PROGRAMS, problems)
    for path in folder_files(folder, _KIND):
        if path.name == SHARED_PROGRAMS:
            continue
        lines = problems.setdefault(shown_path(path), [])
        state = state_of_file(path, lines, also=(NATION,))
        raw = read_state_file(path, lines, SHARED_PROGRAMS) if state else None
        if raw is not None:
            files[state] = parse_release_file(raw, state, programs, sources, lines)
    return files, {where: lines for where, lines in problems.items() if lines}


def releases_of(state: str, directory: Path | None = None) -> ReleaseFile:
    """Return the file of one state (postal code, FIPS code or name)."""
    files = load_releases(directory)
    postal = NATION if state.strip().upper() == NATION else find_state(state).postal
    if postal not in files:
        raise unknown_state("state with a recorded release:", postal, files)
    return files[postal]


def newest_releases(setting: str = "inpatient", year: int | None = None) -> dict[str, tuple[StateRelease, int]]:
    """Return each state's newest file whose source lists every element, and its year; or that of one year.

    >>> newest_releases()["NC"][1], newest_releases(year=1998)["AZ"][1]
    (2020, 1998)
    """
    chosen: dict[str, tuple[StateRelease, int]] = {}
    for state, file in load_releases().items():
        for release in file.releases:
            if release.program.setting != setting or not release.complete:
                continue
            last = year if year in release.years else max(release.years) if year is None else None
            if last is not None and last > chosen.get(state, (release, 0))[1]:
                chosen[state] = (release, last)
    return chosen


def release_policy(name: str) -> Policy:
    """Return the policy of ``newest`` or of one file such as ``NC:2016:emergency``, with ``release:`` in front or not.

    >>> str(release_policy("NC:2016").releases)
    'gender+race=five_races+ethnicity+birth=month+geography=county_zip5'
    """
    parts = name.removeprefix(PREFIX).split(":")
    if parts == [NEWEST]:
        return newest_policy(newest_releases())
    if len(parts) not in (2, 3) or not parts[1].isascii() or not parts[1].isdecimal():
        raise InputError(
            f"release {name!r}: write 'newest', or a state, a year and a file: NC:2016, NC:2016:emergency."
        )
    file, program = releases_of(parts[0]), parts[2] if len(parts) == 3 else "inpatient"
    by_id = {release.id: release for release in file.releases}
    if program not in by_id:
        raise UnknownNameError(f"file of {file.jurisdiction}", program, by_id)
    return one_release_policy(by_id[program], int(parts[1]))


def releases_digest(directory: Path | None = None) -> str:
    """Return a sha256 over the names and bytes of the files."""
    return folder_digest(folder_files(directory or data_dir() / "releases", _KIND))


def _shared(path: Path, problems: dict[str, list[str]]) -> tuple[dict[str, Program], dict[str, Source]]:
    lines = problems.setdefault(shown_path(path), [])
    return parse_programs(read_state_file(path, lines, SHARED_PROGRAMS) or {}, lines)
