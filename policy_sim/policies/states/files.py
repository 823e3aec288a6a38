"""The files in ``data/releases``: what each key may hold, everything that is wrong at once, and their tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import pandas as pd
import pydantic
from pydantic import AfterValidator, ValidationInfo, create_model

from policy_sim.files.evidence import Source
from policy_sim.files.paths import data_dir
from policy_sim.files.schema import (
    FACTS,
    CitingTable,
    Flag,
    StrictTable,
    Text,
    Texts,
    noun_of,
    one_of,
    read_sources,
    read_tables,
    table_of,
    unknown_keys,
    word,
)
from policy_sim.files.toml import StateFolder, shortened
from policy_sim.policies.policy import Policy
from policy_sim.policies.states.state_release import (
    NEWEST,
    RELEASE_ELEMENTS,
    RELEASE_PRICE_KINDS,
    SETTINGS,
    YEARS_WORDS,
    Agreement,
    Finding,
    Program,
    ReleasePrice,
    StateRelease,
    newest_policy,
    one_release_policy,
    views_of,
    year_ranges,
    years_of,
)
from policy_sim.voter_lists.list_field import BUYERS
from policy_sim.words.errors import InputError, PolicySimError, UnknownNameError
from policy_sim.words.fields import RACE_ALONE, Field, field_word
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


_Years = Annotated[str, AfterValidator(_years), pydantic.Field(description=YEARS_WORDS)]
_YearsOrAll = Annotated[str, AfterValidator(_years_or_all), pydantic.Field(description=f'"all", or {YEARS_WORDS}')]
_Buyers = Annotated[
    list[Annotated[str, AfterValidator(one_of(BUYERS))]] | None, pydantic.Field(description="a list of words")
]


ProgramTable: Any = table_of(
    Program,
    types=FACTS,
    setting=word(SETTINGS),
    buyers=_Buyers,
    agreement=table_of(Agreement, types=FACTS),
    price=table_of(ReleasePrice, types=FACTS, kind=(word(RELEASE_PRICE_KINDS), ...)),
)
FindingTable: Any = table_of(Finding, types=FACTS)


_ElementYears: Any = create_model(
    "_ElementYears",
    __base__=StrictTable,
    **dict.fromkeys(RELEASE_ELEMENTS, (_YearsOrAll, "")),  # type: ignore[call-overload]
)


class ReleaseTable(CitingTable):
    """``[[release]]``: a file of the state, its years, and the years in which it shows each element."""

    id: Text
    program: Annotated[str, AfterValidator(_program), pydantic.Field(description="the id of a [[program]]")]
    years: _Years
    two_files: Annotated[
        str, AfterValidator(lambda text: text and _years(text)), pydantic.Field(description=YEARS_WORDS)
    ] = ""
    complete: Flag = True
    shows: _ElementYears = pydantic.Field(default_factory=_ElementYears)
    withholds: _ElementYears = pydantic.Field(default_factory=_ElementYears)
    unknown: _ElementYears = pydantic.Field(default_factory=_ElementYears)
    caveats: Texts = pydantic.Field(default_factory=list)


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

RELEASE_FOLDER: StateFolder[ReleaseFile, tuple[dict[str, Program], dict[str, Source]]] = StateFolder(
    "release",
    lambda: data_dir() / "releases",
    SHARED_PROGRAMS,
    SHARED_PROGRAMS,
    NATION,
    parse_programs,
    lambda raw, state, shared, problems: parse_release_file(raw, state, *shared, problems),
)


def load_releases(directory: Path | None = None) -> dict[str, ReleaseFile]:
    """Return the file of every jurisdiction, by postal code; ``US`` holds the surveys of all states."""
    return RELEASE_FOLDER.read(directory)


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
            f"release {name.removeprefix(PREFIX)!r}: give newest, or a state and a year, such as NC:2016 or "
            "NC:2016:emergency ('policy-sim policy releases list' has them)."
        )
    file, program = releases_of(parts[0]), parts[2] if len(parts) == 3 else "inpatient"
    by_id = {release.id: release for release in file.releases}
    if program not in by_id:
        raise UnknownNameError(f"file of {file.jurisdiction}", program, by_id)
    return one_release_policy(by_id[program], int(parts[1]))


# Releases side by side: each state's file of a year, its elements, its history, and what differs.


# Elements of which a file shows all, or all of another group.
_Ways: TypeAlias = Sequence[Sequence[str]]
_SIGNS = {"shown": "shown", "withheld": "not shown", "unknown": "unknown"}
# Elements next to the measured ones that help to find a person.
_TOLD = ("admission_month", "person_link")


def releases_frame(chosen: Iterable[tuple[StateRelease, int]]) -> pd.DataFrame:
    """Return one row per file: what it shows of each field, on what terms, and how well that is known.

    ``sex`` to ``geography`` are granularities, with ``or`` between two ends where it is not known how finely a field is
    shown; an ethnicity that race tells is ``with race``. ``price_usd`` is missing where no source says, and 0 for a
    free file.
    """
    rows = []
    for release, year in chosen:
        program = release.program
        price = program.price
        rows.append(
            {
                "state": release.state,
                "file": release.id,
                "year": year,
                **_views(release, year),
                **{name: _SIGNS[release.availability(name, year)] for name in _TOLD},
                "agreement": program.agreement.describe(),
                "price": price.describe(),
                "price_usd": 0.0 if price.kind == "free" else price.usd,
                "buyers": "unknown" if program.buyers is None else ", ".join(program.buyers),
                "program": program.title,
                "confidence": program.evidence.confidence,
            }
        )
    columns = ["state", "file", "year", *map(field_word, Field), *_TOLD, "agreement", "price", "price_usd"]
    columns += ["buyers", "program", "confidence"]
    return pd.DataFrame(rows, columns=columns).astype({"year": "Int64", "price_usd": "Float64"})


def element_counts_frame(chosen: Iterable[tuple[StateRelease, int]]) -> pd.DataFrame:
    """Return, for each element, how many of the files show it, and in which states.

    Two combinations follow the elements: some county, and month of birth with sex, race and ZIP code.
    """
    files = list(chosen)
    ways: dict[str, tuple[str, _Ways]] = {
        name: (element.title, ((name,),)) for name, element in RELEASE_ELEMENTS.items()
    }
    ways["any_county"] = ("county of residence, in either form", (("county",), ("county_from_zip",)))
    ways["birth_month+sex+race+zip5"] = (
        "month of birth, sex, race and ZIP code together",
        [("birth_month", "birth_year", "sex", race, "zip5") for race in ("race", "race_ethnicity")],
    )
    rows = [_count(name, title, files, element) for name, (title, element) in ways.items()]
    columns = ["element", "title", "shown", "unknown", "files", "states"]
    return pd.DataFrame(rows, columns=columns)


def _count(name: str, title: str, files: Sequence[tuple[StateRelease, int]], ways: _Ways) -> dict[str, object]:
    """Count the files that show all elements of one of the ways."""
    elements_by_file = [(release.state, set(release.elements(year))) for release, year in files]
    states = [state for state, elements in elements_by_file if any(set(way) <= elements for way in ways)]
    unknown = sum(name in RELEASE_ELEMENTS and release.availability(name, year) == "unknown" for release, year in files)
    return {
        "element": name,
        "title": title,
        "shown": len(states),
        "unknown": unknown,
        "files": len(files),
        "states": " ".join(states),
    }


def elements_frame(releases: Iterable[StateRelease], only_year: int | None = None) -> pd.DataFrame:
    """Return one row per file and element that it ever shows, or of which it is not known: the years of each.

    ``only_year``: one year that all of them have; every year by default.
    """
    rows = []
    for release in releases:
        counted = release.years if only_year is None else (only_year,)
        for name, element in RELEASE_ELEMENTS.items():
            years = {
                word: [year for year in counted if release.availability(name, year) == word]
                for word in ("shown", "unknown")
            }
            if years["shown"] or years["unknown"]:
                rows.append(
                    {
                        "state": release.state,
                        "file": release.id,
                        "element": name,
                        "title": element.title,
                        "group": element.group,
                        "shown": year_ranges(years["shown"]),
                        "unknown": year_ranges(years["unknown"]),
                        "newest": _SIGNS[release.availability(name, counted[-1])],
                    }
                )
    return pd.DataFrame(rows, columns=["state", "file", "element", "title", "group", "shown", "unknown", "newest"])


def release_history_frame(release: StateRelease) -> pd.DataFrame:
    """Return one row per year of a file: what it shows of each field, and what came and went since the year before.

    Names of elements follow ``+`` where they came and ``-`` where they went; the first year lists nothing.
    """
    rows = []
    for before, year in zip((None, *release.years), release.years, strict=False):
        rows.append(
            {
                "state": release.state,
                "file": release.id,
                "year": year,
                **_views(release, year),
                "elements": len(release.elements(year)),
                "change": "" if before is None else _change(release, before, year),
            }
        )
    return pd.DataFrame(rows).astype({"year": "Int64"})


def release_diff_frame(release: StateRelease, before: int, after: int) -> pd.DataFrame:
    """Return one row per element that a file shows in one of two years and not in the other, or in a year unknown."""
    rows = []
    for name, element in RELEASE_ELEMENTS.items():
        old, new = (release.availability(name, year) for year in (before, after))
        if old != new:
            rows.append((release.state, release.id, name, element.title, _SIGNS[old], _SIGNS[new]))
    return pd.DataFrame(rows, columns=["state", "file", "element", "title", str(before), str(after)], dtype="string")


def _views(release: StateRelease, year: int) -> Mapping[str, str]:
    low, high = ({**view} for view in views_of(release, year))
    for view in (low, high):
        if view[Field.RACE] in RACE_ALONE:
            view[Field.ETHNICITY] = "with race"
    return {
        field_word(field): low[field] if low[field] == high[field] else f"{low[field]} or {high[field]}"
        for field in Field
    }


def _change(release: StateRelease, before: int, year: int) -> str:
    old, new = (set(release.elements(moment)) for moment in (before, year))
    came = [f"+{name}" for name in RELEASE_ELEMENTS if name in new - old]
    removed = [f"-{name}" for name in RELEASE_ELEMENTS if name in old - new]
    return " ".join([*came, *removed])


def programs_frame(releases: Iterable[StateRelease]) -> pd.DataFrame:
    """Return one row per program: how much is recorded of it, and what is not known.

    ``release_years`` counts a state's file in a year once, ``files`` twice where the year comes in two parts.
    """
    by_program: dict[str, list[StateRelease]] = {}
    for release in releases:
        by_program.setdefault(release.program.id, []).append(release)
    rows = []
    for name, program_releases in by_program.items():
        program = program_releases[0].program
        years = [year for release in program_releases for year in release.years]
        agreement = {True: "required", False: "none", None: "unknown"}[program.agreement.required]
        rows.append(
            {
                "program": name,
                "jurisdictions": len({release.state for release in program_releases}),
                "release_years": len(years),
                "files": sum(release.files for release in program_releases),
                "first": min(years),
                "last": max(years),
                "every_element": all(release.complete for release in program_releases),
                "agreement": agreement,
                "price": program.price.kind,
                "sources": len({name for release in program_releases for name in release.sources}),
                "confidence": program.evidence.confidence or "unknown",
            }
        )
    return pd.DataFrame(rows)


def findings_frame(findings: Iterable[Finding]) -> pd.DataFrame:
    """Return one row per finding of a survey."""
    columns = ["year", "says", "counted", "confidence"]
    rows = [(finding.year, finding.says, finding.counted, finding.evidence.confidence) for finding in findings]
    return pd.DataFrame(rows, columns=columns).astype({"counted": "Int64"})
